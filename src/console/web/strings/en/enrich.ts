/**
 * English words of the view that fills in spreadsheets; functions take counts and formatted values.
 * Invariant: nothing here is markup.
 */
import { number } from "../../app/format.ts";

/** Words of this area. */
export const enrich = {
  title: "Fill in a spreadsheet",
  lead:
    "Send a spreadsheet of CNPJs and get the same one back, with status, name, contact, and " +
    "anything else you choose next to your own columns.",
  drop: "Drop the spreadsheet here",
  choose: "Choose a file",
  chooseHint: "Excel (XLSX, up to 32 MB) or CSV (up to 512 MB), with up to 2 million rows.",
  paste: "Or paste CNPJs",
  pasteHint: "One per line, or a few columns copied from a spreadsheet.",
  pasteMissing: "Paste at least two CNPJs. Look up a single one in the search.",
  usePasted: "Fill in",
  another: "Another spreadsheet",
  pasted: "Pasted CNPJs",
  reading: "Reading the spreadsheet…",
  notRead: "The spreadsheet could not be read",
  column: "CNPJ column",
  columnHint: "Its heading, its number (1, 2, 3…), or in Excel its letter.",
  readAgain: "Read again",
  understood: "What we understood",
  delimiters: {
    ";": "separated by semicolons",
    ",": "separated by commas",
    "\t": "separated by tabs",
    "|": "separated by bars",
  } as Readonly<Record<string, string>>,
  sheet: (name: string) => `sheet “${name}”`,
  sheetReasons: {
    first_with_cnpjs: "the first with a column of CNPJs",
    after_cover: "after a cover",
    most_cnpjs: "the one with the most CNPJs",
    only_with_data: "the only visible one with data",
    named: "the one you chose",
  },
  otherSheets: (count: number) => `other sheets, not filled in: ${number(count)}`,
  hiddenSheets: (count: number) => `hidden sheets, not filled in: ${number(count)}`,
  header: (row: string) => `headings in row ${row}`,
  noHeader: "no heading row",
  found: "Found",
  absent: "Not in the data",
  refused: "Not CNPJs",
  blank: "No CNPJ",
  fillZeros: (count: number) =>
    count === 0
      ? "Restore leading zeros"
      : `Restore the leading zeros of ${count === 1 ? "1 number" : `${number(count)} numbers`}`,
  fillZerosHint: "Excel removes leading zeros when it reads a CNPJ as a number.",
  seeRefused: (count: number) =>
    count === 1
      ? "See the row that is not a CNPJ"
      : `See the ${number(count)} rows that are not CNPJs`,
  first: (shown: string, rows: string) =>
    shown === rows ? "How it will look" : `How the first ${shown} rows will look`,
  status: { pt: "Resultado da consulta", en: "Look-up", none: "enrichment_status" },
  moreColumns: (count: string) =>
    `${count} more of your columns do not fit here; they stay in the file.`,
  choices: "What to include",
  labels: "Headings and values",
  labelNames: { pt: "In Portuguese", en: "In English", none: "As in the API" },
  start: (rows: string) => (rows === "1" ? "Fill in 1 row" : `Fill in ${rows} rows`),
  fills: (found: string) => `${found} with data. Your file does not change: you download a copy.`,
  costs: (found: string, left: string, hour: string) =>
    `Uses ${found} rows of your quota, one per CNPJ found. ${left} are left until ${hour}.`,
  tooMany: (rows: string, most: string) =>
    `The file has ${rows} rows; your plan allows ${most} per file. Split it.`,
  making: "Your spreadsheet",
  inExports: "It is also kept in Exports",
  kind: (name: string) => (name === "" ? "Filled-in CNPJs" : `Filled-in spreadsheet: ${name}`),
  sentGone: "The spreadsheet you sent was deleted with the expired file. Send it again.",
};
