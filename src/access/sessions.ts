/**
 * The sessions of the console. Input: e-mail and password, the token of a cookie, or that of a link
 * that signs a person in once. Output: open sessions, or an AppError that does not tell whether
 * there is such a user.
 * Invariant: a token is 256 random bits and only its hash is stored; a session ends by idleness, by
 * age, and with its user or tenant; a change made by another process counts within `CACHE_MS`; the
 * last use of a session is never written inside a request. Links live in memory, so they end with
 * the process; a token that was taken, or is older than `LINK_MS`, is no longer valid.
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

/** How long rows may be answered from memory before the database is asked for changes. */
const CACHE_MS = 200;
/** Sessions kept in memory; a database may hold more. */
const CACHE_ROWS_MAX = 10_000;
/** Sessions of one user; signing in once more ends the one that was used longest ago. */
const SESSIONS_MAX = 50;

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Somebody who is signed in. */
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

/** A session that has not ended. */
export interface OpenSession {
  /** Stands for the session in lists; it opens nothing. */
  readonly id: string;
  readonly user: SessionUser;
  /** To be sent with everything that changes something. */
  readonly csrfToken: string;
  readonly idleSeconds: number;
  /** Whether it lasts to its end without being used. */
  readonly kept: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970 at which it ends whatever happens. */
  readonly expiresAt: number;
}

/** A session at the moment of its making; the token goes into the cookie and is then forgotten. */
export interface NewSession {
  readonly token: string;
  readonly session: OpenSession;
}

/** One line of where a user is signed in. */
type SessionLine = Pick<SessionRow, "id" | "createdAt" | "seenAt">;

/** What sessions are kept with. */
interface SessionsParts {
  readonly store: UserStore;
  readonly users: Users;
  readonly passwords: Passwords;
  readonly signIns: SignIns;
  readonly clock: Clock;
  /** Makes the CSRF tokens. */
  readonly secret: SecretRing;
  readonly idleSeconds: number;
  readonly maxSeconds: number;
  /** How long those last whose users wish to stay signed in; 0: nobody may wish it. */
  readonly keptSeconds: number;
}

/** Who somebody says to be. */
interface Claim {
  readonly id: string;
  readonly password: string;
  readonly stored: StoredPassword | undefined;
}

/** A session in memory. */
interface Known {
  readonly row: SessionRow;
  readonly session: OpenSession;
}

