/**
 * Proves: for any sizes of the list, the window, and the rows, every visible row is drawn, and
 * never more rows than the limit. Scrolling to a row or a cell shows it and moves no further than
 * needed. No key moves out of the grid, and all keys follow the ARIA grid pattern.
 * Does not prove: how a browser scrolls (bench and end-to-end tests do).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  cellAfterKey,
  DRAWN_MAX,
  type GridSize,
  lastSeen,
  type Scrolled,
  scrollLeftFor,
  scrollTopFor,
  windowOf,
} from "../../../src/console/web/find/table/window.ts";

/** Generates a scrolled list in a window that shows fewer rows than the limit. */
const SCROLLED = fc
  .record({
    rowHeight: fc.integer({ min: 24, max: 96 }),
    height: fc.integer({ min: 0, max: 1400 }),
    count: fc.integer({ min: 0, max: 50_000 }),
    place: fc.double({ min: -0.1, max: 1.1, noNaN: true }),
  })
  .map(({ place, ...list }): Scrolled => {
    return { ...list, scrollTop: place * Math.max(0, list.count * list.rowHeight - list.height) };
  })
  .filter(({ height, rowHeight }) => height / rowHeight + 1 < DRAWN_MAX - 8);

describe("the window of a list", () => {
  it("has every visible row and never more than the limit", () => {
    fc.assert(
      fc.property(SCROLLED, (list) => {
        const { first, end } = windowOf(list);
        assert.ok(first >= 0 && end <= list.count && end - first <= DRAWN_MAX);
        const most = Math.max(0, list.count * list.rowHeight - list.height);
        const top = Math.max(0, Math.min(list.scrollTop, most));
        for (let row = 0; row < list.count; row += row < first - 2 ? first - 2 - row : 1) {
          const seen = (row + 1) * list.rowHeight > top && row * list.rowHeight < top + list.height;
          if (seen) assert.ok(row >= first && row < end, `row ${row} of ${first}-${end}`);
          if (row > end) break;
        }
      }),
    );
  });

  it("is stable while scrolling a little", () => {
    const list = { scrollTop: 4000, height: 600, rowHeight: 40, count: 1000 };
    assert.deepEqual(windowOf(list), windowOf({ ...list, scrollTop: 4039 }));
    assert.notDeepEqual(windowOf(list), windowOf({ ...list, scrollTop: 4400 }));
  });

  it("is bounded even if more rows are visible", () => {
    const { first, end } = windowOf({ scrollTop: 0, height: 9000, rowHeight: 40, count: 5000 });
    assert.deepEqual([first, end], [0, DRAWN_MAX]);
  });

  it("reports the last visible row", () => {
    const list = { scrollTop: 0, height: 100, rowHeight: 40, count: 50 };
    assert.equal(lastSeen(list), 2);
    assert.equal(lastSeen({ ...list, count: 2 }), 1);
    assert.equal(lastSeen({ ...list, count: 0 }), -1);
  });
});

describe("scrolling", () => {
  it("shows a row whole and moves no further than needed", () => {
    fc.assert(
      fc.property(SCROLLED, fc.nat(50_000), (list, row) => {
        fc.pre(list.height >= list.rowHeight && row < list.count && list.scrollTop >= 0);
        const top = scrollTopFor(row, list);
        assert.ok(row * list.rowHeight >= top - 1e-6);
        assert.ok((row + 1) * list.rowHeight <= top + list.height + 1e-6);
        const visible =
          row * list.rowHeight >= list.scrollTop &&
          (row + 1) * list.rowHeight <= list.scrollTop + list.height;
        if (visible) assert.equal(top, list.scrollTop);
        assert.equal(scrollTopFor(row, { ...list, scrollTop: top }), top);
      }),
    );
  });

  it("shows a cell next to the sticky column, its beginning first", () => {
    const cell = { left: 500, width: 100, scrollLeft: 0, room: 400, sticky: 200 };
    assert.equal(scrollLeftFor(cell), 200);
    assert.equal(scrollLeftFor({ ...cell, scrollLeft: 250 }), 250);
    assert.equal(scrollLeftFor({ ...cell, scrollLeft: 350 }), 300);
    assert.equal(scrollLeftFor({ ...cell, width: 900 }), 300, "too wide: it begins at the left");
    assert.equal(scrollLeftFor({ ...cell, left: 100, scrollLeft: 50 }), 0);
  });
});

describe("a key in the grid", () => {
  const size: GridSize = { rows: 100, columns: 8, page: 20, header: true };
  const from = { row: 50, column: 3 };
  const at = (key: string, ctrl = false, place = from) => cellAfterKey(place, { key, ctrl }, size);

  it("moves as specified for a grid's keyboard", () => {
    assert.deepEqual(at("ArrowUp"), { row: 49, column: 3 });
    assert.deepEqual(at("ArrowDown"), { row: 51, column: 3 });
    assert.deepEqual(at("ArrowLeft"), { row: 50, column: 2 });
    assert.deepEqual(at("ArrowRight"), { row: 50, column: 4 });
    assert.deepEqual(at("Home"), { row: 50, column: 0 });
    assert.deepEqual(at("End"), { row: 50, column: 7 });
    assert.deepEqual(at("PageUp"), { row: 30, column: 3 });
    assert.deepEqual(at("PageDown"), { row: 70, column: 3 });
    assert.deepEqual(at("Home", true), { row: 0, column: 0 });
    assert.deepEqual(at("End", true), { row: 99, column: 7 });
  });

  it("is ignored if it is not one of the grid's", () => {
    for (const key of ["a", "Tab", "Escape", "F5", "toString"]) assert.equal(at(key), null, key);
    assert.equal(at("ArrowDown", true), null);
    assert.equal(cellAfterKey(from, { key: "ArrowDown", ctrl: false }, { ...size, rows: 0 }), null);
  });

  it("never leaves the grid; the header is reached by the arrow alone", () => {
    assert.deepEqual(at("ArrowUp", false, { row: 0, column: 3 }), { row: -1, column: 3 });
    assert.deepEqual(at("PageUp", false, { row: 3, column: 3 }), { row: 0, column: 3 });
    const keys = fc.constantFrom("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageDown");
    const steps = fc.array(fc.record({ key: keys, ctrl: fc.constant(false) }), { maxLength: 300 });
    fc.assert(
      fc.property(steps, fc.boolean(), (all, header) => {
        const grid = { rows: 30, columns: 3, page: 9, header };
        let place = { row: 0, column: 0 };
        for (const key of all) place = cellAfterKey(place, key, grid) ?? place;
        assert.ok(place.row >= (header ? -1 : 0) && place.row < 30);
        assert.ok(place.column >= 0 && place.column < 3);
      }),
    );
  });
});
