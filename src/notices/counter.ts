/**
 * Counts notices: how many accounts entered, left, or changed in the result of a saved search from
 * one month to the next. Input: uncounted notices in the state (the server's database). Output: in
 * the state, their counts, their deliveries, and the exports that their searches request.
 * Invariant: a separate thread counts, one search after another, in the order of the months. Counts
 * and deliveries are stored in one transaction. After a crash before it, the notice is counted
 * again under the same id. All counts of one task share a transaction, because each commit blocks
 * the thread that answers requests.
 * If the snapshot of the older month is missing, the newest earlier month replaces it. If no
 * earlier snapshot appears within a day, the oldest later month replaces it. The notice names the
 * month that was used. Without any such month, the notice fails after that day, and its receivers
 * are informed.
 * Several servers may share the state. Only the server with the lease on this work can change it.
 */
import type { PlanName, Plans } from "../access/plans.ts";
import type { ChangeLists, ChangePair, RetainedList } from "../changes/lists.ts";
import type { Month, Months } from "../changes/months.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../process/clock.ts";
import { faultPoint } from "../process/fault.ts";
import { describeError, type Log } from "../process/log.ts";
import { ThreadPool } from "../process/threads.ts";
import { type Segment, shareSegment } from "../search/segment.ts";
import type { CountingRow, NotedMonth, NoticeStore } from "../store/noticestore.ts";
import type { WebhookStore } from "../store/webhookstore.ts";
import type { CountedSearch, CountOutcome, CountWork } from "./count.worker.ts";
import type { NoticeExport, NoticeExports } from "./noticeexports.ts";
import type { NoticeCounts } from "./payload.ts";
import type { NoticeWork } from "./work.ts";

/** Max notices that are read from the database in one step. */
const BATCH = 64;
/** Max searches of one task, which ends earlier if they take long. */
const TASK_SEARCHES = 32;
/** Max time that counting waits for a change list, in milliseconds. */
const LIST_WAIT_MS = 3_600_000;
/** Delay before a failed count is retried, in milliseconds; doubled with each attempt. */
const RETRY_MS = 15_000;
/** Maximum delay before a failed count is retried, in milliseconds. */
const RETRY_MAX_MS = 3_600_000;
/** Age at which an uncounted notice fails, in milliseconds. */
const GIVE_UP_MS = 86_400_000;

/** Interval between checks of an export that a notice waits for, in milliseconds. */
const EXPORT_TURN_MS = 60_000;

/** Stored with a notice that has no file, because the export queue was full for a day. */
const NO_ROOM = {
  export_error: "overloaded",
  export_problem: "The export was not made: there was no room for it for a day.",
} as const;

/** The services that the counter uses. */
export interface CounterParts {
  readonly store: NoticeStore;
  readonly work: NoticeWork;
  readonly webhooks: WebhookStore;
  readonly plans: Plans;
  /** Returns the plan that applies to a search. */
  readonly planOf: (row: CountingRow) => PlanName;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The served snapshot, and replaced ones that are still open. */
  readonly served: {
    current(): Segment | null;
    retired(belongs: (snapshotId: string) => boolean): Segment | null;
    retain(segment: Segment): () => void;
  };
  readonly changes: {
    readonly months: Pick<Months, "known" | "open" | "retain">;
    readonly lists: Pick<ChangeLists, "open">;
  };
  readonly exports: NoticeExports;
  /** Called when deliveries may be due. */
  readonly counted: () => void;
}

/** Both snapshots of a count, open until released. */
interface RetainedPair extends ChangePair {
  /** Sequence of the older month. */
  readonly since: number;
  release(): void;
}

interface FinishedCount {
  readonly row: CountingRow;
  readonly counts: NoticeCounts;
  readonly since: number;
}

/** Counts until it is stopped. */
export class NoticeCounter {
  readonly #parts: CounterParts;
  /** Notices that wait for their exports. */
  readonly #exporting = new Map<string, Promise<void>>();
  #running: Promise<void> | null = null;
  #pool: ThreadPool<CountWork> | null = null;
  #stopped = false;

  constructor(parts: CounterParts) {
    this.#parts = parts;
  }

