/**
 * A later month of a sample. Input: the functions that write the rows of the first month (steps),
 * and the release dates of later months. Output: functions that write the rows of a later month.
 * Some accounts are changed as in the registry (closed, moved, another phone), a few are missing,
 * and new companies follow.
 * Invariant: changes accumulate by month, as in the registry. A row's change in a month depends
 * only on its number and the month, so later releases include the changes of earlier ones. Every
 * changed row could occur in the registry. A change that does not apply, such as closing a closed
 * account, has no effect. Shares are per row and month. Rows with a quirk never change, because
 * later months must have the same counts of quirks.
 */
import { LAYOUTS } from "../layout.ts";
import type { Activities } from "./activities.ts";
import type { Cities, SampleCity } from "./cities.ts";
import { type Company, CompanyMaker, newCompany, type SampleContext } from "./company.ts";
import { CompanyRows } from "./companyrow.ts";
import { writeAddress, writeContact } from "./contact.ts";
import { EstablishmentMaker } from "./establishment.ts";
import { Names } from "./names.ts";
import { shuffledCompanies } from "./order.ts";
import * as quirks from "./quirks.ts";
import { Random } from "./random.ts";
import { EMPRESAS_SALT, type Step } from "./steps.ts";
import { latin1, RowBytes } from "./zip/bytes.ts";

/** New companies of a month, as a share of all establishments. */
const NEW_SHARE = 0.009;
/** Number of accounts in 10,000 that disappear in a month. */
const GONE_SHARE = 1;
/** Chance that a changed row changes again. */
const SECOND_EDIT = 0.15;
const PER = 10_000;
/**
 * Number of the first random stream for each file type. The month is added to it. These numbers
 * follow those of the first month's streams.
 */
const STREAMS: Readonly<Record<EditedType, number>> = {
  estabelecimentos: 1_000,
  empresas: 2_000,
  simples: 3_000,
};
const NEW_STREAM = 4_000;
/** Number of the first new company, above the numbers of all other companies. */
const NEW_INDEX = 2 ** 31;

/** Release days of a later month and of the month before (`after`), in days since 1970-01-01. */
interface LaterMonth {
  readonly after: number;
  readonly release: number;
}

function newcomersAMonth(establishments: number): number {
  return Math.round(establishments * NEW_SHARE);
}

/** Returns the number of new companies, each with one establishment, over some months. */
export function newcomersOf(establishments: number, months: number): number {
  return newcomersAMonth(establishments) * months;
}

/** Turns the steps of the first month into the steps of a later month. */
export class Evolution {
  /** Number of disappeared accounts in the rows written so far. */
  gone = 0;
  private readonly context: SampleContext;
  private readonly months: readonly LaterMonth[];
  private readonly perMonth: number;
  private readonly random: Random;
  private readonly places: Places;
  private readonly maker: CompanyMaker;
  private readonly companies: CompanyRows;
  private readonly establishments: EstablishmentMaker;
  private readonly rows: number;
  private readonly companyOrder: (row: number) => number;
  private readonly current = newCompany();

  constructor(context: SampleContext, establishments: number, months: readonly LaterMonth[]) {
    this.context = context;
    this.months = months;
    this.rows = establishments;
    this.companyOrder = shuffledCompanies(context.seed, EMPRESAS_SALT, context.companies);
    this.perMonth = newcomersAMonth(establishments);
    this.random = new Random(context.seed);
    const { cities, activities } = context;
    const byTom = new Map<string, SampleCity>(
      cities.list.map((city) => [String(city.tom).padStart(4, "0"), city]),
    );
    this.places = { cities, activities, byTom };
    const release = months.at(-1)?.release ?? context.snapshot;
    const later = { ...context, snapshot: release };
    const names = new Names(later);
    this.maker = new CompanyMaker(later);
    this.companies = new CompanyRows(later, names);
    this.establishments = new EstablishmentMaker(later, names);
  }

  /** Returns a step that writes the first month's `rows` with their changes, then new companies. */
  steps(type: EditedType, rows: number, step: Step): Step {
    const changed = this.changed(type, step);
    const added = this.added(type);
    return (row, index) => (index < rows ? changed(row, index) : added(row, index - rows));
  }

  /** Returns a step that writes the rows of `step` with their changes. */
  private changed(type: EditedType, step: Step): Step {
    return (row, index) => {
      const start = row.length;
      const rows = step(row, index);
      if (rows !== 1 || this.isQuirk(type, index)) return rows;
      return this.evolve(type, row, { start, index, first: 0 }) ? 1 : 0;
    };
  }

  /** Returns a step that writes the rows of new companies by number. */
  private added(type: EditedType): Step {
    return (row, number) => {
      const start = row.length;
      const company = this.makeNew(number);
      const before = row.length;
      if (type === "estabelecimentos") this.establishments.write(row, company, 0, null);
      else if (type === "empresas") this.companies.writeCompany(row, company);
      else if (company.simples > 0) {
        this.companies.writeSimples(row, company, company.root, null);
      }
      if (row.length === before) return 0;
      const first = Math.floor(number / this.perMonth) + 1;
      const index = NEW_INDEX + number;
      return this.evolve(type, row, { start, index, first }) ? 1 : 0;
    };
  }

