/**
 * Types of the addon's arguments and results: pages, column buffers, and handles of opened files.
 * Invariant: nothing here exists at run time; each type mirrors a struct or a method of the addon
 * and changes with it.
 */
import type { Clause, FirstsPerCompanyRequest, NativeRowList, SelectRequest } from "./query.ts";

/** Facets counted by the addon; for their codes see native-index/query/facets/facets.h. */
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
  | "contact"
  | "started_month"
  | "status_month";

/** A page that is selected and rendered in one call. */
export interface RenderedPageRequest extends SelectRequest {
  readonly fields: readonly string[];
}

/** Work done by one call, so that tests need no clock. */
export interface Work {
  readonly chunks: number;
  readonly containers: number;
  readonly tests: number;
  readonly probes: number;
  readonly gathered: number;
  /** Rows counted one by one, and cells of PLACES that were read. */
  readonly counted: number;
  readonly cells: number;
}

/** Row ids of a page in order; `more` is true if another row follows. */
export interface Selection {
  readonly rows: Uint32Array;
  readonly more: boolean;
  /** True if `walk` stopped, because it would have read over `meetMax` rows; `rows` is empty. */
  readonly gaveUp: boolean;
  readonly work: Work;
}

/** Code of a file's hash; `fastest` is the best of this processor. */
export type HashPath = "fastest" | "openssl" | "portable";

/** Result of a hashed file. */
export interface HashedFileEnd {
  /** 0, or the errno of the write that failed. */
  readonly failure: number;
  readonly sha256: Uint8Array;
  /** Bytes for which writeback was started. */
  readonly startedBytes: number;
}

/** A file that another thread hashes and writes. Calls throw after it is closed. */
export interface NativeHashedFile {
  /** Copies the bytes. Returns 0, or the errno if a write of these or earlier bytes has failed. */
  write(bytes: Uint8Array): number;
  /** Waits until all bytes are written, then closes the file. */
  finish(): HashedFileEnd;
  /** Waits for the write in progress, and discards the rest. May be called repeatedly. */
  close(): void;
}

