/**
 * Compares Peneira's search with DuckDB and SQLite. Measured: first and deep pages, exact totals,
 * other orders, and a word of the name, in process and through HTTP; also the start and the memory.
 * Data: `peneira sample` with a fixed seed (bench/questions/corpus.ts). Answers are compared before
 * anything is timed.
 * Command: npm run bench -- search [--accounts N] [--out FILE.json]
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { openSegment, type Segment } from "../src/search/segment.ts";
import {
  evict,
  latency,
  memoryOf,
  type RunningServer,
  startServer,
  throughput,
} from "./load/server.ts";
import { formatRatio, formatUs, measure, measureAsync, type Timing } from "./measure.ts";
import { answer, assertEqual, cnpjs, PAGE, picksOf, specOf } from "./questions/answers.ts";
import { makeCorpus } from "./questions/corpus.ts";
import {
  depthQuestion,
  type Picks,
  pageQuestions,
  type Question,
  sortQuestions,
  totalQuestions,
} from "./questions/questions.ts";
import { openRivals, pageSql, type Rivals, totalSql } from "./rivals/rivals.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    out: { type: "string" },
  },
});
const ACCOUNTS = Number(values.accounts);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** One line of the table. Times are in microseconds. */
interface Line {
  readonly name: string;
  readonly matches: number;
  readonly peneira: Timing;
  /** DuckDB's time for the page alone. Peneira's time includes the total. */
  readonly duck: Timing | null;
  /** DuckDB's time for the exact total of the same query. */
  readonly duckTotal?: Timing;
  readonly sqlite: Timing | null;
}

/**
 * Compares the first page of a query with the pages of the other engines, then times it. Peneira's
 * time includes the total. The times of the other engines do not.
 */
async function pageLine(
  segment: Segment,
  rivals: Rivals,
  question: Question,
  after = -1,
): Promise<Line> {
  const spec = specOf(segment, question);
  const ours = answer(segment, spec, after);
  const peneira = measure(() => answer(segment, spec, after));
  const line = { name: question.name, matches: ours.total, peneira };
  if (question.alone) return { ...line, duck: null, sqlite: null };
  const sortedSql = pageSql(question, "duck", { after, sorted: true });
  const reader = await rivals.duck.runAndReadAll(sortedSql);
  assertEqual(
    question.name,
    cnpjs(ours.accounts),
    reader.getRows().map((row) => row[0]),
  );
  const prepared = await rivals.duck.prepare(pageSql(question, "duck", { after }));
  const duck = await measureAsync(async () => (await prepared.runAndReadAll()).getRows());
  const statement = rivals.sqlite.prepare(pageSql(question, "sqlite", { after })).raw();
  const rows = statement.all() as string[][];
  assertEqual(
    question.name,
    cnpjs(ours.accounts),
    rows.map((row) => row[0]),
  );
  const counting = await rivals.duck.prepare(totalSql(question, "duck"));
  const duckTotal = await measureAsync(async () => (await counting.runAndReadAll()).getRows());
  return { ...line, duck, duckTotal, sqlite: measure(() => statement.all()) };
}

/** Checks an exact total against the other engines' totals, then times it in every engine. */
async function totalLine(segment: Segment, rivals: Rivals, question: Question): Promise<Line> {
  const spec = specOf(segment, question);
  const total = answer(segment, spec).total;
  const { clauses } = answer(segment, spec).plan;
  const peneira = measure(() => {
    segment.native.dropCaches();
    return segment.native.count(clauses);
  });
  const sql = totalSql(question, "duck");
  const counted = (await rivals.duck.runAndReadAll(sql)).getRows()[0]?.[0];
  assertEqual(question.name, total, counted);
  const prepared = await rivals.duck.prepare(sql);
  const duck = await measureAsync(async () => (await prepared.runAndReadAll()).getRows());
  const statement = rivals.sqlite.prepare(totalSql(question, "sqlite")).raw();
  assertEqual(question.name, total, (statement.get() as number[])[0]);
  return {
    name: question.name,
    matches: total,
    peneira,
    duck,
    sqlite: measure(() => statement.get()),
  };
}

/** Times the first page of a broad query, and the pages after a tenth and nine tenths of it. */
async function depthLines(segment: Segment, rivals: Rivals): Promise<Line[]> {
  const question = depthQuestion();
  const lines: Line[] = [];
  for (const share of [0, 0.1, 0.9]) {
    const after = share === 0 ? -1 : Math.floor(share * segment.accounts);
    const name = `page at depth ${share * 100} %`;
    lines.push(await pageLine(segment, rivals, { ...question, name }, after));
  }
  return lines;
}

