/**
 * Counts as a file. Input: every value of facets, and tables of two facets. Output: a CSV or XLSX
 * file with a line for each value, and for each pair of values that has matches.
 * Invariant: the lines of a facet add up to the total, and so do those of a pair; the same snapshot
 * and spec give the same bytes. With labels, codes are words, and Portuguese numbers have a comma.
 */
import { deflate } from "../../../native-index/napi/engine.ts";
import { crc32 } from "../../dump/crc32.ts";
import type { AllCounts, CrossCount } from "../../search/cross.ts";
import type { FacetName } from "../../spec/facets.ts";
import { LABEL_LANGUAGES, type LabelLanguage, valueWord } from "../../spec/fields/words.ts";
import {
  columnName,
  partsOf,
  ROWS_PATH,
  sheetEnd,
  sheetStart,
  textCell,
  type Workbook,
} from "./xlsx/workbook.ts";
import { ZipPackage } from "./xlsx/zippackage.ts";

/** Counts, and what their file is about. */
interface CountFile {
  readonly counts: AllCounts;
  readonly labels: LabelLanguage | null;
  /** Label and date of the snapshot. */
  readonly snapshot: string;
  readonly snapshotDate: string;
}

type Words = readonly [pt: string, en: string];

const FACET_WORDS: Readonly<Record<FacetName, Words>> = {
  uf: ["UF", "State"],
  municipality: ["Município", "Municipality"],
  cnae_section: ["Seção CNAE", "CNAE section"],
  cnae_division: ["Divisão CNAE", "CNAE division"],
  cnae_group: ["Grupo CNAE", "CNAE group"],
  cnae_class: ["Classe CNAE", "CNAE class"],
  cnae_subclass: ["Atividade principal", "Primary activity"],
  registration_status: ["Situação", "Status"],
  company_size: ["Porte", "Size"],
  started_year: ["Ano de abertura", "Opening year"],
  legal_nature: ["Natureza jurídica", "Legal nature"],
  simples: ["Simples", "Simples"],
  mei: ["MEI", "MEI"],
  headquarters: ["Matriz ou filial", "Head office or branch"],
  contact: ["Contato", "Contact"],
  started_quarter: ["Trimestre de abertura", "Opening quarter"],
  started_month: ["Mês de abertura", "Opening month"],
  status_month: ["Mês da situação", "Month of the status"],
};

const TOTAL: Words = ["Total", "Total"];
const NO_VALUE: Words = ["Sem informação", "No value"];
const CONTACTS: Readonly<Record<string, Words>> = {
  none: ["Nenhum", "None"],
  email: ["E-mail", "E-mail"],
  phone: ["Telefone", "Phone"],
  email_and_phone: ["E-mail e telefone", "E-mail and phone"],
};
const STATUSES = [
  null,
  "null",
  "active",
  "suspended",
  "unfit",
  null,
  null,
  null,
  "closed",
] as const;
const SIZES: Readonly<Record<string, "unknown" | "micro" | "small" | "other">> = {
  "00": "unknown",
  "01": "micro",
  "03": "small",
  "05": "other",
};

/** Columns before and after those of the second facet of a pair. */
const COLUMNS = {
  first: ["facet", "value", "label"],
  second: ["facet_2", "value_2", "label_2"],
  last: ["count", "share"],
} as const;
const HEADINGS: Readonly<Record<string, Words>> = {
  facet: ["Campo", "Field"],
  value: ["Valor", "Value"],
  label: ["Descrição", "Description"],
  facet_2: ["Campo 2", "Field 2"],
  value_2: ["Valor 2", "Value 2"],
  label_2: ["Descrição 2", "Description 2"],
  count: ["Quantidade", "Count"],
  share: ["Parte do total", "Share of the total"],
};

/** A number is a count, or a share between 0 and 1. */
type Cell = string | number;

/**
 * Makes a CSV file in UTF-8; a Portuguese one is delimited by semicolons. With labels it begins
 * with a byte-order mark, without which spreadsheets misread accents.
 */
export function countCsv(file: CountFile): Buffer {
  const isPt = file.labels === "pt";
  const delimiter = isPt ? ";" : ",";
  const textOf = (cell: Cell) => {
    if (typeof cell === "string") return quoted(cell);
    return isPt ? String(cell).replace(".", ",") : String(cell);
  };
  const lines = [headingsOf(file), ...linesOf(file)];
  const text = lines.map((line) => `${line.map(textOf).join(delimiter)}\r\n`).join("");
  return Buffer.from(file.labels === null ? text : `\ufeff${text}`);
}

