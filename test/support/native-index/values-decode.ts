/**
 * Decodes VALUES as specified in native-index/format/region/values.h, for tests. This part holds
 * one list of rows for every value of certain columns (axes). Input: the region of a file. Output:
 * the rows of every list, by axis and code, and the clause that each list must match.
 * Invariant: shares no code with the addon, and the `roaring` package reads the lists.
 */
import assert from "node:assert/strict";
import type { DimensionName } from "../../../native-index/format/columns.ts";
import type { Clause } from "../../../native-index/napi/engine.ts";
import { partsIn } from "./parts-decode.ts";
import type { Region } from "./region-decode.ts";
import { portableRows } from "./roaring-oracle.ts";

/** The axes in file order. */
const AXES = [
  "uf",
  "municipality_ibge",
  "registration_status",
  "company_size_code",
  "flag",
  "share_capital",
  "email_shared",
  "phone_shared",
  "establishments",
] as const;

/** A list of VALUES. */
export interface DecodedValues {
  readonly axis: (typeof AXES)[number];
  readonly code: number;
  readonly rows: readonly number[];
}

/** Returns every list of a file, also without rows, or null if the file has no VALUES. */
export function valuesIn(region: Region): DecodedValues[] | null {
  const bytes = partsIn(region).get("PNVALUES");
  if (bytes === undefined) return null;
  const [version, axes, lists] = [8, 12, 16].map((at) => bytes.readUInt32LE(at));
  assert.deepEqual([version, axes], [1, AXES.length]);
  const [starts, entries] = [32, 40].map((at) => Number(bytes.readBigUInt64LE(at)));
  const startOf = (axis: number) => bytes.readUInt32LE(Number(starts) + 4 * axis);
  assert.equal(startOf(AXES.length), lists);
  return AXES.flatMap((axis, number) =>
    Array.from({ length: startOf(number + 1) - startOf(number) }, (_, code) => {
      const at = Number(entries) + 16 * (startOf(number) + code);
      const offset = Number(bytes.readBigUInt64LE(at));
      const [length, count] = [bytes.readUInt32LE(at + 8), bytes.readUInt32LE(at + 12)];
      const rows = length === 0 ? [] : portableRows(bytes.subarray(offset, offset + length));
      assert.deepEqual([offset % 8, rows.length], [0, count]);
      return { axis, code, rows };
    }),
  );
}

/** The bounds of the capital classes: round amounts in cents, from 0 to R$ 90 trillion. */
const ROUND = [
  0,
  ...Array.from({ length: 14 }, (_, decade) =>
    [1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9].map((step) => step * 100 * 10 ** decade),
  ).flat(),
];

/** Returns the lowest and the highest amount of a class, in cents. */
function capitalRange(code: number): [number, number] {
  const round = (code - 1) / 2;
  if (Number.isInteger(round)) return [Number(ROUND[round]), Number(ROUND[round])];
  const below = ROUND[round - 0.5];
  const above = ROUND[round + 0.5];
  return [
    below === undefined ? Number.MIN_SAFE_INTEGER : below + 1,
    above === undefined ? Number.MAX_SAFE_INTEGER : above - 1,
  ];
}

/** Returns the clause that selects the rows of a list. */
export function clauseOfValues({ axis, code }: DecodedValues): Clause {
  const ranges: [number, number][] = [[code, code]];
  switch (axis) {
    case "share_capital":
      return { kind: "range", column: "share_capital_cents", ranges: [capitalRange(code)] };
    case "phone_shared":
      return { kind: "range", column: "phone_1_shared", or: "phone_2_shared", ranges };
    case "email_shared":
    case "establishments":
      return { kind: "range", column: axis, ranges };
    default: {
      const dimension: DimensionName = axis;
      return { kind: "posting", any: [{ dimension, codes: Uint32Array.of(code) }], negated: false };
    }
  }
}
