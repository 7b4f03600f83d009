/**
 * Files that are no list of CNPJs in a form that is read. What comes in: how a file begins. What
 * goes out: what it is, in words, and how its CNPJs can be sent.
 * Invariant: a file is called by its name only where its first bytes say so; its own name and its
 * Content-Type are never asked. Apart because both readers are sent such files.
 * Source of the signs: the formats' own documents, and what Excel and public portals write.
 */

/** A file that is not read. */
interface OtherFile {
  /** With its article, as "a PDF". */
  readonly name: string;
  /** A sentence. */
  readonly mend: string;
}

/** How many bytes tell. */
export const TELLING_BYTES = 512;
/** Where the name of a zip's first part stands. An OpenDocument's says what it is. */
const ZIP_NAME_AT = 30;

const SAVE = "Open it in a spreadsheet program, save it as XLSX or CSV, and send that.";
const UNPACK = "Unpack it, and send the file in it that has the CNPJs.";
const COLUMN = "Save its column of CNPJs as CSV, and send that.";
const PICTURE = "Send the CNPJs as text, one a line, or as a column of CSV or XLSX.";
const WITHOUT = "Save it as XLSX (Excel workbook) without a password, or as CSV, and send that.";

const ODS = {
  name: "an OpenDocument (ODS)",
  mend: "Save it as XLSX or as CSV, and send that.",
} as const;

/** First bytes, a character each. */
const BEGINNINGS: readonly (OtherFile & { readonly begins: readonly string[] })[] = [
  { begins: ["%PDF-"], name: "a PDF", mend: `Copy the CNPJs out of it. ${PICTURE}` },
  {
    begins: ["\u00d0\u00cf\u0011\u00e0"],
    name: "an old workbook (XLS), or one with a password",
    mend: WITHOUT,
  },
  {
    begins: ["\u001f\u008b", "Rar!\u001a", "7z\u00bc\u00af", "BZh", "\u00fd7zXZ"],
    name: "an archive",
    mend: UNPACK,
  },
  {
    begins: ["\u0089PNG", "\u00ff\u00d8\u00ff", "GIF8", "RIFF"],
    name: "a picture",
    mend: PICTURE,
  },
  { begins: ["{\\rtf"], name: "a text document (RTF)", mend: `Save it as text. ${PICTURE}` },
  { begins: ["PAR1"], name: "a Parquet file", mend: COLUMN },
  { begins: ["ARROW1"], name: "an Arrow file", mend: COLUMN },
  { begins: ["SQLite format 3"], name: "a database (SQLite)", mend: COLUMN },
];

/** First letters of files with tags, behind the mark of UTF-8 and room. */
const TAGS: readonly (OtherFile & { readonly tag: RegExp })[] = [
  {
    tag: /^(?:\u00ef\u00bb\u00bf)?\s*<(?:!doctype html|html|head|body|table|meta|style)\b/i,
    name: "a web page (HTML), which some systems save as .xls",
    mend: SAVE,
  },
  { tag: /^(?:\u00ef\u00bb\u00bf)?\s*<\?xml\b/i, name: "XML", mend: SAVE },
];

/** What a file is whose first bytes these are; null where they do not say, as of CSV and XLSX. */
export function otherFile(bytes: Uint8Array): OtherFile | null {
  const head = Buffer.from(bytes.subarray(0, TELLING_BYTES)).toString("latin1");
  if (isZip(bytes) && head.startsWith("mimetype", ZIP_NAME_AT)) return ODS;
  return (
    BEGINNINGS.find(({ begins }) => begins.some((sign) => head.startsWith(sign))) ??
    TAGS.find(({ tag }) => tag.test(head)) ??
    null
  );
}

/** Parts of packages that are zips as workbooks are, in small letters. */
const PACKAGES: readonly (OtherFile & { readonly part: string })[] = [
  { part: "word/document.xml", name: "a text document (DOCX)", mend: PICTURE },
  { part: "ppt/presentation.xml", name: "a presentation (PPTX)", mend: PICTURE },
  {
    part: "index/document.iwa",
    name: "a document of Numbers",
    mend: "Export it to Excel or to CSV, and send that.",
  },
  { part: "content.xml", ...ODS },
];

/** What a zip is that is no workbook, by its parts. */
export function otherPackage(has: (part: string) => boolean): OtherFile {
  const found = PACKAGES.find(({ part }) => has(part));
  return found ?? { name: "a zip of other files", mend: UNPACK };
}

/** Whether a file may be a zip, as every XLSX is. */
export function isZip(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 4)).equals(Buffer.from("PK\u0003\u0004", "latin1"));
}

/** Whether a file begins as text does, as CSV; an empty one does not. */
export function isText(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, TELLING_BYTES);
  return head.length > 0 && head.every((byte) => byte >= 0x20 || [9, 10, 13].includes(byte));
}
