/**
 * The typed interface of the C++ addon, and its only importer.
 * Input: paths, row records, queries of clauses and sort keys. Output: row ids, counts, bytes.
 * Invariant: mapped memory never becomes a JavaScript object; row ids and bytes are copies.
 */
import { loadEngine } from "../../src/location.ts";
import type { ColumnName } from "../format/columns.ts";
import type {
  BuiltIndex,
  ChangesLocation,
  DifferenceRequest,
  DifferenceSlice,
  DirectoryLocation,
  EnrichRequest,
  HashPath,
  IndexRequest,
  NativeChanges,
  NativeEnrichment,
  NativeFacet,
  NativeHashedFile,
  NativeSegment,
  RecordScan,
  RenderedPageRequest,
  RowsRequest,
  ScannedRecords,
  Selection,
  WalkRequest,
  WalkResult,
} from "./handles.ts";
import type {
  CountFindings,
  CountRequest,
  JoinFindings,
  JoinInput,
  JoinRequest,
  NativeBatch,
  NativeRange,
  NativeScan,
  SampledKeys,
  ScanRequest,
} from "./import-handles.ts";
import type { NativeLedgers } from "./ledgers.ts";
import {
  type NativeQuery,
  type NativeRowList,
  writeBoth,
  writeFirsts,
  writePage,
  writeQuery,
} from "./query.ts";

export type * from "./handles.ts";
export type * from "./query.ts";

/**
 * Indexes in the array `facts` of `renderedPage`. The caller sets `place`, the offset in `room`
 * at which to write the text. The method sets the other values. Must match PageFacts in
 * napi/segment/handle.cc.
 */
export const PAGE_FACTS = { matches: 0, rows: 1, lastRow: 2, more: 3, place: 4 } as const;

/** The row number that `LookupResult` contains for a CNPJ that no account has. */
export const NO_ROW = 0xffff_ffff;

/** The methods of a segment that take a query, with the signatures that the addon gives them. */
interface QueryMethods {
  select(...given: NativeQuery): Selection;
  selectAsync(...given: NativeQuery): Promise<Selection>;
  count(...given: [...query: NativeQuery, most?: number | undefined]): number;
  countAsync(...given: NativeQuery): Promise<number>;
  facets(...given: [...NativeQuery, facets: readonly NativeFacet[]]): Uint32Array[];
  facetsWorkMax(...given: [...NativeQuery, facets: readonly NativeFacet[]]): number;
  facetsAsync(
    ...given: [...NativeQuery, facets: readonly NativeFacet[], threads?: number]
  ): Promise<Uint32Array[]>;
  pairsAsync(
    ...given: [...NativeQuery, pair: readonly NativeFacet[], threads: number]
  ): Promise<Uint32Array>;
  firstsPerCompany(...given: [...NativeQuery, rows: Uint32Array]): Uint32Array;
  firstsPerCompanyAsync(...given: [...NativeQuery, rows: Uint32Array]): Promise<Uint32Array>;
  renderedPage(
    ...given: [...NativeQuery, fields: readonly string[], facts: Float64Array, room?: Uint8Array]
  ): Uint8Array;
  matchEntriesAsync(...given: [...NativeQuery, companies: boolean]): Promise<Uint8Array>;
  suggestAsync(
    ...given: [...NativeQuery, words: readonly string[], limit: number]
  ): ReturnType<NativeSegment["suggestAsync"]>;
}

/** A segment as the addon returns it, before `withQueries` replaces its query methods. */
export type AddonSegment = QueryMethods & Omit<NativeSegment, keyof QueryMethods>;

/** A change list as the addon returns it, before its `walk` is replaced. */
interface AddonChanges extends Omit<NativeChanges, "walk"> {
  walk(...given: [...NativeQuery, request: WalkRequest]): WalkResult;
}

