/**
 * Measures every operation of the product at the size of the registry. Input: a number of accounts.
 * Output: one table of the costs of sample, import, start, queries, exports, the snapshot, and two
 * months, next to the targets for 72 million accounts.
 * Corpus model: `peneira sample` with the seed of all corpora; the second month is made with
 * `--since` from the first. Rates are relative to `/healthz`, because machines differ.
 * Command: npm run bench -- scale [--accounts 200000] [--work FOLDER] [--starts 3] [--seconds 5]
 *   [--months 2] [--keep] [--snapshot FILE] [--seed N]. Needs Linux and wrk. One month needs a
 *   quarter less space; an existing snapshot is only measured.
 * Invariant: it prints the needed disk space, and refuses to start with less. It removes its files
 * at the end, except with `--keep`. The table shows the worst rows as well as the best.
 */
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openSegment } from "../src/search/segment.ts";
import type { Latencies } from "./load/server.ts";
import { seedLine, seedOf } from "./questions/traffic.ts";
import {
  checkRoom,
  compareMonths,
  diskSpeed,
  type ExportMade,
  exportState,
  largestState,
  type MonthMade,
  makeMonth,
  snapshotBytes,
} from "./scale/scale-files.ts";
import {
  type Loaded,
  measureExpensive,
  measureService,
  timeKinds,
  timeStarts,
} from "./scale/scale-service.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "200000" },
    work: { type: "string" },
    starts: { type: "string", default: "3" },
    seconds: { type: "string", default: "5" },
    months: { type: "string", default: "2" },
    keep: { type: "boolean", default: false },
    snapshot: { type: "string" },
    /** Seed of another run, to repeat its queries. */
    seed: { type: "string" },
  },
});
const seed = seedOf(values.seed);
process.stdout.write(seedLine(seed));
const CACHE = fileURLToPath(new URL("../.cache/bench/scale", import.meta.url));
/** The executable, which is also measured if `node build.mjs executable` made it. */
const EXECUTABLE = fileURLToPath(new URL("../dist/peneira", import.meta.url));
const given = values.snapshot === undefined ? null : await openSegment(values.snapshot);
const accounts = given?.accounts ?? Number(values.accounts);
given?.close();
const folder = join(values.work ?? CACHE, given === null ? String(accounts) : "given");

type Row = readonly [what: string, measured: string, aim: string];
const rows: Row[] = [];
const began = performance.now();

function row(what: string, measured: string, aim: string): void {
  rows.push([what, measured, aim]);
  process.stderr.write(`${what}: ${measured}\n`);
}

function step(name: string): void {
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  process.stderr.write(`\n[${minutes} min] ${name}\n`);
}

const whole = (value: number) => Math.round(value).toLocaleString("en");
const ms = (value: number) =>
  value < 1000 ? `${value.toPrecision(3)} ms` : `${(value / 1000).toPrecision(3)} s`;
const gb = (bytes: number) => `${(bytes / 1e9).toPrecision(3)} GB`;
const mb = (bytes: number) => `${(bytes / 1e6).toPrecision(3)} MB`;

function rowsOfMonth(
  name: string,
  { snapshot, sample, dumpBytes, import: imported }: MonthMade,
): void {
  const rate = `${whole(accounts / sample.seconds)}/s`;
  const made = `${rate}, ${sample.processor.toFixed(1)} processor s, zips of ${gb(dumpBytes)}`;
  row(`${name}: sample, establishments`, made, "≥ 400,000/s");
  const took = `${imported.seconds.toFixed(1)} s, ${imported.processor.toFixed(1)} processor s`;
  row(`${name}: import`, took, "≤ 240 s, ≤ 420 processor s");
  const memory = mb(imported.anonymousBytes);
  row(`${name}: import, anonymous memory`, memory, "≤ 1,500 MB");
  const share = (imported.workBytes / statSync(snapshot).size).toFixed(2);
  const work = `${gb(imported.workBytes)}, ${share} × the snapshot`;
  row(`${name}: import, workspace`, work, "≤ 1.2 × the snapshot");
  const moved = `${gb(imported.readBytes)} read, ${gb(imported.writtenBytes)} written`;
  row(`${name}: import, from and to the disk`, moved, "");
  const room = gb(imported.roomBytes + dumpBytes);
  row(`${name}: dump, workspace and snapshot at once`, room, "");
}

function rowOfLoad(name: string, { perSecond, share, us }: Loaded, aim: string): void {
  const processor = `${us.toFixed(1)} µs of processor`;
  const shown = `${whole(perSecond)}/s, ${share.toFixed(3)} of healthz, ${processor}`;
  row(name, shown, aim);
}

