/**
 * English words of the view of members and of the audit trail.
 * Invariant: every action and fact of the trail has its words; the Portuguese tables have the same
 * keys.
 */
import type { AuditAction, FactName } from "../../../../store/auditactions.ts";

/** Words of the view of members. */
export const members = {
  lead: "Who may sign in to this organisation. Owners also manage keys and members.",
  ownerOnly: "Only an owner can see the members.",
  add: "Add a member",
  email: "E-mail",
  emailNeeded: "Type the e-mail address.",
  emailWrong: "Write it as name@company.com.",
  role: "Role",
  roleHints: {
    owner: "Everything, also keys and members",
    member: "Search, export, saved searches",
  },
  state: "State",
  states: { active: "Active", disabled: "Disabled", invited: "Invited" },
  added: "Added",
  seen: "Last seen",
  seenAgo: (when: string) => `Seen ${when}`,
  never: "Never",
  neverSeen: "Never signed in",
  you: "You",
  actions: (email: string) => `Actions for ${email}`,
  makeOwner: "Make an owner",
  makeMember: "Make a member",
  newPassword: "New password",
  disable: "Disable",
  enable: "Enable",
  addTitle: "Add a member",
  addSubmit: "Add",
  onceTitle: "Pass on the password now",
  once: "It is shown only this once. Ask the member to change it after signing in.",
  password: "Password",
  done: "I have passed it on",
  makeOwnerTitle: (email: string) => `Make ${email} an owner?`,
  makeOwnerText: "Owners manage keys and members. The member has to sign in again.",
  makeMemberTitle: (email: string) => `Make ${email} a member?`,
  makeMemberText: "No more managing of keys and members. The owner has to sign in again.",
  disableTitle: (email: string) => `Disable ${email}?`,
  disableText: "All sessions end at once, and signing in is refused until you enable it again.",
  passwordTitle: (email: string) => `New password for ${email}?`,
  passwordText: "The present password stops working and all sessions end at once.",
  passwordSubmit: "Make a new password",
  way: "How the member signs in",
  ways: { link: "Invitation link", password: "Ready password" },
  wayHints: {
    link: "You pass on a link, and the member chooses a password.",
    password: "A password is made now, and you pass it on.",
  },
  invitedUntil: (when: string) => `Invitation ends ${when}`,
  invitedEnded: "Invitation ended",
  newLink: "New invitation link",
  uninvite: "Cancel the invitation",
  uninviteTitle: (email: string) => `Cancel the invitation of ${email}?`,
  uninviteText: "The link stops working, and the member leaves the list.",
  newLinkTitle: (email: string) => `New link for ${email}?`,
  newLinkText: "The link before it stops working.",
  linkTitle: "Pass on the link now",
  linkOnce: (day: string) =>
    `It is shown only this once, works once, and ends on ${day}. Its reader chooses the password.`,
  link: "Invitation link",
  linkDone: "I have passed it on",
  mail: "Write an e-mail",
  mailSubject: "Invitation to Peneira",
  mailBody: (link: string, day: string) =>
    `Hello! This is your way into Peneira. Open it and choose a password by ${day}:\n\n${link}`,
  joinTitle: "Choose your password",
  joinLead: (tenant: string | null) =>
    tenant === null
      ? "You have been invited to the team."
      : `You have been invited to the team ${tenant}.`,
  joinSubmit: "Sign in",
  joinFailed: "This invitation does not work",
  joinFailedText: "It was used before, cancelled, or has ended. Ask its sender for another one.",
  joinSignIn: "Go to the sign-in page",
  changed: "Changed",
};

const actions: Record<AuditAction, string> = {
  "tenant.create": "Organisation made",
  "tenant.rename": "Organisation renamed",
  "tenant.disable": "Organisation disabled",
  "tenant.enable": "Organisation enabled",
  "tenant.plan": "Plan changed",
  "key.create": "Key made",
  "key.rename": "Key renamed",
  "key.plan": "Key plan changed",
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

/** Words of the audit trail. */
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
