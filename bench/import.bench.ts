/**
 * Speed of an import by pass: seconds, processor seconds of all threads, and MB a second of the
 * decompressed files of pass 1. The pass `count` counts shared e-mails and phones. For comparison,
 * the same files are only inflated, here and by `unzip -p` if installed, and the snapshot is copied
 * on the same disk. One more import by the built product shows its maximum memory and disk space.
 * It also shows how much of the time the index's optional parts take (see `npm run bench --
 * index`), and how many bytes the wider filters take (bench/questions/wider.ts).
 * Corpus model: `peneira sample`, seed 1. Each number is the median of the runs. On a busy machine,
 * processor seconds vary less than seconds.
 * Command: `npm run bench -- import [--accounts 1000000] [--runs 3] [--threads 2] [--dump folder]`.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { CheckedFile } from "../native-index/format/snapshot/checked-file.ts";
import { readParts } from "../native-index/format/snapshot/region.ts";
import { openSnapshot } from "../native-index/format/snapshot/snapshot.ts";
import { openDump, readMember } from "../src/dump/archive.ts";
import { writeSample } from "../src/dump/sample/release.ts";
import { importDump } from "../src/ingest/dump-import.ts";
import { watch } from "./load/watched.ts";
import { median } from "./measure.ts";
import { widerBytes } from "./questions/wider.ts";

const LABEL = "2026-10";

/** Cost of a pass. */
interface Cost {
  readonly seconds: number;
  /** Processor seconds, added over all threads. */
  readonly processor: number;
}

/** Starts a measurement. The function that it returns ends the measurement and returns the cost. */
function startCost(): () => Cost {
  const from = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { seconds: (performance.now() - from) / 1000, processor: (user + system) / 1e6 };
  };
}

/** Returns the files in the dump that pass 1 reads, and their size in bytes. */
async function scannedMembers(dump: string) {
  const { members } = await openDump(dump, LABEL);
  const types = ["empresas", "simples", "estabelecimentos"];
  const scanned = members.filter(({ type }) => types.includes(type));
  return { scanned, bytes: scanned.reduce((sum, member) => sum + member.bytes, 0) };
}

/** Inflates the members in sequence and discards the bytes. */
async function inflateAll(dump: string): Promise<Cost> {
  const { scanned } = await scannedMembers(dump);
  const end = startCost();
  for (const member of scanned) for await (const _ of readMember(member));
  return end();
}

/** Inflates all files of the dump by `unzip -p`. Returns null if it is not installed. */
async function unzipAll(dump: string): Promise<Cost | null> {
  const { scanned } = await scannedMembers(dump);
  const from = performance.now();
  const script = 'for file; do unzip -p "$file" > /dev/null || exit 1; done; times';
  const files = scanned.map(({ file }) => file);
  const { status, stdout } = spawnSync("sh", ["-c", script, "sh", ...files], { encoding: "utf8" });
  const seconds = (performance.now() - from) / 1000;
  // The second line of the output of `times` is for child processes: user and system time, such as
  // 1m2.34s.
  const reported = [...(stdout.split("\n")[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
  const processor = reported.reduce((sum, [, m, s]) => sum + 60 * Number(m) + Number(s), 0);
  return status === 0 ? { seconds, processor } : null;
}

/** Imports once; returns the cost of every pass and of the whole import. */
async function importOnce(dump: string, out: string, threads: number) {
  const costs = new Map<string, Cost>();
  const whole = startCost();
  const report = await importDump({
    ...{ source: dump, out, label: LABEL, keepCpf: false, threads },
    startStage: (label) => {
      const end = startCost();
      return { update: () => undefined, done: () => void costs.set(label, end()) };
    },
  });
  costs.set("all", whole());
  return { costs, accounts: report.accounts };
}

function line(name: string, costs: readonly Cost[], bytes: number): string {
  const seconds = median(costs.map((cost) => cost.seconds));
  const processor = median(costs.map((cost) => cost.processor));
  const rate = `${(bytes / 1e6 / seconds).toFixed(0)} MB/s`;
  const times = `${seconds.toFixed(2)} s  ${processor.toFixed(2)} processor s`;
  return `${name.padEnd(9)} ${times}  ${rate}\n`;
}

async function bench(dump: string, folder: string, runs: number, threads: number): Promise<void> {
  const { bytes } = await scannedMembers(dump);
  const out = path.join(folder, "bench.peneira");
  const inflating: Cost[] = [];
  const unzipping: Cost[] = [];
  const copying: Cost[] = [];
  const passes = new Map<string, Cost[]>();
  let accounts = 0;
  for (let run = 0; run < runs; run++) {
    inflating.push(await inflateAll(dump));
    const unzipped = await unzipAll(dump);
    if (unzipped !== null) unzipping.push(unzipped);
    const { costs, ...found } = await importOnce(dump, out, threads);
    accounts = found.accounts;
    for (const [name, cost] of costs) passes.set(name, [...(passes.get(name) ?? []), cost]);
    const end = startCost();
    copyFileSync(out, `${out}.copy`);
    copying.push(end());
  }
  const size = statSync(out).size;
  const checked = new CheckedFile(out);
  const parts = readParts(checked, (await openSnapshot(out)).sections);
  process.stdout.write(`${accounts} accounts, ${(bytes / 1e6).toFixed(0)} MB of three types\n`);
  process.stdout.write(line("inflate", inflating, bytes));
  if (unzipping.length > 0) process.stdout.write(line("unzip -p", unzipping, bytes));
  for (const [name, costs] of passes) process.stdout.write(line(name, costs, bytes));
  process.stdout.write(line("copy", copying, size));
  const most = await watch(["import", dump, "--out", out, "--label", LABEL], out);
  const megabytes = (of: number) => `${(of / 1e6).toFixed(0)} MB`;
  const share = (of: number) => `${megabytes(of)}, ${(of / size).toFixed(2)} x the snapshot`;
  process.stdout.write(`memory    ${megabytes(most.anonymousBytes)} anonymous at most\n`);
  process.stdout.write(`workspace ${share(most.workBytes)}\n`);
  process.stdout.write(`with the snapshot ${share(most.roomBytes)}\n`);
  for (const { name, length } of [{ name: "snapshot", length: size }, ...parts]) {
    const each = (length / accounts).toFixed(2);
    process.stdout.write(`${name.padEnd(9)} ${(length / 1e6).toFixed(1)} MB, ${each} an account\n`);
  }
  const wider = await widerBytes(out);
  const sum = wider.reduce((all, [, of]) => all + of, 0);
  for (const [name, of] of [...wider, ["all of the wider filters", sum] as const]) {
    process.stdout.write(`${name.padEnd(24)} ${(of / accounts).toFixed(2)} bytes an account\n`);
  }
}

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    runs: { type: "string", default: "3" },
    threads: { type: "string", default: "2" },
    dump: { type: "string" },
  },
});
const folder = mkdtempSync(path.join(tmpdir(), "peneira-bench-"));
try {
  const dump = values.dump ?? path.join(folder, LABEL);
  if (values.dump === undefined) {
    const establishments = Number(values.accounts);
    await writeSample({ folder: dump, establishments, seed: 1, label: LABEL });
  }
  await bench(dump, folder, Number(values.runs), Number(values.threads));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
