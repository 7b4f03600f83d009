/**
 * Metrics and access log of a server. Input: answered requests, searches, and sources of numbers.
 * Output: the metrics, and one log line per request.
 * Invariant: labels and lines hold only routes, states, and ids: no raw path, query text, account
 * data, or key. Every name begins with `peneira_`. A request's line has the same bytes as if pino
 * had serialized an object with its members, at a third of the cost. No value can escape its
 * quotes.
 */
import { readFileSync } from "node:fs";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { Identity } from "../../access/keyring.ts";
import type { Plan } from "../../access/plans.ts";
import type { FilesState } from "../../export/files/exportfiles.ts";
import type { Clock } from "../../process/clock.ts";
import { type Log, writeMembers } from "../../process/log.ts";
import { Counter, Gauge, Histogram, type MetricSamples, Metrics } from "../../process/metrics.ts";
import type { ScrubState } from "../../search/scrubber.ts";
import { fileMetrics } from "./filemetrics.ts";
import { type NoticeNumbers, noticeGauges } from "./noticemetrics.ts";
import type { ResponseCache } from "./responsecache.ts";
import type { Sockets } from "./transport/sockets.ts";

/** Histogram bounds in seconds, from a search in memory to typical client timeouts. */
const SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60,
];

/** Paths that machines poll every few seconds. They are not logged, to keep the log readable. */
const PROBES = ["/healthz", "/readyz", "/metrics"];

/** Sampling interval of the event-loop lag, in milliseconds. */
const LAG_RESOLUTION_MS = 10;

type EngineCall = "search" | "count" | "facets" | "account" | "changes" | "suggest";

const KIND_LABELS: Readonly<Record<EngineCall, readonly [EngineCall]>> = {
  search: ["search"],
  count: ["count"],
  facets: ["facets"],
  account: ["account"],
  changes: ["changes"],
  suggest: ["suggest"],
};

/** Functions that are called for current values when the metrics are scraped. */
interface TelemetrySources {
  /** Time of the served data, or null. */
  readonly snapshotMs: () => number | null;
  /** Months behind the newest published release, and when that was checked. Both may be null. */
  readonly monthsBehind: () => number | null;
  readonly checkedMs: () => number | null;
  readonly snapshots: () => number;
  /** Counts of rechecked blocks and damaged snapshots, and how far each snapshot is checked. */
  readonly scrub: () => {
    readonly blocks: number;
    readonly damaged: number;
    readonly states: readonly ScrubState[];
  };
  /** Answers being streamed, and bytes of incoming request bodies. */
  readonly streams: () => number;
  readonly bodyBytes: () => number;
  readonly responses: Pick<ResponseCache, "bytes" | "hits" | "misses">;
  /** Connections, except those of the metrics server. */
  readonly sockets: Pick<Sockets, "open" | "busy" | "crowding" | "slow">;
  /** Unfinished exports by state. */
  readonly exports: () => Readonly<Record<"queued" | "running", number>>;
  /** Free bytes on the disk that holds the exports, or null if it is unknown. */
  readonly freeBytes: () => number | null;
}

/** Threads that each count their own metrics. */
interface CountingThreads {
  /** Sum of the last counts of ended threads. */
  readonly past: MetricSamples;
  /** Returns the counts of running threads. */
  samples(): Promise<readonly MetricSamples[]>;
}

/** Sources of metrics of an answering thread other than the main thread. */
interface ThreadSources extends Pick<TelemetrySources, "responses" | "sockets"> {
  /** Number of the thread, from 1. */
  readonly slot: number;
  /** Returns the number of connections that the thread has accepted. */
  readonly taken: () => number;
}

/** The metrics and the access log of one server. */
export class Telemetry {
  readonly #metrics = new Metrics();
  readonly #log: Log;
  readonly #lag: IntervalHistogram;
  readonly #requests: Counter;
  readonly #durations: Histogram;
  readonly #kernel: Histogram;
  readonly #damaged: Counter;
  /** Shared counter of searches. */
  readonly #searches: Int32Array;
  #answered = 0;
  #forwarded = 0;
  #others: (() => Promise<readonly MetricSamples[]>) | null = null;
  /** Labels of the latest request. */
  #labels: readonly string[] = [];
  #routeLabels: readonly string[] = [];

