/**
 * Exports, against DuckDB's `COPY` of the same rows and columns in the same run.
 * Command: `npm run bench -- export [--accounts 1000000] [--rounds 3] [--formats csv,csv.zst]`.
 * Output: rows and bytes per second on one rendering thread and on all processors, as ratios
 * against DuckDB on as many threads. (A second thread of Peneira hashes and writes the file.) The
 * benchmark also prints:
 * - microseconds of processor time per row on all threads
 * - file sizes, and peak anonymous memory by format and number of rows
 * - the speed at which the disk writes a plain file of the same size, right after each export
 * - the latency of a search with no export and with two exports running
 * Invariant: both engines write every byte to the same disk, with ten columns in the stored order,
 * Parquet with the same compression. Peneira ends with fsync and a SHA-256, DuckDB does not. The
 * plain file ends with fsync too. The CSV files of all rows are compared cell by cell. A difference
 * ends the run without figures.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { renderExport } from "../src/export/render.ts";
import { openSegment, type Segment } from "../src/search/segment.ts";
import { OUTPUT_FIELD_NAMES, UFS } from "../src/spec/fields.ts";
import { normalizeSpec } from "../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../src/spec/schema.ts";
import { searchUnderExports } from "./load/export-load.ts";
import { formatRatio, formatUs } from "./measure.ts";
import { type Corpus, makeCorpus, peneiraCommand } from "./questions/corpus.ts";
import { diskSpeed } from "./scale/scale-files.ts";

const FIELDS = [
  "cnpj",
  "legal_name",
  "trade_name",
  "uf",
  "municipality_name",
  "cnae_primary",
  "started_on",
  "email",
  "phone_1",
  "share_capital",
] as const;

/** A format, followed by `.gz` or `.zst` if the file is compressed. */
type Kind = string;

const FORMATS = "csv,csv.gz,csv.zst,jsonl,jsonl.gz,jsonl.zst,parquet,html,xlsx";

/** The name of each compression, by the suffix that follows the format. */
const PACKED: Readonly<Record<string, string>> = { gz: "gzip", zst: "zstd" };

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "3" },
    formats: { type: "string", default: FORMATS },
  },
});
const rounds = Number(values.rounds);
const corpus = makeCorpus(Number(values.accounts));
const folder = mkdtempSync(join(tmpdir(), "peneira-bench-"));
const out: string[] = [];

/** Selects every row of the corpus by naming all its states, so that the query is not too broad. */
function specOf(segment: Segment, kind: Kind, limit: number): AccountQuerySpec {
  const [format, packed] = kind.split(".");
  const compression = packed === undefined ? "none" : PACKED[packed];
  const input = { filters: { geo: { uf_any_of: UFS } } };
  return normalizeSpec(input, {
    catalog: segment.catalog,
    limitDefault: limit,
    limitCap: 1_000_000_000,
    bodyOutput: { format, compression, fields: FIELDS },
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: FIELDS,
    mode: "export",
    fullAllowed: true,
  }).spec;
}

/**
 * Seconds of the best and of the median round, processor seconds of the best round, and the size of
 * the output.
 */
