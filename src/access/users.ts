/**
 * Console users. Input: a request to create, disable, or change a user. Output: users with their
 * states, or an AppError that names every mistake.
 * Invariant: e-mails are unique and in lower case. A tenant with users always has a working owner.
 * Disabling a user, or changing role or password, ends its sessions. Every change writes its audit
 * line in its own transaction. A request that changes nothing writes none.
 */
import { randomBytes } from "node:crypto";
import { AppError, type Mistake } from "../errors.ts";
import type { Clock } from "../process/clock.ts";
import type { AuditAction, FactsOf } from "../store/auditactions.ts";
import { type Actor, COMMAND_LINE } from "../store/auditstore.ts";
import type { KeyStore } from "../store/keystore.ts";
import type { Role, UserRow, UserStore } from "../store/userstore.ts";
import { newInvitation } from "./invitations.ts";
import { tenantNameProblem } from "./keyring.ts";
import { generatedPassword, type Passwords, passwordProblems } from "./passwords.ts";
import { PLAN_NAMES } from "./plannames.ts";
import { isPlanName, type PlanName } from "./plans.ts";

/** All roles, the most powerful first. */
export const ROLES = ["owner", "member"] as const satisfies readonly Role[];

/** State of a user. If the user cannot sign in, the state is the reason. */
type UserState = "active" | "disabled" | "invited" | "tenant_disabled";

/** A user with its state. */
export interface User extends UserRow {
  readonly state: UserState;
}

/** Properties of a new user. */
export interface NewUser {
  readonly email: string;
  /** The id of an existing tenant, or the name of a tenant. A tenant with a new name is created. */
  readonly tenant: { readonly id: string } | { readonly name: string };
  /** If undefined, the first user of a tenant becomes an owner, and the others become members. */
  readonly role?: string | undefined;
  /** Password; if undefined, one is generated. */
  readonly password?: string | undefined;
  /** New plan of the tenant's console. */
  readonly plan?: string | undefined;
  /** Plan for a tenant that has no plan and never had a key. */
  readonly planOtherwise?: PlanName | undefined;
}

/** A new user. `password` is the generated password, or null if the caller chose one. */
interface CreatedUser {
  readonly user: User;
  readonly password: string | null;
  /** True if the tenant had no plan and got `planOtherwise`. */
  readonly planAssumed: boolean;
}

/** A user who must choose a password; `token` is shown once. */
interface InvitedUser {
  readonly user: User;
  readonly token: string;
}

interface UsersParts {
  readonly store: UserStore;
  readonly keys: KeyStore;
  readonly passwords: Passwords;
  readonly clock: Clock;
  /** Actor of the changes. The default is the command line. */
  readonly actor?: Actor;
}

/** Maximum length of an e-mail (RFC 5321). */
export const EMAIL_MAX = 254;
const EMAIL = /^[^\s@\p{C}]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u;

/** Creates and changes users. */
export class Users {
  readonly #store: UserStore;
  readonly #keys: KeyStore;
  readonly #passwords: Passwords;
  readonly #clock: Clock;
  readonly #actor: Actor;

  constructor({ store, keys, passwords, clock, actor = COMMAND_LINE }: UsersParts) {
    this.#store = store;
    this.#keys = keys;
    this.#passwords = passwords;
    this.#clock = clock;
    this.#actor = actor;
  }

