/**
 * Makes random valid specs. Input: a seeded source of numbers, a catalog, and accounts from which
 * values are drawn. Together, the specs use every filter, extension, sort field, direction,
 * strategy, and seed.
 * Invariant: the same source yields the same specs. Most values come from the same account, so that
 * about half of the specs match accounts.
 */

import { analyzeWords } from "../../../src/spec/analyzer.ts";
import {
  absenceMark,
  type Catalog,
  punctuateCnae,
  sectionOfCnae,
} from "../../../src/spec/catalog.ts";
import { WIDER_FIELDS } from "../../../src/spec/fields/wider.ts";
import {
  COMPANY_SIZE_CODES,
  CSV_DELIMITERS,
  EXPORT_FORMATS,
  OUTPUT_FIELD_NAMES,
  REGISTRATION_STATUSES,
  SCORING_STRATEGIES,
  SECONDARY_CNAE_MODES,
  SORT_DIRECTIONS,
  SORT_FIELDS,
  UFS,
} from "../../../src/spec/fields.ts";
import { DEBT_KINDS } from "../../../src/spec/filters/wider.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import type { TwinRow } from "../twin.ts";
import { contextWith, exportContext } from "./catalog.ts";

/** Returns a random number from 0 (included) to 1 (excluded). */
export type Rng = () => number;

type Json = Record<string, unknown>;

