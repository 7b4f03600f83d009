/**
 * Runs the server's request handlers without a socket. Input: a snapshot, and requests. Output: for
 * each request the status, the units charged to its rate limit, the longest time that it blocked
 * the event loop, and the processor time.
 * Invariant: everything but the transport is the server's own code, from the bytes of the body to
 * the last chunk of the answer. Cached counts and match sets are dropped between requests, and no
 * two bodies have the same bytes, so nothing is reused.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import plans from "../../data/plans.json" with { type: "json" };
import { loadPlans, PLAN_SETTINGS } from "../../src/access/plans.ts";
import { makeService, type ServedService } from "../../src/cli/serving/assembly.ts";
import { CONSOLE_DATA_ROUTES } from "../../src/console/data-routes.ts";
import { searchCounter } from "../../src/export/queue/rendertask.ts";
import { ROUTES } from "../../src/http/api/routes.ts";
import { dispatcher } from "../../src/http/server/dispatch.ts";
import { type PublicRoute, type Route, RouteTable } from "../../src/http/server/routetable.ts";
import type { SessionCall } from "../../src/http/server/service.ts";
import {
  type AnswerBody,
  copyIfShared,
  isStreamed,
  type PulledBody,
  pull,
} from "../../src/http/server/transport/answer-body.ts";
import {
  type Exchange,
  type ExchangeHandler,
  HeaderBlock,
} from "../../src/http/server/transport/transport.ts";
import { openNodeTransport } from "../../src/http/server/transport/transport-node.ts";
import { Ledger } from "../../src/process/ledger.ts";
import { openSegment, type Segment } from "../../src/search/segment.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { openDatabase } from "../../src/store/database.ts";

/** A request. */
export interface WorstRequest {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** Text of the body. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Costs of one request; times in milliseconds. */
export interface RequestCost {
  readonly status: number;
  readonly units: number;
  /** Longest processor time between two turns of the event loop, which delays other requests. */
  readonly holdMs: number;
  readonly processorMs: number;
  readonly bytes: number;
  readonly text: string;
}

const BURST = 1_000_000;
const LIMITS = {
  headBytesMax: 65_536,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 10_000,
  idleTimeoutMs: 10_000,
  writeTimeoutMs: 10_000,
  ...{ minReadBytesPerSecond: 1, socketsMax: 16, socketsPerAddress: null, trustedProxies: null },
  senderShareMax: 1,
  bodiesBytesMax: 67_108_864,
};

/** A complete answer. */
interface Received {
  readonly status: number;
  readonly bytes: number;
  readonly text: string;
  readonly remaining: number;
}

/** Handles requests one after the other. */
export class WorstService {
  readonly #service: ServedService;
  readonly #segment: Segment;
  readonly #handler: ExchangeHandler;
  readonly #folder: string;
  readonly #key: string;
  #sent = 0;

  private constructor(service: ServedService, segment: Segment, folder: string, userId: string) {
    this.#service = service;
    this.#segment = segment;
    this.#folder = folder;
    const { key } = service.keyring.create({ tenant: "bench", plan: "enterprise", name: "b" });
    this.#key = key;
    const session = { user: { id: userId, role: "owner" } } as unknown as SessionCall["session"];
    const console: PublicRoute[] = CONSOLE_DATA_ROUTES.flatMap((route) => keyed(route, session));
    this.#handler = dispatcher(service, new RouteTable([...ROUTES, ...console]));
  }

  static async open(snapshot: string): Promise<WorstService> {
    const folder = mkdtempSync(join(tmpdir(), "peneira-worst-"));
    const environment = {
      PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "0.001",
      PENEIRA_PLANS_ENTERPRISE_BURST: String(BURST),
      PENEIRA_HTTP_OVERLOAD_LAG_MS: "60000",
      PENEIRA_LOG_LEVEL: "error",
    };
    const config = loadConfig({ environment, plans: plans as never, planSettings: PLAN_SETTINGS });
    const database = openDatabase(folder);
    const transport = openNodeTransport(LIMITS);
    const parts = { config, plans: loadPlans(config.plans), dataDir: folder, folder: null };
    const service = makeService({
      leases: null,
      ...parts,
      transport,
      database,
      url: "http://127.0.0.1:0",
      ledger: Ledger.open(),
      searches: searchCounter(),
    });
    const segment = await openSegment(snapshot);
    service.start(segment);
    const user = await service.users.create({
      email: "bench@example.com",
      tenant: { name: "bench" },
    });
    return new WorstService(service, segment, folder, user.user.id);
  }