async function rowsOfStarts(snapshot: string): Promise<void> {
  await rowsOfProgram(snapshot, "start", undefined);
  if (existsSync(EXECUTABLE)) await rowsOfProgram(snapshot, "the executable", EXECUTABLE);
  for (const { name, ms: first, bytes, againMs } of await timeKinds(snapshot)) {
    const again = `${ms(againMs)} again`;
    row(`first question, cold: ${name}`, `${ms(first)}, ${mb(bytes)}; ${again}`, "≤ 50 ms");
  }
}

async function rowsOfProgram(snapshot: string, name: string, main?: string): Promise<void> {
  const times = Number(values.starts);
  const warm = await timeStarts(snapshot, { where: "in memory", times, main });
  row(`${name} to first answer, file in memory`, ms(warm.ms), "≤ 350 ms");
  const cold = await timeStarts(snapshot, { where: "evicted", times, main });
  row(`${name} to first answer, evicted`, `${ms(cold.ms)}, ${mb(cold.bytes)}`, "≤ 1 s, ≤ 200 MB");
}

async function rowsOfService(snapshot: string): Promise<void> {
  const served = await measureService(snapshot, { seconds: Number(values.seconds), seed });
  const { one, different, fresh } = served.loads;
  row("healthz", `${whole(served.healthz)}/s`, "");
  rowOfLoad("repeated question", one, "≥ 25,000/s, 0.45 of healthz");
  rowOfLoad("300 different questions", different, "≥ 15,000/s, 0.27 of healthz");
  rowOfLoad("questions never asked before", fresh, "≥ 5,000/s, 0.09 of healthz");
  const times = ({ p50, p99 }: Latencies) => `${ms(p50)} / ${ms(p99)}`;
  row("one connection, /healthz, p50 / p99", times(served.bare), "");
  row("one connection, p50 / p99", times(served.narrow), "≤ 0.15 / 1 ms");
  const memory = `${served.anonymousMb.toFixed(0)} MB`;
  row("anonymous memory after the load", memory, "≤ 120 MB");
  const { postal, facets, stall, idleStall } = await measureExpensive(snapshot);
  row("postal code prefix", ms(postal), "≤ 2 ms");
  row("facets by municipality, broad", ms(facets), "≤ 10 ms");
  row("… the longest wait for /healthz meanwhile", ms(stall), "≤ 5 ms of the loop");
  row("… and with nothing asked for", ms(idleStall), "");
}

async function rowsOfExports(snapshot: string): Promise<void> {
  const segment = await openSegment(snapshot);
  const uf = largestState(segment);
  const rate = ({ rows: count, bytes, seconds }: ExportMade) =>
    `${whole(count / seconds)} rows/s of ${whole(count)} (${uf}), ${mb(bytes / seconds)}/s`;
  const csv = await exportState(segment, folder, ["csv", uf]);
  row("CSV, ten columns", rate(csv), "≥ 2,500,000 rows/s");
  const parquet = await exportState(segment, folder, ["parquet", uf]);
  row("Parquet, ten columns", rate(parquet), "≥ 1,200,000 rows/s");
  segment.close();
  const { all, index } = snapshotBytes(snapshot);
  const shown = `${gb(all)} (columns ${gb(all - index)}, index ${gb(index)})`;
  row("snapshot", shown, "≤ 15 GB");
}

async function rowsOfChanges(first: MonthMade): Promise<void> {
  step("the second month");
  const second = await makeMonth(folder, accounts, 1);
  rowsOfMonth("second month", second);
  step("what changed");
  const { seconds, entries } = await compareMonths([first.snapshot, second.snapshot], folder);
  row("changes between both months", `${seconds.toFixed(2)} s, ${whole(entries)} accounts`, "");
}

function table(): string {
  const columns = `| at ${whole(accounts)} accounts | measured | aim at 72 million |`;
  const head = `Without the memory of answers.\n\n${columns}\n|---|--:|--:|\n`;
  return `${head}${rows.map((cells) => `| ${cells.join(" | ")} |\n`).join("")}`;
}

const months = Number(values.months);
async function rowsOfSnapshot(snapshot: string): Promise<void> {
  step("starts");
  await rowsOfStarts(snapshot);
  step("a server under load");
  await rowsOfService(snapshot);
  step("exports");
  await rowsOfExports(snapshot);
}

async function rowsOfAll(): Promise<void> {
  step("the first month");
  const first = await makeMonth(folder, accounts, 0);
  rowsOfMonth("first month", first);
  await rowsOfSnapshot(first.snapshot);
  if (months > 1) await rowsOfChanges(first);
}

if (given === null) checkRoom(folder, accounts, months);
else mkdirSync(folder, { recursive: true });
try {
  row("the disk, one plain file", `${mb(diskSpeed(folder))}/s written`, "");
  if (values.snapshot === undefined) await rowsOfAll();
  else await rowsOfSnapshot(values.snapshot);
  const machine = `${cpus().length} processors, Node ${process.version}`;
  process.stdout.write(`\n${machine}\n\n${table()}`);
} finally {
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
}
