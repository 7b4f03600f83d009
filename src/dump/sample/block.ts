/**
 * Draws the rows of a sample at random, and packs them into blocks. A block holds neighboring rows
 * of one file type.
 * Invariant: every row depends only on the sample's parameters (`SampleShape`) and the row number,
 * so blocks can be made in any order, on any thread. Block boundaries depend on the number of rows,
 * not on the number of threads.
 */

import type { SampleContext } from "./company.ts";
import { monthsBetween, releaseDay } from "./dates.ts";
import { Evolution } from "./evolve.ts";
import type { CompanyCount } from "./order.ts";
import { buildSampleContext, SampleSteps, type Step } from "./steps.ts";
import { RowBytes } from "./zip/bytes.ts";
import { Deflater } from "./zip/deflate.ts";
import { type Piece, packWith } from "./zip/zip.ts";

/** File types with random rows. The others are small tables. */
type DrawnType = "estabelecimentos" | "empresas" | "socios" | "simples";

/** Rows per block by file type: about a megabyte each. */
const BLOCK_ROWS: Readonly<Record<DrawnType, number>> = {
  estabelecimentos: 4_096,
  empresas: 12_288,
  socios: 16_384,
  simples: 16_384,
};
/** Twice the largest block seen, in bytes. */
const BLOCK_BYTES = 1 << 21;
/** Max bytes that one call of a step adds: a row, its duplicate, and a company's partners. */
const SLACK_BYTES = 1 << 16;

/** Parameters of a sample, as plain values for every thread. */
export interface SampleShape {
  readonly seed: number;
  readonly establishments: number;
  /** Month of this release, and of the sample's first release. */
  readonly label: string;
  readonly since: string;
  readonly counted: CompanyCount;
}

/** Rows of one file type from number `from` to `to`, exclusive. */
export interface Block {
  readonly type: DrawnType;
  readonly from: number;
  readonly to: number;
}

/** A finished block. */
export interface DrawnBlock extends Piece {
  /** Number of rows in the file. A row number may yield none, one, or two rows. */
  readonly rows: number;
  /** Number of accounts that disappeared by a later month. */
  readonly gone: number;
}

/** Cuts rows into blocks. */
export function* blocksOf({ type, from, to }: Block): Generator<Block> {
  const rows = BLOCK_ROWS[type];
  for (let at = from; at < to; at += rows) yield { type, from: at, to: Math.min(at + rows, to) };
}

/** Makes blocks of one sample sequentially, in reused memory. */
export class BlockMaker {
  private readonly steps: Readonly<Record<DrawnType, (from: number) => Step>>;
  private readonly evolution: Evolution | null;
  private readonly buffer = new RowBytes(BLOCK_BYTES);
  private readonly deflater = new Deflater(BLOCK_BYTES);

  constructor(shape: SampleShape) {
    const { seed, establishments, since, counted } = shape;
    const { companies } = counted;
    const context = buildSampleContext(seed, companies, releaseDay(since));
    this.evolution = evolutionOf(context, shape);
    const steps = new SampleSteps(context, counted, establishments);
    const [company, partner, simples] = [steps.company(), steps.partner(), steps.simples()];
    const { evolution } = this;
    this.steps = {
      estabelecimentos: (from) => {
        const step = steps.establishment(from);
        return evolution?.steps("estabelecimentos", establishments, step) ?? step;
      },
      empresas: () => evolution?.steps("empresas", companies, company) ?? company,
      socios: () => partner,
      simples: () => evolution?.steps("simples", companies, simples) ?? simples,
    };
  }

  /** Draws and packs a block. */
  make({ type, from, to }: Block): DrawnBlock {
    const { buffer, evolution } = this;
    const step = this.steps[type](from);
    const goneBefore = evolution?.gone ?? 0;
    let rows = 0;
    buffer.length = 0;
    for (let index = from; index < to; index++) {
      rows += step(buffer, index);
      if (buffer.length > BLOCK_BYTES - SLACK_BYTES) throw new Error(`a block of ${type} is full`);
    }
    const gone = (evolution?.gone ?? 0) - goneBefore;
    return { ...packWith(this.deflater, buffer.bytes, buffer.length), rows, gone };
  }
}

/** Returns the changes since the first release, or null for the first release. */
function evolutionOf(context: SampleContext, shape: SampleShape): Evolution | null {
  const { since, label, establishments } = shape;
  if (since === label) return null;
  const days = [since, ...monthsBetween(since, label)].map(releaseDay);
  const months = days.slice(1).map((release, i) => ({ after: days[i] as number, release }));
  return new Evolution(context, establishments, months);
}
