/**
 * The typed face of the C++ addon, and its only importer. What comes in: paths, row records,
 * queries of clauses and sort keys. What goes out: row ids, counts, finished bytes.
 * Invariant: no mapped memory ever becomes a JavaScript object; row ids and bytes are copies.
 */
import { loadEngine } from "../../src/location.ts";
import type { ColumnName } from "../format/columns.ts";
import type {
  BuiltIndex,
  ChangesLocation,
  DifferenceRequest,
  DifferenceSlice,
  DirectoryLocation,
  IndexRequest,
  NativeChanges,
  NativeFacet,
  NativeLedgers,
  NativeSegment,
  Selection,
  Walked,
  WalkRequest,
  WholePageRequest,
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
 * Where `wholePage` tells which number, and is told from which byte of the room it may write; the
 * counterpart of PageFacts in napi/segment/rows.cc.
 */
export const PAGE_FACTS = { matches: 0, rows: 1, lastRow: 2, more: 3, place: 4 } as const;

/** The row of a CNPJ that no account has, in `LookedUp`. */
export const NO_ROW = 0xffff_ffff;

/** The methods of a segment that take a query, as the addon has them. */
interface QueryMethods {
  select(...given: NativeQuery): Selection;
  selectAside(...given: NativeQuery): Promise<Selection>;
  count(...given: [...query: NativeQuery, most?: number | undefined]): number;
  countAside(...given: NativeQuery): Promise<number>;
  facets(...given: [...NativeQuery, facets: readonly NativeFacet[]]): Uint32Array[];
  facetsWorkMax(...given: [...NativeQuery, facets: readonly NativeFacet[]]): number;
  facetsAside(
    ...given: [...NativeQuery, facets: readonly NativeFacet[], threads?: number]
  ): Promise<Uint32Array[]>;
  firstsOfCompany(...given: [...NativeQuery, rows: Uint32Array]): Uint32Array;
  firstsAside(...given: [...NativeQuery, rows: Uint32Array]): Promise<Uint32Array>;
  wholePage(
    ...given: [...NativeQuery, fields: readonly string[], facts: Float64Array, room?: Uint8Array]
  ): Uint8Array;
  matchEntriesAside(...given: [...NativeQuery, companies: boolean]): Promise<Uint8Array>;
  suggestAside(
    ...given: [...NativeQuery, words: readonly string[], limit: number]
  ): ReturnType<NativeSegment["suggestAside"]>;
}

/** A segment as the addon makes it. */
export type AddonSegment = QueryMethods & Omit<NativeSegment, keyof QueryMethods>;

/** A change list as the addon makes it. */
interface AddonChanges extends Omit<NativeChanges, "walk"> {
  walk(...given: [...NativeQuery, request: WalkRequest]): Walked;
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
  sortEntriesAside(entries: Uint8Array): Promise<Uint8Array>;
  deflate(bytes: Uint8Array, isLast: boolean): Uint8Array;
  deflateAside(bytes: Uint8Array, isLast: boolean): Promise<Uint8Array>;
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
  takeConnections(port: number, taker: (descriptor: number) => void): boolean;
  closePort(port: number): void;
  shutPort(port: number): boolean;
  waitingAt(port: number): number;
  limitReceived(port: number, bytes: number): boolean;
  unsentBytes(descriptor: number): number;
  startWriting(descriptor: number, from: number, length: number): boolean;
  removeUnread(path: string): Removal;
}

/** What became of a file that was to go: `unknown` where the file system has no locks. */
export type Removal = "removed" | "read" | "unknown";

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
  return withQueries(addon().openSegment(path, directory));
}

/** Puts the methods that take queries in their place, for the addon knows no copies of objects. */
function withQueries(opened: AddonSegment): NativeSegment {
  return Object.assign<object, NativeSegment>(opened, writingQueries({ ...opened }));
}

