/**
 * Computes Peneira's answers to a benchmark's queries, and compares them with other engines' before
 * anything is timed. Also selects codes that make a query match many, few, or no rows.
 * Invariant: if an answer differs from another engine's, the run ends without figures.
 */
import { search } from "../../src/search/searcher.ts";
import type { Segment } from "../../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../src/spec/fields.ts";
import { normalizeSpec } from "../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../src/spec/schema.ts";
import type { Rivals } from "../rivals/rivals.ts";
import type { Picks, Question } from "./questions.ts";

/** Accounts of a page. */
export const PAGE = 50;

/** Normalizes a query as the server does. */
export function specOf(segment: Segment, question: Question): AccountQuerySpec {
  const { filters, sort = [] } = question;
  const scoring = question.scoring ?? { strategy: "balanced", random_seed: null };
  return normalizeSpec(
    { filters, sort, scoring, limit: PAGE },
    {
      catalog: segment.catalog,
      limitDefault: PAGE,
      limitCap: 50_000,
      allowedFields: OUTPUT_FIELD_NAMES,
      defaultFields: DEFAULT_FIELDS,
      mode: "search",
      fullAllowed: false,
    },
  ).spec;
}

/** Returns the export spec of a query. */
export function exportSpecOf(
  segment: Segment,
  { filters }: Question,
  fields: readonly string[],
): AccountQuerySpec {
  return normalizeSpec(
    { filters },
    {
      ...{ catalog: segment.catalog, limitDefault: segment.accounts, limitCap: segment.accounts },
      bodyOutput: { format: "csv", fields },
      ...{ allowedFields: OUTPUT_FIELD_NAMES, defaultFields: fields, mode: "export" as const },
      fullAllowed: true,
    },
  ).spec;
}

/** Drops all cached totals, then computes a page of a query and its JSON. */
export function answer(segment: Segment, spec: AccountQuerySpec, afterRow = -1) {
  segment.native.dropCaches();
  return search(segment, { spec, fields: DEFAULT_FIELDS, afterRow, explain: false });
}

/** The CNPJs of an answer, in order. */
export function cnpjs(accounts: Uint8Array): string[] {
  const rows = JSON.parse(Buffer.from(accounts).toString()) as { cnpj: string }[];
  return rows.map((row) => row.cnpj);
}

/** Throws if two answers to a query differ. */
export function assertEqual(name: string, ours: unknown, theirs: unknown): void {
  if (JSON.stringify(ours) === JSON.stringify(theirs)) return;
  throw new Error(
    `${name}: the answers differ\n${JSON.stringify(ours)}\n${JSON.stringify(theirs)}`,
  );
}

/** Selects codes with which queries match many, few, or no rows of this corpus. */
export async function picksOf({ duck }: Pick<Rivals, "duck">): Promise<Picks> {
  const rows = async (sql: string) => (await duck.runAndReadAll(sql)).getRows();
  const code = (value: unknown) => String(value).padStart(7, "0");
  const cnaes = (
    await rows(
      "SELECT cnae FROM accounts WHERE cnae <> 8888888 GROUP BY 1 ORDER BY count(*) DESC, 1",
    )
  ).map((row) => code(row[0]));
  const rareCnae = cnaes[Math.floor(cnaes.length * 0.6)] as string;
  const cities = await rows(`
    SELECT municipality, count(*) FILTER (cnae = ${rareCnae}) AS n FROM accounts
    WHERE municipality IS NOT NULL GROUP BY 1 ORDER BY count(*), 1`);
  return {
    cnae: cnaes[0] as string,
    rareCnae,
    twentyCnaes: cnaes.slice(0, 20),
    sparseMunicipality: code(cities.find((row) => Number(row[1]) > 0)?.[0]),
    emptyMunicipality: code(cities.find((row) => Number(row[1]) === 0)?.[0]),
    largeMunicipality: code(cities.at(-2)?.[0]),
    word: "silva",
  };
}
