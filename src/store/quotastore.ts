/**
 * What exports are charged for. What comes in: rows that an export reserves, and what became of
 * it. What goes out: how many rows of a tenant's quota of a day are gone.
 * Invariant: the sum of a day is what its exports hold, plus what those that were done and deleted
 * held; every change belongs into the transaction that changes the export. Rows of an export are
 * counted as used once, when it is done for the first time.
 */
import { utcDay } from "../process/clock.ts";
import type { StateDatabase, StateStatement } from "./sqlite.ts";
import { UsageStore } from "./usagestore.ts";

/** What an export holds. */
interface Charge {
  readonly id: string;
  readonly tenantId: string;
  /** Key that created it; null for exports of earlier versions. */
  readonly keyId: string | null;
  /** Day whose quota it was taken from; null where the plan has none. */
  readonly day: number | null;
  readonly rows: number;
  /** 1 once it was done, also when its file was lost since and it waits again. */
  readonly delivered: 0 | 1;
}

/** The table `quota`, and the columns of `exports` that belong to it. */
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
    // A day that was forgotten meanwhile has nothing to give back to.
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

  /** Rows of a tenant's quota of a day that are reserved or used. */
  charged(tenantId: string, day: number): number {
    return this.#charged.get(tenantId, day)?.rows ?? 0;
  }

  /** What an export holds; undefined when there is no such export. */
  chargeOf(id: string): Charge | undefined {
    return this.#chargeOf.get(id);
  }

  /** Takes rows out of a day's quota; the row of the export says so as well. */
  reserve(tenantId: string, day: number, rows: number): void {
    this.#reserve.run(tenantId, day, rows);
  }

  /** The export is done: what it holds becomes what it has. */
  settle(charge: Charge, rowCount: number, endedAt: number): void {
    this.#change(charge, rowCount);
    const { tenantId, keyId, delivered } = charge;
    if (keyId === null || delivered === 1) return;
    const used = { requests: 0, accounts: 0, exportRows: rowCount };
    this.#usage.add([{ tenantId, keyId, day: utcDay(endedAt), ...used }]);
  }

  /** The export has failed: it holds nothing any more. */
  giveBack(charge: Charge): void {
    this.#change(charge, 0);
  }

  /** The export was deleted: what was never delivered is given back. */
  remove(charge: Charge): void {
    if (charge.delivered === 0) this.#change(charge, 0);
  }

  /** Forgets the days before one. */
  forgetBefore(day: number): void {
    this.#forget.run(day);
  }

  #change({ id, tenantId, day, rows }: Charge, to: number): void {
    if (day === null || to === rows) return;
    this.#setRows.run(to, id);
    this.#move.run(to - rows, tenantId, day);
  }
}
