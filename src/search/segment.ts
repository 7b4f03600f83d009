/**
 * An opened snapshot. What comes in: the path of a snapshot file. What goes out: its native
 * handle with the label, the dates, and the code tables that planning needs.
 * Invariant: a segment is immutable; a handler reads the current one once and keeps it until its
 * answer is sent.
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
import type { Catalog } from "../spec/catalog.ts";

/** Where the data of an answer comes from, as the contract words it. */
interface Provenance {
  readonly rfb_snapshot: string;
  readonly ibge_population_year: string;
  readonly ceis_as_of_date: string;
}

/** An opened snapshot with its posting lists. */
export interface Segment {
  readonly native: NativeSegment;
  /** Absolute path of the file as it was opened; another file may have taken its place since. */
  readonly path: string;
  /** Release label `YYYY-MM`. */
  readonly label: string;
  /** Reference date `YYYY-MM-DD`. */
  readonly snapshotDate: string;
  /** Identity of the content: 64 hexadecimal digits, 16 of a file without digests. */
  readonly snapshotId: string;
  readonly provenance: Provenance;
  /** Number of rows. */
  readonly accounts: number;
  readonly catalog: Catalog;
  /** Regions of the statistics and seats; absent where the import was given none. */
  readonly places?: SnapshotPlaces;
  /** Dictionary code of a value, or -1; per dictionary. */
  codeOf(table: TableName, value: string): number;
  close(): void;
}

/** A segment that another thread of the process has open. */
export interface SharedSegment extends Pick<Segment, "path" | "snapshotId"> {
  /** Number of the native segment. */
  readonly number: number;
}

/** Lets other threads open a segment for as long as it is open here. */
export function shareSegment({ native, path, snapshotId }: Segment): SharedSegment {
  return { path, snapshotId, number: native.share() };
}

/** Opens a segment of another thread, also if its file is gone. Throws if it was closed. */
export function openSharedSegment({ path, snapshotId, number }: SharedSegment): Segment {
  const native = openShared(number);
  const { meta } = parseMeta(Buffer.from(native.meta()).toString());
  if (meta === null) throw new Error("the metadata of an open segment cannot be read");
  return segmentOf(native, meta, { path, snapshotId });
}

/** Opens a snapshot file; throws `CommandError` with the place and the mend when it is refused. */
export async function openSegment(path: string): Promise<Segment> {
  const snapshot = await openSnapshot(path);
  // Other work may have its turn between the two halves of opening.
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
    provenance: meta.provenance,
    accounts: native.rowCount,
    catalog: catalogOf(meta, native),
    ...(meta.places === undefined ? {} : { places: meta.places }),
    codeOf: codeLookup(native),
    close: () => native.close(),
  };
}

/** The native handle; what the index region is refused for becomes words. */
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
 * The identity of a file that was written before there were digests. The directory's checksum
 * covers the checksum of all blocks, so it tells files apart that nobody forged.
 */
function contentId(meta: SnapshotMeta, directoryCrc: number, rowCount: number): string {
  const text = `${meta.label}|${meta.snapshot_date}|${directoryCrc}|${rowCount}`;
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** What normalization knows about the snapshot. */
function catalogOf(meta: SnapshotMeta, native: NativeSegment): Catalog {
  const { lookups, dictionaries } = meta;
  return {
    cnaeCodes: dictionaries.cnae_primary,
    legalNatures: dictionaries.legal_nature,
    ...(meta.format === 1 ? { lacksCounts: true } : {}),
    ...(native.hasDistricts ? {} : { lacksDistricts: true }),
    ...(native.hasContacts ? {} : { lacksContacts: true }),
    municipalities: lookups.municipalities.map((row) => {
      return { tom: row[0], name: row[1], ibge: row[2], uf: row[3] };
    }),
  };
}

/** Maps of value to code, each built when it is first asked for. */
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

/** What reads no row, or says itself what it found. */
const NOT_READS: readonly (string | keyof NativeSegment)[] = [
  "verify",
  "verifyBlocks",
  "distrust",
  "fileState",
  "damagedBlock",
  "dropCaches",
  "poisoned",
  "close",
];

/**
 * Guards every read of a handle in its place: each may be the first to touch a damaged block, and
 * no caller can forget it.
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

/**
 * Runs a native call that is given segments; damage of one of them becomes the public 503. The
 * methods of a segment's handle do this themselves.
 */
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
