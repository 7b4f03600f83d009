/**
 * What comes in: the random numbers of one company.
 * What goes out: its share capital in whole reais.
 * Invariant: quantiles are the registry's: 20 % zero over all companies, p25 100, p50 2,000, p75
 * 10,000, p95 100,000, and a few of billions. Apart because its quantiles are checked against the
 * registry.
 */
import type { Random } from "./random.ts";

/** Reais by quantile; between two lines the logarithm is interpolated. */
const QUANTILES: readonly (readonly [at: number, reais: number])[] = [
  [0.165, 1],
  [0.2, 100],
  [0.43, 2000],
  [0.7, 10_000],
  [0.946, 100_000],
  [0.995, 2_000_000],
  [0.9999, 100_000_000],
  [1, 20_000_000_000],
];
const STEPS = 4096;
const TABLE = Float64Array.from({ length: STEPS }, (_, step) => capitalAt((step + 0.5) / STEPS));
/** The part of the table that micro-entrepreneurs draw from. */
const MEI_SHARE = 0.88;

/** Draws a capital; that of a micro-entrepreneur is never large. */
export function drawCapital(random: Random, isMei: boolean): number {
  const u = random.unit() * (isMei ? MEI_SHARE : 1);
  // The last step spans millions to billions, so it is not read from the table.
  return u * STEPS >= STEPS - 1 ? capitalAt(u) : (TABLE[(u * STEPS) | 0] as number);
}

function capitalAt(u: number): number {
  for (let i = 1; i < QUANTILES.length; i++) {
    const [to, high] = QUANTILES[i] as readonly [number, number];
    const [from, low] = QUANTILES[i - 1] as readonly [number, number];
    if (u < from) return 0;
    if (u <= to) return roundReais(low * (high / low) ** ((u - from) / (to - from)));
  }
  return 0;
}

/** People found companies with round sums. */
function roundReais(value: number): number {
  const step = value < 20 ? 1 : 10 ** Math.floor(Math.log10(value / 2));
  return Math.round(value / step) * step;
}
