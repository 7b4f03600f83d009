/**
 * Measures the server of the scale benchmark: starts, the first query of each kind, loads,
 * expensive queries, and the memory afterwards.
 * Invariant: answers are not cached, unless the measured version cannot turn the cache off. Rates
 * are relative to `/healthz` of the same server. Each load first runs for three untimed seconds.
 * The row "never asked before" repeats no query.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { openSegment } from "../../src/search/segment.ts";
import { variableOf } from "../../src/settings/config.ts";
import { SETTINGS } from "../../src/settings/settings.ts";
import { type Place, place, readBy } from "../load/pagecache.ts";
import {
  type Latencies,
  mainThreadUs,
  memoryOf,
  pinnedLatencies,
  quiet,
  type RunningServer,
  startServer,
  wrkOver,
} from "../load/server.ts";
import {
  FIRST,
  type FirstAnswer,
  KINDS,
  post,
  repeatRequest,
  runFirstQueries,
} from "../questions/kinds.ts";
import { trafficOf } from "../questions/traffic.ts";

/** Number of queries, more than a server answers during a measurement. */
const NEW_QUESTIONS = 60_000;
const DIFFERENT = 300;
const WARM_SECONDS = 3;
/** Number of times that an expensive query is repeated. */
const EXPENSIVE_TIMES = 15;
const WATCH_EVERY_MS = 1;
/** Milliseconds without queries, in which the delays of the machine are measured. */
const IDLE_MS = 500;
/** The setting that bounds the response cache; not every version has it. */
const RESPONSE_MEMORY = "http.response_memory_bytes";

const environment: Readonly<Record<string, string>> = {
  PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "1000000",
  PENEIRA_PLANS_ENTERPRISE_BURST: "1000000",
  PENEIRA_HTTP_OVERLOAD_LAG_MS: "30000",
  ...(RESPONSE_MEMORY in SETTINGS ? { [variableOf(RESPONSE_MEMORY)]: "0" } : {}),
};

/** A start: milliseconds to the first answer, and bytes read until then. */
export interface Started {
  readonly ms: number;
  readonly bytes: number;
}

/**
 * Result of a load: requests per second, the same divided by the rate of `/healthz`, and the main
 * thread's microseconds per request.
 */
export interface Loaded {
  readonly perSecond: number;
  readonly share: number;
  readonly us: number;
}

function start(snapshot: string, main?: string): Promise<RunningServer> {
  const program = main === undefined ? {} : { main };
  return startServer(snapshot, JSON.stringify(FIRST), { environment, ...program });
}

/**
 * Number of times to start the server, the state of the snapshot in the page cache, and optionally
 * the main file of another build.
 */
export interface Starting {
  readonly where: Place;
  readonly times: number;
  readonly main?: string | undefined;
}

/** Returns the start with the median time. */
export async function timeStarts(snapshot: string, starting: Starting): Promise<Started> {
  const { where, times, main } = starting;
  const found: Started[] = [];
  for (let time = 0; time < times; time++) {
    await place(snapshot, where);
    const server = await start(snapshot, main);
    found.push({ ms: server.bootMs, bytes: readBy(server.pid).bytes });
    await server.stop();
  }
  found.sort((a, b) => a.ms - b.ms);
  return found[Math.floor(times / 2)] as Started;
}

/**
 * Cost of one kind of query: of the first answer after the snapshot was evicted from the page
 * cache, and of repetitions.
 */
export interface KindTimes extends FirstAnswer {
  readonly name: string;
  readonly againMs: number;
}

/** Measures each kind of query on a new server, which has answered only one other query before. */
export async function timeKinds(snapshot: string): Promise<KindTimes[]> {
  const found: KindTimes[] = [];
  for (const kind of KINDS) {
    await place(snapshot, "evicted");
    const server = await start(snapshot);
    try {
      await quiet(server.pid);
      const first = await runFirstQueries(server, kind);
      found.push({ name: kind[0], ...first, againMs: await repeatRequest(server, kind) });
    } finally {
      await server.stop();
    }
  }
  return found;
}

/** Measurements of a warm server; times in milliseconds. */
export interface Served {
  readonly healthz: number;
  readonly loads: Readonly<Record<"one" | "different" | "fresh", Loaded>>;
  /** Response times of one connection for a narrow query, and for `/healthz`. */
  readonly narrow: Latencies;
  readonly bare: Latencies;
  readonly anonymousMb: number;
}

