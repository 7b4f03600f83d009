/**
 * The project's own labeled sentences. Reads both halves of test/sentences, and compares each field
 * of a translator's spec with the label.
 * Invariant: the labels come from the meaning of the words and from the official tables, never from
 * a translator. A field that a label does not name must have its default. A hash of the text
 * decides in which half a sentence is, so that it is not chosen by hand. The held-out half is
 * measured, never inspected.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { analyzeWords } from "../../../src/spec/analyzer.ts";
import { type Catalog, type CatalogLookup, catalogLookup } from "../../../src/spec/catalog.ts";
import { foldDistrict } from "../../../src/spec/districtname.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { memberOf } from "../../../src/spec/filters/members.ts";
import { FILTERS, type PartName } from "../../../src/spec/filters/table.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { ROOT } from "../house/checkout.ts";

/** The two halves: one to tune the translator with, and one that is only measured. */
export const HALVES = ["development", "held-out"] as const;
/** The name of one half. */
export type Half = (typeof HALVES)[number];

/** The expected activities: all of `must`, and no code outside `must` and `may`. */
export interface ExpectedCodes {
  /** Codes or prefixes in the spelling of a spec. `a|b` means that one of them is enough. */
  readonly must: readonly string[];
  readonly may?: readonly string[];
}

/** The expected result. Fields that are not named must have their defaults. */
export interface Expected {
  readonly cnae?: ExpectedCodes;
  readonly cnae_exclude?: ExpectedCodes;
  readonly uf?: readonly string[];
  /** IBGE codes, 7 digits. */
  readonly municipality?: readonly string[];
  /**
   * Cities that the sentence excludes from the states in `uf`, or from Brazil. The right spec lists
   * all other cities.
   */
  readonly not_municipality?: readonly string[];
  /** Districts, as `IBGE code:name`. */
  readonly district?: readonly string[];
  /** Members of `filters.company`. Dates may have any form that `resolveDay` accepts. */
  readonly company?: Readonly<Record<string, unknown>>;
  readonly contact?: Readonly<Record<string, boolean | number | readonly string[]>>;
  readonly cnae_secondary?: ExpectedCodes;
  /** Words of the name. `area` has area codes, and `postal` has prefixes of postal codes. */
  readonly words?: readonly string[];
  readonly area?: readonly string[];
  readonly postal?: readonly string[];
  readonly limit?: number;
  /** The first sort keys as `field direction`. `a|b direction` means that either field is right. */
  readonly sort?: readonly string[];
  /** Words of the text that must be in an unmapped constraint. */
  readonly unmapped?: readonly string[];
  /** Words that may also be reported as unmapped. `*` means any word. */
  readonly unmapped_may?: readonly string[];
  /** True if the user must confirm the translation before it runs. */
  readonly uncertain?: true;
}

/** One labeled sentence of a half. */
export interface LabelledSentence {
  readonly text: string;
  /** The construct that the sentence tests. */
  readonly group: string;
  readonly expect: Expected;
  /** Other expectations that are equally right, because the words are ambiguous. */
  readonly or?: readonly Expected[];
  /** Text of an equivalent sentence of the same half. */
  readonly same_as?: string;
}

/** The members of a snapshot that evaluation needs. A `Segment` has them. */
export interface EvaluationSnapshot {
  readonly catalog: Catalog;
  /** `YYYY-MM-DD`. */
  readonly snapshotDate: string;
}

/** The evaluated fields, each right or wrong. */
export const FIELDS = [
  ...(["activities", "excluded", "uf", "municipality", "status", "size", "mei"] as const),
  ...(["simples", "headquarters", "started", "capital", "contact", "limit", "sort"] as const),
  ...(["secondary", "nature", "units", "name", "codes", "district", "facts"] as const),
  "unmapped",
] as const;
/** One evaluated field. */
export type Field = (typeof FIELDS)[number];

/**
 * For each part of a spec, the field in which it is compared. The type requires every part. Parts
 * without a special rule are compared exactly.
 */