interface Addon extends NativeLedgers {
  openSegment(path: string, location: DirectoryLocation): AddonSegment;
  openShared(number: number): AddonSegment;
  differences(
    older: NativeSegment,
    newer: NativeSegment,
    request: DifferenceRequest,
  ): DifferenceSlice;
  openChanges(path: string, offset: number, count: number, crc32c: number): AddonChanges;
  createBatch(numbers: Uint32Array): NativeBatch;
  createRange(): NativeRange;
  rankRecords(records: Uint8Array, byteLength: number): Uint32Array;
  buildIndex(request: IndexRequest): Promise<BuiltIndex>;
  openScan<Kind extends string>(request: ScanRequest): NativeScan<Kind>;
  releaseExtents(path: string, offsets: Float64Array, lengths: Uint32Array): void;
  prefetchExtents(path: string, offsets: Float64Array, lengths: Uint32Array): void;
  joinPartition<Kind extends string>(request: JoinRequest<Kind>): JoinFindings;
  samplePartition<Kind extends string>(partition: JoinInput<Kind>, stride: number): SampledKeys;
  countShared(request: CountRequest): CountFindings;
  openRowList(bytes: Uint8Array): NativeRowList;
  rowListBytes(list: NativeRowList): Uint8Array;
  sortEntriesAsync(entries: Uint8Array): Promise<Uint8Array>;
  openEnrichment(request: EnrichRequest, cells: RowsRequest): NativeEnrichment;
  scanRecords(
    ...given: [scan: RecordScan, records: Uint32Array, cnpjs: Uint8Array, odd: Uint32Array]
  ): ScannedRecords;
  deflate(bytes: Uint8Array, isLast: boolean): Uint8Array;
  deflateAsync(bytes: Uint8Array, isLast: boolean): Promise<Uint8Array>;
  analyze(text: string): string[];
  foldDistrict(text: string): string;
  crc32c(bytes: Uint8Array, seed: number): number;
  sha256(bytes: Uint8Array, portable: boolean): Uint8Array;
  hashInto(bytes: Uint8Array, length: number, target: Uint8Array): void;
  hmacInto(secret: Uint8Array, bytes: Uint8Array, length: number, target: Uint8Array): void;
  feistel(rowCount: number, seed: bigint, row: number): number;
  columnsFingerprint(): bigint;
  columnNames(): ColumnName[];
  versions(): { simd: string };
  limitCores(): number;
  openPort(host: string, port: number): Float64Array | null;
  acceptConnections(port: number, taker: (descriptor: number) => void): boolean;
  closePort(port: number): void;
  refuseNewConnections(port: number): boolean;
  queuedConnections(port: number): number;
  limitReceiveBuffer(port: number, bytes: number): boolean;
  unsentBytes(descriptor: number): number;
  openHashedFile(descriptor: number, path: HashPath): NativeHashedFile;
  removeIfUnused(path: string): Removal;
}

/**
 * Result of a removal: the file was removed, is still mapped by a process (`read`), or the file
 * system has no locks, so this is unknown (`unknown`).
 */
export type Removal = "removed" | "read" | "unknown";

let loaded: Addon | null = null;

/**
 * Loads the addon on first use. It is not imported, because its path depends on the form of the
 * program, and because `peneira version` must work even if the addon cannot be loaded.
 */
function addon(): Addon {
  loaded ??= loadEngine() as Addon;
  return loaded;
}

/** Opens the segment of a snapshot file. `directory` is the location in the file's footer. */
export function openSegment(path: string, directory: DirectoryLocation): NativeSegment {
  return withQueries(addon().openSegment(path, directory));
}

/**
 * Replaces the methods that take queries. It changes the given object instead of copying it,
 * because the addon has tagged that object.
 */
function withQueries(opened: AddonSegment): NativeSegment {
  return Object.assign<object, NativeSegment>(opened, writingQueries({ ...opened }));
}

/** Wraps each method that takes a query; the wrapper encodes the query and calls the method. */
function writingQueries(own: AddonSegment): NativeSegment {
  return {
    ...own,
    select(request) {
      return own.select.call(this, ...writePage(request));
    },
    selectAsync(request) {
      return own.selectAsync.call(this, ...writePage(request));
    },
    count(clauses, most) {
      return own.count.call(this, ...writeQuery(clauses), most);
    },
    countAsync(clauses) {
      return own.countAsync.call(this, ...writeQuery(clauses));
    },
    facets(clauses, facets) {
      return own.facets.call(this, ...writeQuery(clauses), facets);
    },
    facetsWorkMax(clauses, facets) {
      return own.facetsWorkMax.call(this, ...writeQuery(clauses), facets);
    },
    facetsAsync(clauses, facets, threads) {
      return own.facetsAsync.call(this, ...writeQuery(clauses), facets, threads);
    },
    pairsAsync(clauses, pair, threads) {
      return own.pairsAsync.call(this, ...writeQuery(clauses), pair, threads);
    },
    firstsPerCompany(rows, request) {
      return own.firstsPerCompany.call(this, ...writeFirsts(request), rows);
    },
    firstsPerCompanyAsync(rows, request) {
      return own.firstsPerCompanyAsync.call(this, ...writeFirsts(request), rows);
    },
    renderedPage(request: RenderedPageRequest, facts: Float64Array, room?: Uint8Array) {
      return own.renderedPage.call(this, ...writePage(request), request.fields, facts, room);
    },
    matchEntriesAsync(clauses, companies) {
      return own.matchEntriesAsync.call(this, ...writeQuery(clauses), companies);
    },
    suggestAsync({ words, clauses, limit }) {
      return own.suggestAsync.call(this, ...writeQuery(clauses), words, limit);
    },
  };
}

