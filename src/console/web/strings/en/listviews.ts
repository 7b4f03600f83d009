/**
 * English words of the list views; functions take counts, names, and formatted values.
 * Invariant: nothing here is markup.
 */
import { number } from "../../app/format.ts";

/** Words of this area. */
export const listViews = {
  any: "Only in the list",
  exclude: "Not in the list",
  choose: "Name of the list",
  none: "No list of this name",
  hideExported: "Leave out what I exported already",
  intro:
    "Companies that you know already: customers, do-not-contact, already sold. " +
    "Search inside a list, or leave it out of a search.",
  create: "New list",
  name: "Name",
  nameHint: "For example: Customers",
  nameMissing: "Type a name.",
  kind: "An entry is",
  kinds: { accounts: "one establishment", companies: "the whole company" },
  kindHints: {
    accounts: "Each CNPJ stands for itself alone.",
    companies: "Each CNPJ stands for all establishments of its company.",
  },
  empty: "No lists yet",
  emptyHint:
    "Paste the CNPJs of your customers or send a sheet (Excel or CSV), and leave them out of " +
    "your searches.",
  exportedHint: "kept by Peneira: everything you have exported",
  exportedEmpty: "Nothing was exported yet",
  failed: "The lists could not be read.",
  entries: (count: number) => (count === 1 ? "1 entry" : `${number(count)} entries`),
  ofCompanies: "whole companies",
  changed: (when: string) => `changed ${when}`,
  open: "Open",
  openNamed: (name: string) => `Open “${name}”`,
  add: "Add CNPJs",
  addTo: (name: string) => `Add CNPJs to “${name}”`,
  searchIn: "Search in it",
  searchWithout: "Search without it",
  rename: "Rename",
  remove: "Delete",
  removeTitle: (name: string) => `Delete “${name}”?`,
  removeText: "Searches and links that use it stop working. The companies stay in the registry.",
  removed: "List deleted.",
  menu: (name: string) => `More for “${name}”`,
  back: "Lists",
  more: "Show more",
  entriesEmpty: "The list is empty",
  removeEntry: (entry: string) => `Take ${entry} out of the list`,
  removedEntry: (entry: string) => `${entry} taken out of the list.`,
  how: "From where",
  hows: { paste: "Paste", file: "File" },
  paste: "CNPJs",
  pasteHint: "One a line, or a column copied from a spreadsheet; with or without punctuation.",
  pasteMissing: "Paste at least one CNPJ.",
  file: "File",
  fileHint:
    "XLSX (up to 32 MB) or CSV (up to 64 MB), with or without a header; the column of CNPJs is " +
    "found by itself.",
  sheet: (name: string, others: number) => {
    if (others === 0) return `The sheet “${name}” was read.`;
    const left = others === 1 ? "1 other was" : `${number(others)} others were`;
    return `The sheet “${name}” was read; ${left} not.`;
  },
  hidden: (count: number) =>
    count === 1 ? "1 hidden sheet was not read." : `${number(count)} hidden sheets were not read.`,
  column: (name: string) => `The column “${name}” was read.`,
  fileMissing: "Choose a file.",
  submit: "Add",
  read: "Read",
  added: "Added",
  alreadyThere: "Already there",
  repeated: "Sent more than once",
  notInSnapshot: "Not in the current data",
  notInSnapshotHint:
    "What is not in the current data stays in the list: a later month may have it.",
  refused: "Refused",
  refusedFirst: (shown: string, count: string) => `The first ${shown} of ${count} refused lines.`,
  line: "Line",
  text: "Text",
  reason: "Why",
  reasons: {
    not_a_cnpj: "A number, but not a CNPJ.",
    not_a_number: "Words, and no CNPJ.",
    too_long: "Too long: a CNPJ has 14 digits. Is one doubled?",
    too_short: "Too short: a CNPJ has 14 digits.",
    all_zeros: "Its digits, or those of its branch, are all zeros. No company has this CNPJ.",
    cpf: "A CPF, the number of a person. It was not looked up.",
    wrong_check_digits: "The check digits do not match: one digit is mistyped.",
    lost_zeros: "The spreadsheet removed its leading zeros.",
    a_date: "A date. Format the cell as text and type the CNPJ again.",
    several_cnpjs: "Several CNPJs in one cell. Put each in a cell of its own.",
    unsaved_formula:
      "A formula without a saved result: open and save the file in the spreadsheet program.",
    rounded: "The spreadsheet rounded the number. Format the column as text and export it again.",
  },
  meant: (cnpj: string) => `With them: ${cnpj}.`,
  fillZeros: "Restore the zeros and add",
  addMore: "Add more",
  done: "Done",
  addAllTitle: (count: number) =>
    count === 1 ? "Add 1 establishment to a list" : `Add ${number(count)} establishments to a list`,
  which: "To which list",
  fresh: "A new list",
  addedToast: (added: string, name: string) => `${added} added to “${name}”.`,
  thereToast: (added: string, there: string, name: string) =>
    `${added} added to “${name}”; ${there} already there.`,
  takeOut: (name: string) => `Take out of “${name}”`,
};
