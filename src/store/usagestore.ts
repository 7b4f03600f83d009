/**
 * Usage in the database: requests, accounts, and export rows by tenant, UTC day, and key; the rows
 * charged to a day's quota; and the bytes of a tenant's files and specs. Input: amounts to add;
 * rows that exports reserve, use, or release. Output: sums and rows as stored.
 * Invariant: amounts are added in one commit or not at all, and usage is never subtracted. The
 * charge of a day is the number of rows that its exports have reserved or used. It includes done
 * exports that were deleted. A charge changes in the same transaction as its export. Rows of an
 * export are counted as used once, when it is first done. Triggers add up bytes in the transaction
 * of each change, so no change can bypass the sums, and reading a sum takes one row.
 */
import { utcDay } from "../process/clock.ts";
import type { StateDatabase, StateStatement } from "./statedatabase.ts";

/** Amounts used. */
export interface Used {
  readonly requests: number;
  readonly accounts: number;
  readonly exportRows: number;
}

/** Usage of one key on one day (days since 1970, UTC). */
export interface UsedByKey extends Used {
  readonly tenantId: string;
  readonly keyId: string;
  readonly day: number;
}

/** Usage with names for people. */
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

  /** Adds to the stored amounts in one commit. */
  add(uses: readonly UsedByKey[]): void {
    const all = this.#database.transaction(() => {
      for (const use of uses) this.#add.run(use);
    });
    all.immediate();
  }

  /** Returns a tenant's usage on a day, over all keys. */
  ofDay(tenantId: string, day: number): Used {
    return this.#ofDay.get(tenantId, day) as Used;
  }

  /** Returns all usage since the given day, ordered by day, tenant name, and key. */
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

  /** Returns a tenant's usage since a day, as one row for each day and key. */
  ofTenant(tenantId: string, day: number): UsedByKey[] {
    return this.#database
      .prepare<[string, number], UsedByKey>(
        `SELECT tenant_id AS tenantId, day, key_id AS keyId, requests, accounts,
           export_rows AS exportRows
         FROM usage WHERE tenant_id = ? AND day >= ? ORDER BY day, key_id`,
      )
      .all(tenantId, day);
  }

  /** Deletes the usage of days before `day`. */
  forgetBefore(day: number): void {
    this.#database.prepare("DELETE FROM usage WHERE day < ?").run(day);
  }
}

/** Reserved rows of an export. */
interface Charge {
  readonly id: string;
  readonly tenantId: string;
  /** Key that created the export; null for exports of earlier versions. */
  readonly keyId: string | null;
  /** Day whose quota is charged; null if the plan has none. */
  readonly day: number | null;
  readonly rows: number;
  /** 1 if the export was ever done, even if its file is lost and it is queued again. */
  readonly delivered: 0 | 1;
}

/** The table `quota`, and its columns in `exports`. */
export class QuotaStore {
  readonly #usage: UsageStore;
  readonly #reserve: StateStatement<[string, number, number]>;
  readonly #move: StateStatement<[number, string, number]>;
  readonly #charged: StateStatement<[string, number], { readonly rows: number }>;
  readonly #chargeOf: StateStatement<[string], Charge>;
  readonly #setRows: StateStatement<[number, string]>;
  readonly #forget: StateStatement<[number]>;

