/**
 * Invitations: a link with which an added user sets the first password. Input: a user id, and later
 * the token of a link. Output: a placeholder hash that matches no password, and the user of a
 * token.
 * Invariant: a token is the user id followed by 256 random bits. Only the token's hash is stored.
 * It takes the place of the password's hash, so setting a password ends the invitation. The expiry
 * is stored next to the hash.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { AppError } from "../errors.ts";
import { DAY_MS } from "../process/clock.ts";
import { INVITED, type StoredPassword, type UserRow, type UserStore } from "../store/userstore.ts";

const INVITATION_MS = 7 * DAY_MS;

const TOKEN_BYTES = 32;
const SALT_BYTES = 16;
const TOKEN = /^([0-9a-f]{12})[A-Za-z0-9_-]{43}$/;

/** A new invitation: the stored part, and the token, which is shown once. */
interface Invitation {
  readonly stored: StoredPassword;
  readonly token: string;
  /** End of the invitation, in milliseconds since the epoch. */
  readonly until: number;
}

/** Creates an invitation for a user id. */
export function newInvitation(userId: string, nowMs: number): Invitation {
  const token = userId + randomBytes(TOKEN_BYTES).toString("base64url");
  const until = nowMs + INVITATION_MS;
  const salt = randomBytes(SALT_BYTES);
  return { stored: { hash: hashOf(token), salt, cost: `${INVITED}${until}` }, token, until };
}

/** True if a stored password is an invitation, so not a password. */
export function isInvitation({ cost }: StoredPassword): boolean {
  return cost.startsWith(INVITED);
}

/**
 * Finds an invitation by its token. Returns the invited user and the placeholder in place of a
 * password hash. Throws the same `sign_in_failed` for an unknown, used, revoked, or expired token.
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

/** Returns the error for every invalid token. */
export function unknownInvitation(): AppError {
  return new AppError(
    "sign_in_failed",
    "This invitation was used or taken back, or is too old. Ask its sender for another one.",
  );
}

/**
 * Hashes the token's text instead of its decoded bytes, because decoding drops bits of the last
 * character. Two different texts would then have the same hash.
 */
function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
