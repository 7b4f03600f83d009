/**
 * Makes workbooks as different programs write them. Input: sheets of cells, and options. Output: an
 * XLSX file, or its parts, which a test can corrupt before they are packed.
 * Invariant: shares nothing with the reader, and another library makes the package.
 */
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";
import type { Draw } from "../spec/random.ts";

/** The number of each style in the workbook. The order of the members is that of the styles. */
export const STYLES = {
  general: 0,
  builtInDate: 1,
  date: 2,
  zeros: 3,
  mask: 4,
  scientific: 5,
  thousands: 6,
  hours: 7,
} as const;

const CODES: readonly (readonly [number, string])[] = [
  [164, "[$-416]dd/mm/yyyy;@"],
  [165, "00000000000000"],
  [166, "00\\.000\\.000\\/0000\\-00"],
  [167, "0.00E+00"],
  [168, "[h]:mm:ss"],
];
const STYLE_FORMATS = [0, 14, 164, 165, 166, 167, 3, 168];

/** A cell: a text stored in one of several ways, a number, or a stored value of another kind. */
export type CellDraft =
  | { readonly text: string; readonly as: "shared" | "inline" | "rich" | "formula" | "unsaved" }
  | { readonly number: string; readonly style?: number }
  | { readonly stored: string; readonly kind: string };

/** A sheet. Rows and cells that are null are not written. */
export interface SheetDraft {
  readonly name: string;
  readonly rows: readonly (readonly (CellDraft | null)[] | null)[];
  readonly state?: "hidden" | "veryHidden";
  /** XML before and after the rows, such as columns and merged cells. */
  readonly head?: string;
  readonly tail?: string;
}

/** Writing options. */
interface Wording {
  /** XML namespace prefix of all elements in the sheets. */
  readonly prefix?: string;
  /** True if rows and cells state their positions. Otherwise no row or cell may be null. */
  readonly places?: boolean;
}

/** The parts of a package, by path. */
export type Parts = Map<string, string>;

const DECLARED = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";

/** A formula without a saved result, as programs write it that do not calculate. */
export const UNSAVED = { text: "", as: "unsaved" } as const;

/** A cell of a text. */
export function text(value: string, as: "shared" | "inline" | "rich" | "formula" = "shared") {
  return { text: value, as } as const;
}

/** Packs the parts. With `draw`, their order is random, and some are not compressed. */
export async function packed(parts: Parts, draw?: Draw): Promise<Buffer> {
  const zip = new ZipFile();
  const order = [...parts].sort(() => (draw?.chance(0.5) ? 1 : -1));
  for (const [path, content] of draw === undefined ? parts : order) {
    zip.addBuffer(Buffer.from(content), path, { compress: draw?.chance(0.3) !== true });
  }
  zip.end();
  return buffer(zip.outputStream as NodeJS.ReadableStream);
}

/** Returns a file with these sheets. */
export function workbook(sheets: readonly SheetDraft[], wording: Wording = {}): Promise<Buffer> {
  return packed(partsOf(sheets, wording));
}

/** The parts of a file of some sheets. */
export function partsOf(sheets: readonly SheetDraft[], wording: Wording = {}): Parts {
  const texts: string[] = [];
  const parts: Parts = new Map();
  sheets.forEach((sheet, at) => {
    parts.set(`xl/worksheets/sheet${at + 1}.xml`, sheetXml(sheet, wording, texts));
  });
  const items = texts.map((value, at) =>
    at % 3 === 2
      ? `<si>${runs(value)}<rPh sb="0" eb="1"><t>99</t></rPh></si>`
      : `<si><t xml:space="preserve">${escaped(value)}</t></si>`,
  );
  parts.set("xl/sharedStrings.xml", `${DECLARED}<sst xmlns="${MAIN}">${items.join("")}</sst>`);
  parts.set("xl/styles.xml", stylesXml());
  parts.set("xl/workbook.xml", bookXml(sheets));
  const all = [
    ...sheets.map((_, at) => ["worksheet", `worksheets/sheet${at + 1}.xml`]),
    ["styles", "/xl/styles.xml"],
    ["sharedStrings", "sharedStrings.xml"],
  ];
  parts.set("xl/_rels/workbook.xml.rels", relationsXml(all as [string, string][]));
  parts.set("_rels/.rels", relationsXml([["officeDocument", "xl/workbook.xml"]]));
  parts.set("[Content_Types].xml", typesXml(sheets.length));
  return parts;
}

