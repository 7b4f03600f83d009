/**
 * `peneira update --check`. What comes in: the share and a folder of snapshots. What goes out: what
 * the share has, what is here, what an update would take now, and why not what it would not.
 * Invariant: nothing is downloaded, imported or removed; the share is asked as an update asks it,
 * so that what the check promises is what an update does.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { hostOf } from "../../download/address.ts";
import { DownloadError } from "../../download/downloaderror.ts";
import { inquiryOf, type ShareUse } from "../../download/month.ts";
import { inTurn, listMonths, NotReady } from "../../download/months.ts";
import { checkNewer, type ReadyMonth, readyMonth } from "../../download/releasedate.ts";
import type { Inquiry } from "../../download/source.ts";
import { checkSpace, type Demand } from "../../download/workfolder.ts";
import { CommandError } from "../../errors.ts";
import type { Clock } from "../../process/clock.ts";
import { stdout } from "../../process/terminal.ts";
import { type LastUpdate, leaveLook, readLook } from "./lastlook.ts";
import { type KnownSnapshot, listSnapshots } from "./snapshots.ts";

/** What a check prints. */
export interface CheckReport {
  /** ISO time. */
  readonly checked_at: string;
  /** Hosts that were asked, in order of preference. */
  readonly shares: readonly string[];
  /** The newest month that the share lists, whole or not; null where it could not be asked. */
  readonly published: string | null;
  /** The newest snapshot of the folder. */
  readonly here: {
    readonly month: string;
    readonly snapshot_date: string;
    readonly accounts: number;
    readonly snapshot: string;
  } | null;
  /** Whether the share lists a newer month than what is here. */
  readonly newer: boolean;
  /** The month that an update would take now. */
  readonly takes: string | null;
  /** Newer months that it would not take, and why. */
  readonly not_taken: readonly NotTaken[];
  /** How the last update of this folder ended; null where none did since there are such notes. */
  readonly last_update: LastUpdate | null;
  /** Why the share could not be asked; null where it was. */
  readonly problem: string | null;
}

interface NotTaken {
  readonly month: string;
  readonly why: string;
}

/** What a check needs. */
export interface CheckParts {
  readonly use: ShareUse;
  /** Folder of the snapshots. */
  readonly folder: string;
  /** Folder of the zips. */
  readonly dumps: string;
  /** So many of the newest months are looked at. */
  readonly monthsTried: number;
  /** What an import of so many bytes of zips needs. */
  readonly demands: (bytes: number) => readonly Demand[];
  readonly clock: Clock;
}

/** Checks, and prints the report on standard output. @throws CommandError with its problem */
export async function printCheck(parts: CheckParts): Promise<void> {
  const report = await checkShare(parts);
  stdout.data(`${JSON.stringify(report)}\n`);
  if (report.problem !== null) throw new CommandError(report.problem);
}

/** Looks, and leaves what was found beside the snapshots. @throws what is no fault of the share */
export async function checkShare(parts: CheckParts): Promise<CheckReport> {
  const { use, folder, clock } = parts;
  const [newest] = existsSync(folder) ? await listSnapshots(folder, use.listener.say) : [];
  const checked_at = new Date(clock.nowMs()).toISOString();
  const head = { checked_at, shares: use.shares.map(hostOf), here: hereOf(newest) };
  const nothing = { ...head, published: null, newer: false, takes: null, not_taken: [] };
  let published: string | null;
  let found: Found;
  try {
    const inquiry = inquiryOf(use);
    const labels = await listMonths(inquiry);
    published = labels[0] ?? null;
    found = await lookAt(inquiry, labels, newest, parts);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { ...nothing, last_update: readLook(folder).last_update, problem: error.message };
  }
  const news = { asked_at: checked_at, published };
  const { last_update } = existsSync(folder)
    ? leaveLook(folder, news, use.listener.say)
    : readLook(folder);
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

/** The newest month that can be taken, and what stands before it. */
async function lookAt(
  inquiry: Inquiry,
  labels: readonly string[],
  newest: KnownSnapshot | undefined,
  parts: CheckParts,
): Promise<Found> {
  const { use, monthsTried } = parts;
  const newer = labels.filter((label) => newest === undefined || label > newest.label);
  const not_taken: NotTaken[] = [];
  for (const month of newer.slice(0, monthsTried)) {
    try {
      const ready = await inTurn(inquiry, (source) =>
        readyMonth({ ...inquiry, source }, { streams: use.streams }, month, false),
      );
      checkNewer(month, ready.token, newest?.date);
      const why = whyRefused(ready, parts.folder) ?? wantsRoom(month, ready.month.bytes, parts);
      if (why === null) return { takes: month, not_taken };
      // An update would end here, and not try an older one.
      return { takes: null, not_taken: [...not_taken, { month, why }] };
    } catch (error) {
      const why = whyNot(month, error);
      if (why === null) throw error;
      not_taken.push({ month, why });
    }
  }
  return { takes: null, not_taken };
}

/** Why a month cannot be taken; null for what is not the month's fault. */
function whyNot(month: string, error: unknown): string | null {
  if (error instanceof NotReady) return error.message;
  return error instanceof DownloadError
    ? `${month} is being published anew at this moment (${error.message}); look again later.`
    : null;
}

/** Why the last update could not import this very publication; null where it did not try. */
function whyRefused({ month, token }: ReadyMonth, folder: string): string | null {
  const { refused } = readLook(folder);
  const same = refused?.month === month.label && refused.bytes === month.bytes;
  return same && (token === null || token === refused.token) ? refused.why : null;
}

/** Why there is no room for a month; null where there is. */
function wantsRoom(month: string, bytes: number, parts: CheckParts): string | null {
  try {
    checkSpace(demandsOfMonth(month, bytes, parts));
    return null;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return error.message;
  }
}

/** Room that a month of so many bytes wants: for the zips that are not here yet, and its import. */
export function demandsOfMonth(
  month: string,
  bytes: number,
  { dumps, demands }: Pick<CheckParts, "dumps" | "demands">,
): Demand[] {
  const there = bytesIn(join(dumps, month)) + bytesIn(join(dumps, `${month}.part`));
  const zips = { folder: dumps, bytes: Math.max(0, bytes - there), what: `the zips of ${month}` };
  return [zips, ...demands(bytes)].map((one) => ({ ...one, folder: existing(one.folder) }));
}

/** The folder, or the nearest one above it that is there: the disk that it will be on. */
function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder));
}

function bytesIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder).reduce((sum, name) => {
    return sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}
