/**
 * API keys: their format, and the stored keys of a server. Input: an Authorization header, or a
 * request to create, disable, or replace a key. Output: the key's owner, or an `AppError` that the
 * API's contract defines.
 * Invariant: a key is `pnr_<id>_<secret><check>` in hexadecimal digits: 12 of the id, 48 of the
 * secret (192 random bits), and 8 of the CRC-32 of everything before. So a mistyped key is refused
 * before any lookup. Secrets are never stored, only their hashes. A fast hash is enough for 192
 * random bits. Hashes are compared in constant time. A change by another process takes effect
 * within `CACHE_MS`. The time of a key's last use is never written inside a request. Every change
 * writes its audit entry in its transaction. A request that changes nothing writes none.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { AppError, CommandError } from "../errors.ts";
import type { Clock } from "../process/clock.ts";
import { Ledger } from "../process/ledger.ts";
import { SHA256_BYTES, sha256, sha256Into } from "../sha256.ts";
import type { AuditAction, FactsOf } from "../store/auditactions.ts";
import { type Actor, COMMAND_LINE } from "../store/auditstore.ts";
import type { KeyRow, KeyStore, TenantRow } from "../store/keystore.ts";
import { StateUnreachable } from "../store/statedatabase.ts";
import { blankIn, unseenIn } from "../text/givenname.ts";
import { didYouMean } from "../text/suggest.ts";
import { PLAN_NAMES } from "./plannames.ts";
import { isPlanName, type PlanName } from "./plans.ts";

const ID_BYTES = 6;
const SECRET_BYTES = 24;
const KEY_PATTERN = /^pnr_([0-9a-f]{12})_[0-9a-f]{56}$/;

/** Offsets of the parts of a key. */
const ID_AT = 4;
const SECRET_AT = ID_AT + 2 * ID_BYTES + 1;
const CHECK_AT = SECRET_AT + 2 * SECRET_BYTES;
const KEY_LENGTH = CHECK_AT + 8;

/** A newly created key; `key` is shown once and not stored. */
interface FreshKey {
  readonly key: string;
  readonly id: string;
  /** SHA-256 of the secret, 32 bytes. */
  readonly hash: Buffer;
}

interface ParsedKey {
  readonly id: string;
  /** SHA-256 of the secret, 32 bytes, valid until the next key is parsed. */
  readonly hash: Buffer;
}

/** Hash of the last parsed key. The buffer is reused, so that requests do not allocate one. */
const lastHash = Buffer.alloc(SHA256_BYTES);

/** Creates a random key. */
export function makeKey(): FreshKey {
  const id = randomBytes(ID_BYTES).toString("hex");
  const secret = randomBytes(SECRET_BYTES).toString("hex");
  const body = `pnr_${id}_${secret}`;
  return { key: `${body}${checksum(body)}`, id, hash: sha256(secret) };
}

/** Parses a key. Returns null if its form or checksum is wrong. */
export function parseKey(text: string): ParsedKey | null {
  if (!KEY_PATTERN.test(text)) return null;
  if (crcOf(text, CHECK_AT) !== Number.parseInt(text.slice(CHECK_AT), 16)) return null;
  sha256Into(text.slice(SECRET_AT, CHECK_AT), lastHash);
  return { id: text.slice(ID_AT, SECRET_AT - 1), hash: lastHash };
}

/** Returns the id in a pasted key or id, or null for anything else. */
export function keyIdOf(text: string): string | null {
  if (/^[0-9a-f]{12}$/.test(text)) return text;
  return KEY_PATTERN.exec(text)?.[1] ?? null;
}

/** Returns the CRC of ASCII text as 8 hexadecimal digits. */
function checksum(text: string): string {
  return crcOf(text, text.length).toString(16).padStart(8, "0");
}