  constructor(database: StateDatabase) {
    this.#usage = new UsageStore(database);
    this.#reserve = database.prepare(
      `INSERT INTO quota (tenant_id, day, charged_rows) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET charged_rows = charged_rows + excluded.charged_rows`,
    );
    // If the row of the day has already been deleted, the update changes nothing. This is right,
    // because days that are over need no refund.
    this.#move = database.prepare(
      "UPDATE quota SET charged_rows = charged_rows + ? WHERE tenant_id = ? AND day = ?",
    );
    this.#charged = database.prepare(
      "SELECT charged_rows AS rows FROM quota WHERE tenant_id = ? AND day = ?",
    );
    this.#chargeOf = database.prepare(
      `SELECT id, tenant_id AS tenantId, key_id AS keyId, charged_day AS day, charged_rows AS rows,
         expires_at IS NOT NULL AS delivered
       FROM exports WHERE id = ?`,
    );
    this.#setRows = database.prepare("UPDATE exports SET charged_rows = ? WHERE id = ?");
    this.#forget = database.prepare("DELETE FROM quota WHERE day < ?");
  }

  /** Returns how many rows of a tenant's quota for a day are reserved or used. */
  charged(tenantId: string, day: number): number {
    return this.#charged.get(tenantId, day)?.rows ?? 0;
  }

  /** Returns the rows that an export has reserved; undefined if the export does not exist. */
  chargeOf(id: string): Charge | undefined {
    return this.#chargeOf.get(id);
  }

  /** Reserves rows of a day's quota; callers also store them in the export's row. */
  reserve(tenantId: string, day: number, rows: number): void {
    this.#reserve.run(tenantId, day, rows);
  }

  /** Counts an answer's rows as used, and charges them to the day if the plan has a quota. */
  spend(
    { tenantId, keyId, day }: Pick<UsedByKey, "tenantId" | "keyId" | "day">,
    rows: number,
    charged: boolean,
  ): void {
    if (charged) this.reserve(tenantId, day, rows);
    this.#usage.add([{ tenantId, keyId, day, requests: 0, accounts: 0, exportRows: rows }]);
  }

  /** Replaces the number of rows that a done export has reserved by its actual number of rows. */
  settle(charge: Charge, rowCount: number, endedAt: number): void {
    this.#change(charge, rowCount);
    const { tenantId, keyId, delivered } = charge;
    if (keyId === null || delivered === 1) return;
    const used = { requests: 0, accounts: 0, exportRows: rowCount };
    this.#usage.add([{ tenantId, keyId, day: utcDay(endedAt), ...used }]);
  }

  /** Releases the rows that a failed export has reserved. */
  giveBack(charge: Charge): void {
    this.#change(charge, 0);
  }

  /** Releases the rows that a deleted export has reserved, unless it was ever done. */
  remove(charge: Charge): void {
    if (charge.delivered === 0) this.#change(charge, 0);
  }

  /** Deletes the quotas of days before `day`. */
  forgetBefore(day: number): void {
    this.#forget.run(day);
  }

  #change({ id, tenantId, day, rows }: Charge, to: number): void {
    if (day === null || to === rows) return;
    this.#setRows.run(to, id);
    this.#move.run(to - rows, tenantId, day);
  }
}

/** Schema step that creates the sums, and an index for deletions. */
export const STORED_BYTES_STEP = `
  CREATE TABLE kept_bytes (
    tenant_id TEXT PRIMARY KEY REFERENCES tenants (id),
    files INTEGER NOT NULL,
    specs INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO kept_bytes
    SELECT tenant_id, sum(files), sum(specs) FROM (
      SELECT tenant_id, iif(expired_at IS NULL, coalesce(size_bytes, 0), 0) AS files,
        octet_length(spec) AS specs FROM exports
      UNION ALL SELECT tenant_id, 0,
        octet_length(spec) + octet_length(name) + coalesce(octet_length(text), 0)
        FROM saved_searches)
    GROUP BY tenant_id;
  CREATE TRIGGER exports_kept_insert AFTER INSERT ON exports BEGIN
    INSERT INTO kept_bytes VALUES (NEW.tenant_id,
        iif(NEW.expired_at IS NULL, coalesce(NEW.size_bytes, 0), 0), octet_length(NEW.spec))
      ON CONFLICT DO UPDATE SET files = files + excluded.files, specs = specs + excluded.specs;
  END;
  CREATE TRIGGER exports_kept_update AFTER UPDATE OF spec, size_bytes, expired_at ON exports BEGIN
    UPDATE kept_bytes SET
      files = files + iif(NEW.expired_at IS NULL, coalesce(NEW.size_bytes, 0), 0)
        - iif(OLD.expired_at IS NULL, coalesce(OLD.size_bytes, 0), 0),
      specs = specs + octet_length(NEW.spec) - octet_length(OLD.spec)
      WHERE tenant_id = OLD.tenant_id;
  END;
  CREATE TRIGGER exports_kept_delete AFTER DELETE ON exports BEGIN
    UPDATE kept_bytes SET
      files = files - iif(OLD.expired_at IS NULL, coalesce(OLD.size_bytes, 0), 0),
      specs = specs - octet_length(OLD.spec)
      WHERE tenant_id = OLD.tenant_id;
  END;
  CREATE TRIGGER searches_kept_insert AFTER INSERT ON saved_searches BEGIN
    INSERT INTO kept_bytes VALUES (NEW.tenant_id, 0, octet_length(NEW.spec)
        + octet_length(NEW.name) + coalesce(octet_length(NEW.text), 0))
      ON CONFLICT DO UPDATE SET specs = specs + excluded.specs;
  END;
  CREATE TRIGGER searches_kept_update AFTER UPDATE OF spec, name, text ON saved_searches BEGIN
    UPDATE kept_bytes SET specs = specs + octet_length(NEW.spec) - octet_length(OLD.spec)
      + octet_length(NEW.name) - octet_length(OLD.name)
      + coalesce(octet_length(NEW.text), 0) - coalesce(octet_length(OLD.text), 0)
      WHERE tenant_id = OLD.tenant_id;
  END;
  CREATE TRIGGER searches_kept_delete AFTER DELETE ON saved_searches BEGIN
    UPDATE kept_bytes SET specs = specs - octet_length(OLD.spec) - octet_length(OLD.name)
      - coalesce(octet_length(OLD.text), 0)
      WHERE tenant_id = OLD.tenant_id;
  END;
  CREATE INDEX exports_over ON exports (coalesce(expired_at, ended_at))
    WHERE expired_at IS NOT NULL OR state = 'failed';`;

