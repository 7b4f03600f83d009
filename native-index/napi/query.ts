/**
 * Queries for the addon: the clauses and the order of a request, and their encoding as numbers.
 *
 *   request  mark, then: page    afterRow, limit, method, meetMax, order, query
 *                        firsts  beginning, order, query
 *                        query   query
 *                        both    query, query
 *   order    seed / 2^32, seed % 2^32, keys; each key: its order, descending
 *   query    clauses; each clause: its kind, then
 *     posting  negated, parts; each part: dimension, codes, and the codes
 *     words    hints; each hint: words; each word: bytes, and the bytes
 *     range    column, other column + 1 or 0, ranges; each range: low, high
 *     rows     negated, lists; the lists themselves are passed separately, in this order
 *
 * Invariant: only this file writes queries, and only QueryReader (query/clauses/query.h) reads
 * them. Kinds, methods, and columns are numbered by the tables here, from which `headers.mjs`
 * generates query_list.h. The mark is a hash of these tables, so an addon with other tables rejects
 * it. Queries are numbers: reading a property by name costs more than the rest of a clause.
 */
import { DIMENSIONS, type DimensionName, ORDERS, type OrderName } from "../format/columns.ts";

/**
 * Matches rows whose code in at least one dimension is among the given codes. With `negated`,
 * matches all other rows.
 */
export interface PostingClause {
  readonly kind: "posting";
  readonly any: readonly { readonly dimension: DimensionName; readonly codes: Uint32Array }[];
  readonly negated: boolean;
}

/**
 * Matches rows whose names contain every word of at least one hint (a list of words). Words are
 * UTF-8 and analyzed.
 */
export interface WordsClause {
  readonly kind: "words";
  readonly hints: readonly (readonly string[])[];
}

/** Number columns that a range clause can test. Their order determines their numbers. */
export const RANGE_COLUMNS = [
  "started_on",
  "share_capital_cents",
  "postal_code",
  "phone_1",
  "phone_2",
  "email_shared",
  "phone_1_shared",
  "phone_2_shared",
  "establishments",
  "registration_status_date",
  "registration_status_reason",
  "simples_excluded_on",
  "mei_excluded_on",
  "federal_debt_cents",
  "federal_debt_fgts",
  "federal_debt_social_security",
  "federal_debt_other",
] as const;

/** Name of a column that a range can be over. */
type RangeColumn = (typeof RANGE_COLUMNS)[number];

/**
 * Matches rows whose value in `column` is in one of the inclusive ranges. If `or` names a second
 * column, a value there suffices too. Rows without a value never match. Dates are days since
 * 1970-01-01, amounts are cents, postal codes and phones are the numbers that their digits form,
 * and flags are 0 or 1. Other columns hold codes, which ascend with the values.
 */
export interface RangeClause {
  readonly kind: "range";
  readonly column: RangeColumn;
  readonly or?: RangeColumn;
  readonly ranges: readonly (readonly [low: number, high: number])[];
}

/** A set of rows that was passed to the addon once. Any number of clauses can use it. */
export interface NativeRowList {
  /** The number of rows, and the highest row id plus one. */
  readonly size: number;
  readonly end: number;
}

/** Matches rows that are in at least one of the lists. With `negated`, matches all other rows. */
export interface RowsClause {
  readonly kind: "rows";
  readonly lists: readonly NativeRowList[];
  readonly negated: boolean;
}

/** One condition of a query; the clauses of a query are ANDed. */
export type Clause = PostingClause | WordsClause | RangeClause | RowsClause;

/** Kinds of clause, in the order of their numbers. */
export const CLAUSE_KINDS = ["posting", "words", "range", "rows"] as const satisfies readonly [
  ...Clause["kind"][],
];

/** One key of an order; `random` is the seeded permutation of row ids. */
export interface OrderKey {
  readonly key: OrderName | "random";
  readonly descending: boolean;
}

