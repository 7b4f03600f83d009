/**
 * Official correspondence of TOM and IBGE codes. Input: a CSV file of it, as the Receita Federal
 * and the Tesouro publish it, or the municipalities of an earlier snapshot. Output: IBGE codes by
 * TOM code.
 * Invariant: columns are found by what is in them, never guessed: one has 7 digits in every row,
 * one has 1 to 4 digits that no two rows share; a header counts only if several do.
 */
import type { SnapshotMunicipality } from "../../../native-index/format/snapshot/meta.ts";
import { cellsOf, readTableText } from "../../dump/tablefile.ts";
import { CommandError } from "../../errors.ts";

/** IBGE code (7 digits) by TOM code (4 digits). */
export type CodesByTom = ReadonlyMap<string, string>;

/** IBGE code of the rows that stand for no municipality. */
const NONE = "0000000";
const MEND =
  "It must be CSV with a row for each municipality: a column of TOM (SIAFI) codes, and one of " +
  "IBGE codes of 7 digits. The Receita Federal publishes such a table as municipios.csv.";

/** Reads a file of codes. @throws CommandError (exit 2) that says what is wrong and where. */
export function readMunicipalityCodes(path: string): CodesByTom {
  const refuse = (problem: string): never => {
    throw new CommandError(`${path}: ${problem}. ${MEND}`, 2);
  };
  const { header, rows } = tableOf(readTableText(path), refuse);
  const width = rows[0]?.length ?? 0;
  const columns = Array.from({ length: width }, (_, at) => rows.map((row) => row[at] ?? ""));
  const ibge = columns.filter((cells) => cells.every((cell) => /^\d{7}$/.test(cell)));
  const keys = columns.filter(isKey);
  const named = keys.filter((cells) => /tom|siafi/i.test(header[columns.indexOf(cells)] ?? ""));
  const tom = keys.length > 1 && named.length > 0 ? named : keys;
  if (ibge.length !== 1) refuse(`${ibge.length} of its columns have IBGE codes of 7 digits`);
  if (tom.length !== 1) refuse(`${tom.length} of its columns have TOM codes of 1 to 4 digits`);
  const [toms = [], ibges = []] = [tom[0], ibge[0]];
  const pairs = toms.map((code, at) => [code.padStart(4, "0"), ibges[at] ?? NONE] as const);
  return new Map(pairs.filter(([, code]) => code !== NONE));
}

/** The codes that an earlier snapshot joined. */
export function codesOfSnapshot(municipalities: readonly SnapshotMunicipality[]): CodesByTom {
  const known = municipalities.flatMap(([tom, , ibge]) => (ibge === null ? [] : [[tom, ibge]]));
  return new Map(known as [string, string][]);
}

interface Table {
  /** Empty if there is none. */
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function tableOf(text: string, refuse: (problem: string) => never): Table {
  const lines = text.split(/\r\n|\n|\r/);
  const delimiter = lines[0]?.includes(";") ? ";" : ",";
  const rows = lines.flatMap((line, at) => {
    if (line.trim() === "") return [];
    return [cellsOf(line, delimiter) ?? refuse(`line ${at + 1} has an open quotation mark`)];
  });
  const width = rows[0]?.length;
  const odd = rows.findIndex((row) => row.length !== width);
  if (odd >= 0) refuse(`row ${odd + 1} has ${rows[odd]?.length} cells, the first has ${width}`);
  const hasHeader = rows[0]?.every((cell) => !/^\d{7}$/.test(cell)) === true;
  const [header = [], below] = hasHeader ? [rows[0], rows.slice(1)] : [[], rows];
  return below.length === 0 ? refuse("it has no rows") : { header, rows: below };
}

/** True for a column of 1 to 4 digits in which no value occurs twice. */
function isKey(cells: readonly string[]): boolean {
  const codes = cells.map((cell) => cell.padStart(4, "0"));
  return cells.every((cell) => /^\d{1,4}$/.test(cell)) && new Set(codes).size === cells.length;
}
