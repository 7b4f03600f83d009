/**
 * Finding companies by name, against SQLite's FTS5 with its trigram tokenizer and DuckDB. Input: a
 * corpus. Output: for names with no, one, and two random edits, the times of all three engines, and
 * how often the intended account, or a namesake, is among the first ten.
 * Invariant: all engines get their texts one after another and use one processor. The other engines
 * get their best plan. SQLite gets the trigrams of the text joined by OR and its own rank. DuckDB
 * gets the Jaro-Winkler similarity over all names, which scans every row. Both get fewer texts,
 * because they take so long. Peneira gets all texts twice, because the first access to a block maps
 * and verifies it. Names come from a synthetic vocabulary.
 * With `--pairs N`: the N most common pairs of adjacent words of names, which match most rows.
 * Command: npm run bench -- find [--accounts 1000000] [--texts 1000]
 *   | find --pairs 1000 [--snapshot FILE]
 */
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import { openSegment, type Segment } from "../src/search/segment.ts";
import { analyzeWords } from "../src/spec/analyzer.ts";
import { seededRandom } from "../test/support/native-index/fixture-rows.ts";
import { type Corpus, makeCorpus } from "./questions/corpus.ts";
import { openRivals, type Rivals } from "./rivals/rivals.ts";

const FIRST = 10;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** SQLite gets every 10th text, DuckDB every 50th. */
const SQLITE_EVERY = 10;
const DUCK_EVERY = 50;

/** A name as it was typed, with edits, and the original name. */
interface Typed {
  readonly text: string;
  readonly name: string;
  readonly edits: number;
}

/** Returns the found rows. */
type Find = (text: string) => Promise<readonly number[]>;

/** One line of the table. Times are in milliseconds. */
export interface FindLine {
  readonly who: string;
  /** Edits per text, or "any" for all texts. */
  readonly edits: number | "any";
  readonly texts: number;
  readonly median: number;
  readonly p99: number;
  readonly worst: number;
  /** Fraction of texts whose name is among the first ten accounts. */
  readonly recall: number;
}

/** Runs all engines. */
export async function benchFind(corpus: Corpus, texts: number): Promise<FindLine[]> {
  const segment = await openSegment(corpus.snapshot);
  const rivals = await openRivals(corpus);
  const trigrams = await openTrigrams(corpus, rivals);
  const finders: readonly (readonly [who: string, every: number, find: Find])[] = [
    ["Peneira, the first time", 1, (text) => found(segment, text)],
    ["Peneira", 1, (text) => found(segment, text)],
    ["SQLite FTS5 trigram", SQLITE_EVERY, async (text) => matched(trigrams, text)],
    ["DuckDB", DUCK_EVERY, (text) => similar(rivals, text)],
  ];
  const typed = typedNames(segment, texts);
  const lines: FindLine[] = [];
  for (const [who, every, find] of finders) {
    const requested = typed.filter((_, i) => i % every === 0);
    for (const { text } of requested.slice(0, 20)) await find(text);
    const all: Measured = { times: [], hits: 0 };
    for (const edits of [0, 1, 2]) {
      const some = requested.filter((one) => one.edits === edits);
      const { times, hits } = await timed(segment, some, find);
      lines.push(lineOf(who, edits, { times, hits }));
      all.times.push(...times);
      all.hits += hits;
    }
    lines.push(lineOf(who, "any", all));
  }
  trigrams.close();
  rivals.duck.closeSync();
  rivals.sqlite.close();
  segment.close();
  return lines;
}

/**
 * Milliseconds for each text, and the number of texts whose name is among the first ten accounts.
 */
interface Measured {
  readonly times: number[];
  hits: number;
}

async function timed(segment: Segment, texts: readonly Typed[], find: Find): Promise<Measured> {
  const measured: Measured = { times: [], hits: 0 };
  for (const { text, name } of texts) {
    const startMs = performance.now();
    const rows = await find(text);
    measured.times.push(performance.now() - startMs);
    if (namesOf(segment, rows).includes(name)) measured.hits++;
  }
  return measured;
}

function lineOf(who: string, edits: FindLine["edits"], { times, hits }: Measured): FindLine {
  const sorted = [...times].sort((a, b) => a - b);
  const texts = sorted.length;
  const at = (share: number) => sorted[Math.min(texts - 1, Math.floor(share * texts))];
  const [median = 0, p99 = 0, worst = 0] = [at(0.5), at(0.99), sorted.at(-1)];
  return { who, edits, texts, median, p99, worst, recall: hits / texts };
}

/** Returns the legal names of rows, as words. */
function namesOf(segment: Segment, rows: readonly number[]): string[] {
  if (rows.length === 0) return [];
  const bytes = segment.native.renderJson(Uint32Array.from(rows), ["legal_name"]);
  const accounts = JSON.parse(Buffer.from(bytes).toString()) as { legal_name: string | null }[];
  return accounts.map(({ legal_name: name }) => analyzeWords(name ?? "").join(" "));
}

/** Returns names of random rows, with edits at random positions. */
function typedNames(segment: Segment, count: number): Typed[] {
  const dice = seededRandom(17);
  const texts: Typed[] = [];
  while (texts.length < count) {
    const [name = ""] = namesOf(segment, [Math.floor(dice() * segment.accounts)]);
    if (name === "") continue;
    const edits = texts.length % 3;
    const letters = [...name];
    for (let i = 0; i < edits; i++) {
      const at = Math.floor(dice() * letters.length);
      const letter = LETTERS[Math.floor(dice() * LETTERS.length)] as string;
      const kind = Math.floor(dice() * 3);
      letters.splice(at, kind === 0 ? 0 : 1, ...(kind === 1 ? [] : [letter]));
    }
    texts.push({ text: letters.join(""), name, edits });
  }
  return texts;
}