/** Methods, in the order of their numbers. */
export const METHODS = ["rank", "walk", "gather"] as const;

/**
 * How to select a page. `rank` reads rows in ascending order, which is descending score. `walk`
 * reads rows in the stored order of the first key. `gather` reads the keys of every match and
 * selects the first rows.
 */
export type Method = (typeof METHODS)[number];

/**
 * Request for a page. `order` implicitly ends with cnpj ascending. `afterRow` is the last row of
 * the page before, or -1 for the first page.
 */
export interface SelectRequest {
  readonly clauses: readonly Clause[];
  readonly order: readonly OrderKey[];
  readonly method: Method;
  readonly seed: bigint;
  readonly afterRow: number;
  readonly limit: number;
  /** Maximum number of rows that `walk` may read. Default: no limit. */
  readonly meetMax?: number;
}

/** The query and order that decide which row of a company comes first; see `SelectRequest`. */
export interface FirstsPerCompanyRequest extends Pick<SelectRequest, "clauses" | "order" | "seed"> {
  /** True if the given rows begin the answer without gaps. Such a request costs less. */
  readonly beginning: boolean;
}

/** Kinds of request, in the order of their numbers. */
export const REQUEST_KINDS = ["query", "both", "page", "firsts"] as const;

/** An encoded request: its numbers, valid until the next request is written, and its row lists. */
export type NativeQuery = readonly [
  numbers: Float64Array,
  lists: readonly NativeRowList[] | undefined,
];

/** Returns the 32-bit FNV-1a hash of all names that this file numbers. */
export function queryLayout(): number {
  const lists = [REQUEST_KINDS, CLAUSE_KINDS, METHODS, RANGE_COLUMNS, DIMENSIONS, ORDERS];
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(lists.map((names) => names.join(",")).join("|"))) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}

function numbersOf<Name extends string>(names: readonly Name[]): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name, i) => [name, i])) as Record<Name, number>;
}

const FIRST_MARK = queryLayout() * REQUEST_KINDS.length;
const REQUESTS = numbersOf(REQUEST_KINDS);
const KINDS = numbersOf(CLAUSE_KINDS);
const METHOD_NUMBERS = numbersOf(METHODS);
const COLUMNS = numbersOf(RANGE_COLUMNS);
const DIMENSION_NUMBERS = numbersOf(DIMENSIONS);
/** Numbers of order keys; `random` comes after the stored orders. */
const KEYS = numbersOf([...ORDERS, "random"]);

/** Maximum value of a row and of a limit. */
const WHOLE_MAX = 2 ** 32 - 1;

/** Size of the reused buffer; most requests have fewer than a hundred numbers. */
const REUSED_NUMBERS = 1 << 12;

/** The request that is being written, reused because allocating it would cost more. */
let numbers = new Float64Array(REUSED_NUMBERS);
let length = 0;
let lists: NativeRowList[] | undefined;

/** Returns the number of a name. Throws TypeError INVALID_ARGUMENT if the name is unknown. */
function numberOf<Name extends string>(
  known: Readonly<Record<Name, number>>,
  what: string,
  name: Name,
): number {
  const number = known[name];
  if (number === undefined) {
    refuse(`there is no ${what} ${JSON.stringify(name)}; use one of ${Object.keys(known)}`);
  }
  return number;
}

function refuse(message: string): never {
  throw Object.assign(new TypeError(message), { code: "INVALID_ARGUMENT" });
}

/** Appends the length of a list. Throws TypeError INVALID_ARGUMENT if it is not an array. */
function putLength(name: string, list: readonly unknown[]): void {
  if (!Array.isArray(list)) refuse(`${name} must be an array, not ${String(list)}`);
  put(list.length);
}

/** Writes a query of ANDed clauses. */
export function writeQuery(clauses: readonly Clause[]): NativeQuery {
  begin("query");
  putQuery(clauses);
  return written();
}

