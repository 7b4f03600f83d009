/**
 * The slow reference implementation of rendered rows. Input: accounts in the form of a search, and
 * columns. Output: their rows in every format of the addon, and readers that undo the escapes.
 * Invariant: each format has one simple function, which works cell by cell on JavaScript strings.
 * Nothing of the addon is used, and the rules are written independently from
 * native-index/render/rows.h.
 */
import type { FieldType, RowsRequest } from "../../../native-index/napi/engine.ts";
import { groupedTwin, type Language, labelledTwin } from "./labelled-twin.ts";

/** An account in the form that renderJson returns. */
export type Account = Readonly<Record<string, unknown>>;

/** Types of fields. A field that is not listed is a code or an identifier. */
const KINDS: Readonly<Record<string, "free" | "number" | "amount" | "flag" | "date" | "codes">> = {
  legal_name: "free",
  trade_name: "free",
  cnae_primary_description: "free",
  legal_nature_description: "free",
  municipality_name: "free",
  district: "free",
  street: "free",
  street_number: "free",
  address_complement: "free",
  foreign_city: "free",
  email: "free",
  registration_status: "number",
  municipality_population: "number",
  score: "number",
  email_shared: "number",
  phone_1_shared: "number",
  phone_2_shared: "number",
  establishments: "number",
  email_own_domain: "flag",
  simples_excluded_on: "date",
  mei_excluded_on: "date",
  in_cnep: "flag",
  in_cepim: "flag",
  federal_debt: "flag",
  federal_debt_total: "amount",
  federal_debt_fgts: "flag",
  federal_debt_social_security: "flag",
  federal_debt_other: "flag",
  owned_companies: "number",
  owner_companies: "number",
  score_contactable: "number",
  score_newest: "number",
  score_established: "number",
  share_capital: "amount",
  headquarters: "flag",
  simples_opt_in: "flag",
  mei_opt_in: "flag",
  sanctioned: "flag",
  registration_status_date: "date",
  started_on: "date",
  cnae_secondary: "codes",
};

/** Returns the Arrow type of a field's column. */
export function typeOf(field: string): FieldType {
  const types = {
    free: "utf8",
    number: "int32",
    amount: "float64",
    flag: "bool",
    date: "date32",
    codes: "list<utf8>",
  } as const;
  const kind = KINDS[field];
  return kind === undefined ? "utf8" : types[kind];
}

interface Cell {
  readonly kind: (typeof KINDS)[string] | undefined;
  readonly value: unknown;
  /** Only of fields. */
  readonly field?: string;
  /** Text that replaces the value in a file for people, if it differs. */
  readonly people?: string | undefined;
  /** The formula of a link in a sheet for people; null for a value that is no link. */
  readonly link?: string | null;
}

/** Returns the rows of accounts with their extra columns, in the requested format. */
export function renderTwin(accounts: readonly Account[], request: RowsRequest): string {
  return accounts
    .map((account, position) => {
      if (request.format === "jsonl") return jsonLine(account, request, position);
      const cells: Cell[] = [
        ...request.fields.map((field) => ({
          kind: KINDS[field],
          value: account[field],
          field,
          people: request.labels && labelledTwin(field, account[field], request.labels),
          link: request.labels === undefined ? null : linkTwin(field, account, request.fields),
        })),
        ...request.extra.map(({ kind, values }) => ({
          kind: kind === "text" ? ("free" as const) : ("number" as const),
          value: values[position] ?? null,
        })),
      ];
      if (request.format === "csv") return csvLine(cells, request.delimiter);
      if (request.format === "html") return htmlRow(cells, request.labels);
      return sheetRow(cells, request.firstNumber + position, request.labels);
    })
    .join("");
}

