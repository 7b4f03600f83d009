/**
 * Arrow keys on a map: returns the next place in a key's direction.
 * Invariant: the result is within 60 degrees of the direction, so that no arrow goes back. The
 * nearest such place wins; sideways distance counts more. Home and End jump to the northernmost and
 * the southernmost place. Apart because it is arithmetic, which tests run without a browser.
 */

/** A place's position; `y` grows to the south. */
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

/** Extra distance per unit of sideways offset. */
const ASIDE_WEIGHT = 2.5;
/** Tangent of the widest angle still in a direction. */
const ASIDE_MAX = Math.tan(Math.PI / 3);

/** Returns the place a key leads to; null if there is none, or for other keys. */
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
