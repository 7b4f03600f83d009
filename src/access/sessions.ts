/**
 * Console sessions. Input: e-mail and password, or the token of a cookie or of a one-time sign-in
 * link. Output: open sessions, or an AppError that does not reveal whether the user exists.
 * Invariant: a token is 256 random bits, and only its hash is stored. A session ends when it has
 * been unused for too long, when it is too old, and when its user or tenant is disabled. A change
 * by another process takes effect within `CACHE_MS`. The time of a session's last use is never
 * written inside a request. Sign-in links are in memory, so they end with the process. Used tokens
 * and tokens older than `LINK_MS` are invalid.
 */
import { createHash, createHmac, randomBytes } from "node:crypto";
import { AppError } from "../errors.ts";
import type { Clock } from "../process/clock.ts";
import type { SecretRing } from "../store/secrets.ts";
import type { Role, Seen, SessionRow, StoredPassword, UserStore } from "../store/userstore.ts";
import { findInvited, unknownInvitation } from "./invitations.ts";
import { type Passwords, samePassword } from "./passwords.ts";
import type { PlanName } from "./plans.ts";
import type { Attempt, SignIns } from "./signins.ts";
import { normalizedEmail, passwordMistakes, refuse, type Users } from "./users.ts";

/** Time for which cached rows are used before the database is checked, in ms. */
const CACHE_MS = 200;
/** Maximum cached sessions; a database may hold more. */
const CACHE_ROWS_MAX = 10_000;
/** Sessions per user. One more sign-in ends the least recently used session. */
const SESSIONS_MAX = 50;

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

interface SessionUser {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly tenantId: string;
  /** Name of the tenant. */
  readonly tenant: string;
  /** Plan of the tenant's console. */
  readonly plan: PlanName;
}

