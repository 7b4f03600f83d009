/**
 * Counts facets row by row, as a reference implementation. Input: rows of a fixture. Output: the
 * number of rows with each code.
 * Invariant: uses no precomputed sums and no posting lists.
 */
import type { NativeFacet } from "../../../native-index/napi/engine.ts";
import { FIXTURE_TABLES, type FixtureRow } from "./fixture-rows.ts";
import { codesOf } from "./region-twin.ts";

const NONE = {
  uf: FIXTURE_TABLES.uf.length,
  municipality: FIXTURE_TABLES.municipality_ibge.length,
  cnae: FIXTURE_TABLES.cnae_primary.length,
  size: FIXTURE_TABLES.company_size_code.length,
};

/** For each facet, a function that returns the code of a row. The last code means no value. */
const FACETS = {
  uf: (row) => row.uf ?? NONE.uf,
  municipality: (row) => row.municipality_ibge ?? NONE.municipality,
  cnae: (row) => row.cnae_primary ?? NONE.cnae,
  registration_status: (row) => row.registration_status ?? 9,
  company_size: (row) => row.company_size_code ?? NONE.size,
  started_year: (row) => codesOf(row, "started_year")[0] ?? 301,
  simples: (row) => Number(row.simples_opt_in),
  mei: (row) => Number(row.mei_opt_in),
  headquarters: (row) => Number(row.headquarters),
  contact: (row) =>
    Number(row.email !== null) + 2 * Number(row.phone_1 !== null || row.phone_2 !== null),
} satisfies Partial<Record<NativeFacet, (row: FixtureRow) => number>>;

/** A facet that this reference implementation can count. */
export type TwinFacet = keyof typeof FACETS;

/** All of them. */
export const TWIN_FACETS = Object.keys(FACETS) as TwinFacet[];

/** Returns the number of rows with each of the first `codes` codes. */
export function facetOf(
  name: TwinFacet,
  rows: Iterable<FixtureRow>,
  codes: number,
): Uint32Array<ArrayBuffer> {
  const counts = new Uint32Array(codes);
  for (const row of rows) (counts[FACETS[name](row)] as number)++;
  return counts;
}
