/**
 * Decodes PLACES for tests. This part holds the number of accounts of each municipality for every
 * combination of frequent columns. Input: the region of a file, or its rows. Output: for each
 * table, the number of accounts by a readable name of the combination.
 * Invariant: written only from native-index/format/region/parts.h. Asserts the order and the
 * alignment that it specifies.
 */
import assert from "node:assert/strict";
import { FIXTURE_TABLES, type FixtureRow } from "./fixture-rows.ts";
import { partsIn } from "./parts-decode.ts";
import type { Region } from "./region-decode.ts";
import { codesOf } from "./region-twin.ts";
import type { Combinations } from "./rollup-decode.ts";

/** Offset of the first table's header, and length of each. */
const HEAD = 32;
const TABLE = 56;

/** Bytes of PLACES in a file, or null if it has none. */
export function placesIn(region: Region): Buffer | null {
  return partsIn(region).get("PNPLACES") ?? null;
}

/** Returns the counts of the tables in PLACES, with null for an omitted table. */
export function placesOf(bytes: Buffer): (Combinations[number] | null)[] {
  assert.equal(bytes.readUInt32LE(8), 1);
  assert.equal(Number(bytes.readBigUInt64LE(24)), bytes.length);
  return [0, 1].map((table) => tableAt(bytes, HEAD + TABLE * table));
}

function tableAt(bytes: Buffer, head: number): Combinations[number] | null {
  const places = [0, 8, 16, 24, 32].map((at) => Number(bytes.readBigUInt64LE(head + at)));
  for (const at of places) assert.equal(at % 64, 0, "arrays are aligned");
  const [blocks, names, lengths, keys, counts] = places as [number, number, number, number, number];
  const [count, runs, cells] = [40, 44, 48].map((at) => bytes.readUInt32LE(head + at));
  if (count === 0) return null;
  const found = new Map<string, number>();
  let run = 0;
  let cell = 0;
  for (let block = 0, last = -1; block < (count as number); block++) {
    const at = blocks + 12 * block;
    const [group, state] = [bytes.readUInt16LE(at), bytes.readUInt16LE(at + 2)];
    assert.ok(group * 65_536 + state > last, "blocks rise");
    last = group * 65_536 + state;
    assert.deepEqual(
      [4, 8].map((part) => bytes.readUInt32LE(at + part)),
      [run, cell],
    );
    for (let lastCell = -1; run < bytes.readUInt32LE(at + 16); run++) {
      const name = bytes.readUInt16LE(names + 2 * run);
      for (let left = bytes.readUInt8(lengths + run); left > 0; left--, cell++) {
        const key = bytes.readUInt16LE(keys + 2 * cell);
        assert.ok(name * 65_536 + key >= lastCell, "cells rise");
        lastCell = name * 65_536 + key;
        const one = `${group}/${state}/${name}/${key}`;
        found.set(one, (found.get(one) ?? 0) + bytes.readUInt8(counts + cell));
      }
    }
  }
  assert.deepEqual([run, cell], [runs, cells]);
  return found;
}

/** The same counts, computed row by row. */
export function countedPlaces(rows: readonly FixtureRow[]): Combinations {
  const tables: Combinations = [new Map(), new Map()];
  for (const row of rows) {
    const state = row.uf ?? FIXTURE_TABLES.uf.length;
    const name = row.municipality_ibge ?? FIXTURE_TABLES.municipality_ibge.length;
    const combined = codesOf(row, "flag").filter((flag) => flag < 6);
    const flags = combined.reduce((sum, flag) => sum + 2 ** flag, 0);
    const low =
      flags + (row.registration_status ?? 15) * 2 ** 6 + (row.company_size_code ?? 15) * 2 ** 10;
    const groups = [
      codesOf(row, "started_year")[0] ?? 511,
      row.cnae_primary ?? FIXTURE_TABLES.cnae_primary.length,
    ];
    groups.forEach((group, table) => {
      const counts = tables[table] as Map<string, number>;
      const one = `${group}/${state}/${name}/${low}`;
      counts.set(one, (counts.get(one) ?? 0) + 1);
    });
  }
  return tables;
}
