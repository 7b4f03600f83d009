/**
 * Proves the parts of the sample generator: the counter-based random numbers, the weighted choice,
 * dates in rows, the order of establishments, and the display of progress.
 * Does not prove: anything about a whole sample (sample-release, sample-distributions).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatSeconds, progress } from "../../../src/cli/support/progress.ts";
import { branchCount } from "../../../src/dump/sample/company.ts";
import {
  countCompanies,
  EstablishmentOrder,
  PARTS,
  partStart,
  shuffledCompanies,
} from "../../../src/dump/sample/order.ts";
import { hash, Random, Weighted } from "../../../src/dump/sample/random.ts";
import { RowBytes } from "../../../src/dump/sample/zip/bytes.ts";

test("depends on all four numbers of a placed generator and nothing else", () => {
  const draw = (seed: number, stream: number, index: number, sub: number): string => {
    const random = new Random(seed);
    random.place(9, 9, 9).next();
    random.place(stream, index, sub);
    return [random.next(), random.next(), random.next()].join();
  };
  assert.equal(draw(1, 2, 3, 4), draw(1, 2, 3, 4));
  const seen = new Set<string>();
  const cases: [number, number, number, number][] = [
    [1, 2, 3, 4],
    [2, 2, 3, 4],
    [1, 3, 3, 4],
    [1, 2, 4, 4],
    [1, 2, 3, 5],
    [2 ** 32 + 1, 2, 3, 4],
  ];
  for (const [seed, stream, index, sub] of cases) seen.add(draw(seed, stream, index, sub));
  assert.equal(seen.size, cases.length);
  assert.notEqual(hash(1, 2, 3), hash(1, 2, 4));
});

test("spreads numbers evenly, also across neighboring streams", () => {
  const random = new Random(5);
  const counts = new Array<number>(16).fill(0);
  for (let i = 0; i < 16_000; i++) counts[random.place(1, i).below(16)]! += 1;
  for (const count of counts) assert.ok(Math.abs(count - 1000) < 160, `${count} of 1,000`);
});

test("divides all rows among ten parts, none empty if there are ten rows", () => {
  for (const rows of [0, 1, 9, 10, 11, 14, 15, 16, 100, 12_345, 72_000_000]) {
    const starts = Array.from({ length: PARTS + 1 }, (_, part) => partStart(rows, part));
    assert.deepEqual([starts[0], starts[PARTS]], [0, rows]);
    const sizes = starts.slice(1).map((start, part) => start - (starts[part] as number));
    assert.ok(
      sizes.every((size) => size >= (rows < PARTS ? 0 : 1)),
      `${rows}: ${sizes}`,
    );
  }
});

test("follows the weights of a weighted choice, zero included", () => {
  const random = new Random(6).place(1, 1);
  const choice = new Weighted([50, 0, 30, 20, 0]);
  const counts = [0, 0, 0, 0, 0];
  for (let i = 0; i < 50_000; i++) counts[choice.pick(random)]! += 1;
  assert.deepEqual([counts[1], counts[4]], [0, 0]);
  for (const [i, percent] of [
    [0, 50],
    [2, 30],
    [3, 20],
  ] as const) {
    assert.ok(Math.abs((counts[i] as number) / 500 - percent) < 1.2);
  }
});

test("computes dates in rows like Date", () => {
  const row = new RowBytes(100);
  for (let days = -62_091; days < 47_000; days += 37) {
    row.length = 0;
    row.date(days);
    const expected = new Date(days * 86_400_000).toISOString().slice(0, 10).replaceAll("-", "");
    assert.equal(Buffer.from(row.bytes.subarray(0, row.length)).toString(), expected);
  }
});

test("emits every establishment once, branches far from their head office", () => {
  for (const rows of [1, 2, 50, 5000]) {
    const counted = countCompanies(4, rows);
    const { companies } = counted;
    const order = new EstablishmentOrder(4, counted, rows);
    const seen = new Map<string, number>();
    const distances: number[] = [];
    for (let row = 0; row < rows; row++) {
      order.next();
      assert.ok(order.company < companies);
      assert.ok(order.branch <= branchCount(4, order.company));
      const head = seen.get(`${order.company}/0`);
      if (order.branch > 0) distances.push(Math.abs(row - (head ?? rows)));
      seen.set(`${order.company}/${order.branch}`, row);
    }
    assert.equal(seen.size, rows);
    if (rows === 5000) assert.ok(distances.filter((d) => d > 100).length > distances.length * 0.9);
  }
});

test("visits every company once in a shuffle", () => {
  for (const companies of [1, 2, 7, 1000, 4096]) {
    const order = shuffledCompanies(3, 10, companies);
    const seen = new Set(Array.from({ length: companies }, (_, row) => order(row)));
    assert.equal(seen.size, companies);
    assert.ok([...seen].every((company) => company >= 0 && company < companies));
  }
});

test("shows progress as a bar on a terminal, and as lines elsewhere", () => {
  const run = (isTTY: boolean): string[] => {
    const written: string[] = [];
    const display = progress("sample", 2000, {
      isTTY,
      print: (text) => written.push(text),
      redraw: (text) => written.push(`redrawn ${text}`),
    });
    for (let i = 0; i < 5000; i++) display.update(i % 2000);
    display.done();
    return written;
  };
  const lines = run(false);
  assert.equal(lines.length, 1, "five thousand quick updates give only the last line");
  assert.match(lines[0] ?? "", /^sample: 2,000 rows in \d+ s, [\d,]+\/s\n$/);
  assert.ok(run(true).at(-1)?.startsWith("redrawn sample: 2,000 rows"));
});

test("formats times for people", () => {
  assert.deepEqual([0, 8.4, 200, 3900].map(formatSeconds), [
    "0 s",
    "8 s",
    "3 min 20 s",
    "1 h 05 min",
  ]);
});
