/**
 * Users and sessions in the database. What comes in: rows to write, ids and hashes to look for.
 * What goes out: rows as stored, with what their tenant adds.
 * Invariant: a change is durable when the method returns; passwords and tokens get here as hashes
 * only. A session is made only while the password that opened it is still the user's.
 */
import { AuditStore } from "./auditstore.ts";
import { checkBlobs } from "./checksums.ts";
import type { StateDatabase, StateStatement } from "./sqlite.ts";

/** What a user may do: an owner everything, a member all but members and changes to keys. */
export type Role = "owner" | "member";

/**
 * How the cost of a password begins that nobody has chosen yet: until when the invitation works
 * whose hash stands in place of the password's follows, in milliseconds since 1970.
 */
export const INVITED = "invited:";

/** A password as stored: what it cost to make, and what came out. */
export interface StoredPassword {
  /** 32 bytes. */
  readonly hash: Buffer;
  readonly salt: Buffer;
  /** Name and parameters of the function, such as `scrypt:65536:8:1`. */
  readonly cost: string;
}

/** A user as stored, with what the tenant adds. Times are milliseconds since 1970 or null. */
export interface UserRow {
  readonly id: string;
  readonly tenantId: string;
  readonly tenant: string;
  readonly tenantDisabledAt: number | null;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly disabledAt: number | null;
  readonly lastSeenAt: number | null;
  /** When the invitation ends; null for who has chosen a password. */
  readonly invitedUntil: number | null;
}

/** What a new user is stored with. */
interface NewUserRow {
  readonly id: string;
  readonly tenantId: string;
  readonly email: string;
  readonly role: Role;
  readonly password: StoredPassword;
  readonly createdAt: number;
}

/** A session as stored. */
export interface SessionRow {
  /** SHA-256 of the token, 32 bytes. */
  readonly hash: Buffer;
  /** Stands for the session in lists; it opens nothing. */
  readonly id: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly expiresAt: number;
  /** 1 where it lasts until `expiresAt` whether it is used or not. */
  readonly kept: 0 | 1;
}

/** When a session was last used. */
export type Seen = Pick<SessionRow, "hash" | "userId" | "seenAt">;

/** What a plan of a tenant's console depends on. */
interface PlanFacts {
  /** Set by the operator, or null. */
  readonly plan: string | null;
  /** Plans of all keys that the tenant ever had. */
  readonly keyPlans: readonly string[];
}

const USER_COLUMNS = `
  users.id, users.tenant_id AS tenantId, tenants.name AS tenant,
  tenants.disabled_at AS tenantDisabledAt, users.email, users.role,
  users.created_at AS createdAt, users.disabled_at AS disabledAt, users.last_seen_at AS lastSeenAt,
  CASE WHEN users.password_cost LIKE '${INVITED}%'
    THEN CAST(substr(users.password_cost, ${INVITED.length + 1}) AS BIGINT) END AS invitedUntil
  FROM users JOIN tenants ON tenants.id = users.tenant_id`;

const SESSION_COLUMNS = `
  hash, id, user_id AS userId, created_at AS createdAt, seen_at AS seenAt, expires_at AS expiresAt,
  kept FROM sessions`;

/** The tables `users` and `sessions`, and the plan of `tenants`. */
export class UserStore {
  /** Where a change is written down, in the transaction that makes it. */
  readonly audit: AuditStore;
  readonly #database: StateDatabase;
  readonly #user: StateStatement<[string], UserRow>;
  readonly #session: StateStatement<[Buffer], SessionRow>;
  readonly #seen: StateStatement<[number, Buffer]>;
  readonly #userSeen: StateStatement<[number, string]>;
  readonly #written: StateStatement<[], number>;
  #changes = 0;

