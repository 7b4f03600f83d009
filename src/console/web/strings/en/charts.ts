/**
 * English words of charts and overview.
 * Invariant: the Portuguese table has the same keys.
 */
import { BRANCHES_EN } from "../../../../spec/branches-en.ts";

/** Words of this area. */
export const charts = {
  title: "Breakdown of the matches",
  more: "More charts",
  fewer: "Fewer charts",
  numbersOf: (chart: string) => `Numbers: ${chart}`,
  numbers: [
    "See all values",
    "Copy as table",
    "Download CSV",
    "Download Excel (XLSX)",
  ] as readonly [string, string, string, string],
  onMap: "See on a map",
  timeHeads: { year: "Opened in", closedIn: "Closed in", count: "Establishments", share: "Share" },
  asTable: (chart: string) => `${chart} as a table`,
  table: "Table",
  nothing: "No matches to break down.",
  count: "Establishments",
  share: "Share",
  total: "Total",
  others: (values: string) => `${values} others`,
  othersOne: "1 other",
  missing: "Not informed",
  notCounted: "Left out by the filter; click to add it",
  only: "only",
  onlyThis: (name: string) => `Only ${name}`,
  of: (count: string, share: string) => `${count} · ${share}`,
  named: (name: string, count: string, share: string) =>
    `${name}: ${count} establishments, ${share}`,

  states: "States",
  state: "State",
  mapShort: "Click states to filter.",
  mapOf: "Map of Brazil by state",
  abroad: "Abroad",
  map: "Map",
  outlines: "© ",
  outlinesBy: "MapSVG",
  outlinesChanged: " (adapted), ",
  legend: "Establishments per state",
  from: (least: string, most: string) => `${least}–${most}`,
  atLeast: (least: string) => `≥ ${least}`,

  activities: "Activities",
  activity: "Activity",
  beginning: (words: string) => `“…” stands for “${words}”.`,
  divisions: "Branches",
  branches: BRANCHES_EN,

  sizes: "Company size",
  size: "Size",
  sizesShort: { "01": "Micro (ME)", "03": "Small (EPP)" } as Record<string, string>,

  years: "Opening year",
  year: "Year",
  before: (year: number) => `Before ${year}`,
  yearsHint: "Drag, or click a decade.",
  yearsFrom: "From year",
  yearsTo: "To year",
  interval: (from: string, to: string) => (from === to ? from : `${from}–${to}`),
  decade: (year: number) => `Decade from ${year}`,
  yearsAll: "All years",

  contact: "Contact",
  contactParts: "Establishments by what is known of them",
  contactNames: {
    email_and_phone: "E-mail and phone",
    email: "E-mail only",
    phone: "Phone only",
    none: "Neither",
  } as Readonly<Record<string, string>>,
  reaches: { email: "With e-mail", phone: "With phone", any: "With either" },

  status: "Registration",
  statusOne: "Status",

  optIns: "Tax regimes",
  optIn: "Regime",
  simples: "Simples Nacional",
  mei: "MEI",
  yes: "Opted in",
  no: "Not opted in",

  municipalities: "Municipalities",
  municipality: "Municipality",

  overview: {
    title: "The whole register",
    accounts: "establishments in the register",
    snapshot: (month: string, day: string) => `Snapshot of ${month}, data as of ${day}`,
    start: "Ask in your own words, or click anything below.",
    failed: "The register could not be counted.",
    sections: "What they do",
    section: "Section",
  },
};
