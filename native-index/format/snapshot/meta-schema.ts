/**
 * The schema of a snapshot's metadata. Input: JSON that is untrusted, because anyone can compute
 * right checksums. Output: the metadata, or the first invalid member with the expected value.
 * Invariant: valid metadata is safe in a header, a file name, a page, or a log line: labels are
 * months, dates are days, codes are digits, names are printable. The tables below define all of it.
 * Everything an import can write is valid (`campaign/files/forged-meta.test.ts`).
 */

import { isPrintable, quoted } from "../printable.ts";
import type { DictionaryName, SnapshotMeta } from "./meta.ts";
import { ADMITTED } from "./versions.ts";

/** Maximum bytes of metadata JSON; the whole registry has half a megabyte. */
export const META_BYTES_MAX = 1 << 25;

/** Maximum length of a code's name, in UTF-16 units. */
export const NAME_LENGTH_MAX = 1_000;

/** Replaces the date of a source that the import lacked, such as a list of sanctions. */
const NOT_AVAILABLE = "not_available";

/** An invalid member. */
interface MetaFault {
  /** JSON pointer of the value: `/lookups/cnaes/12/1`. */
  readonly place: string;
  readonly expected: string;
  /** The value found, safe to show. */
  readonly found: string;
}

/** A rule for values; `fitAll` checks many values in one call, which is several times as fast. */
interface Rule {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
  readonly fitAll: (values: readonly unknown[]) => boolean;
}

function rule(expected: string, fits: Rule["fits"], fitAll?: Rule["fitAll"]): Rule {
  return { expected, fits, fitAll: fitAll ?? ((values) => values.every(fits)) };
}

function whole(least: number, most: number, expected: string): Rule {
  return rule(expected, (value) => {
    return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
  });
}

function either(one: Rule, other: unknown): Rule {
  return rule(
    `${one.expected}, or ${other === null ? "null" : quoted(other)}`,
    (value) => value === other || one.fits(value),
    (values) => one.fitAll(values.filter((value) => value !== other)),
  );
}

/** Returns a rule for a string of `length` characters in a regular expression's character class. */
function code(length: number, characters: string, expected: string): Rule {
  const one = new RegExp(`^[${characters}]{${length}}$`);
  const many = new RegExp(`^[${characters}]*$`);
  return rule(
    expected,
    (value) => typeof value === "string" && one.test(value),
    (values) => areTexts(values, length, length) && many.test(values.join("")),
  );
}

function printableUpTo(length: number): Rule {
  // `toLocaleString()` is not used, because it would add 20 ms to every start.
  const most = String(length).replace(/(?<=\d)(?=\d{3}$)/, ",");
  return rule(
    `one line of printable text, up to ${most} characters`,
    (value) => typeof value === "string" && value.length <= length && isPrintable(value),
    // The blank in between keeps two lone surrogates from forming a valid pair.
    (values) => areTexts(values, 0, length) && isPrintable(values.join(" ")),
  );
}

/**
 * These loops are written out instead of using array methods. A file is opened only once, so this
 * code runs before V8 optimizes it.
 */
function areTexts(values: readonly unknown[], least: number, most: number): boolean {
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (typeof value !== "string" || value.length < least || value.length > most) return false;
  }
  return true;
}

/** Degrees of latitude or longitude. */
function degrees(most: number): Rule {
  return rule(`degrees from -${most} to ${most}`, (value) => {
    return typeof value === "number" && Math.abs(value) <= most;
  });
}

const digits = (count: number): Rule => code(count, "0-9", `a code of ${count} digits`);
const month = rule("a month as YYYY-MM", isMonth);
const day = rule("a calendar date as YYYY-MM-DD", isDay);
const state = code(2, "A-Z", "a state of two capital letters");
const name = printableUpTo(NAME_LENGTH_MAX);

const MEMBERS: readonly (readonly [name: string, rule: Rule])[] = [
  ["format", rule(`format ${[...ADMITTED.keys()].join(" or ")}`, isAdmitted)],
  ["label", month],
  ["snapshot_date", day],
  ["accounts", whole(0, 0xffffffff, "a number of accounts")],
  ["score_version", whole(1, 0xffff, "a whole number from 1 on")],
  ["created_by", printableUpTo(100)],
];

const PROVENANCE: readonly (readonly [name: string, rule: Rule])[] = [
  ["rfb_snapshot", month],
  ["ibge_population_year", either(code(4, "0-9", "a year as YYYY"), NOT_AVAILABLE)],
  ["ceis_as_of_date", either(day, NOT_AVAILABLE)],
];

/** Members since format 3; earlier files lack them. */
const LATER_PROVENANCE: typeof PROVENANCE = [
  ["cnep_as_of_date", either(day, NOT_AVAILABLE)],
  ["cepim_as_of_date", either(day, NOT_AVAILABLE)],
  ["pgfn_as_of_month", either(month, NOT_AVAILABLE)],
  ["partners_snapshot", either(month, NOT_AVAILABLE)],
];

