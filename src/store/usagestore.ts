/**
 * Counts of use in the database: requests, accounts and export rows by tenant, UTC day and key.
 * What comes in: numbers to add. What goes out: sums and rows as stored.
 * Invariant: adding is one commit and adds everything or nothing; nothing is ever subtracted.
 */
import type { StateDatabase, StateStatement } from "./sqlite.ts";

/** What was used. */
export interface Used {
  readonly requests: number;
  readonly accounts: number;
  readonly exportRows: number;
}

/** What one key used on one day (days since 1970, UTC). */
export interface UsedByKey extends Used {
  readonly tenantId: string;
  readonly keyId: string;
  readonly day: number;
}

/** The same with the names that people know. */
export interface NamedUse extends Omit<UsedByKey, "tenantId"> {
  readonly tenant: string;
  readonly keyName: string;
}

/** The table `usage`. */
export class UsageStore {
  readonly #database: StateDatabase;
  readonly #add: StateStatement<[UsedByKey]>;
  readonly #ofDay: StateStatement<[string, number], Used>;

  constructor(database: StateDatabase) {
    this.#database = database;
    this.#add = database.prepare(
      `INSERT INTO usage (tenant_id, day, key_id, requests, accounts, export_rows)
       VALUES (@tenantId, @day, @keyId, @requests, @accounts, @exportRows)
       ON CONFLICT DO UPDATE SET requests = requests + excluded.requests,
         accounts = accounts + excluded.accounts, export_rows = export_rows + excluded.export_rows`,
    );
    this.#ofDay = database.prepare(
      `SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(accounts), 0) AS accounts,
         coalesce(sum(export_rows), 0) AS exportRows
       FROM usage WHERE tenant_id = ? AND day = ?`,
    );
  }

  /** Adds to what is there, all in one commit. */
  add(uses: readonly UsedByKey[]): void {
    const all = this.#database.transaction(() => {
      for (const use of uses) this.#add.run(use);
    });
    all.immediate();
  }

  /** What a tenant used on a day, with all its keys. */
  ofDay(tenantId: string, day: number): Used {
    return this.#ofDay.get(tenantId, day) as Used;
  }

  /** Everything since a day, oldest day first, then by the names of tenants and by keys. */
  since(day: number): NamedUse[] {
    return this.#database
      .prepare<[number], NamedUse>(
        `SELECT usage.day, usage.key_id AS keyId, usage.requests, usage.accounts,
           usage.export_rows AS exportRows, tenants.name AS tenant,
           coalesce(keys.name, '') AS keyName
         FROM usage JOIN tenants ON tenants.id = usage.tenant_id
           LEFT JOIN keys ON keys.id = usage.key_id
         WHERE usage.day >= ? ORDER BY usage.day, tenants.name, usage.key_id`,
      )
      .all(day);
  }

  /** What the senders of a tenant used since a day; one row per day and sender. */
  ofTenant(tenantId: string, day: number): UsedByKey[] {
    return this.#database
      .prepare<[string, number], UsedByKey>(
        `SELECT tenant_id AS tenantId, day, key_id AS keyId, requests, accounts,
           export_rows AS exportRows
         FROM usage WHERE tenant_id = ? AND day >= ? ORDER BY day, key_id`,
      )
      .all(tenantId, day);
  }

  /** Forgets the days before one. */
  forgetBefore(day: number): void {
    this.#database.prepare("DELETE FROM usage WHERE day < ?").run(day);
  }
}
