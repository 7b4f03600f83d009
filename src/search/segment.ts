/**
 * Opens snapshots, and keeps track of the open snapshots of a server. Input: the path of a snapshot
 * file. Output: its native handle with the label, the dates, and the code tables for planning. The
 * class `SegmentRegistry` returns the current segment for new requests, and earlier segments for
 * cursors that began on them.
 * Invariant: a segment is immutable. A handler reads the current segment once and uses it until its
 * answer is sent. Only one segment is current. A replaced segment is retired: it stays open until
 * no request has used it for `keepMs`, or until too many are retired. If a reader still uses it
 * then, it stays open until the reader ends. If other servers may already issue cursors of a
 * segment, this server keeps it open before it becomes current. Every segment is closed once.
 */
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { TABLES, type TableName } from "../../native-index/format/columns.ts";
import type { SnapshotPlaces } from "../../native-index/format/snapshot/meta.ts";
import { parseMeta } from "../../native-index/format/snapshot/meta-schema.ts";
import {
  type OpenedSnapshot,
  openSnapshot,
  type SnapshotMeta,
} from "../../native-index/format/snapshot/snapshot.ts";
import {
  type NativeSegment,
  openSegment as openNative,
  openShared,
} from "../../native-index/napi/engine.ts";
import { AppError, CommandError } from "../errors.ts";
import type { Clock } from "../process/clock.ts";
import type { Catalog } from "../spec/catalog.ts";

/** Sources of an answer's data, named as in the contract. */
interface Provenance {
  readonly rfb_snapshot: string;
  readonly ibge_population_year: string;
  readonly ceis_as_of_date: string;
  /** This member and the members after it are absent unless the list was imported. */
  readonly cnep_as_of_date?: string;
  readonly cepim_as_of_date?: string;
  readonly pgfn_as_of_month?: string;
  readonly partners_snapshot?: string;
}

/** Value of a member of `Provenance` if the snapshot lacks its data. */
const NOT_AVAILABLE = "not_available";

/** An opened snapshot with its posting lists. */
export interface Segment {
  readonly native: NativeSegment;
  /** Absolute path of the file when it was opened; another file may have replaced it since. */
  readonly path: string;
  /** Release label `YYYY-MM`. */
  readonly label: string;
  /** Reference date `YYYY-MM-DD`. */
  readonly snapshotDate: string;
  /** Identity of the content: 64 hexadecimal digits, 16 for a file without digests. */
  readonly snapshotId: string;
  readonly provenance: Provenance;
  /** Number of rows. */
  readonly accounts: number;
  readonly catalog: Catalog;
  /** Statistical regions and municipal seats; absent if the import had none. */
  readonly places?: SnapshotPlaces;
  /** Returns a value's code in a dictionary; -1 if the value is missing. */
  codeOf(table: TableName, value: string): number;
  close(): void;
}

/** A segment that another thread of the process has open. */
export interface SharedSegment extends Pick<Segment, "path" | "snapshotId"> {
  /** Number of the native segment. */
  readonly number: number;
}

/** Returns the data with which other threads can open a segment while it is open here. */
export function shareSegment({ native, path, snapshotId }: Segment): SharedSegment {
  return { path, snapshotId, number: native.share() };
}

/** Opens another thread's segment, even if its file is gone. Throws if the segment was closed. */
export function openSharedSegment({ path, snapshotId, number }: SharedSegment): Segment {
  const native = openShared(number);
  const { meta } = parseMeta(Buffer.from(native.meta()).toString());
  if (meta === null) throw new Error("the metadata of an open segment cannot be read");
  return segmentOf(native, meta, { path, snapshotId });
}

/** Opens a snapshot file. Throws `CommandError` with the fault, its place, and the remedy. */
export async function openSegment(path: string): Promise<Segment> {
  const snapshot = await openSnapshot(path);
  // Yields to the event loop between the two halves of opening.
  await setImmediate();
  const native = opened(path, snapshot.directory);
  const { meta, identity, directory } = snapshot;
  const snapshotId = identity ?? contentId(meta, directory.crc32c, native.rowCount);
  return segmentOf(native, meta, { path: resolve(path), snapshotId });
}

