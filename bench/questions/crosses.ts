/**
 * Times exact counts of each pair of values of two facets, such as state and company size. Input: a
 * corpus or a snapshot. Output: for each filter and pair of facets, the median wall time and
 * processor time of a warm call, and the target time.
 * Invariant: the counts of each pair of facets add up to the number of matches before anything is
 * timed. Nothing is cached between calls. The target of a pair without precomputed counts is 50 ms
 * for 5 million accounts, 300 ms for 72 million, and linear between them.
 * Command: npm run bench -- facets --crosses [--accounts 5000000] [--snapshot FILE]
 */
import assert from "node:assert/strict";
import { countAll } from "../../src/search/cross.ts";
import { openSegment, type Segment } from "../../src/search/segment.ts";
import type { FacetPair } from "../../src/spec/facets.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../src/spec/fields.ts";
import { normalizeSpec } from "../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../src/spec/schema.ts";

const CALLS = 9;

const FILTERS = [
  { name: "all", filters: {} },
  { name: "state", filters: { geo: { uf_any_of: ["SP"] } } },
  {
    name: "state, e-mail, since 2020",
    filters: {
      ...{ geo: { uf_any_of: ["SP"] }, contact: { require_email: true } },
      company: { started_after: "2020-01-01" },
    },
  },
] as const;

const PAIRS: readonly FacetPair[] = [
  ["uf", "company_size"],
  ["municipality", "company_size"],
  ["municipality", "legal_nature"],
  ["legal_nature", "contact"],
  ["cnae_subclass", "started_year"],
];

/** Returns the target of a warm call in milliseconds. */
function targetOf({ accounts }: Segment): number {
  const share = Math.max(0, (accounts - 5_000_000) / 67_000_000);
  return 50 + share * 250;
}

function specOf({ catalog }: Segment, filters: object): AccountQuerySpec {
  return normalizeSpec(
    { filters },
    {
      ...{ catalog, limitDefault: 100, limitCap: 100, mode: "search", fullAllowed: false },
      ...{ allowedFields: OUTPUT_FIELD_NAMES, defaultFields: DEFAULT_FIELDS },
    },
  ).spec;
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number;
}

async function benchPair(segment: Segment, spec: AccountQuerySpec, pair: FacetPair) {
  const request = { names: [], pairs: [pair] };
  const { total, crosses } = await countAll(segment, spec, request);
  const sum = crosses[0]?.rows.reduce((all, { count }) => all + count, 0);
  assert.equal(sum, total, "the rows of a table add up to the matches");
  const wall: number[] = [];
  const processor: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const [from, used] = [performance.now(), processorMs()];
    await countAll(segment, spec, request);
    wall.push(performance.now() - from);
    processor.push(processorMs() - used);
  }
  return { wall: median(wall), processor: median(processor) };
}

/** Measures a snapshot; returns lines of text. */
export async function benchCrosses(snapshot: string): Promise<string> {
  const segment = await openSegment(snapshot);
  const target = targetOf(segment);
  const lines = [`${segment.accounts} accounts, target ${target.toFixed(0)} ms`];
  for (const { name, filters } of FILTERS) {
    const spec = specOf(segment, filters);
    for (const pair of PAIRS) {
      const { wall, processor } = await benchPair(segment, spec, pair);
      const verdict = wall <= target ? "" : "  slower than the target";
      const times = `${wall.toFixed(1)} ms, processor ${processor.toFixed(1)} ms`;
      lines.push(`${name} | ${pair.join(" x ")} | ${times}${verdict}`);
    }
  }
  segment.close();
  return `${lines.join("\n")}\n`;
}