function sheetXml(
  { rows, head = "", tail = "" }: SheetDraft,
  { prefix, places = true }: Wording,
  texts: string[],
): string {
  const p = prefix === undefined ? "" : `${prefix}:`;
  const xmlns = prefix === undefined ? `xmlns="${MAIN}"` : `xmlns:${prefix}="${MAIN}"`;
  const body = rows.map((cells, row) => {
    if (cells === null) return "";
    const entries = cells.map((cell, column) => {
      if (cell === null) return "";
      return cellXml(cell, { p, at: places ? ` r="${name(column)}${row + 1}"` : "", texts });
    });
    return `<${p}row${places ? ` r="${row + 1}"` : ""}>${entries.join("")}</${p}row>`;
  });
  const data = `<${p}sheetData>${body.join("\n")}</${p}sheetData>`;
  return `${DECLARED}<!-- <c> --><${p}worksheet ${xmlns}>${head}${data}${tail}</${p}worksheet>`;
}

interface Place {
  readonly p: string;
  readonly at: string;
  readonly texts: string[];
}

function cellXml(cell: CellDraft, { p, at, texts }: Place): string {
  const made = (rest: string, inside: string) => `<${p}c${at}${rest}>${inside}</${p}c>`;
  const value = (stored: string) => `<${p}v>${stored}</${p}v>`;
  if ("number" in cell) {
    return made(cell.style === undefined ? "" : ` s='${cell.style}'`, value(cell.number));
  }
  if ("stored" in cell) return made(` t="${cell.kind}"`, value(cell.stored));
  if (cell.as === "inline") {
    const inside = `<${p}t xml:space="preserve">${escaped(cell.text)}</${p}t>`;
    return made(' t="inlineStr"', `<${p}is>${inside}</${p}is>`);
  }
  if (cell.as === "rich") {
    return made(' t="inlineStr"', `<${p}is>${runs(cell.text, p)}</${p}is>`);
  }
  if (cell.as === "unsaved") return made("", `<${p}f>"x"&amp;B1</${p}f>`);
  if (cell.as === "formula") {
    return made(' t="str"', `<${p}f>A1&amp;"x"</${p}f>${value(escaped(cell.text))}`);
  }
  texts.push(cell.text);
  return made(' t="s"', value(String(texts.length - 1)));
}

/** Splits a text into two runs with different styles. */
function runs(value: string, p = ""): string {
  const half = Math.floor(value.length / 2);
  return [value.slice(0, half), value.slice(half)]
    .map((part) => `<${p}r><${p}t xml:space="preserve">${escaped(part)}</${p}t></${p}r>`)
    .join("");
}

function stylesXml(): string {
  const formats = CODES.map(([id, code]) => {
    return `<numFmt numFmtId="${id}" formatCode="${escaped(code)}"/>`;
  });
  const cells = STYLE_FORMATS.map((id) => `<xf numFmtId="${id}" applyNumberFormat="1"/>`);
  return (
    `${DECLARED}<styleSheet xmlns="${MAIN}"><numFmts>${formats.join("")}</numFmts>` +
    '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>' +
    `<cellXfs>${cells.join("")}</cellXfs></styleSheet>`
  );
}

function bookXml(sheets: readonly SheetDraft[]): string {
  const entries = sheets.map(({ name: title, state }, at) => {
    const hidden = state === undefined ? "" : ` state="${state}"`;
    return `<sheet name="${escaped(title)}" sheetId="${at + 1}"${hidden} r:id="rId${at + 1}"/>`;
  });
  return (
    `${DECLARED}<workbook xmlns="${MAIN}" xmlns:r="${RELATED}">` +
    `<sheets>${entries.join("")}</sheets></workbook>`
  );
}

function relationsXml(parts: readonly (readonly [string, string])[]): string {
  const entries = parts.map(([type, target], at) => {
    return `<Relationship Id="rId${at + 1}" Type="${RELATED}/${type}" Target="${target}"/>`;
  });
  const xmlns = `xmlns="${PACKAGE}/relationships"`;
  return `${DECLARED}<Relationships ${xmlns}>${entries.join("")}</Relationships>`;
}

function typesXml(sheets: number): string {
  const of = (path: string, type: string) => {
    const full = `application/vnd.openxmlformats-officedocument.spreadsheetml.${type}+xml`;
    return `<Override PartName="/xl/${path}.xml" ContentType="${full}"/>`;
  };
  const relations = "application/vnd.openxmlformats-package.relationships+xml";
  const all = Array.from({ length: sheets }, (_, at) =>
    of(`worksheets/sheet${at + 1}`, "worksheet"),
  );
  return (
    `${DECLARED}<Types xmlns="${PACKAGE}/content-types">` +
    `<Default Extension="rels" ContentType="${relations}"/>` +
    `${of("workbook", "sheet.main")}${of("styles", "styles")}` +
    `${of("sharedStrings", "sharedStrings")}${all.join("")}</Types>`
  );
}

function name(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : name(Math.floor(column / 26) - 1) + last;
}

function escaped(value: string): string {
  return value.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
