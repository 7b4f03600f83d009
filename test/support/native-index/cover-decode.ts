/**
 * COVER as its drawing says, for tests. What comes in: the region of a file, or its rows. What goes
 * out: the rows of every list, each with its key.
 * Invariant: written from native-index/format/region/parts.h alone; the order and the alignment
 * that are drawn there are asserted on the way.
 */
import assert from "node:assert/strict";
import { FIXTURE_TABLES, type FixtureRow } from "./fixture-rows.ts";
import { partsIn } from "./parts-decode.ts";
import type { Region } from "./region-decode.ts";
import { codesOf } from "./region-twin.ts";

const NO_DAY = 511;
const DAY_MS = 86_400_000;

/** Rows and keys by activity and state. */
export type CoverLists = Map<string, (readonly [row: number, key: number])[]>;

/** COVER of a file, or null where it has none. */
export function coverIn(region: Region): Buffer | null {
  return partsIn(region).get("PNCOVERS") ?? null;
}

/** Its lists that have rows. */
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

/** The same, made row by row. */
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

function dayOf({ started_on: day }: FixtureRow): number {
  if (day === null) return NO_DAY;
  return day - Date.UTC(new Date(day * DAY_MS).getUTCFullYear(), 0, 1) / DAY_MS;
}