function jsonLine(
  account: Account,
  { extra, labels }: Pick<RowsRequest, "extra" | "labels">,
  position: number,
): string {
  const members = Object.entries(account).map(([name, value]) => {
    const people =
      labels === undefined || value === null ? undefined : labelledTwin(name, value, labels);
    return `${JSON.stringify(name)}:${JSON.stringify(people ?? value)}`;
  });
  for (const { name, kind, values } of extra) {
    const value = values[position] ?? null;
    const text = value === null || kind !== "text" ? value : JSON.stringify(value);
    members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(",")}}\n`;
}

/** Matches characters at the beginning of a cell that spreadsheets ignore. */
const DROPPED = "[\\p{White_Space}\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800\\ufff9-\\ufffb]*";
/** Matches a text that a spreadsheet may evaluate as a formula. */
export const FORMULA = new RegExp(`^(?:[\\t\\r]|${DROPPED}[=+\\-@＝＋－＠])`, "u");

/**
 * Returns the text with an apostrophe before it if a spreadsheet that opens the CSV file would
 * evaluate it as a formula.
 */
export function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

function csvLine(cells: readonly Cell[], delimiter: string): string {
  const line = cells
    .map(({ kind, value, field, people }) => {
      if (value === null) return "";
      const plain =
        people !== undefined
          ? people + (field === "cnpj_root" ? "/" : "")
          : Array.isArray(value)
            ? value.join(",")
            : String(value);
      const text = kind === "free" ? escapeFormula(plain) : plain;
      const quoted = delimiter === "|" ? /[",;\t\r\n|]|^ | $/ : /[",;\t\r\n]|^ | $/;
      return quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    })
    .join(delimiter);
  return `${line === "" && cells.length === 1 ? '""' : line}\r\n`;
}

/** Returns the cells of all records in an RFC 4180 text. Every line must end with CR LF. */
export function parseCsv(text: string, delimiter: string): string[][] {
  const records: string[][] = [[]];
  let at = 0;
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"') {
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (at >= text.length) throw new Error("a quote is not closed");
        if (text[at] === '"') at++;
        cell += text[at];
      }
      at++;
    } else {
      while (text[at] !== delimiter && !text.startsWith("\r\n", at)) {
        if (at >= text.length || text[at] === '"') throw new Error(`no cell ends at ${at}`);
        cell += text[at++];
      }
    }
    records.at(-1)?.push(cell);
    if (text[at] === delimiter) {
      at++;
    } else if (text.startsWith("\r\n", at)) {
      at += 2;
      records.push([]);
    } else {
      throw new Error(`neither a delimiter nor the end of a line at ${at}`);
    }
  }
  return records.slice(0, -1);
}

/**
 * Returns the markup of a value in a page for people, such as a number with thousands separators or
 * a link. Returns undefined if the value needs no special markup.
 */
function pageCell({ field, kind, value, people }: Cell, language: Language): string | undefined {
  if (value === null) return undefined;
  if (field === "phone_1" || field === "phone_2") return `<a href="tel:${value}">${people}</a>`;
  if (field === "whatsapp") return `<a href="${value}" rel="noreferrer">WhatsApp</a>`;
  if (field === "email" && /^[\w.+-]*@[\w.+-]*$/.test(String(value))) {
    return `<a href="mailto:${value}">${value}</a>`;
  }
  const isField = field !== undefined;
  if (isField && kind === "number" && people === undefined) {
    return groupedTwin(String(value), language);
  }
  return kind === "amount" ? groupedTwin(people ?? "", language) : people;
}

function htmlRow(cells: readonly Cell[], language: Language | undefined): string {
  const parts = cells.map((cell, i) => {
    const { kind, value, field } = cell;
    const plain = Array.isArray(value) ? value.join(", ") : String(value ?? "");
    const shown = language && pageCell(cell, language);
    const word = language !== undefined && field === "registration_status";
    const text =
      shown ??
      plain
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;")
        .replaceAll('"', "&quot;")
        .replaceAll("'", "&#39;")
        .replaceAll("\r", "&#13;")
        .replace(/(?![\t\n])\p{Cc}/gu, "\ufffd");
    if (i === 0) return `<th scope="row">${text}</th>`;
    return (kind === "number" && !word) || kind === "amount"
      ? `<td class="n">${text}</td>`
      : `<td>${text}</td>`;
  });
  return `<tr>${parts.join("")}</tr>\n`;
}

/** Returns the text that an HTML parser reads from a cell's markup. */
export function readHtmlText(text: string): string {
  const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"' };
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/&(?:#(\d+)|(\w+));/g, (_, code, name) =>
      code === undefined ? (named[name] as string) : String.fromCodePoint(Number(code)),
    );
}

function sheetRow(cells: readonly Cell[], number: number, language: Language | undefined): string {
  const parts = cells.map(({ kind, value, people, link }, i) => {
    const begin = `<c r="${columnName(i)}${number}"`;
    if (value === null || (Array.isArray(value) && value.length === 0)) return "";
    if (kind === "amount" && language !== undefined) return `${begin} s="4"><v>${value}</v></c>`;
    if ((kind === "number" && people === undefined) || kind === "amount") {
      return `${begin}><v>${value}</v></c>`;
    }
    if (kind === "flag" && people === undefined)
      return `${begin} t="b"><v>${value ? 1 : 0}</v></c>`;
    if (kind === "date" && /^\d{4}-/.test(String(value)) && String(value) >= "1900-03-01") {
      const serial = (Date.parse(String(value)) - Date.parse("1899-12-30")) / 86_400_000;
      return `${begin} s="1"><v>${serial}</v></c>`;
    }
    const plain = Array.isArray(value) ? value.join(",") : String(value);
    const text = sheetText(people ?? plain);
    if (typeof link === "string") {
      return `${begin} s="5" t="str"><f>${sheetText(link)}</f><v>${text}</v></c>`;
    }
    const space = /^ |[\t\n]| $/.test(text) ? ' xml:space="preserve"' : "";
    return `${begin} t="inlineStr"><is><t${space}>${text}</t></is></c>`;
  });
  return `<row r="${number}">${parts.join("")}</row>`;
}

/**
 * The formula of a field's link in a sheet for people; null for a value that is no link. `fields`
 * are the columns of the file.
 */
export function linkTwin(
  field: string,
  account: Account,
  fields: readonly string[],
): string | null {
  const text = String(account[field] ?? "");
  if (field === "whatsapp") return text === "" ? null : `HYPERLINK("${text}")`;
  if (field === "street") return mapLinkTwin(account, fields);
  const isLinked = field === "email" && /^[\w.+-]+@[\w.+-]+$/.test(text) && text.length <= 248;
  return isLinked ? `HYPERLINK("mailto:${text}","${text}")` : null;
}

/** The formula of the link to a map, whose address is that of the console's map. */
function mapLinkTwin(account: Account, fields: readonly string[]): string | null {
  const of = (field: string) => (fields.includes(field) ? String(account[field] ?? "") : "");
  const [street, city, uf] = [of("street"), of("municipality_name"), of("uf")];
  const isEscaped = new RegExp(`_x[0-9A-Fa-f]{4}(?:_|${FORBIDDEN})|${FORBIDDEN}`).test(street);
  const isShown = !isEscaped && !/^ |[\t\n]| $/.test(street) && street.length <= 255;
  if (street === "" || city === "" || uf === "" || uf === "EX" || !isShown) return null;
  const postal = of("postal_code").replace(/^(\d{5})(\d{3})$/, "$1-$2");
  const place = [postal, `${city}, ${uf}`].filter((part) => part !== "").join(" ");
  const [number, complement, district] = ["street_number", "address_complement", "district"].map(
    of,
  );
  const target = [
    [street, number, complement, district, place],
    [street, number, district, place],
    [street, number, place],
  ]
    .map((parts) => encodeURIComponent(parts.filter((part) => part !== "").join(", ")))
    .map((query) => query.replaceAll("_", "%5F"))
    .map((query) => `https://www.google.com/maps/search/?api=1&query=${query}`)
    .find((url) => url.length <= 255);
  return target === undefined ? null : `HYPERLINK("${target}","${street.replaceAll('"', '""')}")`;
}

/**
 * Returns the letters of a column, as in Excel. Numbers begin at 0; Z is followed by AA, and ZZ by
 * AAA.
 */
export function columnName(number: number): string {
  let name = "";
  for (let rest = number + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  }
  return name;
}

/** Characters that XML 1.0 forbids, and CR, which XML parsers convert. */
const FORBIDDEN = "[\\0-\\x08\\x0b-\\x1f\\ufffe\\uffff]";

function sheetText(text: string): string {
  return text
    .replace(new RegExp(`_(?=x[0-9A-Fa-f]{4}(?:_|${FORBIDDEN}))`, "g"), "_x005F_")
    .replace(new RegExp(FORBIDDEN, "g"), (character) => {
      const code = character.charCodeAt(0).toString(16).toUpperCase();
      return `_x${code.padStart(4, "0")}_`;
    })
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

/** Returns the text that a reader of sheets obtains from the XML. */
export function readSheetText(xml: string): string {
  if (new RegExp(`${FORBIDDEN}|[<>]`).test(xml)) throw new Error("this is not XML");
  const text = xml.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