/**
 * Migration step for enrichments of files that clients sent. It adds the request as JSON (NULL for
 * other exports), and the size of the sent file. The size counts toward the tenant's `kept_bytes`
 * while the file is retained.
 */
export const SENT_FILES_STEP = `
  ALTER TABLE exports ADD COLUMN sent TEXT;
  ALTER TABLE exports ADD COLUMN sent_bytes INTEGER NOT NULL DEFAULT 0;
  DROP TRIGGER exports_kept_insert;
  DROP TRIGGER exports_kept_update;
  DROP TRIGGER exports_kept_delete;
  CREATE TRIGGER exports_kept_insert AFTER INSERT ON exports BEGIN
    INSERT INTO kept_bytes VALUES (NEW.tenant_id,
        iif(NEW.expired_at IS NULL, coalesce(NEW.size_bytes, 0) + NEW.sent_bytes, 0),
        octet_length(NEW.spec))
      ON CONFLICT DO UPDATE SET files = files + excluded.files, specs = specs + excluded.specs;
  END;
  CREATE TRIGGER exports_kept_update AFTER UPDATE OF spec, size_bytes, expired_at ON exports BEGIN
    UPDATE kept_bytes SET
      files = files
        + iif(NEW.expired_at IS NULL, coalesce(NEW.size_bytes, 0) + NEW.sent_bytes, 0)
        - iif(OLD.expired_at IS NULL, coalesce(OLD.size_bytes, 0) + OLD.sent_bytes, 0),
      specs = specs + octet_length(NEW.spec) - octet_length(OLD.spec)
      WHERE tenant_id = OLD.tenant_id;
  END;
  CREATE TRIGGER exports_kept_delete AFTER DELETE ON exports BEGIN
    UPDATE kept_bytes SET
      files = files
        - iif(OLD.expired_at IS NULL, coalesce(OLD.size_bytes, 0) + OLD.sent_bytes, 0),
      specs = specs - octet_length(OLD.spec)
      WHERE tenant_id = OLD.tenant_id;
  END;`;

interface StoredUsage {
  readonly files: number;
  readonly specs: number;
}

/** The table `kept_bytes`. */
export class StoredBytes {
  readonly #of: StateStatement<[string], StoredUsage>;

  constructor(database: StateDatabase) {
    this.#of = database.prepare("SELECT files, specs FROM kept_bytes WHERE tenant_id = ?");
  }

  /** Returns the stored bytes of a tenant. */
  of(tenantId: string): StoredUsage {
    return this.#of.get(tenantId) ?? { files: 0, specs: 0 };
  }
}