/** Opens a segment shared by another thread (`NativeSegment.share`); throws if it is closed. */
export function openShared(number: number): NativeSegment {
  return withQueries(addon().openShared(number));
}

/** Compares the accounts of two segments in a range of the registry, ascending by cnpj. */
export function differences(
  older: NativeSegment,
  newer: NativeSegment,
  request: DifferenceRequest,
): DifferenceSlice {
  return addon().differences(older, newer, request);
}

/** Maps the entries of a change list and verifies their checksum. */
export function openChanges(path: string, location: ChangesLocation): NativeChanges {
  const opened = addon().openChanges(path, location.offset, location.count, location.crc32c);
  const { walk } = opened;
  return Object.assign<object, NativeChanges>(opened, {
    ...opened,
    walk(request) {
      const { olderClauses, newerClauses } = request;
      return walk.call(this, ...writeBoth(olderClauses, newerClauses), request);
    },
  });
}

/** Creates an empty record batch. Rows may contain only the numbers in `numbers`, ascending. */
export function createBatch(numbers: Uint32Array): NativeBatch {
  return addon().createBatch(numbers);
}

/** Creates an empty range of the rank order. */
export function createRange(): NativeRange {
  return addon().createRange();
}

/**
 * Returns the start of each record in the first `byteLength` bytes, ordered by score descending,
 * then cnpj ascending.
 */
export function rankRecords(records: Uint8Array, byteLength: number): Uint32Array {
  return addon().rankRecords(records, byteLength);
}

/** Builds the index region after the columns of an Arrow file, off the main thread. */
export function buildIndex(request: IndexRequest): Promise<BuiltIndex> {
  return addon().buildIndex(request);
}

/** Starts scanning a large dump file. `Kind`: the kinds of code in `dictionaries.ts`. */
export function openScan<Kind extends string>(request: ScanRequest): NativeScan<Kind> {
  return addon().openScan(request);
}

/** Releases the disk space of extents of a file, if the file system can. See `spill.ts`. */
export function releaseExtents(path: string, offsets: Float64Array, lengths: Uint32Array): void {
  addon().releaseExtents(path, offsets, lengths);
}

/** Advises the system to prefetch extents of a file from disk. Never fails. */
export function prefetchExtents(path: string, offsets: Float64Array, lengths: Uint32Array): void {
  addon().prefetchExtents(path, offsets, lengths);
}

/** Joins one partition of an import. `Kind`: the kinds of code in `dictionaries.ts`. */
export function joinPartition<Kind extends string>(request: JoinRequest<Kind>): JoinFindings {
  return addon().joinPartition(request);
}

/** Collects the sort keys of every `stride`-th row of a partition, beginning with row 1. */
export function samplePartition<Kind extends string>(
  partition: JoinInput<Kind>,
  stride: number,
): SampledKeys {
  return addon().samplePartition(partition, stride);
}

/** Counts the companies of each value of a bucket (`src/ingest/shared-values.ts`). */
export function countShared(request: CountRequest): CountFindings {
  return addon().countShared(request);
}

/**
 * Opens a portable Roaring bitmap of row ids. Throws `Error` with `code` "INVALID_ARGUMENT" and the
 * position of the error; queries reject lists with rows that the snapshot lacks.
 */
export function openRowList(bytes: Uint8Array): NativeRowList {
  return addon().openRowList(bytes);
}

/** Returns the bytes of a list of rows: a portable Roaring bitmap. */
export function rowListBytes(list: NativeRowList): Uint8Array {
  return addon().rowListBytes(list);
}

/** Sorts and deduplicates the entries of a list (see `EntryRows`). */
export function sortEntriesAsync(entries: Uint8Array): Promise<Uint8Array> {
  return addon().sortEntriesAsync(entries);
}

/**
 * Scans the records of a CSV file. Fills `records` with four numbers per record, `cnpjs` with the
 * plain CNPJs (14 bytes per record), and `odd` with three numbers for each cell that the caller
 * must read. See native-index/render/records.h.
 */
export function scanRecords(
  ...given: [scan: RecordScan, records: Uint32Array, cnpjs: Uint8Array, odd: Uint32Array]
): ScannedRecords {
  return addon().scanRecords(...given);
}

/** Prepares the enrichment of one CSV file; its batches belong to the thread that opened it. */
export function openEnrichment(request: EnrichRequest, cells: RowsRequest): NativeEnrichment {
  return addon().openEnrichment(request, cells);
}

/**
 * Compresses a chunk of a DEFLATE stream. The output does not depend on earlier chunks and fills
 * whole bytes, so chunks can be concatenated. The last chunk ends the stream. See
 * native-index/render/deflate.h.
 */
export function deflate(bytes: Uint8Array, isLast: boolean): Uint8Array {
  return addon().deflate(bytes, isLast);
}