  constructor(database: StateDatabase) {
    this.#database = database;
    this.audit = new AuditStore(database);
    this.#user = database.prepare(`SELECT ${USER_COLUMNS} WHERE users.id = ?`);
    this.#session = database.prepare(`SELECT ${SESSION_COLUMNS} WHERE hash = ?`);
    this.#seen = database.prepare("UPDATE sessions SET seen_at = max(seen_at, ?) WHERE hash = ?");
    this.#userSeen = database.prepare(
      "UPDATE users SET last_seen_at = max(coalesce(last_seen_at, 0), ?) WHERE id = ?",
    );
    this.#written = database.prepare<[], number>("SELECT total_changes()").pluck();
  }

  /** Changes whenever anything was written, by this process or another one. */
  version(): string {
    const others = this.#database.pragma("data_version", { simple: true });
    return `${others}.${this.#written.get()}`;
  }

  /** Number of changes made through this store that end or change sessions. */
  get changes(): number {
    return this.#changes;
  }

  /** The user of an id. */
  find(id: string): UserRow | undefined {
    return this.#user.get(id);
  }

  /** The user of an e-mail in lower case. */
  named(email: string): UserRow | undefined {
    return this.#database
      .prepare<[string], UserRow>(`SELECT ${USER_COLUMNS} WHERE users.email = ?`)
      .get(email);
  }

  /** All users, of one tenant or of all of them, oldest first. */
  list(tenantId?: string): UserRow[] {
    const order = "ORDER BY users.created_at, users.id";
    return tenantId === undefined
      ? this.#database.prepare<[], UserRow>(`SELECT ${USER_COLUMNS} ${order}`).all()
      : this.#database
          .prepare<[string], UserRow>(`SELECT ${USER_COLUMNS} WHERE users.tenant_id = ? ${order}`)
          .all(tenantId);
  }

  /** Returns the password of a user. Throws `BlobDamage` if it is not the one that was written. */
  password(id: string): StoredPassword | undefined {
    const row = this.#database
      .prepare<[string], StoredPassword & { checksum: number | null }>(
        `SELECT password_hash AS hash, password_salt AS salt, password_cost AS cost, checksum
         FROM users WHERE id = ?`,
      )
      .get(id);
    if (row === undefined) return undefined;
    const { checksum, ...password } = row;
    checkBlobs("users", checksum, password.hash, password.salt);
    return password;
  }

  /** Stores a new user. */
  insert({ password, ...row }: NewUserRow): void {
    this.#database
      .prepare(
        `INSERT INTO users (id, tenant_id, email, role, password_hash, password_salt,
           password_cost, checksum, created_at)
         VALUES (@id, @tenantId, @email, @role, @hash, @salt, @cost,
           blob_checksum(@hash, @salt), @createdAt)`,
      )
      .run({ ...row, ...password });
    this.#changes++;
  }

  /** Gives a user another password; false where `was` is given and is not the present one. */
  setPassword(id: string, { hash, salt, cost }: StoredPassword, was?: StoredPassword): boolean {
    const result = this.#database
      .prepare(
        `UPDATE users SET password_hash = @hash, password_salt = @salt, password_cost = @cost,
           checksum = blob_checksum(@hash, @salt)
         WHERE id = @id AND password_hash = coalesce(@was, password_hash)`,
      )
      .run({ hash, salt, cost, id, was: was?.hash ?? null });
    this.#changes++;
    return result.changes > 0;
  }

  /** Forgets a user who was invited and never came, and who therefore has nothing. */
  removeInvited(id: string): void {
    this.#database
      .prepare(`DELETE FROM users WHERE id = ? AND password_cost LIKE '${INVITED}%'`)
      .run(id);
    this.#changes++;
  }

  /** Sets or clears the time at which a user was disabled. */
  setDisabled(id: string, disabledAt: number | null): void {
    this.#database.prepare("UPDATE users SET disabled_at = ? WHERE id = ?").run(disabledAt, id);
    this.#changes++;
  }

  /** Gives a user another role. */
  setRole(id: string, role: Role): void {
    this.#database.prepare("UPDATE users SET role = ? WHERE id = ?").run(role, id);
    this.#changes++;
  }

  /** What the plan of a tenant's console depends on; undefined where there is no such tenant. */
  planFacts(tenantId: string): PlanFacts | undefined {
    const tenant = this.#database
      .prepare<[string], { plan: string | null }>("SELECT plan FROM tenants WHERE id = ?")
      .get(tenantId);
    if (tenant === undefined) return undefined;
    const keyPlans = this.#database
      .prepare<[string], string>("SELECT DISTINCT plan FROM keys WHERE tenant_id = ?")
      .pluck()
      .all(tenantId);
    return { plan: tenant.plan, keyPlans: keyPlans as unknown as string[] };
  }

  /** Sets the plan of a tenant's console. */
  setPlan(tenantId: string, plan: string): void {
    this.#database.prepare("UPDATE tenants SET plan = ? WHERE id = ?").run(plan, tenantId);
    this.#changes++;
  }

  /** The session of a hash. */
  session(hash: Buffer): SessionRow | undefined {
    return this.#session.get(hash);
  }

  /** The sessions of a user, newest first. */
  sessionsOf(userId: string): SessionRow[] {
    return this.#database
      .prepare<[string], SessionRow>(
        `SELECT ${SESSION_COLUMNS} WHERE user_id = ? ORDER BY created_at DESC, id`,
      )
      .all(userId);
  }

  /**
   * Stores a new session of a user whose password is still `password` and who works; false
   * otherwise, for the password may have changed while it was being checked.
   */
  openSession(row: SessionRow, password: StoredPassword): boolean {
    const opened = this.#database
      .prepare(
        `INSERT INTO sessions
           (hash, id, user_id, created_at, seen_at, expires_at, kept, checksum)
         SELECT @hash, @id, users.id, @createdAt, @seenAt, @expiresAt, @kept, blob_checksum(@hash)
         FROM users JOIN tenants ON tenants.id = users.tenant_id
         WHERE users.id = @userId AND users.password_hash = @password
           AND users.disabled_at IS NULL AND tenants.disabled_at IS NULL`,
      )
      .run({ ...row, password: password.hash });
    if (opened.changes > 0) this.#userSeen.run(row.seenAt, row.userId);
    return opened.changes > 0;
  }

  /** Ends one session of a user by its id; false when there was none. */
  endSession(userId: string, id: string): boolean {
    const result = this.#database
      .prepare("DELETE FROM sessions WHERE user_id = ? AND id = ?")
      .run(userId, id);
    this.#changes++;
    return result.changes > 0;
  }

  /** Ends all sessions of a user, but for one where its id is given. */
  endSessions(userId: string, keep = ""): void {
    this.#database.prepare("DELETE FROM sessions WHERE user_id = ? AND id <> ?").run(userId, keep);
    this.#changes++;
  }

  /** Ends the sessions of a user that were used longest ago, so that `most` are left. */
  endOldest(userId: string, most: number): void {
    const ended = this.#database
      .prepare(
        `DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE user_id = ?
           ORDER BY seen_at DESC, created_at DESC LIMIT -1 OFFSET ?)`,
      )
      .run(userId, most);
    if (ended.changes > 0) this.#changes++;
  }

  /** Notes when sessions were last used, all in one commit. */
  noteSeen(seen: readonly Seen[]): void {
    this.atomically(() => {
      for (const { hash, userId, seenAt } of seen) {
        this.#seen.run(seenAt, hash);
        this.#userSeen.run(seenAt, userId);
      }
    });
  }

  /** Forgets sessions that have ended: by either time, or with their user or tenant. */
  sweep(nowMs: number, idleMs: number): void {
    this.#database
      .prepare(
        `DELETE FROM sessions WHERE expires_at <= ? OR (kept = 0 AND seen_at <= ?) OR user_id IN (
           SELECT users.id FROM users JOIN tenants ON tenants.id = users.tenant_id
           WHERE users.disabled_at IS NOT NULL OR tenants.disabled_at IS NOT NULL)`,
      )
      .run(nowMs, nowMs - idleMs);
  }

  /** Runs several changes as one; a throw undoes them all. */
  atomically<Result>(change: () => Result): Result {
    return this.#database.transaction(change).immediate();
  }
}
