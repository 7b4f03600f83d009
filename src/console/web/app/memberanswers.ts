/**
 * What the console's routes of members answer, as they are sent. What comes in: nothing. What goes
 * out: types.
 * Invariant: the server's handlers are typed by these, so that both sides change together.
 */

/** `GET /members`; `POST /members` `{email, role}` and `…/{id}/password` add `password`. */
export interface Member {
  id: string;
  email: string;
  role: "owner" | "member";
  state: "active" | "disabled" | "invited";
  created_at: string;
  last_seen_at: string | null;
  /** When the invitation ends; null for who has chosen a password. */
  invited_until: string | null;
  you: boolean;
}

/** `GET /members`: oldest first. `POST /members/{id}` answers the member as it is then. */
export interface MemberList {
  members: Member[];
}

/** `POST /members`, `POST /members/{id}/password` (not for oneself: that is `POST /password`). */
export interface CreatedMember extends Member {
  /** Made up; shown once. */
  password: string;
}

/** `POST /invitations`, `POST /members/{id}/invitation`. */
export interface InvitedMember extends Member {
  /** Opens the page where the first password is chosen; given out once. */
  token: string;
}

/** `POST /invitation` with `{token}`: whom it is for. */
export interface InvitationAnswer {
  email: string;
  tenant: string;
  expires_at: string;
}
