/**
 * Where the seats of municipalities are. What comes in: data/seats.json, made of GeoNames. What
 * goes out: the municipalities whose seats lie within a distance of another's.
 * Invariant: a distance is that between two seats along the earth's surface, taken for a sphere; a
 * municipality whose seat is not known is within no distance; read when first asked for.
 * Apart because it knows the earth and nothing of sentences.
 */
import seats from "../../../data/seats.json" with { type: "json" };
import type { SnapshotPlaces } from "../../../native-index/format/snapshot/meta.ts";

/** Mean radius of the earth. */
const EARTH_KM = 6_371;
/** Kilometres of a degree of latitude. */
const DEGREE_KM = 111;

interface Seat {
  readonly ibge: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** Seats that everybody knows, and those of one snapshot before them. */
export class Seats {
  readonly #given: SnapshotPlaces | undefined;
  #made: ReadonlyMap<string, Seat> | undefined;

  /** `given` is what an operator gave to the import, if anything. */
  constructor(given: SnapshotPlaces | undefined) {
    this.#given = given;
  }

  /** IBGE codes of municipalities within a distance of one, itself included; null if unknown. */
  within(ibge: string, km: number): readonly string[] | null {
    this.#made ??= new Map([...packedSeats(), ...givenSeats(this.#given)]);
    const center = this.#made.get(ibge);
    if (center === undefined) return null;
    const near: string[] = [];
    for (const seat of this.#made.values()) {
      if (Math.abs(seat.latitude - center.latitude) * DEGREE_KM > km + 1) continue;
      if (distance(center, seat) <= km) near.push(seat.ibge);
    }
    return near;
  }
}

function* packedSeats(): Generator<[string, Seat]> {
  for (const [state, list] of Object.entries(seats.seats)) {
    for (const one of list.split(",")) {
      const [code, latitude, longitude] = one.split(" ");
      const ibge = `${state}${code}`;
      const seat = { latitude: Number(latitude) / 100, longitude: Number(longitude) / 100 };
      yield [ibge, { ibge, ...seat }];
    }
  }
}

function* givenSeats(given: SnapshotPlaces | undefined): Generator<[string, Seat]> {
  for (const [ibge, , , , , latitude, longitude] of given?.municipalities ?? []) {
    if (latitude !== null && longitude !== null) yield [ibge, { ibge, latitude, longitude }];
  }
}

/** Kilometres between two seats. */
function distance(one: Seat, other: Seat): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const [a, b] = [radians(one.latitude), radians(other.latitude)];
  const half = (angle: number) => Math.sin(angle / 2) ** 2;
  const across = Math.cos(a) * Math.cos(b) * half(radians(other.longitude - one.longitude));
  return 2 * EARTH_KM * Math.asin(Math.sqrt(half(b - a) + across));
}
