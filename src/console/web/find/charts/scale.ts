/**
 * Color steps of a map: up to five lower bounds from counts, and the step of a count.
 * Invariant: steps begin at 0, 1, 4, 9, and 16 of 25 of the largest count. One far larger state is
 * thus distinct, and small ones still differ. Bounds are actual counts, strictly ascending; zero is
 * its own step (0). Apart because it is arithmetic, which tests run without a browser.
 */

/** Maximum number of steps, without zero's. */
export const STEPS = 5;

/** Returns each step's smallest count, ascending; fewer if there are few distinct counts. */
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
 * Returns the shade of a step, 0 to 5. With fewer than five steps, the darkest stays, so that a map
 * of two values does not look pale.
 */
export function shadeOf(step: number, bounds: readonly number[]): number {
  return step === 0 ? 0 : step + STEPS - bounds.length;
}

/** Returns a step's largest count, for a legend; `most` is the overall maximum. */
export function upperBound(step: number, bounds: readonly number[], most: number): number {
  const next = bounds[step];
  return next === undefined ? most : Math.max(next - 1, bounds[step - 1] ?? 0);
}
