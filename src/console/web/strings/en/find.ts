/**
 * English words of the find view: the sentence, the filters, the pickers, and the guidance.
 * Invariant: the Portuguese table has the same keys.
 */
import type { PartName } from "../../../../spec/filters/table.ts";
import { list, month, number } from "../../app/format.ts";

/** Functions that describe a filter by its value. `wanted` is false for an excluded value. */
export type FilterWords = Readonly<Record<PartName, (value: string, wanted: boolean) => string>>;

const headquarters = "Head offices only";
const email = "Has an e-mail";
const phone = "Has a phone";
const anyContact = "Has an e-mail or a phone";

const filterTexts: FilterWords = {
  cnae: (names) => names,
  cnae_exclude: (names) => `except ${names}`,
  cnae_secondary: (names) => `also ${names}`,
  text_hints: (words) => `name with ${words}`,
  uf: (names) => names,
  municipality: (names) => names,
  district: (names) => `district ${names}`,
  postal_code: (codes) => `CEP ${codes}`,
  area_code: (codes) => `area code ${codes}`,
  registration_status: (names) => `status ${names}`,
  company_size: (names) => `size ${names}`,
  legal_nature: (names) => names,
  headquarters: () => headquarters,
  branches: () => "branches only",
  establishments: (span) =>
    span === "1" ? "1 active establishment" : `${span} active establishments`,
  simples: (_, wanted) => (wanted ? "in Simples" : "not in Simples"),
  mei: (_, wanted) => (wanted ? "MEI" : "not MEI"),
  started: (span) => span,
  share_capital: (span) => span,
  email: () => email,
  phone: () => phone,
  any_contact: () => anyContact,
  mobile: () => "has a mobile",
  landline: () => "has a landline",
  own_domain: () => "e-mail at its own domain",
  email_shared: (count) =>
    count === "1" ? "e-mail of this company only" : `e-mail of at most ${count} companies`,
  phone_shared: (count) =>
    count === "1" ? "phone of this company only" : `phone of at most ${count} companies`,
  phone_number: (phones) => `phone ${phones}`,
  email_address: (addresses) => `e-mail ${addresses}`,
  status_changed: (span) => `status ${span}`,
  status_reason: (codes) => `reason ${codes}`,
  simples_excluded: (span) => `left Simples ${span}`,
  mei_excluded: (span) => `left MEI ${span}`,
  sanction: (names) => `in ${names}`,
  federal_debt: (_, wanted) => (wanted ? "with federal debt" : "without federal debt"),
  federal_debt_total: (span) => span,
  federal_debt_kind: (kinds) => `debt: ${kinds}`,
  owned_by: (roots) => `owned by ${roots}`,
  owned_companies: (span) => (span === "1" ? "owns 1 company" : `owns ${span} companies`),
  owner_companies: (span) => (span === "1" ? "owned by 1 company" : `owned by ${span} companies`),
  contact_missing: (kinds) => kinds,
  lists: (names: string) => `in the list ${names}`,
  lists_exclude: (names: string) => `not in the list ${names}`,
};

