/**
 * Types of the values that go into the addon and come out: pages, buffers of columns, the objects
 * that stand for opened files, and the functions that count for all threads of a process
 * (napi/threads/ledger.cc).
 * Invariant: nothing here exists at run time but the places of a ledger's numbers; each type is the
 * face of a struct or a method of the addon, and changes with it. A ledger is a number that every
 * thread of the process may use. A closed ledger makes each call fail with an `Error` whose `code`
 * is "LEDGER_CLOSED".
 */
import type { Clause, FirstsRequest, NativeRowList, SelectRequest } from "./query.ts";

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

/** A page that is found and rendered in one call. */
export interface WholePageRequest extends SelectRequest {
  readonly fields: readonly string[];
}

/** Work done by one call, counted so that tests need no clock. */
export interface Work {
  readonly chunks: number;
  readonly containers: number;
  readonly tests: number;
  readonly probes: number;
  readonly gathered: number;
  /** Rows that were counted one by one, and cells of PLACES that were read. */
  readonly counted: number;
  readonly cells: number;
}

/** Row ids of a page in order; `more` says whether a further row follows. */
export interface Selection {
  readonly rows: Uint32Array;
  readonly more: boolean;
  /** True if a walk would have met more than `meetMax` rows; there are no rows then. */
  readonly gaveUp: boolean;
  readonly work: Work;
}

/** Where the digests of the blocks lie, and the hash over them, which is the identity. */
export interface DigestsLocation {
  readonly offset: number;
  readonly length: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** Where the directory of the index region lies, as the Arrow footer says. */
export interface DirectoryLocation {
  readonly offset: number;
  readonly length: number;
  readonly crc32c: number;
  /** Missing in files that were written before there were any. */
  readonly digests?: DigestsLocation;
}

/** What a build gives back: where directory and digests lie, and wall milliseconds by phase. */
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
  /** Rows whose sort keys are in memory at a time; tests make it small. */
  readonly rowsHeld?: number;
  /** Shared u32 that the builder counts up from 0 to 1,000. */
  readonly progress?: Uint32Array;
}

/** Bytes, or as much of them as a layout asks for. */
export interface Sized {
  readonly byteLength: number;
}

/** Buffers of one column of a finished record batch, as Arrow wants them. */
export interface ColumnBuffers<Part extends Sized = Uint8Array> {
  readonly nullCount: number;
  readonly validity: Part | null;
  readonly offsets: Part | null;
  readonly data: Part;
}

/** Formats whose rows the addon renders. */
export type RowFormat = "csv" | "html" | "jsonl" | "xlsx";

/**
 * A further column behind the output fields: finished text per row, or null for none. `text` is
 * quoted and escaped as the format wants it, `number` and `json` (jsonl only) stand as they are.
 */
export interface ExtraColumn {
  readonly name: string;
  readonly kind: "text" | "number" | "json";
  readonly values: readonly (string | null)[];
}

