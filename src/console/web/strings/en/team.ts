/**
 * English words of the views of a team: the user's account, API keys, usage, members and
 * the audit trail.
 * Invariant: the Portuguese table has the same keys; nothing here is markup. Every
 * action and every fact of the trail has its words.
 */

import type { AuditAction, FactName } from "../../../../store/auditactions.ts";
import { date, duration, number } from "../../app/format.ts";

/** Words of the user's own account. */
export const account = {
  who: "Signed in",
  email: "E-mail",
  role: "Role",
  tenant: "Organisation",
  plan: "Plan",
  passwordTitle: "Password",
  passwordLead: "A new password ends all your other sessions.",
  current: "Present password",
  next: "New password",
  nextHint: (least: number) =>
    `At least ${number(least)} characters; a sentence of your own is best.`,
  nextShort: (have: number, least: number) =>
    `${number(have)} of at least ${number(least)} characters.`,
  nextSame: "It is the present password.",
  needed: "Fill this in.",
  wrongCurrent: "This is not your present password.",
  change: "Change password",
  changed: "Password changed. All other sessions have ended.",
  sessionsTitle: "Sessions",
  sessionsLead: (idleSeconds: number) =>
    `Where you are signed in. A session ends after ${duration(idleSeconds)} without use.`,
  here: "This session",
  elsewhere: "Another session",
  began: (when: string) => `Signed in ${when}`,
  used: (when: string) => `last used ${when}`,
  everywhere: "Sign out everywhere",
  everywhereTitle: "Sign out everywhere?",
  everywhereText: "All your sessions end, also this one.",
};

/** Words of the view of API keys. */
export const keys = {
  lead:
    "Programs use these to search and export by the API. Each key is shown only once, when it" +
    " is made.",
  create: "New key",
  readOnly: "Only an owner can make or change keys.",
  none: "No keys yet",
  noneText: "Make one to use the API from your own programs.",
  name: "Name",
  nameHint: "What will use it, such as “CRM import”.",
  nameNeeded: "Give the key a name.",
  state: "State",
  plan: "Plan",
  created: "Made",
  lastUsed: "Last used",
  never: "Never",
  expires: "Ends",
  endsNever: "Never ends",
  endsOn: (iso: string) => `Ends ${date(iso)}`,
  usedAgo: (when: string) => `Used ${when}`,
  unused: "Never used",
  unnamed: "(no name)",
  states: {
    active: "Active",
    disabled: "Disabled",
    expired: "Ended",
    tenant_disabled: "Organisation disabled",
  },
  actions: (name: string) => `Actions for ${name}`,
  rename: "Rename",
  rotate: "Replace",
  disable: "Disable",
  enable: "Enable",
  lifetime: "Ends",
  lifetimes: { never: "Never", d30: "In 30 days", d90: "In 90 days", d365: "In a year" },
  createTitle: "New API key",
  createSubmit: "Make the key",
  onceTitle: "Copy the key now",
  once:
    "It cannot be shown again: the server keeps only its fingerprint. If it is lost, make " +
    "another one.",
  key: "Key",
  tryIt: "Try it",
  done: "I have copied it",
  renameTitle: "Rename the key",
  renamed: "Renamed",
  rotateTitle: (name: string) => `Replace “${name}”`,
  rotateText:
    "A new key with the same name and plan is made. The old one goes on working for as long" +
    " as you choose, so that programs can be changed without a gap. " +
    "The new key has no end date.",
  overlap: "The old key works for another",
  overlaps: { s0: "Stop at once", h1: "1 hour", d1: "1 day", d7: "7 days", d30: "30 days" },
  rotateSubmit: "Make the new key",
  replaced: (iso: string, left: number) =>
    left <= 0
      ? "The old key has stopped."
      : `The old key stops in ${duration(left)} (${date(iso)}).`,
  disableTitle: (name: string) => `Disable “${name}”?`,
  disableText: "Programs that use it are refused at once. You can enable it again at any time.",
  disabled: "Key disabled",
  enabled: "Key enabled",
};

/** Words of the usage view. */
export const usage = {
  title: "Usage",
  intro: (from: string, to: string) => `${from} to ${to}`,
  daysBegin: (hour: string, isEve: boolean) =>
    `On your clock a day and its quota begin at ${hour}${isEve ? " the evening before" : ""}.`,
  today: "Today",
  requests: "Requests",
  accounts: "Establishments returned",
  exportRows: "Rows exported",
  perDay: (what: string) => `${what} per day`,
  quota: "Export rows left today",
  quotaOf: (left: string, all: string) => `${left} of ${all}`,
  quotaUsed: (share: string) => `${share} used`,
  unlimited: "No daily quota",
  plan: "Plan",
  limits: "Limits of the plan",
  limitNames: {
    search_limit: "Accounts per page of a search",
    export_rows: "Rows per export",
    export_rows_per_day: "Export rows per day",
    requests_per_second: "Requests per second and key",
    burst: "Requests at once per key",
    concurrent_requests: "Requests under way at once per key",
    concurrent_exports: "Exports at the same time",
    queued_exports: "Exports waiting",
    export_retention: "Exports are kept for",
    export_bytes: "Files of exports",
    saved_bytes: "Saved searches and records of exports",
    secondary_cnae_full: "Secondary activities in full",
  } as Readonly<Record<string, string>>,
  noLimit: "no limit",
  yes: "yes",
  no: "no",
  senders: "Senders",
  sendersHint: "Press a sender to hide or show it",
  unnamedKey: "Key without a name",
  goneUser: "Former user",
  others: "All others",
  othersOf: (count: string) => `${count} others`,
  kindKey: "key",
  kindConsole: "console",
  day: "Day",
  sum: "Sum",
  whole: (days: string) => (days === "1" ? "Today alone" : `Last ${days} days`),
  nothingTitle: "Nothing was asked yet",
  nothing: "Requests of keys and of people in this console appear here day by day.",
  asTable: "As a table",
  failed: "Usage could not be loaded.",
};

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
  joinFailedText:
    "It was used before, cancelled, or has ended. Ask whoever sent it for another one.",
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