/** Returns CRC-32 (IEEE 802.3, reflected) of the first `length` ASCII characters. */
function crcOf(text: string, length: number): number {
  let crc = 0xffffffff;
  for (let at = 0; at < length; at++) {
    crc = (CRC_TABLE[(crc ^ text.charCodeAt(at)) & 0xff] as number) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

const BEARER = "Bearer ";
const USUAL_START = `${BEARER}pnr_`;
const USUAL_LENGTH = BEARER.length + KEY_LENGTH;

/** Returns the token of a Bearer header. Throws 401 if there is none. */
function bearerToken(authorization: string | undefined): string {
  // Fast path for a header in the usual form. Trailing blanks would change its length.
  if (authorization?.length === USUAL_LENGTH && authorization.startsWith(USUAL_START)) {
    return authorization.slice(BEARER.length);
  }
  const match = /^bearer +(\S.*)$/i.exec(authorization?.trim() ?? "");
  if (match !== null) return match[1] as string;
  throw new AppError(
    "authentication_required",
    "Send the API key in the header: Authorization: Bearer <API key>.",
    { headers: { "WWW-Authenticate": "Bearer" } },
  );
}

/**
 * Time for which cached rows are used before the database is checked for changes, in milliseconds.
 * Every thread must refuse a disabled key within 100 ms, including the time of a request.
 */
const CACHE_MS = 50;
/** Maximum cached rows; a database may hold more. */
const CACHE_ROWS_MAX = 10_000;

/** The sender of a request. */
export interface Identity {
  readonly keyId: string;
  readonly tenantId: string;
  readonly plan: PlanName;
}

interface NewKey {
  readonly tenant: string;
  readonly plan: string;
  readonly name: string;
  /** Expiry in milliseconds since the epoch, or undefined if the key never expires. */
  readonly expiresAt?: number | undefined;
}

/** A new key; `key` is shown once. */
export interface CreatedKey extends NewKey {
  readonly key: string;
  readonly keyId: string;
}

interface TenantState {
  readonly tenant: string;
  readonly state: "active" | "disabled";
}

/** State of a key, with its reason. */
export type KeyState = "active" | "disabled" | "expired" | "tenant_disabled";

/** Parts shared by the keyrings of a process. A missing part is created. */
interface KeyringParts {
  readonly rows?: Map<string, KeyRow | null>;
  readonly ledger?: Ledger;
  /** Time for which known keys are accepted while the state is unreachable, in milliseconds. */
  readonly graceMs?: number;
}

/** Creates, changes, and authenticates keys. */
export class Keyring {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  readonly #actor: Actor;
  readonly #rows: Map<string, KeyRow | null>;
  /** Records uses of keys, for the thread that owns the database. */
  readonly #ledger: Ledger;
  readonly #graceMs: number;
  #before: ReadonlyMap<string, KeyRow | null> = new Map();
  #version: unknown = null;
  #checkedMs = Number.NEGATIVE_INFINITY;

  /** Changes are attributed to the command line unless `by` names another actor. */
  constructor(
    store: KeyStore,
    clock: Clock,
    actor: Actor = COMMAND_LINE,
    { rows, ledger, graceMs }: KeyringParts = {},
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#actor = actor;
    this.#rows = rows ?? new Map();
    this.#ledger = ledger ?? Ledger.open();
    this.#graceMs = graceMs ?? Number.POSITIVE_INFINITY;
  }

  /** Returns a keyring that attributes its changes to an actor. Both keyrings share one cache. */
  by(actor: Actor): Keyring {
    const parts = { rows: this.#rows, ledger: this.#ledger, graceMs: this.#graceMs };
    return new Keyring(this.#store, this.#clock, actor, parts);
  }

  /** Authenticates a request. Throws the 401 or 403 of the contract. */
  authenticate(authorization: string | undefined): Identity {
    // The header is parsed each time, because a cache of headers would keep secrets in memory.
    const parsed = parseKey(bearerToken(authorization));
    const row = parsed === null ? null : this.#row(parsed.id);
    if (parsed === null || row === null || !timingSafeEqual(parsed.hash, row.hash)) {
      throw new AppError(
        "authentication_invalid",
        "Check the API key for missing or mistyped characters, or create a new one.",
      );
    }
    const nowMs = this.#clock.nowMs();
    const identity = identityOf(row);
    if (stateOf(row, nowMs) !== "active" || identity === null) {
      throw new AppError(
        "authentication_disabled",
        "The API key or its tenant was disabled, or the key has expired. Use another key.",
      );
    }
    this.#ledger.recordLastUse(row.id, nowMs);
    return identity;
  }

  /** True if a tenant is enabled, for links that work without a key. */
  tenantWorks(tenantId: string): boolean {
    return this.#store.tenantWorks(tenantId);
  }

  /** Writes the last uses of keys; call it periodically, outside requests. */
  flushUsed(): void {
    const times = this.#ledger.drainLastUses();
    if (times.size === 0) return;
    try {
      this.#store.recordLastUse(times);
    } catch (error) {
      for (const [id, time] of times) this.#ledger.recordLastUse(id, time);
      throw error;
    }
  }

  /** Creates a key, and its tenant if missing. Throws `CommandError` on mistakes. */
  create(wanted: NewKey): CreatedKey {
    // Existing tenants keep their names, even if the current rule would refuse them.
    const known = this.#store.tenants().some((tenant) => tenant.name === wanted.tenant);
    checkNewKey(wanted, known ? null : tenantNameProblem(wanted.tenant));
    return this.#store.atomically(() => this.createFor(this.#tenantId(wanted.tenant), wanted));
  }

  /** Creates a key for the tenant with this id. `wanted` has the tenant's current name. */
  createFor(tenantId: string, wanted: NewKey): CreatedKey {
    return this.#insert(tenantId, wanted, checkNewKey(wanted));
  }

  #insert(tenantId: string, wanted: NewKey, plan: PlanName): CreatedKey {
    const { id, key, hash } = makeKey();
    const expiresAt = wanted.expiresAt ?? null;
    const createdAt = this.#clock.nowMs();
    this.#store.atomically(() => {
      this.#store.insert({ id, tenantId, name: wanted.name, plan, hash, createdAt, expiresAt });
      this.#note("key.create", { tenantId, id }, { plan, expires_at: timeText(expiresAt) });
    });
    this.#forget();
    return { ...wanted, key, keyId: id };
  }

  /** Creates a key if none exists, atomically: if several processes start, only one creates it. */
  createFirst(wanted: NewKey): CreatedKey | null {
    return this.#store.atomically(() =>
      this.#store.list().length > 0 ? null : this.create(wanted),
    );
  }

  /** Returns the keys of one tenant or all, oldest first, with their states. */
  list(tenantId?: string): (KeyRow & { readonly state: KeyState })[] {
    const nowMs = this.#clock.nowMs();
    return this.#store.list(tenantId).map((row) => ({ ...row, state: stateOf(row, nowMs) }));
  }

  /** Finds a key by its id, by the whole key, or by its tenant and name. */
  pick(choice: {
    readonly id?: string | undefined;
    readonly tenant?: string | undefined;
    readonly name?: string | undefined;
  }): KeyRow {
    const { id, tenant, name } = choice;
    if (id === undefined && tenant === undefined && name === undefined) {
      throw new CommandError("Name the key: its id, or --tenant and --name.", 2);
    }
    const wanted = id === undefined ? undefined : (keyIdOf(id) ?? id);
    const found = this.#store.list().filter((row) => {
      if (wanted !== undefined && row.id !== wanted) return false;
      return (
        (tenant === undefined || row.tenant === tenant) && (name === undefined || row.name === name)
      );
    });
    if (found.length === 1) return found[0] as KeyRow;
    if (found.length === 0) {
      if (tenant !== undefined) this.tenant(tenant);
      throw new CommandError(NO_KEY);
    }
    const ids = found.map((row) => row.id).join(", ");
    throw new CommandError(`${found.length} keys fit: ${ids}. Name one of these ids.`, 2);
  }

  /** Disables a key until it is enabled. A disabled key keeps the time of its first disabling. */
  disable({ id }: KeyRow): void {
    this.#change(id, (row) => {
      if (row.disabledAt !== null) return;
      this.#store.setDisabled(id, this.#clock.nowMs());
      this.#note("key.disable", row, {});
    });
  }

  /** Enables a disabled key. Throws `CommandError` if it has expired. */
  enable({ id }: KeyRow): void {
    this.#change(id, (row) => {
      if (row.expiresAt !== null && row.expiresAt <= this.#clock.nowMs()) {
        throw new CommandError(`The key ${id} has expired. Create a new one.`);
      }
      if (row.disabledAt === null) return;
      this.#store.setDisabled(id, null);
      this.#note("key.enable", row, {});
    });
  }

  /** Sets or removes a key's expiry (milliseconds since the epoch). */
  expire({ id }: KeyRow, expiresAt: number | null): void {
    this.#change(id, (row) => {
      if (row.expiresAt === expiresAt) return;
      this.#store.replaceExpiry(id, expiresAt);
      const change = { from: timeText(row.expiresAt), to: timeText(expiresAt) };
      this.#note("key.expire", row, { expires_at: change });
    });
  }

  /** Renames a key. Throws `CommandError` for an invalid name. */
  rename({ id }: KeyRow, name: string): void {
    const problem = keyNameProblem(name);
    if (problem !== null) throw new CommandError(`Nothing was changed: ${problem}.`, 2);
    this.#change(id, (row) => {
      if (row.name === name) return;
      this.#store.rename(id, name);
      this.#note("key.rename", row, {});
    });
  }

  /** Changes the plan of a key. Its next request has the new limits. */
  setPlan({ id }: KeyRow, plan: PlanName): void {
    this.#change(id, (row) => {
      if (row.plan === plan) return;
      this.#store.setPlan(id, plan);
      this.#note("key.plan", row, { plan: { from: row.plan, to: plan } });
    });
  }

  /**
   * Changes the plan of a tenant's console and of all its keys, in one transaction. Returns the ids
   * of the changed keys. Throws `CommandError` if there is no such tenant.
   */
  setTenantPlan(name: string, plan: PlanName): string[] {
    return this.#store.atomically(() => {
      const { id } = this.tenant(name);
      const from = this.#store.setTenantPlan(id, plan);
      if (from !== plan)
        this.#note("tenant.plan", { tenantId: id, id }, { plan: { from, to: plan } });
      const others = this.#store.list(id).filter((row) => row.plan !== plan);
      for (const row of others) this.setPlan(row, plan);
      return others.map((row) => row.id);
    });
  }

  /** Creates a similar key with its own expiry. The old key ends after `overlapMs`. */
  rotate(
    { id }: KeyRow,
    overlapMs: number,
    expiresAt?: number,
  ): CreatedKey & { readonly oldExpiresAt: number } {
    return this.#change(id, (row) => {
      const { tenantId, tenant, plan, name } = row;
      const wanted = this.#clock.nowMs() + overlapMs;
      const oldExpiresAt = Math.min(wanted, row.expiresAt ?? wanted);
      this.#store.replaceExpiry(id, oldExpiresAt);
      // The name is not validated, because an older key may have a name that is refused today.
      const created = this.#insert(tenantId, { tenant, plan, name, expiresAt }, knownPlan(plan));
      const change = { from: timeText(row.expiresAt), to: timeText(oldExpiresAt) };
      this.#note("key.rotate", row, { replaced_by: created.keyId, expires_at: change });
      return { ...created, oldExpiresAt };
    });
  }

  /** Returns all tenants, oldest first. */
  tenants(): TenantRow[] {
    return this.#store.tenants();
  }

  /** Creates a tenant without keys. Throws `CommandError` for an invalid or taken name. */
  createTenant(name: string): TenantState {
    refuseTenantName(name);
    this.#store.atomically(() => {
      this.#refuseTaken(name);
      this.#tenantId(name);
    });
    return { tenant: name, state: "active" };
  }

  /** Renames a tenant. Throws `CommandError` if the name is invalid or taken. */
  renameTenant(name: string, newName: string): TenantState {
    refuseTenantName(newName);
    return this.#store.atomically(() => {
      const tenant = this.tenant(name);
      if (newName !== name) {
        this.#refuseTaken(newName);
        this.#store.renameTenant(name, newName);
        this.#note("tenant.rename", { tenantId: tenant.id, id: tenant.id }, {});
      }
      this.#forget();
      return { tenant: newName, state: tenant.disabledAt === null ? "active" : "disabled" };
    });
  }

  /** Disables a tenant with all its keys and links, or enables it. */
  setTenantDisabled(name: string, disabled: boolean): void {
    this.#store.atomically(() => {
      const { id, disabledAt } = this.tenant(name);
      if ((disabledAt !== null) === disabled) return;
      this.#store.setTenantDisabled(name, disabled ? this.#clock.nowMs() : null);
      this.#note(disabled ? "tenant.disable" : "tenant.enable", { tenantId: id, id }, {});
    });
    this.#forget();
  }

  /** Returns the tenant with this name. Throws `CommandError` if there is none. */
  tenant(name: string): TenantRow {
    return tenantNamed(this.#store.tenants(), name);
  }

  /** Returns the id of a tenant by name. Creates the tenant if it is missing. */
  #tenantId(name: string): string {
    const fresh = randomBytes(8).toString("hex");
    const id = this.#store.tenantId(name, fresh, this.#clock.nowMs());
    if (id === fresh) this.#note("tenant.create", { tenantId: id, id }, {});
    return id;
  }

  /** Reads and changes a key atomically. Throws `CommandError` if it is missing. */
  #change<Result>(id: string, change: (row: KeyRow) => Result): Result {
    const result = this.#store.atomically(() => {
      const row = this.#store.find(id);
      if (row === undefined) throw new CommandError(NO_KEY);
      return change(row);
    });
    this.#forget();
    return result;
  }

  /** Writes an audit line; call it only in the transaction of the change. */
  #note<Action extends AuditAction>(
    action: Action,
    { tenantId, id: subject }: Pick<KeyRow, "tenantId" | "id">,
    facts: FactsOf<Action>,
  ): void {
    const at = this.#clock.nowMs();
    this.#store.audit.record({ at, actor: this.#actor, action, tenantId, subject, facts });
  }

  #refuseTaken(name: string): void {
    if (this.#store.tenants().some((tenant) => tenant.name === name)) {
      throw new CommandError(`There is a tenant ${name} already.`);
    }
  }

  /** Discards the cached rows. They are used again only while the database is unreachable. */
  #outdate(): void {
    if (this.#rows.size > 0) this.#before = new Map(this.#rows);
    this.#rows.clear();
  }

  #find(id: string): KeyRow | null {
    try {
      return this.#store.find(id) ?? null;
    } catch (error) {
      const before = this.#before.get(id);
      if (before === undefined || !(error instanceof StateUnreachable)) throw error;
      return before;
    }
  }

  /** Returns a row by id, or null for an unknown id. Rows are cached until the database changes. */
  #row(id: string): KeyRow | null {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#checkedMs >= CACHE_MS) {
      const version = this.#store.version();
      if (version !== this.#version) this.#outdate();
      this.#store.refuseAfter(this.#graceMs);
      this.#version = version;
      this.#checkedMs = nowMs;
    }
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const row = this.#find(id);
    if (this.#rows.size >= CACHE_ROWS_MAX) this.#rows.clear();
    this.#rows.set(id, row);
    return row;
  }

  /** Clears the cache, because the database's version does not reveal this process's changes. */
  #forget(): void {
    this.#rows.clear();
  }
}

