/**
 * The audit trail in the database. What comes in: who did what to what, from inside the transaction
 * that does it. What goes out: lines as stored, newest first.
 * Invariant: a line is there exactly when its change is, because both are one transaction; a line
 * is never altered (the database refuses that), and is forgotten by `forget` alone. It knows people
 * and keys by their ids only.
 */
import { systemClock } from "../process/clock.ts";
import type { AuditAction, Facts, FactsOf } from "./auditactions.ts";
import type { StateDatabase } from "./sqlite.ts";

/** Who did it: somebody at a command line of the machine, a user of the console, or a key. */
export type Actor = "command" | `user:${string}` | `key:${string}`;

/** What works on the state from the command line acts as. */
export const COMMAND_LINE: Actor = "command";

/** A line to write. */
interface AuditEntry<Action extends AuditAction> {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: Actor;
  readonly action: Action;
  /** The tenant it concerns; null for what concerns all of them. */
  readonly tenantId: string | null;
  /** Id of the tenant, key or user that it was done to; null for the state. */
  readonly subject: string | null;
  readonly facts: FactsOf<Action>;
}

/** A line as stored; a larger sequence was written later. */
export interface AuditRow {
  readonly sequence: number;
  readonly at: number;
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly tenantId: string | null;
  /** Name of the tenant as it is now. */
  readonly tenant: string | null;
  readonly subject: string | null;
  readonly facts: Facts;
}

/** Which lines are wanted; what is missing does not matter. */
interface AuditQuery {
  readonly tenantId?: string | undefined;
  readonly action?: AuditAction | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Only lines with a smaller sequence. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Actions on the state as a whole. */
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

  /** Writes a line; call it inside the transaction of the change that it tells of. */
  record<Action extends AuditAction>(entry: AuditEntry<Action>): void {
    this.#database
      .prepare(
        `INSERT INTO audit (at, actor, action, tenant_id, subject, facts)
         VALUES (@at, @actor, @action, @tenantId, @subject, @facts)`,
      )
      .run({ ...entry, facts: JSON.stringify(entry.facts) });
  }

  /** Writes down what a command did to the state as a whole. */
  noteState<Action extends StateAction>(action: Action, facts: FactsOf<Action>): void {
    const whole = { actor: COMMAND_LINE, tenantId: null, subject: null };
    this.record({ at: systemClock.nowMs(), ...whole, action, facts });
  }

  /** The newest lines that fit. */
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
   * When the users of a tenant made the change that is `most` changes back, if that was later than
   * a time (both in milliseconds since 1970); undefined where they made fewer since.
   */
  changeBack(tenantId: string, most: number, since: number): number | undefined {
    return this.#database
      .prepare<[string, number, number], number>(
        `SELECT at FROM audit WHERE tenant_id = ? AND at > ? AND actor LIKE 'user:%'
         ORDER BY at DESC LIMIT 1 OFFSET ?`,
      )
      .pluck()
      .get(tenantId, since, most - 1) as number | undefined;
  }

  /** When the newest line was written; undefined where there is none. */
  newest(): number | undefined {
    return this.#database
      .prepare<[], number>("SELECT at FROM audit ORDER BY sequence DESC LIMIT 1")
      .pluck()
      .get() as number | undefined;
  }

  /** Forgets the oldest lines, up to the first one that is not older than a time; how many. */
  forget(before: number): number {
    const first = `SELECT sequence FROM audit WHERE at >= ? ORDER BY sequence LIMIT 1`;
    return this.#database
      .prepare(`DELETE FROM audit WHERE sequence < coalesce((${first}), 0)`)
      .run(before).changes;
  }
}

/** Whether a database has a trail; those of early schemas have none. */
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
