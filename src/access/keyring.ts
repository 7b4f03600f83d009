/**
 * The API keys of a data directory. What comes in: an Authorization header, or the wish to make,
 * stop or replace a key. What goes out: who asks, or an AppError of the contract.
 * Invariant: a change made by another process counts within `CACHE_MS`; secrets are compared by
 * their hashes in constant time; noting when a key was used never happens inside a request.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../clock.ts";
import { AppError, CommandError } from "../errors.ts";
import type { KeyRow, KeyStore, TenantRow } from "../store/keystore.ts";
import { didYouMean } from "../suggest.ts";
import { keyIdOf, makeKey, parseKey } from "./apikey.ts";
import { isPlanName, PLAN_NAMES, type PlanName } from "./plans.ts";

/** How long rows may be answered from memory before the database is asked for changes. */
const CACHE_MS = 200;
/** Rows kept in memory; a database may hold more. */
const CACHE_ROWS_MAX = 10_000;

/** Whom a request speaks for. */
export interface Identity {
  readonly keyId: string;
  readonly tenantId: string;
  readonly plan: PlanName;
}

/** What a new key is made with. */
export interface KeyWish {
  readonly tenant: string;
  readonly plan: string;
  readonly name: string;
  /** Milliseconds since 1970 at which it ends; it never does where this is missing. */
  readonly expiresAt?: number | undefined;
}

/** A new key; `key` is shown once. */
export interface CreatedKey extends KeyWish {
  readonly key: string;
  readonly keyId: string;
}

/** A tenant after a change. */
export interface TenantState {
  readonly tenant: string;
  readonly state: "active" | "disabled";
}

/** Whether a key works, and if not, why. */
export type KeyState = "active" | "disabled" | "expired" | "tenant_disabled";

/** Makes, changes and recognizes keys. */
export class Keyring {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  readonly #rows = new Map<string, KeyRow | null>();
  readonly #used = new Map<string, number>();
  #version = -1;
  #checkedMs = Number.NEGATIVE_INFINITY;

  constructor(store: KeyStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Recognizes the sender of a request; throws the 401 or 403 of the contract. */
  authenticate(authorization: string | undefined): Identity {
    const text = bearerToken(authorization);
    const parsed = parseKey(text);
    const row = parsed === null ? null : this.#row(parsed.id);
    if (parsed === null || row === null || !timingSafeEqual(parsed.hash, row.hash)) {
      throw new AppError(
        "authentication_invalid",
        "Check the API key for missing or mistyped characters, or create a new one.",
      );
    }
    const nowMs = this.#clock.nowMs();
    if (stateOf(row, nowMs) !== "active" || !isPlanName(row.plan)) {
      throw new AppError(
        "authentication_disabled",
        "The API key or its tenant was disabled, or the key has expired. Use another key.",
      );
    }
    this.#used.set(row.id, nowMs);
    return { keyId: row.id, tenantId: row.tenantId, plan: row.plan };
  }

  /** Whether a tenant may still have what belongs to it, for links that work without a key. */
  tenantWorks(tenantId: string): boolean {
    return this.#store.tenantWorks(tenantId);
  }

  /** Writes down when keys were last used; call it now and then, outside requests. */
  flushUsed(): void {
    if (this.#used.size === 0) return;
    const times = new Map(this.#used);
    this.#store.noteUsed(times);
    for (const [id, time] of times) if (this.#used.get(id) === time) this.#used.delete(id);
  }

  /** Makes a key, and its tenant where there is none. Throws `CommandError` on a wrong wish. */
  create(wish: KeyWish): CreatedKey {
    checkWish(wish);
    return this.#store.atomically(() => {
      const nowMs = this.#clock.nowMs();
      const fresh = randomBytes(8).toString("hex");
      return this.createFor(this.#store.tenantId(wish.tenant, fresh, nowMs), wish);
    });
  }

  /** Makes a key of the tenant of an id, whatever that is called by now; `wish` names it. */
  createFor(tenantId: string, wish: KeyWish): CreatedKey {
    const plan = checkWish(wish);
    const fresh = makeKey();
    this.#store.insert({
      id: fresh.id,
      tenantId,
      name: wish.name,
      plan,
      hash: fresh.hash,
      createdAt: this.#clock.nowMs(),
      expiresAt: wish.expiresAt ?? null,
    });
    this.#forget();
    return { ...wish, key: fresh.key, keyId: fresh.id };
  }

  /**
   * Makes a key only when there is none at all, as one change, so that of several processes that
   * start at once exactly one makes it.
   */
  createFirst(wish: KeyWish): CreatedKey | null {
    return this.#store.atomically(() => (this.#store.list().length > 0 ? null : this.create(wish)));
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
      throw new CommandError("There is no such key. See: peneira key list");
    }
    const ids = found.map((row) => row.id).join(", ");
    throw new CommandError(`${found.length} keys fit: ${ids}. Name one of these ids.`, 2);
  }

