/**
 * Types of the addon's arguments and results: pages, column buffers, and handles of opened files.
 * Invariant: nothing here exists at run time; each type mirrors a struct or a method of the addon
 * and changes with it.
 */
import type { Clause, FirstsPerCompanyRequest, NativeRowList, SelectRequest } from "./query.ts";

/** Facets that the addon counts. For their codes, see native-index/query/facets/facets.h. */
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

/** Request for a page that one call selects and renders. */
export interface RenderedPageRequest extends SelectRequest {
  readonly fields: readonly string[];
}

/** Amount of work that one call did. Tests check it instead of measuring time. */
export interface Work {
  readonly chunks: number;
  readonly containers: number;
  readonly tests: number;
  readonly probes: number;
  readonly gathered: number;
  /** Number of rows counted one by one, and of counts read from PLACES (counts by municipality). */
  readonly counted: number;
  readonly cells: number;
}

/** Row ids of a page in order; `more` is true if another row follows. */
export interface Selection {
  readonly rows: Uint32Array;
  readonly more: boolean;
  /** True if `walk` stopped early, at more than `meetMax` rows. `rows` is then empty. */
  readonly gaveUp: boolean;
  readonly work: Work;
}

/** Implementation of a file's hash. `fastest` is the best one that this processor supports. */
export type HashPath = "fastest" | "openssl" | "portable";

/** Outcome of hashing and writing a file. */
export interface HashedFileEnd {
  /** 0, or the errno of the write that failed. */
  readonly failure: number;
  readonly sha256: Uint8Array;
  /** Number of bytes for which the system has started writeback to disk. */
  readonly startedBytes: number;
}