const FIELD_OF: Readonly<Record<PartName, Field>> = {
  ...({ cnae: "activities", cnae_exclude: "excluded", cnae_secondary: "secondary" } as const),
  ...({ text_hints: "name", uf: "uf", municipality: "municipality" } as const),
  ...({ district: "district", postal_code: "codes", area_code: "codes" } as const),
  ...({ registration_status: "status", company_size: "size", legal_nature: "nature" } as const),
  ...({ headquarters: "headquarters", branches: "units", establishments: "units" } as const),
  ...({ simples: "simples", mei: "mei", started: "started", share_capital: "capital" } as const),
  ...({ email: "contact", phone: "contact", any_contact: "contact", mobile: "contact" } as const),
  ...({ landline: "contact", own_domain: "contact", email_shared: "contact" } as const),
  ...({ phone_shared: "contact", phone_number: "contact", email_address: "contact" } as const),
  ...({ contact_missing: "contact", status_changed: "facts", status_reason: "facts" } as const),
  ...({ simples_excluded: "facts", mei_excluded: "facts", sanction: "facts" } as const),
  ...({ federal_debt: "facts", federal_debt_total: "facts", federal_debt_kind: "facts" } as const),
  ...({ owned_by: "facts", owned_companies: "facts", owner_companies: "facts" } as const),
  ...({ lists: "facts", lists_exclude: "facts" } as const),
};

/** Expected unmapped words that were found and missed, and unexpected constraints. */
export interface UnmappedCount {
  readonly found: number;
  readonly missed: number;
  readonly extra: number;
}

/** How right a translation is. */
export interface Evaluation {
  /** True for each field that is right under one of the expectations. */
  readonly fields: Readonly<Record<Field, boolean>>;
  /** True if all fields are right under a single expectation. */
  readonly right: boolean;
  /** Counts under the expectation that is closest to the translation. */
  readonly unmapped: UnmappedCount;
}

/** Stands for "no limit", because no sentence names this number. */
const NO_LIMIT = 49_999;
const ALL_STATUSES = 5;
const ALL_SIZES = 4;
const ALL_STATES = 27;
const DISTRITO_FEDERAL = { uf: "DF", municipality: "5300108" };

/** Returns the sentences of one half, in file order. */
export function loadSentences(half: Half): readonly LabelledSentence[] {
  return readSentences(half);
}

/**
 * Returns labeled sentences that were written later. Each file was labeled before its first run,
 * and the language is the `group`. The numbers of right translations in the first run, in
 * Portuguese, English, and Spanish, were:
 * - "further": 103 of 120, 46 of 50, and 21 of 30.
 * - "fresh": 35 of 39, 12 of 14, and 8 of 8.
 * - "sixty": 33 of 36, 11 of 12, and 12 of 12. In two labels, the dates for a year ended a day
 *   early.
 * - "second": 110 of 120, 40 of 50, and 25 of 30. It was written without reading the lexicon, and
 *   four labels name too few codes.
 * - "third": 45 of 50, 26 of 30, and 17 of 20. Three of its sentences also occur in older sets. The
 *   translations of these three were right.
 * The sentences that were translated wrong in a first run have since been fixed.
 */
export function loadLater(
  file: "further" | "fresh" | "sixty" | "second" | "third",
): readonly LabelledSentence[] {
  return readSentences(file);
}

