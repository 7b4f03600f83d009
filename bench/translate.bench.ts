/**
 * How well and how fast sentences are translated.
 * Command: `npm run bench -- translate [--accounts 1000000] [--golden FILE] [--misses]`. What goes
 * out: recall, precision and coverage of the activities on a set of queries with acceptable codes,
 * beside the published figures of the best rival, and the time per sentence.
 * Invariant: the set is only measured, nothing is made from it; a prefix counts as the subclasses
 * below it, those with most active accounts first, as a person would be shown them; each query is
 * translated a hundred times and must give the same bytes.
 */
import { strict as assert } from "node:assert";
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { facets } from "../src/search/searcher.ts";
import { openSegment, type Segment } from "../src/search/segment.ts";
import { catalogLookup } from "../src/spec/catalog.ts";
import { DEFAULT_FIELDS } from "../src/spec/fields.ts";
import { normalizeSpec } from "../src/spec/normalize.ts";
import { translate } from "../src/translate/translate.ts";
import { makeCorpus } from "./corpus.ts";
import { formatUs } from "./measure.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    golden: { type: "string", default: "../shared/eval/golden_cnae.jsonl" },
    misses: { type: "boolean", default: false },
  },
});

const REPEATS = 100;

/** One query with every code that is right for it. */
interface Query {
  readonly query: string;
  readonly acceptable: readonly string[];
}

/** Published figures of the best rival on the same queries; its choice needs a language model. */
const RIVAL = { recall1: 0.758, recall5: 0.955, mrr: 0.831, precision: 0.849, coverage: 0.875 };

if (!existsSync(values.golden)) {
  process.stdout.write(`skipped: there is no ${values.golden}\n`);
  process.exit(0);
}
const queries = readFileSync(values.golden, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Query);
const segment = await openSegment(makeCorpus(Number(values.accounts)).snapshot);
const active = activeAccounts(segment);
const started = performance.now();
translate("padarias em MG", segment);
const firstMs = performance.now() - started;

const sums = { recall1: 0, recall5: 0, mrr: 0, precision: 0, coverage: 0 };
const times: number[] = [];
for (const { query, acceptable } of queries) {
  const first = JSON.stringify(translate(query, segment));
  for (let i = 0; i < REPEATS; i++) {
    const from = performance.now();
    const translation = translate(query, segment);
    times.push((performance.now() - from) * 1000);
    assert.equal(JSON.stringify(translation), first, `${query} varies`);
  }
  const codes = chosen(query);
  const rank = codes.findIndex((code) => acceptable.includes(code));
  const right = codes.filter((code) => acceptable.includes(code)).length;
  sums.recall1 += rank === 0 ? 1 : 0;
  sums.recall5 += rank >= 0 && rank < 5 ? 1 : 0;
  sums.mrr += rank < 0 ? 0 : 1 / (rank + 1);
  sums.precision += codes.length === 0 ? 0 : right / codes.length;
  sums.coverage += right / acceptable.length;
  if (values.misses && (rank !== 0 || right < codes.length)) {
    process.stderr.write(`${query}: ${codes.slice(0, 8).join(" ")}, not ${acceptable.join(" ")}\n`);
  }
}
times.sort((a, b) => a - b);
const at = (share: number) => times[Math.floor(share * (times.length - 1))] as number;
const rows = Object.entries(sums).map(([name, sum]) => {
  const rival = RIVAL[name as keyof typeof RIVAL].toFixed(3);
  return `${name.padEnd(10)} ${(sum / queries.length).toFixed(3)}   rival ${rival}`;
});
process.stdout.write(
  `${queries.length} queries, ${REPEATS} times each, the same bytes every time\n` +
    `${rows.join("\n")}\n` +
    `first sentence ${firstMs.toFixed(0)} ms, ` +
    `then p50 ${formatUs(at(0.5))}, p99 ${formatUs(at(0.99))}\n`,
);
segment.close();

/** Subclasses in the order in which a person would be shown them. */
function chosen(query: string): string[] {
  const lookup = catalogLookup(segment.catalog);
  const codes = translate(query, segment).activities.flatMap((found) =>
    found.codes.flatMap((code) => {
      const below = [...lookup.cnae(code)];
      return below.sort((a, b) => (active.get(b) ?? 0) - (active.get(a) ?? 0));
    }),
  );
  return [...new Set(codes)];
}

function activeAccounts(of: Segment): ReadonlyMap<string, number> {
  const { spec } = normalizeSpec(
    { filters: { company: { registration_status_any_of: [2] } } },
    {
      catalog: of.catalog,
      ...{ limitDefault: 1, limitCap: 1, mode: "search", fullAllowed: false },
      ...{ allowedFields: DEFAULT_FIELDS, defaultFields: DEFAULT_FIELDS },
    },
  );
  const counted = facets(of, spec, ["cnae_subclass"]).cnae_subclass?.values ?? [];
  return new Map(counted.map(({ value, count }) => [String(value), count]));
}