  /** Sends a request, and waits for the last byte of the answer. */
  async send(request: WorstRequest): Promise<RequestCost> {
    this.#segment.native.dropCaches();
    globalThis.gc?.();
    // White space makes each body unique, so that no answer comes from the cache.
    const body = Buffer.from((request.body ?? "") + (request.body ? " ".repeat(++this.#sent) : ""));
    const before = await this.#left();
    const probe = new HoldProbe();
    await nextTurn();
    const began = processorMs();
    probe.start();
    const { status, bytes, text } = await this.#exchange(request, body);
    const holdMs = probe.stop();
    const took = processorMs() - began;
    const units = before - (await this.#left()) - 1;
    return { status, units, holdMs, processorMs: took, bytes, text };
  }

  async close(): Promise<void> {
    await this.#service.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Returns the units that remain in the rate limit of the key. The call itself costs one unit. */
  async #left(): Promise<number> {
    const { remaining } = await this.#exchange(
      { method: "GET", path: "/v1/status" },
      Buffer.alloc(0),
    );
    return remaining;
  }

  #exchange(
    { method = "POST", path, headers = {} }: WorstRequest,
    body: Buffer,
  ): Promise<Received> {
    const [route = "", query = ""] = path.split("?");
    const sent: Record<string, string> = {
      authorization: `Bearer ${this.#key}`,
      "content-type": "application/json",
      ...headers,
    };
    let over = () => {};
    const request = new Promise<Received>((resolve) => {
      const exchange: Exchange = {
        ...{
          method,
          path: route,
          query,
          framing: null,
          address: "127.0.0.1",
          aborted: false,
          finished: false,
        },
        header: (name) => sent[name],
        body: (wanted) => wanted.read(body),
        send: (status, list, answer) => {
          const words = list.flatMap((one) =>
            one instanceof HeaderBlock ? one.lines.flat() : one,
          );
          const fields = words[words.indexOf("RateLimit") + 1] ?? "";
          const remaining = Number(/r=(\d+)/.exec(fields)?.[1] ?? Number.NaN);
          drain(answer, (bytes, text) => resolve({ status, bytes, text, remaining }));
        },
        cut: () => resolve({ status: 0, bytes: 0, text: "", remaining: 0 }),
        keepBody: () => {},
        whenOver: (awaiting) => {
          over = () => awaiting.over();
        },
      };
      this.#handler(exchange);
    });
    return request.finally(() => over());
  }
}

/** Returns a route of the console as a public route, which takes a key instead of a session. */
function keyed(route: Route, session: SessionCall["session"]): PublicRoute[] {
  if (route.access !== "session") return [];
  const path = route.path.replace("/v1/console", "/v1/c");
  const { method, query, handle } = route;
  const line = query === undefined ? { method, path } : { method, path, query };
  return [{ ...line, access: "key", handle: (call) => handle({ ...call, session }) }];
}

function drain(body: AnswerBody, done: (bytes: number, text: string) => void): void {
  if (!isStreamed(body)) {
    const text = typeof body === "string" ? body : Buffer.from(copyIfShared(body)).toString();
    done(Buffer.byteLength(text), text);
    return;
  }
  const pulled: PulledBody = pull(body);
  let bytes = 0;
  const more = (): void => {
    if (pulled.left === 0) {
      pulled.end();
      done(bytes, "");
      return;
    }
    pulled.next((chunk) => {
      bytes += chunk?.byteLength ?? 0;
      if (chunk === null || pulled.left === 0) {
        pulled.end();
        done(bytes, "");
      } else more();
    });
  };
  more();
}

/**
 * Records the longest time between two turns of the event loop. The time is processor time of all
 * threads, so it may be too long but never too short.
 */
class HoldProbe {
  #running = false;
  #last = 0;
  #longest = 0;

  start(): void {
    this.#running = true;
    this.#last = processorMs();
    this.#turn();
  }

  stop(): number {
    this.#note();
    this.#running = false;
    return this.#longest;
  }

  #note(): void {
    const now = processorMs();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
  }

  #turn(): void {
    setImmediate(() => {
      if (!this.#running) return;
      this.#note();
      this.#turn();
    });
  }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