  /** Stops a key until it is enabled again. */
  disable(row: KeyRow): void {
    this.#store.setDisabled(row.id, this.#clock.nowMs());
    this.#forget();
  }

  /** Lets a disabled key work again. Throws `CommandError` when it has expired. */
  enable(row: KeyRow): void {
    if (row.expiresAt !== null && row.expiresAt <= this.#clock.nowMs()) {
      throw new CommandError(`The key ${row.id} has expired. Create a new one.`);
    }
    this.#store.setDisabled(row.id, null);
    this.#forget();
  }

  /** Gives a key another end (milliseconds since 1970), or none. */
  expire(row: KeyRow, expiresAt: number | null): void {
    this.#store.replaceExpiry(row.id, expiresAt);
    this.#forget();
  }

  /** Gives a key another name. Throws `CommandError` for a wrong one. */
  rename(row: KeyRow, name: string): void {
    if (!NAME_PATTERN.test(name)) throw new CommandError(`Nothing was changed: ${NAME_RULE}.`, 2);
    this.#store.rename(row.id, name);
    this.#forget();
  }

  /** Makes a key like another one, which ends after `overlapMs`; the new one has its own end. */
  rotate(
    row: KeyRow,
    overlapMs: number,
    expiresAt?: number,
  ): CreatedKey & { readonly oldExpiresAt: number } {
    const oldExpiresAt = this.#clock.nowMs() + overlapMs;
    const created = this.#store.atomically(() => {
      this.#store.setExpiry(row.id, oldExpiresAt);
      return this.create({ tenant: row.tenant, plan: row.plan, name: row.name, expiresAt });
    });
    return { ...created, oldExpiresAt: Math.min(oldExpiresAt, row.expiresAt ?? oldExpiresAt) };
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
      this.#store.tenantId(name, randomBytes(8).toString("hex"), this.#clock.nowMs());
    });
    return { tenant: name, state: "active" };
  }

  /** Gives a tenant another name. Throws `CommandError` when that is wrong or taken. */
  renameTenant(name: string, newName: string): TenantState {
    refuseTenantName(newName);
    return this.#store.atomically(() => {
      const tenant = this.tenant(name);
      if (newName !== name) this.#refuseTaken(newName);
      this.#store.renameTenant(name, newName);
      this.#forget();
      return { tenant: newName, state: tenant.disabledAt === null ? "active" : "disabled" };
    });
  }

  /** Stops a tenant with all its keys and links, or lets it work again. */
  setTenantDisabled(name: string, disabled: boolean): void {
    this.tenant(name);
    this.#store.setTenantDisabled(name, disabled ? this.#clock.nowMs() : null);
    this.#forget();
  }

  /** The tenant of a name. Throws `CommandError` where there is none. */
  tenant(name: string): TenantRow {
    return tenantNamed(this.#store.tenants(), name);
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

/** The token of a Bearer header; throws 401 when there is none. */
function bearerToken(authorization: string | undefined): string {
  const match = /^bearer +(\S.*)$/i.exec(authorization?.trim() ?? "");
  if (match !== null) return match[1] as string;
  throw new AppError(
    "authentication_required",
    "Send the API key in the header: Authorization: Bearer <API key>.",
    { headers: { "WWW-Authenticate": "Bearer" } },
  );
}

/** Names are shown in lists and tables: no control characters, no endless lines. */
const NAME_PATTERN = /^[^\p{Cc}]{0,100}$/u;

const NAME_RULE = "the name may have up to 100 characters without control characters";
/** What the name of a tenant has to be. */
export const TENANT_NAME_RULE =
  "the tenant must have 1 to 100 characters without control characters";

/** Whether a tenant may have a name. */
export function isTenantName(name: string): boolean {
  return name.trim() !== "" && NAME_PATTERN.test(name);
}

function refuseTenantName(name: string): void {
  if (!isTenantName(name)) throw new CommandError(`Nothing was changed: ${TENANT_NAME_RULE}.`, 2);
}

function checkWish(wish: KeyWish): PlanName {
  const problems: string[] = [];
  if (!isTenantName(wish.tenant)) problems.push(TENANT_NAME_RULE);
  if (!NAME_PATTERN.test(wish.name)) {
    problems.push(NAME_RULE);
  }
  if (!isPlanName(wish.plan)) problems.push(`the plan must be one of ${PLAN_NAMES.join(", ")}`);
  if (problems.length > 0 || !isPlanName(wish.plan)) {
    throw new CommandError(`No key was made: ${problems.join("; ")}.`, 2);
  }
  return wish.plan;
}