/** Identities by row. Each row has one identity, so that a request creates no garbage. */
const identities = new WeakMap<KeyRow, Identity>();

/** Returns a key's identity, or null if this version does not know its plan. */
function identityOf(row: KeyRow): Identity | null {
  const known = identities.get(row);
  if (known !== undefined) return known;
  const { id: keyId, tenantId, plan } = row;
  if (!isPlanName(plan)) return null;
  const identity = { keyId, tenantId, plan };
  identities.set(row, identity);
  return identity;
}

const NO_KEY = "There is no such key. See: peneira key list";

function timeText(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}

/** Returns the tenant with this name, or throws `CommandError` with the nearest name. */
export function tenantNamed(tenants: readonly TenantRow[], name: string): TenantRow {
  const found = tenants.find((tenant) => tenant.name === name);
  if (found !== undefined) return found;
  const names = tenants.map((tenant) => tenant.name);
  const suggested = didYouMean(name, names, ".");
  throw new CommandError(`There is no tenant ${name}${suggested} See: peneira tenant list`);
}

/** Returns the state of a key at a time. */
export function stateOf(row: KeyRow, nowMs: number): KeyState {
  if (row.disabledAt !== null) return "disabled";
  if (row.tenantDisabledAt !== null) return "tenant_disabled";
  return row.expiresAt !== null && row.expiresAt <= nowMs ? "expired" : "active";
}

