/**
 * Counts the changes from the previous month to the newest one. Input: the snapshots of a folder.
 * Output: how many establishments entered, left, and changed. The counts of each pair of months are
 * also stored in `.update.changes.json` next to the snapshots.
 * Invariant: the counts equal those that `peneira diff` reports if it has no spec and watches every
 * field. A pair is compared once. After a failure or a kill, the next update repeats the
 * comparison.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isMonth } from "../../../native-index/format/snapshot/meta-schema.ts";
import { CHANGE_KINDS } from "../../changes/kinds.ts";
import {
  buildChangeList,
  type ChangeList,
  changeListName,
  openChangeList,
} from "../../changes/list.ts";
import {
  type ChangeTotals,
  changeCatalog,
  changeTotals,
  watchableFields,
} from "../../changes/query.ts";
import { openSegment, type Segment } from "../../search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../spec/fields.ts";
import { SPEC_LIMITS } from "../../spec/limits.ts";
import { normalizeSpec } from "../../spec/normalize.ts";
import { progress } from "../support/progress.ts";
import { readRecord, writeRecord } from "./lastcheck.ts";
import type { KnownSnapshot } from "./snapshots.ts";

/** Name of the file in the folder of the snapshots. */
export const CHANGES_FILE = ".update.changes.json";

/** Max pairs in the file, newest first. */
const PAIRS_MAX = 60;

interface CountedMonth {
  readonly snapshot: string;
  readonly snapshot_date: string;
  readonly accounts: number;
  /** Id of the snapshot's content. */
  readonly id: string;
}

/** Counts of changes between two months. */
export interface MonthCounts {
  readonly since: CountedMonth;
  readonly until: CountedMonth;
  readonly totals: ChangeTotals;
}

interface Place {
  readonly folder: string;
  /** Folder for the change list that the comparison writes, on the same disk. */
  readonly desk: string;
  readonly signal: AbortSignal;
  readonly report: (text: string) => void;
}

/**
 * Counts the changes up to the newest snapshot. Returns null if there is no previous month. If the
 * two snapshots cannot be compared, reports the reason and returns null. @throws the signal's
 * reason after an abort
 */
export async function countChanges(
  snapshots: readonly KnownSnapshot[],
  place: Place,
): Promise<MonthCounts | null> {
  const newest = snapshots[0];
  const before = snapshots.find(({ label }) => newest !== undefined && label < newest.label);
  if (newest === undefined || before === undefined) return null;
  try {
    return await countPair(before.path, newest.path, place);
  } catch (error) {
    place.signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    place.report(`what changed from ${before.label} to ${newest.label} was not counted: ${why}`);
    return null;
  }
}

async function countPair(older: string, newer: string, place: Place): Promise<MonthCounts> {
  const opened: { close(): void }[] = [];
  try {
    const since = await openSegment(older);
    opened.unshift(since);
    const until = await openSegment(newer);
    opened.unshift(until);
    const known = recorded(place.folder);
    const same = known.find((one) => {
      return one.since.id === since.snapshotId && one.until.id === until.snapshotId;
    });
    if (same !== undefined) return same;
    const totals = await compare(since, until, place);
    const counts = { since: monthOf(since), until: monthOf(until), totals };
    place.report(wordsOf(counts));
    const others = known.filter(({ until: { snapshot } }) => snapshot !== until.label);
    writeRecord(place.folder, CHANGES_FILE, {
      format: 1,
      months: [counts, ...others].slice(0, PAIRS_MAX),
    });
    return counts;
  } finally {
    for (const one of opened) one.close();
  }
}

async function compare(since: Segment, until: Segment, place: Place): Promise<ChangeTotals> {
  const path = join(place.desk, changeListName(since, until));
  const shown = progress("compare", since.accounts + until.accounts);
  let list: ChangeList | null = null;
  try {
    await buildChangeList(since, until, path, {
      signal: place.signal,
      onProgress: (done) => shown.update(done),
    });
    shown.done();
    list = openChangeList(path, since, until);
    return await wholeTotals(list);
  } finally {
    list?.close();
    rmSync(path, { force: true });
  }
}

function monthOf({ label, snapshotDate, accounts, snapshotId }: Segment): CountedMonth {
  return { snapshot: label, snapshot_date: snapshotDate, accounts, id: snapshotId };
}

function wordsOf({ since, until, totals }: MonthCounts): string {
  const count = (number: number) => number.toLocaleString("en-US");
  return (
    `${since.snapshot} to ${until.snapshot}: ${count(totals.entered)} entered, ` +
    `${count(totals.left)} left, ${count(totals.changed)} changed`
  );
}

/** Returns the counts of earlier updates, or none if the file is invalid. */
function recorded(folder: string): MonthCounts[] {
  const found = readRecord(folder, CHANGES_FILE) as { readonly months?: unknown } | null;
  return Array.isArray(found?.months) ? found.months.filter(isCounts) : [];
}

function isCounts(value: unknown): value is MonthCounts {
  const { since, until, totals } = (value ?? {}) as Partial<MonthCounts>;
  const isCount = (number: unknown) => Number.isSafeInteger(number);
  return (
    [since, until].every((month) => isMonth(month?.snapshot) && typeof month?.id === "string") &&
    [totals?.entered, totals?.left, totals?.changed].every(isCount)
  );
}

/** Counts everything. @throws `AppError` `snapshot_unavailable` */
async function wholeTotals(list: ChangeList): Promise<ChangeTotals> {
  const { older, newer } = list;
  const { spec } = normalizeSpec(
    {},
    {
      catalog: changeCatalog(older, newer),
      limitDefault: SPEC_LIMITS.exportLimitMax,
      limitCap: SPEC_LIMITS.exportLimitMax,
      bodyOutput: { format: "jsonl" },
      allowedFields: OUTPUT_FIELD_NAMES,
      defaultFields: DEFAULT_FIELDS,
      mode: "export",
      fullAllowed: true,
    },
  );
  const watch = watchableFields(older, newer, OUTPUT_FIELD_NAMES);
  return changeTotals({ list, spec, kinds: CHANGE_KINDS, watch });
}
