/**
 * For each large file type of a sample, the function that appends row number `index`.
 * Invariant: a step returns the number of rows written: none, one, or two (if the quirk is a
 * duplicate row). All steps together need constant memory.
 */
import { buildActivities } from "./activities.ts";
import { buildCities } from "./cities.ts";
import { CompanyMaker, newCompany, type SampleContext } from "./company.ts";
import { CompanyRows } from "./companyrow.ts";
import { EstablishmentMaker } from "./establishment.ts";
import { Names } from "./names.ts";
import { type CompanyCount, EstablishmentOrder, shuffledCompanies } from "./order.ts";
import * as quirks from "./quirks.ts";
import type { RowBytes } from "./zip/bytes.ts";

/** Appends the rows of one index and returns their number. */
export type Step = (row: RowBytes, index: number) => number;

/** Determines the order of rows of Empresas. See order.ts. */
export const EMPRESAS_SALT = 10;

/** Makes the data shared by all rows; `snapshot` is the release date in days since 1970-01-01. */
export function buildSampleContext(
  seed: number,
  companies: number,
  snapshot: number,
): SampleContext {
  const cities = buildCities();
  const activities = buildActivities();
  return { seed, snapshot, companies, cities, activities };
}

/** The steps of the four large file types. */
export class SampleSteps {
  private readonly context: SampleContext;
  private readonly rows: number;
  private readonly order: EstablishmentOrder;
  private readonly maker: CompanyMaker;
  private readonly companyRows: CompanyRows;
  private readonly establishments: EstablishmentMaker;
  private readonly current = newCompany();

  /** `rows` is the number of establishments. */
  constructor(context: SampleContext, counted: CompanyCount, rows: number) {
    this.context = context;
    this.rows = rows;
    this.order = new EstablishmentOrder(context.seed, counted, rows);
    const names = new Names(context);
    this.maker = new CompanyMaker(context);
    this.companyRows = new CompanyRows(context, names);
    this.establishments = new EstablishmentMaker(context, names);
  }

  /** Returns a step for consecutive rows of Estabelecimentos, beginning with number `from`. */
  establishment(from: number): Step {
    const { rows, order } = this;
    if (from < rows) order.seek(from);
    const list = quirks.ESTABLISHMENT_QUIRKS;
    return (row, index) => {
      order.next();
      this.maker.make(order.company, this.current);
      const quirk = list[quirks.quirkAt(index, rows, list.length)] ?? null;
      this.establishments.write(row, this.current, order.branch, quirk);
      return quirk === "row_twice" || quirk === "cnpj_twice" ? 2 : 1;
    };
  }

  /** Returns the step for rows of Empresas. */
  company(): Step {
    const order = shuffledCompanies(this.context.seed, EMPRESAS_SALT, this.context.companies);
    return (row, index) => {
      this.maker.make(order(index), this.current);
      this.companyRows.writeCompany(row, this.current);
      const { quirk } = this.current;
      if (quirk === "company_missing") return 0;
      return quirk === "company_twice" || quirk?.startsWith("phantom") ? 2 : 1;
    };
  }

  /** Returns the step for rows of Socios. */
  partner(): Step {
    const order = shuffledCompanies(this.context.seed, 20, this.context.companies);
    return (row, index) => {
      this.maker.make(order(index), this.current);
      return this.companyRows.writePartners(row, this.current);
    };
  }

  /** Returns the step for rows of Simples. */
  simples(): Step {
    const { companies } = this.context;
    const order = shuffledCompanies(this.context.seed, 30, companies);
    const list = quirks.SIMPLES_QUIRKS;
    return (row, index) => {
      this.maker.make(order(index), this.current);
      const quirk = list[quirks.quirkAt(index, companies, list.length)] ?? null;
      const { root, simples } = this.current;
      if (quirk === null && simples === 0) return 0;
      const orphan = this.maker.rootOf(companies + index, false);
      this.companyRows.writeSimples(
        row,
        this.current,
        quirk === "simples_orphan" ? orphan : root,
        quirk,
      );
      return 1;
    };
  }
}
