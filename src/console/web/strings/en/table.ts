/**
 * English words of the table, of one account, of the company page, and of the commands above the
 * results.
 * Invariant: the Portuguese tables have the same keys. Fields and codes are named as in the API.
 * The words for saving and exporting are here, because the first page does not load exports.ts.
 */
import { HEADINGS_EN } from "../../../../spec/fields/headings-en.ts";
import { number } from "../../app/format.ts";
import type { NamedColumn } from "../../find/table/columnset.ts";

/** Headings of the table's columns. */
const columns: Readonly<Record<NamedColumn, string>> = {
  name: "Company",
  trade_name: "Trade name",
  cnpj: "CNPJ",
  cnpj_root: "CNPJ root",
  headquarters: "Unit",
  opened: "Opened",
  size: "Size",
  capital: "Share capital",
  score: "Score",
  activity: "Main activity",
  cnae: "CNAE",
  secondary: "Other activities",
  city: "City",
  population: "Population",
  district: "District",
  street: "Street",
  postal_code: "Postal code",
  ibge: "IBGE",
  tom: "TOM",
  country: "Country",
  email: "E-mail",
  phone: "Phone",
  second_phone: "Second phone",
  status: "Status",
  status_since: "Status since",
  status_reason: "Reason",
  legal_nature: "Legal nature",
  simples: "Simples",
  mei: "MEI",
};

/** Parts of a score. */
const parts: Record<string, string> = {
  status: "Registration status",
  email: "Has an e-mail",
  phone: "Has a phone",
  age: "Years in business",
  recency: "Opened recently",
  size: "Company size",
  capital: "Share capital",
  activity: "Activity is known",
  headquarters: "Is the head office",
  sanction: "Sanction in force",
};

/** Strategies with a visible score. */
const strategies: Record<string, string> = {
  balanced: "balanced",
  contactable: "easy to reach",
  newest: "newest first",
  established: "established first",
};

/** Describes a filter's match. */
const matched: Record<string, (value: string) => string> = {
  cnae: (value) => `Main activity: ${value}`,
  cnae_secondary: (value) => `Other activity: ${value}`,
  text_hint: (value) => `The name contains “${value}”`,
  uf: (value) => `In the state: ${value}`,
  municipality_ibge: (value) => `In the city: ${value}`,
  municipality_tom: (value) => `In the city: ${value}`,
  district: (value) => `District: ${value}`,
  postal_code: (value) => `Postal code: ${value}`,
  area_code: () => "A phone with the wanted area code",
  registration_status: (value) => `Status: ${value}`,
  company_size_code: (value) => `Size: ${value}`,
  legal_nature: (value) => `Legal nature: ${value}`,
  headquarters: () => "It is the head office",
  simples_opt_in: (value) => `Simples Nacional: ${value}`,
  mei_opt_in: (value) => `MEI: ${value}`,
  started_on: (value) => `Opened on ${value}`,
  share_capital: (value) => `Share capital: ${value}`,
  email: () => "Has an e-mail",
  phone: () => "Has a phone",
  any_contact: () => "Has an e-mail or a phone",
  branches: () => "It is a branch",
  mobile: () => "Has a mobile phone",
  landline: () => "Has a landline",
  establishments: () => "The company has as many establishments as wanted",
  own_domain: () => "Its e-mail is at a domain of its own",
  email_shared: () => "Few other companies have its e-mail",
  phone_shared: () => "Few other companies have its phone",
  phone_number: (value) => `Its phone: ${value}`,
  email_address: (value) => `Its e-mail: ${value}`,
  status_changed: (value) => `Status since ${value}`,
  status_reason: (value) => `Reason of the status: ${value}`,
  simples_excluded: (value) => `Left Simples on ${value}`,
  mei_excluded: (value) => `Left MEI on ${value}`,
  sanction: () => "It is in a wanted list of sanctions",
  federal_debt: () => "Its federal debt is as wanted",
  federal_debt_kind: () => "It has a debt of a wanted kind",
  federal_debt_total: (value) => `Federal debt: ${value}`,
  owned_by: () => "A wanted company owns it",
  owned_companies: () => "It owns as many companies as wanted",
  owner_companies: () => "As many companies own it as wanted",
  contact_missing: () => "It lacks a contact, as wanted",
  lists: () => "It is in a list of yours",
};

