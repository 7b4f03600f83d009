/**
 * Arrow keys on a map. What comes in: where places lie, one of them, a key. What goes out: the
 * place that lies that way.
 * Invariant: the answer lies within 60 degrees of the direction, so that no arrow goes back; the
 * nearest such place wins, and one that lies aside counts as farther. Home and End go through the
 * places from north to south.
 * Apart because it is arithmetic, which tests run without a browser.
 */

/** Where a place lies; `y` grows to the south. */
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

/** How much farther a place counts for each unit that it lies aside. */
const ASIDE_WEIGHT = 2.5;
/** Tangent of the widest angle at which a place still lies in a direction. */
const ASIDE_MAX = Math.tan(Math.PI / 3);

/** The place that a key leads to; null where there is none, or for any other key. */
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