/** Like `deflate`, off the main thread. The caller may change the bytes meanwhile. */
export function deflateAsync(bytes: Uint8Array, isLast: boolean): Promise<Uint8Array> {
  return addon().deflateAsync(bytes, isLast);
}

/** Splits a text into words in the same way as the index of words does. */
export function analyze(text: string): string[] {
  return addon().analyze(text);
}

/** Folds a district's name to the form that the DISTRICTS section stores. */
export function foldDistrict(text: string): string {
  return addon().foldDistrict(text);
}

/** Returns the CRC-32C (Castagnoli) of bytes, continued from `seed` (0 to begin). */
export function crc32c(bytes: Uint8Array, seed = 0): number {
  return addon().crc32c(bytes, seed);
}

/** Returns the SHA-256 of bytes; `portable`: with instructions that every processor has. */
export function sha256(bytes: Uint8Array, portable = false): Uint8Array {
  return addon().sha256(bytes, portable);
}

/** Writes the SHA-256 of the first `length` bytes to the first 32 of `target`. */
export function hashInto(bytes: Uint8Array, length: number, target: Uint8Array): void {
  addon().hashInto(bytes, length, target);
}

/** Writes the HMAC-SHA-256 of the first `length` bytes to the first 32 of `target`. */
export function hmacInto(
  secret: Uint8Array,
  bytes: Uint8Array,
  length: number,
  target: Uint8Array,
): void {
  addon().hmacInto(secret, bytes, length, target);
}

/** Returns the position of a row in the order of `rowCount` rows that `seed` determines. */
export function feistel(rowCount: number, seed: bigint, row: number): number {
  return addon().feistel(rowCount, seed, row);
}

/** Returns the fingerprint of the columns for which the addon was compiled. */
export function nativeFingerprint(): bigint {
  return addon().columnsFingerprint();
}

/** Returns the versions of parts inside the addon. */
export function nativeVersions(): { simd: string } {
  return addon().versions();
}

/**
 * Disables core files for this process. Returns the new size limit, which is 0 or 1. At a limit of
 * 1, Linux writes no core even if a program collects cores.
 */
export function limitCores(): number {
  return addon().limitCores();
}

/** Returns the functions about ledgers, for `src/process/ledger.ts`. */
export function ledgers(): NativeLedgers {
  return addon();
}

/** A port that this process listens on. All threads of the process may use its id. */
export interface OpenPort {
  readonly id: number;
  /** Port number. */
  readonly number: number;
}

/** Opens an unused port (0 picks a free one); returns null if the address is unavailable. */
export function openPort(host: string, port: number): OpenPort | null {
  const opened = addon().openPort(host, port);
  return opened === null ? null : { id: opened[0] as number, number: opened[1] as number };
}

/**
 * Accepts connections of an open port on this thread, in turn with the other threads that accept on
 * the port. Calls `taker` with each descriptor, which `taker` then owns, and with -1 after the last
 * connection. Returns false if the port is closed.
 */
export function acceptConnections(port: number, taker: (descriptor: number) => void): boolean {
  return addon().acceptConnections(port, taker);
}

/** Closes a port. Each taker is called with -1 after its last connection. Idempotent. */
export function closePort(port: number): void {
  addon().closePort(port);
}

/**
 * Makes a port of this process drop new connection requests. Connections in progress are still
 * completed and accepted. Returns false, and changes nothing, if the system does not support this
 * (Linux does).
 */
export function refuseNewConnections(port: number): boolean {
  return addon().refuseNewConnections(port);
}

/** Returns the number of established, not yet accepted connections; 0 if unknown. */
export function queuedConnections(port: number): number {
  return addon().queuedConnections(port);
}

/**
 * Limits the kernel's receive buffer of future connections of the port to less than twice `bytes`.
 * Returns false if the system does not support this. Linux supports it up to the system-wide limit
 * `net.core.rmem_max`.
 */
export function limitReceiveBuffer(port: number, bytes: number): boolean {
  return addon().limitReceiveBuffer(port, bytes);
}

/**
 * Returns how many of the bytes written to a socket its peer has not received. Returns 0 if the
 * descriptor is not a socket or the system cannot report the number (Linux can).
 */
export function unsentBytes(descriptor: number): number {
  return addon().unsentBytes(descriptor);
}

/**
 * Removes a file unless a process on this machine has it mapped (such as a server, an export, or a
 * comparison). @throws Error of the system, with its `code`.
 */
export function removeIfUnused(path: string): Removal {
  return addon().removeIfUnused(path);
}

/**
 * Opens a file that another thread hashes and writes. The descriptor is duplicated. `path` selects
 * the implementation of the hash, for tests.
 * @throws Error of the system, with its `code`.
 */
export function openHashedFile(descriptor: number, path: HashPath = "fastest"): NativeHashedFile {
  return addon().openHashedFile(descriptor, path);
}