function printLines(title: string, lines: readonly Line[]): void {
  const withTotal = lines.some(({ duckTotal }) => duckTotal !== undefined);
  const rows = lines.map(({ name, matches, peneira, duck, duckTotal, sqlite }) => [
    name,
    matches.toLocaleString("en"),
    formatUs(peneira.median),
    duck === null ? "-" : formatUs(duck.median),
    sqlite === null ? "-" : formatUs(sqlite.median),
    duck === null ? "-" : formatRatio(duck.median, peneira.median),
    ...(withTotal && duck !== null && duckTotal !== undefined
      ? [formatRatio(duck.median + duckTotal.median, peneira.median)]
      : withTotal
        ? ["-"]
        : []),
    sqlite === null ? "-" : formatRatio(sqlite.median, peneira.median),
  ]);
  const both = withTotal ? ["÷ DuckDB page + total"] : [];
  const names = ["matches", "Peneira", "DuckDB", "SQLite", "÷ DuckDB", ...both, "÷ SQLite"];
  print(`\n| ${[title, ...names].join(" | ")} |\n|---|${names.map(() => "--:|").join("")}`);
  for (const row of rows) print(`| ${row.join(" | ")} |`);
}

/**
 * Measures search through HTTP: the latency of one connection, compared with DuckDB called in this
 * process, then the throughput of one processor.
 */
async function httpLines(
  server: RunningServer,
  segment: Segment,
  pages: readonly Line[],
  picks: Picks,
) {
  print("\n| through HTTP, 50 accounts | latency p50 | ÷ DuckDB in process | requests/s |");
  print("|---|--:|--:|--:|");
  const results = [];
  for (const question of pageQuestions(picks)) {
    const spec = specOf(segment, question);
    const body = JSON.stringify({ spec: { ...spec, limit: PAGE } });
    const timing = await latency(server, body);
    const duck = pages.find((line) => line.name === question.name)?.duck?.median ?? Number.NaN;
    const load = /^3 |empty|20 act/.test(question.name) ? throughput(server, body) : null;
    const perSecond = load === null ? "-" : Math.round(load.perSecond).toLocaleString("en");
    const ratio = formatRatio(duck, timing.median);
    print(`| ${question.name} | ${formatUs(timing.median)} | ${ratio} | ${perSecond} |`);
    results.push({ name: question.name, timing, load });
  }
  return results;
}

/** Measures the time to the first answer (warm and cold page cache) and the memory after it. */
async function bootLines(snapshot: string, body: string): Promise<RunningServer> {
  const warm: number[] = [];
  const cold: number[] = [];
  for (let i = 0; i < 5; i++) {
    const server = await startServer(snapshot, body);
    warm.push(server.bootMs);
    await server.stop();
    if (!evict(snapshot)) continue;
    const second = await startServer(snapshot, body);
    cold.push(second.bootMs);
    await second.stop();
  }
  const median = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? NaN;
  print(
    `\nboot to first answer: warm ${median(warm).toFixed(0)} ms, snapshot evicted ` +
      `${median(cold).toFixed(0)} ms (medians of ${warm.length})`,
  );
  return startServer(snapshot, body);
}

async function main(): Promise<void> {
  const corpus = makeCorpus(ACCOUNTS);
  const segment = await openSegment(corpus.snapshot);
  const rivals = await openRivals(corpus);
  const picks = await picksOf(rivals);
  print(
    `${segment.accounts.toLocaleString("en")} accounts; Node ${process.version}; ` +
      `Peneira's times hold the exact total and the JSON of 50 accounts, nothing remembered`,
  );
  const pages: Line[] = [];
  for (const question of pageQuestions(picks)) {
    pages.push(await pageLine(segment, rivals, question));
  }
  printLines("first page", pages);
  const totals: Line[] = [];
  for (const question of totalQuestions(picks)) {
    totals.push(await totalLine(segment, rivals, question));
  }
  printLines("exact total", totals);
  const depth = await depthLines(segment, rivals);
  printLines("depth", depth);
  const sorts: Line[] = [];
  for (const question of sortQuestions(picks)) {
    sorts.push(await pageLine(segment, rivals, question));
  }
  printLines("other orders", sorts);
  const body = JSON.stringify({ spec: specOf(segment, pageQuestions(picks)[2] as Question) });
  const server = await bootLines(corpus.snapshot, body);
  const http = await httpLines(server, segment, pages, picks);
  const bare = throughput(server, null);
  print(`\nthe bare route /healthz on the same machine: ${Math.round(bare.perSecond)} requests/s`);
  const memory = memoryOf(server.pid);
  print(
    `\nmemory after the load: ${memory.anonymous.toFixed(0)} MB anonymous, ` +
      `${memory.file.toFixed(0)} MB of files`,
  );
  await server.stop();
  segment.close();
  if (values.out !== undefined) {
    mkdirSync(dirname(values.out), { recursive: true });
    const report = { accounts: ACCOUNTS, pages, totals, depth, sorts, http, memory };
    writeFileSync(values.out, JSON.stringify(report, null, 1));
  }
}

await main();
