/**
 * Tenants and keys in the database. Input: rows to write, and ids to find. Output: rows as stored;
 * keys have the name and state of their tenant.
 * Invariant: a change is durable when the method returns. Only hashes of secrets occur here. This
 * file does not know the form of keys and the limits of plans.
 */
import { AuditStore } from "./auditstore.ts";
import { checkBlobs } from "./checksums.ts";
import {
  type StateDatabase,
  type StateStatement,
  StateUnreachable,
  type VersionReader,
} from "./statedatabase.ts";

/** A key as stored, with tenant columns. Times are milliseconds since the epoch or null. */
export interface KeyRow {
  readonly id: string;
  readonly tenantId: string;
  readonly tenant: string;
  readonly tenantDisabledAt: number | null;
  readonly name: string;
  readonly plan: string;
  /** SHA-256 of the secret, 32 bytes. */
  readonly hash: Buffer;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly disabledAt: number | null;
  readonly lastUsedAt: number | null;
  /** Checksum of `hash` at writing. */
  readonly checksum: number | null;
}

interface NewKeyRow {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly plan: string;
  readonly hash: Buffer;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

const KEY_COLUMNS = `
  keys.id, keys.tenant_id AS tenantId, tenants.name AS tenant,
  tenants.disabled_at AS tenantDisabledAt, keys.name, keys.plan, keys.hash,
  keys.created_at AS createdAt, keys.expires_at AS expiresAt,
  keys.disabled_at AS disabledAt, keys.last_used_at AS lastUsedAt, keys.checksum
  FROM keys JOIN tenants ON tenants.id = keys.tenant_id`;

/** A tenant as stored, with its number of keys. */
export interface TenantRow {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly disabledAt: number | null;
  readonly keys: number;
}

/** The tables `tenants` and `keys`. */
export class KeyStore {
  /** Records changes in the audit trail, in the same transactions. */
  readonly audit: AuditStore;
  readonly #database: StateDatabase;
  readonly #version: VersionReader;
  readonly #byId: StateStatement<[string], KeyRow>;
  readonly #used: StateStatement<[number, string]>;
  readonly #tenant: StateStatement<[string], { readonly disabledAt: number | null }>;

  constructor(database: StateDatabase) {
    this.#database = database;
    this.audit = new AuditStore(database);
    this.#version = database.othersVersion();
    this.#byId = database.prepare(`SELECT ${KEY_COLUMNS} WHERE keys.id = ?`);
    this.#tenant = database.prepare("SELECT disabled_at AS disabledAt FROM tenants WHERE id = ?");
    this.#used = database.prepare(
      "UPDATE keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?",
    );
  }

  /** Returns a number that changes whenever another process has written to the database. */
  version(): unknown {
    return this.#version.get();
  }

