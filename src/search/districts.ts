/**
 * Districts of a snapshot. What comes in: districts as a spec names them, or a municipality and
 * what was typed of a name. What goes out: their rows, or what districts there are.
 * Invariant: the rows of the same districts are one object while they are kept, so that what the
 * kernel remembers of a question is found again; as many are kept as few megabytes hold.
 */
import type { NativeRowList } from "../../native-index/napi/engine.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { guarded, type Segment } from "./segment.ts";

/** Districts as a spec in normal form names them. */
type SpecDistricts = NonNullable<AccountQuerySpec["filters"]["geo"]["district_any_of"]>;

/** Bytes of row lists that are kept for a snapshot; one that is larger is kept alone. */
const KEPT_BYTES_MAX = 32 * 2 ** 20;
/** Bytes of a list, at most: two for each row, and no more than a bit for every row there is. */
const bytesOf = ({ size, end }: NativeRowList) => Math.min(2 * size, end / 8 + 8_192);

const kept = new WeakMap<Segment, Map<string, NativeRowList>>();

/** The rows that are in one of the districts. */
export function districtRows(segment: Segment, districts: SpecDistricts): NativeRowList {
  const lists = kept.get(segment) ?? new Map<string, NativeRowList>();
  kept.set(segment, lists);
  const key = JSON.stringify(districts);
  const list = lists.get(key) ?? foundRows(segment, districts);
  // The one that was asked for last goes last.
  lists.delete(key);
  lists.set(key, list);
  let bytes = 0;
  for (const one of lists.values()) bytes += bytesOf(one);
  for (const [oldest, one] of lists) {
    if (bytes <= KEPT_BYTES_MAX || oldest === key) break;
    lists.delete(oldest);
    bytes -= bytesOf(one);
  }
  return list;
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

/** Forgets the rows of districts, for the file that they were read from may have changed. */
export function forgetDistricts(segment: Segment): void {
  kept.delete(segment);
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

/** How many accounts of a municipality (IBGE code) name each of these folded districts. */
export function districtSizes(
  segment: Segment,
  ibge: string,
  names: readonly string[],
): readonly number[] {
  const code = segment.codeOf("municipality_ibge", ibge);
  if (code < 0) return names.map(() => 0);
  return [...guarded(() => segment.native.districtSizes(code, names))];
}