  /** Returns an object for the same users whose changes are attributed to this actor. */
  by(actor: Actor): Users {
    const [store, keys, passwords] = [this.#store, this.#keys, this.#passwords];
    return new Users({ store, keys, passwords, clock: this.#clock, actor });
  }

  /** Creates a user unless `show` throws. Throws `invalid_request` with all mistakes. */
  async create(
    wanted: NewUser,
    show: (created: CreatedUser) => void = () => undefined,
  ): Promise<CreatedUser> {
    const email = normalizedEmail(wanted.email);
    refuse("User not created", [...this.#mistakesIn(wanted, email), ...this.#taken(email)]);
    const made = wanted.password === undefined ? generatedPassword() : null;
    const password = await this.#passwords.hash(wanted.password ?? (made as string));
    const id = randomBytes(6).toString("hex");
    const createdAt = this.#clock.nowMs();
    return this.#store.atomically(() => {
      // Meanwhile, another process may have created the user, or the tenant's first user.
      refuse("User not created", this.#taken(email));
      const tenantId = this.#tenantId(wanted.tenant, createdAt);
      const first = this.#owners(tenantId).length === 0;
      if (first && wanted.role === "member") refuse("User not created", [OWNER_FIRST]);
      const role = (wanted.role as Role | undefined) ?? (first ? "owner" : "member");
      this.#store.insert({ id, tenantId, email, role, password, createdAt });
      this.#note("user.create", { tenantId, id }, { role });
      const planAssumed = this.#setPlan(tenantId, wanted);
      const user = withState(this.#store.find(id) as UserRow);
      const created = { user, password: made, planAssumed };
      show(created);
      return created;
    });
  }

  /** Creates a user who sets the password by a link. Throws `invalid_request` with all mistakes. */
  invite(wanted: Pick<NewUser, "email"> & { tenantId: string; role: Role }): InvitedUser {
    const email = normalizedEmail(wanted.email);
    const { tenantId, role } = wanted;
    const id = randomBytes(6).toString("hex");
    const createdAt = this.#clock.nowMs();
    const { stored: password, token, until } = newInvitation(id, createdAt);
    this.#store.atomically(() => {
      refuse("Nobody was invited", [...emailMistakes(email), ...this.#taken(email)]);
      this.#store.insert({ id, tenantId, email, role, password, createdAt });
      this.#noteInvited({ tenantId, id, role }, until);
    });
    return { user: withState(this.#store.find(id) as UserRow), token };
  }

  /** Returns a new link for an invited user. The previous one becomes invalid. */
  inviteAgain({ id }: UserRow): InvitedUser {
    const { stored, token, until } = newInvitation(id, this.#clock.nowMs());
    this.#change(id, (user) => {
      refuse("Nothing was changed", joinedMistakes(user));
      this.#store.setPassword(id, stored);
      this.#noteInvited(user, until);
    });
    return { user: withState(this.#store.find(id) as UserRow), token };
  }

  /** Revokes an invitation and removes its user. */
  uninvite({ id }: UserRow): void {
    this.#change(id, (user) => {
      refuse("Nothing was changed", joinedMistakes(user));
      this.#store.removeInvited(id);
      this.#note("user.uninvite", user, {});
    });
  }

  /** Returns the users of one tenant or all, oldest first. */
  list(tenantId?: string): User[] {
    return this.#store.list(tenantId).map(withState);
  }

  /** Returns a user of a tenant. Throws `not_found`, even if another tenant has the user. */
  member(tenantId: string, id: string): User {
    const found = this.#store.find(id);
    if (found?.tenantId === tenantId) return withState(found);
    throw new AppError("not_found", "There is no such user. GET /v1/console/members lists them.");
  }

  /** Returns the user with this e-mail, or undefined. Case and surrounding blanks do not matter. */
  named(email: string): User | undefined {
    const found = this.#store.named(normalizedEmail(email));
    return found === undefined ? undefined : withState(found);
  }

  /** Disables a user and ends its sessions. Throws `invalid_request` for the last working owner. */
  disable({ id }: UserRow): void {
    this.#change(id, (user) => {
      if (user.disabledAt !== null) return;
      this.#refuseLastOwner(user, "/state");
      this.#store.setDisabled(id, this.#clock.nowMs());
      this.#store.endSessions(id);
      this.#note("user.disable", user, {});
    });
  }

  enable({ id }: UserRow): void {
    this.#change(id, (user) => {
      if (user.disabledAt === null) return;
      this.#store.setDisabled(id, null);
      this.#note("user.enable", user, {});
    });
  }

  /**
   * Changes a user's role and ends its sessions except for `keepSession`. Throws `invalid_request`
   * for an unknown role and for the last working owner.
   */
  setRole({ id }: UserRow, role: string, keepSession?: string): void {
    refuse("Nothing was changed", roleMistakes(role));
    this.#change(id, (user) => {
      if (user.role === role) return;
      if (role === "member") this.#refuseLastOwner(user, "/role");
      this.#store.setRole(id, role as Role);
      this.#store.endSessions(id, keepSession);
      this.#note("user.role", user, { role: { from: user.role, to: role } });
    });
  }

