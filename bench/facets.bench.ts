/**
 * Facets against DuckDB. Input: a corpus. Output: for each filter and facet the median times of
 * both engines, and Peneira's cost of a million matches. These costs are the basis of the constants
 * in native-index/query/facets/facets.cc.
 * Invariant: every listed count equals DuckDB's before anything is timed. Nothing is cached between
 * calls, and DuckDB's table has narrow columns in rank order.
 * Command: npm run bench -- facets [--accounts 1000000]
 * With --crosses: tables of two facets against their targets (bench/questions/crosses.ts).
 */
import { parseArgs } from "node:util";
import { type Facets, facets } from "../src/search/facet.ts";
import { plan } from "../src/search/plan.ts";
import { openSegment, type Segment } from "../src/search/segment.ts";
import type { FacetName } from "../src/spec/facets.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../src/spec/fields.ts";
import { normalizeSpec } from "../src/spec/normalize.ts";
import { formatRatio, formatUs, type MeasureOptions, measure, measureAsync } from "./measure.ts";
import { type Corpus, makeCorpus } from "./questions/corpus.ts";
import { benchCrosses } from "./questions/crosses.ts";
import { openRivals, type Rivals } from "./rivals/rivals.ts";

/** The facets that can be computed from columns of DuckDB's table, and those columns. */
const COLUMNS = {
  uf: "uf",
  municipality: "municipality",
  cnae_subclass: "cnae",
  registration_status: "status",
  company_size: "size",
  started_year: "year(started_on)",
  mei: "mei",
} as const satisfies Partial<Record<FacetName, string>>;

type Name = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Name[];

/**
 * Filters from all accounts down to a few per chunk. CUBE (stored counts) answers the first ones.
 */
const QUESTIONS = [
  { name: "all", filters: {}, where: "true" },
  {
    name: "state, active",
    filters: { geo: { uf_any_of: ["SP"] }, company: { registration_status_any_of: [2] } },
    where: "uf = 'SP' AND status = 2",
  },
  { name: "e-mail", filters: { contact: { require_email: true } }, where: "has_email" },
  {
    name: "e-mail, not MEI, since 2020",
    filters: {
      contact: { require_email: true },
      company: { mei_opt_in: false, started_after: "2020-01-01" },
    },
    where: "has_email AND NOT mei AND started_on >= DATE '2020-01-01'",
  },
  {
    name: "state, e-mail, not MEI, since 2020",
    filters: {
      geo: { uf_any_of: ["PR"] },
      contact: { require_email: true },
      company: { mei_opt_in: false, started_after: "2020-01-01" },
    },
    where: "uf = 'PR' AND has_email AND NOT mei AND started_on >= DATE '2020-01-01'",
  },
  {
    name: "two states, e-mail, since a day",
    filters: {
      geo: { uf_any_of: ["SP", "MG"] },
      contact: { require_email: true },
      company: { started_after: "2005-06-15" },
    },
    where: "uf IN ('SP', 'MG') AND has_email AND started_on >= DATE '2005-06-15'",
  },
  {
    name: "a division, active",
    filters: { industry: { cnae_any_of: ["47"] }, company: { registration_status_any_of: [2] } },
    where: "cnae // 100000 = 47 AND status = 2",
  },
] as const;

/** One line of the table. Times are in microseconds. */
export interface FacetLine {
  readonly filter: string;
  readonly facet: FacetName;
  readonly matches: number;
  readonly peneira: number;
  readonly duck: number;
}

/** Compares the counts of every facet of every query with DuckDB's, then times them. */
export async function benchFacets(
  corpus: Corpus,
  options: Partial<MeasureOptions> = {},
): Promise<FacetLine[]> {
  const segment = await openSegment(corpus.snapshot);
  const rivals = await openRivals(corpus);
  const lines: FacetLine[] = [];
  for (const { name: filter, filters, where } of QUESTIONS) {
    const clauses = clausesOf(segment, filters);
    const matches = segment.native.count(clauses);
    for (const facet of NAMES) {
      const sql = `SELECT ${COLUMNS[facet]}, count(*) FROM accounts WHERE ${where} GROUP BY 1`;
      compare(`${filter}, ${facet}`, facets(segment, clauses, [facet]), await counted(rivals, sql));
      const call = () => {
        segment.native.dropCaches();
        return facets(segment, clauses, [facet]);
      };
      const prepared = await rivals.duck.prepare(sql);
      const query = async () => (await prepared.runAndReadAll()).getRows();
      const duck = (await measureAsync(query, options)).median;
      lines.push({ filter, facet, matches, peneira: measure(call, options).median, duck });
    }
  }
  rivals.duck.closeSync();
  rivals.sqlite.close();
  segment.close();
  return lines;
}

function clausesOf(segment: Segment, filters: object) {
  const { spec } = normalizeSpec(
    { filters },
    {
      catalog: segment.catalog,
      limitDefault: 1,
      limitCap: 1,
      allowedFields: OUTPUT_FIELD_NAMES,
      defaultFields: DEFAULT_FIELDS,
      mode: "search",
      fullAllowed: false,
    },
  );
  return plan(segment, spec).clauses;
}

/** Returns DuckDB's counts by value. */
async function counted(rivals: Rivals, sql: string): Promise<Map<string, number>> {
  const rows = (await rivals.duck.runAndReadAll(sql)).getRows();
  return new Map(rows.map(([value, count]) => [keyOf(value), Number(count)]));
}

/** Codes are numbers in DuckDB's table, and texts with zeros and punctuation in Peneira. */
function keyOf(value: unknown): string {
  const text = String(value);
  return /^\d/.test(text) ? String(Number(text.replace(/\D/g, ""))) : text;
}

function compare(what: string, ours: Facets, theirs: ReadonlyMap<string, number>): void {
  for (const facet of Object.values(ours)) {
    for (const { value, count } of facet.values) {
      const other = theirs.get(keyOf(value)) ?? 0;
      if (count !== other) throw new Error(`${what}: ${value} has ${count}, there ${other}`);
    }
    const listed = facet.values.reduce((sum, { count }) => sum + count, 0);
    const all = [...theirs.values()].reduce((sum, count) => sum + count, 0);
    const sum = listed + facet.other.count + facet.missing;
    if (sum !== all) throw new Error(`${what}: ${sum} counted, there ${all}`);
  }
}

function report(lines: readonly FacetLine[]): string {
  const names = ["filter", "facet", "matches", "Peneira", "a million", "DuckDB", "÷ DuckDB"];
  const rows = lines.map(({ filter, facet, matches, peneira, duck }) => [
    ...[filter, facet, matches.toLocaleString("en"), formatUs(peneira)],
    formatUs((peneira / Math.max(1, matches)) * 1e6),
    ...[formatUs(duck), formatRatio(duck, peneira)],
  ]);
  const head = `| ${names.join(" | ")} |\n|---|---|${"--:|".repeat(names.length - 2)}\n`;
  return `${head}${rows.map((row) => `| ${row.join(" | ")} |\n`).join("")}`;
}

if (process.argv[1]?.endsWith("facets.bench.ts") === true) {
  const options = {
    accounts: { type: "string" },
    snapshot: { type: "string" },
    crosses: { type: "boolean", default: false },
  } as const;
  const {
    crosses,
    accounts = crosses ? "5000000" : "1000000",
    snapshot,
  } = parseArgs({
    options,
  }).values;
  const corpus = () => makeCorpus(Number(accounts));
  const lines = crosses
    ? await benchCrosses(snapshot ?? corpus().snapshot)
    : report(await benchFacets(corpus()));
  process.stdout.write(lines);
}
