/**
 * Makes and measures the files of the scale benchmark: snapshots of two months, exports of the
 * largest state's accounts, and the list of changes between the months.
 * Invariant: nothing starts without enough disk space. A dump is removed right after its import.
 * Every export is a new file.
 */
import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { buildChangeList } from "../../src/changes/list.ts";
import { renderExport } from "../../src/export/render.ts";
import { facets } from "../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../src/search/segment.ts";
import { OUTPUT_FIELD_NAMES } from "../../src/spec/fields.ts";
import { normalizeSpec } from "../../src/spec/normalize.ts";
import { bytesOf, type Watched, watch } from "../load/watched.ts";
import { CORPUS_SEED, peneiraCommand } from "../questions/corpus.ts";

/** Maximum disk bytes per account of a dump, its snapshot, and the import's workspace together. */
const BYTES_PER_ACCOUNT = 870;
/** Bytes per account of the first month's snapshot, which is retained while the second is made. */
const BYTES_PER_STORED = 380;
const BYTES_AT_LEAST = 500e6;

const FIELDS = [
  ...["cnpj", "legal_name", "trade_name", "uf", "municipality_name"],
  ...["cnae_primary", "started_on", "email", "phone_1", "share_capital"],
] as const;

/** Months of the sample. */
const MONTHS = ["2026-10", "2026-11"] as const;

/** A month, and the snapshot made of it. */
export interface MonthMade {
  readonly snapshot: string;
  readonly sample: Watched;
  readonly dumpBytes: number;
  readonly import: Watched;
}

/** Prints the disk space that the benchmark needs. @throws Error if there is not enough. */
export function checkRoom(folder: string, accounts: number, months: number): void {
  mkdirSync(folder, { recursive: true });
  const perAccount = BYTES_PER_ACCOUNT + (months - 1) * BYTES_PER_STORED;
  const needed = BYTES_AT_LEAST + accounts * perAccount;
  const { bavail, bsize } = statfsSync(folder);
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  const line = `needs up to ${gigabytes(needed)} in ${folder}, ${gigabytes(bavail * bsize)} free`;
  if (bavail * bsize < needed) throw new Error(`the scale run ${line}; name another with --work`);
  process.stderr.write(`${line}\n`);
}

/**
 * Makes the snapshot of a month and measures `sample` and `import`. The second month applies a
 * month of changes to the first.
 */
export async function makeMonth(
  folder: string,
  accounts: number,
  which: 0 | 1,
): Promise<MonthMade> {
  const label = MONTHS[which];
  const dump = join(folder, label);
  const snapshot = join(folder, `${label}.peneira`);
  rmSync(dump, { recursive: true, force: true });
  const size = ["--establishments", String(accounts), "--seed", String(CORPUS_SEED)];
  const since = which === 0 ? [] : ["--since", MONTHS[0]];
  const sample = await watch(["sample", "--out", dump, ...size, "--label", label, ...since]);
  const dumpBytes = bytesOf(dump);
  const imported = await watch(["import", dump, "--out", snapshot, "--label", label], snapshot);
  rmSync(dump, { recursive: true, force: true });
  return { snapshot, sample, dumpBytes, import: imported };
}

/** Returns the bytes of a snapshot, and the bytes of its index. */
export function snapshotBytes(snapshot: string): { readonly all: number; readonly index: number } {
  const [node, main] = peneiraCommand() as [string, string];
  const reported = spawnSync(node, [main, "inspect", snapshot, "--json"], { encoding: "utf8" });
  const { sections } = JSON.parse(reported.stdout) as { sections: { bytes: number }[] };
  const index = sections.reduce((sum, { bytes }) => sum + bytes, 0);
  return { all: statSync(snapshot).size, index };
}

/** Size of the file that measures the speed of the disk, and bytes per write. */
const PROBE_BYTES = 2e9;
const PROBE_PIECE_BYTES = 4 << 20;

/** Returns the bytes per second with which a folder's disk writes and syncs one file. */
export function diskSpeed(folder: string, bytes = PROBE_BYTES): number {
  const path = join(folder, "probe");
  const piece = Buffer.alloc(PROBE_PIECE_BYTES, 0x5a);
  const file = openSync(path, "w");
  const began = performance.now();
  try {
    for (let written = 0; written < bytes; ) {
      written += writeSync(file, piece, 0, Math.min(piece.length, bytes - written));
    }
    fsyncSync(file);
    return (bytes * 1000) / (performance.now() - began);
  } finally {
    closeSync(file);
    rmSync(path);
  }
}

/** Measurements of an export. */
export interface ExportMade {
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** Returns the state with the most accounts. */
export function largestState(segment: Segment): string {
  const found = facets(segment, specOf(segment, {}, "csv"), ["uf"]);
  return String(found.uf?.values[0]?.value);
}

/** Writes a state's accounts in ten columns, on all processors, like the command line. */
export async function exportState(
  segment: Segment,
  folder: string,
  [format, uf]: readonly ["csv" | "parquet", string],
): Promise<ExportMade> {
  const path = join(folder, `state.${format}`);
  const spec = specOf(segment, { geo: { uf_any_of: [uf] } }, format);
  const began = performance.now();
  const { rowCount } = await renderExport({ segment, spec, path, spare: () => true });
  const seconds = (performance.now() - began) / 1000;
  const bytes = statSync(path).size;
  rmSync(path);
  return { rows: rowCount, bytes, seconds };
}

function specOf(segment: Segment, filters: object, format: "csv" | "parquet") {
  const input = { filters };
  return normalizeSpec(input, {
    ...{ catalog: segment.catalog, limitDefault: 1e9, limitCap: 1e9 },
    bodyOutput: { format, fields: FIELDS },
    ...{ allowedFields: OUTPUT_FIELD_NAMES, defaultFields: FIELDS },
    ...{ mode: "export" as const, fullAllowed: true },
  }).spec;
}

/** Returns the time to list the differences of two months, and how many there are. */
export async function compareMonths(
  [older, newer]: readonly [string, string],
  folder: string,
): Promise<{ readonly seconds: number; readonly entries: number }> {
  const path = join(folder, "months.changes");
  if (existsSync(path)) rmSync(path);
  const [before, after] = [await openSegment(older), await openSegment(newer)];
  const began = performance.now();
  const { entries } = await buildChangeList(before, after, path);
  const seconds = (performance.now() - began) / 1000;
  before.close();
  after.close();
  rmSync(path);
  return { seconds, entries };
}
