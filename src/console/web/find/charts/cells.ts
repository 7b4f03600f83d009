/**
 * Makes a map from the positions of places. The area of each place contains the points that are
 * nearer to it than to any other place, within a distance that depends on its neighbors. Input:
 * latitudes and longitudes. Output: polygons in a box, and their centers.
 * Invariant: cells do not overlap, and each contains its place. The same places result in the same
 * cells. Cells are not the real municipalities, and the map says so.
 */

/** A point of the map; `y` grows to the south. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A place with its area. */
export interface MapCell extends Point {
  readonly id: string;
  readonly polygon: readonly Point[];
}

interface CellMap {
  readonly width: number;
  readonly height: number;
  readonly cells: readonly MapCell[];
}

/** Width of the box. */
const WIDTH = 1_000;
/**
 * The radius of a cell is `factor` times the distance to its `neighbor`th nearest place. It is at
 * most `most` times the median of all radii.
 */
const REACH = { neighbor: 4, factor: 0.75, most: 2 };
/** Number of corners of a cell before neighbors cut parts off. */
const CORNERS = 16;

/** Makes a map of places given as `[id, latitude, longitude]`, in hundredths of a degree. */
export function cellMap(places: readonly (readonly [string, number, number])[]): CellMap {
  if (places.length === 0) return { width: WIDTH, height: WIDTH, cells: [] };
  const middle = places.reduce((sum, [, latitude]) => sum + latitude, 0) / places.length;
  // A degree of longitude is shorter the farther it is from the equator.
  const narrow = Math.cos((middle * Math.PI) / 18_000);
  const raw = places.map(([id, latitude, longitude]) => ({
    id,
    x: longitude * narrow,
    y: -latitude,
  }));
  const reaches = raw.map((place) => reachOf(place, raw));
  const most = REACH.most * (reaches.toSorted((a, b) => a - b)[Math.floor(raw.length / 2)] ?? 1);
  const polygons = raw.map((place, at) => {
    return cellOf(place, raw, Math.min(reaches[at] ?? most, most));
  });
  return fitted(raw, polygons);
}

/** Returns the other places, nearest first. */
function nearest(place: Point, all: readonly Point[]) {
  return all
    .map((one) => ({ one, far: Math.hypot(one.x - place.x, one.y - place.y) }))
    .filter(({ far }) => far > 0)
    .sort((a, b) => a.far - b.far);
}

/** Returns the maximum distance of a cell's points from its place. */
function reachOf(place: Point, all: readonly Point[]): number {
  const others = nearest(place, all);
  return (others[Math.min(REACH.neighbor, others.length) - 1]?.far ?? 1) * REACH.factor;
}

function cellOf(place: Point, all: readonly Point[], bound: number): readonly Point[] {
  let polygon: readonly Point[] = Array.from({ length: CORNERS }, (_, at) => ({
    x: place.x + bound * Math.cos((at * 2 * Math.PI) / CORNERS),
    y: place.y + bound * Math.sin((at * 2 * Math.PI) / CORNERS),
  }));
  for (const { one, far } of nearest(place, all)) {
    if (far > 2 * bound) break;
    polygon = nearer(polygon, place, one);
  }
  return polygon;
}

/** Cuts off the part of a polygon that is nearer to `other` than to `place`. */
function nearer(polygon: readonly Point[], place: Point, other: Point): readonly Point[] {
  const [dx, dy] = [other.x - place.x, other.y - place.y];
  const limit = (other.x ** 2 + other.y ** 2 - place.x ** 2 - place.y ** 2) / 2;
  const beyond = ({ x, y }: Point) => x * dx + y * dy - limit;
  return polygon.flatMap((from, at) => {
    const to = polygon[(at + 1) % polygon.length] as Point;
    const [a, b] = [beyond(from), beyond(to)];
    const inside = a <= 0 ? [from] : [];
    if (a < 0 === b < 0) return inside;
    const share = a / (a - b);
    return [
      ...inside,
      { x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) },
    ];
  });
}

/** Scales and moves cells into the box. */
function fitted(
  places: readonly (Point & { readonly id: string })[],
  polygons: readonly (readonly Point[])[],
): CellMap {
  const corners = polygons.flat();
  const left = Math.min(...corners.map(({ x }) => x));
  const top = Math.min(...corners.map(({ y }) => y));
  const scale = WIDTH / (Math.max(...corners.map(({ x }) => x)) - left || 1);
  const moved = ({ x, y }: Point) => ({
    x: Math.round((x - left) * scale * 10) / 10,
    y: Math.round((y - top) * scale * 10) / 10,
  });
  const height = Math.max(...corners.map((corner) => moved(corner).y));
  const cells = places.map((place, at) => {
    return { id: place.id, ...moved(place), polygon: (polygons[at] ?? []).map(moved) };
  });
  return { width: WIDTH, height, cells };
}
