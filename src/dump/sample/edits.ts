/**
 * What happens to a company in a month. What comes in: the cells of one of its rows. What goes out:
 * the same cells, changed as the registry changes them: closed, moved, another phone, and so on.
 * Invariant: an edit leaves a row that the registry could hold; an edit that does not apply (one
 * that is closed cannot be closed) changes nothing. Shares are per row and month.
 */
import { LAYOUTS } from "../layout.ts";
import type { Activities } from "./activities.ts";
import { writeAddress } from "./address.ts";
import type { Cities, SampleCity } from "./cities.ts";
import { writeContact } from "./contact.ts";
import type { Random } from "./random.ts";
import { RowBytes } from "./zip/bytes.ts";

/** File types whose rows change from month to month. */
export type EditedType = "estabelecimentos" | "empresas" | "simples";

/** A row that is being edited. */
interface EditedRow {
  readonly cells: string[];
  readonly random: Random;
  /** The day of the change, `YYYYMMDD`. */
  readonly day: string;
  readonly places: Places;
}

/** What edits draw new values from. */
export interface Places {
  readonly cities: Cities;
  readonly byTom: ReadonlyMap<string, SampleCity>;
  readonly activities: Activities;
}

/** One kind of change: how many of 10,000 rows it meets in a month, and what it does. */
export interface Edit {
  readonly share: number;
  readonly apply: (row: EditedRow) => void;
}

const E = Object.fromEntries(
  LAYOUTS.estabelecimentos.columns.map((name, at) => [name, at]),
) as Record<string, number>;
/** Positions of the columns that edits touch. */
const AT = {
  tradeName: E.nome_fantasia as number,
  status: E.situacao_cadastral as number,
  statusDate: E.data_situacao_cadastral as number,
  reason: E.motivo_situacao_cadastral as number,
  primary: E.cnae_fiscal_principal as number,
  secondary: E.cnae_fiscal_secundaria as number,
  street: E.tipo_logradouro as number,
  town: E.municipio as number,
  area: E.ddd_1 as number,
  phone: E.telefone_1 as number,
  email: E.correio_eletronico as number,
} as const;
const MOVES_FAR = 0.15;
const SECONDARY_CELLS = 12;

/** Edits by file type; the first ones of a row's draw decide. */
export const EDITS: Readonly<Record<EditedType, readonly Edit[]>> = {
  estabelecimentos: [
    { share: 35, apply: (row) => setStatus(row, ["02"], ["08", "01"]) },
    { share: 10, apply: (row) => setStatus(row, ["02"], ["04", "63"]) },
    { share: 3, apply: (row) => setStatus(row, ["04", "08"], ["02", "00"]) },
    { share: 30, apply: move },
    { share: 60, apply: (row) => setContact(row, [AT.email]) },
    { share: 60, apply: (row) => setContact(row, [AT.area, AT.phone]) },
    { share: 10, apply: setTradeName },
    { share: 30, apply: setSecondary },
    { share: 8, apply: (row) => set(row, AT.primary, activity(row)) },
  ],
  empresas: [
    { share: 6, apply: (row) => set(row, 1, `${row.cells[1]} E CIA`) },
    { share: 3, apply: (row) => swap(row, 2, ["2135", "2062"]) },
    { share: 10, apply: (row) => set(row, 4, `${(1 + row.random.below(500)) * 1000},00`) },
    { share: 12, apply: (row) => swap(row, 5, ["01", "03"]) },
  ],
  simples: [
    { share: 30, apply: (row) => setSimples(row) },
    { share: 10, apply: (row) => setMei(row) },
  ],
};

function set({ cells }: EditedRow, at: number, value: string): void {
  cells[at] = value;
}

/** Puts the other of two values in the place of one of them. */
function swap(row: EditedRow, at: number, [one, other]: readonly [string, string]): void {
  if (row.cells[at] === one) set(row, at, other);
  else if (row.cells[at] === other) set(row, at, one);
}

function setStatus(
  row: EditedRow,
  from: readonly string[],
  [status, reason]: readonly [string, string],
): void {
  if (!from.includes(row.cells[AT.status] as string)) return;
  set(row, AT.status, status);
  set(row, AT.statusDate, row.day);
  set(row, AT.reason, reason);
}

/** A new address, now and then in another city. */
function move(row: EditedRow): void {
  const { cells, random, places } = row;
  const far = random.chance(MOVES_FAR);
  const { list, spread } = places.cities;
  const city = far ? list[spread.pick(random)] : places.byTom.get(cells[AT.town] as string);
  if (city === undefined || city.uf === "EX") return;
  const fresh = written((bytes) => writeAddress(bytes, random, city, null));
  fresh.forEach((value, i) => {
    set(row, AT.street + i, value);
  });
}

/** New values of some columns between the first area code and the e-mail. */
function setContact(row: EditedRow, columns: readonly number[]): void {
  const { cells, random, places } = row;
  const city = places.byTom.get(cells[AT.town] as string);
  if (city === undefined) return;
  const isActive = cells[AT.status] === "02";
  const source = { city, isActive, isOld: false, quirk: null, office: 0 };
  const fresh = written((bytes) => writeContact(bytes, random, source));
  for (const at of columns) set(row, at, fresh[at - AT.area] as string);
}

function setTradeName(row: EditedRow): void {
  const { cells } = row;
  const name = cells[AT.tradeName] as string;
  set(row, AT.tradeName, name === "" ? "NOVA LOJA" : name.endsWith(" II") ? "" : `${name} II`);
}

/** One activity more, or the first one less. */
function setSecondary(row: EditedRow): void {
  const codes = (row.cells[AT.secondary] as string).split(",").filter((code) => code !== "");
  const more = codes.length === 0 || (codes.length < SECONDARY_CELLS && row.random.chance(0.6));
  const code = activity(row);
  if (!more) codes.shift();
  else if (!codes.includes(code) && code !== row.cells[AT.primary]) codes.push(code);
  set(row, AT.secondary, codes.join(","));
}

function activity({ random, places: { activities } }: EditedRow): string {
  const { list, current } = activities;
  return String(list[random.below(current)]?.code).padStart(7, "0");
}

/** Into Simples or out of it; who leaves it is no MEI any more. */
function setSimples(row: EditedRow): void {
  const enters = row.cells[1] !== "S";
  set(row, 1, enters ? "S" : "N");
  if (enters) set(row, 2, row.day);
  set(row, 3, enters ? "00000000" : row.day);
  if (!enters && row.cells[4] === "S") setMei(row);
}

function setMei(row: EditedRow): void {
  if (row.cells[4] !== "S") return;
  set(row, 4, "N");
  set(row, 6, row.day);
}

const scratch = new RowBytes(1 << 12);

/** Cells that a writer of columns makes. */
function written(write: (bytes: RowBytes) => void): string[] {
  scratch.length = 0;
  scratch.open();
  write(scratch);
  scratch.close();
  return cellsOf(scratch, 0);
}

/** Cells of the row from `start` on; the row must be a whole one. */
export function cellsOf(row: RowBytes, start: number): string[] {
  const text = Buffer.from(row.bytes.subarray(start, row.length)).toString("latin1");
  return text.slice(1, -2).split('";"');
}
