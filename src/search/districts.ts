/**
 * Finds the rows, names, and sizes of a snapshot's districts.
 * Invariant: calls for equal districts return the same object of rows while it is cached
 * (rowlists.ts).
 */
import type { NativeRowList } from "../../native-index/napi/engine.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { cachedRows } from "./rowlists.ts";
import { guarded, type Segment } from "./segment.ts";

type SpecDistricts = NonNullable<AccountQuerySpec["filters"]["geo"]["district_any_of"]>;

/** The rows that are in one of the districts. */
export function districtRows(segment: Segment, districts: SpecDistricts): NativeRowList {
  return cachedRows(segment, `districts ${JSON.stringify(districts)}`, () =>
    foundRows(segment, districts),
  );
}

function foundRows(segment: Segment, districts: SpecDistricts): NativeRowList {
  const known = districts
    .map(({ municipality_ibge: ibge, name }) => {
      return { code: segment.codeOf("municipality_ibge", ibge), name };
    })
    .filter(({ code }) => code >= 0);
  const codes = Uint32Array.from(known, ({ code }) => code);
  const names = known.map(({ name }) => name);
  return segment.native.districtRows(codes, names);
}

/** Max and default number of districts in a list. */
export const DISTRICT_LIMITS = { limit: 100, limitDefault: 20 } as const;

/** A district, spelled as in its account with the highest score, and its accounts. */
interface District {
  readonly name: string;
  readonly accounts: number;
}

/** The first of the matching districts. `total` is the number of all of them. */
export interface DistrictList {
  readonly districts: readonly District[];
  readonly total: number;
}

/**
 * Returns the districts of a municipality (IBGE code, 7 digits) that match a typed text: every
 * typed word is the beginning of a word. An empty text matches all. Districts that begin with the
 * text come first, then the largest.
 */
export function districtsOf(
  segment: Segment,
  { ibge, typed, limit }: { ibge: string; typed: string; limit: number },
): DistrictList {
  const code = segment.codeOf("municipality_ibge", ibge);
  if (code < 0) return { districts: [], total: 0 };
  const { names, rows, total } = segment.native.districts(code, typed, limit);
  return { districts: names.map((name, i) => ({ name, accounts: rows[i] as number })), total };
}

/** Returns the accounts of all folded names in the first municipality, then in the next. */
export function districtSizes(
  segment: Segment,
  ibges: readonly string[],
  names: readonly string[],
): Uint32Array {
  const codes = ibges.map((ibge) => segment.codeOf("municipality_ibge", ibge));
  if (codes.every((code) => code < 0)) return new Uint32Array(ibges.length * names.length);
  // Unknown municipalities have the code -1. As an unsigned number, it is above all codes, so no
  // row has it.
  return guarded(() => segment.native.districtSizes(Uint32Array.from(codes), names));
}
