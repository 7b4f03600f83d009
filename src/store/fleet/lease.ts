/**
 * A lease on work that only one member of a fleet does at a time, such as sending notices. Input:
 * the name of the work, and the membership of this server. Output: the lease, if this server holds
 * it.
 * Invariant: a lease belongs to a member and ends with the membership. Every change calls `fence`
 * in its transaction. A server that was paused for longer than its lease therefore changes nothing,
 * because writers run one after another and each new holder has a higher token.
 */
import type { StateDatabase } from "../statedatabase.ts";
import type { Membership } from "./membership.ts";

/** Thrown if another member has taken over the work. */
export class LeaseLost extends Error {
  constructor(name: string) {
    super(`another server has taken over: ${name}`);
  }
}

interface LeaseRow {
  readonly owner: string;
  readonly token: number;
}

/** The lease of one kind of work. */
export class WorkLease {
  readonly #database: StateDatabase;
  readonly #membership: Membership;
  readonly #name: string;
  #token: number | null = null;

  constructor(database: StateDatabase, membership: Membership, name: string) {
    this.#database = database;
    this.#membership = membership;
    this.#name = name;
  }

  /** Token of this server's lease, if it held the lease at the last `look`; else null. */
  get token(): number | null {
    return this.#token;
  }

  /** True if this server holds the lease, so that no other server can have taken over the work. */
  get isHeld(): boolean {
    return this.#token !== null && this.#membership.isSure;
  }

  /** Takes the lease if it is free. Returns true if this server then holds it. */
  look(): boolean {
    const { id } = this.#membership;
    const row = this.#row();
    this.#token = row?.owner === id ? row.token : this.#take(id);
    return this.isHeld;
  }

  /** Throws `LeaseLost` unless this server holds the lease. Must be called inside a transaction. */
  fence(): void {
    const row = this.#row();
    if (row !== undefined && row.token === this.#token && row.owner === this.#membership.id) return;
    this.#token = null;
    throw new LeaseLost(this.#name);
  }

  #row(): LeaseRow | undefined {
    return this.#database
      .prepare<[string], LeaseRow>("SELECT owner, token FROM leases WHERE name = ?")
      .get(this.#name);
  }

  #take(id: string): number | null {
    const isFree = "SELECT 1 FROM leases WHERE name = ? AND owner IN (SELECT id FROM members)";
    if (this.#database.prepare<[string]>(isFree).get(this.#name) !== undefined) return null;
    const take = this.#database.transaction(() => {
      if (this.#database.prepare<[string]>(isFree).get(this.#name) !== undefined) return null;
      return this.#database
        .prepare<[string, string], number>(
          `INSERT INTO leases (name, owner, token) VALUES (?, ?, 1)
           ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, token = leases.token + 1
           RETURNING token`,
        )
        .pluck()
        .get(this.#name, id);
    });
    return take.immediate() ?? null;
  }
}
