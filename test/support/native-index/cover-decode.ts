/**
 * Decodes two parts of a snapshot for tests: COVER, the rows of every primary activity in every
 * state, and CITIES, the same rows by municipality. Input: the region of a file, or its rows.
 * Output: the rows of every list, each with its key, which holds the columns that queries often
 * filter by.
 * Invariant: written only from native-index/format/region/parts.h. Asserts the order and the
 * alignment that it specifies.
 */
import assert from "node:assert/strict";
import { FIXTURE_TABLES, type FixtureRow } from "./fixture-rows.ts";
import { partsIn } from "./parts-decode.ts";
import type { Region } from "./region-decode.ts";
import { codesOf } from "./region-twin.ts";

const NO_DAY = 511;
const DAY_MS = 86_400_000;

/** The rows of each list with their keys. The name of a list is its activity and state. */
export type CoverLists = Map<string, (readonly [row: number, key: number])[]>;

/** Bytes of COVER in a file, or null if it has none. */
export function coverIn(region: Region): Buffer | null {
  return partsIn(region).get("PNCOVERS") ?? null;
}

/** Returns the lists of COVER that have rows. */
export function coverLists(bytes: Buffer): CoverLists {
  const [version, activities, states, reserved] = [8, 12, 16, 20].map((at) =>
    bytes.readUInt32LE(at),
  ) as [number, number, number, number];
  assert.deepEqual([version, reserved], [1, 0]);
  const [length, starts, entries] = [24, 32, 40].map((at) => Number(bytes.readBigUInt64LE(at))) as [
    number,
    number,
    number,
  ];
  assert.deepEqual([length, starts % 64, entries % 64], [bytes.length, 0, 0]);
  const lists: CoverLists = new Map();
  let next = 0;
  for (let list = 0; list < activities * states; list++) {
    assert.equal(bytes.readUInt32LE(starts + 4 * list), next, "lists follow each other");
    const end = bytes.readUInt32LE(starts + 4 * (list + 1));
    const held: [number, number][] = [];
    for (; next < end; next++) {
      const at = entries + 8 * next;
      held.push([bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)]);
    }
    assert.ok(held.every(([row], i) => i === 0 || (held[i - 1]?.[0] as number) < row));
    if (held.length > 0) lists.set(`${Math.floor(list / states)}/${list % states}`, held);
  }
  assert.equal(entries + 8 * next, bytes.length);
  return lists;
}

/** The same lists, computed row by row. */
export function coveredRows(rows: readonly FixtureRow[]): CoverLists {
  const lists: CoverLists = new Map();
  rows.forEach((row, id) => {
    const activity = row.cnae_primary ?? FIXTURE_TABLES.cnae_primary.length;
    const name = `${activity}/${row.uf ?? FIXTURE_TABLES.uf.length}`;
    const flags = codesOf(row, "flag").filter((flag) => flag < 6);
    const low = flags.reduce((sum, flag) => sum + 2 ** flag, 0);
    const status = row.registration_status ?? 15;
    const size = row.company_size_code ?? 15;
    const year = codesOf(row, "started_year")[0] ?? 511;
    const key = low + status * 2 ** 6 + size * 2 ** 10 + year * 2 ** 14 + dayOf(row) * 2 ** 23;
    lists.set(name, [...(lists.get(name) ?? []), [id, key]]);
  });
  return lists;
}

/** Returns the lists of CITIES by activity, state, and municipality, or null if none. */
export function citiesIn(region: Region): CoverLists | null {
  const bytes = partsIn(region).get("PNCITIES");
  if (bytes === undefined) return null;
  const [version, activities, states, municipalities, runCount, entryCount] = [
    8, 12, 16, 20, 32, 36,
  ].map((at) => bytes.readUInt32LE(at)) as [number, number, number, number, number, number];
  const [length, ...offsets] = [24, 40, 48, 56, 64].map((at) => Number(bytes.readBigUInt64LE(at)));
  assert.deepEqual([version, length, municipalities], [1, bytes.length, CITIES + 1]);
  for (const at of offsets) assert.equal(at % 64, 0);
  const [statesOf, runStarts, runs, entries] = offsets as [number, number, number, number];
  const lists: CoverLists = new Map();
  const met = Array.from({ length: municipalities }, () => 0);
  let run = 0;
  for (let list = 0; list < activities * states; list++) {
    assert.equal(bytes.readUInt32LE(runStarts + 4 * list), run, "runs follow each other");
    const end = bytes.readUInt32LE(runStarts + 4 * (list + 1));
    for (let before = -1; run < end; run++) {
      const [city, first, , next] = [0, 4, 8, 12].map((at) =>
        bytes.readUInt32LE(runs + 8 * run + at),
      ) as [number, number, number, number];
      assert.ok(city > before && next > first, "municipalities rise, and have rows");
      before = city;
      met[city] = ((met[city] as number) | (1 << (list % states))) >>> 0;
      const held = Array.from({ length: next - first }, (_, i) => {
        const at = entries + 8 * (first + i);
        return [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)] as const;
      });
      assert.ok(held.every(([row], i) => i === 0 || (held[i - 1]?.[0] as number) < row));
      lists.set(`${Math.floor(list / states)}/${list % states}/${city}`, held);
    }
  }
  assert.deepEqual([run, entries + 8 * entryCount], [runCount, bytes.length]);
  assert.deepEqual(
    met,
    Array.from({ length: municipalities }, (_, city) => bytes.readUInt32LE(statesOf + 4 * city)),
  );
  return lists;
}

/** Computes the lists of CITIES row by row. */
export function cityRows(rows: readonly FixtureRow[]): CoverLists {
  const lists: CoverLists = new Map();
  for (const [name, held] of coveredRows(rows)) {
    for (const [row, key] of held) {
      const run = `${name}/${rows[row]?.municipality_ibge ?? CITIES}`;
      lists.set(run, [...(lists.get(run) ?? []), [row, key]]);
    }
  }
  return lists;
}

const CITIES = FIXTURE_TABLES.municipality_ibge.length;

function dayOf({ started_on: day }: FixtureRow): number {
  if (day === null) return NO_DAY;
  return day - Date.UTC(new Date(day * DAY_MS).getUTCFullYear(), 0, 1) / DAY_MS;
}