  /** `searches` is a counter in shared memory. Exports watch it and yield to searches. */
  constructor(log: Log, searches: Int32Array = new Int32Array(1)) {
    this.#log = log;
    this.#searches = searches;
    this.#lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
    this.#lag.enable();
    this.#requests = this.#metrics.add(
      new Counter({
        name: "peneira_requests_total",
        help: "Answered requests.",
        labels: ["route", "method", "status", "plan"],
      }),
    );
    this.#durations = this.#metrics.add(
      new Histogram(
        {
          name: "peneira_request_seconds",
          help: "Time from the head of a request to its answer.",
          labels: ["route"],
        },
        SECONDS,
      ),
    );
    this.#kernel = this.#metrics.add(
      new Histogram(
        {
          name: "peneira_kernel_seconds",
          help: "Time that the engine took, without HTTP.",
          labels: ["kind"],
        },
        SECONDS,
      ),
    );
    this.#damaged = this.#metrics.add(
      new Counter({
        name: "peneira_state_damaged_total",
        help: "Times that the state was found to be damaged; restore a backup.",
      }),
    );
    this.#addProcess();
  }

  /** Adds the metrics whose values are read when they are scraped. */
  watch(sources: TelemetrySources, clock: Clock): void {
    const { snapshots, streams, bodyBytes, exports } = sources;
    const { freeBytes, scrub, sockets, responses } = sources;
    this.#watchAge(sources, clock);
    this.#gauge("peneira_snapshots_open", "Opened snapshots, replaced ones included.", snapshots);
    this.#watchScrub(scrub);
    this.#gauge("peneira_streams", "Large pages and files that are being sent.", streams);
    this.#gauge("peneira_body_bytes", "Bytes of request bodies in memory.", bodyBytes);
    this.#addResponses(responses);
    this.#gauge(
      "peneira_disk_free_bytes",
      "Free bytes of the disk with the files of exports.",
      () => freeBytes() ?? Number.NaN,
    );
    this.#addSockets({ sockets });
    this.#metrics.add(
      new Gauge(
        {
          name: "peneira_exports",
          help: "Queued and running exports, by state.",
          labels: ["state"],
        },
        () => Object.entries(exports()).map(([state, count]) => [[state], count] as const),
      ),
    );
  }

  /** Adds the metrics of the file store. */
  watchFiles(read: () => FilesState | null): void {
    for (const metric of fileMetrics(read)) this.#metrics.add(metric);
  }

  /** Adds the metrics of the rate limits that several servers (a fleet) share. */
  watchFleet(metrics: readonly Gauge[]): void {
    for (const metric of metrics) this.#metrics.add(metric);
  }

  /** Adds the metrics of notices. */
  watchNotices(read: () => NoticeNumbers): void {
    for (const gauge of noticeGauges(read)) this.#metrics.add(gauge);
  }

  /** Adds the metrics of an answering thread other than the main thread. */
  watchThread({ slot, taken, responses, sockets }: ThreadSources): void {
    this.#addResponses(responses);
    this.#addSockets({ sockets });
    const thread = [String(slot)];
    this.#addThreads(
      () => [[thread, taken()]],
      () => [
        [[String(slot), "thread"], this.#answered],
        [[String(slot), "owner"], this.#forwarded],
      ],
    );
  }

  /** Adds the numbers of connections and of requests per thread. Each thread reports its own. */
  #addThreads(
    taken: () => (readonly [readonly string[], number])[],
    answered: () => (readonly [readonly string[], number])[],
  ): void {
    const info = { labels: ["thread"], across: "sum" } as const;
    const name = "peneira_thread_connections_total";
    const help = "Connections that a thread has taken, by its number; none with one thread.";
    this.#metrics.add(new Gauge({ ...info, name, help }, taken, "counter"));
    const requests = {
      name: "peneira_thread_requests_total",
      help:
        "Requests that came to a thread, by its number: those that it answered, and those that " +
        "it handed on to the owner of the state; none with one thread.",
      labels: ["thread", "answered_by"],
    };
    this.#metrics.add(new Gauge({ ...info, ...requests }, answered, "counter"));
  }

  /**
   * Adds the ages of the data and the last check. NaN is an unknown age, which matches no alert.
   */
  #watchAge({ snapshotMs, monthsBehind, checkedMs }: TelemetrySources, clock: Clock): void {
    const since = (at: number | null) => (at === null ? Number.NaN : (clock.nowMs() - at) / 1000);
    this.#gauge("peneira_snapshot_age_seconds", "Age of the data that is served.", () => {
      return since(snapshotMs());
    });
    this.#gauge(
      "peneira_snapshot_months_behind",
      "Months from the served one to the newest published one, at the last check of " +
        "`peneira update`; NaN before its first check in this folder.",
      () => monthsBehind() ?? Number.NaN,
    );
    this.#gauge(
      "peneira_update_check_age_seconds",
      "Time since the share last answered `peneira update` or its --check; NaN before its first " +
        "answer for this folder.",
      () => since(checkedMs()),
    );
  }

  #addResponses(responses: TelemetrySources["responses"]): void {
    this.#metrics.add(
      new Gauge(
        {
          name: "peneira_response_memory_bytes",
          help: "Memory of the response cache, at most http.response_memory_bytes.",
          across: "sum",
        },
        () => [[[], responses.bytes]],
      ),
    );
    this.#metrics.add(
      new Gauge(
        {
          name: "peneira_response_memory_total",
          help: "Searches answered from the response cache (hit) and by the engine (miss).",
          labels: ["result"],
          across: "sum",
        },
        () => [
          [["hit"], responses.hits],
          [["miss"], responses.misses],
        ],
        "counter",
      ),
    );
  }

  #addSockets({ sockets }: Pick<TelemetrySources, "sockets">): void {
    this.#metrics.add(
      new Gauge(
        {
          name: "peneira_sockets",
          help: "Open connections, by state.",
          labels: ["state"],
          across: "sum",
        },
        () => [
          [["busy"], sockets.busy],
          [["idle"], sockets.open - sockets.busy],
        ],
      ),
    );
    this.#metrics.add(
      new Gauge(
        {
          name: "peneira_sockets_crowded_total",
          help:
            "How often a limit of connections was reached: an idle connection was closed " +
            "(idle), an address had its maximum (address), or all were busy (full).",
          labels: ["reason"],
          across: "sum",
        },
        () => Object.entries(sockets.crowding).map(([reason, count]) => [[reason], count] as const),
        "counter",
      ),
    );
    this.#metrics.add(
      new Gauge(
        {
          name: "peneira_slow_clients_total",
          help:
            "Connections closed because the client read slower than http.write_pace_bytes a " +
            "second.",
          across: "sum",
        },
        () => [[[], sockets.slow]],
        "counter",
      ),
    );
  }

  /** Counts a request and logs its line. */
  answered(answer: AccessLine): void {
    const { route, tookMs } = answer;
    this.#answered++;
    this.#requests.add(this.#labelsOf(answer));
    this.#durations.observe(this.#routeLabels, tookMs / 1000);
    const level = PROBES.includes(route) ? "debug" : "info";
    if (!this.#log.isLevelEnabled(level)) return;
    writeMembers(this.#log, level, accessLine(answer), "request");
  }

  /** Counts a request that another thread answers and counts. */
  forwarded(): void {
    this.#forwarded++;
  }

  /** Returns a request's labels. Reuses the array of the latest request if the labels are equal. */
  #labelsOf({ method: sent, route, status, sender }: AccessLine): readonly string[] {
    const last = this.#labels;
    const method = knownMethod(sent);
    const code = String(status);
    const plan = sender?.plan.name ?? "none";
    const same = last[0] === route && last[1] === method && last[2] === code;
    if (same && last[3] === plan) return last;
    this.#labels = [route, method, code, plan];
    this.#routeLabels = [route];
    return this.#labels;
  }

  /** Records the duration of one engine call. */
  engine(kind: EngineCall, tookMs: number): void {
    this.#kernel.observe(KIND_LABELS[kind], tookMs / 1000);
    Atomics.add(this.#searches, 0, 1);
  }

  /** Counts a search that the cache answered, because exports yield to cached searches too. */
  remembered(): void {
    Atomics.add(this.#searches, 0, 1);
  }

  /** Reports that the state is damaged, and where that was detected. */
  stateDamaged(details: Readonly<Record<string, unknown>>): void {
    this.#damaged.add();
    this.#log.error(details, "the state is damaged: stop the server and restore a backup");
  }

  /** Returns the maximum event-loop delay since the last call, in milliseconds. */
  takeLagMs(): number {
    const { max } = this.#lag;
    this.#lag.reset();
    return Math.max(0, max / 1e6 - LAG_RESOLUTION_MS);
  }

  /** Returns all metrics of this thread as text for Prometheus. */
  text(): string {
    return this.#metrics.text();
  }

  /** Returns all metrics of this thread, for the thread that merges them. */
  samples(): MetricSamples {
    return this.#metrics.samples();
  }

  /** Makes `gathered` include the counts of the other threads, both running and ended. */
  include(threads: CountingThreads): void {
    this.#others = async () => {
      const now = await threads.samples();
      return [...now, this.#metrics.lasting(threads.past)];
    };
    this.#addThreads(
      () => [],
      () => [],
    );
  }

  /** Returns the metrics of all threads as text. Returns a promise if there are several threads. */
  gathered(): string | Promise<string> {
    if (this.#others === null) return this.text();
    return this.#others().then((others) => this.#metrics.text(others));
  }

  /** Stops sampling the event loop. */
  close(): void {
    this.#lag.disable();
  }

  #watchScrub(scrub: TelemetrySources["scrub"]): void {
    this.#counter("peneira_scrub_blocks_total", "Blocks of snapshots checked again.", () => {
      return scrub().blocks;
    });
    this.#counter("peneira_snapshots_damaged_total", "Snapshots found damaged while open.", () => {
      return scrub().damaged;
    });
    this.#metrics.add(
      new Gauge(
        {
          name: "peneira_scrub_progress",
          help: "Share of the blocks of a snapshot that this pass has checked again.",
          labels: ["snapshot"],
        },
        // If two open snapshots have the same label, reports the one that is less checked.
        () => {
          const shares = new Map<string, number>();
          for (const { snapshot, checked, blocks } of scrub().states) {
            shares.set(snapshot, Math.min(shares.get(snapshot) ?? 1, checked / blocks));
          }
          return [...shares].map(([snapshot, share]) => [[snapshot], share] as const);
        },
      ),
    );
  }

  #counter(name: string, help: string, read: () => number): void {
    this.#metrics.add(new Gauge({ name, help }, () => [[[], read()]], "counter"));
  }

  #gauge(name: string, help: string, read: () => number): void {
    this.#metrics.add(new Gauge({ name, help }, () => [[[], read()]]));
  }

  #addProcess(): void {
    const started = performance.timeOrigin / 1000;
    this.#gauge(
      "process_start_time_seconds",
      "Start of the process, seconds since 1970.",
      () => started,
    );
    this.#metrics.add(
      new Gauge(
        { name: "process_cpu_seconds_total", help: "Processor time of the process." },
        () => {
          const { user, system } = process.cpuUsage();
          return [[[], (user + system) / 1e6]];
        },
        "counter",
      ),
    );
    this.#metrics.add(
      new Gauge(
        {
          name: "peneira_memory_bytes",
          help:
            "Resident memory: anonymous, of mapped files (the snapshot), and of V8's heap in the " +
            "main thread.",
          labels: ["kind"],
        },
        memory,
      ),
    );
    this.#metrics.add(
      new Gauge(
        {
          name: "peneira_event_loop_lag_seconds",
          help: "Delay of the event loop since the start, by quantile; the maximum of all threads.",
          labels: ["quantile"],
          across: "max",
        },
        () => [0.5, 0.99].map((share) => [[String(share)], this.#quantile(share)] as const),
      ),
    );
  }

  #quantile(share: number): number {
    return Math.max(0, this.#lag.percentile(share * 100) / 1e9 - LAG_RESOLUTION_MS / 1000);
  }
}

