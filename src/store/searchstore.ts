/**
 * Saved searches in the database. Input: rows to write, and ids to find. Output: rows as stored, in
 * pages, with the e-mail of their users. Specs are read separately, because they may be large.
 * Invariant: a change is durable when the method returns. Every method takes the tenant, so other
 * tenants' rows are never read or changed. This file does not know the meaning of specs.
 */

import type { StateDatabase } from "./statedatabase.ts";
import { StoredBytes } from "./usagestore.ts";

/** Members of a saved search that define the content of its notices and where they go. */
export interface NoticeOptions {
  /** Names of the watched fields, separated by commas; null means all fields. */
  readonly watch: string | null;
  /** 1 if no notice is sent about a month without changes. */
  readonly onlyChanges: number;
  /** The export to make with each notice, as JSON, or null. */
  readonly export: string | null;
  /** Secret of the search's feed, or null. */
  readonly feed: string | null;
  /** 1 if the dates in the spec's filters move with the month. */
  readonly rolling: number;
  /** Time from which the search makes no notices; null if it is not paused. */
  readonly pausedAt: number | null;
}

interface NewSearchRow extends Partial<NoticeOptions> {
  readonly id: string;
  readonly tenantId: string;
  /** The console user who saves the search; null if an API key saves it. */
  readonly userId: string | null;
  /** Plan and key of the client that saves the search; null in rows of earlier versions. */
  readonly plan?: string | null;
  readonly keyId?: string | null;
  readonly name: string;
  /** The sentence from which the spec was derived, or null. */
  readonly text: string | null;
  /** Normalized spec as JSON. */
  readonly spec: string;
  /** Date of the snapshot to which the spec's dates refer; null in rows of earlier versions. */
  readonly specDate?: string | null;
  /** Label of the snapshot of the last count, and the number of matches. */
  readonly snapshot: string;
  readonly total: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** A new spec of a search, with its count. */
type Specified = Pick<NewSearchRow, "spec" | "snapshot" | "total"> & {
  readonly specDate: string;
};

/** A saved search with its user, null if the user was deleted; its spec is read separately. */
export interface SearchRow
  extends Omit<NewSearchRow, "spec" | "plan" | "keyId" | "specDate" | keyof NoticeOptions>,
    NoticeOptions {
  readonly plan: string | null;
  readonly keyId: string | null;
  readonly specDate: string | null;
  readonly email: string | null;
}

/** A position in a tenant's list of searches; a page continues after it. */
export type SearchPlace = Pick<SearchRow, "createdAt" | "id">;

/** The position before every search. */
const FIRST: SearchPlace = { createdAt: Number.MAX_SAFE_INTEGER, id: "" };

const COLUMNS = `
  saved.id, saved.tenant_id AS tenantId, saved.user_id AS userId, saved.name, saved.text,
  saved.snapshot, saved.total, saved.created_at AS createdAt, users.email, saved.plan,
  saved.key_id AS keyId, saved.watch, saved.only_changes AS "onlyChanges", saved.export, saved.feed,
  saved.rolling, saved.spec_date AS "specDate", saved.paused_at AS "pausedAt"
  FROM saved_searches AS saved LEFT JOIN users ON users.id = saved.user_id`;

/** Default values for a search whose notices have no options. */
const PLAIN = {
  ...{ plan: null, keyId: null, watch: null, specDate: null },
  ...{ onlyChanges: 0, export: null, feed: null, rolling: 0, pausedAt: null },
};

/** The table `saved_searches`. */
export class SearchStore {
  /** Counts the bytes that each tenant has stored. */
  readonly storedBytes: StoredBytes;
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
    this.storedBytes = new StoredBytes(database);
  }

  /** Returns up to `limit` searches of a tenant after a position, newest first, then by id. */
  list(tenantId: string, limit: number, after: SearchPlace = FIRST): SearchRow[] {
    return this.#database
      .prepare<[string, number, number, string, number], SearchRow>(
        `SELECT ${COLUMNS} WHERE saved.tenant_id = ? AND saved.created_at <= ?
           AND (saved.created_at < ? OR saved.id > ?)
         ORDER BY saved.created_at DESC, saved.id LIMIT ?`,
      )
      .all(tenantId, after.createdAt, after.createdAt, after.id, limit);
  }

  /** Returns how many of a tenant's searches were last counted on an earlier snapshot. */
  countOlder(tenantId: string, snapshot: string): number {
    const count = this.#database
      .prepare<[string, string], number>(
        "SELECT count(*) FROM saved_searches WHERE tenant_id = ? AND snapshot < ?",
      )
      .pluck()
      .get(tenantId, snapshot);
    return count ?? 0;
  }

