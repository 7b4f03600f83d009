/**
 * The table of audit actions: their names, their meanings, and the facts (such as the old and new
 * name) that an audit line records.
 * Invariant: an action exists exactly if it has a row here. The compiler or a test checks that
 * writers, the console's words in both languages, and the documents cover every row. No row allows
 * a name, an e-mail, an address, or a secret as a fact.
 */

/** Kind of a fact: `value` is one value, `change` an old and a new value. */
type FactKind = "value" | "change";

/** Value of a fact; times are ISO texts. */
type FactValue = string | number | null;

interface Change {
  readonly from: FactValue;
  readonly to: FactValue;
}

interface Action {
  readonly meaning: string;
  readonly facts: Readonly<Record<string, FactKind>>;
}

/** All actions. In a name, the word before the dot is the kind of the subject. */
export const AUDIT_ACTIONS = {
  "tenant.create": action("a tenant was created", {}),
  "tenant.rename": action("a tenant was renamed", {}),
  "tenant.disable": action("a tenant was disabled, with its keys, sessions, and links", {}),
  "tenant.enable": action("a disabled tenant was enabled", {}),
  "tenant.plan": action("the plan of a tenant's console changed", { plan: "change" }),
  "key.create": action("a key was created", { plan: "value", expires_at: "value" }),
  "key.rename": action("a key was renamed", {}),
  "key.plan": action("the plan of a key changed", { plan: "change" }),
  "key.disable": action("a key was disabled", {}),
  "key.enable": action("a disabled key was enabled", {}),
  "key.expire": action("the expiry of a key changed", { expires_at: "change" }),
  "key.rotate": action("a key was replaced", { replaced_by: "value", expires_at: "change" }),
  "user.create": action("a user was created", { role: "value" }),
  "user.invite": action("a user was invited by a link to choose a password", {
    role: "value",
    expires_at: "value",
  }),
  "user.uninvite": action("an invitation was cancelled", {}),
  "user.join": action("an invited user chose a password", {}),
  "user.role": action("the role of a user changed", { role: "change" }),
  "user.disable": action("a user was disabled and signed out", {}),
  "user.enable": action("a disabled user was enabled", {}),
  "user.password": action("a user's password changed, which ended all sessions of the user", {}),
  "user.sessions": action("a user ended all sessions", {}),
  "webhook.create": action("a webhook was created", {}),
  "webhook.change": action("a webhook was changed", {}),
  "webhook.rotate": action("the secret of a webhook was replaced", {}),
  "webhook.warn": action("the server warned that a webhook keeps failing", { warning: "value" }),
  "webhook.disable": action("a webhook was disabled", { reason: "value" }),
  "webhook.enable": action("a disabled webhook was enabled", {}),
  "webhook.delete": action("a webhook was deleted, with its queue", {}),
  "email.create": action("an e-mail receiver was created", {}),
  "email.change": action("an e-mail receiver was changed", {}),
  "email.warn": action("the server warned that e-mails keep failing", { warning: "value" }),
  "email.disable": action("an e-mail receiver was disabled", { reason: "value" }),
  "email.enable": action("an e-mail receiver was enabled, by its owner or its reader", {}),
  "email.unsubscribe": action("the reader of e-mails unsubscribed, which deleted their queue", {}),
  "email.delete": action("an e-mail receiver was deleted, with its queue", {}),
  "state.restore": action("the state was made from a backup", { backup_of: "value" }),
  "state.upgrade": action("the state was migrated to a newer schema", { schema: "change" }),
} as const satisfies Readonly<Record<string, Action>>;

/** Name of an action. */
export type AuditAction = keyof typeof AUDIT_ACTIONS;

/** The facts that a line of this action must have, and no others. */
export type FactsOf<Name extends AuditAction> = {
  readonly [Fact in keyof KindsOf<Name>]: KindsOf<Name>[Fact] extends "change" ? Change : FactValue;
};

type KindsOf<Name extends AuditAction> = (typeof AUDIT_ACTIONS)[Name]["facts"];

/** Name of a fact. */
export type FactName = {
  [Name in AuditAction]: keyof (typeof AUDIT_ACTIONS)[Name]["facts"];
}[AuditAction];

/** Facts of a line of any action. */
export type Facts = Readonly<Record<string, FactValue | Change>>;

/** All actions, in table order. */
export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as readonly AuditAction[];

function action<const Wanted extends Readonly<Record<string, FactKind>>>(
  meaning: string,
  facts: Wanted,
): { readonly meaning: string; readonly facts: Wanted } {
  return { meaning, facts };
}