/** The methods that take a query: each writes it, and calls the method of the addon. */
function writingQueries(own: AddonSegment): NativeSegment {
  return {
    ...own,
    select(request) {
      return own.select.call(this, ...writePage(request));
    },
    selectAside(request) {
      return own.selectAside.call(this, ...writePage(request));
    },
    count(clauses, most) {
      return own.count.call(this, ...writeQuery(clauses), most);
    },
    countAside(clauses) {
      return own.countAside.call(this, ...writeQuery(clauses));
    },
    facets(clauses, facets) {
      return own.facets.call(this, ...writeQuery(clauses), facets);
    },
    facetsWorkMax(clauses, facets) {
      return own.facetsWorkMax.call(this, ...writeQuery(clauses), facets);
    },
    facetsAside(clauses, facets, threads) {
      return own.facetsAside.call(this, ...writeQuery(clauses), facets, threads);
    },
    firstsOfCompany(rows, request) {
      return own.firstsOfCompany.call(this, ...writeFirsts(request), rows);
    },
    firstsAside(rows, request) {
      return own.firstsAside.call(this, ...writeFirsts(request), rows);
    },
    wholePage(request: WholePageRequest, facts: Float64Array, room?: Uint8Array) {
      return own.wholePage.call(this, ...writePage(request), request.fields, facts, room);
    },
    matchEntriesAside(clauses, companies) {
      return own.matchEntriesAside.call(this, ...writeQuery(clauses), companies);
    },
    suggestAside({ words, clauses, limit }) {
      return own.suggestAside.call(this, ...writeQuery(clauses), words, limit);
    },
  };
}

