/**
 * The audit trail in the database. Input: who changed what, recorded inside the transaction of the
 * change. Output: lines as stored, newest first.
 * Invariant: a line is stored exactly if its change is stored, because both are in one transaction.
 * The database forbids altering a line, and only `forget` deletes lines. A line contains only ids
 * of people and keys.
 */
import { systemClock } from "../process/clock.ts";
import type { AuditAction, Facts, FactsOf } from "./auditactions.ts";
import type { StateDatabase } from "./statedatabase.ts";

/** Actor: the command line, the server itself, a user of the console, or a key. */
export type Actor = "command" | "server" | `user:${string}` | `key:${string}`;

/** Beginning of actors whose changes are limited: users, keys, or readers of e-mails. */
export type LimitedActors = "user:" | "key:" | "server";

/** Actor of changes from the command line. */
export const COMMAND_LINE: Actor = "command";

/** A line to write. */
interface AuditEntry<Action extends AuditAction> {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly actor: Actor;
  readonly action: Action;
  /** The affected tenant; null for all. */
  readonly tenantId: string | null;
  /** Id of the tenant, key, or user that was changed; null if the whole state was. */
  readonly subject: string | null;
  readonly facts: FactsOf<Action>;
}

/** A line as stored. Sequence numbers ascend with time. */
export interface AuditRow {
  readonly sequence: number;
  readonly at: number;
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly tenantId: string | null;
  /** Current name of the tenant. */
  readonly tenant: string | null;
  readonly subject: string | null;
  readonly facts: Facts;
}

/** Filters for lines. Filters that are undefined are ignored. */
interface AuditQuery {
  readonly tenantId?: string | undefined;
  readonly action?: AuditAction | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Only lines with a smaller sequence. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Actions on the whole state. */
type StateAction = Extract<AuditAction, `state.${string}`>;

interface StoredRow extends Omit<AuditRow, "facts"> {
  readonly facts: string;
}

/** The table `audit`. */
export class AuditStore {
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
  }

  /** Writes a line. Must be called inside the transaction of the change. */
  record<Action extends AuditAction>(entry: AuditEntry<Action>): void {
    this.#database
      .prepare(
        `INSERT INTO audit (at, actor, action, tenant_id, subject, facts)
         VALUES (@at, @actor, @action, @tenantId, @subject, @facts)`,
      )
      .run({ ...entry, facts: JSON.stringify(entry.facts) });
  }

  /** Records a command's change of the whole state. */
  noteState<Action extends StateAction>(action: Action, facts: FactsOf<Action>): void {
    const whole = { actor: COMMAND_LINE, tenantId: null, subject: null };
    this.record({ at: systemClock.nowMs(), ...whole, action, facts });
  }

  /** Returns the newest matching lines. */
  list({ tenantId, action, since, before, limit }: AuditQuery): AuditRow[] {
    const wanted = { tenantId, action, since, before };
    const conditions = Object.entries(CONDITIONS).filter(([name]) => {
      return wanted[name as keyof typeof wanted] !== undefined;
    });
    const where = conditions.map(([, condition]) => `AND ${condition}`).join(" ");
    const rows = this.#database
      .prepare<[object], StoredRow>(
        `SELECT audit.sequence, audit.at, audit.actor, audit.action, audit.tenant_id AS tenantId,
           tenants.name AS tenant, audit.subject, audit.facts
         FROM audit LEFT JOIN tenants ON tenants.id = audit.tenant_id
         WHERE true ${where} ORDER BY audit.sequence DESC LIMIT @limit`,
      )
      .all({ ...wanted, limit });
    return rows.map((row) => ({ ...row, facts: JSON.parse(row.facts) as Facts }));
  }

  /**
   * Returns when the `most`-th newest change of a tenant by these actors was made, counting only
   * changes after `since`. Returns undefined if there are fewer. Both times are in milliseconds
   * since the epoch.
   */
  changeBack(
    {
      tenantId,
      actors,
      since,
    }: { readonly tenantId: string; readonly actors: LimitedActors; readonly since: number },
    most: number,
  ): number | undefined {
    return this.#database
      .prepare<[string, number, string, number], number>(
        `SELECT at FROM audit WHERE tenant_id = ? AND at > ? AND actor LIKE ?
         ORDER BY at DESC LIMIT 1 OFFSET ?`,
      )
      .pluck()
      .get(tenantId, since, `${actors}%`, most - 1) as number | undefined;
  }

  /** Returns the time of the newest line, or undefined. */
  newest(): number | undefined {
    return this.#database
      .prepare<[], number>("SELECT at FROM audit ORDER BY sequence DESC LIMIT 1")
      .pluck()
      .get() as number | undefined;
  }

  /**
   * Deletes the oldest lines, up to but not including the first line at or after the time `before`.
   * Returns how many were deleted.
   */
  forget(before: number): number {
    const first = `SELECT sequence FROM audit WHERE at >= ? ORDER BY sequence LIMIT 1`;
    return this.#database
      .prepare(`DELETE FROM audit WHERE sequence < coalesce((${first}), 0)`)
      .run(before).changes;
  }
}

/** True if a database has an audit trail; early schemas have none. */
export function hasTrail(database: StateDatabase): boolean {
  const wanted = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'audit'";
  return database.prepare(wanted).get() !== undefined;
}

const CONDITIONS = {
  tenantId: "audit.tenant_id = @tenantId",
  action: "audit.action = @action",
  since: "audit.at >= @since",
  before: "audit.sequence < @before",
};
