/**
 * An opened snapshot. What comes in: the path of a snapshot file. What goes out: its native
 * handle with the label, the dates, and the code tables that planning needs.
 * Invariant: a segment is immutable; a handler reads the current one once and keeps it until its
 * answer is sent.
 */
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { TABLES, type TableName } from "../../native-index/columns.ts";
import { type NativeSegment, openSegment as openNative } from "../../native-index/engine.ts";
import { openSnapshot, type SnapshotMeta } from "../../native-index/snapshot.ts";
import { AppError } from "../errors.ts";
import type { Catalog } from "../spec/catalog.ts";

/** Where the data of an answer comes from, as the contract words it. */
export interface Provenance {
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
  /** Identity of the content, 16 hexadecimal digits. */
  readonly snapshotId: string;
  readonly provenance: Provenance;
  /** Number of rows. */
  readonly accounts: number;
  readonly catalog: Catalog;
  /** Dictionary code of a value, or -1; per dictionary. */
  codeOf(table: TableName, value: string): number;
  close(): void;
}

/** Opens a snapshot file; throws `CommandError` with the place and the mend when it is refused. */
export async function openSegment(path: string): Promise<Segment> {
  const snapshot = await openSnapshot(path);
  // Other work may have its turn between the two halves of opening.
  await setImmediate();
  const native = openNative(path, snapshot.directory);
  const { meta } = snapshot;
  return {
    native,
    path: resolve(path),
    label: meta.label,
    snapshotDate: meta.snapshot_date,
    snapshotId: contentId(meta, snapshot.directory.crc32c, native.rowCount),
    provenance: meta.provenance,
    accounts: native.rowCount,
    catalog: catalogOf(meta),
    codeOf: codeLookup(native),
    close: () => native.close(),
  };
}

/** The directory's checksum covers the checksum of all blocks, so it stands for the content. */
function contentId(meta: SnapshotMeta, directoryCrc: number, rowCount: number): string {
  const text = `${meta.label}|${meta.snapshot_date}|${directoryCrc}|${rowCount}`;
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** What normalization knows about the snapshot. */
function catalogOf(meta: SnapshotMeta): Catalog {
  const { lookups, dictionaries } = meta;
  return {
    cnaeCodes: dictionaries.cnae_primary,
    legalNatures: dictionaries.legal_nature,
    municipalities: lookups.municipalities.map(([tom, name, ibge, uf]) => ({
      tom,
      name,
      ibge,
      uf,
    })),
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

/** Runs a native call; damage of the snapshot becomes the public 503. */
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
