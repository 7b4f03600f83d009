/**
 * Recognizes files that are not readable lists of CNPJs, and advises how to send them.
 * Invariant: a file's kind is named only if its first bytes identify it (src/files/filekind.ts).
 * Separate from the readers because both the reader of CSV and that of XLSX receive such files.
 */
import { type KindId, kindOf, SIGNATURE_BYTES } from "../files/filekind.ts";

export { SIGNATURE_BYTES };

interface OtherFile {
  /** Name with its article, as in "a PDF". */
  readonly name: string;
  /** Advice, one sentence. */
  readonly fix: string;
}

const SAVE = "Open it in a spreadsheet program, save it as XLSX or CSV, and send that.";
const UNPACK = "Unpack it, and send the file in it that has the CNPJs.";
const COLUMN = "Save its column of CNPJs as CSV, and send that.";
const PICTURE = "Send the CNPJs as text, one a line, or as a column of CSV or XLSX.";
const WITHOUT = "Save it as XLSX (Excel workbook) without a password, or as CSV, and send that.";

const ODS = {
  name: "an OpenDocument (ODS)",
  fix: "Save it as XLSX or as CSV, and send that.",
} as const;

/** Advice for each kind that is not a list, with its common name if it differs. */
const FIXES: Readonly<Partial<Record<KindId, Partial<OtherFile> & { readonly fix: string }>>> = {
  pdf: { fix: `Copy the CNPJs out of it. ${PICTURE}` },
  xls: { fix: WITHOUT },
  archive: { name: "an archive", fix: UNPACK },
  picture: { fix: PICTURE },
  rtf: { fix: `Save it as text. ${PICTURE}` },
  parquet: { fix: COLUMN },
  arrow: { fix: COLUMN },
  sqlite: { fix: COLUMN },
  ods: ODS,
  html: { name: "a web page (HTML), which some systems save as .xls", fix: SAVE },
  xml: { fix: SAVE },
  zeros: { fix: "Its copy was not finished. Copy or download it again, and send that." },
};

/**
 * Identifies a file by its first bytes; returns null if they do not suffice, as for CSV and XLSX.
 */
export function otherFile(bytes: Uint8Array): OtherFile | null {
  const kind = kindOf(bytes);
  const remedy = kind === null ? undefined : FIXES[kind.id];
  return kind === null || remedy === undefined ? null : { name: kind.name, ...remedy };
}

/** Other zips like a workbook. Each is identified by one of its parts, in lower case. */
const PACKAGES: readonly (OtherFile & { readonly part: string })[] = [
  { part: "word/document.xml", name: "a text document (DOCX)", fix: PICTURE },
  { part: "ppt/presentation.xml", name: "a presentation (PPTX)", fix: PICTURE },
  {
    part: "index/document.iwa",
    name: "a document of Numbers",
    fix: "Export it to Excel or to CSV, and send that.",
  },
  { part: "content.xml", ...ODS },
];

/** Identifies, by its parts, a zip that is not a workbook. */
export function otherPackage(has: (part: string) => boolean): OtherFile {
  const found = PACKAGES.find(({ part }) => has(part));
  return found ?? { name: "a zip of other files", fix: UNPACK };
}

/** True if a file may be a zip, as every XLSX is. */
export function isZip(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 4)).equals(Buffer.from("PK\u0003\u0004", "latin1"));
}

/** True if a file begins like text, such as CSV; false if empty. */
export function isText(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, SIGNATURE_BYTES);
  return head.length > 0 && head.every((byte) => byte >= 0x20 || [9, 10, 13].includes(byte));
}
