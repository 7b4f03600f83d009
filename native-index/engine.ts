/**
 * The typed face of the C++ addon, and its only importer. What comes in: paths, row records,
 * queries of clauses and sort keys. What goes out: row ids, counts, finished bytes.
 * Invariant: no mapped memory ever becomes a JavaScript object; row ids and bytes are copies.
 */
import { loadEngine } from "../src/location.ts";
import type { ColumnName, DimensionName, OrderName } from "./columns.ts";

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

/**
 * Rows whose value lies in one of the inclusive ranges; rows without a value never match.
 * `started_on` in days since 1970-01-01, `share_capital_cents` in cents, `postal_code` as number.
 */
export interface RangeClause {
  readonly kind: "range";
  readonly column: "started_on" | "share_capital_cents" | "postal_code";
  readonly ranges: readonly (readonly [low: number, high: number])[];
}

/** One condition of a query; the clauses of a query are ANDed. */
export type Clause = PostingClause | WordsClause | RangeClause;

/** One key of an order; `random` is the seeded permutation of row ids. */
export interface SortKey {
  readonly key: OrderName | "random";
  readonly descending: boolean;
}

/**
 * How a page is taken: `rank` walks row ids (only for score descending), `walk` walks the stored
 * order of the first key, `gather` reads the keys of every match and selects.
 */
export type Method = "rank" | "walk" | "gather";

/**
 * A page request. The array of clauses is frozen at its first use and read only once: keep it for
 * repeated queries. `order` ends implicitly on cnpj ascending. `afterRow` -1 is the first page.
 */
export interface SelectRequest {
  readonly clauses: readonly Clause[];
  readonly order: readonly SortKey[];
  readonly method: Method;
  readonly seed: bigint;
  readonly afterRow: number;
  readonly limit: number;
}

/** Work done by one call, counted so that tests need no clock. */
export interface Work {
  readonly chunks: number;
  readonly containers: number;
  readonly tests: number;
  readonly probes: number;
  readonly gathered: number;
}

/** The answer in which rows are asked to be the first of their company; as in `SelectRequest`. */
export interface FirstsRequest extends Pick<SelectRequest, "clauses" | "order" | "seed"> {
  /** Whether the rows are the ones that the answer begins with, none left out; costs less. */
  readonly beginning: boolean;
}

/** Row ids of a page in order; `more` says whether a further row follows. */
export interface Selection {
  readonly rows: Uint32Array;
  readonly more: boolean;
  readonly work: Work;
}

/** Where the directory of the index region lies, as the Arrow footer says. */
export interface DirectoryLocation {
  readonly offset: number;
  readonly length: number;
  readonly crc32c: number;
}

/** What a build gives back: where the directory lies, and wall milliseconds by phase, in order. */
export interface BuiltIndex extends DirectoryLocation {
  readonly phasesMs: Readonly<Record<string, number>>;
}

/** One prepared section of the index region, written as it is. */
export interface PreparedSection {
  readonly kind: number;
  readonly argument: number;
  readonly bytes: Uint8Array;
}

/** What the index builder needs; `path` is written from `regionOffset` (a multiple of 64) on. */
export interface IndexRequest {
  readonly path: string;
  readonly regionOffset: number;
  readonly rowCount: number;
  /** META, COLUMNS and every TABLE. */
  readonly sections: readonly PreparedSection[];
  readonly threads: number;
  /** Shared u32 that the builder counts up from 0 to 1,000. */
  readonly progress?: Uint32Array;
}

/** Buffers of one column of a finished record batch, as Arrow wants them. */
export interface ColumnBuffers {
  readonly nullCount: number;
  readonly validity: Uint8Array | null;
  readonly offsets: Uint8Array | null;
  readonly data: Uint8Array;
}

/** Facets the addon counts; see native-index/facets.h for their codes. */
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

/** Formats whose rows the addon renders. */
export type RowFormat = "csv" | "html" | "jsonl" | "xlsx";

/**
 * A further column behind the output fields: finished text per row, or null for none. `text` is
 * quoted and escaped as the format wants it, `number` stands as it is, `json` (jsonl only) is a
 * JSON text that stands as it is.
 */
export interface ExtraColumn {
  readonly name: string;
  readonly kind: "text" | "number" | "json";
  readonly values: readonly (string | null)[];
}