  /** Starts to count the notices that are due, unless counting is already running. */
  kick(): void {
    if (this.#stopped) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** Begins to stop. */
  stop(): void {
    this.#stopped = true;
  }

  /** Stops; resolves when the thread has ended. */
  async close(): Promise<void> {
    this.stop();
    await this.#running;
    await Promise.all(this.#exporting.values());
  }

  async #run(): Promise<void> {
    const { store, clock, log } = this.#parts;
    try {
      for (;;) {
        const rows = store.counting(clock.nowMs(), BATCH);
        const [first] = rows;
        if (first === undefined || this.#isOver()) break;
        const same = rows.filter(({ month, sinceMonth }) => {
          return month === first.month && sinceMonth === first.sinceMonth;
        });
        await this.#countAll(first, same);
      }
    } catch (error) {
      if (!this.#stopped) log.error(describeError(error), "notices were not counted; trying again");
    } finally {
      await this.#endThread();
    }
  }

  /** Counts the notices that compare the same pair of months. */
  async #countAll(first: CountingRow, rows: readonly CountingRow[]): Promise<void> {
    const { changes } = this.#parts;
    const pair = await this.#openPair(first);
    if (typeof pair === "string") {
      for (const row of rows) this.#postpone(row, pair);
      return;
    }
    let held: RetainedList | null = null;
    try {
      const patience = { waitMs: LIST_WAIT_MS, ended: () => this.#isOver() };
      held = await changes.lists.open(pair, patience);
      for (let at = 0; at < rows.length && !this.#isOver(); ) {
        const outcomes = await this.#count(rows.slice(at), pair, held);
        this.#settle(rows.slice(at, at + outcomes.length), outcomes, pair);
        at += outcomes.length;
      }
    } catch (error) {
      if (!(error instanceof AppError) || this.#isOver()) throw error;
      for (const row of rows) this.#postpone(row, error.message);
    } finally {
      await this.#pool?.run("release", null).catch(() => {});
      held?.release();
      pair.release();
    }
  }

  /** Counts notices in order, until a task's time limit. The first notice is always counted. */
  async #count(
    rows: readonly CountingRow[],
    pair: RetainedPair,
    { list }: RetainedList,
  ): Promise<readonly CountOutcome[]> {
    const { plans, planOf, dataDir } = this.#parts;
    this.#pool ??= new ThreadPool({ worker: "notices/count.worker.ts", threads: 1 });
    const searches = rows.slice(0, TASK_SEARCHES).map((row): CountedSearch => {
      const { tenantId, spec, watch, daysFrom } = row;
      return { tenantId, spec, watch, daysFrom, fields: plans[planOf(row)].fields };
    });
    return this.#pool
      .run("count", {
        ...{ older: shareSegment(pair.older), newer: shareSegment(pair.newer) },
        ...{ listPath: list.path, dataDir, searches },
      })
      .catch((error: unknown): CountOutcome[] => [{ kind: "failed", error: describeError(error) }]);
  }

  /** Stores the outcomes of a task. */
  #settle(
    rows: readonly CountingRow[],
    outcomes: readonly CountOutcome[],
    pair: RetainedPair,
  ): void {
    const done: FinishedCount[] = [];
    for (const [at, outcome] of outcomes.entries()) {
      const row = rows[at] as CountingRow;
      if (outcome.kind === "counted") {
        const counts = this.#finish(row, pair, outcome);
        if (counts !== null) done.push({ row, counts, since: pair.since });
      } else if (outcome.kind === "refused") {
        this.#fail(row, outcome.detail);
      } else {
        const { log } = this.#parts;
        log.error({ notice: row.id, ...outcome.error }, "a notice was not counted; trying again");
        this.#postpone(row, "Counting failed on the server.");
      }
    }
    this.#store(done);
  }

  /** Returns the counts that can be stored now; null if the notice must wait for its export. */
  #finish(
    row: CountingRow,
    pair: RetainedPair,
    { counts, watch }: CountOutcome & { readonly kind: "counted" },
  ): NoticeCounts | null {
    if (row.export === null) return counts;
    const { exports, store, clock, work } = this.#parts;
    const made = exports.make(row, pair, { counts, watch });
    if (made === "later") {
      // After a day of waiting, the notice is sent without the file, because its counts are known.
      if (clock.nowMs() - row.createdAt >= GIVE_UP_MS) return { ...counts, ...NO_ROOM };
      this.#postpone(row, "The export waits until there is room for it.", RETRY_MS);
      return null;
    }
    if (!("id" in made)) return { ...counts, ...made };
    work.fenced(() => store.hide(row.id, clock.nowMs() + GIVE_UP_MS));
    const { since } = pair;
    const waiting = this.#await(row, made, (file) =>
      this.#store([{ row, counts: { ...counts, ...file }, since }]),
    );
    this.#exporting.set(
      row.id,
      waiting.finally(() => this.#exporting.delete(row.id)),
    );
    return null;
  }

  /** Waits for an export without blocking other notices. Never rejects. */
  async #await(
    { id, tenantId }: CountingRow,
    made: NoticeExport,
    done: (file: Partial<NoticeCounts>) => void,
  ): Promise<void> {
    const { exports, log, work } = this.#parts;
    const turn = work.token;
    // If another server takes over the work, it starts with all uncounted notices, so this wait is
    // over.
    const isOver = () => this.#stopped || work.token !== turn;
    try {
      for (;;) {
        const file = await exports.ended(tenantId, made, EXPORT_TURN_MS);
        if (isOver()) return;
        if (file !== null) return done(file);
      }
    } catch (error) {
      if (isOver()) return;
      log.error(describeError(error), "a notice lost its export; trying again");
      this.#retryLater(id);
    }
  }

