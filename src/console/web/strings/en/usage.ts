/**
 * English words of the usage view. What comes in: values that are formatted already. What goes out:
 * text.
 * Invariant: nothing here is markup.
 */

/** Words of this area. */
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
