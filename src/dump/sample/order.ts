/**
 * What comes in: how many establishments are wanted.
 * What goes out: how many companies that makes, and the order of rows in the files.
 * Invariant: every establishment comes once; branches are far from their head office, and
 * Empresas has another order than Estabelecimentos, so a join has to look things up.
 */
import { branchCount, STREAMS } from "./company.ts";
import { hash } from "./random.ts";

/** Parts of the large file types; part 0 is about six times as large as the others. */
export const PARTS = 10;
const PART_0_WEIGHT = 6;

/** First row of part `part` among `rows` rows; part 10 is the end. */
export function partStart(rows: number, part: number): number {
  if (part === 0) return 0;
  return Math.floor((rows * (PART_0_WEIGHT + part - 1)) / (PART_0_WEIGHT + PARTS - 1));
}

/** The smallest number of companies that have at least `establishments` together. */
export function countCompanies(seed: number, establishments: number): number {
  let companies = 0;
  let total = 0;
  while (total < establishments) total += 1 + branchCount(seed, companies++);
  return companies;
}

/** Rows of Estabelecimentos, one after the other: a company, and 0 or the branch's number. */
export class EstablishmentOrder {
  company = 0;
  branch = 0;
  private readonly seed: number;
  private readonly companies: number;
  private readonly rows: number;
  private row = 0;
  private head = 0;
  private owner: number;
  private ownBranch = 0;
  private ownBranches = 0;

  constructor(seed: number, companies: number, rows: number) {
    this.seed = seed;
    this.companies = companies;
    this.rows = rows;
    this.owner = companies >> 1;
    this.ownBranches = branchCount(seed, this.owner);
  }

  /** Moves to the next row. */
  next(): void {
    const branches = this.rows - this.companies;
    const row = this.row++;
    const before = Math.floor((row * branches) / this.rows);
    if (Math.floor(((row + 1) * branches) / this.rows) === before) {
      this.company = this.head++;
      this.branch = 0;
      return;
    }
    while (this.ownBranch >= this.ownBranches) {
      this.owner = (this.owner + 1) % this.companies;
      this.ownBranches = branchCount(this.seed, this.owner);
      this.ownBranch = 0;
    }
    this.company = this.owner;
    this.branch = ++this.ownBranch;
  }
}

/** A fixed shuffle of the companies: row to company. Each file type has its own `salt`. */
export function shuffledCompanies(
  seed: number,
  salt: number,
  companies: number,
): (row: number) => number {
  let stride = 1 + (hash(seed, STREAMS.order, salt) % 60_000_000);
  while (divisor(stride, companies) !== 1) stride++;
  const shift = hash(seed, STREAMS.order, salt + 1) % companies;
  return (row) => (row * stride + shift) % companies;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
