/**
 * Finds the header of a table below titles and blank rows. Input: the first rows as texts. Output:
 * the position of the header.
 * Invariant: the header is above the first row with a CNPJ. A list skips rows only if nothing in
 * them may be an entry, because each entry of a list is stored or reported.
 */
import { holdsCnpj } from "../spec/cnpj/cnpjcandidates.ts";
import { readCnpjText } from "../spec/cnpj/cnpjspelling.ts";
import { mayBeCnpj, saysCnpj } from "./column.ts";

type Rows = readonly (readonly string[])[];

/** A header without the word CNPJ must be among this many first rows. */
const HEADER_ROWS = 20;

/**
 * Returns the index of the header row, or 0 if the first row has a CNPJ. Rows with the word CNPJ
 * and at least two filled cells take precedence, then rows with more filled cells, then earlier
 * rows. After the first `HEADER_ROWS` rows, only the first row with the word CNPJ can be the
 * header.
 */
export function headerRow(rows: Rows): number {
  const data = rows.findIndex((row) => row.some(isCnpj));
  const above = rows.slice(0, data < 0 ? HEADER_ROWS : data);
  const width = Math.max(1, ...rows.map(({ length }) => length));
  let isNamed = false;
  const scores = above.map((row, at) => {
    const filled = row.filter((cell) => cell.trim() !== "").length;
    const isHeader = filled >= Math.min(2, width) && row.some(saysCnpj);
    if (at >= HEADER_ROWS && (!isHeader || isNamed)) return 0;
    isNamed ||= isHeader;
    return filled + (isHeader ? width : 0);
  });
  const best = Math.max(0, ...scores);
  return best === 0 ? 0 : scores.indexOf(best);
}

/**
 * Returns the number of rows above the header of a list. 0 if no header says CNPJ, or if a row
 * above it may have an entry.
 */
export function titleRows(rows: Rows): number {
  const top = headerRow(rows);
  const isHeader = (rows[top] ?? []).some(saysCnpj);
  const mayHaveEntry = rows.slice(0, top).some((row) => row.some(mayBeCnpj));
  return isHeader && !mayHaveEntry ? top : 0;
}

function isCnpj(cell: string): boolean {
  return holdsCnpj(cell) || readCnpjText(cell).kind === "cnpj";
}
