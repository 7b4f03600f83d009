/**
 * Detects the kind of a file by its first bytes. Readers use this table to name an unexpected kind.
 * Invariant: file names and Content-Type are never trusted. A kind is returned only if the bytes
 * have its signature. Plain text has no signature. Sources of the signatures: the formats'
 * specifications, and files of Excel and public portals.
 */
import { closeSync, openSync, readSync } from "node:fs";

/** A kind of file. */
export interface FileKind {
  readonly id: KindId;
  /** Name of the kind, with its article: "a PDF". */
  readonly name: string;
}

/** Identifiers of the recognized kinds. */
export type KindId =
  | "empty"
  | "zeros"
  | "html"
  | "xml"
  | "zip"
  | "xlsx"
  | "ods"
  | "archive"
  | "pdf"
  | "xls"
  | "picture"
  | "rtf"
  | "parquet"
  | "arrow"
  | "sqlite"
  | "utf16";

/** Number of first bytes that determine the kind. */
export const SIGNATURE_BYTES = 512;
/** Offset of the first part's name in a zip. The name identifies an OpenDocument file. */
const ZIP_NAME_AT = 30;
const ZIP_SIGN = "PK\u0003\u0004";
/** Signatures of an empty zip and of a multi-volume zip. */
const OTHER_ZIP_SIGNS = ["PK\u0005\u0006", "PK\u0007\u0008"];

const NAMES: Readonly<Record<KindId, string>> = {
  empty: "empty",
  zeros: "nothing but zero bytes",
  html: "a web page (HTML)",
  xml: "XML",
  zip: "a zip",
  xlsx: "a workbook (XLSX)",
  ods: "an OpenDocument (ODS)",
  archive: "an archive (gzip, zstd, RAR, 7z, bzip2 or xz)",
  pdf: "a PDF",
  xls: "an old workbook (XLS), or one with a password",
  picture: "a picture",
  rtf: "a text document (RTF)",
  parquet: "a Parquet file",
  arrow: "an Arrow file",
  sqlite: "a database (SQLite)",
  utf16: "text in UTF-16",
};

/** Signatures of the kinds that begin with fixed bytes, one character per byte. */
const SIGNS: readonly (readonly [KindId, readonly string[]])[] = [
  ["pdf", ["%PDF-"]],
  ["xls", ["\u00d0\u00cf\u0011\u00e0"]],
  [
    "archive",
    ["\u001f\u008b", "(\u00b5/\u00fd", "Rar!\u001a", "7z\u00bc\u00af", "BZh", "\u00fd7zXZ"],
  ],
  ["picture", ["\u0089PNG", "\u00ff\u00d8\u00ff", "GIF8", "RIFF"]],
  ["rtf", ["{\\rtf"]],
  ["parquet", ["PAR1"]],
  ["arrow", ["ARROW1"]],
  ["sqlite", ["SQLite format 3"]],
  ["utf16", ["\u00ff\u00fe", "\u00fe\u00ff"]],
];

/** UTF-8 byte-order mark and white space. */
const BLANK = /^(?:\u00ef\u00bb\u00bf)?\s*/;

/** First characters of kinds with tags, after blanks. */
const TAGS: readonly (readonly [KindId, RegExp])[] = [
  [
    "html",
    /^(?:<!--[^>]*-->\s*)?<(?:!doctype html|html|head|body|table|meta|style|title|script)\b/i,
  ],
  ["xml", /^<\?xml\b/i],
];

/** First part of a workbook, as written by Excel, LibreOffice, and common libraries. */
const WORKBOOK_PARTS = /^(?:\[Content_Types\]\.xml|_rels\/|xl\/|docProps\/)/;

/** Returns the kind of a file by its first bytes, or null for plain text and others. */
export function kindOf(bytes: Uint8Array): FileKind | null {
  const id = idOf(bytes.subarray(0, SIGNATURE_BYTES));
  return id === null ? null : { id, name: NAMES[id] };
}

/** Returns the kind of the file at `path`. @throws Error of the file system. */
export function kindOfFile(path: string): FileKind | null {
  const bytes = Buffer.alloc(SIGNATURE_BYTES);
  const fd = openSync(path, "r");
  try {
    return kindOf(bytes.subarray(0, readSync(fd, bytes, 0, SIGNATURE_BYTES, 0)));
  } finally {
    closeSync(fd);
  }
}

/** Returns the message for a file of another kind, such as "it is a PDF, not a zip". */
export function wrongKindText(kind: FileKind, expected: string): string {
  return kind.id === "empty" ? "it is empty" : `it is ${kind.name}, not ${expected}`;
}

function idOf(head: Uint8Array): KindId | null {
  if (head.length === 0) return "empty";
  const text = Buffer.from(head).toString("latin1");
  if (text.startsWith(ZIP_SIGN)) return zipId(text.slice(ZIP_NAME_AT));
  if (OTHER_ZIP_SIGNS.some((sign) => text.startsWith(sign))) return "zip";
  const [id] = SIGNS.find(([, signs]) => signs.some((sign) => text.startsWith(sign))) ?? [];
  if (id !== undefined) return id;
  if (head.every((byte) => byte === 0)) return "zeros";
  if (isUtf16(head)) return "utf16";
  const visible = text.replace(BLANK, "");
  return TAGS.find(([, tag]) => tag.test(visible))?.[0] ?? null;
}

function zipId(firstName: string): KindId {
  if (firstName.startsWith("mimetype")) return "ods";
  return WORKBOOK_PARTS.test(firstName) ? "xlsx" : "zip";
}

/**
 * True for UTF-16 text without a byte-order mark: one of the two bytes of a Latin letter is zero.
 */
function isUtf16(head: Uint8Array): boolean {
  if (head.length < 4) return false;
  let [even, odd] = [0, 0];
  for (const [at, byte] of head.entries()) {
    if (byte !== 0) continue;
    if (at % 2 === 0) even++;
    else odd++;
  }
  const [few, many] = even < odd ? [even, odd] : [odd, even];
  return few === 0 && many * 4 >= head.length;
}
