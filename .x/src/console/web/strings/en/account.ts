/**
 * English words of the account view and of the usage view.
 * Invariant: the Portuguese tables have the same keys.
 */
import { duration, number } from "../../app/format.ts";

/** Words of the account view. */
export const account = {
  who: "Signed in",
  email: "E-mail",
  role: "Role",
  tenant: "Organisation",
  plan: "Plan",
  passwordTitle: "Password",
  passwordLead: "A new password ends all your other sessions.",
  current: "Current password",
  next: "New password",
  nextHint: (least: number) => `At least ${number(least)} characters; a passphrase is best.`,
  nextShort: (have: number, least: number) =>
    `${number(have)} of at least ${number(least)} characters.`,
  nextSame: "It is the current password.",
  needed: "Fill this in.",
  wrongCurrent: "This is not your current password.",
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

/** Words of the usage view. */
export const usage = {
  title: "Usage",
  intro: (from: string, to: string) => `${from} to ${to}`,
  daysBegin: (hour: string, isEve: boolean) =>
    `Days are counted in UTC, starting at ${hour}${isEve ? " the evening before" : ""} your time.`,
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
    lists: "Lists",
    list_entries: "Entries per list",
    secondary_cnae_full: "Secondary activities in full",
  } as Readonly<Record<string, string>>,
  noLimit: "no limit",
  yes: "yes",
  no: "no",
  senders: "Sources",
  sendersHint: "Click a source to hide or show it",
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
