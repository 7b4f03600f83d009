/**
 * The clauses of a query, the keys of its order and its facets, as types. What comes in: nothing.
 * What goes out: the words in which a query is asked for.
 * Invariant: as that of handles.ts: each is the face of what napi/segment/request.cc reads.
 */
import type { DimensionName, OrderName } from "../format/columns.ts";

/** Rows whose code in one of the dimensions is (with `negated`: is not) among the codes. */
export interface PostingClause {
  readonly kind: "posting";
  readonly any: readonly { readonly dimension: DimensionName; readonly codes: Uint32Array }[];
  readonly negated: boolean;
}

/** Rows whose names hold every word of at least one hint; words are UTF-8, analyzed. */
export interface WordsClause {
  readonly kind: "words";
  readonly hints: readonly (readonly string[])[];
}

/** Columns of numbers that a range can be asked of. */
export type RangeColumn =
  | "started_on"
  | "share_capital_cents"
  | "postal_code"
  | "phone_1"
  | "phone_2"
  | "email_shared"
  | "phone_1_shared"
  | "phone_2_shared"
  | "establishments";

/**
 * Rows whose value lies in one of the inclusive ranges; rows without a value never match.
 * `started_on` in days since 1970-01-01, `share_capital_cents` in cents, `postal_code` as number,
 * phones as the number of their digits, what was counted as codes, which ascend as the numbers do.
 * Where there is an `or`, a value of that column is as good.
 */
export interface RangeClause {
  readonly kind: "range";
  readonly column: RangeColumn;
  readonly or?: RangeColumn;
  readonly ranges: readonly (readonly [low: number, high: number])[];
}

/** A set of rows that was handed over once, and that any number of clauses may name. */
export interface NativeRowList {
  /** How many rows it holds, and the first row behind all of them. */
  readonly size: number;
  readonly end: number;
}

/** Rows that are (with `negated`: are not) in one of the lists. */
export interface RowsClause {
  readonly kind: "rows";
  readonly lists: readonly NativeRowList[];
  readonly negated: boolean;
}

/** One condition of a query; the clauses of a query are ANDed. */
export type Clause = PostingClause | WordsClause | RangeClause | RowsClause;

/** One key of an order; `random` is the seeded permutation of row ids. */
export interface OrderKey {
  readonly key: OrderName | "random";
  readonly descending: boolean;
}

/** Facets the addon counts; see native-index/query/facets/facets.h for their codes. */
export type NativeFacet =
  | "uf"
  | "municipality"
  | "cnae"
  | "registration_status"
  | "company_size"
  | "started_year"
  | "legal_nature"
  | "simples"
  | "mei"
  | "headquarters"
  | "contact";