/** Max characters of a name. Names are shown in lists and tables, so their length is limited. */
const NAME_MAX = 100;

/** Returns why a key name is invalid, as part of a sentence, or null if it is valid. */
function keyNameProblem(name: string): string | null {
  if ([...name].length > NAME_MAX) return `the name may have up to ${NAME_MAX} characters`;
  const unseen = unseenIn(name);
  return unseen === null ? null : `the name has ${unseen}, remove it`;
}

/** Returns why a tenant name is invalid, as part of a sentence, or null if it is valid. */
export function tenantNameProblem(name: string): string | null {
  if (name.trim() === "" || [...name].length > NAME_MAX) {
    return `the tenant must have 1 to ${NAME_MAX} characters`;
  }
  const unseen = unseenIn(name) ?? blankIn(name);
  return unseen === null ? null : `the tenant has ${unseen}, remove it`;
}

function refuseTenantName(name: string): void {
  const problem = tenantNameProblem(name);
  if (problem !== null) throw new CommandError(`Nothing was changed: ${problem}.`, 2);
}

function knownPlan(plan: string): PlanName {
  if (isPlanName(plan)) return plan;
  throw new CommandError(`No key was made: the plan must be one of ${PLAN_NAMES.join(", ")}.`, 2);
}

/** `tenantProblem` is the mistake in the tenant's name, if any. */
function checkNewKey(wanted: NewKey, tenantProblem: string | null = null): PlanName {
  const names = [tenantProblem, keyNameProblem(wanted.name)];
  const problems = names.filter((problem) => problem !== null);
  if (!isPlanName(wanted.plan)) problems.push(`the plan must be one of ${PLAN_NAMES.join(", ")}`);
  if (problems.length > 0 || !isPlanName(wanted.plan)) {
    throw new CommandError(`No key was made: ${problems.join("; ")}.`, 2);
  }
  return wanted.plan;
}
