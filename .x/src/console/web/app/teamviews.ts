/**
 * The views of a team: its keys, use, members, history, and accounts, in one chunk.
 * Invariant: nothing else is in the chunk. These views share most of their words and parts.
 * Separate chunks compress worse, and their parts become further chunks. Apart because a chunk is a
 * module that is imported on demand.
 */
import "./kit.ts";
import "./lazykit.ts";

export { AccountView } from "../account/account.tsx";
export { UsageView } from "../account/usage.tsx";
export { KeysView } from "../keys/keys.tsx";
export { AuditView } from "../members/audit.tsx";
export { MembersView } from "../members/members.tsx";
