/**
 * Latency of a client with quick requests while other clients send expensive ones: facets of
 * everything, pages of 50,000, sentences of 2,000 characters, 10,000 postal codes, uploads of
 * lists, exports, newer snapshots.
 * Output: p50 and p99 of `/healthz` and of a narrow search on one connection, alone and next to
 * each expensive request, with the increase of the p99. Each millisecond, a probe in the server
 * also measures how long its first thread ran its event loop (work), and how long it waited for a
 * processor. Only the work depends on the server. If no computation of the server takes more than 1
 * ms, no sample shows more than 2 ms of work. The row "busy clients" shows the machine itself: two
 * clients compute and send nothing.
 * Command: `npm run bench -- interference [--accounts 1000000] [--seconds 4] [--threads 1]`. Needs
 * Linux and wrk. Two clients send each expensive request in a closed loop.
 * Invariant: the server is not pinned, because expensive work runs on other threads. The clients
 * share its processors, so a machine with two processors gives the worst figures.
 */
import { once } from "node:events";
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { EXPENSIVE, type ExpensiveCall, senderOf } from "../test/support/http/expensive.ts";
import { lagEnvironment, takeLag } from "./load/lag.ts";
import { latencies, quiet, type RunningServer, startServer } from "./load/server.ts";
import { makeCorpus } from "./questions/corpus.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "4" },
    threads: { type: "string", default: "1" },
  },
});
const seconds = Number(values.seconds);
/** Number of clients that send expensive requests. */
const CLIENTS = 2;
const NARROW = JSON.stringify({
  spec: {
    filters: {
      industry: { cnae_any_of: ["5611-2/01"] },
      geo: { uf_any_of: ["MG"] },
      company: { registration_status_any_of: [2] },
    },
    limit: 10,
  },
});
const UNLIMITED = {
  PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "1000000",
  PENEIRA_PLANS_ENTERPRISE_BURST: "1000000",
  PENEIRA_HTTP_THREADS: values.threads,
};

const corpus = makeCorpus(Number(values.accounts));
const folder = mkdtempSync(join(tmpdir(), "peneira-interference-"));
const served = join(folder, "served");
mkdirSync(served);
// Both copies of the snapshot are made before the measurement, because writing one slows down other
// users of the disk.
const copies = ["a", "b"].map((name) => join(folder, name));
for (const copy of copies) copyFileSync(corpus.snapshot, copy);
const shown = join(served, "corpus.peneira");
linkSync(copies[0] as string, shown);

/** Replaces the served snapshot by the other copy. */
const newer: ExpensiveCall = async (_, round) => {
  linkSync(copies[round % copies.length] as string, `${shown}.${round}`);
  renameSync(`${shown}.${round}`, shown);
  await sleep(500);
};

let rounds = 0;

async function keepSending({ port, key }: RunningServer, call: ExpensiveCall, over: () => boolean) {
  const send = senderOf(`http://127.0.0.1:${port}`, key);
  while (!over()) await call(send, ++rounds);
}

/** Computes for 500 ms in a thread of this process, like a client that reads large answers. */
const busy: ExpensiveCall = async () => {
  const worker = new Worker("const end = Date.now() + 500; while (Date.now() < end);", {
    eval: true,
  });
  await once(worker, "exit");
};

const lagFile = join(folder, "lag.json");
const environment = { ...UNLIMITED, ...lagEnvironment(lagFile) };
const server = await startServer(served, NARROW, { pin: false, environment });
try {
  await quiet(server.pid);
  const measure = async () => {
    await takeLag(lagFile, server.pid);
    return {
      healthz: await latencies(server, null, seconds),
      search: await latencies(server, NARROW, seconds),
      thread: await takeLag(lagFile, server.pid),
    };
  };
  await measure();
  const alone = await measure();
  const row = (name: string, seen: typeof alone) => {
    const cells = (["healthz", "search"] as const).map((kind) => {
      const above = seen[kind].p99 - alone[kind].p99;
      const numbers = [seen[kind].p50, seen[kind].p99, above];
      return numbers.map((number) => number.toFixed(2).padStart(9)).join("");
    });
    const { busy99, busyMax, waited99, waitedMax } = seen.thread;
    const thread = [busy99, busyMax, waited99, waitedMax].map((us) =>
      (us / 1e3).toFixed(2).padStart(8),
    );
    process.stdout.write(`${name.padEnd(30)}${cells.join("  ")}  ${thread.join("")}\n`);
  };
  process.stdout.write(
    `${values.threads} threads, ${corpus.accounts.toLocaleString("en")} accounts, milliseconds\n` +
      `${"".padEnd(30)}  healthz: p50, p99, above  search: p50, p99, above` +
      "   work: p99, max   waited: p99, max\n",
  );
  row("alone", alone);
  for (const [name, call] of Object.entries({
    "busy clients": busy,
    ...EXPENSIVE,
    "newer snapshots": newer,
  })) {
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, () => keepSending(server, call, () => isOver));
    const seen = await measure();
    isOver = true;
    await Promise.all(clients);
    row(name, seen);
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
