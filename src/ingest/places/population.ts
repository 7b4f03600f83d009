/**
 * Population of municipalities.
 * What comes in: a CSV whose header names the code column and the year (`code_muni;2024`), as UTF-8
 * with or without byte-order mark, `;` or `,`, any line ends.
 * What goes out: inhabitants by 7-digit IBGE code, and the year.
 * Invariant: every line is used or refused by its number; nothing is guessed.
 */
import { basename } from "node:path";
import type { SnapshotMunicipality } from "../../../native-index/format/snapshot/meta.ts";
import { readTableText } from "../../dump/tablefile.ts";
import { CommandError } from "../../errors.ts";
import { wordFor } from "../../text/amounts.ts";

/** A population file. */
export interface Population {
  readonly year: string;
  /** By 7-digit IBGE code. */
  readonly byIbge: ReadonlyMap<string, number>;
}

/** Problems shown at once. */
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

/** Codes that a warning names. */
const CODES_SHOWN = 5;

/** Sentences about municipalities that a file lacks, and about codes that are of none. */
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
  const say = (what: string, all: readonly string[], end: string): string[] => {
    if (all.length === 0) return [];
    const count = `${all.length} ${wordFor(all.length, "municipality", "municipalities")}`;
    const more = all.length > CODES_SHOWN ? ", …" : "";
    return [`${what} ${count}${end}: ${all.slice(0, CODES_SHOWN).join(", ")}${more}`];
  };
  return [
    ...say("the population file lacks", [...lacked.values()], ""),
    ...say("the population file has", strange, " that nothing is known of"),
  ];
}
