/**
 * The parts of a workbook around the rows of its first sheet. Input: field names, and the
 * description of the file. Output: the XML of every part, and the begin and end of the first sheet.
 * Invariant: every cell made here is text, so none can become a formula. No part contains the
 * creation time or the machine.
 * Format: ECMA-376 (Office Open XML), transitional, parts 1 and 2.
 */

import type { LabelLanguage } from "../../../spec/fields/words.ts";
import { OUTPUT_FIELDS } from "../../../spec/fields.ts";
import { longWidth } from "../labels.ts";
import type { AboutRow } from "../source.ts";

/** Content of a workbook, except its rows. */
export interface Workbook {
  /** Names of the columns of the first sheet, and their headings. */
  readonly columns: readonly string[];
  readonly headings: readonly string[];
  /** Language of a workbook for people. */
  readonly labels: LabelLanguage | undefined;
  /** Number of rows on the first sheet, without the header. */
  readonly rowCount: number;
  /** Rows of the second sheet. */
  readonly about: readonly AboutRow[];
  /** `YYYY-MM-DD`; used as creation time. */
  readonly date: string;
  /** Name of the first sheet. By default, it is that of accounts. */
  readonly sheet?: string;
}

interface PackagePart {
  readonly path: string;
  readonly xml: string;
}

/** Path of the part that holds the rows. */
export const ROWS_PATH = "xl/worksheets/sheet1.xml";

const SHEETS = { en: ["Accounts", "About"], pt: ["Estabelecimentos", "Sobre"] } as const;
const BOLD = 2;
const WRAPPED = 3;

/** Characters added to a heading's length, if a column's field defines no width. */
const HEADER_MARGIN = 4;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const CONTENT = "http://schemas.openxmlformats.org/package/2006/content-types";
const CORE = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties";
const APP = "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties";
const SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** Returns every part but the rows, in the order of the package. */
export function partsOf(workbook: Workbook): readonly PackagePart[] {
  return [
    { path: "[Content_Types].xml", xml: XML + contentTypes(["sheet1", "sheet2"]) },
    { path: "_rels/.rels", xml: XML + packageRelations() },
    { path: "docProps/core.xml", xml: XML + coreProperties(workbook.date) },
    { path: "docProps/app.xml", xml: XML + APP_PROPERTIES },
    { path: "xl/workbook.xml", xml: XML + workbookPart(workbook) },
    { path: "xl/_rels/workbook.xml.rels", xml: XML + workbookRelations() },
    { path: "xl/styles.xml", xml: XML + stylesOf(workbook.labels) },
    { path: "xl/worksheets/sheet2.xml", xml: XML + aboutSheet(workbook.about) },
  ];
}

/** A workbook with one sheet and no description. */
interface PlainWorkbook extends Pick<Workbook, "labels" | "date"> {
  /** Name of the sheet, without characters that XML escapes. */
  readonly sheet: string;
}

/** Numbers of the styles for amounts with two decimals, and for headings, in a plain workbook. */
export const PLAIN_STYLES = { heading: 2, cents: 6 } as const;

/** Returns every part of a plain workbook but the sheet. */
export function plainPartsOf({ labels, date, sheet }: PlainWorkbook): readonly PackagePart[] {
  const sheets = `<sheets><sheet name="${sheet}" sheetId="1" r:id="rId1"/></sheets>`;
  const relation = relations(
    [`${OFFICE}/worksheet`, "worksheets/sheet1.xml"],
    [`${OFFICE}/styles`, "styles.xml"],
  );
  const cents = AMOUNT.replace('numFmtId="4"', 'numFmtId="2"');
  const styles = withCellStyles(stylesOf(labels ?? "en"), cents);
  return [
    { path: "[Content_Types].xml", xml: XML + contentTypes(["sheet1"]) },
    { path: "_rels/.rels", xml: XML + packageRelations() },
    { path: "docProps/core.xml", xml: XML + coreProperties(date) },
    { path: "docProps/app.xml", xml: XML + APP_PROPERTIES },
    {
      path: "xl/workbook.xml",
      xml: `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">${sheets}</workbook>`,
    },
    { path: "xl/_rels/workbook.xml.rels", xml: XML + relation },
    {
      path: "xl/styles.xml",
      xml: XML + (labels === undefined ? styles.replace(PEOPLE_DATE, PROGRAM_DATE) : styles),
    },
  ];
}