/** Small generator with a 32-bit state (mulberry32, Tommy Ettinger, public domain). */
export function seededRng(seed: number): Rng {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a valid spec in normal form. Limits are 1, 7, 100, or 50000. */
export function randomSpec(rng: Rng, catalog: Catalog, rows: readonly TwinRow[]): AccountQuerySpec {
  const draw = new Draw(rng);
  const spec = randomSpecInput(draw, catalog, rows);
  return normalizeSpec(spec, contextWith({ catalog })).spec;
}

/** Returns a valid spec of an export in normal form, with any mode for secondary activities. */
export function randomExportSpec(
  rng: Rng,
  catalog: Catalog,
  rows: readonly TwinRow[],
): AccountQuerySpec {
  const spec = randomExportInput(new Draw(rng), catalog, rows);
  return normalizeSpec(spec, exportContext(catalog)).spec;
}

/** A valid spec of an export before normalization. */
export function randomExportInput(draw: Draw, catalog: Catalog, rows: readonly TwinRow[]): Json {
  const spec = randomSpecInput(draw, catalog, rows);
  const filters = spec.filters as Record<string, Json>;
  const mode = draw.of(SECONDARY_CNAE_MODES);
  const format = draw.of(EXPORT_FORMATS);
  const csv = draw.some([
    ["bom", 0.5, () => draw.chance(0.5)],
    ["delimiter", 0.5, () => draw.of(CSV_DELIMITERS)],
  ]);
  return {
    ...spec,
    filters: { ...filters, industry: { ...filters.industry, secondary_cnae_mode: mode } },
    output: { ...(spec.output as Json), format, ...(format === "csv" ? csv : {}) },
  };
}

/**
 * Adds labels and a title if the format allows them. A separate step keeps the random choices for
 * other specs unchanged.
 */
export function withPeople(draw: Draw, input: Json): Json {
  const output = input.output as Json;
  const forPeople = draw.some([
    ["labels", 0.4, () => draw.of(["pt", "en", null])],
    ["title", 0.2, () => draw.of(["Padarias", " Mercados  de BH "])],
  ]);
  if (!["csv", "xlsx", "html"].includes(String(output.format))) return input;
  return { ...input, output: { ...output, ...forPeople } };
}

/** Random choices that use one source of numbers. */
export class Draw {
  /**
   * True if specs may also use the filters and fields that the first version of specs lacked. If
   * false, a seed yields the same specs as in that version.
   */
  readonly wider: boolean;
  readonly #rng: Rng;

  constructor(rng: Rng, wider = true) {
    this.#rng = rng;
    this.wider = wider;
  }

  /** True with a probability. */
  chance(probability: number): boolean {
    return this.#rng() < probability;
  }

  /** Integer from 0 to count-1. */
  below(count: number): number {
    return Math.floor(this.#rng() * count);
  }

  /** One of the values. */
  of<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }

  /** Returns an object in which each member exists with a given probability. */
  some(members: readonly (readonly [name: string, probability: number, make: () => unknown])[]) {
    const object: Json = {};
    for (const [name, probability, make] of members) {
      if (this.chance(probability)) object[name] = make();
    }
    return object;
  }

  /** Returns a list of `given`, if present, and up to `count` values of `make`. */
  list(given: unknown, count: number, make: () => unknown): unknown[] {
    const further = Array.from({ length: this.below(count + 1) }, make);
    const values = given === null || given === undefined ? further : [given, ...further];
    return values.length > 0 ? values : [make()];
  }
}

/** A valid spec before normalization, in varied spellings. */
export function randomSpecInput(draw: Draw, catalog: Catalog, rows: readonly TwinRow[]): Json {
  const row = rows.length > 0 ? draw.of(rows) : undefined;
  // Every further filter halves the number of matches, so most specs have few filters.
  const odds = draw.of([0.05, 0.12, 0.3]);
  const spec = firstSpecInput(draw, odds, catalog, row);
  if (!draw.wider) return spec;
  const filters = spec.filters as Record<string, Json>;
  return { ...spec, filters: withWider(draw, odds / 2, catalog, { filters, row }) };
}

/**
 * Returns the names of the fields that a spec may use. Fields that the first version lacked are
 * used only with `wider`.
 */
function fieldNames(draw: Draw): readonly string[] {
  const later: readonly string[] = WIDER_FIELDS.map(({ name }) => name);
  // The field whatsapp is never used. It is newer than the other fields, and the random choices for
  // existing specs must stay unchanged.
  if (draw.wider) return OUTPUT_FIELD_NAMES.filter((name) => name !== "whatsapp");
  return OUTPUT_FIELD_NAMES.filter((name) => !later.includes(name));
}

/** Returns a spec with the filters of the first version. */
function firstSpecInput(
  draw: Draw,
  odds: number,
  catalog: Catalog,
  row: TwinRow | undefined,
): Json {
  return {
    limit: draw.of([1, 7, 100, 50_000]),
    filters: {
      industry: randomIndustry(draw, odds, catalog, row),
      geo: randomGeo(draw, odds, catalog, row),
      company: { ...randomCompany(draw, odds, row), ...randomAmounts(draw, odds, catalog, row) },
      contact: draw.some([
        ["require_email", odds, () => true],
        ["require_phone", odds, () => true],
        ["require_any_contact", odds, () => true],
      ]),
    },
    sort: randomSort(draw),
    scoring: randomScoring(draw),
    output: draw.some([
      ["include_explain", 0.2, () => draw.chance(0.5)],
      ["fields", 0.3, () => draw.list("cnpj", 5, () => draw.of(fieldNames(draw)))],
    ]),
  };
}

interface Drawn {
  readonly filters: Readonly<Record<string, Json>>;
  readonly row: TwinRow | undefined;
}

/** Returns the filters, with random filters that the first version lacked. */
function withWider(draw: Draw, odds: number, catalog: Catalog, { filters, row }: Drawn): Json {
  const any = () => cnaeSpelling(draw, draw.of(catalog.cnaeCodes));
  const [first] = (row?.cnae_secondary ?? []) as readonly string[];
  const own = first && cnaeSpelling(draw, first);
  const counted = catalog.lacksCounts !== true;
  const wider = {
    industry: draw.some([["cnae_secondary_any_of", odds, () => draw.list(own, 3, any)]]),
    geo: catalog.lacksDistricts ? {} : randomDistricts(draw, odds, catalog, row),
    company: draw.some([
      ["branches_only", odds, () => true],
      ...(counted
        ? ([
            ["establishments_min", odds, () => 1 + draw.below(3)],
            ["establishments_max", odds, () => 3 + draw.below(9)],
          ] as const)
        : []),
    ]),
    contact: draw.some([
      ["require_mobile", odds, () => true],
      ["require_landline", odds, () => true],
      ...(counted
        ? ([
            ["require_own_domain", odds, () => true],
            ["email_shared_max", odds, () => draw.of([1, 2, 9, 1_000])],
            ["phone_shared_max", odds, () => draw.of([1, 2, 9, 1_000])],
          ] as const)
        : []),
    ]),
  };
  const record = randomRecord(odds / 3, catalog, { filters, row });
  // A spec cannot require both head offices only and branches only.
  const isBranch = wider.company.branches_only === true;
  const company = isBranch ? { ...filters.company, headquarters_only: false } : filters.company;
  return {
    ...filters,
    industry: { ...filters.industry, ...wider.industry },
    geo: { ...filters.geo, ...wider.geo },
    company: { ...company, ...wider.company, ...record.company },
    contact: {
      ...filters.contact,
      ...wider.contact,
      ...record.contact,
      ...(catalog.lacksContacts ? {} : randomContacts(odds, { filters, row })),
    },
  };
}

/**
 * Returns a random source whose seed derives from earlier choices, so that the random choices for
 * other specs stay unchanged.
 */
function ownDraw({ filters, row }: Drawn, seed: number): Draw {
  const drawn = Buffer.from(JSON.stringify([filters, row?.cnpj]));
  return new Draw(seededRng(drawn.reduce((sum, byte) => (sum * 31 + byte) >>> 0, seed)));
}

/**
 * Returns filters on the day and reason of the registration status, the days on which companies
 * left tax regimes, public lists, owners, and missing contacts.
 */
function randomRecord(odds: number, catalog: Catalog, drawn: Drawn) {
  const { row } = drawn;
  const draw = ownDraw(drawn, 11);
  const year = (value: unknown) => Number(String(value ?? "2015").slice(0, 4));
  const interval = (since: string, before: string, day: unknown) =>
    [
      [since, odds, () => draw.of([`${year(day) - draw.below(3)}`, day ?? "2014-05"])],
      [before, odds, () => `${year(day) + 1 + draw.below(4)}-0${1 + draw.below(9)}`],
    ] as const;
  const reason = () => String(draw.of([1, 7, 14, 63, 71])).padStart(draw.of([1, 2]), "0");
  const reasons = () => draw.list(row?.registration_status_reason, 2, reason);
  const known = (["ceis", "cnep", "cepim"] as const).filter((list) => !catalog[absenceMark(list)]);
  const debt = Number(row?.federal_debt_total ?? 1_000 + draw.below(100_000));
  const roots = () => draw.list(String(row?.cnpj ?? "00000000").slice(0, 8), 2, () => "00000000");
  const owners = draw.some([["owned_by_any_of", odds, roots]]);
  const partners = () =>
    draw.some([
      ["owned_companies_min", odds / 2, () => 1 + draw.below(3)],
      ["owned_companies_max", odds / 2, () => 3 + draw.below(3)],
      ["owner_companies_min", odds / 2, () => 1 + draw.below(2)],
      ["owner_companies_max", odds / 2, () => 2 + draw.below(3)],
    ]);
  const hasOwners = !catalog.lacksPartners && !catalog.comparesMonths;
  const kinds = ["email", "phone", "mobile", "any"] as const;
  return {
    company: {
      ...draw.some([
        ...interval("status_since", "status_before", row?.registration_status_date),
        ...(catalog.lacksExclusions
          ? []
          : [
              ...interval(
                "simples_excluded_since",
                "simples_excluded_before",
                row?.simples_excluded_on,
              ),
              ...interval("mei_excluded_since", "mei_excluded_before", row?.mei_excluded_on),
            ]),
        ...(catalog.statusReasons === undefined
          ? []
          : ([["status_reason_any_of", odds, () => knownReasons(catalog, reasons())]] as const)),
        ...(known.length === 0
          ? []
          : ([["sanction_any_of", odds, () => [draw.of(known), draw.of(known)]]] as const)),
        ...(catalog.lacksDebts
          ? []
          : ([
              ["has_federal_debt", odds, () => draw.chance(0.5)],
              ["federal_debt_min", odds, () => Math.floor(debt * draw.of([0, 50, 99, 100])) / 100],
              ["federal_debt_max", odds, () => Math.ceil(debt * draw.of([100, 101, 300])) / 100],
              ["federal_debt_any_of", odds, () => [draw.of(DEBT_KINDS), draw.of(DEBT_KINDS)]],
            ] as const)),
      ]),
      ...(hasOwners ? { ...owners, ...partners() } : {}),
      ...(hasOwners && owners.owned_by_any_of !== undefined
        ? { owned_by_depth: 1 + draw.below(5) }
        : {}),
    },
    contact: draw.some([
      [
        "missing_any_of",
        odds,
        () => (catalog.lacksExclusions ? [draw.of(kinds)] : [draw.of(kinds), draw.of(kinds)]),
      ],
    ]),
  };
}

/** Returns the reasons that the snapshot has. Specs with others would be rejected. */
function knownReasons(catalog: Catalog, reasons: readonly unknown[]): unknown[] {
  const known = (catalog.statusReasons ?? []).map(Number);
  return reasons.filter((reason) => known.includes(Number(reason)));
}

/**
 * Returns filters by phones and e-mails in common spellings, first those of an account. They come
 * from a separate random source, so the choices for other specs stay unchanged.
 */
function randomContacts(odds: number, { filters, row }: Drawn): Json {
  const draw = ownDraw({ filters, row }, 7);
  const { phone_1: first, phone_2: second, email } = row ?? {};
  const digits = String(first ?? second ?? "+551133334444").slice(3);
  const phone = draw.of([`+55${digits}`, `(${digits.slice(0, 2)}) ${digits.slice(2)}`]);
  const typed = String(email ?? "ana@example.com");
  const address = draw.of([typed, typed.toUpperCase()]);
  return draw.some([
    ["phone_any_of", odds, () => draw.list(phone, 2, () => `11 9${draw.below(9)}345-6789`)],
    ["email_any_of", odds, () => draw.list(address, 2, () => `ana${draw.below(99)}@example.com`)],
  ]);
}

/** Returns filters by districts in common spellings. The first one is that of an account. */
function randomDistricts(
  draw: Draw,
  odds: number,
  catalog: Catalog,
  row: TwinRow | undefined,
): Json {
  const spelled = (name: string) =>
    draw.of([name, name.toLowerCase(), `  ${name.replaceAll(" ", "   ")}`]);
  const { municipality_ibge: ibge, district } = row ?? {};
  const name = spelled(String(district ?? "Centro"));
  const own = ibge ? { municipality_ibge: ibge, name } : undefined;
  const any = () => ({ municipality_ibge: draw.of(ibgeCodes(catalog)), name: spelled("CENTRO") });
  return draw.some([["district_any_of", odds, () => draw.list(own, 3, any)]]);
}

/** Returns an activity in a random spelling: formatted, digits, a prefix, or its section. */
function cnaeSpelling(draw: Draw, code: string): string {
  const section = sectionOfCnae(code);
  if (section === null) return code;
  const prefixes = [2, 3, 4, 5].map((length) => code.slice(0, length));
  return draw.of([code, code, punctuateCnae(code), section, ...prefixes]);
}

function randomIndustry(
  draw: Draw,
  odds: number,
  catalog: Catalog,
  row: TwinRow | undefined,
): Json {
  const any = () => cnaeSpelling(draw, draw.of(catalog.cnaeCodes));
  const own = row?.cnae_primary ? cnaeSpelling(draw, String(row.cnae_primary)) : undefined;
  const words = analyzeWords(`${row?.legal_name ?? ""} ${row?.trade_name ?? ""}`);
  const word = () => (words.length > 0 ? draw.of(words).slice(0, 40) : "comercio");
  const phrase = () => (draw.chance(0.4) ? `${word()} ${word()}` : word().toUpperCase());
  return draw.some([
    ["cnae_any_of", 2 * odds, () => draw.list(own, 4, any)],
    ["cnae_exclude", odds, () => draw.list(undefined, 2, any)],
    ["text_hints", odds, () => draw.list(phrase(), 2, () => draw.of([phrase(), "qqzz", "ltda"]))],
    ["secondary_cnae_mode", 0.2, () => "off"],
  ]);
}

const knownIbge = new WeakMap<Catalog, readonly string[]>();

/**
 * Returns the IBGE codes of the municipalities that have one. They are cached, because thousands of
 * specs are drawn.
 */
function ibgeCodes(catalog: Catalog): readonly string[] {
  const known = knownIbge.get(catalog);
  if (known !== undefined) return known;
  const codes = catalog.municipalities.flatMap(({ ibge }) => (ibge === null ? [] : [ibge]));
  knownIbge.set(catalog, codes);
  return codes;
}

function randomGeo(draw: Draw, odds: number, catalog: Catalog, row: TwinRow | undefined): Json {
  const place = () => draw.of(catalog.municipalities);
  const ibge = () => draw.of(ibgeCodes(catalog)).slice(0, draw.of([6, 7]));
  const postal = String(row?.postal_code ?? "01310100").slice(0, 1 + draw.below(8));
  const digits = () => String(draw.below(1_000)).padStart(3, "0").slice(draw.below(3));
  const area = (row?.phone_1 ?? row?.phone_2 ?? "+5511").toString().slice(3, 5);
  return draw.some([
    ["uf_any_of", 2 * odds, () => draw.list(row?.uf, 4, () => draw.of(UFS).toLowerCase())],
    ["municipality_ibge_any_of", odds, () => draw.list(row?.municipality_ibge, 3, ibge)],
    ["municipality_tom_any_of", odds, () => draw.list(row?.municipality_tom, 3, () => place().tom)],
    ["postal_code_prefix_any_of", odds, () => draw.list(postal, 3, digits)],
    ["area_code_any_of", odds, () => draw.list(area, 2, () => String(11 + draw.below(89)))],
  ]);
}

function randomCompany(draw: Draw, odds: number, row: TwinRow | undefined): Json {
  const status = () => draw.of(REGISTRATION_STATUSES);
  const size = () => draw.of(COMPANY_SIZE_CODES);
  const flag = (value: unknown) => (draw.chance(0.7) ? (value ?? null) : draw.chance(0.5));
  return draw.some([
    ["registration_status_any_of", odds, () => draw.list(row?.registration_status, 2, status)],
    ["company_size_code_any_of", odds, () => draw.list(row?.company_size_code, 2, size)],
    ["headquarters_only", odds, () => draw.chance(0.8)],
    ["simples_opt_in", odds, () => flag(row?.simples_opt_in)],
    ["mei_opt_in", odds, () => flag(row?.mei_opt_in)],
  ]);
}

/** Returns filters by dates, amounts, and legal natures, with the bounds in order. */
function randomAmounts(draw: Draw, odds: number, catalog: Catalog, row: TwinRow | undefined): Json {
  const started = Number(String(row?.started_on ?? "2015").slice(0, 4));
  const date = (year: number) => {
    const month = String(1 + draw.below(12)).padStart(2, "0");
    const day = String(1 + draw.below(28)).padStart(2, "0");
    return draw.of([`${year}`, `${year}-${month}`, `${year}-${month}-${day}`]);
  };
  const capital = Number(row?.share_capital ?? draw.below(100_000));
  const less = Math.floor(capital * draw.of([0, 50, 99, 100])) / 100;
  const more = Math.ceil(capital * draw.of([100, 101, 300])) / 100;
  const nature = () => draw.of(catalog.legalNatures).slice(0, draw.of([1, 2, 3, 4, 4]));
  return draw.some([
    [
      "started_after",
      odds,
      () => draw.of([date(started - draw.below(9)), row?.started_on ?? null]),
    ],
    ["started_before", odds, () => date(started + 1 + draw.below(9))],
    ["share_capital_min", odds, () => less],
    ["share_capital_max", odds, () => more],
    ["legal_nature_any_of", odds, () => draw.list(row?.legal_nature, 2, nature)],
  ]);
}

function randomSort(draw: Draw): Json[] {
  if (draw.chance(0.4)) return [];
  const fields = new Set(Array.from({ length: 1 + draw.below(3) }, () => draw.of(SORT_FIELDS)));
  return [...fields].map((field) => ({ field, direction: draw.of(SORT_DIRECTIONS) }));
}

function randomScoring(draw: Draw): Json {
  const strategy = draw.of(SCORING_STRATEGIES);
  const seeded = strategy === "random" || draw.chance(0.3);
  const seed = draw.of([0, 42, 2 ** 53 - 1, draw.below(2 ** 32)]);
  return { strategy, random_seed: seeded ? seed : null };
}