  /**
   * Sets a user's password (by default a generated one) and ends its sessions. Returns a generated
   * password, which is shown once. Calls `show` in the transaction. If `show` throws, nothing
   * changes. Throws `invalid_request` for an unfit password.
   */
  async setPassword(
    { id, email }: UserRow,
    password?: string,
    show: (made: string | null) => void = () => undefined,
  ): Promise<string | null> {
    refuse("Nothing was changed", passwordMistakes(password, email, "/password"));
    const made = password === undefined ? generatedPassword() : null;
    const stored = await this.#passwords.hash(password ?? (made as string));
    this.#change(id, (user) => {
      this.#store.setPassword(id, stored);
      this.#store.endSessions(id);
      this.#note("user.password", user, {});
      show(made);
    });
    return made;
  }

  /** Returns the plan set for a tenant's console, else the highest plan of its keys, else free. */
  consolePlan(tenantId: string): PlanName {
    const facts = this.#store.planFacts(tenantId);
    if (facts === undefined) return "free";
    const { plan, keyPlans } = facts;
    if (plan !== null && isPlanName(plan)) return plan;
    return PLAN_NAMES.findLast((name) => keyPlans.includes(name)) ?? "free";
  }

  /** Reads and changes a user atomically, so two owners cannot disable each other. */
  #change(id: string, change: (user: UserRow) => void): void {
    this.#store.atomically(() => {
      const user = this.#store.find(id);
      if (user === undefined) throw new AppError("not_found", "There is no such user.");
      change(user);
    });
  }

  #owners(tenantId: string): UserRow[] {
    const users = this.#store.list(tenantId);
    return users.filter(({ role, disabledAt, invitedUntil }) => {
      return role === "owner" && disabledAt === null && invitedUntil === null;
    });
  }

  #refuseLastOwner(user: UserRow, pointer: string): void {
    const owners = this.#owners(user.tenantId);
    if (owners.length !== 1 || owners[0]?.id !== user.id) return;
    const detail = "This is the last active owner of the tenant. Make another user an owner first.";
    refuse("Nothing was changed", [{ pointer, code: "last_owner", detail }]);
  }

  /** Sets the requested plan. Returns true if it is `planOtherwise`. */
  #setPlan(tenantId: string, { plan, planOtherwise }: NewUser): boolean {
    const { plan: from = null, keyPlans = [] } = this.#store.planFacts(tenantId) ?? {};
    const assumed = plan === undefined && from === null && keyPlans.length === 0;
    const to = plan ?? (assumed ? planOtherwise : undefined);
    if (to === undefined || to === from) return false;
    this.#store.setPlan(tenantId, to);
    this.#note("tenant.plan", { tenantId, id: tenantId }, { plan: { from, to } });
    return assumed;
  }

  #tenantId(tenant: NewUser["tenant"], nowMs: number): string {
    if ("id" in tenant) return tenant.id;
    const fresh = randomBytes(8).toString("hex");
    const id = this.#keys.tenantId(tenant.name, fresh, nowMs);
    if (id === fresh) this.#note("tenant.create", { tenantId: id, id }, {});
    return id;
  }

  #noteInvited(user: Pick<UserRow, "tenantId" | "id" | "role">, until: number): void {
    const facts = { role: user.role, expires_at: new Date(until).toISOString() };
    this.#note("user.invite", user, facts);
  }

  /** Writes an audit line; call it only in the transaction of the change. */
  #note<Action extends AuditAction>(
    action: Action,
    { tenantId, id: subject }: Pick<UserRow, "tenantId" | "id">,
    facts: FactsOf<Action>,
  ): void {
    const at = this.#clock.nowMs();
    this.#store.audit.record({ at, actor: this.#actor, action, tenantId, subject, facts });
  }

  #taken(email: string): Mistake[] {
    if (this.#store.named(email) === undefined) return [];
    return [{ pointer: "/email", code: "email_taken", detail: "A user has this e-mail already." }];
  }

  #mistakesIn({ tenant, role, password, plan }: NewUser, email: string): Mistake[] {
    const mistakes = emailMistakes(email);
    const isNew =
      "name" in tenant && !this.#keys.tenants().some(({ name }) => name === tenant.name);
    const problem = isNew ? tenantNameProblem(tenant.name) : null;
    if (problem !== null) {
      mistakes.push({ pointer: "/tenant", code: "invalid_name", detail: `${problem}.` });
    }
    if (plan !== undefined && !isPlanName(plan)) {
      const detail = `The plan must be one of ${PLAN_NAMES.join(", ")}.`;
      mistakes.push({ pointer: "/plan", code: "unknown_plan", detail });
    }
    if (role !== undefined) mistakes.push(...roleMistakes(role));
    mistakes.push(...passwordMistakes(password, email, "/password"));
    return mistakes;
  }
}

