/**
 * `peneira update --check`: reports the months in the folder and on the share (the server that
 * publishes the registry's files). It names the month that an update would import, and why other
 * months would be skipped.
 * Invariant: nothing is downloaded, imported, or removed. The check queries the share exactly as an
 * update does, so both reach the same decision.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { hostOf } from "../../download/address.ts";
import { DownloadError } from "../../download/downloaderror.ts";
import { type ShareUse, sourcesContextOf } from "../../download/month.ts";
import { listMonths, NotReady, trySources } from "../../download/months.ts";
import { checkNewer, type ReadyMonth, readyMonth } from "../../download/releasedate.ts";
import type { SourcesContext } from "../../download/source.ts";
import { checkSpace, type SpaceNeed } from "../../download/workfolder.ts";
import { CommandError } from "../../errors.ts";
import type { Clock } from "../../process/clock.ts";
import { stdout } from "../../process/terminal.ts";
import { type LastUpdate, readLastCheck, writeLastCheck } from "./lastcheck.ts";
import { type KnownSnapshot, listSnapshots } from "./snapshots.ts";

/** Output of a check. */
export interface CheckReport {
  /** ISO time. */
  readonly checked_at: string;
  /** Queried hosts, in order of preference. */
  readonly shares: readonly string[];
  /** Newest month that the share lists, complete or not, or null if the query failed. */
  readonly published: string | null;
  readonly here: {
    readonly month: string;
    readonly snapshot_date: string;
    readonly accounts: number;
    readonly snapshot: string;
  } | null;
  /** True if the share lists a newer month than the folder has. */
  readonly newer: boolean;
  readonly takes: string | null;
  /** Newer months that an update would not import, and why. */
  readonly not_taken: readonly NotTaken[];
  /** Outcome of the last update of this folder, or null if none was recorded. */
  readonly last_update: LastUpdate | null;
  /** Why the share could not be queried, or null if it was. */
  readonly problem: string | null;
}

interface NotTaken {
  readonly month: string;
  readonly why: string;
}

/** Inputs of a check. */
export interface CheckParts {
  readonly use: ShareUse;
  /** Folder of the snapshots. */
  readonly folder: string;
  /** Folder of the zips. */
  readonly dumps: string;
  /** Number of newest months to check. */
  readonly monthsTried: number;
  /** Returns the disk space that importing this many bytes of zips needs. */
  readonly needs: (bytes: number) => readonly SpaceNeed[];
  readonly clock: Clock;
}

/** Checks the share and prints the report. @throws CommandError with its `problem`, if any */
export async function printCheck(parts: CheckParts): Promise<void> {
  const report = await checkShare(parts);
  stdout.data(`${JSON.stringify(report)}\n`);
  if (report.problem !== null) throw new CommandError(report.problem);
}

/**
 * Checks the share, and records the result next to the snapshots. A `CommandError` of the share
 * becomes the report's `problem`. @throws all other errors
 */
export async function checkShare(parts: CheckParts): Promise<CheckReport> {
  const { use, folder, clock } = parts;
  const [newest] = existsSync(folder) ? await listSnapshots(folder, use.listener.report) : [];
  const checked_at = new Date(clock.nowMs()).toISOString();
  const head = { checked_at, shares: use.shares.map(hostOf), here: hereOf(newest) };
  const nothing = { ...head, published: null, newer: false, takes: null, not_taken: [] };
  let published: string | null;
  let found: Found;
  try {
    const context = sourcesContextOf(use);
    const labels = await listMonths(context);
    published = labels[0] ?? null;
    found = await findImportable(context, labels, newest, parts);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { ...nothing, last_update: readLastCheck(folder).last_update, problem: error.message };
  }
  const news = { asked_at: checked_at, published };
  const { last_update } = existsSync(folder)
    ? writeLastCheck(folder, news, use.listener.report)
    : readLastCheck(folder);
  if (published === null) {
    return {
      ...nothing,
      last_update,
      problem: `There are no months at ${head.shares.join(", ")}.`,
    };
  }
  const newer = newest === undefined || published > newest.label;
  return { ...head, published, newer, ...found, last_update, problem: null };
}

function hereOf(newest: KnownSnapshot | undefined): CheckReport["here"] {
  if (newest === undefined) return null;
  const { label: month, date: snapshot_date, accounts, path: snapshot } = newest;
  return { month, snapshot_date, accounts, snapshot };
}

type Found = Pick<CheckReport, "takes" | "not_taken">;

/**
 * Returns the month that an update would import, and why it would skip the months listed before it.
 */
async function findImportable(
  context: SourcesContext,
  labels: readonly string[],
  newest: KnownSnapshot | undefined,
  parts: CheckParts,
): Promise<Found> {
  const { use, monthsTried } = parts;
  const newer = labels.filter((label) => newest === undefined || label > newest.label);
  const not_taken: NotTaken[] = [];
  for (const month of newer.slice(0, monthsTried)) {
    try {
      const ready = await trySources(context, (source) =>
        readyMonth({ ...context, source }, { streams: use.streams }, month, false),
      );
      checkNewer(month, ready.token, newest?.date);
      const why = whyRefused(ready, parts.folder) ?? wantsRoom(month, ready.month.bytes, parts);
      if (why === null) return { takes: month, not_taken };
      // An update would stop here, without trying an older month.
      return { takes: null, not_taken: [...not_taken, { month, why }] };
    } catch (error) {
      const why = whyNot(month, error);
      if (why === null) throw error;
      not_taken.push({ month, why });
    }
  }
  return { takes: null, not_taken };
}

/** Returns why this month cannot be imported, or null if the month is not the cause. */
function whyNot(month: string, error: unknown): string | null {
  if (error instanceof NotReady) return error.message;
  return error instanceof DownloadError
    ? `${month} is being published anew at this moment (${error.message}); look again later.`
    : null;
}

/** Returns why the last update could not import this publication, or null if it did not try. */
function whyRefused({ month, token }: ReadyMonth, folder: string): string | null {
  const { refused } = readLastCheck(folder);
  const same = refused?.month === month.label && refused.bytes === month.bytes;
  return same && (token === null || token === refused.token) ? refused.why : null;
}

/** Returns why there is no space for a month, or null if there is enough. */
function wantsRoom(month: string, bytes: number, parts: CheckParts): string | null {
  try {
    checkSpace(spaceNeedsOfMonth(month, bytes, parts));
    return null;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return error.message;
  }
}

/** Returns the disk space that a month needs: for its missing zips, and for its import. */
export function spaceNeedsOfMonth(
  month: string,
  bytes: number,
  { dumps, needs }: Pick<CheckParts, "dumps" | "needs">,
): SpaceNeed[] {
  const there = bytesIn(join(dumps, month)) + bytesIn(join(dumps, `${month}.part`));
  const zips = { folder: dumps, bytes: Math.max(0, bytes - there), what: `the zips of ${month}` };
  return [zips, ...needs(bytes)].map((one) => ({ ...one, folder: existing(one.folder) }));
}

/** Returns the folder, or its nearest existing parent, which is on the same disk. */
function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder));
}

function bytesIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder).reduce((sum, name) => {
    return sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}
