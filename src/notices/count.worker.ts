/**
 * The thread that counts the changes of saved searches for notices; a task has several searches.
 * Input: two snapshots that the server has open, their change list, and searches. Output: for each
 * search, exact counts or the reason for their absence.
 * Invariant: the thread has a lower priority than requests, so that a new month does not slow them.
 * It opens a pair of snapshots once for many searches; `release` closes the pair. Searches with the
 * same filters and watched fields are counted once, even if they belong to different tenants,
 * unless they name saved lists. Memory is bounded by one slice of the change list, the cached rows
 * of saved lists, and `TALLIES_MAX` shared results.
 */
import { type ChangeList, openChangeList } from "../changes/list.ts";
import { type ChangeTally, changeCatalog, changeTally, watchableFields } from "../changes/query.ts";
import { changeItems } from "../changes/rows.ts";
import { AppError } from "../errors.ts";
import { ListBinder } from "../lists/listbinding.ts";
import { Lists } from "../lists/lists.ts";
import { systemClock } from "../process/clock.ts";
import { describeError } from "../process/log.ts";
import { lowerPriority, worker } from "../process/tasks.ts";
import { openSharedSegment, type Segment, type SharedSegment } from "../search/segment.ts";
import type { Catalog } from "../spec/catalog.ts";
import { DEFAULT_FIELDS, type OutputField } from "../spec/fields.ts";
import { SPEC_LIMITS } from "../spec/limits.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import { isJsonObject } from "../spec/reader.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { ListStore } from "../store/liststore.ts";
import { openStateOfWorker } from "../store/state.ts";
import type { StateDatabase } from "../store/statedatabase.ts";
import { CARD_FIELDS, type FirstAccount, type NoticeCounts } from "./payload.ts";
import { rolledSpec } from "./rolling.ts";

/** Accounts of a notice. */
const FIRST_MAX = 10;

/**
 * Time limit of a task, in milliseconds. Once it has passed, the task returns the outcomes of the
 * searches counted so far.
 */
const TASK_MS = 250;
/** Max shared results that are retained per pair of snapshots. */
const TALLIES_MAX = 256;

/** Searches whose changes between two snapshots are to be counted. */
export interface CountOrder {
  readonly older: SharedSegment;
  readonly newer: SharedSegment;
  readonly listPath: string;
  /** The data directory, with the database of saved lists. */
  readonly dataDir: string;
  readonly searches: readonly CountedSearch[];
}

/** One of them. */
export interface CountedSearch {
  readonly tenantId: string;
  /** The saved spec, as JSON. */
  readonly spec: string;
  /** Fields of the plan. */
  readonly fields: readonly OutputField[];
  /** Comma-separated names of the watched fields. Null means that all fields are watched. */
  readonly watch: string | null;
  /** The spec's relative days are counted from this date. Null if the spec has only fixed days. */
  readonly daysFrom: string | null;
}

/** Outcome of a count. */
export type CountOutcome =
  | {
      readonly kind: "counted";
      readonly counts: NoticeCounts;
      /** The fields that were watched. */
      readonly watch: readonly OutputField[];
    }
  /** The snapshots can never answer the spec, so retrying is useless. */
  | { readonly kind: "refused"; readonly detail: string }
  /** Another attempt may succeed; `error` holds the kind of an error, never its text. */
  | { readonly kind: "failed"; readonly error: Readonly<Record<string, unknown>> };

/** Functions of the thread. */
export interface CountWork {
  /**
   * Counts the searches in order, until a time limit. Returns the outcomes of the counted searches.
   * The first search is always counted.
   */
  readonly count: readonly [CountOrder, readonly CountOutcome[]];
  readonly release: readonly [null, undefined];
}

/** The open pair. */
interface Opened {
  readonly name: string;
  readonly list: ChangeList;
  readonly catalog: Catalog;
  readonly database: StateDatabase;
  readonly listed: ListBinder;
  /** Results by filters and watched fields, the oldest first. */
  readonly tallies: Map<string, ChangeTally>;
}

let opened: Opened | null = null;

lowerPriority();

/** Entry point for the thread pool. */
export const run = worker<CountWork>({ count, release });

/** Never rejects. */
async function count(order: CountOrder): Promise<CountOutcome[]> {
  const untilMs = performance.now() + TASK_MS;
  const outcomes: CountOutcome[] = [];
  for (const search of order.searches) {
    outcomes.push(await outcomeOf(order, search));
    if (performance.now() >= untilMs) break;
  }
  return outcomes;
}

