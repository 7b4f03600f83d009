/**
 * Proves: a map divided into cells gives every place an area that contains this place and no other.
 * Areas do not overlap, keep the proportions of the land, and are the same each time. Months of
 * openings and closings are in order of time and sum to the total. The address of a comparison
 * decodes to the same comparison. CSV lines with quoted cells are read as written. Does not prove:
 * how they look (e2e/console/numbers).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { switchLanguage } from "../../../src/console/web/app/words.ts";
import { decodeComparison, encodeComparison } from "../../../src/console/web/compare/address.ts";
import { cellMap, type Point } from "../../../src/console/web/find/charts/cells.ts";
import { parseCsv } from "../../../src/console/web/find/charts/lines.ts";
import { periodLines } from "../../../src/console/web/find/charts/periods.ts";
import { emptyQuery } from "../../../src/console/web/find/question.ts";
import { CatalogLookup } from "../../../src/spec/catalog.ts";
import { FACETS } from "../../../src/spec/facets.ts";

/** Returns true if a point is in a convex polygon, whose corners are in order. */
function inside({ x, y }: Point, polygon: readonly Point[]): boolean {
  const sides = polygon.map((from, at) => {
    const to = polygon[(at + 1) % polygon.length] as Point;
    return (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x);
  });
  return sides.every((side) => side > 0) || sides.every((side) => side < 0);
}

const SEAT = fc.tuple(fc.integer({ min: -3300, max: 500 }), fc.integer({ min: -7300, max: -3500 }));
const SEATS = fc.uniqueArray(SEAT, {
  ...{ minLength: 1, maxLength: 60, selector: ([a, b]) => `${a} ${b}` },
});

describe("a map of cells", () => {
  it("gives each place an area that has it and no other", () => {
    const check = fc.property(SEATS, (seats) => {
      const places = seats.map(([lat, lon], at) => [String(at), lat, lon] as const);
      const { cells, width, height } = cellMap(places);
      assert.equal(cells.length, places.length);
      assert.deepEqual(cellMap(places).cells, cells);
      for (const cell of cells) {
        const within = cells.filter((other) => inside(other, cell.polygon));
        assert.ok(
          within.every(({ id }) => id === cell.id),
          cell.id,
        );
        for (const { x, y } of cell.polygon) {
          assert.ok(x >= 0 && x <= width && y >= 0 && y <= height, `${x} ${y}`);
        }
      }
    });
    fc.assert(check, { numRuns: 60, seed: 7 });
  });

  it("keeps the proportions of the land", () => {
    // A square of four degrees at 60 degrees south is half as wide as high.
    const square = [-6200, -6000, -5800].flatMap((lat) =>
      [-5200, -5000, -4800].map((lon) => [`${lat} ${lon}`, lat, lon] as const),
    );
    const { cells } = cellMap(square);
    const spread = (of: (one: Point) => number) =>
      Math.max(...cells.map(of)) - Math.min(...cells.map(of));
    assert.ok(Math.abs(spread(({ x }) => x) / spread(({ y }) => y) - 0.5) < 0.01);
  });
});

describe("numbers of a chart", () => {
  it("are read from CSV with quoted cells and delimiters in them", () => {
    assert.deepEqual(parseCsv('a;b\r\n"x;""y""";2\r\n', ";"), [
      ["a", "b"],
      ['x;"y"', "2"],
    ]);
    assert.deepEqual(parseCsv('a,"b, c",1\n', ","), [["a", "b, c", "1"]]);
  });

  it("of openings and closings are ordered by time, newest first", async () => {
    await switchLanguage("en");
    const body = [
      ["Total", "", "", "10", "1"],
      ["Quarter", "2025-Q4", "", "4", "0.4"],
      ["Quarter", "2026-Q1", "", "5", "0.5"],
      ["Quarter", "", "No value", "1", "0.1"],
    ];
    const lines = { head: ["Field", "Value", "Description", "Count", "Share of the total"], body };
    for (const event of ["opened", "closed"] as const) {
      assert.deepEqual(periodLines(lines, event).body, [
        ["Total", "10", "1"],
        ["2026-Q1", "5", "0.5"],
        ["2025-Q4", "4", "0.4"],
        ["No value", "1", "0.1"],
      ]);
    }
  });
});

describe("the address of a comparison", () => {
  const lookup = new CatalogLookup({ cnaeCodes: [], municipalities: [], legalNatures: [] });
  const of = (uf: string) => {
    const query = emptyQuery();
    if (uf !== "") query.filters.geo.uf_any_of = [uf];
    return query;
  };

  it("holds both groups and the facets", () => {
    for (const [second, month] of [
      [null, null],
      [of("RJ"), null],
      [of("RJ"), "2026-09"],
      [of(""), "2026-09"],
    ] as const) {
      for (const across of [null, ...FACETS]) {
        const comparison = { first: of("SP"), second, month, facet: FACETS[3], across };
        const hash = encodeComparison(comparison, lookup);
        assert.deepEqual(decodeComparison(hash, lookup), comparison, hash);
      }
    }
  });

  it("of anything is a comparison of known facets", () => {
    const check = fc.property(fc.string(), (hash) => {
      const { facet, across } = decodeComparison(hash, lookup);
      assert.ok(FACETS.includes(facet) && (across === null || FACETS.includes(across)));
    });
    fc.assert(check, { numRuns: 300, seed: 7 });
  });
});
