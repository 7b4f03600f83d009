/**
 * Users and sessions in the database. Input: rows to write, and ids and hashes to find.
 * Output: rows as stored, with tenant columns.
 * Invariant: a change is durable when the method returns; passwords and tokens are stored only as
 * hashes. A session is created only while the password that opened it is still current.
 */
import { AuditStore } from "./auditstore.ts";
import { checkBlobs } from "./checksums.ts";
import type { StateDatabase, StateStatement, VersionReader } from "./statedatabase.ts";

/**
 * Permissions of a user. An owner may do everything. A member may do everything except manage
 * members and change keys.
 */
export type Role = "owner" | "member";

/**
 * Marks a user who has not chosen a password yet. The password cost of this user is the prefix,
 * followed by the end of the invitation in milliseconds since the epoch. The password hash is the
 * hash of the invitation.
 */
export const INVITED = "invited:";

/** A password as stored: its hash and cost. */
export interface StoredPassword {
  /** 32 bytes. */
  readonly hash: Buffer;
  readonly salt: Buffer;
  /** Name and parameters of the hash function, such as `scrypt:65536:8:1`. */
  readonly cost: string;
}

/** A user as stored, with tenant columns. Times are milliseconds since the epoch or null. */
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
  /** End of the invitation; null once a password is chosen. */
  readonly invitedUntil: number | null;
}

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
  /** Id by which lists name the session. It is not a credential. */
  readonly id: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly expiresAt: number;
  /** 1 if the session lasts until `expiresAt` even if it is not used. */
  readonly kept: 0 | 1;
}

/** Last use of a session. */
export type Seen = Pick<SessionRow, "hash" | "userId" | "seenAt">;

/** The facts that determine a tenant's plan in the console. */
interface PlanFacts {
  /** Plan set by the operator, or null. */
  readonly plan: string | null;
  /** Plans of all keys that ever belonged to the tenant. */
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

/** A limit above the size of any table; negative limits work only in SQLite. */
const ALL_ROWS = Number.MAX_SAFE_INTEGER;

/** The tables `users` and `sessions`, and the plan of `tenants`. */
export class UserStore {
  /** Records changes in the audit trail, in the same transactions. */
  readonly audit: AuditStore;
  readonly #database: StateDatabase;
  readonly #user: StateStatement<[string], UserRow>;
  readonly #session: StateStatement<[Buffer], SessionRow>;
  readonly #seen: StateStatement<[number, Buffer]>;
  readonly #userSeen: StateStatement<[number, string]>;
  readonly #others: VersionReader;
  readonly #own: VersionReader;
  #changes = 0;

  constructor(database: StateDatabase) {
    this.#database = database;
    this.audit = new AuditStore(database);
    this.#others = database.othersVersion();
    this.#own = database.ownVersion();
    this.#user = database.prepare(`SELECT ${USER_COLUMNS} WHERE users.id = ?`);
    this.#session = database.prepare(`SELECT ${SESSION_COLUMNS} WHERE hash = ?`);
    this.#seen = database.prepare("UPDATE sessions SET seen_at = max(seen_at, ?) WHERE hash = ?");
    this.#userSeen = database.prepare(
      "UPDATE users SET last_seen_at = max(coalesce(last_seen_at, 0), ?) WHERE id = ?",
    );
  }

  /** Returns a value that changes with every write, by any process. */
  version(): string {
    return `${this.#others.get()}.${this.#own.get()}`;
  }

  /** Number of changes through this store that end or change sessions. */
  get changes(): number {
    return this.#changes;
  }

  find(id: string): UserRow | undefined {
    return this.#user.get(id);
  }

  /** Returns the user with this e-mail, which must be in lower case. */
  named(email: string): UserRow | undefined {
    return this.#database
      .prepare<[string], UserRow>(`SELECT ${USER_COLUMNS} WHERE users.email = ?`)
      .get(email);
  }

  /** Returns the users of one tenant or all, oldest first. */
  list(tenantId?: string): UserRow[] {
    const order = "ORDER BY users.created_at, users.id";
    return tenantId === undefined
      ? this.#database.prepare<[], UserRow>(`SELECT ${USER_COLUMNS} ${order}`).all()
      : this.#database
          .prepare<[string], UserRow>(`SELECT ${USER_COLUMNS} WHERE users.tenant_id = ? ${order}`)
          .all(tenantId);
  }

  /** Returns the password of a user. Throws `BlobDamage` if it is damaged. */
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

  /** Sets a user's password; returns false if `was` is given and not current. */
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

  /** Deletes an invited user who never signed in and so owns nothing. */
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

  setRole(id: string, role: Role): void {
    this.#database.prepare("UPDATE users SET role = ? WHERE id = ?").run(role, id);
    this.#changes++;
  }

  /** Returns the facts that decide a tenant's plan in the console; undefined without the tenant. */
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

  setPlan(tenantId: string, plan: string): void {
    this.#database.prepare("UPDATE tenants SET plan = ? WHERE id = ?").run(plan, tenantId);
    this.#changes++;
  }

  session(hash: Buffer): SessionRow | undefined {
    return this.#session.get(hash);
  }

  /** Returns a user's sessions, newest first. */
  sessionsOf(userId: string): SessionRow[] {
    return this.#database
      .prepare<[string], SessionRow>(
        `SELECT ${SESSION_COLUMNS} WHERE user_id = ? ORDER BY created_at DESC, id`,
      )
      .all(userId);
  }

  /**
   * Stores a new session, if the user is enabled and the current password is still `password`.
   * Otherwise returns false. The password may have changed while it was checked.
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

  /** Ends one session of a user by id; returns false if there was none. */
  endSession(userId: string, id: string): boolean {
    const result = this.#database
      .prepare("DELETE FROM sessions WHERE user_id = ? AND id = ?")
      .run(userId, id);
    this.#changes++;
    return result.changes > 0;
  }

  /** Ends all sessions of a user except for `keep`. */
  endSessions(userId: string, keep = ""): void {
    this.#database.prepare("DELETE FROM sessions WHERE user_id = ? AND id <> ?").run(userId, keep);
    this.#changes++;
  }

  /** Ends a user's least recently used sessions, so that `most` are left. */
  endOldest(userId: string, most: number): void {
    const ended = this.#database
      .prepare(
        `DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE user_id = ?
           ORDER BY seen_at DESC, created_at DESC LIMIT ${ALL_ROWS} OFFSET ?)`,
      )
      .run(userId, most);
    if (ended.changes > 0) this.#changes++;
  }

  /** Records the last uses of sessions in one commit. */
  noteSeen(seen: readonly Seen[]): void {
    this.atomically(() => {
      for (const { hash, userId, seenAt } of seen) {
        this.#seen.run(seenAt, hash);
        this.#userSeen.run(seenAt, userId);
      }
    });
  }

  /** Deletes sessions that are expired or idle, or whose user or tenant is disabled. */
  sweep(nowMs: number, idleMs: number): void {
    this.#database
      .prepare(
        `DELETE FROM sessions WHERE expires_at <= ? OR (kept = 0 AND seen_at <= ?) OR user_id IN (
           SELECT users.id FROM users JOIN tenants ON tenants.id = users.tenant_id
           WHERE users.disabled_at IS NOT NULL OR tenants.disabled_at IS NOT NULL)`,
      )
      .run(nowMs, nowMs - idleMs);
  }

  /** Runs several changes as one transaction; a throw undoes them all. */
  atomically<Result>(change: () => Result): Result {
    return this.#database.transaction(change).immediate();
  }
}