function quoted(text: string): string {
  return /[",;\t\r\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Makes a workbook with the lines on its first sheet. */
export function countXlsx(file: CountFile): Buffer {
  const lines = [...linesOf(file)];
  const { labels, snapshot, snapshotDate: date, counts } = file;
  const headings = headingsOf(file);
  const workbook: Workbook = {
    ...{ columns: headings, headings, labels: labels ?? undefined, rowCount: lines.length, date },
    sheet: labels === "pt" ? "Contagens" : "Counts",
    about: [
      [labels === "pt" ? "Base" : "Snapshot", `${snapshot} (${date})`],
      ["Total", String(counts.total)],
    ],
  };
  const parts: Buffer[] = [];
  const zip = new ZipPackage((bytes) => parts.push(Buffer.from(bytes)));
  for (const { path, xml } of partsOf(workbook)) zip.part(path, Buffer.from(xml));
  const rows = lines.map((line, at) => sheetRow(line, at + 2)).join("");
  const sheet = Buffer.from(sheetStart(workbook) + rows + sheetEnd(workbook));
  zip.begin(ROWS_PATH);
  zip.piece({ packed: deflate(sheet, true), bytes: sheet.length, crc: crc32(sheet) });
  zip.endPart();
  zip.end();
  return Buffer.concat(parts);
}

function sheetRow(line: readonly Cell[], number: number): string {
  const cells = line.map((cell, at) => {
    const place = `${columnName(at)}${number}`;
    if (cell === "") return "";
    return typeof cell === "string" ? textCell(place, cell) : `<c r="${place}"><v>${cell}</v></c>`;
  });
  return `<row r="${number}">${cells.join("")}</row>`;
}

function headingsOf({ counts, labels }: CountFile): string[] {
  const { first, second, last } = COLUMNS;
  const names = [...first, ...(counts.crosses.length === 0 ? [] : second), ...last];
  return names.map((name) => (labels === null ? name : inWords(HEADINGS[name] as Words, labels)));
}

function inWords(words: Words, language: LabelLanguage): string {
  return words[LABEL_LANGUAGES.indexOf(language)] as string;
}

/** The total, then the values of facets, then the pairs. */
function* linesOf({ counts, labels }: CountFile): Generator<readonly Cell[]> {
  const { total, facets, crosses } = counts;
  const isPaired = crosses.length > 0;
  const line = (first: readonly string[], second: readonly string[], count: number): Cell[] => {
    const share = total === 0 ? 0 : Math.round((count / total) * 1e6) / 1e6;
    return [...first, ...(isPaired ? second : []), count, share];
  };
  const none = ["", "", ""];
  yield line([labels === null ? "total" : inWords(TOTAL, labels), "", ""], none, total);
  for (const [name, { values, missing }] of Object.entries(facets)) {
    const cells = (one: Omit<CrossCount, "count">) => valueCells(name as FacetName, one, labels);
    for (const one of inOrder(name, values)) yield line(cells(one), none, one.count);
    if (missing > 0) yield line(cells({ value: null }), none, missing);
  }
  for (const { facets: pair, rows, columns, counts: cells } of crosses) {
    const [first, second] = pair;
    const across = columns.map((one) => valueCells(second, one, labels));
    for (const [at, row] of rows.entries()) {
      const own = valueCells(first, row, labels);
      for (const [by, count] of (cells[at] as readonly number[]).entries()) {
        if (count > 0) yield line(own, across[by] as readonly string[], count);
      }
    }
  }
}

/** Values of a time facet by time; others keep the order of their counts. */
function inOrder<Value extends Omit<CrossCount, "count">>(
  name: string,
  values: readonly Value[],
): readonly Value[] {
  if (!TIME_FACETS.has(name)) return values;
  return [...values].sort((a, b) => (String(a.value) < String(b.value) ? -1 : 1));
}

const TIMES: readonly FacetName[] = [
  ...(["started_year", "started_quarter", "started_month", "status_month"] as const),
];
const TIME_FACETS: ReadonlySet<string> = new Set(TIMES);

/** The facet, the value as a filter takes it, and its name; with labels in words. */
function valueCells(
  name: FacetName,
  { value, label = "" }: Omit<CrossCount, "count">,
  labels: LabelLanguage | null,
): readonly string[] {
  if (labels === null) return [name, value === null ? "" : String(value), label];
  const facet = inWords(FACET_WORDS[name], labels);
  if (value === null) return [facet, "", inWords(NO_VALUE, labels)];
  return [facet, String(value), label === "" ? wordsOf(name, value, labels) : label];
}

function wordsOf(
  name: FacetName,
  value: string | number | boolean,
  language: LabelLanguage,
): string {
  if (name === "contact") return inWords(CONTACTS[String(value)] as Words, language);
  if (name === "headquarters") return valueWord(value ? "head_office" : "branch", language);
  if (typeof value === "boolean") return valueWord(value ? "yes" : "no", language);
  const status = name === "registration_status" ? STATUSES[Number(value)] : null;
  if (status) return valueWord(`status_${status}`, language);
  const size = name === "company_size" ? SIZES[String(value)] : undefined;
  return size === undefined ? "" : valueWord(`size_${size}`, language);
}