/** What to render of rows; `extra` columns have one value per row. */
export interface RenderRequest {
  readonly format: RowFormat;
  readonly fields: readonly string[];
  readonly extra: readonly ExtraColumn[];
  /** How many of the extra columns stand before the fields instead; none where not given. */
  readonly leading?: number;
  /** csv only: what stands between cells. */
  readonly delimiter: "," | ";";
  /** xlsx only: number of the first of these rows in its sheet (the header is row 1). */
  readonly firstNumber: number;
}

/** Arrow type of a field in a column file. */
export type FieldType = "utf8" | "bool" | "int32" | "date32" | "float64" | "list<utf8>";

/** One field of many rows as Arrow buffers; `child` holds the texts of a list. */
export interface FieldColumn {
  readonly field: string;
  readonly type: FieldType;
  readonly length: number;
  readonly buffers: ColumnBuffers;
  readonly child: { readonly length: number; readonly buffers: ColumnBuffers } | null;
}

/** An opened snapshot. Every method throws `Error` with `code` "SNAPSHOT_DAMAGED" on damage. */
export interface NativeSegment {
  readonly rowCount: number;
  /** Bytes of the META section. */
  meta(): Uint8Array;
  /** Values of a string table (TABLES), by number. */
  table(table: number): string[];
  select(request: SelectRequest): Selection;
  /** Exact number of matching rows. */
  count(clauses: readonly Clause[]): number;
  /** For every facet the number of matches by code; the last element counts those without one. */
  facets(clauses: readonly Clause[], facets: readonly NativeFacet[]): Uint32Array[];
  /** Work of the last select, count or facets. */
  lastWork(): Work;
  /** Number of rows holding each word; 0 for an unknown one. */
  documentFrequency(words: readonly string[]): Uint32Array;
  /** JSON text `[{"cnpj":"…",…},…]` of the rows with the output fields in the given order. */
  renderJson(rows: Uint32Array, fields: readonly string[]): Uint8Array;
  /** Rows of an export's file, without header and frame; see native-index/rows.h. */
  renderRows(rows: Uint32Array, request: RenderRequest): Uint8Array;
  /** The fields of rows as columns, in the given order. */
  columnsOf(rows: Uint32Array, fields: readonly string[]): FieldColumn[];
  /** Row of a cnpj (14 characters), or -1. */
  findCnpj(cnpj: string): number;
  /**
   * Of rows that match the clauses those before which no match of the same company (the first 8
   * characters of the cnpj) comes in the order; see native-index/firsts.h.
   */
  firstsOfCompany(rows: Uint32Array, request: FirstsRequest): Uint32Array;
  /** Checks every block of the file; `progress[0]` counts checked blocks. */
  verify(progress?: Uint32Array): Promise<void>;
  /** Forgets cached totals and row sets, so that benches and tests see the work itself. */
  dropCaches(): void;
  /** True once a page of the file could not be read (it was truncated under us). */
  poisoned(): boolean;
  close(): void;
}

/** What to compare of two segments, and where to go on. */
export interface DifferenceRequest {
  /** Bits of the columns to compare, by their number; the first 32 columns have one. */
  readonly columns: number;
  /** Positions in the orders by cnpj of both segments; 0 to begin. */
  readonly older: number;
  readonly newer: number;
  /** Most accounts that the call looks at, up to 2^20. */
  readonly accounts: number;
}

/** What differs in a stretch of the registry, and the positions behind it. */
export interface DifferenceSlice {
  /** Per entry u32 older row, u32 newer row (2^32 - 1 for none), u32 differing columns. */
  readonly entries: Uint8Array;
  readonly older: number;
  readonly newer: number;
}

/** Where the entries of a change list lie in its file. */
export interface ChangesLocation {
  readonly offset: number;
  readonly count: number;
  readonly crc32c: number;
}

/** Which entries of a change list are wanted. */
export interface WalkRequest {
  readonly older: NativeSegment;
  readonly newer: NativeSegment;
  readonly olderClauses: readonly Clause[];
  readonly newerClauses: readonly Clause[];
  /** Bits of the columns whose difference makes a match in both a change. */
  readonly watch: number;
  /** Bits of the kinds to collect: 1 entered, 2 left, 4 changed. */
  readonly kinds: number;
  /** Positions in the list: from the first to before the second. */
  readonly from: number;
  readonly to: number;
  /** Most entries to collect; the walk ends behind the last of them. 0 counts to the end. */
  readonly limit: number;
}

/** The outcome of a walk over positions `from` to `next`. */
export interface Walked {
  /** Five numbers per entry: position, older row, newer row, differing columns, kind (0 to 2). */
  readonly found: Uint32Array;
  /** How many entered, left and changed, wanted or not. */
  readonly counts: Uint32Array;
  readonly next: number;
}

