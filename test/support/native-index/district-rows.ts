/**
 * Makes fixture rows with districts like a registry's: the rows of `randomRows` with district names
 * in many spellings.
 * Invariant: the same seed makes the same rows. Separate from fixture-rows.ts because the rows
 * of that file are also in committed files.
 */
import { type FixtureRow, randomRows, seededRandom } from "./fixture-rows.ts";

const NAMES = ["CENTRO", "MOEMA", "JARDIM SÃO LUÍS", "VILA D'ÁVILA", "BELA VISTA", "SÉ", "漢字"];

/** Returns a random spelling of a name, which is sometimes the spelling of another name. */
function spelled(name: string, random: () => number): string {
  const choice = random();
  if (choice < 0.1) return name.toLowerCase();
  if (choice < 0.2) return `  ${name.replaceAll(" ", "   ")} `;
  if (choice < 0.3) return name.normalize("NFD");
  return choice < 0.35 ? `${name}.` : name;
}

/** Returns rows of few large and many small districts. A third is in municipality 2. */
export function districtRows(seed: number, count: number): FixtureRow[] {
  const random = seededRandom(seed + 1);
  return randomRows(seed, count).map((row) => {
    const some = NAMES[Math.floor(random() ** 3 * NAMES.length)] as string;
    const name = random() < 0.3 ? `NUCLEO ${Math.floor(random() ** 2 * count)}` : some;
    const none = random() < 0.08 ? (random() < 0.5 ? null : "  ") : undefined;
    const municipality_ibge = random() < 0.3 ? 2 : row.municipality_ibge;
    const district = none === undefined ? spelled(name, random) : none;
    return { ...row, municipality_ibge, district };
  });
}