/** What to render of rows; `extra` columns have one value per row. */
export interface RowsRequest {
  readonly format: RowFormat;
  readonly fields: readonly string[];
  readonly extra: readonly ExtraColumn[];
  /** How many of the extra columns stand before the fields instead; none where not given. */
  readonly leading?: number;
  /** Language in which people read the values; as programs read them where not given. */
  readonly labels?: "pt" | "en" | undefined;
  /** csv only: what stands between cells. */
  readonly delimiter: "," | ";" | "\t" | "|";
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

/** What the system knows of an opened file now, wherever its name has gone. */
export interface FileState {
  readonly inode: bigint;
  readonly size: number;
  /** How many names it has. */
  readonly links: number;
  /** When its bytes were written last, and when anything about it changed; since 1970. */
  readonly modifiedNs: bigint;
  readonly changedNs: bigint;
}

/** Entries of some rows, and the position of the order by CNPJ behind the last of them. */
interface EntrySlice {
  readonly entries: Uint8Array;
  readonly next: number;
}

/** Rows of a snapshot for the entries of a list. */
interface EntryRows {
  /** The rows as a portable Roaring bitmap. */
  readonly roaring: Uint8Array;
  readonly rows: number;
  /** Entries of which the snapshot has a row. */
  readonly found: number;
}

/** What a snapshot has of some CNPJs. */
export interface LookedUp {
  /** The row of each, or `NO_ROW`. */
  readonly rows: Uint32Array;
  /** The rows that are there, rendered in this order. */
  readonly text: Uint8Array;
}

/** An opened snapshot. Every method throws `Error` with `code` "SNAPSHOT_DAMAGED" on damage. */
export interface NativeSegment {
  readonly rowCount: number;
  /** Blocks of 64 KiB that have a checksum. */
  readonly blockCount: number;
  /** State of the file when it was opened here. */
  readonly opened: FileState;
  /** Whether the snapshot knows the rows of districts; one of before does not. */
  readonly hasDistricts: boolean;
  /** Whether the snapshot knows the rows of e-mails and phones; one of before does not. */
  readonly hasContacts: boolean;
  /** Returns a number by which other threads open the same segment while it is open anywhere. */
  share(): number;
  /** Bytes of the META section. */
  meta(): Uint8Array;
  /** Values of a string table (TABLES), by number. */
  table(table: number): string[];
  select(request: SelectRequest): Selection;
  /**
   * Exact number of matching rows; -1 if no sum gives it and more than `most` rows may have to be
   * scanned.
   */
  count(clauses: readonly Clause[], most?: number): number;
  /** For every facet the number of matches by code; the last element counts those without one. */
  facets(clauses: readonly Clause[], facets: readonly NativeFacet[]): Uint32Array[];
  /**
   * At most how much is looked at for facets and the total, in cells of sums and rows whose column
   * is read; found out without looking at a row. See native-index/query/facets/facets.h.
   */
  facetsWorkMax(clauses: readonly Clause[], facets: readonly NativeFacet[]): number;
  /**
   * As select, count and facets (by several threads), off the main thread; what is given must not
   * change meanwhile.
   */
  selectAside(request: SelectRequest): Promise<Selection>;
  countAside(clauses: readonly Clause[]): Promise<number>;
  facetsAside(
    clauses: readonly Clause[],
    facets: readonly NativeFacet[],
    threads?: number,
  ): Promise<Uint32Array[]>;
  /** Rows in one of the districts: a code of municipality_ibge and a folded name for each. */
  districtRows(municipalities: Uint32Array, names: readonly string[]): NativeRowList;
  /** Rows that have one of these e-mails, given in lower case. */
  emailRows(emails: readonly string[]): NativeRowList;
  /** Rows one of whose phones is among these, given as E.164 digits. */
  phoneRows(phones: Float64Array): NativeRowList;
  /**
   * Districts of a municipality (its code) that fit what was typed; see query/parts/districts.h.
   */
  districts(municipality: number, typed: string, limit: number): NativeDistricts;
  /** Rows of districts by municipality (its code), then by folded name; 0 for an unknown one. */
  districtSizes(municipalities: Uint32Array, names: readonly string[]): Uint32Array;
  /** As `firstsOfCompany`, off the main thread. */
  firstsAside(rows: Uint32Array, request: FirstsRequest): Promise<Uint32Array>;
  /** Work of the last select, count or facets at once. */
  lastWork(): Work;
  /** Number of rows holding each word; 0 for an unknown one. */
  documentFrequency(words: readonly string[]): Uint32Array;
  /**
   * `count`, `select` and `renderJson` of a page in one call; `facts` (of five numbers or more) is
   * told what PAGE_FACTS names: matches, rows, the last row or -1, and 1 where a row follows. A
   * text that has room in `room`, from the byte that `facts` tell, is written there, and how many
   * bytes it has comes back.
   */
  wholePage(request: WholePageRequest, facts: Float64Array): Uint8Array;
  wholePage(request: WholePageRequest, facts: Float64Array, room?: Uint8Array): Uint8Array | number;
  /** JSON text `[{"cnpj":"…",…},…]` of the rows with the output fields in the given order. */
  renderJson(rows: Uint32Array, fields: readonly string[]): Uint8Array;
  /** Rows of an export's file, without header and frame; see native-index/render/rows.h. */
  renderRows(rows: Uint32Array, request: RowsRequest): Uint8Array;
  /** The same into `room`: how many bytes they are, or bytes of their own where they lack room. */
  renderRowsInto(rows: Uint32Array, request: RowsRequest, room: Uint8Array): Uint8Array | number;
  /** The same off the main thread; the rows may be changed meanwhile. */
  renderRowsAside(rows: Uint32Array, request: RowsRequest): Promise<Uint8Array>;
  /** The fields of rows as columns, in the given order. */
  columnsOf(rows: Uint32Array, fields: readonly string[]): FieldColumn[];
  /**
   * A Parquet file of one row group: the fields of rows, then further columns of as many rows; see
   * native-index/render/parquet.h.
   */
  parquetOf(
    rows: Uint32Array,
    fields: readonly string[],
    extra: readonly FieldColumn[],
  ): Uint8Array;
  /** The same off the main thread; rows and columns may be changed meanwhile. */
  parquetOfAside(
    rows: Uint32Array,
    fields: readonly string[],
    extra: readonly FieldColumn[],
  ): Promise<Uint8Array>;
  /** Row of a cnpj (14 characters), or -1. */
  findCnpj(cnpj: string): number;
  /**
   * Rows of many CNPJs, 14 bytes each, and these rows rendered unless `request` is null; faster
   * than `findCnpj` by far. Of a root, with NUL bytes behind it, the head office, or the first
   * establishment if it has none.
   */
  lookUp(cnpjs: Uint8Array, request: RowsRequest | null): LookedUp;
  /** The same off the main thread; the bytes may be changed meanwhile. */
  lookUpAside(cnpjs: Uint8Array, request: RowsRequest | null): Promise<LookedUp>;
  /**
   * Records of a CSV file with cells appended (`AppendRequest` in render/rows.h): per record its
   * start, its end, the start of the next one, and its suffix.
   */
  appendToRecords(
    ...given: [
      bytes: Uint8Array,
      records: Uint32Array,
      suffixes: Uint8Array,
      suffixEnds: Uint32Array,
      rows: Uint8Array,
    ]
  ): Uint8Array;
  /**
   * Of rows that match the clauses those before which no match of the same company (the first 8
   * characters of the cnpj) comes in the order; see native-index/query/find/cnpj.h.
   */
  firstsOfCompany(rows: Uint32Array, request: FirstsRequest): Uint32Array;
  /** Accounts whose names fit typed words; see query/find/suggest.h. Off the main thread. */
  suggestAside(request: NamedRequest): Promise<NativeSuggestions>;
  /** The establishments of a company, head offices first, then by cnpj. Off the main thread. */
  companyAside(request: EstablishmentsRequest): Promise<EstablishmentRows>;
  /**
   * The rows of entries of a list (native-index/query/find/cnpj.h: eight bytes each,
   * little-endian, ascending), off the main thread.
   */
  entryRowsAside(entries: Uint8Array): Promise<EntryRows>;
  /**
   * The rows of packed blocks of a list (src/lists/blocks.ts), one after the other, and rows that
   * are known already; off the main thread.
   */
  blockRowsAside(blocks: Uint8Array, known: NativeRowList | null): Promise<EntryRows>;
  /**
   * Entries of the rows whose bits are set (row r is bit r % 8 of byte r / 8), ascending, from a
   * position of the order by CNPJ on, at most so many; and the position behind the last of them.
   */
  entriesOfBits(bits: Uint8Array, from: number, most: number): EntrySlice;
  /** Entries of all matches, of their companies where wanted; ascending, off the main thread. */
  matchEntriesAside(clauses: readonly Clause[], companies: boolean): Promise<Uint8Array>;
  /** Entries of rows, ascending, each once. */
  entriesOf(rows: Uint32Array): Uint8Array;
  /** Checks every block of the file, and its identity; `progress[0]` counts checked blocks. */
  verify(progress?: Uint32Array): Promise<void>;
  /**
   * Checks `count` blocks from `from` on, whether or not they were checked before; with the last
   * one the identity too.
   */
  verifyBlocks(from: number, count: number): Promise<void>;
  /** Every block is checked again before its next use, in every thread; cached totals go. */
  distrust(): void;
  /** State of the file now. */
  fileState(): FileState;
  /** The first block that was found damaged, by whatever; -1 where there is none. */
  damagedBlock(): number;
  /** Forgets cached totals and row sets, so that benches and tests see the work itself. */
  dropCaches(): void;
  /**
   * True once a page of the file could not be read (it was truncated under us), or a block was
   * found damaged; from then on every method that reads throws.
   */
  poisoned(): boolean;
  close(): void;
}

/** The first districts that fit, as their best rows spell them, and how many fit. */
export interface NativeDistricts {
  readonly names: readonly string[];
  /** Rows of each. */
  readonly rows: Uint32Array;
  readonly total: number;
}

/** What is typed of a name, and what has to hold of the accounts beside it. */
export interface NamedRequest {
  /** As the analyzer makes them, in the order in which they were typed. */
  readonly words: readonly string[];
  readonly clauses: readonly Clause[];
  readonly limit: number;
}

/** The first accounts that fit, best first. */
export interface NativeSuggestions {
  readonly rows: Uint32Array;
  /** How each fits: 0 begins, 1 whole words, 2 beginnings of words, 3 one edit, 4 two. */
  readonly fits: Uint32Array;
  /** Words of the vocabulary that were looked at, and accounts whose names were read. */
  readonly terms: number;
  readonly names: number;
}

/** Which establishments of a company are wanted. */
export interface EstablishmentsRequest {
  /** The first 8 characters of their cnpj. */
  readonly root: string;
  /** Row that the page begins after; -1 for the first page. */
  readonly afterRow: number;
  readonly limit: number;
}

/** Establishments of a company, and how many it has in all. */
export interface EstablishmentRows {
  readonly rows: Uint32Array;
  readonly total: number;
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

/** Places in the numbers of `takeRate`; those from `remaining` on are written by it. */
export const RATE = {
  ...{ perSecond: 0, burst: 1, cost: 2, paid: 3 },
  /** Milliseconds of a monotonic clock; NaN for that of the ledger, which all threads share. */
  now: 4,
  /** Table of names, from 0 to 3; tables know nothing of each other. */
  table: 5,
  ...{ remaining: 6, resetSeconds: 7, retrySeconds: 8 },
  /** Names that the table remembers. */
  names: 9,
} as const;

/** Places in the numbers of a hold. */
export const HOLD = {
  amount: 0,
  /** Number of the thread that takes the amount. */
  slot: 1,
  /** Limit of one owner, and of all owners together. */
  ...{ ownerMost: 2, most: 3 },
  /** Part of what the others leave that one owner may hold. */
  share: 4,
  /** Amount that must be left for other requests. */
  reserve: 5,
} as const;

/** Results of a hold, in the addon's order: taken, over the owner's limit, over that of all. */
export const SHORTAGES = [null, "share", "all"] as const;

/** Places in the numbers of `countUse`, and of each use that is returned. */
export const USE = { day: 0, requests: 1, accounts: 2 } as const;

/** Uses of keys: tenant and key of each, and three numbers (`USE`). */
export interface NativeUses {
  readonly tenants: string[];
  readonly keys: string[];
  readonly numbers: Float64Array;
}

/** The functions of the addon about ledgers. */
export interface NativeLedgers {
  openLedger(): number;
  closeLedger(ledger: number): void;
  takeRate(ledger: number, name: string, numbers: Float64Array): boolean;
  takeHold(ledger: number, kind: number, owner: string, numbers: Float64Array): number;
  shortageOf(ledger: number, kind: number, owner: string, numbers: Float64Array): number;
  giveHold(ledger: number, kind: number, owner: string, numbers: Float64Array): void;
  releaseSlot(ledger: number, slot: number): void;
  heldIn(ledger: number, kind: number): number;
  heldBy(ledger: number, kind: number, owner: string): number;
  countUse(ledger: number, tenant: string, key: string, numbers: Float64Array): void;
  usesOf(ledger: number, tenant: string): NativeUses;
  takeUses(ledger: number): NativeUses;
  noteUsed(ledger: number, key: string, atMs: number): void;
  takeUsed(ledger: number): { readonly keys: string[]; readonly times: Float64Array };
  appendLine(ledger: number, atMs: number, level: number, text: string): void;
  takeLines(
    ledger: number,
    upToMs: number,
  ): { readonly levels: Uint32Array; readonly texts: string[] };
}
