/**
 * What somebody pastes as a list. What comes in: text of a box. What goes out: the CNPJs one by
 * one, or the text as a file where it is a table.
 * Invariant: nothing is left out: what is no CNPJ is sent as well, so that the server refuses it by
 * its line. Apart because it reads text and draws nothing.
 */

/** CNPJs that are sent as they are, or a file whose column of CNPJs the server finds. */
export type Pasted = { readonly cnpjs: readonly string[] } | { readonly file: Blob };

/** Entries that are sent one by one; more of them go as a file, which may be larger. */
const SINGLE_MAX = 20_000;
/** As many letters and digits as a root has at least, with the punctuation of a CNPJ. */
const ONE = /^(?=([^0-9A-Z]*[0-9A-Z]){8})[0-9A-Z][0-9A-Z./ -]*$/i;

/** Reads what was pasted; null where nothing was. */
export function readPasted(text: string): Pasted | null {
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim());
  if (lines.every((line) => line === "")) return null;
  const isTable = lines.some((line) => /[\t;]|","/.test(line) && /\p{L}{3}/u.test(line));
  const cnpjs = lines.flatMap((line) => {
    const parts = line.split(/[;,\t]\s*|\s{2,}/).filter((part) => part !== "");
    return parts.length > 1 && parts.every((part) => ONE.test(part)) ? parts : [line];
  });
  const given = cnpjs.filter((one) => one !== "");
  if (isTable || given.length > SINGLE_MAX) return { file: new Blob([text], { type: "text/csv" }) };
  return { cnpjs: given };
}