/** Linux separates anonymous and mapped memory; elsewhere only the sum is known. */
function memory(): (readonly [readonly string[], number])[] {
  const { rss, heapUsed } = process.memoryUsage();
  const heap = [["heap"], heapUsed] as const;
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    const read = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) * 1024;
    return [[["anonymous"], read("RssAnon")], [["mapped"], read("RssFile")], heap];
  } catch {
    return [[["resident"], rss], heap];
  }
}

/** Data of a request's log line. */
export interface AccessLine {
  readonly requestId: string;
  /** Method as sent. */
  readonly method: string;
  /** Path template of the route, or `unknown`. */
  readonly route: string;
  readonly status: number;
  readonly tookMs: number;
  /** The sender, if known. */
  readonly sender: KnownSender | null;
}

interface KnownSender {
  readonly identity: Pick<Identity, "keyId" | "tenantId">;
  readonly plan: Pick<Plan, "name">;
}

const METHODS = ["GET", "HEAD", "POST", "PATCH", "DELETE"];

/** Returns the method, or "other" for an unknown one, because clients may send any word. */
export function knownMethod(method: string): string {
  return METHODS.includes(method) ? method : "other";
}

/** Returns the members of a request's log line, separated by commas and without braces. */
export function accessLine(line: AccessLine): string {
  const tookMs = Math.round(line.tookMs * 1000) / 1000;
  const took = Number.isFinite(tookMs) ? tookMs : null;
  const { requestId: id } = line;
  // One template, because an inner template would allocate a string of its own.
  const request = PLAIN.test(id)
    ? `"request_id":"${id}${answered(line)}${took}`
    : `"request_id":${JSON.stringify(id).slice(0, -1)}${answered(line)}${took}`;
  return line.sender === null ? request : request + sent(line.sender);
}