/** Opens a segment that another thread shares (`NativeSegment.share`); throws if it is closed. */
export function openShared(number: number): NativeSegment {
  return withQueries(addon().openShared(number));
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

/** Makes an empty record batch of rows that name these numbers, ascending, and no others. */
export function createBatch(numbers: Uint32Array): NativeBatch {
  return addon().createBatch(numbers);
}

/** Makes a range of the rank order that holds nothing yet. */
export function createRange(): NativeRange {
  return addon().createRange();
}

/** Starts of the records in the first `byteLength` bytes, by (score desc, cnpj asc). */
export function rankRecords(records: Uint8Array, byteLength: number): Uint32Array {
  return addon().rankRecords(records, byteLength);
}

/** Builds the index region behind the columns of an Arrow file, off the main thread. */
export function buildIndex(request: IndexRequest): Promise<BuiltIndex> {
  return addon().buildIndex(request);
}

/** Begins the scan of a large dump file; the kinds of code are those of `dictionaries.ts`. */
export function openScan<Kind extends string>(request: ScanRequest): NativeScan<Kind> {
  return addon().openScan(request);
}

/** Gives the room of extents of a file back to the disk, where that can be done; see `spill.ts`. */
export function releaseExtents(path: string, offsets: Float64Array, lengths: Uint32Array): void {
  addon().releaseExtents(path, offsets, lengths);
}

/** Asks the system to read extents of a file soon. This is advice: it never fails. */
export function prefetchExtents(path: string, offsets: Float64Array, lengths: Uint32Array): void {
  addon().prefetchExtents(path, offsets, lengths);
}

/** Joins one partition of an import; the kinds of code are those of `dictionaries.ts`. */
export function joinPartition<Kind extends string>(request: JoinRequest<Kind>): JoinFindings {
  return addon().joinPartition(request);
}

/** Gathers the sort keys of every `stride`-th row of a partition, from 1 on. */
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
 * Takes a portable Roaring bitmap of row ids. Throws `Error` with `code` "INVALID_ARGUMENT" and the
 * place of what is wrong with the bytes; a query refuses a list with rows that its snapshot lacks.
 */
export function openRowList(bytes: Uint8Array): NativeRowList {
  return addon().openRowList(bytes);
}

/** The bytes that a list of rows was made of: a portable Roaring bitmap. */
export function rowListBytes(list: NativeRowList): Uint8Array {
  return addon().rowListBytes(list);
}

/** Entries of a list in ascending order, each once (`EntryRows` says what they are). */
export function sortEntriesAside(entries: Uint8Array): Promise<Uint8Array> {
  return addon().sortEntriesAside(entries);
}

/**
 * A piece of a DEFLATE stream, packed without those before it and ending on a whole byte; the last
 * one ends the stream. See native-index/render/deflate.h.
 */
export function deflate(bytes: Uint8Array, isLast: boolean): Uint8Array {
  return addon().deflate(bytes, isLast);
}

/** The same off the main thread; the bytes may be changed meanwhile. */
export function deflateAside(bytes: Uint8Array, isLast: boolean): Promise<Uint8Array> {
  return addon().deflateAside(bytes, isLast);
}

/** Words of a text, as the word postings know them. */
export function analyze(text: string): string[] {
  return addon().analyze(text);
}

/** The name of a district as DISTRICTS has it. */
export function foldDistrict(text: string): string {
  return addon().foldDistrict(text);
}

/** CRC-32C (Castagnoli) of bytes, continuing from `seed` (0 to begin). */
export function crc32c(bytes: Uint8Array, seed = 0): number {
  return addon().crc32c(bytes, seed);
}

/** SHA-256 of bytes; `portable` takes no instructions that not every processor has. */
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

/** Position of a row in the seeded order of `rowCount` rows. */
export function feistel(rowCount: number, seed: bigint, row: number): number {
  return addon().feistel(rowCount, seed, row);
}

/** Fingerprint of the columns the addon was compiled for. */
export function nativeFingerprint(): bigint {
  return addon().columnsFingerprint();
}

/** Versions of the parts inside the addon. */
export function nativeVersions(): { simd: string } {
  return addon().versions();
}

/**
 * From now on a crash of this process leaves no core file. Gives the bytes that one may have: 0, or
 * 1, which Linux takes for none also where a program collects cores.
 */
export function limitCores(): number {
  return addon().limitCores();
}

/** Returns the functions about ledgers, for `src/process/ledger.ts`. */
export function ledgers(): NativeLedgers {
  return addon();
}

/** A port that this process listens at; ids are numbers that every thread may use. */
export interface OpenPort {
  readonly id: number;
  /** Number of the port. */
  readonly number: number;
}

/** Opens a port that nobody else has (0 takes a free one); null where there is no such address. */
export function openPort(host: string, port: number): OpenPort | null {
  const opened = addon().openPort(host, port);
  return opened === null ? null : { id: opened[0] as number, number: opened[1] as number };
}

/**
 * Takes connections of an open port on this thread, in turn with the other takers. `taker` gets
 * and owns the descriptor of each, and gets -1 after the last one. Returns false if the port
 * is closed.
 */
export function takeConnections(port: number, taker: (descriptor: number) => void): boolean {
  return addon().takeConnections(port, taker);
}

/** Closes a port; its takers get -1 after their last connection. May be called again. */
export function closePort(port: number): void {
  addon().closePort(port);
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

/**
 * Bounds what the system keeps of what comes on a connection before this process reads it, to less
 * than twice these bytes; for connections that come to the port from now on. False where it cannot
 * (it can on Linux, up to the bound of all programs, `net.core.rmem_max`).
 */
export function limitReceived(port: number, bytes: number): boolean {
  return addon().limitReceived(port, bytes);
}

/**
 * Bytes given to a socket that its other end has not taken; 0 where the system does not tell (Linux
 * does) and for what is no socket.
 */
export function unsentBytes(descriptor: number): number {
  return addon().unsentBytes(descriptor);
}

/**
 * Asks the disk to begin with bytes of a file that were written, and waits for nothing: what goes
 * wrong is told by fsync. False where the system has no such call or refuses it.
 */
export function startWriting(descriptor: number, from: number, length: number): boolean {
  return addon().startWriting(descriptor, from, length);
}

/**
 * Removes a file unless a process of this machine has it mapped (a server that serves it or answers
 * from it, an export that is rendered, a comparison). @throws Error of the system, with its `code`.
 */
export function removeUnread(path: string): Removal {
  return addon().removeUnread(path);
}
