/**
 * Decodes two parts of a snapshot for tests: DATED, the rows of every activity and state by opening
 * day, and OPENED, the rows of every state by opening day. Input: the region of a file, or its
 * rows.
 * Output: the entries of every list and run (the entries of one day), and the cells (row counts) of
 * every state.
 * Invariant: written only from native-index/format/region/parts.h. Asserts the order and the
 * alignment that it specifies.
 */
import assert from "node:assert/strict";
import { coveredRows } from "./cover-decode.ts";
import { FIXTURE_TABLES, type FixtureRow } from "./fixture-rows.ts";
import { partsIn } from "./parts-decode.ts";
import type { Region } from "./region-decode.ts";

/**
 * A day (year code times 512, plus the day of the year), a row, and the lowest 14 bits of its
 * key, which hold flags, status, and size.
 */
type DatedEntry = readonly [day: number, row: number, low: number];

/** DATED's content. */
export interface DatedParts {
  /** Entries by activity and state. */
  readonly lists: ReadonlyMap<string, readonly DatedEntry[]>;
  /** Number of rows by state, day, and low bits of the key. */
  readonly cells: ReadonlyMap<string, number>;
}

/** Bytes of DATED in a file, or null if it has none. */
export function datedIn(region: Region): Buffer | null {
  return partsIn(region).get("PNDATEDS") ?? null;
}

/** Lists of DATED that have rows, and its cells. */
export function datedParts(bytes: Buffer): DatedParts {
  const [version, activities, states, cellCount] = [8, 12, 16, 20].map((at) =>
    bytes.readUInt32LE(at),
  ) as [number, number, number, number];
  const [length, starts, entries, cellStarts, cellsAt] = [24, 32, 40, 48, 56].map((at) =>
    Number(bytes.readBigUInt64LE(at)),
  ) as [number, number, number, number, number];
  assert.deepEqual([version, length], [1, bytes.length]);
  for (const at of [starts, entries, cellStarts, cellsAt]) assert.equal(at % 64, 0);
  const lists = new Map<string, DatedEntry[]>();
  const rising = runs(bytes, starts, activities * states);
  for (const [list, [from, end]] of rising.entries()) {
    const held = Array.from({ length: end - from }, (_, i) => entries + 8 * (from + i));
    const numbers = held.map((at) => bytes.readBigUInt64LE(at));
    assert.ok(numbers.every((one, i) => i === 0 || (numbers[i - 1] as bigint) < one));
    const name = `${Math.floor(list / states)}/${list % states}`;
    if (held.length > 0) lists.set(name, numbers.map(entryOf));
  }
  const cells = new Map<string, number>();
  for (const [state, [from, end]] of runs(bytes, cellStarts, states).entries()) {
    let before = -1;
    for (let cell = from; cell < end; cell++) {
      const key = bytes.readUInt32LE(cellsAt + 8 * cell);
      assert.ok(key > before, "keys of a state rise");
      before = key;
      const name = `${state}/${Math.floor(key / 2 ** 14)}/${key % 2 ** 14}`;
      cells.set(name, bytes.readUInt32LE(cellsAt + 8 * cell + 4));
    }
    if (state === states - 1) assert.equal(end, cellCount);
  }
  assert.equal(cellsAt + 8 * cellCount, bytes.length);
  return { lists, cells };
}

/** Computes the content that DATED must have, row by row. */
export function datedRows(rows: readonly FixtureRow[]): DatedParts {
  const lists = new Map<string, DatedEntry[]>();
  const cells = new Map<string, number>();
  for (const [name, held] of coveredRows(rows)) {
    const entries = held.map(([row, key]): DatedEntry => [dayOf(key), row, key % 2 ** 14]);
    lists.set(
      name,
      entries.sort(([day, row], [otherDay, other]) => day - otherDay || row - other),
    );
    const state = name.split("/")[1];
    for (const [day, , low] of entries) {
      const cell = `${state}/${day}/${low}`;
      cells.set(cell, (cells.get(cell) ?? 0) + 1);
    }
  }
  assert.ok([...lists.keys()].every((name) => Number(name.split("/")[1]) <= STATES));
  return { lists, cells };
}

/**
 * For each state and opening day, the entries of OPENED as text: row, activity, municipality, and
 * low bits of the key.
 */
export type OpenedRuns = ReadonlyMap<string, readonly string[]>;

