/**
 * Measures how slow clients affect normal ones. Input: a corpus. Output: latencies of searches sent
 * at a steady rate, delays of the server's event loop, and durations of single turns of that loop,
 * as medians of several runs. A run has four phases: no other sockets, many idle sockets, as many
 * slow sockets while they connect, and all slow sockets connected.
 * Command: `npm run bench -- slow [--accounts 1000000] [--seconds 12] [--runs 3] [--sockets 500]
 * [--transport uws] [--main dist/bundle/main.mjs]`.
 * Invariant: the server runs on processor 0. The normal clients (this process) and the slow clients
 * (another process, of lower priority) share processor 1. Other work of the machine affects every
 * phase.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type LagSample, lagEnvironment, takeLag } from "./load/lag.ts";
import { type Load, type LoadResult, runLoad } from "./load/load.ts";
import { memoryOf, type RunningServer, startServer } from "./load/server.ts";
import { clientsCommand } from "./load/slow-clients.ts";
import { formatUs, median } from "./measure.ts";
import { makeCorpus } from "./questions/corpus.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "12" },
    runs: { type: "string", default: "3" },
    sockets: { type: "string", default: "500" },
    transport: { type: "string" },
    main: { type: "string" },
  },
});
const corpus = makeCorpus(Number(values.accounts));
const seconds = Number(values.seconds);
const GOOD = { connections: 64, perSecond: 100 };
const PHASES = ["alone", "beside open", "arriving", "beside slow"] as const;

const SPEC = {
  filters: {
    industry: { cnae_any_of: ["5611-2/01"] },
    geo: { uf_any_of: ["MG"] },
    company: { registration_status_any_of: [2] },
  },
};

type Phase = (typeof PHASES)[number];

/** Measurements of one phase; times in microseconds. */
interface Seen extends LagSample {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

function goodLoad({ port, key }: RunningServer): Load {
  const body = JSON.stringify({ spec: SPEC, limit: 50 });
  const head = [
    "POST /v1/accounts/search HTTP/1.1",
    "Host: a",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  const request = Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
  const { connections, perSecond: rate } = GOOD;
  return { port, connections, rate, statuses: [200], seconds, request };
}

/** Starts idle or slow clients. Resolves when all their sockets are open. */
async function startClients(
  { port, key }: RunningServer,
  kind: "open" | "slow",
): Promise<ChildProcess> {
  const command = clientsCommand({ port, kind, count: Number(values.sockets) });
  // The slow clients get a lower priority. Otherwise this process would wait for the processor, and
  // the waits would count as latency.
  const child = spawn("nice", ["-n", "10", process.execPath, ...command], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin?.write(`${key}\n`);
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  return child;
}

/** Ends the slow clients, and returns their report. */
async function endClients(child: ChildProcess): Promise<string> {
  let output = "";
  child.stdout?.on("data", (text) => {
    output += text;
  });
  child.stdin?.end();
  await new Promise((resolve) => child.once("exit", resolve));
  return output.trim();
}

async function oneRun(transport: "uws" | "node"): Promise<Record<Phase, Seen>> {
  const folder = mkdtempSync(join(tmpdir(), "peneira-slow-"));
  const lagFile = join(folder, "lag.json");
  const environment = {
    PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "1000000",
    PENEIRA_PLANS_ENTERPRISE_BURST: "1000000",
    ...lagEnvironment(lagFile),
  };
  const first = JSON.stringify({ spec: SPEC, limit: 1 });
  const { main } = values;
  const options = { transport, environment, ...(main === undefined ? {} : { main }) };
  const server = await startServer(corpus.snapshot, first, options);
  const lag = () => takeLag(lagFile, server.pid);
  const load = goodLoad(server);
  const seen = async (): Promise<Seen> => {
    await lag();
    const { p50, p99, max }: LoadResult = await runLoad(load);
    return { p50, p99, max, ...(await lag()) };
  };
  try {
    await runLoad({ ...load, seconds: 2 });
    const alone = await seen();
    const open = await startClients(server, "open");
    await sleep(500);
    const withOpen = await seen();
    await endClients(open);
    await sleep(500);
    const before = memoryOf(server.pid).anonymous;
    await lag();
    const slow = await startClients(server, "slow");
    const arriving = await seen();
    const withSlow = await seen();
    const after = memoryOf(server.pid).anonymous;
    const output = await endClients(slow);
    process.stderr.write(
      `${transport}: memory ${Math.round(before)} MB, then ${Math.round(after)} MB; ${output}\n`,
    );
    return { alone, "beside open": withOpen, arriving, "beside slow": withSlow };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (spawnSync("taskset", ["-V"]).status === 0) {
  spawnSync("taskset", ["-p", "-c", "1", String(process.pid)]);
}
const out: string[] = [];
for (const transport of ["uws", "node"] as const) {
  if (values.transport !== undefined && values.transport !== transport) continue;
  const runs: Record<Phase, Seen>[] = [];
  for (let run = 0; run < Number(values.runs); run++) runs.push(await oneRun(transport));
  const of = (phase: Phase, name: keyof Seen) => median(runs.map((run) => run[phase][name]));
  for (const phase of PHASES) {
    const ratio = of(phase, "p99") / of("alone", "p99");
    const p99s = runs.map((run) => formatUs(run[phase].p99)).join(", ");
    out.push(
      `${transport} ${phase.padEnd(12)} p50 ${formatUs(of(phase, "p50"))}, ` +
        `p99 ${formatUs(of(phase, "p99"))} (${ratio.toFixed(2)} × alone; runs ${p99s}), ` +
        `max ${formatUs(of(phase, "max"))}; lag p99 ${formatUs(of(phase, "lag99"))}, ` +
        `max ${formatUs(of(phase, "lagMax"))}; turns p99 ${formatUs(of(phase, "busy99"))}, ` +
        `max ${formatUs(of(phase, "busyMax"))}`,
    );
    process.stderr.write(`${out.at(-1)}\n`);
  }
}
process.stdout.write(`${out.join("\n")}\n`);