const ORIGIN: readonly (readonly [name: string, rule: Rule])[] = [
  ["host", either(printableUpTo(300), null)],
  ["partial", rule("true or false", (value) => typeof value === "boolean")],
  ["rows_left_out", whole(0, Number.MAX_SAFE_INTEGER, "a number of rows")],
];

/** For each lookup table, the rules for a row's cells. Rows are sorted by code. */
const LOOKUPS: Readonly<Record<keyof SnapshotMeta["lookups"], readonly Rule[]>> = {
  cnaes: [digits(7), name],
  legal_natures: [digits(4), name],
  reasons: [digits(2), name],
  countries: [digits(3), name],
  municipalities: [
    digits(4),
    name,
    either(digits(7), null),
    either(state, null),
    either(whole(0, 999_999_999, "a number of people"), null),
  ],
};

/** Rules for a municipality that was not joined by its name alone. */
const ODD_MUNICIPALITY: readonly Rule[] = [digits(4), name, either(digits(7), null)];

/**
 * Max number of region names that an ordinal can refer to. Ordinals are also checked against the
 * actual number.
 */
const PLACES_MAX = 100_000;

/** Rules for a row that locates a municipality. */
const PLACED: readonly Rule[] = [
  digits(7),
  ...Array.from({ length: 4 }, () => either(whole(0, PLACES_MAX, "an ordinal of a name"), null)),
  either(degrees(90), null),
  either(degrees(180), null),
];

/**
 * For each dictionary, the rule for its values and the max number of codes; the highest is null.
 */
const DICTIONARIES: Readonly<Record<DictionaryName, readonly [value: Rule, most: number]>> = {
  registration_status_reason: [digits(2), 0xff],
  cnae_primary: [digits(7), 0xffff],
  legal_nature: [digits(4), 0xffff],
  company_size_code: [digits(2), 0xff],
  uf: [state, 0xff],
  municipality_ibge: [digits(7), 0xffff],
  municipality_tom: [digits(4), 0xffff],
  country_code: [digits(3), 0xffff],
  number: [digits(10), 0xffff],
};

/** Returns true if a value is a month as `YYYY-MM`. */
export function isMonth(value: unknown): value is string {
  return typeof value === "string" && /^[0-9]{4}-(0[1-9]|1[0-2])$/.test(value);
}

