/**
 * Types of the answers of the console's member routes.
 * Invariant: the server's handlers use these types, so both sides change together.
 */

/** `GET /members`; `POST /members` `{email, role}` and `…/{id}/password` add `password`. */
export interface Member {
  id: string;
  email: string;
  role: "owner" | "member";
  state: "active" | "disabled" | "invited";
  created_at: string;
  last_seen_at: string | null;
  /** End of the invitation; null if the user has chosen a password. */
  invited_until: string | null;
  you: boolean;
}

/** `GET /members`: oldest first. `POST /members/{id}` returns the changed member. */
export interface MemberList {
  members: Member[];
}

/** `POST /members`, `POST /members/{id}/password` (for one's own: `POST /password`). */
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
