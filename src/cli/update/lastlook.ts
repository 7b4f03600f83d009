/**
 * What the share had when somebody last asked it. What comes in: what an update or a check found.
 * What goes out: `.update.check.json` beside the snapshots, for a server on the same folder and for
 * monitors.
 * Invariant: a look that failed leaves the time of the last one that did not, so that its age grows
 * and somebody hears of it; whatever stands in the file, what is read from it is sound or nothing.
 */
import { isMonth } from "../../../native-index/format/snapshot/meta-schema.ts";
import { readRecord, writeRecord } from "./recordfile.ts";

/** Name of the file in the folder of the snapshots. */
export const LOOK_FILE = ".update.check.json";

/** How the last run of `peneira update` ended. */
export interface LastUpdate {
  /** ISO time. */
  readonly at: string;
  /** The month that was taken; null where none was. */
  readonly month: string | null;
  /** Why it failed; null where it did not. */
  readonly problem: string | null;
}

/** A month that was downloaded and could not be imported. */
export interface RefusedMonth {
  readonly month: string;
  /** What tells this publication of it from a later one. */
  readonly token: string | null;
  readonly bytes: number;
  readonly why: string;
}

/** What is known of the share. */
export interface LastLook {
  /** ISO time at which the share last answered; null where it never did. */
  readonly asked_at: string | null;
  /** The newest month that it listed then; null where it had none. */
  readonly published: string | null;
  readonly last_update: LastUpdate | null;
  /** Of the last update; null where it refused none. */
  readonly refused: RefusedMonth | null;
}

const NOTHING: LastLook = { asked_at: null, published: null, last_update: null, refused: null };

/** What is known; members that are no such thing read as null. */
export function readLook(folder: string): LastLook {
  const found = membersOf(readRecord(folder, LOOK_FILE));
  if (found === null) return NOTHING;
  const { asked_at: asked, published, last_update: update, refused } = found;
  return {
    asked_at: isTime(asked) ? asked : null,
    published: isMonth(published) ? published : null,
    last_update: lastUpdateOf(membersOf(update)),
    refused: refusedOf(membersOf(refused)),
  };
}

/** Adds to what is known; that it could not be left for others is said, and no reason to fail. */
export function leaveLook(
  folder: string,
  news: Partial<LastLook>,
  say: (text: string) => void,
): LastLook {
  const look = { ...readLook(folder), ...news };
  try {
    writeRecord(folder, LOOK_FILE, { format: 1, ...look });
  } catch (error) {
    const { message } = error as Error;
    say(`warning: what is published could not be noted for a server's metrics: ${message}`);
  }
  return look;
}

/** Months from one to a later one; 0 where it is not later. */
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