interface Run {
  readonly median: number;
  readonly best: number;
  readonly processor: number;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Each round writes a new file, because overwriting a file would spare DuckDB the new pages that
 * Peneira's file needs.
 */
async function timed(
  path: string,
  work: () => Promise<{ rows: number; bytes: number }>,
): Promise<Run> {
  const seconds: number[] = [];
  let processor = Number.POSITIVE_INFINITY;
  let done = { rows: 0, bytes: 0 };
  for (let round = 0; round < rounds; round++) {
    rmSync(path, { force: true });
    const start = performance.now();
    const before = process.cpuUsage();
    done = await work();
    const { user, system } = process.cpuUsage(before);
    seconds.push((performance.now() - start) / 1000);
    processor = Math.min(processor, (user + system) / 1e6);
  }
  seconds.sort((a, b) => a - b);
  return {
    median: seconds[Math.floor(rounds / 2)] as number,
    best: seconds[0] as number,
    processor,
    ...done,
  };
}

/**
 * Exports with Peneira. Uses one thread, or all processors if `isHelped` is true, as a server does
 * while it answers no searches.
 */
function ours(format: Kind, limit: number, isHelped: boolean): Promise<Run> {
  const path = join(folder, `ours.${format}`);
  const spec = specOf(segment, format, limit);
  const job = { segment, spec, path, ...(isHelped ? { spare: () => true } : {}) };
  return timed(path, async () => {
    const { rowCount, sizeBytes } = await renderExport(job);
    return { rows: rowCount, bytes: sizeBytes };
  });
}

/** DuckDB's options for each format of Peneira. A format that DuckDB lacks is missing. */
const COPY_OPTIONS: Readonly<Record<Kind, string>> = {
  csv: "FORMAT csv, HEADER",
  "csv.gz": "FORMAT csv, HEADER, COMPRESSION gzip",
  "csv.zst": "FORMAT csv, HEADER, COMPRESSION zstd",
  jsonl: "FORMAT json",
  "jsonl.gz": "FORMAT json, COMPRESSION gzip",
  "jsonl.zst": "FORMAT json, COMPRESSION zstd",
  parquet: "FORMAT parquet, COMPRESSION snappy",
};

/** Exports with DuckDB, in the same order of rows, on the given number of threads. */
async function duckCopy(format: Kind, limit: number, threads: number): Promise<Run | null> {
  if (!(format in COPY_OPTIONS)) return null;
  await duck.run(`SET threads = ${threads}`);
  const path = join(folder, `duck.${format}`);
  const rows = Math.min(limit, corpus.accounts);
  const limited = limit < corpus.accounts ? ` LIMIT ${limit}` : "";
  const query = `SELECT ${FIELDS.join(", ")} FROM accounts${limited}`;
  return timed(path, async () => {
    await duck.run(`COPY (${query}) TO '${path}' (${COPY_OPTIONS[format]})`);
    return { rows, bytes: statSync(path).size };
  });
}

/** Opens DuckDB with a table of the ten columns in `FIELDS`, in rank order. */
async function openDuck(segment: Segment, { folder: home }: Corpus): Promise<DuckDBConnection> {
  const path = join(home, "rival-export.duckdb");
  if (!existsSync(path)) {
    process.stderr.write("making the DuckDB table\n");
    const parquet = join(folder, "rows.parquet");
    const spec = specOf(segment, "parquet", corpus.accounts);
    await renderExport({ segment, spec, path: parquet });
    const instance = await DuckDBInstance.create(path, { threads: "1" });
    const connection = await instance.connect();
    await connection.run(`CREATE TABLE accounts AS SELECT * FROM read_parquet('${parquet}')`);
    await connection.run("CHECKPOINT");
    connection.closeSync();
    instance.closeSync();
    rmSync(parquet);
  }
  return (await DuckDBInstance.create(path, { threads: "1" })).connect();
}

/** Reads both CSV files with DuckDB and compares them cell by cell and in order. */
async function compare(duck: DuckDBConnection): Promise<void> {
  const read = (name: string) => {
    const source = `read_csv('${join(folder, name)}', all_varchar=true)`;
    return `(SELECT row_number() OVER () AS n, * FROM ${source})`;
  };
  const cells = (side: string) =>
    // Peneira writes amounts as JSON does and guards formulas. Both are undone for the comparison.
    FIELDS.map((name) =>
      name === "share_capital"
        ? `${side}.${name}::DOUBLE`
        : `coalesce(regexp_replace(${side}.${name}, '^''([=+@\t\r-])', '\\1'), '')`,
    ).join(", ");
  const result = await duck.runAndReadAll(
    `SELECT count(*)::INTEGER AS n, count(*) FILTER (WHERE (${cells("a")}) IS DISTINCT FROM
      (${cells("b")}))::INTEGER AS wrong
     FROM ${read("ours.csv")} a FULL JOIN ${read("duck.csv")} b USING (n)`,
  );
  const [row] = result.getRowObjects() as { n: number; wrong: number }[];
  if (row?.n !== corpus.accounts || row.wrong !== 0) {
    throw new Error(`the CSV files differ: ${row?.wrong} of ${row?.n} rows`);
  }
}

/** Returns the peak anonymous memory, in MB, of a whole process that renders one file. */
async function peakMemory(kind: Kind, limit: number): Promise<number> {
  const spec = join(folder, "spec.json");
  writeFileSync(spec, JSON.stringify(specOf(segment, kind, limit)));
  const [node, main] = peneiraCommand() as [string, string];
  const file = ["--out", join(folder, `memory.${kind}`), "--force"];
  const child = spawn(
    node,
    [main, "export", "--snapshot", corpus.snapshot, "--spec", spec, ...file],
    { stdio: "ignore" },
  );
  let peak = 0;
  const watch = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      peak = Math.max(peak, Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    } catch {
      // The process ended between two samples.
    }
  }, 20);
  const code = await new Promise((resolve) => child.once("exit", resolve));
  clearInterval(watch);
  if (code !== 0) throw new Error(`peneira export ended with ${code}`);
  return peak;
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB/s`;

/** Returns the rates, the processor time, and the ratio to DuckDB's rate. */
function compared(mine: Run, theirs: Run | null): string {
  const rate = (run: Run) => `${Math.round(run.rows / run.median).toLocaleString("en")}/s`;
  return [
    rate(mine).padStart(12),
    megabytes(mine.bytes / mine.median).padStart(9),
    `${((mine.processor / mine.rows) * 1e6).toFixed(2)} µs`.padStart(8),
    theirs === null
      ? "-"
      : `${rate(theirs).padStart(12)} ${formatRatio(theirs.median, mine.median)}`,
  ].join("  ");
}

async function row(format: Kind, limit: number): Promise<void> {
  const alone = await ours(format, limit, false);
  const duckAlone = await duckCopy(format, limit, 1);
  if (format === "csv" && limit >= corpus.accounts) await compare(duck);
  const helped = await ours(format, limit, true);
  const disk = diskSpeed(folder, helped.bytes);
  const duckHelped = await duckCopy(format, limit, availableParallelism());
  const memory = await peakMemory(format, limit);
  out.push(
    [
      format.padEnd(8),
      alone.rows.toLocaleString("en").padStart(10),
      `${(alone.bytes / 2 ** 20).toFixed(1)} MiB`.padStart(11),
      `${formatUs(alone.median * 1e6)} (best ${formatUs(alone.best * 1e6)})`.padStart(26),
      compared(alone, duckAlone),
      `${memory.toFixed(0)} MB`.padStart(8),
      `| all processors: ${compared(helped, duckHelped)}`,
      `| the disk: ${megabytes(disk)}`,
    ].join("  "),
  );
  process.stderr.write(`${out.at(-1)}\n`);
}

const segment = await openSegment(corpus.snapshot);
const duck = await openDuck(segment, corpus);
out.push(
  "format         rows         size          median (best) time     our rows  our bytes" +
    "  processor  DuckDB  peak anon  | the same on all processors  | a plain file as long",
);
/** Numbers of rows to write in each format. HTML and XLSX files cannot hold more. */
const SIZES: Readonly<Record<string, readonly number[]>> = {
  csv: [1_000, 1_000_000, corpus.accounts],
  "csv.gz": [1_000_000, corpus.accounts],
  "csv.zst": [1_000_000, corpus.accounts],
  jsonl: [1_000, 1_000_000, corpus.accounts],
  "jsonl.gz": [1_000_000, corpus.accounts],
  "jsonl.zst": [1_000_000, corpus.accounts],
  parquet: [1_000, 1_000_000, corpus.accounts],
  html: [1_000, 100_000],
  xlsx: [1_000, 1_000_000],
};
for (const format of values.formats.split(",")) {
  const limits = SIZES[format]?.map((limit) => Math.min(limit, corpus.accounts));
  for (const limit of new Set(limits)) await row(format, limit);
}
segment.close();
duck.closeSync();
out.push(...(await searchUnderExports(corpus.snapshot, FIELDS)));
rmSync(folder, { recursive: true });
process.stdout.write(`${out.join("\n")}\n`);
