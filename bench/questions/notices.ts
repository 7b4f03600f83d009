/**
 * Measures a server that receives a new month while tenants have many saved searches. Input: a
 * corpus, the month after it, and a number of saved searches. Output: the time until all saved
 * searches are counted. Before and during that time: the p99 of a search and the server's processor
 * time. Also the server's anonymous memory and the load of the machine.
 * Invariant: a real server serves a folder and is queried over HTTP by one client at a time. The
 * first thousand saved searches name different states, activities, or both, so none can reuse
 * another's counts. The time includes computing the changes between the months.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CORPUS_SEED, type Corpus, makeCorpus, peneiraCommand } from "./corpus.ts";

/** Duration of the measurement before the new month arrives, in milliseconds. */
const IDLE_MS = 5_000;
/** Number of saved searches per tenant. */
const PER_TENANT = 500;
/** Unit of processor times in /proc. */
const TICKS_PER_SECOND = 100;
/** All 27 states. `ACTIVITIES` lists 27 two-digit divisions of activities. */
const STATES = [
  ...["SP", "MG", "RJ", "BA", "PR", "RS", "PE", "CE", "PA", "SC", "GO", "MA", "AM", "ES"],
  ...["PB", "RN", "MT", "AL", "PI", "DF", "MS", "SE", "RO", "TO", "AC", "AP", "RR"],
];
const ACTIVITIES = [
  ...["47", "56", "41", "43", "49", "62", "69", "70", "71", "73", "85", "86", "96", "10"],
  ...["14", "25", "33", "45", "46", "52", "55", "58", "66", "68", "74", "77", "82"],
];

/** A running server. */
interface Served {
  readonly child: ChildProcess;
  readonly base: string;
  readonly key: string;
  readonly state: string;
}

