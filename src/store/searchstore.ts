/**
 * Saved searches in the database. What comes in: rows to write and ids to look for. What goes out:
 * rows as stored, page by page, with the e-mail of whoever saved them; a spec by itself, because
 * it may be large.
 * Invariant: a change is durable when the method returns; every method names the tenant, so that
 * what belongs to another one is never seen or changed. It knows nothing of what a spec means.
 */

import type { StateDatabase } from "./sqlite.ts";
import { KeptBytes } from "./usagestore.ts";

/** A search as it is stored. */
interface NewSearchRow {
  readonly id: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly name: string;
  /** The sentence it began with, or null. */
  readonly text: string | null;
  /** JSON text of the normalized spec. */
  readonly spec: string;
  /** Label of the snapshot that it was counted on, and how many matched. */
  readonly snapshot: string;
  readonly total: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A search with who saved it, null for a user that is gone; its spec is asked for on its own. */
export interface SearchRow extends Omit<NewSearchRow, "userId" | "spec"> {
  readonly userId: string | null;
  readonly email: string | null;
}

/** Where a page of a tenant's list ended: the last search of it. */
export type SearchPlace = Pick<SearchRow, "createdAt" | "id">;

/** Before the newest search that there can be. */
const FIRST: SearchPlace = { createdAt: Number.MAX_SAFE_INTEGER, id: "" };

const COLUMNS = `
  saved.id, saved.tenant_id AS tenantId, saved.user_id AS userId, saved.name, saved.text,
  saved.snapshot, saved.total, saved.created_at AS createdAt, users.email
  FROM saved_searches AS saved LEFT JOIN users ON users.id = saved.user_id`;

/** The table `saved_searches`. */
export class SearchStore {
  /** What tenants keep. */
  readonly kept: KeptBytes;
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
    this.kept = new KeptBytes(database);
  }

  /** Searches of a tenant behind a place, newest first; those of one time by id. */
  list(tenantId: string, limit: number, behind: SearchPlace = FIRST): SearchRow[] {
    return this.#database
      .prepare<[string, number, number, string, number], SearchRow>(
        `SELECT ${COLUMNS} WHERE saved.tenant_id = ? AND saved.created_at <= ?
           AND (saved.created_at < ? OR saved.id > ?)
         ORDER BY saved.created_at DESC, saved.id LIMIT ?`,
      )
      .all(tenantId, behind.createdAt, behind.createdAt, behind.id, limit);
  }

  /** How many of a tenant's searches were last counted on a snapshot before the one named. */
  countOlder(tenantId: string, snapshot: string): number {
    const count = this.#database
      .prepare<[string, string], number>(
        "SELECT count(*) FROM saved_searches WHERE tenant_id = ? AND snapshot < ?",
      )
      .pluck()
      .get(tenantId, snapshot);
    return count ?? 0;
  }

  /** JSON text of the spec of a tenant's search. */
  specOf(tenantId: string, id: string): string | undefined {
    return this.#database
      .prepare<[string, string], string>(
        "SELECT spec FROM saved_searches WHERE tenant_id = ? AND id = ?",
      )
      .pluck()
      .get(tenantId, id);
  }

  /** A search of a tenant; undefined where it has none of this id. */
  find(tenantId: string, id: string): SearchRow | undefined {
    return this.#database
      .prepare<[string, string], SearchRow>(
        `SELECT ${COLUMNS} WHERE saved.tenant_id = ? AND saved.id = ?`,
      )
      .get(tenantId, id);
  }

  /** Stores a search unless the tenant has `most` already; false then. */
  insert(row: NewSearchRow, most: number): boolean {
    const result = this.#database
      .prepare(
        `INSERT INTO saved_searches
           (id, tenant_id, user_id, name, text, spec, snapshot, total, created_at)
         SELECT @id, @tenantId, @userId, @name, @text, @spec, @snapshot, @total, @createdAt
         WHERE (SELECT count(*) FROM saved_searches WHERE tenant_id = @tenantId) < @most`,
      )
      .run({ ...row, most });
    return result.changes > 0;
  }

  /** Gives a search another name; false where the tenant has none of this id. */
  rename(tenantId: string, id: string, name: string): boolean {
    const result = this.#database
      .prepare("UPDATE saved_searches SET name = ? WHERE tenant_id = ? AND id = ?")
      .run(name, tenantId, id);
    return result.changes > 0;
  }

  /** Notes a new count of a search; false where the tenant has none of this id. */
  recount(tenantId: string, id: string, counted: Pick<SearchRow, "snapshot" | "total">): boolean {
    const result = this.#database
      .prepare("UPDATE saved_searches SET snapshot = ?, total = ? WHERE tenant_id = ? AND id = ?")
      .run(counted.snapshot, counted.total, tenantId, id);
    return result.changes > 0;
  }

  /** Removes a search; false where the tenant has none of this id. */
  remove(tenantId: string, id: string): boolean {
    const result = this.#database
      .prepare("DELETE FROM saved_searches WHERE tenant_id = ? AND id = ?")
      .run(tenantId, id);
    return result.changes > 0;
  }
}
