/**
 * The views of a team: its keys, use, members, history and accounts, in one chunk.
 * Invariant: nothing else is in the chunk. These views share most of their words and parts. In
 * chunks of their own they compress worse, and their parts become further chunks. Apart because a
 * chunk is a module that is imported when it is needed.
 */
import "./kit.ts";
import "./laterkit.ts";

export { AccountView } from "../account/account.tsx";
export { UsageView } from "../account/usage.tsx";
export { KeysView } from "../keys/keys.tsx";
export { AuditView } from "../members/audit.tsx";
export { MembersView } from "../members/members.tsx";
