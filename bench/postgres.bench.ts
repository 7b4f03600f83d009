/**
 * Compares Peneira with PostgreSQL, the likely alternative, on the same rows. Output: load time and
 * disk space of both, and times of first pages with exact totals, totals alone, a deep page, other
 * orders, and a CSV export. Peneira is timed in this process and through HTTP, PostgreSQL over its
 * socket with prepared statements.
 * Corpus model: `peneira sample`, seed fixed (bench/questions/corpus.ts).
 * Command: npm run bench -- postgres [--accounts N]
 * Invariant: PostgreSQL has fitting indexes and fresh statistics. Every answer is compared before
 * it is timed. If PostgreSQL is not installed, the benchmark prints a message and ends.
 */
import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Client } from "pg";
import { renderExport } from "../src/export/render.ts";
import { openSegment, type Segment } from "../src/search/segment.ts";
import { latency, type RunningServer, startServer } from "./load/server.ts";
import { formatRatio, formatUs, measure, measureAsync, type Timing } from "./measure.ts";
import {
  answer,
  assertEqual,
  cnpjs,
  exportSpecOf,
  PAGE,
  picksOf,
  specOf,
} from "./questions/answers.ts";
import { makeCorpus } from "./questions/corpus.ts";
import {
  depthQuestion,
  type Picks,
  pageQuestions,
  type Question,
  sortQuestions,
  totalQuestions,
} from "./questions/questions.ts";
import { diskBytes, EXPORT_FIELDS, type Load, loadPostgres } from "./rivals/postgres-rows.ts";
import { postgresPrograms, postgresSettings, startPostgres } from "./rivals/postgres-server.ts";
import { openRivals, pageSql, totalSql } from "./rivals/rivals.ts";

const { values } = parseArgs({ options: { accounts: { type: "string", default: "1000000" } } });

interface Bench {
  readonly segment: Segment;
  readonly server: RunningServer;
  readonly client: Client;
}

