/**
 * Compares the search by name with its reference implementation, for a seed and numbers of rows,
 * words, and typed texts. A failure names the text for which the search found other accounts than a
 * linear scan.
 * Invariant: the same seed makes the same rows and texts. The texts are names or parts of names
 * with random typing mistakes, and hostile texts, with and without filters.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type NativeSegment, openSegment } from "../../../native-index/napi/engine.ts";
import { analyzeWords } from "../../../src/spec/analyzer.ts";
import { FindTwin } from "./find-twin.ts";
import { type FixtureRow, randomRows, seededRandom } from "./fixture-rows.ts";
import { openForged, startOfPart } from "./forged-region.ts";
import { Region } from "./region-decode.ts";
import { writeFixture } from "./region-fixture.ts";

const COMMON = ["LTDA", "COMÉRCIO", "DE", "SILVA", "SANTOS", "ME", "E", "A", "Padaria"];
/** Few letters for words, so that many words are similar. Some are not ASCII. */
const LETTERS = [..."aabcdeiorst", "ß", "ж", "漢", "𝒳"];

type Dice = () => number;

function pick<Item>(dice: Dice, items: readonly Item[]): Item {
  return items[Math.floor(dice() * items.length)] as Item;
}

function randomWord(dice: Dice, letters: number): string {
  return Array.from({ length: letters }, () => pick(dice, LETTERS)).join("");
}

/** Returns words for names. Names draw the first words far more often than the others. */
function vocabulary(dice: Dice, count: number): string[] {
  return [...COMMON, ...Array.from({ length: count }, () => randomWord(dice, 1 + dice() * 11))];
}

function randomName(dice: Dice, words: readonly string[]): string {
  const count = 1 + Math.floor(dice() * 4);
  const chosen = Array.from({ length: count }, () => words[Math.floor(dice() ** 2 * words.length)]);
  return chosen.join(pick(dice, [" ", " ", " ", "-", " & ", "."]));
}

function namedRows(seed: number, count: number, terms: number): FixtureRow[] {
  const dice = seededRandom(seed);
  const words = vocabulary(dice, terms);
  return randomRows(seed, count).map((row) => ({
    ...row,
    legal_name: dice() < 0.05 ? null : randomName(dice, words),
    trade_name: dice() < 0.6 ? null : randomName(dice, words),
  }));
}

/** Returns a name, or a part of it, with some typing mistakes. */
function typed(dice: Dice, rows: readonly FixtureRow[]): string {
  const { legal_name: legal, trade_name: trade } = pick(dice, rows);
  const letters = [...(legal ?? trade ?? "a")];
  const edits = Math.floor(dice() * 4);
  for (let i = 0; i < edits; i++) {
    const at = Math.floor(dice() * letters.length);
    if (dice() < 0.35) {
      letters.splice(at, 2, ...letters.slice(at, at + 2).reverse());
      continue;
    }
    letters.splice(at, dice() < 0.7 ? 1 : 0, ...(dice() < 0.7 ? [pick(dice, LETTERS)] : []));
  }
  const text = letters.slice(0, dice() < 0.3 ? 1 + dice() * letters.length : undefined).join("");
  return dice() < 0.2 ? text.split(" ").reverse().join(" ") : text;
}

/** Texts whose search takes more work than that of others. */
export const HOSTILE = [
  ..."abcde",
  "a b c d e f",
  "ltda",
  "ltda me",
  "ltda ltda ltda",
  "de de a",
  "a".repeat(200),
  "ab".repeat(60),
  Array.from({ length: 32 }, () => "aaa").join(" "),
  "comercio silva santos padaria",
  "ж漢𝒳ß ж漢𝒳",
];

/** Sizes of the data and queries. */
export interface FindSubject {
  readonly seed: number;
  readonly count: number;
  readonly terms: number;
  /** Number of texts that are made from names. */
  readonly typed: number;
  readonly hostile: readonly string[];
}

/** Number of names that the search read in the current file, and without BEGINNINGS (`older`). */
interface NamesRead {
  readonly names: number;
  readonly older: number;
}

/**
 * Writes a snapshot to a folder and searches it for texts. Also searches the file in the form of an
 * older program, without BEGINNINGS, the part with prefix marks of the names.
 */
export async function compareFinding(folder: string, subject: FindSubject): Promise<NamesRead> {
  const { seed, count, terms, hostile } = subject;
  const path = join(folder, `${seed}.peneira`);
  const fixture = await writeFixture(path, namedRows(seed, count, terms));
  const { directory, rows } = fixture;
  const region = new Region(path, directory);
  const hide = (bytes: Buffer) =>
    bytes.write("PNFUTURE", startOfPart(region, "PNBEGINS"), "latin1");
  const older = openForged({ fixture, region }, `${path}.older`, hide);
  const segment = openSegment(path, directory);
  const read = { names: 0, older: 0 };
  const dice = seededRandom(seed + 100);
  const texts = Array.from({ length: subject.typed }, () => typed(dice, rows));
  const twin = new FindTwin(rows);
  for (const text of [...hostile, ...texts]) {
    const request = { text, limit: 1 + Math.floor(dice() * 20), dice };
    await compare({ segment, older, read }, { rows, twin }, request);
  }
  segment.close();
  older.close();
  return read;
}

async function compare(
  {
    segment,
    older,
    read,
  }: {
    segment: NativeSegment;
    older: NativeSegment;
    read: { names: number; older: number };
  },
  { rows, twin }: { rows: readonly FixtureRow[]; twin: FindTwin },
  { text, limit, dice }: { text: string; limit: number; dice: Dice },
): Promise<void> {
  const words = analyzeWords(text);
  if (words.length === 0) return;
  const uf = dice() < 0.3 ? Math.floor(dice() * 6) : null;
  const codes = uf === null ? [] : [uf];
  const clauses = codes.map((code) => ({
    kind: "posting" as const,
    negated: false,
    any: [{ dimension: "uf" as const, codes: Uint32Array.of(code) }],
  }));
  const found = await segment.suggestAsync({ words, clauses, limit });
  const keeps = (row: number) => uf === null || (rows[row] as FixtureRow).uf === uf;
  const wanted = twin.fitting(words, { limit, keeps });
  const got = Array.from(found.rows, (row, i) => [row, found.fits[i]]);
  assert.deepEqual(got, wanted, `${JSON.stringify(text)}, ${limit}, uf ${uf}`);
  const before = await older.suggestAsync({ words, clauses, limit });
  assert.deepEqual([before.rows, before.fits], [found.rows, found.fits], "without BEGINNINGS");
  assert.ok(found.names <= before.names, "marks save names");
  read.names += found.names;
  read.older += before.names;
}
