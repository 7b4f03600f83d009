/**
 * The snapshot that an import will replace.
 * What comes in: the output's path, and how many accounts the new one has. What goes out: nothing,
 * a refusal, or a warning where the person insists; and what a month takes over from the one
 * before.
 * Invariant: nothing is replaced by much less; what cannot be read as a snapshot may be replaced by
 * anything.
 */
import { isIndexed } from "../../native-index/format/snapshot/footer.ts";
import type { SnapshotPlaces } from "../../native-index/format/snapshot/meta.ts";
import { openSnapshot, type SnapshotMeta } from "../../native-index/format/snapshot/snapshot.ts";
import { CommandError } from "../errors.ts";
import { wordFor } from "../text/amounts.ts";
import { type CodesByTom, codesOfSnapshot } from "./places/municipalitytables.ts";

/** A new snapshot has at least this share of the accounts of the one before. */
const SHARE_MIN = 0.98;

/** What the snapshot at a path says of itself; null when there is none. */
async function previousMeta(out: string): Promise<SnapshotMeta | null> {
  try {
    return isIndexed(out) ? (await openSnapshot(out)).meta : null;
  } catch {
    return null;
  }
}

/** Accounts of the snapshot at a path; null when there is none. */
export async function previousAccounts(out: string): Promise<number | null> {
  return (await previousMeta(out))?.accounts ?? null;
}

/**
 * Regions and seats for a month without a file of them: those of the month that it follows, so that
 * whoever gave them once need not give them every month.
 */
export async function previousPlaces(before: string | undefined): Promise<SnapshotPlaces | null> {
  return before === undefined ? null : ((await previousMeta(before))?.places ?? null);
}

/**
 * Official TOM and IBGE codes for a month without a file of them: those that the snapshot before
 * joined. Whether they are of the same registry the names of the month say.
 */
export async function previousCodes(before: string): Promise<CodesByTom> {
  return codesOfSnapshot((await previousMeta(before))?.lookups.municipalities ?? []);
}

/** What a new snapshot is held against. */
interface Replacement {
  /** The snapshot before. */
  readonly out: string;
  /** Whether the new one takes its name; else it stands beside it. */
  readonly isReplaced: boolean;
  readonly previous: number | null;
  readonly force: boolean;
}

/**
 * Looks at the number of accounts before anything is written; gives what the report must say.
 * @throws CommandError when they are far fewer than before.
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
