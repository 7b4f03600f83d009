/**
 * API keys: their form, and those of a data directory. Input: an Authorization header, or the
 * request to create, stop or replace a key. Output: the sender, or an `AppError` of the contract.
 * Invariant: a key is `pnr_<id>_<secret><check>`, all hexadecimal: 12 digits of id, 48 of secret
 * (192 random bits) and 8 of CRC-32 over everything before them, so that a mistyped key is refused
 * before any lookup. Secrets are never stored: a fast hash is enough for 192 bits, and hashes are
 * compared in constant time. A change made by another process counts within `CACHE_MS`. The time
 * of use is never written inside a request. Every change writes its line of the audit trail in its
 * own transaction; a request that changes nothing writes none.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { AppError, CommandError } from "../errors.ts";
import type { Clock } from "../process/clock.ts";
import { Ledger } from "../process/ledger.ts";
import { SHA256_BYTES, sha256, sha256Into } from "../sha256.ts";
import type { AuditAction, FactsOf } from "../store/auditactions.ts";
import { type Actor, COMMAND_LINE } from "../store/auditstore.ts";
import type { KeyRow, KeyStore, TenantRow } from "../store/keystore.ts";
import { blankIn, unseenIn } from "../text/givenname.ts";
import { didYouMean } from "../text/suggest.ts";
import { PLAN_NAMES } from "./plannames.ts";
import { isPlanName, type PlanName } from "./plans.ts";

const ID_BYTES = 6;
const SECRET_BYTES = 24;
const KEY_PATTERN = /^pnr_([0-9a-f]{12})_[0-9a-f]{56}$/;

/** Where the parts of a key begin. */
const ID_AT = 4;
const SECRET_AT = ID_AT + 2 * ID_BYTES + 1;
const CHECK_AT = SECRET_AT + 2 * SECRET_BYTES;
const KEY_LENGTH = CHECK_AT + 8;

/** A key at the moment of its making; `key` is shown once and then forgotten. */
interface FreshKey {
  readonly key: string;
  readonly id: string;
  /** SHA-256 of the secret, 32 bytes. */
  readonly hash: Buffer;
}

/** What a key that a client sent says. */
interface ParsedKey {
  readonly id: string;
  /** SHA-256 of the secret, 32 bytes, until the next key is read. */
  readonly hash: Buffer;
}

/** The hash of the key that was read last: memory of its own for each would be garbage at once. */
const lastHash = Buffer.alloc(SHA256_BYTES);

/** Makes a key of random bytes. */
export function makeKey(): FreshKey {
  const id = randomBytes(ID_BYTES).toString("hex");
  const secret = randomBytes(SECRET_BYTES).toString("hex");
  const body = `pnr_${id}_${secret}`;
  return { key: `${body}${checksum(body)}`, id, hash: sha256(secret) };
}

/** Reads a key; null when it does not have the form or its checksum is wrong. */
export function parseKey(text: string): ParsedKey | null {
  if (!KEY_PATTERN.test(text)) return null;
  if (crcOf(text, CHECK_AT) !== Number.parseInt(text.slice(CHECK_AT), 16)) return null;
  sha256Into(text.slice(SECRET_AT, CHECK_AT), lastHash);
  return { id: text.slice(ID_AT, SECRET_AT - 1), hash: lastHash };
}

/** The id in a key or in an id as a person would paste it; null for anything else. */
export function keyIdOf(text: string): string | null {
  if (/^[0-9a-f]{12}$/.test(text)) return text;
  return KEY_PATTERN.exec(text)?.[1] ?? null;
}

/** The CRC of ASCII text, as 8 hexadecimal digits. */
function checksum(text: string): string {
  return crcOf(text, text.length).toString(16).padStart(8, "0");
}

/** CRC-32 (IEEE 802.3, reflected) of the first `length` characters of ASCII text. */
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