function peneira(...parameters: string[]): string {
  const [node = "", ...main] = peneiraCommand();
  const child = spawnSync(node, [...main, ...parameters], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(`peneira ${parameters[0]}: ${child.stderr}`);
  return child.stdout;
}

function laterMonth({ folder, accounts }: Corpus): string {
  const newer = join(folder, "later.peneira");
  if (existsSync(newer)) return newer;
  const dump = join(folder, "2026-11");
  const size = ["--establishments", String(accounts), "--seed", String(CORPUS_SEED)];
  peneira("sample", "--out", dump, ...size, "--label", "2026-11", "--since", "2026-10");
  peneira("import", dump, "--out", newer, "--label", "2026-11");
  rmSync(dump, { recursive: true });
  return newer;
}

async function serve(folder: string): Promise<Served> {
  const state = join(folder, "state");
  const [node = "", ...main] = peneiraCommand();
  const where = ["--snapshot", join(folder, "served"), "--data-dir", state];
  const child = spawn(node, [...main, "serve", ...where, "--listen", "127.0.0.1:0"], {
    env: { ...process.env, PENEIRA_LOG_LEVEL: "warn" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  const base = await new Promise<string>((resolve) => {
    child.stderr?.on("data", (part: Buffer) => {
      text += part;
      const found = /^listening on (\S+)$/m.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  return { child, base, key: /pnr_[0-9a-f_]+/.exec(text)?.[0] ?? "", state };
}

async function post(base: string, key: string, path: string, body: object): Promise<unknown> {
  const answer = await fetch(base + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (answer.status === 503) {
    // The server was too busy. Send the request again after a second.
    await answer.arrayBuffer();
    refused++;
    await sleep(1_000);
    return post(base, key, path, body);
  }
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** Number of requests that the server refused as busy. If there are any, publish no figures. */
let refused = 0;

/** Returns a query for two states, two activities, or a state and an activity, in turn. */
function specOf(n: number): object {
  const at = Math.floor(n / 3);
  if (n % 3 === 0) return { filters: { geo: { uf_any_of: pairOf(STATES, at) } } };
  if (n % 3 === 1) return { filters: { industry: { cnae_any_of: pairOf(ACTIVITIES, at) } } };
  const geo = { uf_any_of: [STATES[at % STATES.length]] };
  const activity = ACTIVITIES[Math.floor(at / STATES.length) % ACTIVITIES.length];
  return { filters: { geo, industry: { cnae_any_of: [activity] } } };
}

/** Returns a pair of different values; the 351 pairs of 27 values have the numbers 0 to 350. */
function pairOf(values: readonly string[], number: number): (string | undefined)[] {
  const half = (values.length - 1) / 2;
  const [distance, at] = [1 + (number % half), Math.floor(number / half) % values.length];
  return [values[at], values[(at + distance) % values.length]];
}

async function save(served: Served, searches: number): Promise<void> {
  // All keys are created first. The command that creates one blocks this process, and the server
  // closes idle connections in that time.
  const tenants = Math.ceil(searches / PER_TENANT);
  const keys = Array.from({ length: tenants }, (_, at) => keyOf(served, `tenant${at}`));
  for (let n = 0; n < searches; n++) {
    const key = keys[Math.floor(n / PER_TENANT)] as string;
    await post(served.base, key, "/v1/searches", { name: `search ${n}`, spec: specOf(n) });
  }
}

function keyOf({ state }: Served, tenant: string): string {
  const made = ["key", "create", "--data-dir", state, "--tenant", tenant, "--json"];
  return (JSON.parse(peneira(...made, "--plan", "enterprise")) as { key: string }).key;
}

/** Sends searches until `ended` resolves to true. Returns their p99 in milliseconds. */
async function p99({ base, key }: Served, ended: () => Promise<boolean>): Promise<number> {
  const took: number[] = [];
  for (let n = 0; !(await ended()); n++) {
    for (let turn = 0; turn < 20; turn++) {
      const began = performance.now();
      await post(base, key, "/v1/accounts/search", { spec: specOf(n * 20 + turn + 1), limit: 50 });
      took.push(performance.now() - began);
    }
  }
  took.sort((a, b) => a - b);
  return took[Math.floor(took.length * 0.99)] as number;
}

async function countedBy({ base, key }: Served): Promise<number> {
  const answer = await fetch(`${base}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  return Number(/peneira_notices\{state="counted"\} (\d+)/.exec(await answer.text())?.[1] ?? 0);
}

function anonymousMb({ child }: Served): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}

/** Returns the processor time of a server and its threads in seconds. */
function processorSeconds({ child }: Served): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/**
 * Adds the file of a new month to a running server that has `searches` saved searches, measures the
 * effect, and prints it.
 */
export async function benchNotices(accounts: number, searches: number): Promise<void> {
  const corpus = makeCorpus(accounts);
  const newer = laterMonth(corpus);
  const folder = mkdtempSync(join(corpus.folder, "notices-"));
  try {
    mkdirSync(join(folder, "served"));
    linkSync(corpus.snapshot, join(folder, "served", "2026-10.peneira"));
    const served = await serve(folder);
    await save(served, searches);
    const idleUntil = performance.now() + IDLE_MS;
    const idleFrom = processorSeconds(served);
    const before = await p99(served, () => Promise.resolve(performance.now() > idleUntil));
    const memory = anonymousMb(served);
    const countedFrom = processorSeconds(served);
    linkSync(newer, join(folder, "served", "2026-11.peneira"));
    const began = performance.now();
    let most = memory;
    const meanwhile = await p99(served, async () => {
      most = Math.max(most, anonymousMb(served));
      return (await countedBy(served)) === searches;
    });
    const used = processorSeconds(served) - countedFrom;
    const seconds = (performance.now() - began) / 1000;
    served.child.kill("SIGTERM");
    await sleep(1_000);
    const memoryText = `${memory.toFixed(0)} MB before, at most ${most.toFixed(0)} MB`;
    process.stdout.write(
      `${searches} searches, ${accounts} accounts\n` +
        `counted within ${seconds.toFixed(1)} s of the new file\n` +
        `p99 of a search: ${before.toFixed(2)} ms before, ${meanwhile.toFixed(2)} ms meanwhile, ` +
        `${(meanwhile / before).toFixed(2)} times\n` +
        `processor time of the server: ${(countedFrom - idleFrom).toFixed(1)} s in ` +
        `${IDLE_MS / 1000} s before, ${used.toFixed(1)} s meanwhile\n` +
        `anonymous memory: ${memoryText}\n` +
        `requests refused because the machine was busy: ${refused}\n` +
        `load average: ${loadavg().map((one) => one.toFixed(1))} on ${cpus().length} processors\n`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