/** Returns the beginning of a plain sheet. Rows up to row `header` are frozen (0: none). */
export function plainSheetStart(header: number, widths: readonly number[]): string {
  const cols = widths.map((width, at) => {
    return `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`;
  });
  const pane =
    `<pane ySplit="${header}" topLeftCell="A${header + 1}" activePane="bottomLeft" ` +
    'state="frozen"/>';
  return (
    `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView tabSelected="1" workbookViewId="0">` +
    `${header === 0 ? "" : pane}</sheetView></sheetViews>` +
    `<sheetFormatPr defaultRowHeight="15"/><cols>${cols.join("")}</cols><sheetData>`
  );
}

/** Returns the first sheet up to its header row. The other rows begin with number 2. */
export function sheetStart(workbook: Workbook): string {
  const widths = workbook.columns.map((name, i) => {
    const width = widthOf(name, workbook.headings[i] ?? name);
    return `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`;
  });
  const header = workbook.headings.map((name, i) => textCell(`${columnName(i)}1`, name, BOLD));
  return (
    `${XML}<worksheet xmlns="${MAIN}"><dimension ref="A1:${lastCell(workbook)}"/>` +
    '<sheetViews><sheetView tabSelected="1" workbookViewId="0">' +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
    '<selection pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews>' +
    `<sheetFormatPr defaultRowHeight="15"/><cols>${widths.join("")}</cols>` +
    `<sheetData><row r="1">${header.join("")}</row>`
  );
}

/** Returns the end of the first sheet, after its last row. */
export function sheetEnd(workbook: Workbook): string {
  return `</sheetData><autoFilter ref="A1:${lastCell(workbook)}"/></worksheet>`;
}

/** Returns the letters of a column, counted from 0. */
export function columnName(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last;
}

function lastCell({ columns, rowCount }: Workbook): string {
  return `${columnName(columns.length - 1)}${rowCount + 1}`;
}

/** Returns a column's width. A heading in words needs space for itself and a filter button. */
export function widthOf(name: string, heading: string): number {
  const field = OUTPUT_FIELDS.find((row) => row.name === name);
  const usual = field?.shown.sheet ?? longWidth(name) ?? heading.length + HEADER_MARGIN;
  return heading === name ? usual : Math.max(usual, heading.length + HEADER_MARGIN);
}

/** Characters that XML does not preserve, and text that looks like their escape (`_xHHHH_`). */
const ESCAPED = /(?![\t\n])[\p{Cc}\ufffe\uffff]|\p{Cs}|_(?=x[0-9A-Fa-f]{4}_)/gu;

/** Returns a text cell; escapes characters as XML requires. */
export function textCell(place: string, text: string, style = 0): string {
  const escaped = text
    .replace(ESCAPED, (found) => `_x${hexOf(found)}_`)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
  const kind = `${style === 0 ? "" : ` s="${style}"`} t="inlineStr"`;
  return `<c r="${place}"${kind}><is><t xml:space="preserve">${escaped}</t></is></c>`;
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
}

function aboutSheet(about: Workbook["about"]): string {
  const cell = (place: string, text: string, style: number) =>
    text === "" ? "" : textCell(place, text, style);
  const rows = about.map(
    ([label, value], i) =>
      `<row r="${i + 1}">${cell(`A${i + 1}`, label, BOLD)}` +
      `${cell(`B${i + 1}`, value, WRAPPED)}</row>`,
  );
  return (
    `<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"/></sheetViews>` +
    '<sheetFormatPr defaultRowHeight="15"/><cols><col min="1" max="1" width="30" ' +
    'customWidth="1"/><col min="2" max="2" width="100" customWidth="1"/></cols>' +
    `<sheetData>${rows.join("")}</sheetData></worksheet>`
  );
}

