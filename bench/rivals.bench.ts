/**
 * Compares Peneira, DuckDB, PostgreSQL, and SQLite on common queries over the same rows. Measured:
 * the first page of 50 with its exact total. Peneira is timed in this process and through HTTP,
 * DuckDB and SQLite in this process, PostgreSQL over its socket.
 * Invariant: every page and every total is compared with Peneira's before it is timed. The other
 * engines have fitting indexes, statistics, and prepared statements. Peneira caches nothing between
 * calls. If PostgreSQL is not installed, its column says so.
 * Command: npm run bench -- rivals [--accounts N]
 */
import { parseArgs } from "node:util";
import type { Client } from "pg";
import { openSegment, type Segment } from "../src/search/segment.ts";
import { latency, type RunningServer, startServer } from "./load/server.ts";
import { formatRatio, formatUs, measure, measureAsync } from "./measure.ts";
import { answer, assertEqual, cnpjs, PAGE, picksOf, specOf } from "./questions/answers.ts";
import { makeCorpus } from "./questions/corpus.ts";
import { commonQuestions, type Question } from "./questions/questions.ts";
import { loadPostgres } from "./rivals/postgres-rows.ts";
import { postgresPrograms, startPostgres } from "./rivals/postgres-server.ts";
import { openRivals, pageSql, type RivalName, type Rivals, totalSql } from "./rivals/rivals.ts";

const { values } = parseArgs({ options: { accounts: { type: "string", default: "1000000" } } });

/** Runs a statement of another engine. Returns rows in order, each as a list of values. */
type RunQuery = () => Promise<unknown[][]>;

/** Another engine. `prepare` prepares a statement once. */
interface Rival {
  readonly name: RivalName;
  readonly prepare: (sql: string) => Promise<RunQuery>;
}

function rivalsOf({ duck, sqlite }: Rivals, client: Client | null): Rival[] {
  const inProcess: Rival[] = [
    {
      name: "duck",
      prepare: async (sql) => {
        const prepared = await duck.prepare(sql);
        return async () => (await prepared.runAndReadAll()).getRows();
      },
    },
    {
      name: "sqlite",
      prepare: async (sql) => {
        const statement = sqlite.prepare(sql).raw();
        return async () => statement.all() as unknown[][];
      },
    },
  ];
  if (client === null) return inProcess;
  let statements = 0;
  const postgres: Rival = {
    name: "postgres",
    prepare: async (text) => {
      const statement = { name: `s${statements++}`, text, rowMode: "array" as const };
      return async () => (await client.query(statement)).rows as unknown[][];
    },
  };
  return [...inProcess, postgres];
}

/** Checks another engine's page and total. Returns the median microseconds that both take. */
async function rivalTime(
  { name, prepare }: Rival,
  question: Question,
  ours: ReturnType<typeof answer>,
): Promise<number> {
  const expected = cnpjs(ours.accounts);
  const sorted = await prepare(pageSql(question, name, { sorted: true }));
  assertEqual(
    `${name}: ${question.name}`,
    expected,
    (await sorted()).map(([cnpj]) => cnpj),
  );
  const page = await prepare(pageSql(question, name));
  const total = await prepare(totalSql(question, name));
  assertEqual(`${name}: ${question.name}`, ours.total, Number((await total())[0]?.[0]));
  return (await measureAsync(page)).median + (await measureAsync(total)).median;
}

async function printLine(
  segment: Segment,
  server: RunningServer,
  rivals: readonly Rival[],
  question: Question,
): Promise<void> {
  const spec = specOf(segment, question);
  const ours = answer(segment, spec);
  const http = await latency(server, JSON.stringify({ spec: { ...spec, limit: PAGE } }));
  const times = new Map<RivalName, number>();
  for (const rival of rivals) times.set(rival.name, await rivalTime(rival, question, ours));
  const inProcess = measure(() => answer(segment, spec)).median;
  const [duck, postgres, sqlite] = (["duck", "postgres", "sqlite"] as const).map((name) =>
    times.get(name),
  );
  const shown = (time: number | undefined) =>
    time === undefined ? "not installed" : formatUs(time);
  const cells = [
    question.name,
    ours.total.toLocaleString("en"),
    ...[inProcess, http.median, duck, sqlite, postgres].map(shown),
    formatRatio(Math.min(duck as number, sqlite as number), inProcess),
    postgres === undefined ? "" : formatRatio(postgres, http.median),
  ];
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

/** Starts PostgreSQL with the rows of the corpus, if it is installed. */
async function openPostgres(corpus: ReturnType<typeof makeCorpus>) {
  const programs = postgresPrograms();
  if (programs === null) return { client: null, stop: async () => {} };
  const folder = `${corpus.folder}/postgres`;
  const { client, stop } = await startPostgres(programs, folder);
  await loadPostgres(client, corpus, folder);
  return { client, stop };
}

async function main(): Promise<void> {
  const corpus = makeCorpus(Number(values.accounts));
  const opened = await openRivals(corpus);
  const picks = await picksOf(opened);
  const { client, stop } = await openPostgres(corpus);
  const segment = await openSegment(corpus.snapshot);
  const questions = commonQuestions(picks);
  const first = JSON.stringify({ spec: specOf(segment, questions[0] as Question) });
  const server = await startServer(corpus.snapshot, first);
  process.stdout.write(`${segment.accounts.toLocaleString("en")} accounts\n\n`);
  const times = ["matches", "Peneira", "through HTTP", "DuckDB", "SQLite", "PostgreSQL"];
  const ratios = ["best in process ÷ Peneira", "PostgreSQL ÷ HTTP"];
  process.stdout.write(`| question | ${[...times, ...ratios].join(" | ")} |\n`);
  process.stdout.write(`|---|${"--:|".repeat(times.length + ratios.length)}\n`);
  try {
    const rivals = rivalsOf(opened, client);
    for (const question of questions) await printLine(segment, server, rivals, question);
  } finally {
    await server.stop();
    segment.close();
    opened.duck.closeSync();
    opened.sqlite.close();
    await stop();
  }
}

await main();