function readSentences(file: string): readonly LabelledSentence[] {
  return readFileSync(join(ROOT, `test/support/sentences/${file}.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as LabelledSentence);
}

/**
 * Returns the half (development or held-out) that a sentence belongs to. A bit of the FNV-1a hash
 * of its text decides. Equivalent sentences use the text of the first.
 */
export function halfOf({ text, same_as }: Pick<LabelledSentence, "text" | "same_as">): Half {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(same_as ?? text, "utf8")) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return ((hash >>> 16) & 1) === 0 ? "development" : "held-out";
}

/** Returns every expectation under which a sentence counts as right. */
export function expectationsOf(sentence: LabelledSentence): readonly Expected[] {
  return [sentence.expect, ...(sentence.or ?? [])];
}

/**
 * Returns the day that a label means: `YYYY-MM-DD`, or a day relative to the snapshot's date. The
 * forms `-P2Y`, `-P6M`, and `-P30D` mean complete years, months, or days before that date. The
 * forms `@Y`, `@Y-1`, and `@M` mean the first day of its year, of the previous year, and of its
 * month.
 */
export function resolveDay(day: string, snapshotDate: string): string {
  const [year = 0, month = 1, date = 1] = snapshotDate.split("-").map(Number);
  const back = /^-P(\d+)([YMD])$/.exec(day);
  const iso = (value: Date) => value.toISOString().slice(0, 10);
  if (day === "@Y") return `${year}-01-01`;
  if (day === "@Y-1") return `${year - 1}-01-01`;
  if (day === "@M") return `${snapshotDate.slice(0, 7)}-01`;
  if (back === null) return day;
  const count = Number(back[1]);
  if (back[2] === "D") return iso(new Date(Date.UTC(year, month - 1, date - count)));
  const months = month - 1 - count * (back[2] === "Y" ? 12 : 1);
  const last = new Date(Date.UTC(year, months + 1, 0)).getUTCDate();
  return iso(new Date(Date.UTC(year, months, Math.min(date, last))));
}

/** Returns the spec of an expectation, as a client could write it. */
export function specOf(expected: Expected, { catalog, snapshotDate }: EvaluationSnapshot) {
  const { cnae, cnae_exclude, company = {}, sort = [], district = [] } = expected;
  const first = (codes?: ExpectedCodes) => (codes?.must ?? []).map((one) => one.split("|")[0]);
  const days = Object.entries(company).flatMap(([name, day]) => {
    const isDay = /_(after|since|before)$/.test(name) && typeof day === "string";
    return isDay ? [[name, resolveDay(day, snapshotDate)]] : [];
  });
  const { ufs, municipalities } = wantedPlaces(expected, catalog);
  return {
    ...(expected.limit === undefined ? {} : { limit: expected.limit }),
    filters: {
      industry: {
        ...{ cnae_any_of: first(cnae), cnae_exclude: first(cnae_exclude) },
        cnae_secondary_any_of: first(expected.cnae_secondary),
        text_hints: expected.words ?? [],
      },
      geo: {
        area_code_any_of: expected.area ?? [],
        postal_code_prefix_any_of: expected.postal ?? [],
        ...{ uf_any_of: ufs, municipality_ibge_any_of: municipalities },
        ...(district.length === 0 ? {} : { district_any_of: district.map(districtOf) }),
      },
      company: { registration_status_any_of: [2], ...company, ...Object.fromEntries(days) },
      contact: expected.contact ?? {},
    },
    sort: sort.map((key) => {
      const [fields = "", direction] = key.split(" ");
      return { field: fields.split("|")[0], direction };
    }),
    explain: {
      unmapped_constraints: (expected.unmapped ?? []).map((words) => ({ code: "expected", words })),
    },
  };
}

function districtOf(label: string) {
  const [municipality_ibge = "", name = ""] = label.split(":");
  return { municipality_ibge, name };
}

/** Normalizes a spec of a label or a translator. @throws AppError if it is invalid. */
export function normalizedForEvaluation(spec: unknown, { catalog }: EvaluationSnapshot) {
  return normalizeSpec(spec, {
    catalog,
    ...{ limitDefault: NO_LIMIT, limitCap: 50_000, mode: "search", fullAllowed: false },
    ...{ allowedFields: OUTPUT_FIELD_NAMES, defaultFields: DEFAULT_FIELDS },
  }).spec;
}

/**
 * Evaluates the spec that a translator returned for a sentence. `spec` is that result, unchanged.
 * @throws AppError if it cannot be normalized.
 */
export function evaluate(
  sentence: LabelledSentence,
  spec: unknown,
  snapshot: EvaluationSnapshot,
): Evaluation {
  const actual = normalizedForEvaluation(spec, snapshot);
  const evaluated = expectationsOf(sentence).map((expected) =>
    evaluateOne(expected, actual, snapshot),
  );
  const wrongs = (one: (typeof evaluated)[number]) =>
    FIELDS.filter((field) => !one.fields[field]).length;
  const closest = evaluated.reduce((best, one) => (wrongs(one) < wrongs(best) ? one : best));
  const fields = Object.fromEntries(
    FIELDS.map((field) => [field, evaluated.some((one) => one.fields[field])]),
  ) as Record<Field, boolean>;
  return { fields, right: wrongs(closest) === 0, unmapped: closest.unmapped };
}

function evaluateOne(expected: Expected, actual: AccountQuerySpec, snapshot: EvaluationSnapshot) {
  const lookup = catalogLookup(snapshot.catalog);
  const label = normalizedForEvaluation(specOf(expected, snapshot), snapshot);
  const [want, have] = [label.filters.company, actual.filters.company];
  const { industry } = actual.filters;
  const [wantedGeo, geo] = [geoOf(label, lookup), geoOf(actual, lookup)];
  const unmapped = countUnmapped(expected.unmapped ?? [], expected.unmapped_may ?? [], actual);
  const byRule = {
    activities: rightCodes(expected.cnae, industry.cnae_any_of, lookup),
    excluded: rightCodes(expected.cnae_exclude, industry.cnae_exclude, lookup),
    secondary: rightCodes(expected.cnae_secondary, industry.cnae_secondary_any_of ?? [], lookup),
    uf: same(wantedGeo.ufs, geo.ufs),
    municipality: same(wantedGeo.municipalities, geo.municipalities),
    district: same(districtsOf(label), districtsOf(actual)),
    status: same(
      unlessAll(want.registration_status_any_of, ALL_STATUSES),
      unlessAll(have.registration_status_any_of, ALL_STATUSES),
    ),
    size: same(
      unlessAll(want.company_size_code_any_of, ALL_SIZES),
      unlessAll(have.company_size_code_any_of, ALL_SIZES),
    ),
    started: rightDays(expected, label, actual, snapshot.snapshotDate),
    contact: same(contactOf(label), contactOf(actual)),
    limit: label.limit === actual.limit,
    sort: rightSort(expected.sort ?? [], actual.sort),
    unmapped: unmapped.missed === 0 && unmapped.extra === 0,
  };
  const fields = Object.fromEntries(
    FIELDS.map((field) => [field, hasSameParts(field, label, actual)]),
  ) as Record<Field, boolean>;
  return { fields: { ...fields, ...byRule }, unmapped };
}

/** True if all filters that a field evaluates are equal. */
function hasSameParts(field: Field, label: AccountQuerySpec, actual: AccountQuerySpec): boolean {
  return FILTERS.every((row) => {
    const own = row.part === null ? "facts" : FIELD_OF[row.part];
    return own !== field || same(memberOf(label.filters, row), memberOf(actual.filters, row));
  });
}

/** Returns the folded names of districts with their cities, sorted. */
function districtsOf({ filters: { geo } }: AccountQuerySpec): string[] {
  const names = geo.district_any_of ?? [];
  return names.map((one) => `${one.municipality_ibge}:${foldDistrict(one.name)}`).sort();
}

/** Returns the contact filters. If an own domain is required, an e-mail is required too. */
function contactOf({ filters: { contact } }: AccountQuerySpec) {
  return contact.require_own_domain ? { ...contact, require_email: true } : contact;
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Returns no values if all of them are listed, because such a list filters nothing. */
function unlessAll<Value>(values: readonly Value[], all: number): readonly Value[] {
  return values.length === all ? [] : values;
}

function rightCodes(
  { must, may = [] }: ExpectedCodes = { must: [] },
  chosen: readonly string[],
  lookup: CatalogLookup,
): boolean {
  const groups = must.map((one) => one.split("|"));
  const allowed = new Set([...groups.flat(), ...may].flatMap((code) => lookup.cnae(code)));
  const has = (code: string) => lookup.cnae(code).every((one) => chosen.includes(one));
  return groups.every((group) => group.some(has)) && chosen.every((code) => allowed.has(code));
}

interface Geo {
  readonly ufs: readonly string[];
  readonly municipalities: readonly string[];
}

/**
 * Returns the places that a spec means. The state of a listed city is redundant, and the DF equals
 * its only municipality.
 */
function geoOf({ filters: { geo } }: AccountQuerySpec, lookup: CatalogLookup): Geo {
  const byTom = geo.municipality_tom_any_of.map((tom) => lookup.municipalityByTom(tom)?.ibge ?? "");
  const municipalities = [...new Set([...geo.municipality_ibge_any_of, ...byTom])].sort();
  const ufs = geo.uf_any_of;
  if (municipalities.length === 0) {
    if (same(ufs, [DISTRITO_FEDERAL.uf])) {
      return { ufs: [], municipalities: [DISTRITO_FEDERAL.municipality] };
    }
    const country = ufs.length >= ALL_STATES && !ufs.includes("EX");
    return { ufs: country ? [] : ufs, municipalities };
  }
  const covered = municipalities.every((code) =>
    ufs.includes(lookup.municipalityByIbge(code)?.uf ?? ""),
  );
  return { ufs: covered ? [] : ufs, municipalities };
}

/**
 * Returns the states and cities that a label requests. If the label excludes cities, these are all
 * other cities of the same states.
 */
function wantedPlaces(
  { uf = [], municipality = [], not_municipality }: Expected,
  catalog: Catalog,
): Geo {
  if (not_municipality === undefined) return { ufs: uf, municipalities: municipality };
  const isIn = (code: string, of: string) =>
    municipality.length > 0 ? municipality.includes(code) : uf.length === 0 || uf.includes(of);
  const codes = catalog.municipalities.flatMap(({ ibge, uf: of }) =>
    ibge !== null && of !== null && isIn(ibge, of) && !not_municipality.includes(ibge)
      ? [ibge]
      : [],
  );
  return { ufs: [], municipalities: [...new Set(codes)] };
}

/**
 * True if the dates are right. Dates that come from an age may differ by a day, and a date after
 * the snapshot's counts as no date.
 */
function rightDays(
  { company = {} }: Expected,
  label: AccountQuerySpec,
  actual: AccountQuerySpec,
  snapshotDate: string,
): boolean {
  return (["started_after", "started_before"] as const).every((name) => {
    const want = label.filters.company[name];
    const given = actual.filters.company[name];
    const have = name === "started_before" && given !== null && given > snapshotDate ? null : given;
    if (want === null || have === null || !String(company[name]).startsWith("-P")) {
      return want === have;
    }
    return Math.abs(Date.parse(want) - Date.parse(have)) <= 86_400_000;
  });
}

/** The actual spec may have further keys, because they only break ties. */
function rightSort(expected: readonly string[], actual: AccountQuerySpec["sort"]): boolean {
  if (expected.length === 0) return same(actual, [{ field: "score", direction: "desc" }]);
  return expected.every((key, at) => {
    const [fields = "", direction] = key.split(" ");
    const have = actual[at];
    return (
      have !== undefined && have.direction === direction && fields.split("|").includes(have.field)
    );
  });
}

/** Words that are too common to show which request a constraint is about. */
const SMALL = new Set(
  "de da do das dos em no na nos nas com a o e ou um uma mais the of in with".split(" "),
);

/**
 * Counts the expected words that were reported or missed, and the constraints that share no word
 * with any of them.
 */
function countUnmapped(
  expected: readonly string[],
  may: readonly string[],
  { explain }: AccountQuerySpec,
): UnmappedCount {
  const notes = explain.unmapped_constraints.map((note) =>
    analyzeWords(typeof note === "string" ? note : String(note.words ?? "")),
  );
  const holds = (note: readonly string[], phrase: string) =>
    ` ${note.join(" ")} `.includes(` ${analyzeWords(phrase).join(" ")} `);
  const found = expected.filter((phrase) => notes.some((note) => holds(note, phrase))).length;
  const known = new Set(
    [...expected, ...may].flatMap((phrase) => analyzeWords(phrase)).filter((w) => !SMALL.has(w)),
  );
  const extra = may.includes("*")
    ? 0
    : notes.filter((note) => !note.some((word) => known.has(word))).length;
  return { found, missed: expected.length - found, extra };
}