/** Returns the runs (entries of one state and day) of OPENED, or null if the file has none. */
export function openedIn(region: Region): OpenedRuns | null {
  const bytes = partsIn(region).get("PNOPENED");
  if (bytes === undefined) return null;
  const [version, , states, municipalities] = [8, 12, 16, 20].map((at) => bytes.readUInt32LE(at));
  const [places, runCount, entryCount] = [32, 36, 40].map((at) => bytes.readUInt32LE(at)) as [
    number,
    number,
    number,
  ];
  const [length, ...offsets] = [24, 48, 56, 64, 72, 80].map((at) =>
    Number(bytes.readBigUInt64LE(at)),
  );
  assert.deepEqual([version, municipalities, length], [1, CITIES + 1, bytes.length]);
  for (const at of offsets) assert.equal(at % 64, 0);
  const [placeStarts, placesAt, runStarts, runsAt, entries] = offsets as [
    number,
    number,
    number,
    number,
    number,
  ];
  assert.equal(runs(bytes, placeStarts, states as number).at(-1)?.[1], places);
  const found = new Map<string, string[]>();
  for (const [state, [first, end]] of runs(bytes, runStarts, states as number).entries()) {
    const cities = bytes.subarray(placesAt + 2 * bytes.readUInt32LE(placeStarts + 4 * state));
    let before = -1;
    for (let run = runsAt + 8 * first; run < runsAt + 8 * end; run += 8) {
      const [date, from, to] = [0, 4, 12].map((at) => bytes.readUInt32LE(run + at)) as [
        number,
        number,
        number,
      ];
      assert.ok(date > before && to > from, "dates rise, and have rows");
      before = date;
      found.set(
        `${state}/${date}`,
        openedEntries(bytes.subarray(entries + 8 * from), to - from, cities),
      );
    }
  }
  assert.equal(bytes.readUInt32LE(runsAt + 8 * runCount + 4), entryCount);
  assert.equal(entries + 8 * entryCount, bytes.length);
  return found;
}

/** Decodes the entries of a run, and checks that they ascend. */
function openedEntries(bytes: Buffer, count: number, cities: Buffer): string[] {
  const numbers = Array.from({ length: count }, (_, i) => bytes.readBigUInt64LE(8 * i));
  assert.ok(numbers.every((one, i) => i === 0 || (numbers[i - 1] as bigint) < one));
  return numbers.map((number) => {
    const city = cities.readUInt16LE(2 * Number((number >> 25n) & 0x3ffn));
    return `${number >> 35n} ${(number >> 14n) & 0x7ffn} ${city} ${number & 0x3fffn}`;
  });
}

/** Computes the runs of OPENED row by row. */
export function openedRows(rows: readonly FixtureRow[]): OpenedRuns {
  const found = new Map<string, string[]>();
  const all = [...datedRows(rows).lists].flatMap(([name, entries]) => {
    const [activity, state] = name.split("/");
    return entries.map(([day, row, low]) => ({ activity, state, day, row, low }));
  });
  for (const { activity, state, day, row, low } of all.sort((a, b) => a.row - b.row)) {
    if (day === NO_DAY) continue;
    const run = found.get(`${state}/${day}`) ?? [];
    found.set(`${state}/${day}`, run);
    run.push(`${row} ${activity} ${rows[row]?.municipality_ibge ?? CITIES} ${low}`);
  }
  return found;
}

const STATES = FIXTURE_TABLES.uf.length;
const CITIES = FIXTURE_TABLES.municipality_ibge.length;
/** Day of a row without a date: all bits set. */
const NO_DAY = 2 ** 18 - 1;

/** Returns the year and day in a key of COVER as one number. */
function dayOf(key: number): number {
  const year = Math.floor(key / 2 ** 14) % 2 ** 9;
  return year * 2 ** 9 + Math.floor(key / 2 ** 23);
}

function entryOf(number: bigint): DatedEntry {
  const row = (number >> 14n) & 0xffff_ffffn;
  return [Number(number >> 46n), Number(row), Number(number & 0x3fffn)];
}

/**
 * Returns the start and end of each run. Checks that the first run starts at 0 and that runs are
 * contiguous.
 */
function runs(bytes: Buffer, at: number, count: number): (readonly [number, number])[] {
  const starts = Array.from({ length: count + 1 }, (_, i) => bytes.readUInt32LE(at + 4 * i));
  assert.equal(starts[0], 0);
  return starts.slice(1).map((end, i) => {
    assert.ok(end >= (starts[i] as number), "starts rise");
    return [starts[i] as number, end] as const;
  });
}
