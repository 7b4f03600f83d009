/**
 * What somebody pastes as a list. What comes in: text of a box. What goes out: its lines, or the
 * text as a file where it is a table.
 * Invariant: nothing is left out, and nothing is read here: what stands on a line the server finds,
 * by the rules of files, and refuses what it does not understand. Apart because it reads text and
 * draws nothing.
 */

/** Lines that are sent as they are, or a file whose column of CNPJs the server finds. */
export type Pasted = { readonly cnpjs: readonly string[] } | { readonly file: Blob };

/** Entries that are sent one by one; more of them go as a file, which may be larger. */
const SINGLE_MAX = 20_000;
/** Reads what was pasted; null where nothing was. */
export function readPasted(text: string): Pasted | null {
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim());
  if (lines.every((line) => line === "")) return null;
  const isTable = lines.some((line) => /[\t;]|","/.test(line) && /\p{L}{3}/u.test(line));
  const given = lines.filter((line) => line !== "");
  if (isTable || given.length > SINGLE_MAX) return { file: new Blob([text], { type: "text/csv" }) };
  return { cnpjs: given };
}
