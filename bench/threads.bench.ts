/**
 * Measures how a server scales with request threads: 1, 2, 4 … up to the number of processors.
 * Output for each: requests per second, the server's processor time per request, connections and
 * requests per thread. Also the memory of a thread. Corpus: `peneira sample`
 * (bench/questions/corpus.ts), queries with the frequencies of bench/questions/shares.ts.
 * Command: npm run bench -- threads [--accounts 1000000] [--seconds 5] [--rounds 3] [--only
 * QUESTION] [--seed N]
 * Needs Linux and wrk. The load generator shares the processors with the server, so requests per
 * second understate the scaling. The column "scaled" corrects this: N × (processor time of a
 * request with one thread ÷ with N threads). The line "apart" measures N processes, one per
 * processor. It is the upper bound for threads on this machine.
 * Invariant: the thread counts alternate, and each figure is a median of rounds.
 */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { openSegment } from "../src/search/segment.ts";
import {
  measureWithWrk,
  memoryOf,
  quiet,
  type RunningServer,
  startServer,
  wrkFreely,
} from "./load/server.ts";
import { makeCorpus } from "./questions/corpus.ts";
import { PLAIN, seedLine, seedOf, trafficOf } from "./questions/traffic.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: "" },
    /** Seed of another run, to repeat its queries. */
    seed: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const WARM_SECONDS = 2;
const CONNECTIONS = 64;
/** Number of queries, more than a server answers during a measurement. */
const NEW_QUESTIONS = 120_000;
/** Number of units per second in which /proc reports processor time. */
const TICKS = 100;
const UNLIMITED = {
  PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "1000000",
  PENEIRA_PLANS_ENTERPRISE_BURST: "1000000",
  // Without this setting, a busy server would refuse expensive queries.
  PENEIRA_HTTP_OVERLOAD_LAG_MS: "30000",
};

const DIFFERENT = 300;

const seed = seedOf(values.seed);
process.stdout.write(seedLine(seed));
const processors = availableParallelism();
const corpus = makeCorpus(Number(values.accounts));
const segment = await openSegment(corpus.snapshot);
const drawn = trafficOf(segment, seed, DIFFERENT + NEW_QUESTIONS);
const requested = drawn.slice(0, DIFFERENT);
const plain = trafficOf(segment, seed, 1, PLAIN);
const fresh = drawn.slice(DIFFERENT);
segment.close();

const ROWS: readonly (readonly [name: string, bodies: readonly string[] | null, memory: string])[] =
  [
    ["healthz", null, "0"],
    ["one question again", plain, "33554432"],
    ["300 questions", requested, "0"],
    ["never asked before", fresh, "0"],
  ];

/** One measurement. */
interface Seen {
  readonly perSecond: number;
  /** The server's processor time per request, in microseconds. */
  readonly us: number;
  readonly p99: string;
}

function processorUs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1e6;
}

function measured(server: RunningServer, bodies: readonly string[] | null): Seen {
  const before = processorUs(server.pid);
  const { perSecond, requests, p99 } = wrkFreely(server, bodies, {
    seconds,
    connections: CONNECTIONS,
  });
  return { perSecond, us: (processorUs(server.pid) - before) / requests, p99 };
}

