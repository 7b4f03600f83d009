/**
 * Enrichment of a CSV file, against DuckDB's join of the same file in the same run.
 * Command: `npm run bench -- enrich [--accounts 1000000] [--rows 200000] [--rounds 3]`. With
 * `--snapshot FILE` the accounts are those of that snapshot, and DuckDB is left out unless `--rival
 * FILE` names its database, which is created if missing.
 * Output: seconds, rows per second, and microseconds of processor per row of both, on one thread
 * and on all processors, as ratios; the time of a batched look-up, cold and warm; peak anonymous
 * memory of the command.
 * Invariant: both read the same unordered file of plain CNPJs, one in ten of them unknown. Both
 * write a file with a status and ten columns; ours ends with fsync and a SHA-256, DuckDB's does
 * not, so DuckDB is also timed with an fsync of its file. The two files are compared cell by cell;
 * a difference ends the run without figures.
 */
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { enrichFile } from "../src/export/enrichment/enrichment.ts";
import { writeWhole } from "../src/export/files/sink.ts";
import { renderExport } from "../src/export/render.ts";
import { openSegment, type Segment } from "../src/search/segment.ts";
import { UFS } from "../src/spec/fields.ts";
import { normalizeSpec } from "../src/spec/normalize.ts";
import { formatRatio } from "./measure.ts";
import { type Corpus, makeCorpus, peneiraCommand } from "./questions/corpus.ts";

const FIELDS = [
  ...(["legal_name", "trade_name", "registration_status", "company_size_code"] as const),
  ...(["cnae_primary", "municipality_name", "uf", "email", "phone_1", "started_on"] as const),
];

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    snapshot: { type: "string" },
    rival: { type: "string" },
    rows: { type: "string", default: "200000" },
    rounds: { type: "string", default: "3" },
  },
});
const rounds = Number(values.rounds);
const rowCount = Number(values.rows);
const corpus = values.snapshot === undefined ? makeCorpus(Number(values.accounts)) : null;
const snapshot = values.snapshot ?? (corpus as Corpus).snapshot;
const table = values.rival ?? (corpus && join(corpus.folder, "rival-enrich.duckdb"));
const folder = mkdtempSync(join(tmpdir(), "peneira-bench-"));
const sent = join(folder, "sent.csv");

/**
 * Writes the corpus's CNPJs in a scattered order. The step between rows is coprime to their number,
 * so each row occurs once.
 */
function writeSent(segment: Segment): void {
  const rows = Uint32Array.from({ length: rowCount }, (_, at) => {
    return (at * 7_919_993) % segment.accounts;
  });
  const pieces: string[] = ["id;cnpj;nome\r\n"];
  for (let from = 0; from < rowCount; from += 50_000) {
    const text = segment.native.renderJson(rows.subarray(from, from + 50_000), ["cnpj"]);
    const accounts = JSON.parse(Buffer.from(text).toString()) as { readonly cnpj: string }[];
    accounts.forEach(({ cnpj }, at) => {
      // No establishment has the branch 9999, so this CNPJ is unknown.
      const known = (from + at) % 10 === 0 ? `${cnpj.slice(0, 8)}9999${cnpj.slice(12)}` : cnpj;
      pieces.push(`${from + at};${known};Fornecedor ${from + at}\r\n`);
    });
  }
  writeFileSync(sent, pieces.join(""));
}

/**
 * Seconds of the median round and of the best round, and the processor seconds of the best round.
 */
interface Run {
  readonly median: number;
  readonly best: number;
  readonly processor: number;
}

/** Runs of DuckDB, without and with an fsync of its file. */
interface Rival {
  readonly plain: Run;
  readonly synced: Run;
}

async function timed(path: string, work: () => Promise<unknown>): Promise<Run> {
  const seconds: number[] = [];
  let processor = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    rmSync(path, { force: true });
    const start = performance.now();
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    seconds.push((performance.now() - start) / 1000);
    processor = Math.min(processor, (user + system) / 1e6);
  }
  seconds.sort((a, b) => a - b);
  const median = seconds[Math.floor(rounds / 2)] as number;
  return { median, best: seconds[0] as number, processor };
}

function ours(segment: Segment, isHelped: boolean): Promise<Run> {
  const path = join(folder, "ours.csv");
  const work = {
    ...{ segment, path: sent },
    options: { fields: FIELDS, labels: null, column: undefined, fillZeros: false },
    onProgress: () => {},
    onFound: () => {},
    checkCancelled: () => {},
    spare: () => isHelped,
  };
  return timed(path, () => writeWhole(path, (write) => enrichFile({ ...work, write })));
}

/** Times the join in DuckDB, with or without an fsync of its file. */
async function theirs(duck: DuckDBConnection, threads: number, isSynced = false): Promise<Run> {
  await duck.run(`SET threads = ${threads}`);
  const path = join(folder, "duck.csv");
  const columns = FIELDS.map((field) => `a.${field}`).join(", ");
  const query =
    `SELECT f.*, CASE WHEN a.cnpj IS NULL THEN 'not_in_snapshot' ELSE 'found' END AS status, ` +
    `${columns} FROM read_csv('${sent}', delim=';', all_varchar=true) f ` +
    "LEFT JOIN accounts a USING (cnpj)";
  return timed(path, async () => {
    await duck.run(`COPY (${query}) TO '${path}' (FORMAT csv, HEADER, DELIM ';')`);
    if (isSynced) syncFile(path);
  });
}

