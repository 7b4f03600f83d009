/**
 * What comes in: one random number.
 * What goes out: an invented word of Portuguese form, for names of companies and persons, e-mails
 * and districts.
 * Invariant: words are as unequally frequent as in real text (G. K. Zipf), so that their number
 * grows with the text and never ends (H. S. Heaps: so many draws to the power of 0.78); a word is
 * a function of its number, so none is kept. Each choice takes one number from the generator, as a
 * choice from a list does. Words have at least three syllables, so that they are nobody's name.
 */

import { hash, type Random, Weighted } from "./random.ts";
import { type RowBytes, words } from "./zip/bytes.ts";

/** The most frequent words; each further group has twice as many and is drawn less often. */
const FIRST_GROUP = 64;
const GROUPS = 24;
/** Two to the power of -0.28: frequency falls with the rank to the power of -1.28. */
const GROUP_RATIO = 0.8236;
/** Districts of one city are far fewer: some five hundred, half of them rare. */
const CITY_GROUP = 4;
const CITY_GROUPS = 7;
const CITY_RATIO = 0.55;

const SYLLABLES = words(`
  BA BE BI BO CA CE CI CO DA DE DI DO FA FE FI FO GA GUE GI GO LA LE LI LO MA ME MI MO NA NE NI NO
  PA PE PLI PO RA RE RI RO SA SE SI SO TA TE TI TO VA VE VI VO BRA TRE CRI PRO LHA NHE JU JO ZA ZE
  QUI XO`);
/** The same as numbers: length << 24, and at most three letters, the first one lowest. */
const PACKED = Int32Array.from(SYLLABLES, (letters) =>
  letters.reduce((sum, letter, i) => sum | (letter << (8 * i)), letters.length << 24),
);
const SYLLABLE_BITS = 6;
/** A syllable number is six bits; words of three, four and five syllables have 18, 24 and 30. */
const SHORT = 1 << 18;
const MIDDLE = SHORT + (1 << 24);
/** How a word of a company ends, and how a surname does. */
const ENDINGS = words("N R S L X TEC LAR MAX");
const SURNAME_ENDINGS = words("NES LINI RES ZANI DEIRO LHAES NELLI RANO");
/** What stands before the name of a district, more often nothing. */
const DISTRICT_KINDS = words("JARDIM_ VILA_ PARQUE_ CONJUNTO_");
/** Of sixteen words of a company so many have an ending. */
const ENDED = 6;

/** Shares of groups, each `ratio` of the one before. */
function shares(groups: number, ratio: number): Weighted {
  const weights: number[] = [];
  for (let weight = 1; weights.length < groups; weight *= ratio) weights.push(weight);
  return new Weighted(weights);
}

const SHARES = shares(GROUPS, GROUP_RATIO);
const CITY_SHARES = shares(CITY_GROUPS, CITY_RATIO);

/** The number of a word, 0 for the most frequent one, from 32 random bits. */
function rankOf(draw: number, first: number, groups: Weighted): number {
  const size = first * 2 ** groups.at(draw * 2 ** -32);
  return size - first + Math.floor(hash(draw, 3, first) * 2 ** -32 * size);
}

/** Writes a company's word. */
export function writeCompanyWord(row: RowBytes, random: Random): void {
  const rank = rankOf(random.next(), FIRST_GROUP, SHARES);
  const bits = hash(rank, 1, 0);
  writeSyllables(row, rank);
  if ((bits & 15) < ENDED) row.word(ENDINGS[(bits >>> 4) & 7] as Uint8Array);
}

/** Writes a surname. */
export function writeSurname(row: RowBytes, random: Random): void {
  const rank = rankOf(random.next(), FIRST_GROUP, SHARES);
  writeSyllables(row, rank);
  row.word(SURNAME_ENDINGS[hash(rank, 2, 0) & 7] as Uint8Array);
}

/** Writes the word of an office: `number` from 0 to 2^24 - 1 has one of its own. */
export function writeOfficeWord(row: RowBytes, number: number): void {
  writeSyllables(row, SHORT + number);
}

/** Writes the name of a district that is one of a city's own. */
export function writeCityDistrict(row: RowBytes, random: Random, city: number): void {
  const rank = rankOf(random.next(), CITY_GROUP, CITY_SHARES);
  const bits = hash(city, 4, rank);
  const kind = DISTRICT_KINDS[bits >>> 29];
  if (kind !== undefined) row.word(kind);
  writeSyllables(row, bits % SHORT);
}

/** Writes the syllables of word number `rank`; no two numbers have the same ones. */
function writeSyllables(row: RowBytes, rank: number): void {
  if (rank < SHORT) writeBits(row, rank, 3);
  else if (rank < MIDDLE) writeBits(row, rank - SHORT, 4);
  else writeBits(row, rank - MIDDLE, 5);
}

function writeBits(row: RowBytes, index: number, syllables: number): void {
  const bits = syllables * SYLLABLE_BITS;
  const mask = 2 ** bits - 1;
  // Steps that can be undone, so that neighbours look different and none comes twice.
  let mixed = Math.imul(index, 0x2c9277b5) & mask;
  mixed ^= mixed >>> (bits >> 1);
  mixed = Math.imul(mixed, 0x4a7c15f5) & mask;
  const { bytes } = row;
  let at = row.length;
  for (let shift = 0; shift < bits; shift += SYLLABLE_BITS) {
    const packed = PACKED[(mixed >>> shift) & 63] as number;
    bytes[at] = packed;
    bytes[at + 1] = packed >>> 8;
    bytes[at + 2] = packed >>> 16;
    at += packed >>> 24;
  }
  row.length = at;
}
