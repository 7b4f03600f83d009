/**
 * Proves the pure functions behind the console's map. The shade of a state depends on the ratio of
 * its count to the largest one, and every count has a shade. Arrow keys connect every state with
 * every other. The outlines are the 27 states of the source package, hardly changed.
 * Does not prove: what is drawn, nor the browser's display (see the end-to-end tests).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  neighbour,
  quantileBounds,
  STEPS,
  shadeOf,
  shareBounds,
  stepOf,
  upperBound,
} from "../../../src/console/web/find/charts/mapnumbers.ts";
import { UFS } from "../../../src/spec/fields.ts";
import { ROOT } from "../../support/house/checkout.ts";

const counts = fc.array(fc.nat({ max: 1_000_000 }), { maxLength: 40 });

describe("color steps", () => {
  it("begin at squares of the share of the largest count", () => {
    assert.deepEqual(shareBounds([100, 0, 1, 3, 4, 15, 16, 35, 36, 63, 64]), [1, 4, 16, 36, 64]);
    // The largest count is nearly three times the next one, so only it has the darkest shade.
    const bounds = shareBounds([280, 105, 90, 80, 75, 50, 30, 10, 3]);
    assert.deepEqual(
      [280, 105, 90, 50, 3].map((count) => stepOf(count, bounds)),
      [5, 4, 3, 3, 1],
    );
    assert.deepEqual(shareBounds([]), []);
    assert.deepEqual(shareBounds([0, 0]), []);
    assert.deepEqual(shareBounds([4, 4, 4]), [4]);
  });

  it("put every count into the step whose bounds contain it, and only zero into none", () => {
    fc.assert(
      fc.property(counts, (all) => {
        const bounds = shareBounds(all);
        const most = Math.max(0, ...all);
        assert.ok(bounds.length <= STEPS);
        for (const count of all) {
          const step = stepOf(count, bounds);
          assert.equal(step === 0, count === 0);
          if (step === 0) continue;
          assert.ok(count >= (bounds[step - 1] as number), `${count} in ${bounds}`);
          assert.ok(count <= upperBound(step, bounds, most), `${count} in ${bounds}`);
        }
      }),
    );
  });

  it("of skewed numbers have equally many places each, also if many are equal", () => {
    const skewed = [0, 0.2, 0.4, 1, 2, 3, 4, 5, 6, 7, 90_000];
    const bounds = quantileBounds(skewed);
    const sizes = [0, 1, 2, 3, 4, 5].map((step) => {
      return skewed.filter((one) => stepOf(one, bounds) === step).length;
    });
    assert.deepEqual(sizes, [1, 2, 2, 2, 2, 2]);
    assert.deepEqual(quantileBounds([1, 1, 1, 1, 1, 1, 1, 1, 1, 8]), [1]);
    assert.deepEqual(quantileBounds([0, 0]), []);
    const distinct = fc.uniqueArray(fc.integer({ min: 1, max: 1e6 }), { minLength: 5 });
    fc.assert(
      fc.property(distinct, (all) => {
        const found = quantileBounds(all);
        assert.equal(found.length, STEPS);
        for (let step = 1; step <= STEPS; step++) {
          const own = all.filter((one) => stepOf(one, found) === step).length;
          assert.ok(Math.abs(own - all.length / STEPS) <= 1, `${own} of ${all.length}`);
        }
      }),
    );
  });

  it("end at the darkest shade for any number of steps", () => {
    assert.deepEqual(
      [0, 1, 2].map((step) => shadeOf(step, [3, 9])),
      [0, 4, 5],
    );
    assert.deepEqual(
      [1, 5].map((step) => shadeOf(step, [1, 2, 3, 4, 5])),
      [1, 5],
    );
  });
});

interface Outline {
  path: string;
  x: number;
  y: number;
}

interface Original {
  locations: { id: string; path: string }[];
}
const outlines = JSON.parse(
  readFileSync(path.join(ROOT, "src/console/web/find/charts/brazil.json"), "utf8"),
) as Record<string, Outline>;

describe("the map", () => {
  const places = new Map(Object.entries(outlines));

  it("has the 27 states and nothing else", () => {
    assert.deepEqual(
      [...places.keys()].sort(),
      UFS.filter((uf) => uf !== "EX"),
    );
  });

  it("has the package's shapes within a hundredth, at twice their size", async () => {
    // The package has no types, and its default export is nested differently by bundlers and
    // loaders.
    const loaded = (await import("@svg-maps/brazil")) as unknown as {
      default: Original & { default?: Original };
    };
    const { locations } = loaded.default.default ?? loaded.default;
    assert.equal(locations.length, 27);
    for (const { id, path: drawn } of locations) {
      const wanted = areaOf(drawn) * 4;
      const found = areaOf(outlines[id.toUpperCase()]?.path ?? "");
      // Brasília is so small that rounding to whole units changes its area by more than that of
      // other states.
      const tolerance = id === "df" ? 0.04 : 0.01;
      assert.ok(Math.abs(found / wanted - 1) < tolerance, `${id}: ${found} instead of ${wanted}`);
    }
  });

  it("connects every state with every other by arrow keys", () => {
    for (const start of places.keys()) {
      const seen = new Set([start]);
      for (const from of seen) {
        for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]) {
          const next = neighbour(places, from, key);
          if (next !== null) seen.add(next);
        }
      }
      assert.equal(seen.size, places.size, `from ${start}`);
    }
  });

  it("moves in the direction of the arrow", () => {
    const ways = [
      ["SP", "ArrowRight", "RJ"],
      ["PR", "ArrowDown", "SC"],
      ["SC", "ArrowDown", "RS"],
      ["MT", "ArrowLeft", "RO"],
      ["AM", "ArrowRight", "PA"],
      ["RS", "Home", "RR"],
      ["RR", "End", "RS"],
    ] as const;
    for (const [from, key, to] of ways) assert.equal(neighbour(places, from, key), to, from + key);
    assert.equal(neighbour(places, "RS", "ArrowDown"), null);
    assert.equal(neighbour(places, "RS", "a"), null);
  });
});

/** Returns the area of a path of relative lines, as the sum of its rings. */
function areaOf(drawn: string): number {
  let [x, y, area] = [0, 0, 0];
  for (const ring of drawn.split(/z/i)) {
    const numbers = (ring.match(/-?\d*\.?\d+(?:e-?\d+)?/g) ?? []).map(Number);
    const points: [number, number][] = [];
    for (let at = 0; at + 1 < numbers.length; at += 2) {
      x += numbers[at] as number;
      y += numbers[at + 1] as number;
      points.push([x, y]);
    }
    let double = 0;
    for (const [at, [px, py]] of points.entries()) {
      const [qx, qy] = points[(at + 1) % points.length] as [number, number];
      double += px * qy - qx * py;
    }
    area += Math.abs(double) / 2;
    // A ring ends where it began. The next ring is relative to that point.
    if (points[0] !== undefined) [x, y] = points[0];
  }
  return area;
}