/** A file that another thread hashes and writes. Methods but `close` throw once it is closed. */
export interface NativeHashedFile {
  /** Copies and queues the bytes. Returns 0, or the errno of an earlier write that failed. */
  write(bytes: Uint8Array): number;
  /** Waits until all bytes are written, then closes the file. */
  finish(): HashedFileEnd;
  /** Waits for the write in progress, and discards the queued bytes. Idempotent. */
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
  /** Missing in files that were written before digests were introduced. */
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

/** Request to build an index, written to `path` from `regionOffset` on, a multiple of 64. */
export interface IndexRequest {
  readonly path: string;
  readonly regionOffset: number;
  readonly rowCount: number;
  /** The sections META and COLUMNS, and every TABLE section. */
  readonly sections: readonly PreparedSection[];
  /** Bytes of the OWNERS section, which is omitted by default. */
  readonly owners?: Uint8Array;
  readonly threads: number;
  /** Maximum number of rows whose sort keys are in memory at a time. Tests use a small number. */
  readonly rowsHeld?: number;
  /** Shared u32 that the build advances from 0 to 1,000. */
  readonly progress?: Uint32Array;
}

/** Anything with a byte length. Code that only computes a layout needs no actual bytes. */
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

/** File formats whose rows the addon can render. */
export type RowFormat = "csv" | "html" | "jsonl" | "xlsx";

/**
 * A column that is added to the output fields. It has one string or null for each row. `text` is
 * quoted and escaped for the format. `number` and `json` (jsonl only) are written verbatim.
 */
export interface ExtraColumn {
  readonly name: string;
  readonly kind: "text" | "number" | "json";
  readonly values: readonly (string | null)[];
}

/** Options for rendering rows. Each column in `extra` has one value per row. */
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

/** The values of one field in many rows, as Arrow buffers. `child` holds the texts of a list. */
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

/** Entries of some rows, and the position in the order by CNPJ at which to continue. */
interface EntrySlice {
  readonly entries: Uint8Array;
  readonly next: number;
}

/** The rows of a snapshot that match the entries of a list. */
interface EntryRows {
  /** The rows as a portable Roaring bitmap. */
  readonly roaring: Uint8Array;
  readonly rows: number;
  /** Number of entries that match at least one row. */
  readonly found: number;
}

/** The rows of looked-up CNPJs, and their rendered fields. */
export interface LookupResult {
  /** The row of each CNPJ, or `NO_ROW`. */
  readonly rows: Uint32Array;
  /** The found rows, rendered in the order of `rows`. */
  readonly text: Uint8Array;
}

/** Suffixes: texts to append to records of a CSV file. See native-index/render/enrichment.h. */
export interface EnrichRequest {
  readonly suffixes: Uint8Array;
  /**
   * For each suffix, twice the position of its end. One is added if the cells of an account follow
   * the suffix.
   */
  readonly suffixEnds: Uint32Array;
  /** Characters of the upper half of Windows-1252, two bytes each; empty for UTF-8. */
  readonly windows: Uint8Array;
  /**
   * Suffixes for a CNPJ without an account: `absent` with right check digits, else `wrongDigits`.
   */
  readonly absent: number;
  readonly wrongDigits: number;
}

/** An enrichment. It reuses the memory of batches that were written completely. */
export interface NativeEnrichment {
  readonly cells: RowsRequest;
}

/** Consecutive records of a CSV file. */
export interface SentRecords {
  readonly bytes: Uint8Array;
  /**
   * Four numbers per record: its start, its end, the start of the next record, and a combined
   * number. The combined number has the suffix in its low byte, and above it the number of empty
   * cells to add.
   */
  readonly records: Uint32Array;
  /** 14 bytes per record, as for `lookUp`. Read only if an account follows the suffix. */
  readonly cnpjs: Uint8Array;
  /**
   * The row of each record if it is known: `NO_ROW` if no account has the CNPJ, and `NO_ROW` - 1 if
   * the CNPJ must be looked up.
   */
  readonly known: Uint32Array;
}

/** The part of a CSV file to scan for records; see native-index/render/records.h. */
export interface RecordScan {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly isLast: boolean;
  /** Character code. */
  readonly delimiter: number;
  /** Index of the column that contains CNPJs, from 0. */
  readonly column: number;
  /** Number of cells in the widest record. */
  readonly width: number;
  /** Number of the header, counted from the first record of this scan; it may be negative. */
  readonly header: number;
  readonly heading: number;
  readonly blank: number;
  readonly found: number;
  readonly odd: number;
}

/** Counts of a scan. The numbers of each record are in the arrays passed to `scanRecords`. */
export interface ScannedRecords {
  readonly count: number;
  /** Number of cells that the caller must read. */
  readonly odd: number;
  /** Start of the first record that was not scanned. */
  readonly next: number;
  readonly lines: number;
  readonly width: number;
  /** Length of the longest record in bytes. */
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
  /** Length of the longest new record in bytes. */
  readonly longest: number;
  /** Writes the next whole records that fit. Returns the number of bytes, or 0 after the last. */
  write(room: Uint8Array): number;
}

/** An opened snapshot. Every method throws `Error` with `code` "SNAPSHOT_DAMAGED" on damage. */
export interface NativeSegment {
  readonly rowCount: number;
  /** Number of 64-KiB blocks, each of which has a checksum. */
  readonly blockCount: number;
  /** State of the file at the time it was opened. */
  readonly opened: FileState;
  /** True if the snapshot has DISTRICTS (rows by district), which older snapshots lack. */
  readonly hasDistricts: boolean;
  /** True if the snapshot has CONTACTS (rows by e-mail and phone), which older snapshots lack. */
  readonly hasContacts: boolean;
  /** Returns a number by which other threads can open this segment while any thread has it open. */
  share(): number;
  /** Bytes of the META section. */
  meta(): Uint8Array;
  /** Returns the values of a string table. `table` is its number in TABLES. */
  table(table: number): string[];
  select(request: SelectRequest): Selection;
  /**
   * Returns the exact number of matching rows. Returns -1 if the number is not stored and counting
   * may scan more than `most` rows.
   */
  count(clauses: readonly Clause[], most?: number): number;
  /** For every facet, returns the matches by code; the last number is for those without a code. */
  facets(clauses: readonly Clause[], facets: readonly NativeFacet[]): Uint32Array[];
  /**
   * Returns an upper bound of the work of `facets` and `count` together: the stored counts to read
   * plus the rows to read from one column. Computing the bound reads no row. See
   * native-index/query/facets/facets.h.
   */
  facetsWorkMax(clauses: readonly Clause[], facets: readonly NativeFacet[]): number;
  /**
   * Like `select`, `count`, and `facets`, but off the main thread; `facetsAsync` uses several
   * threads. The arguments must not change meanwhile.
   */
  selectAsync(request: SelectRequest): Promise<Selection>;
  countAsync(clauses: readonly Clause[]): Promise<number>;
  facetsAsync(
    clauses: readonly Clause[],
    facets: readonly NativeFacet[],
    threads?: number,
  ): Promise<Uint32Array[]>;
  /**
   * Returns the number of matches for each pair of codes, off the main thread. The index of a pair
   * is the first facet's code, times the second facet's number of codes ("none" included), plus the
   * second facet's code.
   */
  pairsAsync(
    clauses: readonly Clause[],
    pair: readonly NativeFacet[],
    threads: number,
  ): Promise<Uint32Array>;
  /** Returns the rows in any of the districts (municipality_ibge codes and folded names). */
  districtRows(municipalities: Uint32Array, names: readonly string[]): NativeRowList;
  /** Returns the rows that match ascending list entries (see `entryRowsAsync`). */
  entryRows(entries: Uint8Array): NativeRowList;
  /** Copies the bytes of the OWNERS section (format/snapshot/owners.ts), or returns null. */
  ownersPart(): Uint8Array | null;
  /** Returns the rows with one of these lower-case e-mails. */
  emailRows(emails: readonly string[]): NativeRowList;
  /** Returns the rows with one of these phones, given as E.164 digits. */
  phoneRows(phones: Float64Array): NativeRowList;
  /** Districts of a municipality (code) that match typed text; see query/parts/districts.h. */
  districts(municipality: number, typed: string, limit: number): NativeDistricts;
  /**
   * Returns the number of rows in each district, or 0 for an unknown district. A district is given
   * by its municipality code and its folded name.
   */
  districtSizes(municipalities: Uint32Array, names: readonly string[]): Uint32Array;
  /** Like `firstsPerCompany`, off the main thread. */
  firstsPerCompanyAsync(rows: Uint32Array, request: FirstsPerCompanyRequest): Promise<Uint32Array>;
  /** Returns the work done by the last synchronous `select`, `count`, or `facets`. */
  lastWork(): Work;
  /** Returns the number of rows that contain each word, or 0 for an unknown word. */
  documentFrequency(words: readonly string[]): Uint32Array;
  /**
   * Does `count`, `select`, and `renderJson` of a page in one call. `facts` has at least five
   * numbers, with the indexes in PAGE_FACTS. The method sets the number of matches, the number of
   * rows, the last row (or -1), and 1 if another row follows. If the text fits into `room` from
   * offset `facts[place]` on, writes it there and returns its length. Otherwise returns it as new
   * bytes.
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
   * Renders the rows into `room` and returns their length. If they do not fit, returns new bytes.
   */
  renderRowsInto(rows: Uint32Array, request: RowsRequest, room: Uint8Array): Uint8Array | number;
  /** Like `renderRows`, off the main thread. The caller may change the rows meanwhile. */
  renderRowsAsync(rows: Uint32Array, request: RowsRequest): Promise<Uint8Array>;
  /** Returns the fields of rows as columns, in the given order of fields. */
  columnsOf(rows: Uint32Array, fields: readonly string[]): FieldColumn[];
  /**
   * Returns a Parquet file of one row group: the fields of rows, then additional columns of equal
   * length; see native-index/render/parquet.h.
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
  /** Returns the row of a cnpj (14 characters), or -1. */
  findCnpj(cnpj: string): number;
  /**
   * Finds the rows of many CNPJs (14 bytes each), much faster than `findCnpj`. Also renders these
   * rows unless `request` is null. A root, padded with NUL bytes, finds the head office, or the
   * first establishment if there is no head office.
   */
  lookUp(cnpjs: Uint8Array, request: RowsRequest | null): LookupResult;
  /** Like `lookUp`, off the main thread. The caller may change the bytes meanwhile. */
  lookUpAsync(cnpjs: Uint8Array, request: RowsRequest | null): Promise<LookupResult>;
  /** Appends to each record of a CSV file the cells of its account, formatted as in a CSV row. */
  enrich(enrichment: NativeEnrichment, records: SentRecords): EnrichedBatch;
  /** Like `enrich`, off the main thread. The caller may change the records meanwhile. */
  enrichAsync(enrichment: NativeEnrichment, records: SentRecords): Promise<EnrichedBatch>;
  /**
   * Filters `rows`. Keeps a row only if no other match of its company comes before it in the order.
   * A company is identified by the first 8 characters of the cnpj. See
   * native-index/query/find/cnpj.h.
   */
  firstsPerCompany(rows: Uint32Array, request: FirstsPerCompanyRequest): Uint32Array;
  /** Returns the accounts whose names match, off the main thread. See query/find/suggest.h. */
  suggestAsync(request: NamedRequest): Promise<NativeSuggestions>;
  /** Returns a company's establishments, off the main thread: head offices first, then by cnpj. */
  companyAsync(request: EstablishmentsRequest): Promise<EstablishmentRows>;
  /**
   * Returns the rows that match list entries, off the main thread. Entries are eight bytes each,
   * little-endian, and ascending (see native-index/query/find/cnpj.h).
   */
  entryRowsAsync(entries: Uint8Array): Promise<EntryRows>;
  /**
   * Returns the rows that match consecutive packed blocks of a list (src/lists/blocks.ts). The
   * result also includes the rows in `known`. Runs off the main thread.
   */
  blockRowsAsync(blocks: Uint8Array, known: NativeRowList | null): Promise<EntryRows>;
  /**
   * Returns the entries of rows whose bits are set (row r is bit r % 8 of byte r / 8). Begins at
   * position `from` of the order by CNPJ and returns at most `most` entries, ascending. Also
   * returns the position at which to continue.
   */
  entriesOfBits(bits: Uint8Array, from: number, most: number): EntrySlice;
  /**
   * Returns the list entries of all matching accounts, or of their companies if `companies` is
   * true. Ascending; runs off the main thread.
   */
  matchEntriesAsync(clauses: readonly Clause[], companies: boolean): Promise<Uint8Array>;
  /** Returns the entries of rows, ascending and without duplicates. */
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
  /** Number of the first block that any reader found damaged, or -1 if there is none. */
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

/** The first matching districts, spelled as in their best rows, and the number of matches. */
export interface NativeDistricts {
  readonly names: readonly string[];
  /** Number of rows in each district. */
  readonly rows: Uint32Array;
  readonly total: number;
}

/** The typed words of a name, and clauses that the accounts must also match. */
export interface NamedRequest {
  /** Analyzed words, in typing order. */
  readonly words: readonly string[];
  readonly clauses: readonly Clause[];
  readonly limit: number;
}

/** The first matching accounts, best first. */
export interface NativeSuggestions {
  readonly rows: Uint32Array;
  /**
   * How well the name of each account matches the words. 0: the name begins with them. 1: it
   * contains them as whole words. 2: as prefixes of words. 3: with one edit. 4: with two edits.
   */
  readonly fits: Uint32Array;
  /** The work of the search: checked vocabulary words, and accounts whose names were read. */
  readonly terms: number;
  readonly names: number;
}

/** Selects establishments of a company. */
export interface EstablishmentsRequest {
  /** The first 8 characters of the establishments' cnpj. */
  readonly root: string;
  /** The last row of the page before, or -1 for the first page. */
  readonly afterRow: number;
  readonly limit: number;
}

/** Establishments of a company, and their total number. */
export interface EstablishmentRows {
  readonly rows: Uint32Array;
  readonly total: number;
}

/** Request to compare two segments. A later request can resume at the returned positions. */
export interface DifferenceRequest {
  /** Numbers of the columns to compare. */
  readonly columns: Uint32Array;
  /** The position in each segment's order by cnpj at which to begin; 0 for the start. */
  readonly older: number;
  readonly newer: number;
  /** Maximum accounts to compare, up to 2^20. */
  readonly accounts: number;
}

/** The differences in a range of the registry, and the positions at which to continue. */
export interface DifferenceSlice {
  /**
   * Three u32 per entry: row in the older segment, row in the newer segment, and a bit for each
   * differing column. The row is 2^32 - 1 if a segment lacks the account.
   */
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

/** Request to read a range of a change list and collect some of its entries. */
export interface WalkRequest {
  readonly older: NativeSegment;
  readonly newer: NativeSegment;
  readonly olderClauses: readonly Clause[];
  readonly newerClauses: readonly Clause[];
  /**
   * Bits of the watched columns. An account that is in both segments counts as changed if one of
   * these columns differs.
   */
  readonly watch: number;
  /**
   * Numbers of the watched day columns that share one bit. Because the bit does not tell which of
   * them differs, their values are compared again.
   */
  readonly watchDays: Uint32Array;
  /** Bits of the kinds to collect: 1 entered, 2 left, 4 changed. */
  readonly kinds: number;
  /** The range of positions in the list to read, [from, to). */
  readonly from: number;
  readonly to: number;
  /** Maximum number of entries to collect, after which reading stops. 0 only counts, to the end. */
  readonly limit: number;
}

/** The result of reading the positions from `from` to `next`. */
export interface WalkResult {
  /**
   * Six numbers per entry: its position, the older row, the newer row, the bits of the differing
   * columns, the bits of the differing `watchDays`, and the kind (0 to 2).
   */
  readonly found: Uint32Array;
  /** How many accounts entered, left, or changed. Includes kinds that are not collected. */
  readonly counts: Uint32Array;
  readonly next: number;
}

/** An opened change list. `walk` throws "SNAPSHOT_DAMAGED" for a row that does not exist. */
export interface NativeChanges {
  walk(request: WalkRequest): WalkResult;
  close(): void;
}