/** The token of a Bearer header; throws 401 when there is none. */
function bearerToken(authorization: string | undefined): string {
  // As clients write it, where blanks at the end would make another length of it.
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
 * Time for which rows are answered from memory before the database is asked for changes, in
 * milliseconds. Every thread refuses a disabled key within 100 ms; a request takes the rest.
 */
const CACHE_MS = 50;
/** Rows kept in memory; a database may hold more. */
const CACHE_ROWS_MAX = 10_000;

/** Whom a request speaks for. */
export interface Identity {
  readonly keyId: string;
  readonly tenantId: string;
  readonly plan: PlanName;
}

/** What a new key is made with. */
interface NewKey {
  readonly tenant: string;
  readonly plan: string;
  readonly name: string;
  /** Milliseconds since 1970 at which it ends; it never does where this is missing. */
  readonly expiresAt?: number | undefined;
}

/** A new key; `key` is shown once. */
export interface CreatedKey extends NewKey {
  readonly key: string;
  readonly keyId: string;
}

/** A tenant after a change. */
interface TenantState {
  readonly tenant: string;
  readonly state: "active" | "disabled";
}

/** Whether a key works, and if not, why. */
export type KeyState = "active" | "disabled" | "expired" | "tenant_disabled";

/** Parts that the keyrings of a process share; a keyring makes those that are missing. */
interface KeyringParts {
  readonly rows?: Map<string, KeyRow | null>;
  readonly ledger?: Ledger;
}

/** Makes, changes and recognizes keys. */
export class Keyring {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  readonly #actor: Actor;
  readonly #rows: Map<string, KeyRow | null>;
  /** Notes when keys were used, for the thread that has the database. */
  readonly #ledger: Ledger;
  #version = -1;
  #checkedMs = Number.NEGATIVE_INFINITY;

  /** Changes are made from the command line where nobody else says who makes them (`by`). */
  constructor(
    store: KeyStore,
    clock: Clock,
    actor: Actor = COMMAND_LINE,
    { rows, ledger }: KeyringParts = {},
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#actor = actor;
    this.#rows = rows ?? new Map();
    this.#ledger = ledger ?? Ledger.open();
  }

  /** The same keys, for changes that somebody makes; what one of both knows, the other knows. */
  by(actor: Actor): Keyring {
    const parts = { rows: this.#rows, ledger: this.#ledger };
    return new Keyring(this.#store, this.#clock, actor, parts);
  }

  /** Recognizes the sender of a request; throws the 401 or 403 of the contract. */
  authenticate(authorization: string | undefined): Identity {
    // Read anew each time: a memory of headers would keep secrets in that of the server.
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
    this.#ledger.noteUsed(row.id, nowMs);
    return identity;
  }

  /** Whether a tenant may still have what belongs to it, for links that work without a key. */
  tenantWorks(tenantId: string): boolean {
    return this.#store.tenantWorks(tenantId);
  }

  /** Writes down when keys were last used; call it now and then, outside requests. */
  flushUsed(): void {
    const times = this.#ledger.takeUsed();
    if (times.size === 0) return;
    try {
      this.#store.noteUsed(times);
    } catch (error) {
      for (const [id, time] of times) this.#ledger.noteUsed(id, time);
      throw error;
    }
  }

  /** Makes a key, and its tenant where there is none. Throws `CommandError` on what is wrong. */
  create(wanted: NewKey): CreatedKey {
    // Tenants of earlier versions keep their names, which the rule may refuse today.
    const known = this.#store.tenants().some((tenant) => tenant.name === wanted.tenant);
    checkNewKey(wanted, known ? null : tenantNameProblem(wanted.tenant));
    return this.#store.atomically(() => this.createFor(this.#tenantId(wanted.tenant), wanted));
  }

  /** Makes a key of the tenant of an id, whatever that is called by now; `wanted` names it. */
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

  /**
   * Makes a key only when there is none at all, as one change, so that of several processes that
   * start at once exactly one makes it.
   */
  createFirst(wanted: NewKey): CreatedKey | null {
    return this.#store.atomically(() =>
      this.#store.list().length > 0 ? null : this.create(wanted),
    );
  }

  /** All keys, of one tenant or of all of them, oldest first, with their states. */
  list(tenantId?: string): (KeyRow & { readonly state: KeyState })[] {
    const nowMs = this.#clock.nowMs();
    return this.#store.list(tenantId).map((row) => ({ ...row, state: stateOf(row, nowMs) }));
  }

  /** Finds the one key that an id, a whole key, or a tenant and a name stand for. */
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

  /** Stops a key until it is enabled again; one that is stopped keeps its time. */
  disable({ id }: KeyRow): void {
    this.#change(id, (row) => {
      if (row.disabledAt !== null) return;
      this.#store.setDisabled(id, this.#clock.nowMs());
      this.#note("key.disable", row, {});
    });
  }

  /** Lets a disabled key work again. Throws `CommandError` when it has expired. */
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

  /** Gives a key another end (milliseconds since 1970), or none. */
  expire({ id }: KeyRow, expiresAt: number | null): void {
    this.#change(id, (row) => {
      if (row.expiresAt === expiresAt) return;
      this.#store.replaceExpiry(id, expiresAt);
      const change = { from: timeText(row.expiresAt), to: timeText(expiresAt) };
      this.#note("key.expire", row, { expires_at: change });
    });
  }

  /** Gives a key another name. Throws `CommandError` for a wrong one. */
  rename({ id }: KeyRow, name: string): void {
    const problem = keyNameProblem(name);
    if (problem !== null) throw new CommandError(`Nothing was changed: ${problem}.`, 2);
    this.#change(id, (row) => {
      if (row.name === name) return;
      this.#store.rename(id, name);
      this.#note("key.rename", row, {});
    });
  }

  /** Makes a key like another one, which ends after `overlapMs`; the new one has its own end. */
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
      // Not checked again: a key of an earlier version may have a name that is refused by now.
      const created = this.#insert(tenantId, { tenant, plan, name, expiresAt }, knownPlan(plan));
      const change = { from: timeText(row.expiresAt), to: timeText(oldExpiresAt) };
      this.#note("key.rotate", row, { replaced_by: created.keyId, expires_at: change });
      return { ...created, oldExpiresAt };
    });
  }

  /** All tenants, oldest first. */
  tenants(): TenantRow[] {
    return this.#store.tenants();
  }

  /** Makes a tenant without keys. Throws `CommandError` for a wrong or taken name. */
  createTenant(name: string): TenantState {
    refuseTenantName(name);
    this.#store.atomically(() => {
      this.#refuseTaken(name);
      this.#tenantId(name);
    });
    return { tenant: name, state: "active" };
  }

  /** Gives a tenant another name. Throws `CommandError` when that is wrong or taken. */
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

  /** Stops a tenant with all its keys and links, or lets it work again. */
  setTenantDisabled(name: string, disabled: boolean): void {
    this.#store.atomically(() => {
      const { id, disabledAt } = this.tenant(name);
      if ((disabledAt !== null) === disabled) return;
      this.#store.setTenantDisabled(name, disabled ? this.#clock.nowMs() : null);
      this.#note(disabled ? "tenant.disable" : "tenant.enable", { tenantId: id, id }, {});
    });
    this.#forget();
  }

  /** The tenant of a name. Throws `CommandError` where there is none. */
  tenant(name: string): TenantRow {
    return tenantNamed(this.#store.tenants(), name);
  }

  /** Id of the tenant of a name, which is made where there is none. */
  #tenantId(name: string): string {
    const fresh = randomBytes(8).toString("hex");
    const id = this.#store.tenantId(name, fresh, this.#clock.nowMs());
    if (id === fresh) this.#note("tenant.create", { tenantId: id, id }, {});
    return id;
  }

  /** Reads and changes a key as one. Throws `CommandError` where it is gone. */
  #change<Result>(id: string, change: (row: KeyRow) => Result): Result {
    const result = this.#store.atomically(() => {
      const row = this.#store.find(id);
      if (row === undefined) throw new CommandError(NO_KEY);
      return change(row);
    });
    this.#forget();
    return result;
  }

  /** Writes a line of the audit trail; only inside the transaction of what it tells of. */
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

  /** A row by id, from memory while nothing has changed; null for an unknown id. */
  #row(id: string): KeyRow | null {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#checkedMs >= CACHE_MS) {
      const version = this.#store.version();
      if (version !== this.#version) this.#rows.clear();
      this.#version = version;
      this.#checkedMs = nowMs;
    }
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const row = this.#store.find(id) ?? null;
    if (this.#rows.size >= CACHE_ROWS_MAX) this.#rows.clear();
    this.#rows.set(id, row);
    return row;
  }

  /** The database's own version number does not count changes of this process. */
  #forget(): void {
    this.#rows.clear();
  }
}

