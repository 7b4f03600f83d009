/**
 * English words of the audit trail. What comes in: values of functions. What goes out: text.
 * Invariant: every action and every fact of the trail has its words; the Portuguese table has the
 * same keys.
 */
import type { AuditAction, FactName } from "../../../../store/auditactions.ts";

const actions: Record<AuditAction, string> = {
  "tenant.create": "Organisation made",
  "tenant.rename": "Organisation renamed",
  "tenant.disable": "Organisation disabled",
  "tenant.enable": "Organisation enabled",
  "tenant.plan": "Plan changed",
  "key.create": "Key made",
  "key.rename": "Key renamed",
  "key.disable": "Key disabled",
  "key.enable": "Key enabled",
  "key.expire": "End of a key changed",
  "key.rotate": "Key replaced",
  "user.create": "Member added",
  "user.invite": "Invitation made",
  "user.uninvite": "Invitation cancelled",
  "user.join": "Invitation accepted",
  "user.role": "Role changed",
  "user.disable": "Member disabled",
  "user.enable": "Member enabled",
  "user.password": "Password changed",
  "user.sessions": "Signed out everywhere",
  "state.restore": "Server restored from a backup",
  "state.upgrade": "Server upgraded",
};

const facts: Record<FactName, string> = {
  plan: "Plan",
  expires_at: "Ends",
  replaced_by: "Replaced by",
  role: "Role",
  backup_of: "Backup of",
  schema: "Schema",
};

/** Words of this area. */
export const audit = {
  lead: "Who changed keys, members and passwords. Nobody can edit or delete these lines.",
  ownerOnly: "Only an owner can see the audit trail.",
  none: "No changes yet",
  noneText: "From now on every change of a key or member leaves a line here.",
  failed: "The audit trail could not be loaded",
  what: "What",
  whom: "What it was done to",
  who: "By",
  when: "When",
  older: "Show older ones",
  command: "The operator of the server",
  you: "You",
  never: "never",
  change: (from: string, to: string) => `${from} → ${to}`,
  actions,
  facts,
};