/** Opens, finds and ends sessions. */
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

  /** Seconds that a session lasts whose user wishes to stay signed in; 0 where nobody may. */
  get keptSeconds(): number {
    return this.#parts.keptSeconds;
  }

  /**
   * Signs in, with `kept` for as long as that may last. Throws `sign_in_failed`, the same for
   * every reason, or `rate_limited`.
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

  /** Makes the token of a link that signs a user in once, and soon. */
  linkFor(userId: string): string {
    return this.#links.make(userId);
  }

  /**
   * Signs in whom a link is for. Throws `sign_in_failed` for every other token, or `rate_limited`.
   */
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

  /** Whom an invitation is for. Throws `sign_in_failed` for other tokens, or `rate_limited`. */
  invited(token: string, address: string): ReturnType<typeof findInvited> {
    const { store, signIns, clock } = this.#parts;
    const attempt = signIns.begin(NO_ACCOUNT, address);
    const found = findInvited(store, token, clock.nowMs());
    attempt.succeeded();
    return found;
  }

  /**
   * Gives whom an invitation is for the password of their choice, and signs in. Throws as `invited`
   * does, and `invalid_request` for an unfit password, which uses up nothing.
   */
  async join(token: string, chosen: { password: string; kept: boolean }, address: string) {
    const { user, stored } = this.invited(token, address);
    const unfit = passwordMistakes(chosen.password, user.email, "/password");
    refuse("No password was set", unfit);
    const password = await this.#parts.passwords.hash(chosen.password);
    return this.#parts.store.atomically((): NewSession => {
      // Somebody else may have used the link meanwhile, or an owner taken it back.
      const isSet = this.#parts.store.setPassword(user.id, password, stored);
      const opened = isSet ? this.#open(user.id, password, chosen.kept) : null;
      if (opened === null) throw unknownInvitation();
      this.#note("user.join", user.id);
      return opened;
    });
  }

  /**
   * Gives the user of a session another password, ends all its sessions and opens a new one.
   * Throws `invalid_request` where a password is wrong or unfit, or `rate_limited`.
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
      // Another change may have come first; this one then knew the password before it.
      const changed = checked !== null && store.setPassword(user.id, next, checked);
      if (!changed) refuse(UNCHANGED_WORDS, [WRONG]);
      store.endSessions(user.id);
      const opened = this.#open(user.id, next, kept);
      if (opened === null) throw failed();
      this.#note("user.password", user.id);
      return opened;
    });
  }

  /** The open session of a token, which counts as used now; null where there is none. */
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

  /** Ends a session. */
  end({ user, id }: Pick<OpenSession, "user" | "id">): void {
    this.#parts.store.endSession(user.id, id);
  }

  /** Ends all sessions of a user, who wants that. */
  endAll(userId: string): void {
    const { store } = this.#parts;
    store.atomically(() => {
      store.endSessions(userId);
      this.#note("user.sessions", userId);
    });
  }

  /** Where a user is signed in, newest first. */
  list(userId: string): SessionLine[] {
    const nowMs = this.#parts.clock.nowMs();
    const rows = this.#parts.store.sessionsOf(userId).filter((row) => !this.#hasEnded(row, nowMs));
    return rows.map((row) => ({ ...row, seenAt: this.#seenAt(row) }));
  }

  /** Writes down when sessions were last used and forgets ended ones; call it outside requests. */
  flush(): void {
    const { store, clock, idleSeconds } = this.#parts;
    if (this.#seen.size > 0) {
      store.noteSeen([...this.#seen.values()]);
      this.#seen.clear();
      this.#known.clear();
    }
    store.sweep(clock.nowMs(), idleSeconds * 1000);
  }

  /** Writes down, in the transaction of what it tells of, what a user did to itself. */
  #note(action: "user.password" | "user.sessions" | "user.join", subject: string): void {
    const { store, clock } = this.#parts;
    const tenantId = store.find(subject)?.tenantId ?? null;
    const who = { at: clock.nowMs(), actor: `user:${subject}` as const };
    store.audit.record({ ...who, action, tenantId, subject, facts: {} });
  }

  /**
   * The stored password where it was the right one, made anew where that was due; else null. An
   * attempt whose password was not looked at is none.
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

  /** Opens a session of a user with this password; null where that is not so any more. */
  #open(userId: string, password: StoredPassword, wished = false): NewSession | null {
    const { store, clock, maxSeconds, keptSeconds } = this.#parts;
    const kept = wished && keptSeconds > 0;
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

  /** A session from memory while nothing has changed, else from the database. */
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

  /** Changes of this store count at once, those of others when the database is next asked. */
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

  /** Where nobody may stay signed in any more, who wished it before is as everybody else. */
  #idleSeconds({ kept, createdAt, expiresAt }: SessionRow): number {
    const { idleSeconds, keptSeconds } = this.#parts;
    return kept === 1 && keptSeconds > 0 ? (expiresAt - createdAt) / 1000 : idleSeconds;
  }

  #seenAt({ hash, seenAt }: SessionRow): number {
    return Math.max(seenAt, this.#seen.get(hash.toString("latin1"))?.seenAt ?? 0);
  }
}

/** Whose account a link is for is not known before it was looked up. */
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

/** The text and not its bytes: the last character has bits that decoding drops. */
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

/** How long a link works, in milliseconds. */
export const LINK_MS = 600_000;

/** Links that wait to be opened; the oldest one goes where one more is made. */
const LINKS_MAX = 100;

/** Where a link leads, and until when. */
interface Link {
  readonly userId: string;
  readonly untilMs: number;
}

/** The links of one process that nobody has opened yet. */
class SignInLinks {
  readonly #clock: Clock;
  readonly #links = new Map<string, Link>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes a link for a user and gives its token, which is not kept. */
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

  /** The user of a token, which from now on opens nothing; undefined where it is nobody's. */
  take(token: string): string | undefined {
    const hash = hashOf(token).toString("base64url");
    const link = this.#links.get(hash);
    this.#links.delete(hash);
    return link === undefined || this.#clock.monotonicMs() >= link.untilMs
      ? undefined
      : link.userId;
  }
}
