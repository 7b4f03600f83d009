/**
 * Two segments for tests of rendered rows, and their search results. One has hostile accounts, and
 * the other random accounts with dates and amounts at every limit.
 * Invariant: the files are deterministic, and `dispose` closes and removes them.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NativeSegment, openSegment } from "../../../native-index/napi/engine.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { type FixtureRow, randomRows } from "./fixture-rows.ts";
import { writeFixture } from "./region-fixture.ts";
import { hostileRows } from "./render-fixture.ts";
import type { Account } from "./rows-twin.ts";

/** Days around 0000, 0001, 1900, 9999, a leap day, and both limits of a column. */
const DAYS = [
  -719_529,
  -719_528,
  -719_163,
  -719_162,
  11_016,
  11_017,
  -25_509,
  -25_508,
  2_932_896,
  2_932_897,
  2 ** 31 - 1,
  -(2 ** 31) + 1,
];
/** Amounts in cents that a double cannot represent exactly, and the maximum. */
const CENTS = [10n ** 15n + 1n, 2n ** 53n + 1n, 10n ** 18n + 7n, 2n ** 63n - 1n, -1n, -123_456n];

/** Every field that the addon can render. */
export const ALL_FIELDS: readonly string[] = [
  ...new Set<string>([
    ...OUTPUT_FIELD_NAMES,
    "score_contactable",
    "score_newest",
    "score_established",
  ]),
];

/** Two opened segments. */
export interface RowFixtures {
  readonly hostile: NativeSegment;
  readonly random: NativeSegment;
  dispose(): void;
}

/** Writes and opens both segments. */
export async function openRowFixtures(): Promise<RowFixtures> {
  const folder = mkdtempSync(join(tmpdir(), "peneira-rows-"));
  const open = async (name: string, rows: readonly FixtureRow[]) => {
    const fixture = await writeFixture(join(folder, name), rows);
    return openSegment(fixture.path, fixture.directory);
  };
  const hostile = await open("hostile", hostileRows());
  const random = await open("random", randomRows(5, 3_000).map(atTheEdges));
  return {
    hostile,
    random,
    dispose() {
      hostile.close();
      random.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function atTheEdges(row: FixtureRow, i: number): FixtureRow {
  return {
    ...row,
    share_capital_cents:
      i % 40 === 0 ? (CENTS[(i / 40) % CENTS.length] as bigint) : row.share_capital_cents,
    registration_status_date:
      i % 50 === 0 ? (DAYS[(i / 50) % DAYS.length] as number) : row.registration_status_date,
  };
}

/** Accounts as a search shows them. */
export function accountsOf(
  segment: NativeSegment,
  rows: Uint32Array,
  fields: readonly string[],
): Account[] {
  return JSON.parse(Buffer.from(segment.renderJson(rows, fields)).toString());
}

/** Returns row ids in no order, some of them twice. */
export function someRows(segment: NativeSegment, count: number, dice: () => number): Uint32Array {
  return Uint32Array.from({ length: count }, () => Math.floor(dice() * segment.rowCount));
}
