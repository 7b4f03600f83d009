/**
 * Types of the answers of the console's member routes.
 * Invariant: the server's handlers use these types, so both sides change together.
 */

/**
 * A user of the tenant. `GET /members` returns them. `POST /members` with `{email, role}` and `POST
 * /members/{id}/password` return one with a `password`.
 */
export interface Member {
  id: string;
  email: string;
  role: "owner" | "member";
  state: "active" | "disabled" | "invited";
  created_at: string;
  last_seen_at: string | null;
  /** Time at which the invitation expires. Null if the user has chosen a password. */
  invited_until: string | null;
  you: boolean;
}

/** `GET /members`: oldest first. `POST /members/{id}` returns the changed member. */
export interface MemberList {
  members: Member[];
}

/** `POST /members`, `POST /members/{id}/password`. Users change their own with `/password`. */
export interface CreatedMember extends Member {
  /** Random; shown once. */
  password: string;
}

/** `POST /invitations`, `POST /members/{id}/invitation`. */
export interface InvitedMember extends Member {
  /** Token of the page that sets the first password; shown once. */
  token: string;
}

/** `POST /invitation` with `{token}`: the invited user. */
export interface InvitationAnswer {
  email: string;
  tenant: string;
  expires_at: string;
}