/** The entries of an opened change list. Throws "SNAPSHOT_DAMAGED" where a row does not exist. */
export interface NativeChanges {
  walk(request: WalkRequest): Walked;
  close(): void;
}

/** Collects ordered row records into the buffers of one record batch. */
export interface NativeBatch {
  readonly rowCount: number;
  /** Appends the records that start at `starts` (bytes into `records`), in that order. */
  append(records: Uint8Array, starts: Uint32Array): void;
  /** Buffers in column order; the batch is empty afterwards. */
  finish(): ColumnBuffers[];
}

interface Addon {
  openSegment(path: string, offset: number, length: number, crc32c: number): NativeSegment;
  differences(
    older: NativeSegment,
    newer: NativeSegment,
    request: DifferenceRequest,
  ): DifferenceSlice;
  openChanges(path: string, offset: number, count: number, crc32c: number): NativeChanges;
  createBatch(): NativeBatch;
  rankRecords(records: Uint8Array, byteLength: number): Uint32Array;
  buildIndex(request: IndexRequest): Promise<BuiltIndex>;
  analyze(text: string): string[];
  crc32c(bytes: Uint8Array, seed: number): number;
  feistel(rowCount: number, seed: bigint, row: number): number;
  columnsFingerprint(): bigint;
  columnNames(): ColumnName[];
  versions(): { croaring: string; simd: string };
  limitCores(): number;
  shutPort(port: number): boolean;
  waitingAt(port: number): number;
}

let loaded: Addon | null = null;

/**
 * Loaded when it is first needed: where the executable puts it follows from the configuration, and
 * `peneira version` answers even where it cannot be loaded.
 */
function addon(): Addon {
  loaded ??= loadEngine() as Addon;
  return loaded;
}

/** Opens the segment of a snapshot file whose directory lies where the footer says. */
export function openSegment(path: string, directory: DirectoryLocation): NativeSegment {
  return addon().openSegment(path, directory.offset, directory.length, directory.crc32c);
}

/** Compares a stretch of two segments, account by account, ascending by cnpj. */
export function differences(
  older: NativeSegment,
  newer: NativeSegment,
  request: DifferenceRequest,
): DifferenceSlice {
  return addon().differences(older, newer, request);
}

/** Maps the entries of a change list and checks them against their checksum. */
export function openChanges(path: string, location: ChangesLocation): NativeChanges {
  return addon().openChanges(path, location.offset, location.count, location.crc32c);
}

/** Makes an empty record batch. */
export function createBatch(): NativeBatch {
  return addon().createBatch();
}

/** Starts of the records in the first `byteLength` bytes, by (score desc, cnpj asc). */
export function rankRecords(records: Uint8Array, byteLength: number): Uint32Array {
  return addon().rankRecords(records, byteLength);
}

/** Builds the index region behind the columns of an Arrow file, off the main thread. */
export function buildIndex(request: IndexRequest): Promise<BuiltIndex> {
  return addon().buildIndex(request);
}

/** Words of a text, as the word postings know them. */
export function analyze(text: string): string[] {
  return addon().analyze(text);
}

/** CRC-32C (Castagnoli) of bytes, continuing from `seed` (0 to begin). */
export function crc32c(bytes: Uint8Array, seed = 0): number {
  return addon().crc32c(bytes, seed);
}

/** Position of a row in the seeded order of `rowCount` rows. */
export function feistel(rowCount: number, seed: bigint, row: number): number {
  return addon().feistel(rowCount, seed, row);
}

/** Fingerprint of the columns the addon was compiled for. */
export function nativeFingerprint(): bigint {
  return addon().columnsFingerprint();
}

/** Versions of the parts inside the addon. */
export function nativeVersions(): { croaring: string; simd: string } {
  return addon().versions();
}

/**
 * From now on a crash of this process leaves no core file. Gives the bytes that one may have: 0, or
 * 1, which Linux takes for none also where a program collects cores.
 */
export function limitCores(): number {
  return addon().limitCores();
}

/**
 * Takes no new connection at a port that this process listens at: what asks for one is dropped,
 * while connections that are being made are still completed and taken. False where the system
 * cannot do that (it can on Linux); then nothing has changed.
 */
export function shutPort(port: number): boolean {
  return addon().shutPort(port);
}

/** Connections that are made and that this process has not taken yet; 0 where nobody knows. */
export function waitingAt(port: number): number {
  return addon().waitingAt(port);
}