function segmentOf(
  opened: NativeSegment,
  meta: SnapshotMeta,
  { path, snapshotId }: Pick<Segment, "path" | "snapshotId">,
): Segment {
  const native = guardReads(opened);
  return {
    native,
    path,
    label: meta.label,
    snapshotDate: meta.snapshot_date,
    snapshotId,
    provenance: provenanceOf(meta),
    accounts: native.rowCount,
    catalog: catalogOf(meta, native),
    ...(meta.places === undefined ? {} : { places: meta.places }),
    codeOf: codeLookup(native),
    close: () => native.close(),
  };
}

/** Opens the native handle; converts errors of the index region to readable messages. */
function opened(path: string, directory: OpenedSnapshot["directory"]): NativeSegment {
  try {
    return openNative(path, directory);
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new CommandError(
      `${path} cannot be opened as a snapshot: its index region is damaged ` +
        `(${(error as Error).message}); import the dump again`,
      1,
      error,
    );
  }
}

/**
 * Returns the identity of a file without digests. The directory's checksum covers the checksums of
 * all blocks, so it distinguishes all files except forgeries.
 */
function contentId(meta: SnapshotMeta, directoryCrc: number, rowCount: number): string {
  const text = `${meta.label}|${meta.snapshot_date}|${directoryCrc}|${rowCount}`;
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Returns the provenance. Older members are always present, later ones only if known. */
function provenanceOf({ provenance }: SnapshotMeta): Provenance {
  const { rfb_snapshot, ibge_population_year, ceis_as_of_date, ...later } = provenance;
  const known = Object.entries(later).filter(([, value]) => value !== NOT_AVAILABLE);
  return {
    rfb_snapshot,
    ibge_population_year,
    ceis_as_of_date,
    ...Object.fromEntries(known),
  };
}

/** The first snapshot format that has exclusion dates and flags for public lists. */
const RECORD_FORMAT = 3;

/** Returns the snapshot's data for normalization. */
function catalogOf(meta: SnapshotMeta, native: NativeSegment): Catalog {
  const { lookups, dictionaries } = meta;
  const known = provenanceOf(meta);
  const lacks = (member: keyof Provenance) => (known[member] ?? NOT_AVAILABLE) === NOT_AVAILABLE;
  return {
    cnaeCodes: dictionaries.cnae_primary,
    legalNatures: dictionaries.legal_nature,
    statusReasons: dictionaries.registration_status_reason,
    ...(meta.format === 1 ? { lacksCounts: true } : {}),
    ...(native.hasDistricts ? {} : { lacksDistricts: true }),
    ...(native.hasContacts ? {} : { lacksContacts: true }),
    ...(meta.format < RECORD_FORMAT ? { lacksExclusions: true } : {}),
    ...(lacks("ceis_as_of_date") ? { lacksCeis: true } : {}),
    ...(lacks("cnep_as_of_date") ? { lacksCnep: true } : {}),
    ...(lacks("cepim_as_of_date") ? { lacksCepim: true } : {}),
    ...(lacks("pgfn_as_of_month") ? { lacksDebts: true } : {}),
    ...(lacks("partners_snapshot") ? { lacksPartners: true } : {}),
    municipalities: lookups.municipalities.map((row) => {
      return { tom: row[0], name: row[1], ibge: row[2], uf: row[3] };
    }),
  };
}

/** Returns a lookup of codes by value; the map of each table is built at first use. */
function codeLookup(native: NativeSegment): (table: TableName, value: string) => number {
  const maps = new Map<TableName, Map<string, number>>();
  return (table, value) => {
    let map = maps.get(table);
    if (map === undefined) {
      map = new Map(native.table(TABLES.indexOf(table)).map((text, code) => [text, code]));
      maps.set(table, map);
    }
    return map.get(value) ?? -1;
  };
}

/** Methods that are not guarded, because they read no row or report damage themselves. */
const NOT_READS: readonly (string | keyof NativeSegment)[] = [
  "verify",
  "verifyBlocks",
  "recheckAll",
  "fileState",
  "damagedBlock",
  "dropCaches",
  "poisoned",
  "close",
];

/**
 * Guards all reads of a handle, because each of them may be the first to touch a damaged block.
 * Callers cannot forget a guard that is here.
 */
function guardReads(native: NativeSegment): NativeSegment {
  const methods = native as unknown as Record<string, unknown>;
  for (const [name, read] of Object.entries(methods)) {
    if (typeof read !== "function" || NOT_READS.includes(name)) continue;
    methods[name] = (...given: unknown[]) => {
      try {
        const value: unknown = read.apply(native, given);
        return value instanceof Promise ? value.catch(throwGuarded) : value;
      } catch (error) {
        return throwGuarded(error);
      }
    };
  }
  return native;
}

function throwGuarded(error: unknown): never {
  return guarded(() => {
    throw error;
  });
}

/** Runs a native call with segments. Throws `snapshot_unavailable` if one is damaged. */
export function guarded<Value>(call: () => Value): Value {
  try {
    return call();
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new AppError(
      "snapshot_unavailable",
      "The snapshot file is damaged; the operator must replace it.",
      { cause: error },
    );
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SNAPSHOT_DAMAGED";
}

/** Max retired segments that stay open for cursors; the oldest is closed first. */
export const RETIRED_MAX = 3;

/** Threads that have the same segments open. */
interface OtherThreads {
  /** Returns the milliseconds since any of these threads used a segment. */
  unusedMs(segment: Segment): number;
  /** Closes a segment in these threads, after the registry has closed it here. */
  drop(segment: Segment): void;
}

interface Retired {
  readonly segment: Segment;
  usedMs: number;
}

/** Holds the opened segments. */
export class SegmentRegistry {
  readonly #clock: Clock;
  readonly #keepMs: number;
  readonly #serves: (current: Segment | null) => void;
  readonly #others: OtherThreads | null;
  #current: Segment | null = null;
  /** Retired segments, in order of retirement. */
  #retired: Retired[] = [];
  /** Segments that are not yet current, in order of arrival. */
  #held: Segment[] = [];
  /** Reference counts. */
  readonly #readers = new Map<Segment, number>();
  /** Retired segments that stay open for their present readers. They get no new readers. */
  readonly #leaving = new Set<Segment>();

  /** `serves` is called with the new current segment, or null if there is none. */
  constructor(
    clock: Clock,
    keepMs: number,
    serves: (current: Segment | null) => void = () => {},
    others: OtherThreads | null = null,
  ) {
    this.#clock = clock;
    this.#keepMs = keepMs;
    this.#serves = serves;
    this.#others = others;
  }

  /** The segment for new queries; null before the first and after `close`. */
  current(): Segment | null {
    return this.#current;
  }

  /** Returns a retired or held segment by id, for a cursor, and keeps it open. */
  retired(belongs: (snapshotId: string) => boolean): Segment | null {
    const found = this.#retired.find(({ segment }) => belongs(segment.snapshotId));
    if (found === undefined) return this.#held.find((one) => belongs(one.snapshotId)) ?? null;
    found.usedMs = this.#clock.monotonicMs();
    return found.segment;
  }

  /** Keeps a segment open for cursors of other servers, until `put` or `release`. */
  hold(segment: Segment): void {
    this.#held.push(segment);
  }

  /** Retires a segment of another server, which then stays open like one replaced now. */
  keep(segment: Segment): void {
    this.#letOut(segment);
    this.#retired.push({ segment, usedMs: this.#clock.monotonicMs() });
  }

  /** Closes a held segment that will not be served. */
  release(segment: Segment): void {
    if (this.#letOut(segment)) this.#giveUp(segment);
  }

  /** Keeps a segment open for a reader. Returns a function that releases it once. */
  retain(segment: Segment): () => void {
    this.#readers.set(segment, (this.#readers.get(segment) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.#letGo(segment);
      isHeld = false;
    };
  }

  /** Returns all open segments: current, held, retired, and those that only have readers. */
  segments(): Segment[] {
    const current = this.#current === null ? [] : [this.#current];
    const retired = this.#retired.map(({ segment }) => segment);
    return [...current, ...this.#held, ...retired, ...this.#leaving];
  }

  /** Number of open segments. */
  get size(): number {
    return this.segments().length;
  }

  /** Makes a segment the current one and retires the previous one. */
  put(segment: Segment): void {
    const before = this.#current;
    this.#letOut(segment);
    this.#current = segment;
    this.#serves(segment);
    if (before !== null) {
      this.#retired.push({ segment: before, usedMs: this.#clock.monotonicMs() });
    }
    this.#giveUpTwins(segment);
    for (const { segment: oldest } of this.#retired.splice(0, this.#retired.length - RETIRED_MAX)) {
      this.#giveUp(oldest);
    }
  }

  /** Retires the current segment; none is current until the next `put`. */
  drop(): void {
    this.#serves(null);
    if (this.#current !== null) this.#giveUp(this.#current);
    this.#current = null;
  }

  /** Closes retired segments without recent requests or readers; returns their labels. */
  sweep(): string[] {
    const nowMs = this.#clock.monotonicMs();
    const over = this.#retired.filter(({ segment, usedMs }) => {
      const unusedMs = this.#others?.unusedMs(segment) ?? Number.POSITIVE_INFINITY;
      const unused = Math.min(nowMs - usedMs, unusedMs) >= this.#keepMs;
      return unused && !this.#readers.has(segment);
    });
    this.#retired = this.#retired.filter((one) => !over.includes(one));
    for (const { segment } of over) this.#close(segment);
    return over.map(({ segment }) => segment.label);
  }

  /** Closes all segments; a segment with readers closes when they end. */
  close(): void {
    for (const segment of [...this.#held]) this.release(segment);
    for (const { segment } of this.#retired) this.#giveUp(segment);
    this.#retired = [];
    this.drop();
  }

  /** Removes a segment from the held ones; returns true if it was held. */
  #letOut(segment: Segment): boolean {
    const before = this.#held.length;
    this.#held = this.#held.filter((one) => one !== segment);
    return this.#held.length < before;
  }

  /** Closes retired segments with the same content: their cursors also fit the new segment. */
  #giveUpTwins({ snapshotId }: Segment): void {
    const twins = this.#retired.filter(({ segment }) => segment.snapshotId === snapshotId);
    this.#retired = this.#retired.filter((one) => !twins.includes(one));
    for (const { segment } of twins) this.#giveUp(segment);
  }

  #giveUp(segment: Segment): void {
    if (this.#readers.has(segment)) this.#leaving.add(segment);
    else this.#close(segment);
  }

  #close(segment: Segment): void {
    segment.close();
    this.#others?.drop(segment);
  }

  #letGo(segment: Segment): void {
    const left = (this.#readers.get(segment) ?? 0) - 1;
    if (left > 0) {
      this.#readers.set(segment, left);
      return;
    }
    this.#readers.delete(segment);
    const retired = this.#retired.find((one) => one.segment === segment);
    if (retired !== undefined) retired.usedMs = this.#clock.monotonicMs();
    if (this.#leaving.delete(segment)) this.#close(segment);
  }
}

/** A holder of the current segment. */
interface Serving {
  segment(): Segment | null;
}

/** The loaded snapshot, or null if there is none or it is damaged. */
export function loadedSegment(service: Serving): Segment | null {
  const segment = service.segment();
  return segment === null || segment.native.poisoned() ? null : segment;
}

/** The loaded snapshot; throws `snapshot_unavailable` if there is none or it is damaged. */
export function currentSegment(service: Serving): Segment {
  const segment = loadedSegment(service);
  if (segment !== null) return segment;
  const detail =
    service.segment() === null
      ? "No usable snapshot is loaded at the moment. Try again later."
      : "The snapshot file is damaged; the operator must replace it. Try again later.";
  throw new AppError("snapshot_unavailable", detail, { headers: { "Retry-After": "5" } });
}