/** Location of the block digests, and the hash over them, which is the identity. */
export interface DigestsLocation {
  readonly offset: number;
  readonly length: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** Location of the index region's directory, from the Arrow footer. */
export interface DirectoryLocation {
  readonly offset: number;
  readonly length: number;
  readonly crc32c: number;
  /** Missing in files written before digests existed. */
  readonly digests?: DigestsLocation;
}

/** Result of a build: locations of directory and digests, and wall milliseconds by phase. */
export interface BuiltIndex extends DirectoryLocation {
  readonly phasesMs: Readonly<Record<string, number>>;
}

/** One prepared section of the index region, written as is. */
export interface PreparedSection {
  readonly kind: number;
  readonly argument: number;
  readonly bytes: Uint8Array;
}

/** Request for an index build; `path` is written from `regionOffset` (a multiple of 64) on. */
export interface IndexRequest {
  readonly path: string;
  readonly regionOffset: number;
  readonly rowCount: number;
  /** META, COLUMNS, and every TABLE. */
  readonly sections: readonly PreparedSection[];
  /** The part OWNERS; default: none. */
  readonly owners?: Uint8Array;
  readonly threads: number;
  /** Rows whose sort keys are in memory at a time; small in tests. */
  readonly rowsHeld?: number;
  /** Shared u32 that counts from 0 to 1,000 during the build. */
  readonly progress?: Uint32Array;
}

/** Anything with a byte length; a layout needs nothing else. */
export interface Sized {
  readonly byteLength: number;
}

/** Buffers of one column of a finished record batch, in Arrow layout. */
export interface ColumnBuffers<Part extends Sized = Uint8Array> {
  readonly nullCount: number;
  readonly validity: Part | null;
  readonly offsets: Part | null;
  readonly data: Part;
}

/** Formats whose rows the addon renders. */
export type RowFormat = "csv" | "html" | "jsonl" | "xlsx";

/**
 * An additional column after the output fields: text per row, or null. `text` is quoted and escaped
 * for the format; `number` and `json` (jsonl only) are written verbatim.
 */
export interface ExtraColumn {
  readonly name: string;
  readonly kind: "text" | "number" | "json";
  readonly values: readonly (string | null)[];
}

/** Options for rendering rows; `extra` columns have one value per row. */
export interface RowsRequest {
  readonly format: RowFormat;
  readonly fields: readonly string[];
  readonly extra: readonly ExtraColumn[];
  /** Number of extra columns before the fields; default 0. */
  readonly leading?: number;
  /** Language of display values; default: machine-readable values. */
  readonly labels?: "pt" | "en" | undefined;
  /** csv only: the delimiter between cells. */
  readonly delimiter: "," | ";" | "\t" | "|";
  /** xlsx only: row number of the first row in its sheet (the header is row 1). */
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

/** Current state of an opened file, even if it was renamed or removed. */
export interface FileState {
  readonly inode: bigint;
  readonly size: number;
  /** Number of hard links. */
  readonly links: number;
  /** mtime and ctime, in nanoseconds since 1970. */
  readonly modifiedNs: bigint;
  readonly changedNs: bigint;
}

/** Entries of some rows, and the next position in the order by CNPJ. */
interface EntrySlice {
  readonly entries: Uint8Array;
  readonly next: number;
}

/** Rows of a snapshot for the entries of a list. */
interface EntryRows {
  /** The rows as a portable Roaring bitmap. */
  readonly roaring: Uint8Array;
  readonly rows: number;
  /** Entries with at least one row in the snapshot. */
  readonly found: number;
}

/** The rows of looked-up CNPJs, and their rendered fields. */
export interface LookupResult {
  /** The row of each CNPJ, or `NO_ROW`. */
  readonly rows: Uint32Array;
  /** The found rows, rendered in this order. */
  readonly text: Uint8Array;
}

/** Suffixes of the records of a CSV file; see native-index/render/enrichment.h. */
export interface EnrichRequest {
  readonly suffixes: Uint8Array;
  /** Per suffix: twice its end, plus one if the cells of an account follow. */
  readonly suffixEnds: Uint32Array;
  /** Characters of the upper half of Windows-1252, two bytes each; empty for UTF-8. */
  readonly windows: Uint8Array;
  /** Suffixes for CNPJs without an account: with right check digits, and with wrong ones. */
  readonly absent: number;
  readonly wrongDigits: number;
}

/** A request that was passed once; it reuses the memory of batches that were written. */
export interface NativeEnrichment {
  readonly cells: RowsRequest;
}

/** Consecutive records of a CSV file. */
export interface SentRecords {
  readonly bytes: Uint8Array;
  /** Per record: start, end, start of the next record, and suffix with the empty cells to add. */
  readonly records: Uint32Array;
  /** 14 bytes per record, as for `lookUp`; read only if its suffix has an account. */
  readonly cnpjs: Uint8Array;
  /** Row of each record if known: `NO_ROW` if no account has the CNPJ, `NO_ROW` - 1 if unknown. */
  readonly known: Uint32Array;
}

/** The part of a CSV file to scan for records; see native-index/render/records.h. */
export interface RecordScan {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly isLast: boolean;
  /** Character code. */
  readonly delimiter: number;
  /** Column of the CNPJs, from 0. */
  readonly column: number;
  /** Cells of the widest record. */
  readonly width: number;
  /** Number of the header, counted from the first record of this scan; it may be negative. */
  readonly header: number;
  readonly heading: number;
  readonly blank: number;
  readonly found: number;
  readonly odd: number;
}

/** Counts of a scan; the numbers of each record are in the given arrays. */
export interface ScannedRecords {
  readonly count: number;
  /** Cells that the caller reads. */
  readonly odd: number;
  /** Start of the first record that was not scanned. */
  readonly next: number;
  readonly lines: number;
  readonly width: number;
  /** Bytes of the longest record. */
  readonly longest: number;
  /** 1 if the record at `next` has an open quotation mark. */
  readonly quoted: number;
}

/** Enriched records. */
export interface EnrichedBatch {
  /** The row of each CNPJ, or `NO_ROW`. */
  readonly rows: Uint32Array;
  /** Number of records by suffix. */
  readonly counts: Uint32Array;
  /** Bytes of the longest new record. */
  readonly longest: number;
  /** Writes the next whole records that fit into memory; returns their bytes, 0 after the last. */
  write(room: Uint8Array): number;
}

/** An opened snapshot. Every method throws `Error` with `code` "SNAPSHOT_DAMAGED" on damage. */
export interface NativeSegment {
  readonly rowCount: number;
  /** Number of 64 KiB blocks with a checksum. */
  readonly blockCount: number;
  /** State of the file when opened. */
  readonly opened: FileState;
  /** True if the snapshot has DISTRICTS; older snapshots lack it. */
  readonly hasDistricts: boolean;
  /** True if the snapshot has CONTACTS; older snapshots lack it. */
  readonly hasContacts: boolean;
  /** Returns a number by which other threads can open this segment while any thread has it open. */
  share(): number;
  /** Bytes of the META section. */
  meta(): Uint8Array;
  /** Values of a string table, by its number in TABLES. */
  table(table: number): string[];
  select(request: SelectRequest): Selection;
  /**
   * Exact number of matching rows; -1 if no sum has it and counting may scan more than `most` rows.
   */
  count(clauses: readonly Clause[], most?: number): number;
  /** Number of matches by code, for every facet; the last element counts matches without a code. */
  facets(clauses: readonly Clause[], facets: readonly NativeFacet[]): Uint32Array[];
  /**
   * Upper bound of the work for facets and total, in cells of sums and in rows read from one
   * column; reads no row itself. See native-index/query/facets/facets.h.
   */
  facetsWorkMax(clauses: readonly Clause[], facets: readonly NativeFacet[]): number;
  /**
   * Like select, count, and facets (on several threads), but off the main thread; arguments must
   * not change meanwhile.
   */
  selectAsync(request: SelectRequest): Promise<Selection>;
  countAsync(clauses: readonly Clause[]): Promise<number>;
  facetsAsync(
    clauses: readonly Clause[],
    facets: readonly NativeFacet[],
    threads?: number,
  ): Promise<Uint32Array[]>;
  /**
   * Number of matches by pair of codes, off the main thread. The index of a pair is the first
   * facet's code, times the number of the second's codes ("none" included), plus the second's code.
   */
  pairsAsync(
    clauses: readonly Clause[],
    pair: readonly NativeFacet[],
    threads: number,
  ): Promise<Uint32Array>;
  /** Rows in one of the districts, each given by municipality_ibge code and folded name. */
  districtRows(municipalities: Uint32Array, names: readonly string[]): NativeRowList;
  /** Rows of ascending list entries (`entryRowsAsync`). */
  entryRows(entries: Uint8Array): NativeRowList;
  /** Copies the bytes of OWNERS (format/snapshot/owners.ts); null if the snapshot has none. */
  ownersPart(): Uint8Array | null;
  /** Rows with one of these lower-case e-mails. */
  emailRows(emails: readonly string[]): NativeRowList;
  /** Rows with one of these phones, as E.164 digits. */
  phoneRows(phones: Float64Array): NativeRowList;
  /** Districts of a municipality (code) that match typed text; see query/parts/districts.h. */
  districts(municipality: number, typed: string, limit: number): NativeDistricts;
  /** Number of rows of each district, given by municipality code and folded name; 0 if unknown. */
  districtSizes(municipalities: Uint32Array, names: readonly string[]): Uint32Array;
  /** Like `firstsPerCompany`, off the main thread. */
  firstsPerCompanyAsync(rows: Uint32Array, request: FirstsPerCompanyRequest): Promise<Uint32Array>;
  /** Work of the last synchronous select, count, or facets. */
  lastWork(): Work;
  /** Number of rows that hold each word; 0 if unknown. */
  documentFrequency(words: readonly string[]): Uint32Array;
  /**
   * Does `count`, `select`, and `renderJson` of a page in one call. Writes to `facts` (at least
   * five numbers) the values of PAGE_FACTS: matches, rows, the last row or -1, and 1 if another row
   * follows. If the text fits into `room` from offset `facts[place]` on, writes it there and
   * returns its length.
   */
  renderedPage(request: RenderedPageRequest, facts: Float64Array): Uint8Array;
  renderedPage(
    request: RenderedPageRequest,
    facts: Float64Array,
    room?: Uint8Array,
  ): Uint8Array | number;
  /** Renders JSON `[{"cnpj":"…",…},…]` of the rows with the output fields in the given order. */
  renderJson(rows: Uint32Array, fields: readonly string[]): Uint8Array;
  /** Renders rows of an export file, without header and frame; see native-index/render/rows.h. */
  renderRows(rows: Uint32Array, request: RowsRequest): Uint8Array;
  /**
   * Renders the rows into `room` and returns their length, or returns new bytes if they do not fit.
   */
  renderRowsInto(rows: Uint32Array, request: RowsRequest, room: Uint8Array): Uint8Array | number;
  /** Like `renderRows`, off the main thread; the rows may be changed meanwhile. */
  renderRowsAsync(rows: Uint32Array, request: RowsRequest): Promise<Uint8Array>;
  /** The fields of rows as columns, in the given order. */
  columnsOf(rows: Uint32Array, fields: readonly string[]): FieldColumn[];
  /**
   * A Parquet file of one row group: the fields of rows, then additional columns of equal length;
   * see native-index/render/parquet.h.
   */
  parquetOf(
    rows: Uint32Array,
    fields: readonly string[],
    extra: readonly FieldColumn[],
  ): Uint8Array;
  /** Like `parquetOf`, off the main thread; rows and columns may be changed meanwhile. */
  parquetOfAsync(
    rows: Uint32Array,
    fields: readonly string[],
    extra: readonly FieldColumn[],
  ): Promise<Uint8Array>;
  /** Row of a cnpj (14 characters), or -1. */
  findCnpj(cnpj: string): number;
  /**
   * Rows of many CNPJs, 14 bytes each; also renders these rows unless `request` is null. Much
   * faster than `findCnpj`. A root, padded with NUL bytes, finds the head office, or the first
   * establishment if there is no head office.
   */
  lookUp(cnpjs: Uint8Array, request: RowsRequest | null): LookupResult;
  /** Like `lookUp`, off the main thread; the bytes may be changed meanwhile. */
  lookUpAsync(cnpjs: Uint8Array, request: RowsRequest | null): Promise<LookupResult>;
  /** Records of a CSV file, each with the cells of its account appended as in a CSV row. */
  enrich(enrichment: NativeEnrichment, records: SentRecords): EnrichedBatch;
  /** The same off the main thread; the records may be changed meanwhile. */
  enrichAsync(enrichment: NativeEnrichment, records: SentRecords): Promise<EnrichedBatch>;
  /**
   * Those of `rows` that are the first match of their company (the first 8 characters of the cnpj)
   * in the order; see native-index/query/find/cnpj.h.
   */
  firstsPerCompany(rows: Uint32Array, request: FirstsPerCompanyRequest): Uint32Array;
  /** Accounts whose names match typed words; see query/find/suggest.h. Off the main thread. */
  suggestAsync(request: NamedRequest): Promise<NativeSuggestions>;
  /** The establishments of a company, head offices first, then by cnpj. Off the main thread. */
  companyAsync(request: EstablishmentsRequest): Promise<EstablishmentRows>;
  /**
   * The rows of list entries (native-index/query/find/cnpj.h: eight bytes each, little-endian,
   * ascending), off the main thread.
   */
  entryRowsAsync(entries: Uint8Array): Promise<EntryRows>;
  /**
   * The rows of consecutive packed blocks of a list (src/lists/blocks.ts), together with already
   * known rows; off the main thread.
   */
  blockRowsAsync(blocks: Uint8Array, known: NativeRowList | null): Promise<EntryRows>;
  /**
   * At most `most` ascending entries of the rows whose bits are set (row r is bit r % 8 of byte r /
   * 8), from position `from` in the order by CNPJ on. Also returns the next position.
   */
  entriesOfBits(bits: Uint8Array, from: number, most: number): EntrySlice;
  /** Entries of all matches, or of their companies; ascending, off the main thread. */
  matchEntriesAsync(clauses: readonly Clause[], companies: boolean): Promise<Uint8Array>;
  /** Entries of rows, ascending, unique. */
  entriesOf(rows: Uint32Array): Uint8Array;
  /** Checks every block of the file, and its identity; `progress[0]` counts checked blocks. */
  verify(progress?: Uint32Array): Promise<void>;
  /**
   * Checks `count` blocks from `from` on, even if checked before. If they include the last block,
   * it also checks the identity.
   */
  verifyBlocks(from: number, count: number): Promise<void>;
  /** Makes all threads check every block again before its next use; drops cached totals. */
  recheckAll(): void;
  /** Number of 64-KiB blocks that were read and checked since the file was opened. */
  checkedBlocks(): number;
  /** Current state of the file. */
  fileState(): FileState;
  /** The first block found damaged by any reader; -1 if none. */
  damagedBlock(): number;
  /** Drops cached totals and row sets, so that benchmarks and tests measure the work itself. */
  dropCaches(): void;
  /**
   * True once a page of the file could not be read (for example, after a truncation) or a block was
   * damaged. From then on, every method that reads throws.
   */
  poisoned(): boolean;
  close(): void;
}

/** The first matching districts, as spelled in their best rows, and the total number. */
export interface NativeDistricts {
  readonly names: readonly string[];
  /** Number of rows of each. */
  readonly rows: Uint32Array;
  readonly total: number;
}

/** Typed words of a name, and clauses that must also hold. */
export interface NamedRequest {
  /** Analyzed words, in typing order. */
  readonly words: readonly string[];
  readonly clauses: readonly Clause[];
  readonly limit: number;
}

/** The first matching accounts, best first. */
export interface NativeSuggestions {
  readonly rows: Uint32Array;
  /** Match class of each account: 0 begins, 1 whole words, 2 prefixes, 3 one edit, 4 two edits. */
  readonly fits: Uint32Array;
  /** Words of the vocabulary that were checked, and accounts whose names were read. */
  readonly terms: number;
  readonly names: number;
}

/** Selects establishments of a company. */
export interface EstablishmentsRequest {
  /** The first 8 characters of the establishments' cnpj. */
  readonly root: string;
  /** Row before the page; -1 for the first page. */
  readonly afterRow: number;
  readonly limit: number;
}

/** Establishments of a company, and their total number. */
export interface EstablishmentRows {
  readonly rows: Uint32Array;
  readonly total: number;
}

/** Comparison of two segments, resumable by position. */
export interface DifferenceRequest {
  /** Numbers of the columns to compare. */
  readonly columns: Uint32Array;
  /** Positions in the orders by cnpj of both segments; 0 to begin. */
  readonly older: number;
  readonly newer: number;
  /** Maximum accounts to compare, up to 2^20. */
  readonly accounts: number;
}

/** Differences in a range of the registry, and the positions after it. */
export interface DifferenceSlice {
  /** Per entry u32 older row, u32 newer row (2^32 - 1 for none), u32 differing columns. */
  readonly entries: Uint8Array;
  readonly older: number;
  readonly newer: number;
}

/** Location of a change list's entries in its file. */
export interface ChangesLocation {
  readonly offset: number;
  readonly count: number;
  readonly crc32c: number;
}

/** Selects entries of a change list. */
export interface WalkRequest {
  readonly older: NativeSegment;
  readonly newer: NativeSegment;
  readonly olderClauses: readonly Clause[];
  readonly newerClauses: readonly Clause[];
  /** Bits of watched columns: a difference in one makes an account in both a change. */
  readonly watch: number;
  /** Numbers of watched day columns that share a bit: their values are compared again. */
  readonly watchDays: Uint32Array;
  /** Bits of the kinds to collect: 1 entered, 2 left, 4 changed. */
  readonly kinds: number;
  /** Positions in the list, [from, to). */
  readonly from: number;
  readonly to: number;
  /** Maximum entries to collect; the walk ends after the last one. 0 only counts, to the end. */
  readonly limit: number;
}

/** The outcome of a walk over positions `from` to `next`. */
export interface WalkResult {
  /**
   * Six numbers per entry: position, older row, newer row, differing columns, differing days (a bit
   * for each of `watchDays`), kind (0 to 2).
   */
  readonly found: Uint32Array;
  /** Number of entered, left, and changed entries of all kinds. */
  readonly counts: Uint32Array;
  readonly next: number;
}

/** The entries of an opened change list. Throws "SNAPSHOT_DAMAGED" if a row does not exist. */
export interface NativeChanges {
  walk(request: WalkRequest): WalkResult;
  close(): void;
}