function contentTypes(sheets: readonly string[]): string {
  const overrides = [
    ["/xl/workbook.xml", `${SPREADSHEET}.sheet.main+xml`],
    ["/xl/styles.xml", `${SPREADSHEET}.styles+xml`],
    ...sheets.map((name) => [`/xl/worksheets/${name}.xml`, `${SPREADSHEET}.worksheet+xml`]),
    ["/docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml"],
    ["/docProps/app.xml", "application/vnd.openxmlformats-officedocument.extended-properties+xml"],
  ].map(([part, type]) => `<Override PartName="${part}" ContentType="${type}"/>`);
  return (
    `<Types xmlns="${CONTENT}"><Default Extension="rels" ` +
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    `<Default Extension="xml" ContentType="application/xml"/>${overrides.join("")}</Types>`
  );
}

function relations(...targets: readonly (readonly [type: string, target: string])[]): string {
  const each = targets.map(
    ([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${RELATIONS}">${each.join("")}</Relationships>`;
}

function packageRelations(): string {
  return relations(
    [`${OFFICE}/officeDocument`, "xl/workbook.xml"],
    [`${RELATIONS}/metadata/core-properties`, "docProps/core.xml"],
    [`${OFFICE}/extended-properties`, "docProps/app.xml"],
  );
}

function workbookRelations(): string {
  return relations(
    [`${OFFICE}/worksheet`, "worksheets/sheet1.xml"],
    [`${OFFICE}/worksheet`, "worksheets/sheet2.xml"],
    [`${OFFICE}/styles`, "styles.xml"],
  );
}

function coreProperties(date: string): string {
  const time = `${date}T00:00:00Z`;
  const types =
    'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:dc="http://purl.org/dc/elements/1.1/"';
  const instance = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
  return (
    `<cp:coreProperties xmlns:cp="${CORE}" ${types} ${instance}><dc:creator>Peneira</dc:creator>` +
    `<dcterms:created xsi:type="dcterms:W3CDTF">${time}</dcterms:created>` +
    `<dcterms:modified xsi:type="dcterms:W3CDTF">${time}</dcterms:modified></cp:coreProperties>`
  );
}

const APP_PROPERTIES = `<Properties xmlns="${APP}"><Application>Peneira</Application></Properties>`;

/** Defines the hidden name under which Excel expects the range of a filter. */
function workbookPart(workbook: Workbook): string {
  const [accounts, about] = SHEETS[workbook.labels ?? "en"];
  const { sheet: data = accounts } = workbook;
  const last = lastCell(workbook).replace(/^([A-Z]+)/, "$$$1$$");
  return (
    `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>` +
    `<sheet name="${data}" sheetId="1" r:id="rId1"/>` +
    `<sheet name="${about}" sheetId="2" r:id="rId2"/></sheets><definedNames>` +
    '<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">' +
    `${data}!$A$1:${last}</definedName></definedNames></workbook>`
  );
}

/**
 * Cell styles: 0 general, 1 date, 2 bold, 3 wrapped; for people also 4 amount, 5 link. The addon's
 * rows use 0, 1, 4, and 5.
 */
const STYLES =
  `<styleSheet xmlns="${MAIN}">` +
  '<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts>' +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill>' +
  '<fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  '<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>' +
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" applyAlignment="1">' +
  '<alignment vertical="top" wrapText="1"/></xf></cellXfs>' +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>' +
  "</styleSheet>";

const PROGRAM_DATE = "yyyy\\-mm\\-dd";
const PEOPLE_DATE = "dd\\/mm\\/yyyy";
const AMOUNT =
  '<xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>';

const LINK = '<xf numFmtId="0" fontId="2" fillId="0" borderId="0" xfId="0" applyFont="1"/>';
const LINK_FONT =
  '<font><u/><sz val="11"/><color rgb="FF0563C1"/><name val="Calibri"/></font></fonts>';

/** Returns the styles. A workbook for people has local dates, amounts, and links. */
function stylesOf(labels: LabelLanguage | undefined): string {
  if (labels === undefined) return STYLES;
  const styles = STYLES.replace(PROGRAM_DATE, PEOPLE_DATE)
    .replace('<fonts count="2">', '<fonts count="3">')
    .replace("</fonts>", LINK_FONT);
  return withCellStyles(styles, AMOUNT, LINK);
}

/** Appends cell styles. Each gets the next number. */
function withCellStyles(styles: string, ...added: readonly string[]): string {
  return styles
    .replace(/(<cellXfs count=")(\d+)/, (_, begin, count) => begin + (Number(count) + added.length))
    .replace("</cellXfs>", `${added.join("")}</cellXfs>`);
}