  /** Throws `StateUnreachable` if the state has been unreachable for longer than `awayMs`. */
  refuseAfter(awayMs: number): void {
    if (this.#database.away.ms > awayMs)
      throw new StateUnreachable("the state is away for too long");
  }

  /** Returns a key by id. Throws `BlobDamage` if its hash is damaged. */
  find(id: string): KeyRow | undefined {
    const row = this.#byId.get(id);
    if (row !== undefined) checkBlobs("keys", row.checksum, row.hash);
    return row;
  }

  /** Returns the keys of one tenant or all, oldest first. */
  list(tenantId?: string): KeyRow[] {
    const order = "ORDER BY keys.created_at, keys.id";
    return tenantId === undefined
      ? this.#database.prepare<[], KeyRow>(`SELECT ${KEY_COLUMNS} ${order}`).all()
      : this.#database
          .prepare<[string], KeyRow>(`SELECT ${KEY_COLUMNS} WHERE keys.tenant_id = ? ${order}`)
          .all(tenantId);
  }

  /** Returns the id of the tenant with this name; creates it with the id `fresh` if missing. */
  tenantId(name: string, fresh: string, nowMs: number): string {
    this.#database
      .prepare("INSERT INTO tenants (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
      .run(fresh, name, nowMs);
    const found = this.#database
      .prepare<[string], { id: string }>("SELECT id FROM tenants WHERE name = ?")
      .get(name);
    return found?.id ?? fresh;
  }

  /** Returns all tenants, oldest first. */
  tenants(): TenantRow[] {
    return this.#database
      .prepare<[], TenantRow>(
        `SELECT id, name, created_at AS createdAt, disabled_at AS disabledAt,
           (SELECT count(*) FROM keys WHERE tenant_id = tenants.id) AS keys
         FROM tenants ORDER BY created_at, id`,
      )
      .all();
  }

  /** Renames a tenant; returns false if it does not exist. */
  renameTenant(name: string, newName: string): boolean {
    const result = this.#database
      .prepare("UPDATE tenants SET name = ? WHERE name = ?")
      .run(newName, name);
    return result.changes > 0;
  }

  insert(row: NewKeyRow): void {
    this.#database
      .prepare(
        `INSERT INTO keys (id, tenant_id, name, plan, hash, checksum, created_at, expires_at)
         VALUES
           (@id, @tenantId, @name, @plan, @hash, blob_checksum(@hash), @createdAt, @expiresAt)`,
      )
      .run(row);
  }

  /** Sets or clears the time at which a key was disabled. */
  setDisabled(id: string, disabledAt: number | null): void {
    this.#database.prepare("UPDATE keys SET disabled_at = ? WHERE id = ?").run(disabledAt, id);
  }

  /** Replaces the expiry of a key; null removes it. */
  replaceExpiry(id: string, expiresAt: number | null): void {
    this.#database.prepare("UPDATE keys SET expires_at = ? WHERE id = ?").run(expiresAt, id);
  }

  rename(id: string, name: string): void {
    this.#database.prepare("UPDATE keys SET name = ? WHERE id = ?").run(name, id);
  }

  /** Sets the plan of a key. */
  setPlan(id: string, plan: string): void {
    this.#database.prepare("UPDATE keys SET plan = ? WHERE id = ?").run(plan, id);
  }

  /** Sets the plan that applies to a tenant in the console. Returns the previous plan, or null. */
  setTenantPlan(id: string, plan: string): string | null {
    const before = this.#database
      .prepare<[string], string | null>("SELECT plan FROM tenants WHERE id = ?")
      .pluck()
      .get(id) as unknown as string | null | undefined;
    this.#database.prepare("UPDATE tenants SET plan = ? WHERE id = ?").run(plan, id);
    return before ?? null;
  }

  /** Sets or clears the time at which a tenant was disabled; returns false if it is missing. */
  setTenantDisabled(name: string, disabledAt: number | null): boolean {
    return this.atomically(() => this.#setTenantDisabled(name, disabledAt));
  }

  /** Disabling a tenant also ends its sessions, even if it is enabled a moment later. */
  #setTenantDisabled(name: string, disabledAt: number | null): boolean {
    if (disabledAt !== null) {
      this.#database
        .prepare(
          `DELETE FROM sessions WHERE user_id IN (SELECT users.id FROM users
             JOIN tenants ON tenants.id = users.tenant_id WHERE tenants.name = ?)`,
        )
        .run(name);
    }
    const result = this.#database
      .prepare("UPDATE tenants SET disabled_at = ? WHERE name = ?")
      .run(disabledAt, name);
    return result.changes > 0;
  }

  /** True if a tenant exists and is enabled. */
  tenantWorks(id: string): boolean {
    const found = this.#tenant.get(id);
    return found !== undefined && found.disabledAt === null;
  }

  /** Records the last uses of keys in one commit. */
  recordLastUse(times: ReadonlyMap<string, number>): void {
    this.atomically(() => {
      for (const [id, usedAt] of times) this.#used.run(usedAt, id);
    });
  }

  /** Runs several changes as one transaction; a throw undoes them all. */
  atomically<Result>(change: () => Result): Result {
    return this.#database.transaction(change).immediate();
  }
}