  /** Makes new company `number`. Skips roots that a Simples row already uses. */
  private makeNew(number: number): Company {
    const { context, current: company } = this;
    const { SIMPLES_QUIRKS } = quirks;
    const spacing = quirks.quirkSpacing(context.companies, SIMPLES_QUIRKS.length);
    const skipped = spacing > 1 ? Math.floor(number / (spacing - 1)) : number + context.companies;
    this.maker.make(context.companies + number + skipped, company);
    if (company.quirk !== "root_alphanumeric") company.quirk = null;
    const month = this.months[Math.floor(number / this.perMonth)] as LaterMonth;
    this.random.place(NEW_STREAM, number);
    this.maker.open(company, this.dayIn(month));
    company.status = 2;
    return company;
  }

  private isQuirk(type: EditedType, index: number): boolean {
    const { companies } = this.context;
    const { quirkAt, COMPANY_QUIRKS, ESTABLISHMENT_QUIRKS, SIMPLES_QUIRKS } = quirks;
    if (type === "estabelecimentos") {
      return quirkAt(index, this.rows, ESTABLISHMENT_QUIRKS.length) >= 0;
    }
    return type === "simples"
      ? quirkAt(index, companies, SIMPLES_QUIRKS.length) >= 0
      : quirkAt(this.companyOrder(index), companies, COMPANY_QUIRKS.length) >= 0;
  }

  private dayIn({ after, release }: LaterMonth): number {
    return after + 1 + this.random.below(release - after);
  }

  /** Applies the changes of month `first` and later. Returns false if the account disappears. */
  private evolve(
    type: EditedType,
    row: RowBytes,
    { start, index, first }: { start: number; index: number; first: number },
  ): boolean {
    for (let month = first; month < this.months.length; month++) {
      this.random.place(STREAMS[type] + month, index);
      const u = this.random.unit() * PER;
      if (type === "estabelecimentos" && u >= PER - GONE_SHARE) {
        row.length = start;
        this.gone++;
        return false;
      }
      const edit = editAt(EDITS[type], u);
      if (edit !== null) this.edit(type, row, { start, edit, month });
    }
    return true;
  }

  private edit(
    type: EditedType,
    row: RowBytes,
    { start, edit, month }: { start: number; edit: Edit; month: number },
  ): void {
    const cells = cellsOf(row, start);
    const plain = cells.length === LAYOUTS[type].columns.length && !cells.join().includes("\n");
    if (!plain) return;
    const { random, places } = this;
    const day = dayText(this.dayIn(this.months[month] as LaterMonth));
    const edited = { cells, random, day, places };
    edit.apply(edited);
    const list = EDITS[type];
    if (random.chance(SECOND_EDIT)) list[random.below(list.length)]?.apply(edited);
    row.length = start;
    row.word(latin1(`"${cells.join('";"')}"\n`));
  }
}

/** Returns the edit for a random number from 0 to 10,000, or null above the sum of all shares. */
function editAt(edits: readonly Edit[], u: number): Edit | null {
  let end = 0;
  for (const edit of edits) {
    end += edit.share;
    if (u < end) return edit;
  }
  return null;
}

function dayText(day: number): string {
  const row = new RowBytes(8);
  row.date(day);
  return Buffer.from(row.bytes).toString("latin1");
}

/** File types with monthly changes. */
type EditedType = "estabelecimentos" | "empresas" | "simples";

interface EditedRow {
  readonly cells: string[];
  readonly random: Random;
  /** The day of the change, `YYYYMMDD`. */
  readonly day: string;
  readonly places: Places;
}

/** Sources of new values. */
interface Places {
  readonly cities: Cities;
  readonly byTom: ReadonlyMap<string, SampleCity>;
  readonly activities: Activities;
}

/** A kind of change: its rate per 10,000 rows and month, and its effect. */
interface Edit {
  readonly share: number;
  readonly apply: (row: EditedRow) => void;
}

const E = Object.fromEntries(
  LAYOUTS.estabelecimentos.columns.map((name, at) => [name, at]),
) as Record<string, number>;
/** Columns that edits change. */
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

/**
 * Edits by file type. For each row and month, a random number selects the first edit whose
 * cumulative share exceeds the number.
 */
const EDITS: Readonly<Record<EditedType, readonly Edit[]>> = {
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

/** Replaces one of two values by the other. */
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

/** Sets a new address, rarely in another city. */
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

/** Sets new values in some columns between the first area code and the e-mail. */
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

/** Adds an activity, or removes the first activity. */
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

/** Makes a company enter or leave Simples; leaving also ends MEI. */
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

/** Returns the cells of the row that a function writes. */
function written(write: (bytes: RowBytes) => void): string[] {
  scratch.length = 0;
  scratch.open();
  write(scratch);
  scratch.close();
  return cellsOf(scratch, 0);
}

/** Returns the cells of the complete row that begins at `start`. */
function cellsOf(row: RowBytes, start: number): string[] {
  const text = Buffer.from(row.bytes.subarray(start, row.length)).toString("latin1");
  return text.slice(1, -2).split('";"');
}
