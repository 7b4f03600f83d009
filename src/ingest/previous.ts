/**
 * Compares a new import with the preceding snapshot, and carries over data from it.
 * Invariant: without `force`, a snapshot is not replaced by one with far fewer accounts. A
 * file that is not a readable snapshot may be replaced.
 */
import { isIndexed } from "../../native-index/format/snapshot/footer.ts";
import type { SnapshotPlaces } from "../../native-index/format/snapshot/meta.ts";
import { openSnapshot, type SnapshotMeta } from "../../native-index/format/snapshot/snapshot.ts";
import { CommandError } from "../errors.ts";
import { wordFor } from "../text/amounts.ts";
import { type CodesByTom, codesOfSnapshot } from "./places/municipalitytables.ts";

/** Min share of the preceding snapshot's accounts that a new snapshot must have. */
const SHARE_MIN = 0.98;

async function previousMeta(out: string): Promise<SnapshotMeta | null> {
  try {
    return isIndexed(out) ? (await openSnapshot(out)).meta : null;
  } catch {
    return null;
  }
}

/** Returns the number of accounts in the snapshot at a path; null if there is none. */
export async function previousAccounts(out: string): Promise<number | null> {
  return (await previousMeta(out))?.accounts ?? null;
}

/**
 * Returns the statistical regions and municipal seats of the preceding month, so that operators
 * need not provide the file of places every month.
 */
export async function previousPlaces(before: string | undefined): Promise<SnapshotPlaces | null> {
  return before === undefined ? null : ((await previousMeta(before))?.places ?? null);
}

/**
 * Returns the TOM and IBGE codes that the preceding snapshot matched. An import uses them if it
 * gets no file of codes. The new month's names show whether the codes still fit.
 */
export async function previousCodes(before: string): Promise<CodesByTom> {
  return codesOfSnapshot((await previousMeta(before))?.lookups.municipalities ?? []);
}

interface Replacement {
  /** Path of the preceding snapshot. */
  readonly out: string;
  /** True if the new snapshot replaces this file; else both files remain. */
  readonly isReplaced: boolean;
  readonly previous: number | null;
  readonly force: boolean;
}

/**
 * Compares a new import with the preceding snapshot, before anything is written. Returns warnings
 * for the report. @throws CommandError if the new snapshot would have far fewer accounts.
 */
export function checkShrinking(replacement: Replacement, accounts: number): string[] {
  const { out, isReplaced, previous, force } = replacement;
  if (previous === null || accounts >= previous * SHARE_MIN) return [];
  const [now, before] = [accounts, previous].map((count) => count.toLocaleString("en-US"));
  const count = `${now} ${wordFor(accounts, "account")}`;
  if (!isReplaced) {
    const counts = `${count}, while the snapshot before it (${out}) has ${before}`;
    if (force) return [`${counts}. Made with --force.`];
    throw new CommandError(
      `No snapshot was made: the import gives ${counts}. ` +
        "If parts are missing, download them, or pass --force to import anyway.",
    );
  }
  const counts = `${count}, while the snapshot there`;
  if (force) return [`${counts} had ${before}. Replaced with --force.`];
  throw new CommandError(
    `${out} was not replaced: the import gives ${counts} has ${before}. ` +
      "If parts are missing, download them, or pass --force to replace it anyway.",
  );
}
