/**
 * The number of companies of a sample, and the order of rows in its files.
 * Invariant: every establishment occurs once. Branches are far from their head office, and Empresas
 * and Estabelecimentos have different orders, so that a join needs look-ups.
 */
import { branchCount, STREAMS } from "./company.ts";
import { hash, remainder } from "./random.ts";

/** Number of parts of the large file types; part 0 is about six times as large as the others. */
export const PARTS = 10;
const PART_0_WEIGHT = 6;

/**
 * Returns the number of the first row in a part of a file with `rows` rows. For part 10, which does
 * not exist, this is the number of rows. With ten or more rows, every part has a row, as in the
 * registry.
 */
export function partStart(rows: number, part: number): number {
  if (part === 0) return 0;
  const fair = Math.floor((rows * (PART_0_WEIGHT + part - 1)) / (PART_0_WEIGHT + PARTS - 1));
  return Math.max(Math.min(fair, rows - (PARTS - part)), Math.min(part, rows));
}

/** Number of companies between two entries of `branchesBefore`. */
const STRIDE = 4096;

/** The number of companies, and an index of their branches. */
export interface CompanyCount {
  readonly companies: number;
  /** Number of branches before company 0, 4096, 8192, and so on, in shared memory. */
  readonly branchesBefore: Uint32Array;
  readonly branches: number;
}

/** Returns the smallest number of companies that has at least this many establishments in total. */
export function countCompanies(seed: number, establishments: number): CompanyCount {
  const entries = Math.ceil(establishments / STRIDE);
  const branchesBefore = new Uint32Array(new SharedArrayBuffer(4 * entries));
  let companies = 0;
  let branches = 0;
  while (companies + branches < establishments) {
    if (companies % STRIDE === 0) branchesBefore[companies / STRIDE] = branches;
    branches += branchCount(seed, companies++);
  }
  return { companies, branchesBefore, branches };
}

/** Iterates over rows of Estabelecimentos: a company and a branch (0 is the head office). */
export class EstablishmentOrder {
  company = 0;
  branch = 0;
  private readonly seed: number;
  private readonly counted: CompanyCount;
  private readonly companies: number;
  private readonly rows: number;
  private row = 0;
  private head = 0;
  private owner = 0;
  private ownBranch = 0;
  private ownBranches = 0;

  constructor(seed: number, counted: CompanyCount, rows: number) {
    this.seed = seed;
    this.counted = counted;
    this.companies = counted.companies;
    this.rows = rows;
    this.seek(0);
  }

  /** Moves so that the next row is number `row`. */
  seek(row: number): void {
    const branches = Math.floor((row * (this.rows - this.companies)) / this.rows);
    this.row = row;
    this.head = row - branches;
    // Branches follow in the order of companies. The order begins with the middle company, and
    // continues with company 0 after the last one.
    this.placeBranch(this.companies >> 1, 0);
    const first = this.branchesBefore(this.owner) + branches;
    const { branches: all } = this.counted;
    const branch = first < all ? first : first - all;
    let entry = Math.floor((this.companies - 1) / STRIDE);
    const { branchesBefore } = this.counted;
    while ((branchesBefore[entry] as number) > branch) entry--;
    this.walk(entry * STRIDE, branch - (branchesBefore[entry] as number));
  }

  /** Returns the number of branches of all companies before `company`. */
  private branchesBefore(company: number): number {
    const entry = Math.floor(company / STRIDE);
    let branches = this.counted.branchesBefore[entry] as number;
    for (let i = entry * STRIDE; i < company; i++) branches += branchCount(this.seed, i);
    return branches;
  }

  /** Moves to branch number `branch`, counted from the first branch of `company`. */
  private walk(company: number, branch: number): void {
    let left = branch;
    this.placeBranch(company, 0);
    while (left >= this.ownBranches && this.owner + 1 < this.companies) {
      left -= this.ownBranches;
      this.placeBranch(this.owner + 1, 0);
    }
    this.ownBranch = left;
  }

  private placeBranch(owner: number, branch: number): void {
    this.owner = owner;
    this.ownBranch = branch;
    this.ownBranches = branchCount(this.seed, owner);
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
      this.placeBranch((this.owner + 1) % this.companies, 0);
    }
    this.company = this.owner;
    this.branch = ++this.ownBranch;
  }
}

/** Returns a fixed shuffle that maps rows to companies. Each file type has its own `salt`. */
export function shuffledCompanies(
  seed: number,
  salt: number,
  companies: number,
): (row: number) => number {
  let stride = 1 + (hash(seed, STREAMS.order, salt) % 60_000_000);
  while (divisor(stride, companies) !== 1) stride++;
  const shift = hash(seed, STREAMS.order, salt + 1) % companies;
  return (row) => remainder(row * stride + shift, companies);
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
