/**
 * Districts of a snapshot. What comes in: districts as a spec names them, or a municipality and
 * what was typed of a name. What goes out: their rows, or what districts there are.
 * Invariant: the rows of the same districts are one object while they are cached (rowlists.ts).
 */
import type { NativeRowList } from "../../native-index/napi/engine.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { keptRows } from "./rowlists.ts";
import { guarded, type Segment } from "./segment.ts";

/** Districts as a spec in normal form names them. */
type SpecDistricts = NonNullable<AccountQuerySpec["filters"]["geo"]["district_any_of"]>;

/** The rows that are in one of the districts. */
export function districtRows(segment: Segment, districts: SpecDistricts): NativeRowList {
  return keptRows(segment, `districts ${JSON.stringify(districts)}`, () =>
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

/** Districts of a list: at most, and where no limit is given. */
export const DISTRICT_LIMITS = { limit: 100, limitDefault: 20 } as const;

/** A district as its best account spells it, and how many accounts it has. */
interface District {
  readonly name: string;
  readonly accounts: number;
}

/** The first districts that fit, and how many fit. */
export interface DistrictList {
  readonly districts: readonly District[];
  readonly total: number;
}

/**
 * The districts of a municipality (IBGE code, 7 digits) in which every typed word begins a word,
 * all of them for an empty text: those that begin with the text first, the largest first of these.
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

/**
 * How many accounts of each municipality (IBGE code) name each of these folded districts: all names
 * of the first municipality in front.
 */
export function districtSizes(
  segment: Segment,
  ibges: readonly string[],
  names: readonly string[],
): Uint32Array {
  const codes = ibges.map((ibge) => segment.codeOf("municipality_ibge", ibge));
  if (codes.every((code) => code < 0)) return new Uint32Array(ibges.length * names.length);
  // As an unsigned number, a code that the snapshot lacks is behind the last one.
  return guarded(() => segment.native.districtSizes(Uint32Array.from(codes), names));
}