/** An open session. */
export interface OpenSession {
  /** Identifies the session in lists; not a credential. */
  readonly id: string;
  readonly user: SessionUser;
  /** Token that every change must send. */
  readonly csrfToken: string;
  readonly idleSeconds: number;
  /** True if the session lasts to its end even without use. */
  readonly kept: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Absolute expiry, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A newly created session. The token goes into the cookie and is not stored. */
export interface NewSession {
  readonly token: string;
  readonly session: OpenSession;
}

/** An entry in a user's list of sessions. */
type SessionLine = Pick<SessionRow, "id" | "createdAt" | "seenAt">;

interface SessionsParts {
  readonly store: UserStore;
  readonly users: Users;
  readonly passwords: Passwords;
  readonly signIns: SignIns;
  readonly clock: Clock;
  /** Secrets from which the CSRF tokens are made. */
  readonly secret: SecretRing;
  readonly idleSeconds: number;
  readonly maxSeconds: number;
  /** Seconds for which a user may stay signed in. 0 means that this is not allowed. */
  readonly keptSeconds: number;
}

/** Credentials to check. */
interface Claim {
  readonly id: string;
  readonly password: string;
  readonly stored: StoredPassword | undefined;
}

/** A cached session. */
interface Known {
  readonly row: SessionRow;
  readonly session: OpenSession;
}

/** Opens, finds, and ends sessions. */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #known = new Map<string, Known>();
  readonly #seen = new Map<string, Seen>();
  readonly #links: SignInLinks;
  #version = "";
  #changes = -1;
  #checkedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#links = new SignInLinks(parts.clock);
  }

  /** Lifetime of a session that stays signed in, in seconds. 0 means that this is not allowed. */
  get keptSeconds(): number {
    return this.#parts.keptSeconds;
  }

  /**
   * Signs in. With `kept`, the user stays signed in. Throws `sign_in_failed` for every cause of
   * failure, or `rate_limited`.
   */
  async signIn(
    email: string,
    password: string,
    address: string,
    kept = false,
  ): Promise<NewSession> {
    const { store, signIns } = this.#parts;
    const account = normalizedEmail(email);
    const attempt = signIns.begin(account, address);
    const user = store.named(account);
    const stored = user === undefined ? undefined : store.password(user.id);
    const checked = await this.#check({ id: user?.id ?? "", password, stored }, attempt);
    if (user === undefined || checked === null) throw failed();
    const opened = this.#open(user.id, checked, kept);
    if (opened === null) throw failed();
    attempt.succeeded();
    return opened;
  }

  /** Returns the token of a short-lived link that signs a user in once. */
  linkFor(userId: string): string {
    return this.#links.make(userId);
  }

  /** Signs in a link's user. Throws `sign_in_failed` for any other token, or `rate_limited`. */
  signInByLink(token: string, address: string): NewSession {
    const { store, signIns } = this.#parts;
    const attempt = signIns.begin(NO_ACCOUNT, address);
    const userId = this.#links.take(token);
    const stored = userId === undefined ? undefined : store.password(userId);
    if (userId === undefined || stored === undefined) throw spent();
    const opened = this.#open(userId, stored);
    if (opened === null) throw spent();
    attempt.succeeded();
    return opened;
  }

  /** Returns an invited user. Throws `sign_in_failed` for other tokens, or `rate_limited`. */
  invited(token: string, address: string): ReturnType<typeof findInvited> {
    const { store, signIns, clock } = this.#parts;
    const attempt = signIns.begin(NO_ACCOUNT, address);
    const found = findInvited(store, token, clock.nowMs());
    attempt.succeeded();
    return found;
  }

  /**
   * Sets the chosen password of an invited user and signs in. Throws like `invited`. An unfit
   * password throws `invalid_request` and leaves the invitation valid.
   */
  async join(token: string, chosen: { password: string; kept: boolean }, address: string) {
    const { user, stored } = this.invited(token, address);
    const unfit = passwordMistakes(chosen.password, user.email, "/password");
    refuse("No password was set", unfit);
    const password = await this.#parts.passwords.hash(chosen.password);
    return this.#parts.store.atomically((): NewSession => {
      // The link may have been used or revoked since it was checked.
      const isSet = this.#parts.store.setPassword(user.id, password, stored);
      const opened = isSet ? this.#open(user.id, password, chosen.kept) : null;
      if (opened === null) throw unknownInvitation();
      this.#note("user.join", user.id);
      return opened;
    });
  }

  /**
   * Changes the password of a session's user, ends all sessions, and opens a new session. Throws
   * `invalid_request` if a password is wrong or unfit, or `rate_limited`.
   */
  async changePassword(
    { user, kept }: Pick<OpenSession, "user" | "kept">,
    change: { readonly current: string; readonly next: string },
    address: string,
  ): Promise<NewSession> {
    const { store, passwords, signIns } = this.#parts;
    const unfit = passwordMistakes(change.next, user.email, "/new_password");
    if (samePassword(change.current, change.next)) unfit.push(UNCHANGED);
    refuse(UNCHANGED_WORDS, unfit);
    const attempt = signIns.begin(user.email, address);
    const stored = store.password(user.id);
    const checked = await this.#check({ id: user.id, password: change.current, stored }, attempt);
    if (checked === null) refuse(UNCHANGED_WORDS, [WRONG]);
    attempt.succeeded();
    const next = await passwords.hash(change.next);
    return store.atomically(() => {
      // Another change may have replaced the password that was checked.
      const changed = checked !== null && store.setPassword(user.id, next, checked);
      if (!changed) refuse(UNCHANGED_WORDS, [WRONG]);
      store.endSessions(user.id);
      const opened = this.#open(user.id, next, kept);
      if (opened === null) throw failed();
      this.#note("user.password", user.id);
      return opened;
    });
  }

  /** Returns the open session of a token and marks it as used, or null if there is none. */
  find(token: string): OpenSession | null {
    if (!TOKEN.test(token)) return null;
    const hash = hashOf(token);
    const name = hash.toString("latin1");
    const known = this.#lookUp(name, hash);
    if (known === null) return null;
    const nowMs = this.#parts.clock.nowMs();
    if (this.#hasEnded(known.row, nowMs)) return null;
    this.#seen.set(name, { hash, userId: known.row.userId, seenAt: nowMs });
    return known.session;
  }

  end({ user, id }: Pick<OpenSession, "user" | "id">): void {
    this.#parts.store.endSession(user.id, id);
  }

  /** Ends all sessions of a user at their request. */
  endAll(userId: string): void {
    const { store } = this.#parts;
    store.atomically(() => {
      store.endSessions(userId);
      this.#note("user.sessions", userId);
    });
  }

  /** Returns a user's sessions, newest first. */
  list(userId: string): SessionLine[] {
    const nowMs = this.#parts.clock.nowMs();
    const rows = this.#parts.store.sessionsOf(userId).filter((row) => !this.#hasEnded(row, nowMs));
    return rows.map((row) => ({ ...row, seenAt: this.#seenAt(row) }));
  }

  /** Stores the last use of sessions, and deletes ended ones. Call it outside requests. */
  flush(): void {
    const { store, clock, idleSeconds } = this.#parts;
    if (this.#seen.size > 0) {
      store.noteSeen([...this.#seen.values()]);
      this.#seen.clear();
      this.#known.clear();
    }
    store.sweep(clock.nowMs(), idleSeconds * 1000);
  }

  /** Writes an audit line for a user's change of their own account, in its transaction. */
  #note(action: "user.password" | "user.sessions" | "user.join", subject: string): void {
    const { store, clock } = this.#parts;
    const tenantId = store.find(subject)?.tenantId ?? null;
    const line = { at: clock.nowMs(), actor: `user:${subject}` as const };
    store.audit.record({ ...line, action, tenantId, subject, facts: {} });
  }

  /**
   * Returns the stored password if `password` matches it, else null. If the stored hash has
   * outdated parameters, a new hash replaces it. If hashing fails, the attempt does not count.
   */
  async #check({ id, password, stored }: Claim, attempt: Attempt): Promise<StoredPassword | null> {
    const { passwords, store } = this.#parts;
    try {
      const verdict = await passwords.verify(password, stored);
      if (verdict === "wrong" || stored === undefined) return null;
      if (verdict === "right") return stored;
      const fresh = await passwords.hash(password);
      return store.setPassword(id, fresh, stored) ? fresh : stored;
    } catch (error) {
      attempt.undone();
      throw error;
    }
  }

  /** Opens a session if the user still has this password. Otherwise returns null. */
  #open(userId: string, password: StoredPassword, isKept = false): NewSession | null {
    const { store, clock, maxSeconds, keptSeconds } = this.#parts;
    const kept = isKept && keptSeconds > 0;
    const lastsMs = (kept ? keptSeconds : maxSeconds) * 1000;
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const hash = hashOf(token);
    const nowMs = clock.nowMs();
    const times = { createdAt: nowMs, seenAt: nowMs, expiresAt: nowMs + lastsMs };
    const id = randomBytes(6).toString("hex");
    if (!store.openSession({ hash, id, userId, ...times, kept: kept ? 1 : 0 }, password))
      return null;
    store.endOldest(userId, SESSIONS_MAX);
    const known = this.#read(hash);
    return known === null ? null : { token, session: known.session };
  }

  /** Returns a session, cached while nothing has changed. */
  #lookUp(name: string, hash: Buffer): Known | null {
    this.#forgetChanged();
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const read = this.#read(hash);
    if (read === null) return null;
    if (this.#known.size >= CACHE_ROWS_MAX) this.#known.clear();
    this.#known.set(name, read);
    return read;
  }

  /**
   * Clears the cache after a change of the database. Changes by this process clear it immediately,
   * and changes by other processes at the next check.
   */
  #forgetChanged(): void {
    const { store, clock } = this.#parts;
    if (store.changes !== this.#changes) this.#known.clear();
    this.#changes = store.changes;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#checkedMs < CACHE_MS) return;
    const version = store.version();
    if (version !== this.#version) this.#known.clear();
    this.#version = version;
    this.#checkedMs = nowMs;
  }

  #read(hash: Buffer): Known | null {
    const { store, users, secret } = this.#parts;
    const row = store.session(hash);
    const user = row === undefined ? undefined : store.find(row.userId);
    if (row === undefined || user === undefined) return null;
    if (user.disabledAt !== null || user.tenantDisabledAt !== null) return null;
    const { id, email, role, tenantId, tenant } = user;
    const session: OpenSession = {
      id: row.id,
      user: { id, email, role, tenantId, tenant, plan: users.consolePlan(tenantId) },
      csrfToken: createHmac("sha256", secret[0]).update(hash).digest("base64url"),
      idleSeconds: this.#idleSeconds(row),
      kept: row.kept === 1,
      createdAt: row.createdAt,
      expiresAt: row.expiresAt,
    };
    return { row, session };
  }

  #hasEnded(row: SessionRow, nowMs: number): boolean {
    const idleMs = this.#idleSeconds(row) * 1000;
    return nowMs >= row.expiresAt || nowMs - this.#seenAt(row) >= idleMs;
  }

  /**
   * Returns the idle time after which a session ends. If staying signed in is no longer allowed,
   * the normal idle time applies.
   */
  #idleSeconds({ kept, createdAt, expiresAt }: SessionRow): number {
    const { idleSeconds, keptSeconds } = this.#parts;
    return kept === 1 && keptSeconds > 0 ? (expiresAt - createdAt) / 1000 : idleSeconds;
  }

  #seenAt({ hash, seenAt }: SessionRow): number {
    return Math.max(seenAt, this.#seen.get(hash.toString("latin1"))?.seenAt ?? 0);
  }
}