/** Words of the table and of one account. */
export const table = {
  title: "Results",
  fields: HEADINGS_EN,
  columns,
  parts,
  strategies,
  matched,
  groups: {
    company: "Company",
    activity: "Activity",
    place: "Place",
    contact: "Contact",
    register: "Registration",
  },
  values: {
    yes: "Yes",
    no: "No",
    unknown: "not known",
    nameless: "No name in the register",
    mei: "MEI",
    mobile: "Mobile",
    landline: "Landline",
    headOffice: "Head office",
    branch: "Branch",
    sanctioned: "Sanctioned",
    email: "has an e-mail",
    phone: "has a phone",
    others: (first: string, more: number) => `${first} and ${more} more`,
  },
  grid: {
    label: "Establishments found",
    help: "Arrow keys move. Enter opens a company. Space selects it. C copies its CNPJ.",
    sortUp: (column: string) => `${column}: sort ascending`,
    sortDown: (column: string) => `${column}: sort descending`,
    sortUsual: (column: string) => `${column}: back to the usual order`,
    loading: "Loading the list…",
    loadingMore: "Loading more…",
    all: (count: string) => `End of list: ${count}`,
    one: "End of list: 1 establishment",
    full: (count: string, total: string) =>
      `The table ends here, at ${count} of ${total}. An export has them all.`,
    failed: "The rest of the list could not be loaded.",
    failedFirst: "The list could not be loaded.",
    retry: "Try again",
    restarted: (snapshot: string) => `New data came in (${snapshot}): the list started again.`,
    understood: "OK",
  },
  chooser: {
    button: "Columns",
    title: "Columns of the table",
    intro: "Tick what to show, and put it in order. The company always comes first.",
    shown: "Shown, in order",
    up: (column: string) => `Move ${column} up`,
    down: (column: string) => `Move ${column} down`,
    hide: (column: string) => `Hide ${column}`,
    moved: (column: string, place: number, of: number) => `${column}: place ${place} of ${of}`,
    fixed: "always first",
    reset: "Usual columns",
    done: "Done",
    noContact: "Your plan has no e-mails and phones, so there are no such columns.",
    noOthers: (names: string) => `Not part of your plan: ${names}.`,
  },
  drawer: {
    page: "Open its page",
    previous: "Previous company",
    next: "Next company",
    place: (place: string, total: string) => `${place} of ${total}`,
    loading: "Loading the company…",
    failed: "This company could not be loaded.",
    copy: (what: string) => `Copy: ${what}`,
    sanctioned: "A sanction is in force against this company (CEIS).",
    contact: "Contact",
    noContact: "The register has neither e-mail nor phone.",
    contactNotInPlan: "E-mails and phones are not part of your plan.",
    activities: "Activities",
    secondary: "Others",
    address: "Address",
    copyAddress: "Copy the address",
    map: "See on the map",
    registry: "View on Receita Federal",
    partners: "Partners who are persons are not included; Receita Federal shows them.",
    company: "Company",
    sharedBy: (count: string) => `the same: ${count} companies`,
    since: (status: string, day: string) => `${status} since ${day}`,
    population: (count: string) => `${count} inhabitants`,
    reason: (word: string) => `reason: ${word}`,
    why: "Why it is listed",
    notListed: "This company does not match the current filters.",
    score: (strategy: string) => `Score, ${strategy}`,
    noFilters: "There are no filters that it had to meet.",
    snapshot: (snapshot: string, day: string) => `Data of ${snapshot}, as of ${day}`,
  },
  printed: {
    sentence: "Search",
    filters: "Filters",
    data: "Data of",
    at: "Printed on",
    some: (rows: string, total: string) =>
      `The first ${rows} of ${total} establishments. Export the list to have all.`,
    all: (total: string) => `In all: ${total}.`,
  },
  code: {
    button: "Code",
    title: "This query as code",
    tabs: { curl: "curl", spec: "Spec (JSON)", cli: "Command line" },
    curl: "Put your API key into the variable PENEIRA_KEY; keys are created under “Keys”.",
    spec: "The query as a file, for the API, for exports and for the command line.",
    cli: "Without a server, on the file of the snapshot.",
    search: "Search",
    export: "All into a file",
    copy: "Copy",
  },
};

/** Words of the company page. */
export const company = {
  back: "Back to search",
  print: "Print",
  unknownTitle: "Not in this data",
  unknown: (cnpj: string) => `No establishment of this data has the CNPJ ${cnpj}.`,
  mistyped: "Its check digits are wrong: look whether it was typed right.",
  establishments: "Establishments of the company",
  establishmentsOf: (count: number) =>
    count === 1 ? "The only establishment" : `${number(count)} establishments of the company`,
  more: (left: string) => `Show more (${left} left)`,
};

/** Words of the commands above the results: save and export. */
export const commands = {
  button: "Export",
  buttonNothing: "There is nothing to export yet.",
  buttonBroad:
    "Name an activity, a place, a list, a phone or an e-mail first: so broad a query is not " +
    "exported.",
  buttonEmpty: "Nothing matches, so there is nothing to export.",
  everything: "All establishments",
  secondary: "secondary activities too",
  saveNothing: "Search for something first: there is nothing to save yet.",
  saveButton: "Notify me monthly",
  saveName: "Name",
  saveNameMissing: "Give it a name.",
  save: "Save",
  savedToast: (name: string) => `Saved: ${name}`,
  savedOpenList: "See saved searches",
  cancel: "Cancel",
};

/** Names of the registry's codes, for filters, charts, table, and drawer. */
export const codes = {
  sizes: {
    "00": "Not informed",
    "01": "Micro",
    "03": "Small",
    "05": "Medium or large",
  } as Readonly<Record<string, string>>,
  statuses: {
    "1": "Null",
    "2": "Active",
    "3": "Suspended",
    "4": "Unfit",
    "8": "Closed",
  } as Readonly<Record<string, string>>,
};