/** Writes two queries, one after the other. */
export function writeBoth(one: readonly Clause[], other: readonly Clause[]): NativeQuery {
  begin("both");
  putQuery(one);
  putQuery(other);
  return written();
}

/** Writes the request of a page. */
export function writePage(request: SelectRequest): NativeQuery {
  begin("page");
  putWhole("afterRow", request.afterRow, -1);
  putWhole("limit", request.limit, 0);
  put(numberOf(METHOD_NUMBERS, "method", request.method));
  putWhole("meetMax", request.meetMax ?? 0, 0);
  putOrder(request);
  putQuery(request.clauses);
  return written();
}

/** Writes a request for rows that are the first of their company. */
export function writeFirsts(request: FirstsPerCompanyRequest): NativeQuery {
  begin("firsts");
  put(Number(request.beginning));
  putOrder(request);
  putQuery(request.clauses);
  return written();
}

function begin(kind: (typeof REQUEST_KINDS)[number]): void {
  if (numbers.length > REUSED_NUMBERS) numbers = new Float64Array(REUSED_NUMBERS);
  length = 0;
  lists = undefined;
  put(FIRST_MARK + REQUESTS[kind]);
}

function written(): NativeQuery {
  return [numbers.subarray(0, length), lists];
}

function put(value: number): void {
  if (length === numbers.length) makeRoom(1);
  numbers[length++] = value;
}

function putWhole(name: string, value: number, min: number): void {
  if (!Number.isInteger(value) || value < min || value > WHOLE_MAX) {
    refuse(`${name} must be a whole number from ${min} to ${WHOLE_MAX}, not ${value}`);
  }
  put(value);
}

function makeRoom(count: number): void {
  if (length + count <= numbers.length) return;
  const larger = new Float64Array(2 * (length + count));
  larger.set(numbers.subarray(0, length));
  numbers = larger;
}

function putOrder({ order, seed }: Pick<SelectRequest, "order" | "seed">): void {
  // The seed is 0 in most requests, and bigint arithmetic is slow.
  put(seed === 0n ? 0 : Number(seed >> 32n));
  put(seed === 0n ? 0 : Number(seed & 0xffffffffn));
  putLength("order", order);
  for (const { key, descending } of order) {
    put(numberOf(KEYS, "sort order", key));
    put(Number(descending));
  }
}

function putQuery(clauses: readonly Clause[]): void {
  putLength("clauses", clauses);
  for (const clause of clauses) {
    put(numberOf(KINDS, "clause of kind", clause.kind));
    if (clause.kind === "posting") putPosting(clause);
    else if (clause.kind === "range") putRange(clause);
    else if (clause.kind === "words") putWords(clause);
    else putRows(clause);
  }
}

function putPosting({ negated, any }: PostingClause): void {
  put(Number(negated));
  putLength("any", any);
  for (const { dimension, codes } of any) {
    put(numberOf(DIMENSION_NUMBERS, "dimension", dimension));
    put(codes.length);
    makeRoom(codes.length);
    // Copies in a loop, because a call that copies all codes takes longer.
    for (const code of codes) numbers[length++] = code;
  }
}

function putRange({ column, or: other, ranges }: RangeClause): void {
  put(numberOf(COLUMNS, "range over", column));
  put(other === undefined ? 0 : numberOf(COLUMNS, "range over", other) + 1);
  putLength("ranges", ranges);
  for (const [low, high] of ranges) {
    put(low);
    put(high);
  }
}

function putWords({ hints }: WordsClause): void {
  putLength("hints", hints);
  for (const words of hints) {
    put(words.length);
    for (const word of words) {
      const bytes = Buffer.from(word);
      put(bytes.length);
      for (const byte of bytes) put(byte);
    }
  }
}

function putRows({ negated, lists: own }: RowsClause): void {
  put(Number(negated));
  putLength("lists", own);
  lists ??= [];
  for (const list of own) lists.push(list);
}
