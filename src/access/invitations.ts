/**
 * Invitations: how somebody who was added chooses the first password. What comes in: the id of a
 * user, and later the token of a link. What goes out: a stored password that no password opens and
 * that stands for the invitation, and whom a token is for.
 * Invariant: a token is 256 random bits behind the id of its user; only its hash is kept, where the
 * hash of the password will stand, so that whatever replaces the one ends the other; it works
 * until a time that stands beside it.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { AppError } from "../errors.ts";
import { DAY_MS } from "../process/clock.ts";
import { INVITED, type StoredPassword, type UserRow, type UserStore } from "../store/userstore.ts";

/** How long an invitation works, in milliseconds. */
const INVITATION_MS = 7 * DAY_MS;

const TOKEN_BYTES = 32;
const SALT_BYTES = 16;
const TOKEN = /^([0-9a-f]{12})[A-Za-z0-9_-]{43}$/;

/** A new invitation: what is stored, and the token that is given out once. */
interface Invitation {
  readonly stored: StoredPassword;
  readonly token: string;
  /** Milliseconds since 1970 at which it ends. */
  readonly until: number;
}

/** Makes an invitation for the user of an id. */
export function newInvitation(userId: string, nowMs: number): Invitation {
  const token = userId + randomBytes(TOKEN_BYTES).toString("base64url");
  const until = nowMs + INVITATION_MS;
  const salt = randomBytes(SALT_BYTES);
  return { stored: { hash: hashOf(token), salt, cost: `${INVITED}${until}` }, token, until };
}

/** Whether a stored password stands for an invitation: it is no password then. */
export function isInvitation({ cost }: StoredPassword): boolean {
  return cost.startsWith(INVITED);
}

/**
 * Whom a token invites, and what stands in place of the password. Throws `sign_in_failed`, the same
 * for every token that is nobody's, was used or taken back, or is too old.
 */
export function findInvited(
  store: UserStore,
  token: string,
  nowMs: number,
): { readonly user: UserRow; readonly stored: StoredPassword } {
  const id = TOKEN.exec(token)?.[1];
  const user = id === undefined ? undefined : store.find(id);
  const stored = user === undefined ? undefined : store.password(user.id);
  if (user === undefined || stored === undefined) throw unknownInvitation();
  const isOpen = user.disabledAt === null && user.tenantDisabledAt === null;
  const isSoon = nowMs < (user.invitedUntil ?? 0);
  const isOwn = isInvitation(stored) && timingSafeEqual(hashOf(token), stored.hash);
  if (!isOpen || !isSoon || !isOwn) throw unknownInvitation();
  return { user, stored };
}

/** What every token is told that opens nothing. */
export function unknownInvitation(): AppError {
  return new AppError(
    "sign_in_failed",
    "This invitation was used or taken back, or is too old. Ask its sender for another one.",
  );
}

/** The text and not its bytes: the last character has bits that decoding drops. */
function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