/** Who the keys of rows are: one for each row, for requests would leave theirs as garbage. */
const identities = new WeakMap<KeyRow, Identity>();

/** Returns who a key is; null if this version does not know its plan. */
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

/** The tenant of a name. Throws `CommandError` that names the nearest one where there is none. */
export function tenantNamed(tenants: readonly TenantRow[], name: string): TenantRow {
  const found = tenants.find((tenant) => tenant.name === name);
  if (found !== undefined) return found;
  const names = tenants.map((tenant) => tenant.name);
  const meant = didYouMean(name, names, ".");
  throw new CommandError(`There is no tenant ${name}${meant} See: peneira tenant list`);
}

/** Whether a key works at a time. */
export function stateOf(row: KeyRow, nowMs: number): KeyState {
  if (row.disabledAt !== null) return "disabled";
  if (row.tenantDisabledAt !== null) return "tenant_disabled";
  return row.expiresAt !== null && row.expiresAt <= nowMs ? "expired" : "active";
}

/** Names are shown in lists and tables, so they have an end. */
const NAME_MAX = 100;

/** Returns why a key may not have a name, as part of a sentence; null if it may. */
function keyNameProblem(name: string): string | null {
  if ([...name].length > NAME_MAX) return `the name may have up to ${NAME_MAX} characters`;
  const unseen = unseenIn(name);
  return unseen === null ? null : `the name has ${unseen}, remove it`;
}

/** Returns why a tenant may not have a name, as part of a sentence; null if it may. */
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

/** `tenantProblem` is what is wrong with the tenant's name, if anything. */
function checkNewKey(wanted: NewKey, tenantProblem: string | null = null): PlanName {
  const names = [tenantProblem, keyNameProblem(wanted.name)];
  const problems = names.filter((problem) => problem !== null);
  if (!isPlanName(wanted.plan)) problems.push(`the plan must be one of ${PLAN_NAMES.join(", ")}`);
  if (problems.length > 0 || !isPlanName(wanted.plan)) {
    throw new CommandError(`No key was made: ${problems.join("; ")}.`, 2);
  }
  return wanted.plan;
}