/** Words of this area. */
export const find = {
  title: "Find establishments",
  skip: "Skip to the results",

  prompt: "Who are you looking for?",
  promptPlaceholder: (example: string | null) =>
    example === null ? "CNPJ, name or a sentence" : `CNPJ, name, or: ${example}`,
  promptSubmit: "Find",
  promptClear: "Clear the sentence and all filters",
  promptKey: "Press / to write here",
  promptFailed: "The sentence could not be read",

  examplesTitle: "For example",
  offered: "Establishments with this name or number",
  unknownRoot: (root: string) => `No company of this data has the CNPJ root ${root}.`,
  lostZeros: (count: number) =>
    count === 1
      ? "A zero was missing at the beginning:"
      : `${count} zeros were missing at the beginning:`,
  refusals: {
    too_long: "This number is too long: a CNPJ has 14 digits. Is one doubled?",
    rounded:
      "A spreadsheet rounded this number, and its last digits are lost. Format the column as " +
      "text, and copy it again.",
    all_zeros: "Its digits, or those of its branch, are all zeros: no company has this CNPJ.",
    cpf: "This is a CPF, the number of a person. It was not looked up. Type the CNPJ.",
  },
  contactRefusals: {
    field_not_allowed: (kind: "phone" | "email"): string =>
      kind === "phone"
        ? "Your plan does not include phones, so it cannot look one up."
        : "Your plan does not include e-mails, so it cannot look one up.",
    not_in_snapshot: () =>
      "An earlier version imported this data, and it cannot look up phones and e-mails. Ask the " +
      "operator to import it again.",
    missing_area_code: () => "If this is a phone, its area code is missing: write 11 98765-4321.",
    unknown_area_code: () =>
      "If this is a phone, it has no area code of Brazil: write 11 98765-4321.",
    foreign_number: () =>
      "This is a number of another country. Only phones of Brazil (+55) can be looked up.",
    several_contacts: () =>
      "Type one phone or e-mail at a time, or write a sentence: who has the phone 11 98765-4321.",
    too_short: () => "If this is a phone, digits are missing: write 11 98765-4321.",
    too_long: () => "If this is a phone, it has too many digits: write 11 98765-4321.",
    email_blank: () => "If this is an e-mail, it has a blank in it: write name@example.com.",
    email_character: () =>
      "If this is an e-mail, it has a comma, an accent or another wrong sign: write " +
      "name@example.com.",
    email_domain: () =>
      "If this is an e-mail, the domain behind the @ is not complete: write name@example.com.",
  },
  digitMissing: "A digit is missing: a CNPJ has 14 and this one has 13.",
  notUnderstood: "I did not understand",
  notUnderstoodText:
    "Write a CNPJ, the name of a company, or what you look for and where: activity and place.",
  similarNames: "Looking for one of these companies?",
  searchAsName: (text: string) => `Look for “${text}” in the name`,
  searchAnyway: "Search with what was understood",
  inTheName: (text: string) => `Look for “${text}” in the name`,

  meaning: "What the sentence became",
  meaningEdited: "The filters differ from the sentence now",
  meaningRestore: "Back to what the sentence says",
  meaningMore: (remarks: number) =>
    remarks === 0
      ? "How it was understood"
      : `How it was understood: ${number(remarks)} ${remarks === 1 ? "note" : "notes"}`,
  meaningFewer: "Hide how it was understood",
  legend: "Colors of the sentence",
  roles: {
    activity: "Activity",
    place: "Place",
    time: "Date",
    company: "Company and order",
    contact: "Contact",
    unmapped: "Not understood",
  },
  becameNothing: "Not used in the search",
  becameRows: (rows: number) => `The first ${number(rows)}: set this number when you export`,
  assumed: "Assumed",
  warned: "Warning",
  unmapped: "Not used in the search",
  dismiss: "Hide these notes",
  uncertain:
    "Only part of the sentence was understood. Check the filters before you use the result.",
  mayMean: {
    all: (text: string) => `“${text}” includes`,
    one: (text: string) => `“${text}” may mean`,
    others: (text: string) => `“${text}” may also mean`,
    none: (text: string) => `“${text}” is not in the catalogue. Closest are`,
  },
  mayMeanMore: (count: number) => `${number(count)} more`,
  mayMeanFewer: "Fewer",

  filters: "Filters",
  filtersButton: (count: number) => (count === 0 ? "Filters" : `Filters (${number(count)})`),
  filtersActive: (count: number) =>
    count === 0 ? "No filter" : count === 1 ? "1 filter" : `${number(count)} filters`,
  filtersShow: (total: string) => `Show ${total}`,
  clearAll: "Clear all",
  clearGroup: (group: string) => `Clear: ${group}`,
  groups: {
    activity: "Activity",
    place: "Place",
    company: "Company",
    opened: "Opening date",
    capital: "Capital and legal nature",
    contact: "Contact",
    record: "History, debts, and owners",
    name: "Words in the name",
    lists: "Your lists",
    order: "Order",
  },

  activities: "Activities",
  activitiesPlaceholder: "Name, CNAE code or trade",
  activitiesNothing: "No activity has these words or this code",
  activitiesOf: (count: number) => (count === 1 ? "1 activity" : `${number(count)} activities`),
  activitiesUnder: (code: string) => `All of ${code}`,
  activitiesExcluded: "Excluded activities",
  activitiesExcludedAdd: "Exclude activities",
  term: (word: string) => `also “${word}”`,
  catalogFailed: "The lists of activities and places could not be loaded.",
  catalogLoading: "Loading the lists…",
  showAll: (count: number) => `Show all ${number(count)}`,
  showFewer: "Show fewer",

  states: "States",
  abroad: "Abroad",
  municipalities: "Municipalities",
  municipalitiesPlaceholder: "Name, or Jaú + 30 km",
  municipalitiesNothing: "No municipality has this name",
  district: "District",
  municipalitiesOutside: (names: readonly string[], states: readonly string[]) =>
    `Outside the chosen states (${list(states)}), so nothing is found there: ${list(names)}.`,
  municipalitiesOutsideFix: "Add their states",
  postal: "Postal codes (CEP)",
  postalHint: "Full code or prefix: 01310, 30140-071",
  postalWrong: (text: string) => `“${text}” is no CEP: give 1 to 8 digits.`,
  area: "Area codes (DDD)",
  areaHint: "Matches either phone number: 11, 31",
  areaWrong: (text: string) => `“${text}” is no area code: give two digits from 11 to 99.`,

  status: "Registration status",
  size: "Size",
  headquarters,
  branches: "Branches only",
  chain: "Active establishments of the company",
  chains: { any: "Any", one: "One", few: "2 to 9", many: "10 or more" },
  chainSpan: {
    from: (least: string) => `${least} or more`,
    to: (most: string) => `up to ${most}`,
    between: (least: string, most: string) => `${least} to ${most}`,
  },
  chainOther: "Other",
  chainMin: "At least",
  chainMax: "At most",
  chainWrong: "Give a whole number, from 1.",
  chainOrder: "This number is below the minimum.",
  simples: "Simples Nacional",
  mei: "MEI",
  any: "Any",
  yes: "Yes",
  no: "No",

  missing: "One of these is missing",
  openedFrom: "From",
  openedTo: "To",
  openedPresets: "Quick ranges",
  openedLastMonths: (months: number) => `last ${months} months`,
  openedLastYears: (years: number) => `last ${years} years`,
  openedOlder: (years: number) => `over ${years} years ago`,
  dayForm: "dd/mm/yyyy",
  openedWrong: "Give a year, a month (01/2020) or a date, from 1800 on.",
  openedOrder: "This date is before the one it starts from.",

  capitalMin: "From R$",
  capitalMax: "To R$",
  capitalWrong: "Give an amount in reais, such as 250,000 or 1,500.50.",
  capitalTooMuch: "Give an amount up to 90 trillion.",
  capitalOrder: "This amount is below the one it starts from.",
  nature: "Legal nature",
  naturePlaceholder: "Name or code",
  natureNothing: "No legal nature has these words or this code",

  email,
  phone,
  anyContact,
  mobile: "Has a mobile",
  landline: "Has a landline",
  ownDomain: "Company-domain e-mail",
  ownEmail: "E-mail not shared with other companies",
  ownPhone: "Phone not shared with other companies",
  thisPhone: "This phone",
  thisEmail: "This e-mail",
  likeThis: (example: string) => `Write it like this: ${example}`,

  names: "Words in the name",
  namesHint: "Each entry is one alternative; all of its words must be in the legal or trade name.",
  namesWrong: "Give at least one letter or digit.",
  namesLong: "At most 80 characters.",
  namesMany: "At most 20 entries.",
  add: "Add",

  strategy: "Ranking",
  strategies: {
    balanced: "Balanced",
    contactable: "Easy to reach",
    newest: "Newest first",
    established: "Established first",
    random: "Random sample",
  } as Record<string, string>,
  strategyHints: {
    balanced: "Active, reachable and established companies come first.",
    contactable: "E-mail and phone weigh most.",
    newest: "Those opened last come first.",
    established: "Age, capital and size weigh most.",
    random: "The same seed gives the same sample.",
  } as Record<string, string>,
  seed: "Seed",
  seedHint: "Orders establishments of equal score; the same seed, the same order.",
  seedWrong: "Give a whole number from 0 on.",
  seedDraw: "Draw another seed",
  sortBy: "Sort by",
  sortThen: "Then by",
  sortAdd: "Add a sort key",
  sortRemove: (field: string) => `Remove ${field}`,
  sortFields: {
    score: "Ranking",
    started_on: "Opening date",
    share_capital: "Share capital",
    legal_name: "Legal name",
    cnpj: "CNPJ",
    company_size: "Size",
    municipality_population: "Population of the municipality",
  } as Record<string, string>,
  ascending: (field: string) => `${field}: ascending; reverse`,
  descending: (field: string) => `${field}: descending; reverse`,

  total: (total: number): string => (total === 1 ? "establishment" : "establishments"),
  counting: "Counting…",
  announce: (total: number) =>
    total === 1 ? "1 establishment found" : `${number(total)} establishments found`,
  took: (time: string) => `counted in ${time}`,
  snapshotOf: (label: string) => `${month(label)} data`,
  ranked: (strategy: string) => `Order: ${strategy.toLowerCase()}`,
  orderedBy: (order: string) => `by ${order}`,
  charts: "Charts",

  compare: "Compare",
  share: "Copy link",
  shared: "The link is on the clipboard. It opens this search, on the same data.",
  shareLong: (length: number) =>
    `The link is on the clipboard. It has ${number(length)} characters; some programs cut it.`,
  linkTroubleTitle: "Some of this link was not understood",
  linkTroubles: {
    unknown_key: (key: string, value: string) => `“${key}=${value}” is not known here.`,
    repeated: (key: string, value: string) => `“${key}” is there twice; “${value}” was left out.`,
    unknown: (key: string, value: string) => `“${value}” is no value of “${key}” in this data.`,
    broken: (key: string, value: string) => `“${key}=${value}” cannot be read.`,
  },
  newMonth: (month: string) => `Now with the data of ${month}.`,
  linkMonthTitle: "Newer data than in the link",
  linkMonth: (linked: string, served: string) =>
    `The link was made with ${month(linked)} data; you see ${month(served)} data.`,
  understood: "OK",

  broadTitle: "Name an activity or a place",
  broadText:
    "So that the list stays useful, a search needs one of them, a list, a phone or an e-mail.",
  broadStates: "States with most of them",
  broadActivities: "Most frequent activities",
  noneTitle: "No establishment matches all of these filters",
  noneText: "Without one of them:",
  noneHopeless: "Leaving out any single filter does not help. Take several out, or start again.",
  without: (filter: string) => `without “${filter}”`,
  failedTitle: "The establishments could not be counted",
  invalidTitle: "Some filters need to be corrected",
  invalidText: "See the marked fields.",

  filterTexts,
  described: {
    more: (first: string, count: number) => `${first} and ${number(count)} more`,
    daysSince: (date: string) => `since ${date}`,
    daysUntil: (date: string) => `until ${date}`,
    daysBetween: (from: string, to: string) => `from ${from} to ${to}`,
    missing: {
      email: "no e-mail",
      phone: "no phone",
      mobile: "no mobile",
      any: "no contact",
    },
    owners: (roots: string, depth: number) =>
      depth === 1 ? roots : `${roots}, up to ${depth} steps`,
    sanctions: { ceis: "CEIS", cnep: "CNEP", cepim: "CEPIM" },
    debts: { fgts: "FGTS", social_security: "social security", other: "other" },
    since: (date: string) => `opened since ${date}`,
    until: (date: string) => `opened until ${date}`,
    between: (from: string, to: string) => `opened from ${from} to ${to}`,
    capitalFrom: (amount: string) => `capital from ${amount}`,
    capitalTo: (amount: string) => `capital up to ${amount}`,
    debtFrom: (amount: string) => `federal debt from ${amount}`,
    debtTo: (amount: string) => `federal debt up to ${amount}`,
    debtBetween: (from: string, to: string) => `federal debt from ${from} to ${to}`,
    capitalBetween: (from: string, to: string) => `capital from ${from} to ${to}`,
  },

  mistakes: {
    unknown_cnae: "No activity of this data has this code.",
    unknown_municipality: "No municipality of this data has this code.",
    unknown_legal_nature: "No legal nature of this data has this code.",
    wrong_date: "This is no date.",
    contradiction: "These two leave no establishment: take one out.",
    unknown_reason: "No status of this data has this reason.",
    not_in_snapshot: "This data was imported without this.",
    empty_interval: "The end must be after the beginning.",
    out_of_range: "This is outside what is possible.",
    too_many: "These are too many.",
  } as Record<string, string>,
};
