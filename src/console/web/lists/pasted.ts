/**
 * Splits pasted text into lines, or converts it to a file if it is a table.
 * Invariant: every line is sent unchanged. The server parses the lines like those of a file and
 * refuses invalid ones. Separate because it parses text and draws nothing.
 */

/** Lines to send unchanged, or a file in which the server finds the CNPJ column. */
export type Pasted = { readonly cnpjs: readonly string[] } | { readonly file: Blob };

/** Max number of lines sent as a list. Longer texts are sent as a file, which may be larger. */
const SINGLE_MAX = 20_000;
/** Parses pasted text. Returns null if it is empty. */
export function readPasted(text: string): Pasted | null {
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim());
  if (lines.every((line) => line === "")) return null;
  const isTable = lines.some((line) => /[\t;]|","/.test(line) && /\p{L}{3}/u.test(line));
  const given = lines.filter((line) => line !== "");
  if (isTable || given.length > SINGLE_MAX) return { file: new Blob([text], { type: "text/csv" }) };
  return { cnpjs: given };
}
