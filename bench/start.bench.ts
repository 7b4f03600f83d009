/**
 * Measures the start of a server, with its snapshot in the page cache and evicted from it. Input: a
 * corpus. Output: milliseconds until the server reports its port and until the first answer, with
 * processor time, bytes read, and major page faults. Also the first query of each kind on a freshly
 * started server, and the longest delays of the event loop during warm-up.
 * Invariant: the first query is answered from precomputed counts. Each start is a new server, and
 * the key's rate limit does not apply. Eviction is checked if `fincore` is installed.
 * Command: npm run bench -- start [--accounts 1000000] [--starts 5]
 *   [--main OTHER/main.mjs | dist/peneira]
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Place, place, readBy } from "./load/pagecache.ts";
import { mainThreadUs, type RunningServer, startServer } from "./load/server.ts";
import { makeCorpus } from "./questions/corpus.ts";
import { FIRST, type FirstAnswer, KINDS, requestEachKind } from "./questions/kinds.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    starts: { type: "string", default: "5" },
    main: { type: "string" },
  },
});
const starts = Number(values.starts);
const corpus = makeCorpus(Number(values.accounts));

/** Limits far above this load, so that a busy machine does not count as overload. */
const environment = {
  PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "1000000",
  PENEIRA_PLANS_ENTERPRISE_BURST: "1000000",
  PENEIRA_HTTP_OVERLOAD_LAG_MS: "30000",
};

/** Duration of watching the event loop, and the interval between samples, in milliseconds. */
const WATCH_MS = 6_000;
const WATCH_EVERY_MS = 2;

function start(): Promise<RunningServer> {
  const { main } = values;
  const other = main === undefined ? {} : { main };
  return startServer(corpus.snapshot, JSON.stringify(FIRST), { environment, ...other });
}

const median = (list: readonly number[]) =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

/** Starts a server several times, and returns a line with the medians. */
async function startLine(where: Place): Promise<string> {
  const found: Record<"listening" | "first" | "cpu" | "bytes" | "faults", number[]> = {
    ...{ listening: [], first: [], cpu: [], bytes: [], faults: [] },
  };
  for (let at = 0; at < starts; at++) {
    await place(corpus.snapshot, where);
    const server = await start();
    const { bytes, faults } = readBy(server.pid);
    found.listening.push(server.listeningMs);
    found.first.push(server.bootMs);
    found.cpu.push(mainThreadUs(server.pid) / 1000);
    found.bytes.push(bytes);
    found.faults.push(faults);
    await server.stop();
  }
  const whole = (name: keyof typeof found) =>
    `${median(found[name]).toFixed(0)} (${Math.min(...found[name]).toFixed(0)})`;
  const cells = [whole("listening"), whole("first"), whole("cpu"), megabytes(median(found.bytes))];
  return `| ${[where, ...cells, median(found.faults)].join(" | ")} |`;
}

/**
 * Sends one query of each kind to a server that has answered only one query before. Returns the
 * milliseconds and bytes read of each answer.
 */
async function kinds(where: Place): Promise<FirstAnswer[]> {
  await place(corpus.snapshot, where);
  const server = await start();
  try {
    return await requestEachKind(server);
  } finally {
    await server.stop();
  }
}

/** Polls a server during its warm-up. Returns the three longest waits in milliseconds. */
async function waits(): Promise<number[]> {
  await place(corpus.snapshot, "in memory");
  const server = await start();
  const found: number[] = [];
  for (const began = performance.now(); performance.now() - began < WATCH_MS; ) {
    const requested = performance.now();
    await (await fetch(`http://127.0.0.1:${server.port}/healthz`)).text();
    found.push(performance.now() - requested);
    await sleep(WATCH_EVERY_MS);
  }
  await server.stop();
  return found.sort((a, b) => b - a).slice(0, 3);
}

process.stdout.write(
  `${corpus.accounts.toLocaleString("en")} accounts; Node ${process.version}; ` +
    `medians of ${starts} starts (the best)\n\n` +
    "| start | listening ms | first answer ms | main thread ms | MB read | major faults |\n" +
    "|---|--:|--:|--:|--:|--:|\n",
);
for (const where of ["in memory", "evicted"] as const) {
  process.stdout.write(`${await startLine(where)}\n`);
}
const warm = await kinds("in memory");
const cold = await kinds("evicted");
process.stdout.write(
  "\n| first question | in memory ms | evicted ms | MB read |\n|---|--:|--:|--:|\n",
);
for (const [at, [name]] of KINDS.entries()) {
  const [one, other] = [warm[at], cold[at]];
  if (one === undefined || other === undefined) continue;
  const cells = [name, one.ms.toFixed(1), other.ms.toFixed(1), megabytes(other.bytes)];
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}
const longest = (await waits()).map((ms) => ms.toFixed(1));
process.stdout.write(`\nlongest waits for /healthz meanwhile: ${longest.join(", ")} ms\n`);
