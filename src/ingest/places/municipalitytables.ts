/**
 * Reads the operator's tables of municipalities: official TOM and IBGE codes, and populations.
 * Input: the codes, and the populations. The codes are a CSV file as the Receita Federal or the
 * Tesouro publish it, or the municipalities of an earlier snapshot. The populations are a CSV file
 * whose header names the code column and the year (`code_muni;2024`). Both are UTF-8 with or
 * without byte-order mark, separated by `;` or `,`, with any line endings. Output: IBGE codes by
 * TOM code; inhabitants by 7-digit IBGE code, and the year.
 * Invariant: the columns of codes are found by their content: one has 7 digits in every row, the
 * other 1 to 4 digits without repeats. The header decides only if several columns fit. Every line
 * of populations is either used or refused with its line number.
 */
import { basename } from "node:path";
import type { SnapshotMunicipality } from "../../../native-index/format/snapshot/meta.ts";
import { cellsOf, readTableText } from "../../dump/tablefile.ts";
import { CommandError } from "../../errors.ts";
import { wordFor } from "../../text/amounts.ts";

/** Maps TOM codes (4 digits) to IBGE codes (7 digits). */
export type CodesByTom = ReadonlyMap<string, string>;

/** IBGE code of rows without a municipality. */
const NONE = "0000000";
const FIX =
  "It must be CSV with a row for each municipality: a column of TOM (SIAFI) codes, and one of " +
  "IBGE codes of 7 digits. The Receita Federal publishes such a table as municipios.csv.";

/** Reads a file of codes. @throws CommandError (exit 2) with the mistake and its line. */
export function readMunicipalityCodes(path: string): CodesByTom {
  const refuse = (problem: string): never => {
    throw new CommandError(`${path}: ${problem}. ${FIX}`, 2);
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

/** Returns the codes that an earlier snapshot matched. */
export function codesOfSnapshot(municipalities: readonly SnapshotMunicipality[]): CodesByTom {
  const known = municipalities.flatMap(([tom, , ibge]) => (ibge === null ? [] : [[tom, ibge]]));
  return new Map(known as [string, string][]);
}

interface Table {
  /** The cells of the header; empty if the file has none. */
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

/** True for a column in which every cell has 1 to 4 digits and none repeats. */
function isKey(cells: readonly string[]): boolean {
  const codes = cells.map((cell) => cell.padStart(4, "0"));
  return cells.every((cell) => /^\d{1,4}$/.test(cell)) && new Set(codes).size === cells.length;
}

/** A population file. */
export interface Population {
  readonly year: string;
  /** Inhabitants by 7-digit IBGE code. */
  readonly byIbge: ReadonlyMap<string, number>;
}

const PROBLEMS_MAX = 10;

/** Reads a population file. @throws CommandError naming the lines that cannot be read. */
export function readPopulation(path: string): Population {
  const name = basename(path);
  const lines = readTableText(path).split(/\r\n|\n|\r/);
  const header = (lines[0] ?? "").split(/[;,]/).map((cell) => cell.replaceAll('"', "").trim());
  const year = /^(?:.*\D)?((?:19|20)\d\d)(?:\D.*)?$/.exec(header[1] ?? "")?.[1];
  if (header.length !== 2 || year === undefined) {
    throw new CommandError(`${name}, line 1: the header must be like "code_muni;2024"`);
  }
  const byIbge = new Map<string, number>();
  const problems: string[] = [];
  lines.slice(1).forEach((line, index) => {
    if (line.trim() === "") return;
    const match = /^"?(\d{7})"?\s*[;,]\s*"?(\d{1,9})"?\s*$/.exec(line);
    if (match === null) problems.push(`line ${index + 2}: no 7-digit code and whole number`);
    else if (byIbge.has(match[1] as string)) problems.push(`line ${index + 2}: code occurs again`);
    else byIbge.set(match[1] as string, Number(match[2]));
  });
  if (problems.length > 0) {
    const shown = problems.slice(0, PROBLEMS_MAX).join("\n- ");
    const lines = `${problems.length} ${wordFor(problems.length, "line")}`;
    throw new CommandError(`${name} has ${lines} that cannot be read:\n- ${shown}`);
  }
  return { year, byIbge };
}

const CODES_SHOWN = 5;

/** Returns warnings about municipalities missing from a file, and about unknown codes. */
export function populationWarnings(
  { byIbge }: Population,
  municipalities: readonly SnapshotMunicipality[],
  ibgeCodes: Iterable<string>,
): string[] {
  const known = new Set(ibgeCodes);
  const strange = [...byIbge.keys()].filter((code) => !known.has(code)).sort();
  const lacked = new Map(
    municipalities.flatMap(([, name, ibge, uf]) =>
      ibge === null || byIbge.has(ibge) ? [] : [[ibge, `${ibge} ${name}/${uf}`] as const],
    ),
  );
  const describe = (what: string, all: readonly string[], end: string): string[] => {
    if (all.length === 0) return [];
    const count = `${all.length} ${wordFor(all.length, "municipality", "municipalities")}`;
    const more = all.length > CODES_SHOWN ? ", …" : "";
    return [`${what} ${count}${end}: ${all.slice(0, CODES_SHOWN).join(", ")}${more}`];
  };
  return [
    ...describe("the population file lacks", [...lacked.values()], ""),
    ...describe("the population file has", strange, " that nothing is known of"),
  ];
}