/** Cached part of a log line, from the request id's end to the duration, and its inputs. */
let lastAnswered = { method: "", route: "", status: Number.NaN, text: "" };

function answered({ method, route, status }: AccessLine): string {
  const last = lastAnswered;
  if (last.method === method && last.route === route && last.status === status) return last.text;
  const text =
    `","method":${quoted(knownMethod(method))},"route":${quoted(route)},` +
    `"status":${status},"took_ms":`;
  lastAnswered = { method, route, status, text };
  return text;
}

/** Cached part of a log line after the duration, for a known sender, and its inputs. */
let lastSent = { plan: "", tenantId: "", keyId: "", text: "" };

function sent({ identity: { keyId, tenantId }, plan: { name: plan } }: KnownSender): string {
  const last = lastSent;
  const same = last.plan === plan && last.tenantId === tenantId && last.keyId === keyId;
  if (same && last.text !== "") return last.text;
  const text =
    `,"plan":${quoted(plan)},"tenant_id":${quoted(tenantId)},` + `"key_id":${quoted(keyId)}`;
  lastSent = { plan, tenantId, keyId, text };
  return text;
}

/** Printable ASCII except quotation marks and backslashes, as in ids, routes, and plan names. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

interface Timing {
  readonly service: {
    readonly clock: Pick<Clock, "monotonicMs">;
    readonly telemetry: Pick<Telemetry, "engine">;
  };
}

/** Runs an engine call and records its duration. */
export function timed<Value>({ service }: Timing, kind: EngineCall, call: () => Value): Value {
  const startMs = service.clock.monotonicMs();
  const value = call();
  service.telemetry.engine(kind, service.clock.monotonicMs() - startMs);
  return value;
}

/** Like `timed`, for a call that may return a promise. Includes the wait for the promise. */
export function timedAsync<Value>(
  { service: { clock, telemetry } }: Timing,
  kind: EngineCall,
  call: () => Value | Promise<Value>,
): Value | Promise<Value> {
  const startMs = clock.monotonicMs();
  const note = (value: Value): Value => {
    telemetry.engine(kind, clock.monotonicMs() - startMs);
    return value;
  };
  const value = call();
  return value instanceof Promise ? value.then(note) : note(value);
}
