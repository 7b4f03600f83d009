/**
 * English texts of the dialog with all numbers of a chart, of the comparison of two groups, of
 * cross tables, and of plans.
 * Invariant: the Portuguese tables have the same keys.
 */
import { number } from "../../app/format.ts";

/** Words of the dialog of all numbers. */
export const numbers = {
  failed: "The numbers could not be counted.",
  copy: "Copy as table",
  search: "Search in the values",
  lines: (lines: number) => (lines === 1 ? "1 row" : `${number(lines)} rows`),
  more: (lines: number) => `Show ${number(lines)} more`,
  event: "What",
  events: { opened: "Openings", closed: "Closings" },
  openedOf: (statuses: string) =>
    statuses === ""
      ? "Counted with any status of today."
      : `Only those whose status today is ${statuses}.`,
  closedOf: (status: string) =>
    `Those whose status today is ${status}; the search's filter by status does not apply here.`,
  period: "By",
  periods: { year: "Year", quarter: "Quarter", month: "Month" },
};

/** Words of the comparison and of cross tables. */
export const compare = {
  title: "Compare two groups",
  crossTitle: "Cross table",
  mode: "View",
  modeGroups: "Two groups",
  modeCross: "Cross table",
  shareLink: "Copy link",
  group: "Search",
  groupNamed: (at: number) => `Group ${at}`,
  edit: "Edit in search",
  state: "State",
  mei: "MEI",
  onlyMei: "MEI only",
  noMei: "Without MEI",
  opened: "Opened in",
  otherDays: "Other days",
  saved: "Saved search",
  choose: "Choose…",
  any: "Any",
  sentence: "Or describe the group",
  use: "Use",
  suggest: "Choose what to compare with.",
  chooseSecond: "The numbers appear when both groups are chosen.",
  meiAndNot: "MEI and others",
  monthBefore: "Opened this month and the month before",
  registry: "Whole registry",
  by: "Compare by",
  rows: "Rows",
  columns: "Columns",
  sameFacets: "Choose two different fields.",
  share: "Share",
  index: "Index",
  indexHint: (base: string) => `Index: 100 means the same share as in: ${base}; 200 is twice that.`,
  base: (statuses: string, month: string) =>
    `Whole registry${month && ` of ${month}`}${statuses && `, status ${statuses}`}`,
  presentIn: "Present in",
  presentBefore: (now: string, before: string) => `This search in ${now} and in ${before}`,
  oneMonth: (now: string) =>
    `The server has ${now} only: openings are compared by their opening date.`,
  chart: "Share of each group",
  table: "Comparison as a table",
  fileHasAll: "The files have all rows and columns.",
  crossOf: (rows: string, columns: string) => `${rows} × ${columns}`,
  units: ["Head office", "Branch"] as readonly [string, string],
  facetNames: {
    uf: "State",
    municipality: "Municipality",
    cnae_section: "Section of activity",
    cnae_division: "Branch",
    cnae_group: "Group of activity",
    cnae_class: "Class of activity",
    cnae_subclass: "Main activity",
    registration_status: "Status",
    company_size: "Company size",
    started_year: "Opening year",
    legal_nature: "Legal nature",
    simples: "Simples Nacional",
    mei: "MEI",
    headquarters: "Head office or branch",
    contact: "Contact",
    started_quarter: "Opening quarter",
    started_month: "Opening month",
    status_year: "Year of the status",
    status_quarter: "Quarter of the status",
    status_month: "Month of the status",
  },
};

/** Words of the plans. */
export const plans = {
  title: "Plans",
  lead: "What each plan allows, how much was used, and which keys have it.",
  used: "Usage",
  what: "What",
  month: "This month",
  perDay: "Limit per day",
  seeUsage: "See usage by day and source",
  limit: "Limit",
  table: "Limits of the plans",
  current: "yours",
  fields: "Fields per company",
  keys: "Active keys",
  define:
    "The five names are fixed. A plan of your own is one of them with your limits, " +
    "which the server operator sets in the configuration file:",
  default: (value: string) => `default: ${value}`,
  change: "The server operator changes the plan of a key:",
  names: {
    free: "Free",
    starter: "Starter",
    growth: "Growth",
    scale: "Scale",
    enterprise: "Enterprise",
  } as Readonly<Record<string, string>>,
};

/** Words of the map of a state. */
export const stateMap = {
  title: (state: string) => `Municipalities of ${state}`,
  state: "State",
  measure: "Shades",
  count: "Establishments",
  rate: "Per 10,000 inhabitants",
  municipality: "Municipality",
  legend: "Shades: each has about a fifth of the municipalities with establishments",
  shade: (from: string, to: string, places: number) =>
    `${from === to ? from : `${from} to ${to}`} ` +
    `(${number(places)} ${places === 1 ? "municipality" : "municipalities"})`,
  named: (name: string, count: string, rate: string) =>
    `${name}: ${count} ${count === "1" ? "establishment" : "establishments"}, ` +
    `${rate} per 10,000 inhabitants`,
  table: (title: string) => `${title} as a table`,
  areas: "Areas are drawn around the municipal seats (GeoNames, CC BY 4.0); they are not borders.",
  population: (year: string) => `Population: IBGE ${year}.`,
  noPopulation: "This snapshot has no populations.",
};