  /** Returns the spec of a tenant's search as JSON. */
  specOf(tenantId: string, id: string): string | undefined {
    return this.#database
      .prepare<[string, string], string>(
        "SELECT spec FROM saved_searches WHERE tenant_id = ? AND id = ?",
      )
      .pluck()
      .get(tenantId, id);
  }

  /** Returns a tenant's search by id, or undefined. */
  find(tenantId: string, id: string): SearchRow | undefined {
    return this.#database
      .prepare<[string, string], SearchRow>(
        `SELECT ${COLUMNS} WHERE saved.tenant_id = ? AND saved.id = ?`,
      )
      .get(tenantId, id);
  }

  /** Stores a search; returns false if the tenant already has `most`. */
  insert(row: NewSearchRow, most: number): boolean {
    const result = this.#database
      .prepare(
        `INSERT INTO saved_searches
           (id, tenant_id, user_id, name, text, spec, snapshot, total, created_at, plan, key_id,
            watch, only_changes, export, feed, rolling, spec_date, paused_at)
         SELECT @id, @tenantId, @userId, @name, @text, @spec, @snapshot, @total, @createdAt, @plan,
           @keyId, @watch, @onlyChanges, @export, @feed, @rolling, @specDate, @pausedAt
         WHERE (SELECT count(*) FROM saved_searches WHERE tenant_id = @tenantId) < @most`,
      )
      .run({ ...PLAIN, ...row, most });
    return result.changes > 0;
  }

  /** Replaces the spec of a search, with its count. */
  respecify(tenantId: string, id: string, { spec, specDate, snapshot, total }: Specified): void {
    this.#database
      .prepare(
        `UPDATE saved_searches SET spec = ?, spec_date = ?, snapshot = ?, total = ?
         WHERE tenant_id = ? AND id = ?`,
      )
      .run(spec, specDate, snapshot, total, tenantId, id);
  }

  /**
   * Replaces the options of a search's notices. Also stores `specDate` in a row of an earlier
   * version, which lacks it.
   */
  setOptions(
    tenantId: string,
    id: string,
    options: NoticeOptions & Pick<SearchRow, "specDate">,
  ): void {
    this.#database
      .prepare(
        `UPDATE saved_searches SET watch = @watch, only_changes = @onlyChanges, export = @export,
           feed = @feed, rolling = @rolling, paused_at = @pausedAt,
           spec_date = COALESCE(spec_date, @specDate) WHERE tenant_id = @tenantId AND id = @id`,
      )
      .run({ ...options, tenantId, id });
  }

  /** Pauses the notices of a search from a time on, or resumes them with null. */
  pause(tenantId: string, id: string, pausedAt: number | null): void {
    this.#database
      .prepare("UPDATE saved_searches SET paused_at = ? WHERE tenant_id = ? AND id = ?")
      .run(pausedAt, tenantId, id);
  }

  /** Returns the date of a served month, or undefined. */
  dateOf(label: string): string | undefined {
    return this.#database
      .prepare<[string], string>("SELECT date FROM served_months WHERE label = ?")
      .pluck()
      .get(label);
  }

  /** Returns the search with this feed secret, if its tenant is enabled. */
  byFeed(feed: string): SearchRow | undefined {
    return this.#database
      .prepare<[string], SearchRow>(
        `SELECT ${COLUMNS} JOIN tenants ON tenants.id = saved.tenant_id
         WHERE saved.feed = ? AND tenants.disabled_at IS NULL`,
      )
      .get(feed);
  }

  /** Returns those of the ids that belong to searches of a tenant. */
  known(tenantId: string, ids: readonly string[]): string[] {
    return this.#database
      .prepare<[string, string], string>(
        `SELECT id FROM saved_searches WHERE tenant_id = ?
           AND id IN (SELECT value FROM json_each(?))`,
      )
      .pluck()
      .all(tenantId, JSON.stringify(ids)) as string[];
  }

  /** Renames a search; returns false if the tenant has none with this id. */
  rename(tenantId: string, id: string, name: string): boolean {
    const result = this.#database
      .prepare("UPDATE saved_searches SET name = ? WHERE tenant_id = ? AND id = ?")
      .run(name, tenantId, id);
    return result.changes > 0;
  }

  /** Stores a new count of a search; returns false if the tenant has none with this id. */
  recount(tenantId: string, id: string, counted: Pick<SearchRow, "snapshot" | "total">): boolean {
    const result = this.#database
      .prepare("UPDATE saved_searches SET snapshot = ?, total = ? WHERE tenant_id = ? AND id = ?")
      .run(counted.snapshot, counted.total, tenantId, id);
    return result.changes > 0;
  }

  /** Removes a search; returns false if the tenant has none with this id. */
  remove(tenantId: string, id: string): boolean {
    const result = this.#database
      .prepare("DELETE FROM saved_searches WHERE tenant_id = ? AND id = ?")
      .run(tenantId, id);
    return result.changes > 0;
  }
}
