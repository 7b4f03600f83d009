/**
 * Computes the color steps of a map, and the place to which an arrow key moves. Input: counts, or
 * the positions of places with the current place and a key. Output: the lower bounds of up to five
 * steps and the step of a count, or the next place.
 * Invariant: steps begin at 0/25, 1/25, 4/25, 9/25, and 16/25 of the largest count, so that small
 * states differ even from one very large state. For municipalities, each step has equally many
 * places instead. Bounds are strictly ascending, and each is the count of a place. Zero is a step
 * of its own (0). A key moves to the nearest place within 60 degrees of its direction, where
 * distance to the side counts more. Home and End move to the northernmost and southernmost place.
 * Separate from the map because tests run it without a browser.
 */

/** Max number of steps, not counting the step of zero. */
export const STEPS = 5;

/** Returns the smallest count of each step, ascending; fewer steps for few different counts. */
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

/**
 * Returns the smallest number of each step, so that steps have equally many places. With steps by
 * share of the largest number, skewed numbers would put nearly all places in one step.
 */
export function quantileBounds(numbers: readonly number[], steps = STEPS): number[] {
  const sorted = numbers.filter((one) => one > 0).sort((a, b) => a - b);
  const bounds: number[] = [];
  for (let step = 0; step < steps; step++) {
    const bound = sorted[Math.floor((step * sorted.length) / steps)];
    if (bound !== undefined && bound !== bounds.at(-1)) bounds.push(bound);
  }
  return bounds;
}

/** Returns the step of a count, from 0 (nothing) to the number of bounds. */
export function stepOf(count: number, bounds: readonly number[]): number {
  let step = 0;
  while (step < bounds.length && count >= (bounds[step] as number)) step++;
  return step;
}

/** Returns the shade of a step, 0 to 5. The highest step is the darkest, even of few. */
export function shadeOf(step: number, bounds: readonly number[]): number {
  return step === 0 ? 0 : step + STEPS - bounds.length;
}

/** Returns the largest count of a step for the legend; `most` is the overall maximum. */
export function upperBound(step: number, bounds: readonly number[], most: number): number {
  const next = bounds[step];
  return next === undefined ? most : Math.max(next - 1, bounds[step - 1] ?? 0);
}

/** Position of a place; `y` grows to the south. */
interface Point {
  readonly x: number;
  readonly y: number;
}

const DIRECTIONS: Readonly<Record<string, readonly [dx: number, dy: number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/** Weight of the sideways distance of a place from the direction of a key. */
const ASIDE_WEIGHT = 2.5;
/** Tangent of the max angle between a key's direction and a place. */
const ASIDE_MAX = Math.tan(Math.PI / 3);

/** Returns the place that a key leads to, or null if there is none in its direction. */
export function neighbour(
  places: ReadonlyMap<string, Point>,
  from: string,
  key: string,
): string | null {
  if (key === "Home" || key === "End") return outermost(places, key);
  const direction = DIRECTIONS[key];
  const start = places.get(from);
  if (direction === undefined || start === undefined) return null;
  const [dx, dy] = direction;
  let best: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const [name, place] of places) {
    const ahead = (place.x - start.x) * dx + (place.y - start.y) * dy;
    const aside = Math.abs((place.x - start.x) * dy) + Math.abs((place.y - start.y) * dx);
    if (name === from || ahead <= 0 || aside > ahead * ASIDE_MAX) continue;
    const cost = ahead + aside * ASIDE_WEIGHT;
    if (cost < least) [best, least] = [name, cost];
  }
  return best;
}

function outermost(places: ReadonlyMap<string, Point>, key: "Home" | "End"): string | null {
  const sorted = [...places].sort(([, a], [, b]) => a.y - b.y || a.x - b.x);
  return (key === "Home" ? sorted[0] : sorted.at(-1))?.[0] ?? null;
}
