/**
 * Colour steps of a map. What comes in: counts. What goes out: the lower bounds of up to five
 * steps, and the step of a count.
 * Invariant: a step begins at a share of the largest count, 0, 1, 4, 9 and 16 of 25, so that one
 * state which has far more than the others stands alone, and small ones differ all the same; bounds
 * are counts themselves and strictly ascending; zero is a step of its own (0).
 * Apart because it is arithmetic, which tests run without a browser.
 */

/** How many steps there are at most, beside that of zero. */
export const STEPS = 5;

/** The smallest count of each step, ascending; fewer where there are few different counts. */
export function shareBounds(counts: readonly number[], steps = STEPS): number[] {
  const sorted = counts.filter((count) => count > 0).sort((a, b) => a - b);
  const most = sorted.at(-1) ?? 0;
  const bounds: number[] = [];
  for (let step = 0; step < steps; step++) {
    const bound = sorted.find((count) => count * steps * steps >= most * step * step);
    if (bound !== undefined && bound !== bounds.at(-1)) bounds.push(bound);
  }
  return bounds;
}

/** The step of a count, from 0 (nothing) to the number of bounds. */
export function stepOf(count: number, bounds: readonly number[]): number {
  let step = 0;
  while (step < bounds.length && count >= (bounds[step] as number)) step++;
  return step;
}

/**
 * The shade of a step, 0 to 5: with fewer steps than five the darkest one stays the darkest, so
 * that a map of two values does not look like one of the lower half.
 */
export function shadeOf(step: number, bounds: readonly number[]): number {
  return step === 0 ? 0 : step + STEPS - bounds.length;
}

/** The largest count of a step, for a legend; `most` is the largest count of all. */
export function upperBound(step: number, bounds: readonly number[], most: number): number {
  const next = bounds[step];
  return next === undefined ? most : Math.max(next - 1, bounds[step - 1] ?? 0);
}
