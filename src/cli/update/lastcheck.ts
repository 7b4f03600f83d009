/**
 * The record of the last check of the share: `.update.check.json` next to the snapshots, for
 * servers on the same folder and for monitors. Input: the result of an update or a check. Output:
 * the record, and by how many months the served month is older than the published one (null if
 * unknown).
 * Invariant: a failed check keeps the time of the last successful one, so that its age grows and
 * operators notice. A value read from a record is valid or null. A server never queries the share;
 * it reads this small file whenever metrics are read. A record is replaced in one step. Its name
 * begins with a dot, so that it is not mistaken for a snapshot.
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isMonth } from "../../../native-index/format/snapshot/meta-schema.ts";

/** Max bytes of a record that is read. */
const BYTES_MAX = 1 << 18;

/** Returns the content of a file, or null if it is missing or invalid. */
export function readRecord(folder: string, name: string): unknown {
  const path = join(folder, name);
  try {
    const found = statSync(path);
    if (!found.isFile() || found.size > BYTES_MAX) return null;
    return JSON.parse(readFileSync(path, "utf8")) as unknown;
  } catch {
    return null;
  }
}

/** Replaces a file. @throws Error of the system, with its `code` */
export function writeRecord(folder: string, name: string, value: unknown): void {
  const fresh = join(folder, `${name}.${process.pid}.tmp`);
  try {
    writeFileSync(fresh, `${JSON.stringify(value, null, 2)}\n`);
    renameSync(fresh, join(folder, name));
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** Name of the file in the folder of the snapshots. */
export const LAST_CHECK_FILE = ".update.check.json";

/** Outcome of the last run of `peneira update`. */
export interface LastUpdate {
  /** ISO time. */
  readonly at: string;
  /** The imported month, or null if there was none. */
  readonly month: string | null;
  /** Why the update failed, or null if it succeeded. */
  readonly problem: string | null;
}

/** A month that was downloaded and could not be imported. */
export interface RefusedMonth {
  readonly month: string;
  /** Distinguishes this publication of the month from later ones. Null if nothing does. */
  readonly token: string | null;
  readonly bytes: number;
  readonly why: string;
}

interface LastLook {
  /** ISO time of the share's last response, or null if there was none. */
  readonly asked_at: string | null;
  /** Newest month that the share listed then, or null if it had none. */
  readonly published: string | null;
  readonly last_update: LastUpdate | null;
  /** Month that the last update refused, or null if there is none. */
  readonly refused: RefusedMonth | null;
}

const NOTHING: LastLook = { asked_at: null, published: null, last_update: null, refused: null };

/** Reads the record; invalid members become null. */
export function readLastCheck(folder: string): LastLook {
  const found = membersOf(readRecord(folder, LAST_CHECK_FILE));
  if (found === null) return NOTHING;
  const { asked_at: checkedAt, published, last_update: update, refused } = found;
  return {
    asked_at: isTime(checkedAt) ? checkedAt : null,
    published: isMonth(published) ? published : null,
    last_update: lastUpdateOf(membersOf(update)),
    refused: refusedOf(membersOf(refused)),
  };
}

/** Updates the record. If it cannot be written, warns and continues. */
export function writeLastCheck(
  folder: string,
  news: Partial<LastLook>,
  report: (text: string) => void,
): LastLook {
  const look = { ...readLastCheck(folder), ...news };
  try {
    writeRecord(folder, LAST_CHECK_FILE, { format: 1, ...look });
  } catch (error) {
    const { message } = error as Error;
    report(`warning: what is published could not be noted for a server's metrics: ${message}`);
  }
  return look;
}

/** Returns the number of months from `older` to `newer`, or 0 if `newer` is not later. */
export function monthsFrom(older: string, newer: string): number {
  const count = (label: string) => Number(label.slice(0, 4)) * 12 + Number(label.slice(5, 7));
  return Math.max(0, count(newer) - count(older));
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members | null {
  return typeof value === "object" && value !== null ? (value as Members) : null;
}

function lastUpdateOf(found: Members | null): LastUpdate | null {
  if (found === null || !isTime(found.at)) return null;
  const { at, month, problem } = found;
  return {
    at,
    month: isMonth(month) ? month : null,
    problem: typeof problem === "string" ? problem : null,
  };
}

function refusedOf(found: Members | null): RefusedMonth | null {
  if (found === null) return null;
  const { month, token, bytes, why } = found;
  if (!isMonth(month) || !Number.isSafeInteger(bytes) || typeof why !== "string") return null;
  return { month, token: typeof token === "string" ? token : null, bytes: bytes as number, why };
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && Number.isFinite(Date.parse(value));
}

/** Metrics: how many months the served snapshot is behind, and the time of the last check. */
export interface Freshness {
  readonly monthsBehind: () => number | null;
  readonly checkedMs: () => number | null;
}

/** Reads the record next to a snapshot: in `folder` if set, else in the folder of `file`. */
export function freshnessOf(
  { folder, file }: { readonly folder: string | null; readonly file: string | null },
  served: () => string | null,
): Freshness {
  const place = folder ?? (file === null ? null : dirname(file));
  const look = (): Partial<LastLook> => (place === null ? {} : readLastCheck(place));
  return {
    monthsBehind() {
      const { published = null } = look();
      const label = served();
      return published === null || label === null ? null : monthsFrom(label, published);
    },
    checkedMs() {
      const { asked_at: checkedAt = null } = look();
      return checkedAt === null ? null : Date.parse(checkedAt);
    },
  };
}