  #retryLater(id: string): void {
    const { store, clock, log, work } = this.#parts;
    try {
      work.fenced(() => store.hide(id, clock.nowMs() + RETRY_MS));
    } catch (error) {
      log.error(describeError(error), "a notice waits for a day, or for the next server");
    }
  }

  #isOver(): boolean {
    return this.#stopped || !this.#parts.work.isHeld;
  }

  /** Stores counts and queues their deliveries, all in one transaction. */
  #store(done: readonly FinishedCount[]): void {
    if (done.length === 0) return;
    const { work, clock, counted } = this.#parts;
    work.fenced(() => {
      for (const one of done) this.#storeOne(one, clock.nowMs());
    });
    faultPoint("count.after_commit");
    counted();
  }

  #storeOne({ row, counts, since }: FinishedCount, nowMs: number): void {
    const { store, webhooks } = this.#parts;
    if (!store.counted(row.id, { counts: JSON.stringify(counts), since, nowMs })) return;
    const { entered, left, changed } = counts;
    const isQuiet = row.onlyChanges === 1 && entered + left + changed === 0;
    if (!isQuiet) webhooks.queue(row.id, row.tenantId, row.searchId, nowMs);
    faultPoint("count.before_commit");
  }

  /** Marks a notice as failed, and queues the event about it for its receivers. */
  #fail({ id, tenantId, searchId }: CountingRow, failure: string): void {
    const { store, webhooks, clock, counted, work } = this.#parts;
    work.fenced(() => {
      store.fail(id, failure);
      webhooks.queue(id, tenantId, searchId, clock.nowMs());
    });
    counted();
  }

  #postpone(row: CountingRow, failure: string, waitMs?: number): void {
    const { store, clock, work } = this.#parts;
    const nowMs = clock.nowMs();
    if (nowMs - row.createdAt >= GIVE_UP_MS) {
      this.#fail(row, failure);
      return;
    }
    const delay = waitMs ?? Math.min(RETRY_MS * 2 ** Math.min(row.attempts, 10), RETRY_MAX_MS);
    work.fenced(() => store.postpone(row.id, { failure, nextAt: nowMs + delay }));
  }

  /**
   * Opens both months of a notice, or returns a sentence that names the missing month. If the older
   * month is gone, opens the best replacement.
   */
  async #openPair(row: CountingRow): Promise<RetainedPair | string> {
    const newer = await this.#open({ label: row.snapshot, snapshotId: row.snapshotId });
    if (newer === null) return "The snapshot of its month is gone, or cannot be read.";
    for (const noted of this.#startsOf(row)) {
      const older = await this.#open(noted);
      if (older !== null && older.segment.snapshotDate <= newer.segment.snapshotDate) {
        return heldPair(older, newer, noted.sequence);
      }
      older?.release();
    }
    newer.release();
    return "There is no older snapshot to compare with.";
  }

  /**
   * Returns the months with which a notice can be compared, the best first. If the comparison
   * starts with a later month than planned, it misses changes, so later months come last. (Months
   * may be missing after a failed notice or a pause.)
   */
  #startsOf({ month, sinceMonth, createdAt }: CountingRow): NotedMonth[] {
    const { store, clock } = this.#parts;
    const before = store.before(month);
    const from = Math.max(
      before.findIndex(({ sequence }) => sequence === sinceMonth),
      0,
    );
    const isLast = clock.nowMs() - createdAt >= GIVE_UP_MS;
    return [...before.slice(from), ...(isLast ? before.slice(0, from).reverse() : [])];
  }

  /** Opens a month by its snapshot, or the snapshot of the same label that has replaced it. */
  async #open({ label, snapshotId }: Pick<NotedMonth, "label" | "snapshotId">) {
    const { served, changes } = this.#parts;
    const current = served.current();
    const kept =
      current?.snapshotId === snapshotId ? current : served.retired((id) => id === snapshotId);
    if (kept !== null && kept !== undefined && !kept.native.poisoned()) {
      return { segment: kept, release: served.retain(kept) };
    }
    if (current?.label === label) return { segment: current, release: served.retain(current) };
    const known = changes.months.known();
    const month =
      known.find((one) => one.snapshotId === snapshotId) ??
      known.find((one) => one.label === label);
    return month === undefined ? null : this.#openMonth(month);
  }

  async #openMonth(month: Month) {
    const { months } = this.#parts.changes;
    try {
      const segment = await months.open(month);
      return { segment, release: months.retain(segment) };
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  /** Ends the thread: new months are rare, and an idle thread uses memory. */
  async #endThread(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    try {
      await pool?.close();
    } catch (error) {
      this.#parts.log.warn(describeError(error), "the thread of notices did not end well");
    }
  }
}

interface OpenMonth {
  readonly segment: Segment;
  readonly release: () => void;
}

function heldPair(older: OpenMonth, newer: OpenMonth, since: number): RetainedPair {
  return {
    ...{ older: older.segment, newer: newer.segment, since },
    release: () => {
      older.release();
      newer.release();
    },
  };
}
