/**
 * Compares two ways to exclude several lists of accounts: each list separately, or their union.
 * Measures in one process the time to make the union, and to count with 2, 5, 10, and 20 lists.
 * Each list has a tenth of all rows.
 * Corpus model: `peneira sample`. A list's rows are runs of rows and single rows, drawn from a
 * seed.
 * Command: npm run bench -- unions [--accounts 1000000] [--rounds 30]
 * Invariant: both ways give the same count, and alternate. No count is repeated, because the engine
 * caches counts.
 */
import { parseArgs } from "node:util";
import { type Clause, openRowList } from "../native-index/napi/engine.ts";
import { unionOf } from "../src/lists/listbinding.ts";
import { openSegment } from "../src/search/segment.ts";
import { portableBytes } from "../test/support/native-index/roaring-oracle.ts";
import { seededRng } from "../test/support/spec/random.ts";
import { formatRatio, formatUs } from "./measure.ts";
import { makeCorpus } from "./questions/corpus.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "30" },
  },
});
const rounds = Number(values.rounds);
const segment = await openSegment(makeCorpus(Number(values.accounts)).snapshot);
const rows = segment.accounts;
const random = seededRng(20_261_128);
const middle = (us: number[]) => us.sort((a, b) => a - b)[us.length >> 1] as number;

/** Makes a list of a tenth of all rows: half in runs of a hundred, half single. */
function makeList() {
  const held: number[] = [];
  const below = (most: number) => Math.floor(random() * most);
  for (let i = 0; i < rows / 2_000; i++) {
    const from = below(rows - 100);
    for (let row = from; row < from + 100; row++) held.push(row);
  }
  for (let i = 0; i < rows / 20; i++) held.push(below(rows));
  return openRowList(portableBytes(held));
}

const lists = Array.from({ length: 20 }, makeList);
/**
 * Returns clauses for the accounts that are in none of the lists and opened in a range of days. The
 * range is different in each round, so no count is cached.
 */
function clauses(of: readonly ReturnType<typeof makeList>[], round: number): Clause[] {
  const since: Clause = { kind: "range", column: "started_on", ranges: [[10_000 + round, 25_000]] };
  return [since, { kind: "rows", lists: of, negated: true }];
}

function timed(act: () => unknown): number {
  const from = performance.now();
  act();
  return (performance.now() - from) * 1000;
}

process.stdout.write("lists   union made   count each   count union   ratio\n");
for (const count of [2, 5, 10, 20]) {
  const some = lists.slice(0, count);
  const making: number[] = [];
  let union = await unionOf(some);
  for (let i = 0; i < 5; i++) {
    const from = performance.now();
    union = await unionOf(some);
    making.push((performance.now() - from) * 1000);
  }
  if (segment.native.count(clauses(some, 0)) !== segment.native.count(clauses([union], 0))) {
    throw new Error("the union counts otherwise");
  }
  const each: number[] = [];
  const joined: number[] = [];
  for (let i = 1; i <= rounds; i++) {
    each.push(timed(() => segment.native.count(clauses(some, i))));
    joined.push(timed(() => segment.native.count(clauses([union], i))));
  }
  const [one, other] = [middle(each), middle(joined)];
  const cells = [formatUs(middle(making)), formatUs(one), formatUs(other)];
  const line = cells.map((cell) => cell.padStart(12)).join(" ");
  process.stdout.write(`${String(count).padEnd(5)} ${line} ${formatRatio(one, other)}\n`);
}
segment.close();
