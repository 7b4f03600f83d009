/**
 * The months that were served, and notices, in the database. Input: a month that is served, and
 * outcomes of counts. Output: notices as stored, one for each saved search and month.
 * Invariant: a month and the notices about it are stored in one transaction. A month has one row,
 * even if it is served several times. The numbers of a search's notices ascend without gaps. A
 * notice gets its id when its row is created, so the id stays the same when the notice is counted
 * or sent again. Counts are stored once, in the transaction that queues their deliveries. This file
 * does not know the meaning of specs and counts.
 */
import type { StateDatabase } from "./statedatabase.ts";

/** A month of the registry that was served. */
export interface NotedMonth {
  readonly sequence: number;
  readonly label: string;
  readonly date: string;
  readonly snapshotId: string;
}

/** State of a notice. */
type NoticeState = "counting" | "counted" | "failed";

/** A notice as stored. Times are milliseconds since the epoch. */
export interface NoticeRow {
  readonly sequence: number;
  readonly id: string;
  readonly tenantId: string;
  readonly searchId: string;
  readonly searchName: string;
  /** Position among the notices of its search, from 1. */
  readonly number: number;
  readonly snapshot: string;
  readonly snapshotDate: string;
  readonly since: string;
  readonly state: NoticeState;
  readonly attempts: number;
  /** Why the notice could not be counted, or null. */
  readonly failure: string | null;
  /** The counts as JSON; null until the notice is counted. */
  readonly counts: string | null;
  readonly exportId: string | null;
  readonly createdAt: number;
  readonly countedAt: number | null;
}

/** A notice to count, with its months and data of its search. */
export interface CountingRow extends NoticeRow {
  readonly month: number;
  readonly snapshotId: string;
  readonly sinceMonth: number;
  readonly spec: string;
  /** Plan of the search; null if an earlier version saved it. */
  readonly plan: string | null;
  /** API key that saved the search; null if a console user did. */
  readonly keyId: string | null;
  readonly userId: string | null;
  /** Names of the watched fields, separated by commas; null means all fields. */
  readonly watch: string | null;
  readonly onlyChanges: number;
  /** The export to make with each notice, as JSON, or null. */
  readonly export: string | null;
  /** Date from which the relative days of the spec are counted; null if the days are fixed. */
  readonly daysFrom: string | null;
}

interface NoticePage {
  readonly tenantId: string;
  readonly searchId?: string | undefined;
  /** Only notices with a smaller sequence. */
  readonly before: number;
  readonly limit: number;
}

const COLUMNS = `
  notices.sequence, notices.id, notices.tenant_id AS tenantId, notices.search_id AS searchId,
  saved.name AS searchName, notices.number, now.label AS snapshot, now.date AS snapshotDate,
  past.label AS since, notices.state, notices.attempts, notices.failure, notices.counts,
  notices.export_id AS exportId, notices.created_at AS createdAt, notices.counted_at AS countedAt`;

const TABLES = `
  FROM notices JOIN saved_searches AS saved ON saved.id = notices.search_id
  JOIN served_months AS now ON now.sequence = notices.month
  JOIN served_months AS past ON past.sequence = notices.since`;

const MONTH = "sequence, label, date, snapshot_id AS snapshotId FROM served_months";

