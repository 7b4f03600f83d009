/**
 * Writes an XLSX file of one column, with the header "cnpj" and texts below it. The cells refer to
 * a table of shared strings, as in files saved by Excel.
 * Invariant: the library that packs the file is not the one that reads it. Separate from the
 * benchmark because that measures only reading.
 */
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";

const RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const SHEET = '<sheet name="Clientes" sheetId="1" r:id="rId1"/>';

/** Writes the file. */
export async function writeSheet(path: string, texts: readonly string[]): Promise<void> {
  const zip = new ZipFile();
  const all = ["cnpj", ...texts];
  const rows = all.map((_, at) => {
    return `<row r="${at + 1}" spans="1:1"><c r="A${at + 1}" t="s"><v>${at}</v></c></row>`;
  });
  const parts = {
    "_rels/.rels": relations([["officeDocument", "xl/workbook.xml"]]),
    "xl/workbook.xml": `<workbook><sheets>${SHEET}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations([
      ["worksheet", "worksheets/sheet1.xml"],
      ["sharedStrings", "sharedStrings.xml"],
    ]),
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows.join("")}</sheetData></worksheet>`,
    "xl/sharedStrings.xml": `<sst>${all.map((text) => `<si><t>${text}</t></si>`).join("")}</sst>`,
  };
  for (const [name, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  const file = createWriteStream(path);
  (zip.outputStream as NodeJS.ReadableStream).pipe(file);
  await finished(file);
}

function relations(parts: readonly (readonly [type: string, target: string])[]): string {
  const entries = parts.map(([type, target], at) => {
    return `<Relationship Id="rId${at + 1}" Type="${RELATED}/${type}" Target="${target}"/>`;
  });
  return `<Relationships>${entries.join("")}</Relationships>`;
}
