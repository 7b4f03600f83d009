/**
 * Decodes ROLLUP for tests. This part holds the number of accounts for every combination of
 * low-cardinality columns. Input: the region of a file, or its rows. Output: for each table, the
 * number of accounts by a readable name of the combination.
 * Invariant: written only from native-index/format/region/parts.h. Asserts the order and the
 * alignment that it specifies.
 */
import assert from "node:assert/strict";
import { FIXTURE_TABLES, type FixtureRow } from "./fixture-rows.ts";
import { partsIn } from "./parts-decode.ts";
import type { Region } from "./region-decode.ts";
import { codesOf } from "./region-twin.ts";

/**
 * How the tables group activities, in table order. Each grouping has a table with the opening year
 * and one without.
 */
const GROUPINGS = ["activity", "division", "all"] as const;

/** Number of the last table, which has all activities by municipality, without the year. */
const MUNICIPALITY = 6;

/** For every table, the number of accounts of each combination of values. */
export type Combinations = Map<string, number>[];

/** Bytes of ROLLUP in a file, or null if it has none. */
export function rollupIn(region: Region): Buffer | null {
  return partsIn(region).get("PNROLLUP") ?? null;
}

/** Its tables' counts. */
export function combinationsOf(bytes: Buffer): Combinations {
  const number = (at: number) => bytes.readUInt32LE(at);
  const long = (at: number) => Number(bytes.readBigUInt64LE(at));
  const [version, activities, states, divisions] = [8, 12, 16, 20].map(number);
  assert.equal(version, 2);
  assert.equal(long(24), bytes.length);
  const groups = [activities, divisions, 1, number(32)] as number[];
  return [0, 1, 2, 3, 4, 5, 6].map((table) => {
    const place = 40 + 32 * table;
    // The keys of the municipality table contain the state, so that table has only one start per
    // municipality.
    const parts = table === MUNICIPALITY ? 1 : (states as number);
    const [starts, keys, counts] = [0, 8, 16].map((at) => long(place + at)) as [
      number,
      number,
      number,
    ];
    for (const at of [starts, keys, counts]) assert.equal(at % 64, 0, "arrays are aligned");
    assert.equal(number(place + 24), groups[table >> 1]);
    const found = new Map<string, number>();
    for (let group = 0; group < (groups[table >> 1] as number); group++) {
      for (let state = 0; state < parts; state++) {
        const at = starts + 4 * (group * parts + state);
        for (let cell = number(at), last = -1; cell < number(at + 4); cell++) {
          const key = number(keys + 4 * cell);
          assert.ok(key > last, "keys rise");
          last = key;
          found.set(`${group}/${state}/${key}`, number(counts + 4 * cell));
        }
      }
    }
    assert.equal(number(place + 28), found.size);
    return found;
  });
}

/** The same counts, computed row by row. */
export function countedCombinations(rows: readonly FixtureRow[]): Combinations {
  const names = FIXTURE_TABLES.cnae_primary.map((code) => code.slice(0, 2));
  const divisions = [...new Set(names)];
  const tables: Combinations = Array.from({ length: 7 }, () => new Map<string, number>());
  const add = (table: number, name: string) => {
    const counts = tables[table] as Map<string, number>;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  for (const row of rows) {
    const activity = row.cnae_primary ?? FIXTURE_TABLES.cnae_primary.length;
    const division =
      row.cnae_primary === null
        ? divisions.length
        : divisions.indexOf(names[row.cnae_primary] as string);
    const state = row.uf ?? FIXTURE_TABLES.uf.length;
    // Combinations contain only the first six flags. The later flags have only posting lists.
    const combined = codesOf(row, "flag").filter((flag) => flag < 6);
    const flags = combined.reduce((sum, flag) => sum + 2 ** flag, 0);
    const low =
      flags + (row.registration_status ?? 15) * 2 ** 6 + (row.company_size_code ?? 15) * 2 ** 10;
    const year = codesOf(row, "started_year")[0] ?? 511;
    GROUPINGS.forEach((grouping, i) => {
      const group = { activity, division, all: 0 }[grouping];
      for (const [table, key] of [
        [2 * i, low + year * 2 ** 14],
        [2 * i + 1, low],
      ] as const) {
        add(table, `${group}/${state}/${key}`);
      }
    });
    const municipality = row.municipality_ibge ?? FIXTURE_TABLES.municipality_ibge.length;
    add(MUNICIPALITY, `${municipality}/0/${low + state * 2 ** 23}`);
  }
  return tables;
}