function syncFile(path: string): void {
  const descriptor = fs.openSync(path, "r+");
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

/** Opens DuckDB with a table of the columns. */
async function openDuck(segment: Segment, path: string): Promise<DuckDBConnection> {
  if (!existsSync(path)) {
    process.stderr.write("making the DuckDB table\n");
    const parquet = join(folder, "rows.parquet");
    const { spec } = normalizeSpec(
      { filters: { geo: { uf_any_of: UFS } } },
      {
        catalog: segment.catalog,
        limitDefault: segment.accounts,
        limitCap: 1_000_000_000,
        bodyOutput: { format: "parquet", fields: ["cnpj", ...FIELDS] },
        allowedFields: ["cnpj", ...FIELDS],
        defaultFields: ["cnpj"],
        mode: "export",
        fullAllowed: true,
      },
    );
    await renderExport({ segment, spec, path: parquet });
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run(`CREATE TABLE accounts AS SELECT * FROM read_parquet('${parquet}')`);
    await connection.run("CHECKPOINT");
    connection.closeSync();
    instance.closeSync();
    rmSync(parquet);
  }
  return (await DuckDBInstance.create(path)).connect();
}

/** Compares both files cell by cell. Rows are matched by the first column. */
async function compare(duck: DuckDBConnection): Promise<void> {
  const read = (name: string) =>
    `read_csv('${join(folder, name)}', delim=';', all_varchar=true, header=true)`;
  // Two differences are allowed. Peneira protects cells that a spreadsheet would run as formulas,
  // and rejects values with wrong check digits.
  const cells = (side: string) =>
    FIELDS.map((name) => {
      return `coalesce(regexp_replace(${side}.${name}, '^''([=+@\\-])', '\\1'), '')`;
    }).join(", ");
  const result = await duck.runAndReadAll(
    `SELECT count(*)::INTEGER AS n, count(*) FILTER (WHERE (${cells("a")}) IS DISTINCT FROM
      (${cells("b")}) OR (a.enrichment_status = 'found') <> (b.status = 'found'))::INTEGER AS wrong
     FROM ${read("ours.csv")} a FULL JOIN ${read("duck.csv")} b USING (id)`,
  );
  const [row] = result.getRowObjects() as { n: number; wrong: number }[];
  if (row?.n !== rowCount || row.wrong !== 0) {
    throw new Error(`the files differ: ${row?.wrong} of ${row?.n} rows`);
  }
}

/** Returns the microseconds per look-up in batches of 8,192, from the best of `times` rounds. */
function lookUps(segment: Segment, times: number): number {
  const cells = readFileSync(sent, "latin1").split("\r\n").slice(1, -1);
  const keys = Buffer.from(cells.map((line) => line.split(";")[1]).join(""), "latin1");
  const batch = 8_192 * 14;
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < times; round++) {
    const start = performance.now();
    for (let at = 0; at < keys.length; at += batch) {
      segment.native.lookUp(keys.subarray(at, at + batch), null);
    }
    best = Math.min(best, performance.now() - start);
  }
  return (best * 1_000) / rowCount;
}

/** Returns the peak anonymous memory of the command in MB. */
async function peakMemory(): Promise<number> {
  const [node, main] = peneiraCommand() as [string, string];
  const out = ["--out", join(folder, "memory.csv"), "--force", "--fields", FIELDS.join(",")];
  const child = spawn(node, [main, "enrich", sent, "--snapshot", snapshot, ...out], {
    stdio: "ignore",
  });
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
  if (code !== 0) throw new Error(`peneira enrich ended with ${code}`);
  return peak;
}

function line(name: string, mine: Run, rival: Rival | null): string {
  const of = ({ median, best, processor }: Run) =>
    `${median.toFixed(2)} s (best ${best.toFixed(2)}), ` +
    `${Math.round(rowCount / median).toLocaleString("en")} rows/s, ` +
    `${((processor / rowCount) * 1e6).toFixed(2)} µs of processor a row`;
  if (rival === null) return `${name}: ours ${of(mine)}`;
  const { plain, synced } = rival;
  const ratios = [plain, synced].map((run) => formatRatio(run.median, mine.median));
  return (
    `${name}: ours ${of(mine)}; DuckDB ${of(plain)}; ${ratios[0]}; ` +
    `DuckDB with fsync ${of(synced)}; ${ratios[1]}`
  );
}

async function rivalRuns(duck: DuckDBConnection, threads: number): Promise<Rival> {
  return { plain: await theirs(duck, threads), synced: await theirs(duck, threads, true) };
}

const segment = await openSegment(snapshot);
writeSent(segment);
const cold = lookUps(segment, 1);
const duck = table === null ? null : await openDuck(segment, table);
const alone = { mine: await ours(segment, false), rival: duck && (await rivalRuns(duck, 1)) };
if (duck !== null) await compare(duck);
const processors = availableParallelism();
const all = { mine: await ours(segment, true), rival: duck && (await rivalRuns(duck, processors)) };
const out = [
  `${rowCount.toLocaleString("en")} rows, ${(statSync(sent).size / 2 ** 20).toFixed(1)} MiB, ` +
    `${segment.accounts.toLocaleString("en")} accounts, ${FIELDS.length} columns`,
  line("one thread", alone.mine, alone.rival),
  line(`${processors} processors`, all.mine, all.rival),
  `a look-up in a batch: ${cold.toFixed(2)} µs at first, ` +
    `${lookUps(segment, rounds).toFixed(2)} µs warm`,
  `peak anonymous memory of peneira enrich: ${(await peakMemory()).toFixed(0)} MB`,
];
segment.close();
duck?.closeSync();
rmSync(folder, { recursive: true });
process.stdout.write(`${out.join("\n")}\n`);
