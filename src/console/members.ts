/**
 * The members of a tenant in the console, for owners. Generated passwords and invitation tokens are
 * returned once.
 * Invariant: another tenant's users are treated as nonexistent. A change ends the sessions of the
 * changed user. Users cannot reset their own password without the current one.
 */
import { PASSWORD_UNITS } from "../access/limits.ts";
import { EMAIL_MAX, ROLES, type User } from "../access/users.ts";
import { AppError } from "../errors.ts";
import type { BodyObject } from "../http/server/body.ts";
import { type HttpAnswer, noContent } from "../http/server/respond.ts";
import type { SessionCall } from "../http/server/service.ts";
import { onBehalfOf } from "./audit.ts";
import { membersOf, readChoice, readText, refuse, refuseMistakes } from "./bodymembers.ts";
import { typedAnswer } from "./typedanswer.ts";
import type { CreatedMember, InvitedMember, Member, MemberList } from "./web/app/memberanswers.ts";

const STATES = ["active", "disabled"] as const;

/** `GET /members`: oldest first. */
export function listMembers(call: SessionCall<"users">): HttpAnswer {
  const { service, requestId, identity } = call;
  const members = service.users.list(identity.tenantId).map((user) => shown(call, user));
  return typedAnswer<MemberList>({ request_id: requestId, members });
}

/** `POST /members` with `{email, role?}`. */
export async function createMember(
  call: SessionCall<"audit" | "keyring" | "users">,
): Promise<HttpAnswer> {
  const body = membersOf(call, ["email", "role"]);
  const email = readText(body, "email", EMAIL_MAX);
  const role = readChoice(body, "role", ROLES) ?? "member";
  refuseMistakes(body);
  const { users } = onBehalfOf(call);
  call.spend(PASSWORD_UNITS);
  const tenant = { id: call.identity.tenantId };
  const { user, password } = await users.create({ email, tenant, role });
  return typedAnswer<CreatedMember>(withPassword(call, user, password), 201);
}

/** `POST /invitations` with `{email, role?}`: the user will choose a password by a link. */
export function inviteMember(call: SessionCall<"audit" | "keyring" | "users">): HttpAnswer {
  const body = membersOf(call, ["email", "role"]);
  const email = readText(body, "email", EMAIL_MAX);
  const role = readChoice(body, "role", ROLES) ?? "member";
  refuseMistakes(body);
  const { tenantId } = call.identity;
  const { user, token } = onBehalfOf(call).users.invite({ email, tenantId, role });
  return typedAnswer<InvitedMember>({ ...answerOf(call, user.id), token }, 201);
}

/** `POST /members/{id}/invitation`: a new link; the previous one ends. */
export function inviteAgain(call: SessionCall<"audit" | "keyring" | "users">): HttpAnswer {
  const user = memberOf(call);
  refuseMistakes(membersOf(call, []));
  const { token } = onBehalfOf(call).users.inviteAgain(user);
  return typedAnswer<InvitedMember>({ ...answerOf(call, user.id), token });
}

/** `DELETE /members/{id}/invitation`: revokes it and removes the member, who never joined. */
export function uninviteMember(call: SessionCall<"audit" | "keyring" | "users">): HttpAnswer {
  const user = memberOf(call);
  onBehalfOf(call).users.uninvite(user);
  return noContent();
}

/** `POST /members/{id}` with `{role?, state?}`. */
export function changeMember(call: SessionCall<"audit" | "keyring" | "users">): HttpAnswer {
  const user = memberOf(call);
  const body = membersOf(call, ["role", "state"]);
  const role = readChoice(body, "role", ROLES);
  const state = readChoice(body, "state", STATES);
  if (Object.keys(body.members).length === 0) refuseNothing(body);
  refuseMistakes(body);
  const { users } = onBehalfOf(call);
  const self = user.id === call.session.user.id;
  // The last owner can be neither made a member nor disabled. So a request with both changes is
  // refused before either is made.
  if (role !== null) users.setRole(user, role, self ? call.session.id : undefined);
  if (state === "disabled") users.disable(user);
  if (state === "active") users.enable(user);
  return typedAnswer<Member>(answerOf(call, user.id));
}

/** `POST /members/{id}/password`: generates a new password. */
export async function resetPassword(
  call: SessionCall<"audit" | "keyring" | "users">,
): Promise<HttpAnswer> {
  const user = memberOf(call);
  refuseMistakes(membersOf(call, []));
  if (user.id === call.session.user.id) {
    const detail = "Change your own password with the present one, at /v1/console/password.";
    throw new AppError("invalid_request", detail);
  }
  const { users } = onBehalfOf(call);
  call.spend(PASSWORD_UNITS);
  const password = await users.setPassword(user);
  return typedAnswer<CreatedMember>(withPassword(call, user, password));
}

function refuseNothing(body: BodyObject): void {
  refuse(body, "role", "Say role or state, or both: nothing is to be changed.");
}

/** Returns the user in the path. Throws `not_found` also for users of other tenants. */
function memberOf({ service, params, identity }: SessionCall<"users">): User {
  return service.users.member(identity.tenantId, params.id ?? "");
}

/** Adds the generated password to the answer. There is one, because the request set no password. */
function withPassword(call: SessionCall<"users">, { id }: User, password: string | null) {
  return { ...answerOf(call, id), password: password as string };
}

/** Answers with a member in its current state. */
function answerOf(call: SessionCall<"users">, id: string) {
  const user = call.service.users.member(call.identity.tenantId, id);
  return { request_id: call.requestId, ...shown(call, user) };
}

function shown({ session }: SessionCall, user: User) {
  const { id, email, role, state, createdAt, lastSeenAt, invitedUntil } = user;
  return {
    id,
    email,
    role,
    // A member of a disabled tenant is reported as disabled. Users of that tenant cannot see this,
    // because they cannot sign in.
    state: state === "tenant_disabled" ? ("disabled" as const) : state,
    created_at: new Date(createdAt).toISOString(),
    last_seen_at: lastSeenAt === null ? null : new Date(lastSeenAt).toISOString(),
    invited_until: invitedUntil === null ? null : new Date(invitedUntil).toISOString(),
    you: id === session.user.id,
  };
}