/** Measures a warm server with queries from narrow to broad, which are drawn from a seed. */
export async function measureService(
  snapshot: string,
  { seconds, seed }: { readonly seconds: number; readonly seed: number },
): Promise<Served> {
  const segment = await openSegment(snapshot);
  const drawn = trafficOf(segment, seed, DIFFERENT + NEW_QUESTIONS);
  const [requested, fresh] = [drawn.slice(0, DIFFERENT), drawn.slice(DIFFERENT)];
  segment.close();
  await place(snapshot, "in memory");
  const server = await start(snapshot);
  try {
    const one = JSON.stringify(FIRST);
    wrkOver(server, null, WARM_SECONDS);
    const healthz = wrkOver(server, null, seconds).perSecond;
    const half = Math.floor(fresh.length / 2);
    const load = (warm: readonly string[], bodies: readonly string[]) =>
      loadOf(server, { warm, bodies, seconds, healthz });
    const loads = {
      one: load([one], [one]),
      different: load(requested, requested),
      fresh: load(fresh.slice(0, half), fresh.slice(half)),
    };
    const bare = pinnedLatencies(server, null, seconds);
    const narrow = pinnedLatencies(server, one, seconds);
    const anonymousMb = memoryOf(server.pid).anonymous;
    return { healthz, loads, narrow, bare, anonymousMb };
  } finally {
    await server.stop();
  }
}

/** Costs of expensive queries on a warm server, in milliseconds. */
export interface ExpensiveTimes {
  readonly postal: number;
  readonly facets: number;
  /**
   * The longest wait of another request while facets were counted, and the same on an idle server,
   * in milliseconds.
   */
  readonly stall: number;
  readonly idleStall: number;
}

/** Measures expensive queries, which run off the main thread of a server on all processors. */
export async function measureExpensive(snapshot: string): Promise<ExpensiveTimes> {
  const server = await startServer(snapshot, JSON.stringify(FIRST), { environment, pin: false });
  try {
    await quiet(server.pid);
    const postal = await timeExpensive(server, postalCodes);
    const facets = await timeExpensive(server, cities);
    const stall = await longestStall(server, () => timeExpensive(server, cities));
    const idleStall = await longestStall(server, () => sleep(IDLE_MS));
    return { postal, facets, stall, idleStall };
  } finally {
    await server.stop();
  }
}

function loadOf(
  server: RunningServer,
  {
    warm,
    bodies,
    ...load
  }: {
    readonly warm: readonly string[];
    readonly bodies: readonly string[];
    readonly seconds: number;
    readonly healthz: number;
  },
): Loaded {
  wrkOver(server, warm, WARM_SECONDS);
  const before = mainThreadUs(server.pid);
  const { perSecond, requests } = wrkOver(server, bodies, load.seconds);
  const us = (mainThreadUs(server.pid) - before) / requests;
  if (warm !== bodies && bodies.length > 1 && requests > bodies.length && warm[0] !== bodies[0]) {
    throw new Error("questions came twice; make more of them");
  }
  return { perSecond, share: perSecond / load.healthz, us };
}

/** Returns a query by the first two digits of postal codes, different for each time. */
const postalCodes = (time: number): object => ({
  spec: { filters: { geo: { postal_code_prefix_any_of: [String(10 + time)] } } },
  limit: 50,
});

/** Returns a broad query for facets by municipality, with a different year for each time. */
const cities = (time: number): object => ({
  spec: {
    filters: {
      geo: { uf_any_of: ["SP", "MG"] },
      contact: { require_email: true },
      company: { started_after: `${2000 + time}-06-15` },
    },
  },
  ...{ limit: 1, facets: ["municipality"] },
});

async function timed(server: RunningServer, body: object): Promise<number> {
  const began = performance.now();
  const answer = await post(server, "accounts/search", body);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(text);
  return performance.now() - began;
}

/** Median milliseconds of an expensive query that differs each time. */
async function timeExpensive(
  server: RunningServer,
  question: (time: number) => object,
): Promise<number> {
  const found: number[] = [];
  for (let time = 0; time < EXPENSIVE_TIMES; time++)
    found.push(await timed(server, question(time)));
  return found.sort((a, b) => a - b)[Math.floor(EXPENSIVE_TIMES / 2)] as number;
}

/** The longest wait for `/healthz` until a promise settles. */
async function longestStall(server: RunningServer, until: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      const began = performance.now();
      await (await fetch(`http://127.0.0.1:${server.port}/healthz`)).text();
      longest = Math.max(longest, performance.now() - began);
      await sleep(WATCH_EVERY_MS);
    }
  })();
  await until();
  isDone = true;
  await watching;
  return longest;
}