async function outcomeOf(order: CountOrder, search: CountedSearch): Promise<CountOutcome> {
  try {
    return await countOne(pairOf(order), search);
  } catch (error) {
    const refused = error instanceof AppError && [404, 422].includes(error.status);
    if (refused) return { kind: "refused", detail: error.message };
    release();
    return { kind: "failed", error: describeError(error) };
  }
}

async function countOne(pair: Opened, order: CountedSearch): Promise<CountOutcome> {
  const { list } = pair;
  const { older, newer } = list;
  const spec = normalized(pair, order);
  const watched = order.watch?.split(",");
  const watch = watchableFields(older, newer, order.fields).filter((name) => {
    return watched === undefined || watched.includes(name);
  });
  const { first, fields, ...totals } = await tallyOf(pair, order.tenantId, spec, watch);
  const shown = (wanted: readonly OutputField[]) =>
    changeItems(list, first, wanted).map(
      ({ cnpj, change, changed_fields, before, after }): FirstAccount => {
        return { cnpj, change, changed_fields, ...(after ?? before) };
      },
    );
  const cards = shown(CARD_FIELDS.filter((name) => order.fields.includes(name)));
  const accounts = { first: shown(spec.output.fields), cards };
  return { kind: "counted", watch, counts: { ...totals, changed_fields: fields, ...accounts } };
}

/** Counts the changes for a spec, or returns the result of an equal spec. */
async function tallyOf(
  { list, listed, tallies }: Opened,
  tenantId: string,
  spec: AccountQuerySpec,
  watch: readonly OutputField[],
): Promise<ChangeTally> {
  const { older, newer } = list;
  const query = { list, kinds: [], watch };
  if (spec.filters.lists !== undefined) {
    const bound = await listed.bindToAll(listed.pins(tenantId, spec), [older, newer], spec);
    return changeTally({ ...query, spec: bound }, FIRST_MAX);
  }
  const key = JSON.stringify([spec.filters, watch]);
  const known = tallies.get(key);
  if (known !== undefined) return known;
  const tally = await changeTally({ ...query, spec }, FIRST_MAX);
  if (tallies.size >= TALLIES_MAX) tallies.delete(tallies.keys().next().value as string);
  tallies.set(key, tally);
  return tally;
}

function normalized(
  { catalog, list }: Opened,
  { spec, fields, daysFrom }: CountedSearch,
): AccountQuerySpec {
  const saved = rolledSpec(JSON.parse(spec), daysFrom, list.newer.snapshotDate);
  // Drops `explain`, because older versions stored more explanations than normalization accepts.
  const { explain: _, output, ...input } = isJsonObject(saved) ? saved : {};
  return normalizeSpec(
    { ...input, ...outputOf(output, fields) },
    {
      ...{ catalog, listsKnown: true, fullAllowed: true, mode: "either" },
      ...{ limitDefault: 1, limitCap: SPEC_LIMITS.exportLimitMax },
      ...{
        allowedFields: fields,
        defaultFields: DEFAULT_FIELDS.filter((one) => fields.includes(one)),
      },
    },
  ).spec;
}

/** Returns the saved output without the fields that the plan no longer allows. */
function outputOf(output: unknown, allowed: readonly string[]): { readonly output?: unknown } {
  if (output === undefined) return {};
  if (!isJsonObject(output) || !Array.isArray(output.fields)) return { output };
  const fields = output.fields.filter((name) => allowed.includes(name as string));
  return { output: { ...output, fields } };
}

function pairOf({ older: olderFile, newer: newerFile, listPath, dataDir }: CountOrder): Opened {
  const name = `${olderFile.snapshotId} ${newerFile.snapshotId}`;
  if (opened?.name === name) return opened;
  release();
  const segments: Segment[] = [];
  try {
    for (const file of [olderFile, newerFile]) segments.push(openSharedSegment(file));
    const [older, newer] = segments as [Segment, Segment];
    const list = openChangeList(listPath, older, newer);
    const database = openStateOfWorker(dataDir);
    const listed = new ListBinder(new Lists(new ListStore(database), systemClock));
    const catalog = changeCatalog(older, newer);
    opened = { name, list, database, listed, catalog, tallies: new Map() };
    return opened;
  } catch (error) {
    for (const segment of segments) segment.close();
    throw error;
  }
}

function release(): undefined {
  if (opened === null) return;
  const { list, database } = opened;
  opened = null;
  list.close();
  list.older.close();
  list.newer.close();
  database.close();
}