/** Name for throttling sign-ins by a link, whose account is unknown before the look-up. */
const NO_ACCOUNT = "";

const UNCHANGED_WORDS = "The password was not changed";

const UNCHANGED = {
  pointer: "/new_password",
  code: "unchanged_password",
  detail: "It is the same as the present one.",
};

const WRONG = {
  pointer: "/current_password",
  code: "wrong_password",
  detail: "The present password is another one.",
};

/**
 * Hashes the token's text instead of its decoded bytes, because decoding drops bits of the last
 * character. Two different texts would then have the same hash.
 */
function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function failed(): AppError {
  return new AppError("sign_in_failed", "E-mail or password is wrong. Check both and try again.");
}

function spent(): AppError {
  return new AppError(
    "sign_in_failed",
    "This link was used before, or is too old. Sign in with e-mail and password.",
  );
}

/** Lifetime of a link, in milliseconds. */
export const LINK_MS = 600_000;

/** Maximum unused links; the oldest is evicted. */
const LINKS_MAX = 100;

interface Link {
  readonly userId: string;
  readonly untilMs: number;
}

/** Unused links of one process. */
class SignInLinks {
  readonly #clock: Clock;
  readonly #links = new Map<string, Link>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Creates a link and returns its token, which is not stored. */
  make(userId: string): string {
    const [oldest] = this.#links.keys();
    if (this.#links.size >= LINKS_MAX && oldest !== undefined) this.#links.delete(oldest);
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    this.#links.set(hashOf(token).toString("base64url"), {
      userId,
      untilMs: this.#clock.monotonicMs() + LINK_MS,
    });
    return token;
  }

  /** Returns the user of a token and invalidates it, or undefined if it is unknown. */
  take(token: string): string | undefined {
    const hash = hashOf(token).toString("base64url");
    const link = this.#links.get(hash);
    this.#links.delete(hash);
    return link === undefined || this.#clock.monotonicMs() >= link.untilMs
      ? undefined
      : link.userId;
  }
}