/** Returns true if a value is a calendar day as `YYYY-MM-DD`. */
export function isDay(value: unknown): value is string {
  if (typeof value !== "string" || !/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === value;
}

function isAdmitted(value: unknown): boolean {
  return typeof value === "number" && ADMITTED.has(value);
}

/** Ends a check at the first fault. It is thrown and caught only in this file. */
class Misfit extends Error {
  readonly fault: MetaFault;

  constructor(place: string, expected: string, found: string) {
    super(place);
    this.fault = { place: place === "" ? "/" : place, expected, found };
  }
}

/** Returns the first fault, or null if the value is a `SnapshotMeta`. */
export function metaFault(value: unknown): MetaFault | null {
  try {
    checkMeta(value);
    return null;
  } catch (error) {
    if (error instanceof Misfit) return error.fault;
    throw error;
  }
}

/** Parses metadata; `problem` is a sentence like `/label is 5, not a month …`. */
export function parseMeta(
  text: string,
): { readonly meta: SnapshotMeta } | { readonly meta: null; readonly problem: string } {
  if (Buffer.byteLength(text) > META_BYTES_MAX) {
    return { meta: null, problem: `they are longer than ${META_BYTES_MAX} bytes` };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { meta: null, problem: "they are not JSON" };
  }
  const fault = metaFault(value);
  if (fault === null) return { meta: withNumbers(value as SnapshotMeta) };
  return { meta: null, problem: `${fault.place} is ${fault.found}, not ${fault.expected}` };
}

/** Adds an empty dictionary of numbers to the metadata of version 1, which has none. */
function withNumbers(meta: SnapshotMeta): SnapshotMeta {
  if (hasDictionary({ format: meta.format }, "number")) return meta;
  return { ...meta, dictionaries: { ...meta.dictionaries, number: [] } };
}

function checkMeta(value: unknown): void {
  const meta = objectAt("", value);
  checkMembers("", meta, MEMBERS);
  const sources = [...PROVENANCE, ...LATER_PROVENANCE];
  const provenance = closedAt("/provenance", meta.provenance, names(sources));
  const later = LATER_PROVENANCE.filter(([name]) => provenance[name] !== undefined);
  checkMembers("/provenance", provenance, [...PROVENANCE, ...later]);
  // `origin` is omitted if there was nothing to report.
  if (meta.origin !== undefined) {
    checkMembers("/origin", closedAt("/origin", meta.origin, names(ORIGIN)), ORIGIN);
  }
  if (meta.places !== undefined) checkPlaces(meta.places);
  if (meta.odd_municipalities !== undefined) {
    checkRows("/odd_municipalities", meta.odd_municipalities, ODD_MUNICIPALITY);
  }
  const lookups = closedAt("/lookups", meta.lookups, Object.keys(LOOKUPS));
  for (const [name, rules] of Object.entries(LOOKUPS)) {
    checkRows(`/lookups/${name}`, lookups[name], rules);
  }
  const known = Object.entries(DICTIONARIES).filter(([name]) => hasDictionary(meta, name));
  const dictionaries = closedAt("/dictionaries", meta.dictionaries, names(known));
  for (const [name, [value, most]] of known) {
    const place = `/dictionaries/${name}`;
    const values = listAt(place, dictionaries[name]);
    if (values.length > most) {
      throw new Misfit(place, `up to ${most} values`, `${values.length} values`);
    }
    checkAll(values, value, (at) => `${place}/${at}`);
    checkAscending(values, (at) => `${place}/${at}`);
  }
}

/** Places are optional, because they are present only if an operator has supplied them. */
function checkPlaces(value: unknown): void {
  const places = closedAt("/places", value, ["names", "municipalities"]);
  const names = listAt("/places/names", places.names);
  checkAll(names, name, (at) => `/places/names/${at}`);
  checkRows("/places/municipalities", places.municipalities, PLACED);
  for (const [at, row] of (places.municipalities as readonly (readonly unknown[])[]).entries()) {
    for (let cell = 1; cell <= 4; cell++) {
      const ordinal = row[cell];
      if (ordinal === null || Number(ordinal) < names.length) continue;
      const place = `/places/municipalities/${at}/${cell}`;
      throw new Misfit(place, `an ordinal of the ${names.length} names`, quoted(ordinal));
    }
  }
}

/** Returns true if metadata of a format has a dictionary. */
function hasDictionary({ format }: Members, name: string): boolean {
  return format !== 1 || name !== "number";
}

type Members = Readonly<Record<string, unknown>>;

function names(rules: readonly (readonly [name: string, rule: unknown])[]): string[] {
  return rules.map(([name]) => name);
}

function objectAt(place: string, value: unknown): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  throw new Misfit(place, "an object", quoted(value));
}

/**
 * Returns an object after checking that it has no unknown members. (Only at the top level may later
 * versions add members.)
 */
function closedAt(place: string, value: unknown, known: readonly string[]): Members {
  const members = objectAt(place, value);
  const other = Object.keys(members).find((name) => !known.includes(name));
  if (other === undefined) return members;
  throw new Misfit(
    place,
    `an object of ${known.join(", ")} alone`,
    `an object with ${quoted(other)}`,
  );
}

function listAt(place: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Misfit(place, "a list", quoted(value));
}

function checkMembers(
  place: string,
  members: Members,
  rules: readonly (readonly [name: string, rule: Rule])[],
): void {
  for (const [name, rule] of rules) {
    if (!rule.fits(members[name])) {
      throw new Misfit(`${place}/${name}`, rule.expected, quoted(members[name]));
    }
  }
}

function checkRows(place: string, value: unknown, rules: readonly Rule[]): void {
  const columns = columnsOf(place, listAt(place, value), rules.length);
  rules.forEach((one, cell) => {
    const cells = columns[cell] as readonly unknown[];
    checkAll(cells, one, (at) => `${place}/${at}/${cell}`);
    if (cell === 0) checkAscending(cells, (at) => `${place}/${at}/0`);
  });
}

function columnsOf(place: string, rows: readonly unknown[], width: number): unknown[][] {
  const columns = Array.from({ length: width }, () => new Array<unknown>(rows.length));
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at];
    if (!Array.isArray(row) || row.length !== width) {
      const found = Array.isArray(row) ? `a list of ${row.length}` : quoted(row);
      throw new Misfit(`${place}/${at}`, `a list of ${width}`, found);
    }
    for (let cell = 0; cell < width; cell++) (columns[cell] as unknown[])[at] = row[cell];
  }
  return columns;
}

function checkAll(values: readonly unknown[], one: Rule, placeOf: (at: number) => string): void {
  if (one.fitAll(values)) return;
  const at = values.findIndex((value) => !one.fits(value));
  throw new Misfit(placeOf(at), one.expected, quoted(values[at]));
}

/** Checks that values ascend. These ASCII texts of one shape sort the same in every way. */
function checkAscending(values: readonly unknown[], placeOf: (at: number) => string): void {
  let before = "";
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as string;
    if (value <= before) {
      throw new Misfit(placeOf(at), `behind ${quoted(before)}, each code once`, quoted(value));
    }
    before = value;
  }
}