/** The tables `served_months` and `notices`. */
export class NoticeStore {
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
  }

  /** Runs several changes as one transaction; a throw undoes them all. */
  atomically<Result>(change: () => Result): Result {
    return this.#database.transaction(change).immediate();
  }

  /** Returns the newest month that was recorded, or undefined. */
  newest(): NotedMonth | undefined {
    return this.#database
      .prepare<[], NotedMonth>(`SELECT ${MONTH} ORDER BY date DESC, label DESC LIMIT 1`)
      .get();
  }

  /** Returns the months recorded before this one, newest first. */
  before(sequence: number): NotedMonth[] {
    return this.#database
      .prepare<[number], NotedMonth>(
        `SELECT ${MONTH} WHERE (date, label) <
           (SELECT date, label FROM served_months WHERE sequence = ?)
         ORDER BY date DESC, label DESC`,
      )
      .all(sequence);
  }

  /**
   * Records a month, and returns its sequence number. If its label was recorded before, only the
   * snapshot changes, because the operator has replaced its file.
   */
  note(month: Omit<NotedMonth, "sequence">, nowMs: number): number {
    return this.#database
      .prepare<[object], number>(
        `INSERT INTO served_months (label, date, snapshot_id, noted_at)
         VALUES (@label, @date, @snapshotId, @nowMs)
         ON CONFLICT (label) DO UPDATE SET date = excluded.date, snapshot_id = excluded.snapshot_id
         RETURNING sequence`,
      )
      .pluck()
      .get({ ...month, nowMs }) as number;
  }

  /** Returns true if a month with this label was recorded. */
  isNoted(label: string): boolean {
    const wanted = "SELECT 1 FROM served_months WHERE label = ?";
    return this.#database.prepare<[string]>(wanted).get(label) !== undefined;
  }

  /**
   * Creates a notice for every saved search that is not paused. Returns how many. Call it in the
   * transaction of `note`. A notice compares its month with the month of the search's previous
   * notice, so a pause loses no change. If the previous notice failed, the new notice uses the
   * starting month of that failed notice. The first notice of a search starts from the month
   * in which the search was saved, if that is before `since`. This happens if an older month was
   * served at that time, or if the search was paused.
   */
  announce(month: number, since: number, nowMs: number): number {
    this.#database
      .prepare("UPDATE saved_searches SET notices = notices + 1 WHERE paused_at IS NULL")
      .run();
    return this.#database
      .prepare(
        `INSERT INTO notices
           (id, tenant_id, search_id, number, month, since, state, attempts, next_at, created_at)
         SELECT 'ntc_' || lower(hex(randomblob(16))), tenant_id, id, notices, @month,
           COALESCE((SELECT CASE own.state WHEN 'failed' THEN own.since ELSE own.month END
               FROM notices AS own
               WHERE own.search_id = saved_searches.id AND own.number = saved_searches.notices - 1),
             (SELECT past.sequence FROM served_months AS past, served_months AS last
             WHERE saved_searches.notices = 1 AND past.label = saved_searches.snapshot
               AND last.sequence = @since AND (past.date, past.label) < (last.date, last.label)),
             @since),
           'counting', 0, @nowMs, @nowMs FROM saved_searches WHERE paused_at IS NULL`,
      )
      .run({ month, since, nowMs }).changes;
  }

  /**
   * Returns notices that are due to be counted, oldest month first. A notice waits until the
   * previous notice of its search is counted, because that outcome determines the month with which
   * the later notice is compared.
   */
  counting(nowMs: number, limit: number): CountingRow[] {
    return this.#database
      .prepare<[number, number], CountingRow>(
        `SELECT ${COLUMNS}, notices.month, now.snapshot_id AS snapshotId,
           notices.since AS sinceMonth, saved.spec, saved.key_id AS keyId,
           COALESCE((SELECT plan FROM keys WHERE keys.id = saved.key_id), saved.plan) AS plan,
           saved.user_id AS userId, saved.watch, saved.only_changes AS onlyChanges, saved.export,
           CASE WHEN saved.rolling = 1 THEN saved.spec_date END AS "daysFrom"
         ${TABLES} WHERE notices.state = 'counting' AND notices.next_at <= ?
           AND NOT EXISTS (SELECT 1 FROM notices AS own WHERE own.search_id = notices.search_id
             AND own.number = notices.number - 1 AND own.state = 'counting')
         ORDER BY notices.month, notices.since, notices.sequence LIMIT ?`,
      )
      .all(nowMs, limit);
  }

  /** Records a failed count, and when to repeat it. */
  postpone(id: string, { failure, nextAt }: { failure: string; nextAt: number }): void {
    this.#database
      .prepare(
        `UPDATE notices SET attempts = attempts + 1, failure = ?, next_at = ?
         WHERE id = ? AND state = 'counting'`,
      )
      .run(failure, nextAt, id);
  }

  /**
   * Changes the state from counting to failed. The next notice of the search then starts from the
   * same month as this one, so that no change is missing. Must be called inside a transaction.
   */
  fail(id: string, failure: string): void {
    this.#database
      .prepare("UPDATE notices SET state = 'failed', failure = ? WHERE id = ?")
      .run(failure, id);
    this.#database
      .prepare(
        `UPDATE notices SET since = (SELECT since FROM notices WHERE id = @id)
         WHERE search_id = (SELECT search_id FROM notices WHERE id = @id)
           AND number = (SELECT number + 1 FROM notices WHERE id = @id) AND state = 'counting'`,
      )
      .run({ id });
  }

  /** Stores a notice's export before the export is finished, so that it is created only once. */
  give(id: string, exportId: string): void {
    this.#database.prepare("UPDATE notices SET export_id = ? WHERE id = ?").run(exportId, id);
  }

  /** Hides a notice from `counting` until a time, while its export is rendered. */
  hide(id: string, nextAt: number): void {
    this.#database.prepare("UPDATE notices SET next_at = ? WHERE id = ?").run(nextAt, id);
  }

  /** Makes all uncounted notices due now. Call it when no other process is working on them. */
  wake(nowMs: number): void {
    this.#database.prepare("UPDATE notices SET next_at = ? WHERE state = 'counting'").run(nowMs);
  }

  /** Changes the state from counting to counted. `since`: month with which the notice compares. */
  counted(
    id: string,
    counted: { readonly counts: string; readonly since: number; readonly nowMs: number },
  ): boolean {
    const { counts, since, nowMs } = counted;
    const result = this.#database
      .prepare(
        `UPDATE notices SET state = 'counted', counts = ?, since = ?, counted_at = ?,
           failure = NULL, next_at = NULL WHERE id = ? AND state = 'counting'`,
      )
      .run(counts, since, nowMs, id);
    return result.changes > 0;
  }

  /** Changes the state from failed to counting. Returns false if the notice had not failed. */
  recount(id: string, nowMs: number): boolean {
    const result = this.#database
      .prepare(
        `UPDATE notices SET state = 'counting', attempts = 0, next_at = ?
         WHERE id = ? AND state = 'failed'`,
      )
      .run(nowMs, id);
    return result.changes > 0;
  }

  /** Returns a tenant's notice by id, or undefined. */
  find(tenantId: string, id: string): NoticeRow | undefined {
    return this.#database
      .prepare<[string, string], NoticeRow>(
        `SELECT ${COLUMNS} ${TABLES} WHERE notices.tenant_id = ? AND notices.id = ?`,
      )
      .get(tenantId, id);
  }

  /** Returns a tenant's notices, newest first. */
  list({ tenantId, searchId = "", before, limit }: NoticePage): NoticeRow[] {
    return this.#database
      .prepare<[object], NoticeRow>(
        `SELECT ${COLUMNS} ${TABLES} WHERE notices.tenant_id = @tenantId
           AND notices.sequence < @before AND (@searchId = '' OR notices.search_id = @searchId)
         ORDER BY notices.sequence DESC LIMIT @limit`,
      )
      .all({ tenantId, searchId, before, limit });
  }

  /** Returns a tenant's notices after a sequence number, oldest first. */
  after(tenantId: string, sequence: number, limit: number): NoticeRow[] {
    return this.#database
      .prepare<[string, number, number], NoticeRow>(
        `SELECT ${COLUMNS} ${TABLES} WHERE notices.tenant_id = ? AND notices.sequence > ?
         ORDER BY notices.sequence LIMIT ?`,
      )
      .all(tenantId, sequence, limit);
  }

  /** Returns the last counted notice of a search, or undefined. */
  last(tenantId: string, searchId: string): NoticeRow | undefined {
    return this.#database
      .prepare<[string, string], NoticeRow>(
        `SELECT ${COLUMNS} ${TABLES} WHERE notices.tenant_id = ? AND notices.search_id = ?
           AND notices.state = 'counted' ORDER BY notices.sequence DESC LIMIT 1`,
      )
      .get(tenantId, searchId);
  }

  /** Returns the number of notices in each state, over all tenants. */
  states(): Readonly<Record<NoticeState, number>> {
    const rows = this.#database
      .prepare<[], { state: NoticeState; count: number }>(
        "SELECT state, count(*) AS count FROM notices GROUP BY state",
      )
      .all();
    const none = { counting: 0, counted: 0, failed: 0 };
    return { ...none, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) };
  }

  /** Deletes up to `limit` notices that are older than a time and have no waiting deliveries. */
  forget(timeMs: number, limit: number): number {
    return this.#database
      .prepare(
        `DELETE FROM notices WHERE sequence IN
           (SELECT sequence FROM notices WHERE created_at < ? AND state <> 'counting'
              AND NOT EXISTS (SELECT 1 FROM deliveries
                WHERE deliveries.notice = notices.id AND deliveries.state = 'waiting')
            ORDER BY sequence LIMIT ?)`,
      )
      .run(timeMs, limit).changes;
  }
}