/** One line of the table. The times are for a page together with its exact total. */
interface Line {
  readonly name: string;
  readonly matches: number;
  readonly ours: Timing;
  readonly http: Timing | null;
  readonly page: Timing | null;
  readonly total: Timing | null;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

let statements = 0;

/** Returns a function that runs a prepared statement, which the server plans once. */
function prepared(client: Client, text: string): () => Promise<unknown[][]> {
  const statement = { name: `s${statements++}`, text, rowMode: "array" as const };
  return async () => (await client.query(statement)).rows as unknown[][];
}

async function pageLine(bench: Bench, question: Question, after = -1): Promise<Line> {
  const { segment, server, client } = bench;
  const spec = specOf(segment, question);
  const ours = answer(segment, spec, after);
  const line = { name: question.name, matches: ours.total };
  const theirs = prepared(client, pageSql(question, "postgres", { after }));
  const found = (await theirs()).map(([cnpj]) => cnpj);
  assertEqual(question.name, cnpjs(ours.accounts), found);
  const counted = prepared(client, totalSql(question, "postgres"));
  assertEqual(question.name, ours.total, Number((await counted())[0]?.[0]));
  const body = JSON.stringify({ spec: { ...spec, limit: PAGE } });
  return {
    ...line,
    ours: measure(() => answer(segment, spec, after)),
    http: after < 0 ? await latency(server, body) : null,
    page: await measureAsync(theirs),
    total: await measureAsync(counted),
  };
}

async function totalLine({ segment, client }: Bench, question: Question): Promise<Line> {
  const { total, plan } = answer(segment, specOf(segment, question));
  const counted = prepared(client, totalSql(question, "postgres"));
  assertEqual(question.name, total, Number((await counted())[0]?.[0]));
  const ours = measure(() => {
    segment.native.dropCaches();
    return segment.native.count(plan.clauses);
  });
  const theirs = await measureAsync(counted);
  return { name: question.name, matches: total, ours, http: null, page: null, total: theirs };
}

/**
 * Measures first pages, totals, one deep page, and other orders. Returns one line for each query.
 */
async function searchLines(bench: Bench, picks: Picks): Promise<Line[]> {
  const lines: Line[] = [];
  const add = (line: Line) => {
    lines.push(line);
    process.stderr.write(`${line.name}\n`);
  };
  for (const question of pageQuestions(picks)) add(await pageLine(bench, question));
  for (const question of totalQuestions(picks)) add(await totalLine(bench, question));
  const deep = { ...depthQuestion(), name: "page at 90 % depth" };
  add(await pageLine(bench, deep, Math.floor(0.9 * bench.segment.accounts)));
  for (const question of sortQuestions(picks)) {
    if (question.alone !== true) add(await pageLine(bench, question));
  }
  return lines;
}

function printLines(lines: readonly Line[]): void {
  const names = ["matches", "Peneira", "through HTTP", "PostgreSQL page", "its total"];
  print(`\n| question | ${[...names, "(page + total) ÷ HTTP"].join(" | ")} |`);
  print(`|---|${"--:|".repeat(names.length + 1)}`);
  const time = (timing: Timing | null) => (timing === null ? "" : formatUs(timing.median));
  for (const { name, matches, ours, http, page, total } of lines) {
    const theirs = (page?.median ?? 0) + (total?.median ?? 0);
    const cells = [name, matches.toLocaleString("en"), time(ours), time(http), time(page)];
    // A ratio needs a time through HTTP, because a call in this process has no cost of transport.
    const ratio = http === null ? "" : formatRatio(theirs, http.median);
    print(`| ${[...cells, time(total), ratio].join(" | ")} |`);
  }
}

/**
 * Exports ten columns of a broad query as CSV, in rank order, with both engines. Both files are on
 * the same disk. Returns a line with the rates.
 */
async function exportLine({ segment, client }: Bench, folder: string): Promise<string> {
  const question = depthQuestion();
  const spec = exportSpecOf(segment, question, EXPORT_FIELDS);
  const path = `${folder}/ours.csv`;
  const { rowCount } = await renderExport({ segment, spec, path });
  const ours = await measureAsync(() => renderExport({ segment, spec, path }), { samples: 3 });
  const select = `SELECT ${EXPORT_FIELDS.join(", ")} FROM accounts WHERE ${question.where}`;
  const copy = `COPY (${select} ORDER BY rank) TO '${folder}/theirs.csv' CSV HEADER`;
  assertEqual("CSV", rowCount, (await client.query(copy)).rowCount);
  const theirs = await measureAsync(() => client.query(copy), { samples: 3 });
  const rate = (timing: Timing) => `${Math.round(rowCount / (timing.median / 1e6))}/s`;
  const ratio = formatRatio(theirs.median, ours.median);
  return `CSV of ${rowCount} rows: ${rate(ours)}, PostgreSQL's COPY ${rate(theirs)}, ${ratio}`;
}

function printLoad(snapshot: string, load: Load, bytes: number): void {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(0)} s`;
  const gigabytes = (size: number) => `${(size / 1e9).toFixed(2)} GB`;
  print(
    `PostgreSQL: rows ${seconds(load.rowsMs)}, indexes ${seconds(load.indexesMs)}, ` +
      `statistics ${seconds(load.analyzeMs)}; on disk ${gigabytes(bytes)}, ` +
      `the snapshot ${gigabytes(statSync(snapshot).size)}`,
  );
}

async function main(): Promise<void> {
  const programs = postgresPrograms();
  if (programs === null) {
    print("skipped: PostgreSQL is not installed (on Debian or Ubuntu, apt-get install postgresql)");
    return;
  }
  const corpus = makeCorpus(Number(values.accounts));
  const { duck, sqlite } = await openRivals(corpus);
  sqlite.close();
  const picks = await picksOf({ duck });
  duck.closeSync();
  const folder = `${corpus.folder}/postgres`;
  const { client, version, stop } = await startPostgres(programs, folder);
  try {
    const load = await loadPostgres(client, corpus, folder);
    const segment = await openSegment(corpus.snapshot);
    const first = JSON.stringify({ spec: specOf(segment, depthQuestion()) });
    const server = await startServer(corpus.snapshot, first);
    print(`${segment.accounts.toLocaleString("en")} accounts; PostgreSQL ${version} with`);
    for (const [name, value] of Object.entries(postgresSettings())) print(`  ${name} = ${value}`);
    printLoad(corpus.snapshot, load, diskBytes(folder));
    const bench = { segment, server, client };
    printLines(await searchLines(bench, picks));
    await server.stop();
    print(`\n${await exportLine(bench, folder)}`);
    segment.close();
  } finally {
    await stop();
  }
}

await main();