/**
 * Runs a search by name. It returns rows rather than accounts, because the native code returns
 * rows.
 */
async function found({ native }: Segment, text: string): Promise<readonly number[]> {
  const words = analyzeWords(text);
  return [...(await native.suggestAsync({ words, clauses: [], limit: FIRST })).rows];
}

/**
 * Number of names that are read to count pairs of words. It is large enough that each of the 1,000
 * most common pairs occurs at least 50 times.
 */
const PAIRED_NAMES = 400_000;

/** Returns the most common pairs of adjacent words among the names of evenly spread rows. */
function commonestPairs(segment: Segment, count: number): string[] {
  const counts = new Map<string, number>();
  const step = Math.max(1, Math.floor(segment.accounts / PAIRED_NAMES));
  const rows = Array.from({ length: 1_000 }, (_, i) => i * step);
  for (let first = 0; first + rows.length * step <= segment.accounts; first += rows.length * step) {
    const requested = rows.map((row) => first + row);
    for (const name of namesOf(segment, requested)) {
      const words = name.split(" ");
      const pairs = new Set(words.slice(1).map((word, i) => `${words[i]} ${word}`));
      for (const pair of pairs) counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return sorted.slice(0, count).map(([pair]) => pair);
}

/** Times each pair in two passes; the first pass touches the pages of the file. */
async function benchPairs(path: string, count: number): Promise<FindLine[]> {
  const segment = await openSegment(path);
  const typed = commonestPairs(segment, count).map((text) => ({ text, name: text, edits: 0 }));
  const lines: FindLine[] = [];
  for (const who of ["Peneira, the first time", "Peneira"]) {
    const times: (readonly [ms: number, text: string])[] = [];
    for (const { text } of typed) {
      const { times: one } = await timed(segment, [{ text, name: text, edits: 0 }], (requested) =>
        found(segment, requested),
      );
      times.push([one[0] as number, text]);
    }
    times.sort((a, b) => b[0] - a[0]);
    const slowest = times.slice(0, 5).map(([ms, text]) => `${text} ${ms.toFixed(1)} ms`);
    process.stderr.write(`slowest: ${slowest.join(", ")}\n`);
    lines.push(lineOf(who, "any", { times: times.map(([ms]) => ms), hits: 0 }));
  }
  segment.close();
  return lines;
}

async function openTrigrams(corpus: Corpus, { duck }: Rivals): Promise<Database.Database> {
  const path = join(corpus.folder, "rival-find.sqlite");
  if (!existsSync(path)) {
    process.stderr.write("making the trigrams of SQLite\n");
    const temporary = `${path}.tmp`;
    rmSync(temporary, { force: true });
    const database = new Database(temporary);
    database.pragma("journal_mode = OFF");
    database.exec("CREATE VIRTUAL TABLE names USING fts5(name, content='', tokenize='trigram')");
    const insert = database.prepare("INSERT INTO names (rowid, name) VALUES (?, ?)");
    const rows = await duck.stream("SELECT rank::DOUBLE, trim(names) FROM accounts ORDER BY rank");
    database.exec("BEGIN");
    for await (const part of rows.yieldRows()) for (const values of part) insert.run(...values);
    database.exec("COMMIT; INSERT INTO names (names) VALUES ('optimize')");
    database.close();
    renameSync(temporary, path);
  }
  const database = new Database(path, { readonly: true });
  database.pragma("mmap_size = 17179869184");
  return database;
}

function matched(database: Database.Database, text: string): readonly number[] {
  const trigrams = new Set<string>();
  for (let at = 0; at + 3 <= text.length; at++) trigrams.add(`"${text.slice(at, at + 3)}"`);
  if (trigrams.size === 0) return [];
  const rows = database
    .prepare(`SELECT rowid FROM names WHERE names MATCH ? ORDER BY rank LIMIT ${FIRST}`)
    .all([...trigrams].join(" OR ")) as { readonly rowid: number }[];
  return rows.map(({ rowid }) => rowid);
}

async function similar({ duck }: Rivals, text: string): Promise<readonly number[]> {
  const prepared = await duck.prepare(
    "SELECT rank::DOUBLE FROM accounts WHERE legal_name IS NOT NULL " +
      `ORDER BY jaro_winkler_similarity(lower(legal_name), $1) DESC, rank LIMIT ${FIRST}`,
  );
  prepared.bindVarchar(1, text);
  return (await prepared.runAndReadAll()).getRows().map(([rank]) => Number(rank));
}

function report(lines: readonly FindLine[]): string {
  const names = ["", "edits", "texts", "median", "p99", "worst", "among the first ten"];
  const head = `| ${names.join(" | ")} |\n|---|${"--:|".repeat(names.length - 1)}\n`;
  const ms = (time: number) => `${time.toFixed(time < 10 ? 2 : 0)} ms`;
  const rows = lines.map(({ who, edits, texts, median, p99, worst, recall }) => {
    const share = `${(100 * recall).toFixed(1)} %`;
    return `| ${[who, edits, texts, ms(median), ms(p99), ms(worst), share].join(" | ")} |\n`;
  });
  return head + rows.join("");
}

if (process.argv[1]?.endsWith("find.bench.ts") === true) {
  const options = {
    accounts: { type: "string", default: "1000000" },
    texts: { type: "string", default: "1000" },
    pairs: { type: "string" },
    snapshot: { type: "string" },
  } as const;
  const { accounts, texts, pairs, snapshot } = parseArgs({ options }).values;
  const corpus = () => makeCorpus(Number(accounts));
  const lines =
    pairs === undefined
      ? await benchFind(corpus(), Number(texts))
      : await benchPairs(snapshot ?? corpus().snapshot, Number(pairs));
  process.stdout.write(report(lines));
}
