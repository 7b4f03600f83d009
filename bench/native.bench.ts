/**
 * Measures single calls of the native addon, without the planner, JSON.parse, or HTTP. Output: a
 * table with the median times of a first page, a deep page, a count, the two methods of sorting
 * ("walk" and "gather"), and rendering, on a synthetic segment.
 * Command: `npm run bench -- native [--rows 300000]`.
 * Invariant: no timed call is answered from the addon's cache of counts and match sets. Each call
 * adds another code that no row has, so the query is new and its result is the same.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import {
  type Clause,
  nativeVersions,
  openSegment,
  type SelectRequest,
} from "../native-index/napi/engine.ts";
import { randomRows } from "../test/support/native-index/fixture-rows.ts";
import { writeFixture } from "../test/support/native-index/region-fixture.ts";
import { formatUs, measure } from "./measure.ts";

type Posting = Extract<Clause, { kind: "posting" }>;
type Dimension = Posting["any"][number]["dimension"];

let unknown = 100_000;

function posting(dimension: Dimension, codes: number[], fresh = false): Clause {
  const all = fresh ? [...codes, unknown++] : codes;
  return { kind: "posting", any: [{ dimension, codes: Uint32Array.from(all) }], negated: false };
}

const three = (fresh = false) => [
  posting("cnae_primary", [3]),
  posting("uf", [2]),
  posting("registration_status", [2], fresh),
];
const sparse = (fresh = false) => [
  ...three(fresh),
  posting("municipality_ibge", [55]),
  posting("area_code", [99]),
];
const inLists = (fresh = false) => [
  posting(
    "cnae_primary",
    Array.from({ length: 20 }, (_, i) => i * 2),
  ),
  posting("municipality_tom", [1, 3, 5, 7, 9], fresh),
];
const words = (fresh = false): Clause[] => [
  { kind: "words", hints: [["ltda", "bar"], ["w1"]] },
  posting("flag", [0], fresh),
];
const dates = (fresh = false): Clause[] => [
  { kind: "range", column: "started_on", ranges: [[0, 10_000]] },
  posting("uf", [0, 1, 2], fresh),
];

const { values } = parseArgs({ options: { rows: { type: "string", default: "300000" } } });
const count = Number(values.rows);
const folder = mkdtempSync(path.join(tmpdir(), "peneira-bench-"));
const fixture = await writeFixture(path.join(folder, "segment"), randomRows(1, count));
const segment = openSegment(fixture.path, fixture.directory);
const out: string[] = [`${count} rows, ${JSON.stringify(nativeVersions())}`];

function report(name: string, call: () => unknown): void {
  const timing = measure(call);
  const extremes = `min ${formatUs(timing.min)}, p99 ${formatUs(timing.p99)}`;
  out.push(`${name.padEnd(44)} ${formatUs(timing.median).padStart(9)}   ${extremes}`);
}

function select(clauses: readonly Clause[], request: Partial<SelectRequest> = {}) {
  const base = { order: [], method: "rank", seed: 1n, afterRow: -1, limit: 50 } as const;
  return segment.select({ ...base, clauses, ...request });
}

const questions = { "3 filters": three, "5 filters": sparse, "20 x 5": inLists, words, dates };
for (const [name, clauses] of Object.entries(questions)) {
  const fixed = clauses();
  report(`first 50, ${name} (${segment.count(fixed)})`, () => select(fixed));
  const afterRow = Math.floor(count * 0.9);
  report(`50 behind row ${afterRow}, ${name}`, () => select(fixed, { afterRow }));
  report(`count, ${name}, not remembered`, () => segment.count(clauses(true)));
}
const byCapital = [{ key: "share_capital", descending: true }] as const;
const byName = [{ key: "legal_name", descending: false }] as const;
for (const order of [byCapital, byName, [{ key: "random", descending: false }] as const]) {
  const [{ key }] = order;
  report(`walk ${key}, first 50`, () => select(dates(true), { order, method: "walk" }));
  const rows = three();
  report(`gather ${key}, first 50, set remembered`, () =>
    select(rows, { order, method: "gather" }),
  );
}
const page = select(three()).rows;
const fields = ["cnpj", "legal_name", "uf", "municipality_ibge", "cnae_primary"];
report(`render ${page.length} rows x 5 fields`, () => segment.renderJson(page, fields));
report("select with limit 0 (cost of the call)", () => select([], { limit: 0 }));
segment.close();
rmSync(folder, { recursive: true });
process.stdout.write(`${out.join("\n")}\n`);