const OWNER_FIRST: Mistake = {
  pointer: "/role",
  code: "owner_first",
  detail: "The tenant has no owner yet: its first user must be one.",
};

/** Returns an e-mail as it is stored and compared. */
export function normalizedEmail(email: string): string {
  return email.trim().normalize("NFC").toLowerCase();
}

/** Returns the mistakes in a password, each with the JSON pointer of the request member. */
export function passwordMistakes(
  password: string | undefined,
  email: string,
  pointer: string,
): Mistake[] {
  if (password === undefined) return [];
  return passwordProblems(password, email).map((detail) => {
    return { pointer, code: "unfit_password", detail };
  });
}

/** Throws `invalid_request` if there are mistakes. Its message has their details as sentences. */
export function refuse(what: string, mistakes: readonly Mistake[]): void {
  if (mistakes.length === 0) return;
  const details = mistakes.map(({ detail }) => detail).join(" ");
  throw new AppError("invalid_request", `${what}: ${details}`, { errors: mistakes });
}

function emailMistakes(email: string): Mistake[] {
  const fits = email.length <= EMAIL_MAX && EMAIL.test(email) && !email.includes("..");
  if (fits) return [];
  const detail = "This is not an e-mail address. Write it as name@example.com.";
  return [{ pointer: "/email", code: "invalid_email", detail }];
}

function roleMistakes(role: string): Mistake[] {
  if ((ROLES as readonly string[]).includes(role)) return [];
  const detail = `The role must be ${ROLES.join(" or ")}.`;
  return [{ pointer: "/role", code: "unknown_role", detail }];
}

function joinedMistakes({ invitedUntil }: UserRow): Mistake[] {
  if (invitedUntil !== null) return [];
  const detail = "This user has chosen a password already. Give another one instead.";
  return [{ pointer: "", code: "has_joined", detail }];
}

function withState(row: UserRow): User {
  const { disabledAt, tenantDisabledAt, invitedUntil } = row;
  if (disabledAt !== null) return { ...row, state: "disabled" };
  if (tenantDisabledAt !== null) return { ...row, state: "tenant_disabled" };
  return { ...row, state: invitedUntil === null ? "active" : "invited" };
}