/** Like `measured`, but with one single-threaded server per processor. */
async function measuredApart(bodies: readonly string[] | null, memory: string): Promise<Seen> {
  const environment = { ...UNLIMITED, PENEIRA_HTTP_THREADS: "1" };
  const options = { pin: false, environment, responseMemory: memory };
  const servers: RunningServer[] = [];
  try {
    for (let at = 0; at < processors; at++) {
      servers.push(await startServer(corpus.snapshot, plain[0] as string, options));
    }
    for (const { pid } of servers) await quiet(pid);
    const half = bodies === fresh ? fresh.length / 2 : 0;
    const warming = half === 0 ? bodies : fresh.slice(0, half);
    const load = { seconds, connections: CONNECTIONS };
    await measureWithWrk(servers, warming, { ...load, seconds: WARM_SECONDS });
    const used = () => servers.reduce((sum, { pid }) => sum + processorUs(pid), 0);
    const before = used();
    const seen = await measureWithWrk(servers, half === 0 ? bodies : fresh.slice(half), load);
    const { perSecond, requests, p99 } = seen;
    return { perSecond, us: (used() - before) / requests, p99 };
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** Returns the connections and requests of each thread, read from the metrics. */
async function sharesOf({ port }: RunningServer): Promise<string> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const of = (name: string, more = "") =>
    [
      ...text.matchAll(new RegExp(`^peneira_thread_${name}_total\\{[^,]*${more}\\} (\\d+)$`, "gm")),
    ].map(([, value]) => Number(value));
  const connections = of("connections");
  const requests = of("requests", ',answered_by="thread"');
  const all = requests.reduce((sum, one) => sum + one, 0);
  const shares = requests.map((one) => `${((100 * one) / all).toFixed(1)} %`);
  return connections.length === 0
    ? ""
    : `connections ${connections.join("/")}, ${shares.join("/")}`;
}

const median = (numbers: readonly number[]) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;

const counts: number[] = [];
for (let count = 1; count < processors; count *= 2) counts.push(count);
counts.push(processors);

process.stdout.write(
  `${processors} processors, ${corpus.accounts.toLocaleString("en")} accounts, ` +
    `${CONNECTIONS} connections\n` +
    "question              threads   req/s   µs each   scaled       p99   share of each thread\n",
);
for (const [name, bodies, responseMemory] of ROWS) {
  if (!name.includes(values.only)) continue;
  const seen = new Map<number, Seen[]>(counts.map((count) => [count, []]));
  const shares = new Map<number, string>();
  const apart: Seen[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const count of counts) {
      const environment = { ...UNLIMITED, PENEIRA_HTTP_THREADS: String(count) };
      const options = { pin: false, environment, responseMemory };
      const server = await startServer(corpus.snapshot, plain[0] as string, options);
      try {
        await quiet(server.pid);
        const half = bodies === fresh ? fresh.length / 2 : 0;
        const warming = half === 0 ? bodies : fresh.slice(0, half);
        wrkFreely(server, warming, { seconds: WARM_SECONDS, connections: CONNECTIONS });
        seen.get(count)?.push(measured(server, half === 0 ? bodies : fresh.slice(half)));
        shares.set(count, await sharesOf(server));
      } finally {
        await server.stop();
      }
    }
    apart.push(await measuredApart(bodies, responseMemory));
  }
  const one = median((seen.get(1) ?? []).map(({ us }) => us));
  const lines = counts.map((count) => [count, String(count), seen.get(count) ?? []] as const);
  for (const [count, label, all] of [...lines, [processors, "apart", apart] as const]) {
    const us = median(all.map((each) => each.us));
    const perSecond = Math.round(median(all.map((each) => each.perSecond)));
    const scaled = ((count * one) / us).toFixed(2);
    const cells = [
      ...[name.padEnd(22), label.padStart(7), perSecond.toLocaleString("en").padStart(9)],
      ...[us.toFixed(1).padStart(9), `${scaled}×`.padStart(9)],
      ...[(all.at(-1)?.p99 ?? "").padStart(10), "   ", label === "apart" ? "" : shares.get(count)],
    ];
    process.stdout.write(`${cells.join("")}\n`);
  }
}
await printMemory();

/** Prints the memory that each additional thread takes. */
async function printMemory(): Promise<void> {
  const memory: number[] = [];
  for (const count of [1, 2, 4]) {
    const environment = { ...UNLIMITED, PENEIRA_HTTP_THREADS: String(count) };
    const server = await startServer(corpus.snapshot, plain[0] as string, {
      pin: false,
      environment,
    });
    await quiet(server.pid);
    wrkFreely(server, requested, { seconds: WARM_SECONDS, connections: CONNECTIONS });
    memory.push(memoryOf(server.pid).anonymous);
    await server.stop();
  }
  const [one = 0, two = 0, four = 0] = memory;
  process.stdout.write(
    `anonymous memory: ${one.toFixed(0)} MB with one thread, ${two.toFixed(0)} with two, ` +
      `${four.toFixed(0)} with four: ${((four - two) / 2).toFixed(1)} MB for each thread\n`,
  );
}
