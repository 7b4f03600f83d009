/**
 * Proves: the rows of an export, in every mode for secondary activities, every sort, and every
 * limit, equal those of a linear scan, in order. The sizes of batches and of native calls change
 * nothing. An export may find matches by primary activities first and by secondary ones after that.
 * If its limit is reached before the second part, the matches of that part are not counted. The
 * number of visited rows is at most a small multiple of the rows in the snapshot. Explanations name
 * the activity that matched.
 * Does not prove how rows are written (export tests), nor that single pages are right
 * (campaign/twin/engine.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type {
  Clause,
  NativeSegment,
  SelectRequest,
  Work,
} from "../../../native-index/napi/engine.ts";
import { describePlans, phasesOf, planPhases } from "../../../src/search/plan.ts";
import { explainRows } from "../../../src/search/project.ts";
import { BATCH_ROWS, type ScrollSizes, scroll } from "../../../src/search/scroll.ts";
import { search } from "../../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { cnaeDigits } from "../../../src/spec/catalog.ts";
import {
  DEFAULT_FIELDS,
  OUTPUT_FIELD_NAMES,
  SCORING_STRATEGIES,
  SECONDARY_CNAE_MODES,
  SORT_DIRECTIONS,
  SORT_FIELDS,
} from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { SEED, tries } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { Draw, randomExportSpec, seededRng } from "../../support/spec/random.ts";
import { Twin, type TwinRow } from "../../support/twin.ts";

const SPECS = tries("scroll specs");

/** A limit above the number of rows in any answer of this suite. */
const EVERYTHING = 1_000_000;

/**
 * Sizes so small that an export of 4,000 rows takes many batches. It also takes several native
 * calls, each of which selects the rows of several batches.
 */
const SMALL: ScrollSizes = { batchRows: 60, selectRows: 250 };

interface Subject {
  readonly made: SampleSnapshot;
  readonly twin: Twin;
  readonly segment: Segment;
}

async function makeSubject(accounts: number, seed: number): Promise<Subject> {
  const made = await makeSampleSnapshot(accounts, seed);
  const { rows } = decodeSnapshot(made.snapshot);
  return { made, twin: new Twin(rows), segment: await openSegment(made.snapshot) };
}

/** Returns the spec of an export that has the given members. By default, it has no limit. */
function specOf({ segment }: Subject, input: object): AccountQuerySpec {
  return normalizeSpec(input, {
    catalog: segment.catalog,
    limitDefault: EVERYTHING,
    limitCap: EVERYTHING,
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: DEFAULT_FIELDS,
    mode: "export",
    fullAllowed: true,
  }).spec;
}

/** Returns the codes that a spec requests, as digits. */
function wantedOf(spec: AccountQuerySpec): Set<string> {
  return new Set(spec.filters.industry.cnae_any_of.map(cnaeDigits));
}

/**
 * Returns the most frequent activities. They are few, because the reference implementation tests
 * each of them for every row.
 */
function commonActivities({ twin }: Subject, count: number): string[] {
  const accounts = new Map<string, number>();
  for (const { cnae_primary: code } of twin.rows) {
    if (code !== null) accounts.set(String(code), (accounts.get(String(code)) ?? 0) + 1);
  }
  const codes = [...accounts].sort(([, left], [, right]) => right - left).map(([code]) => code);
  return codes.slice(0, count);
}

function primaryCount({ twin }: Subject, spec: AccountQuerySpec, answer: readonly number[]) {
  const wanted = wantedOf(spec);
  return answer.filter((row) => wanted.has(String(twin.rows[row]?.cnae_primary))).length;
}

/** Returns all rows that an export reads, and checks the reported numbers. */
function joined(segment: Segment, spec: AccountQuerySpec, sizes?: ScrollSizes): number[] {
  const answer = scroll(segment, spec, sizes);
  const { rowCount } = answer;
  const rows: number[] = [];
  for (const batch of answer.batches()) {
    assert.ok(batch.length >= 1 && batch.length <= (sizes?.batchRows ?? BATCH_ROWS));
    for (const row of batch) rows.push(row);
  }
  assert.equal(rows.length, rowCount);
  return rows;
}

/** Compares rows by the first difference, because a diff of thousands of rows takes minutes. */
function assertRows(rows: readonly number[], expected: readonly number[], message = ""): void {
  const at = rows.findIndex((row, i) => row !== expected[i]);
  assert.equal(at < 0 ? "" : `${rows[at]} at ${at}, not ${expected[at]}`, "", message);
  assert.equal(rows.length, expected.length, message);
}

/** Compares the rows that an export reads with the reference answer, which has no limit. */
function compare({ segment }: Subject, spec: AccountQuerySpec, complete: readonly number[]): void {
  const message = JSON.stringify(spec);
  assert.equal(scroll(segment, spec, SMALL).matches, complete.length, message);
  assertRows(joined(segment, spec, SMALL), complete.slice(0, spec.limit), message);
}

/** Sums of the work of all calls, and the clauses by which they counted and selected. */
interface Counted {
  readonly segment: Segment;
  readonly counted: Set<readonly Clause[]>;
  readonly selected: Set<readonly Clause[]>;
  selections: number;
  /** Number of rows that were tested one by one or compared by their sort keys. */
  met: number;
  gathered: number;
}

/** Returns a segment that records the work of its calls. */
function counting(segment: Segment): Counted {
  const { native } = segment;
  const watched: Pick<NativeSegment, "count" | "select" | "poisoned"> = {
    poisoned: () => native.poisoned(),
    count(clauses) {
      seen.counted.add(clauses);
      return native.count(clauses);
    },
    select(request: SelectRequest) {
      const selection = native.select(request);
      const { probes, gathered }: Work = selection.work;
      seen.selections++;
      seen.selected.add(request.clauses);
      seen.met += probes + gathered;
      seen.gathered += gathered;
      return selection;
    },
  };
  const seen: Counted = {
    segment: { ...segment, native: watched as NativeSegment },
    counted: new Set(),
    selected: new Set(),
    selections: 0,
    met: 0,
    gathered: 0,
  };
  return seen;
}

describe("scroll", () => {
  let small: Subject;
  let large: Subject;

  before(async () => {
    small = await makeSubject(4_000, 31);
    large = await makeSubject(140_000, 32);
  });
  after(() => {
    for (const { segment, made } of [small, large]) {
      segment.close();
      made.dispose();
    }
  });

  it(`agrees with a linear scan on ${SPECS} random exports, at and about every border`, () => {
    const rng = seededRng(SEED);
    const draw = new Draw(rng);
    const modes = new Map<string, number>();
    for (let i = 0; i < SPECS; i++) {
      const random = randomExportSpec(rng, small.segment.catalog, small.twin.rows);
      const spec = { ...random, limit: EVERYTHING };
      const complete = small.twin.answer(spec);
      const border = draw.of([0, primaryCount(small, spec, complete), complete.length, EVERYTHING]);
      const limit = Math.min(EVERYTHING, Math.max(1, border + draw.of([-1, 0, 1])));
      compare(small, { ...spec, limit }, complete);
      const mode = spec.filters.industry.secondary_cnae_mode;
      if (complete.length > 1) modes.set(mode, (modes.get(mode) ?? 0) + 1);
    }
    for (const mode of SECONDARY_CNAE_MODES) {
      assert.ok((modes.get(mode) ?? 0) > SPECS / 12, `${mode}: ${modes.get(mode)} answers`);
    }
  });

  it("agrees in every sort, direction, strategy, and mode, alone and before another key", () => {
    const activity = { cnae_any_of: commonActivities(small, 5) };
    for (const mode of SECONDARY_CNAE_MODES) {
      const filters = { industry: { ...activity, secondary_cnae_mode: mode } };
      for (const [position, field] of SORT_FIELDS.entries()) {
        for (const direction of SORT_DIRECTIONS) {
          const next = SORT_FIELDS[(position + 1) % SORT_FIELDS.length] as string;
          const further = { field: next, direction: SORT_DIRECTIONS[position % 2] };
          for (const sort of [[{ field, direction }], [{ field, direction }, further]]) {
            const scored = sort.some((key) => key.field === "score");
            for (const strategy of scored ? SCORING_STRATEGIES : ["balanced"]) {
              const scoring = { strategy, random_seed: strategy === "random" ? 7 : null };
              const spec = specOf(small, { filters, sort, scoring });
              compare(small, spec, small.twin.answer(spec));
            }
          }
        }
      }
    }
  });

  it("reads only as many rows of a fallback's second phase as needed", () => {
    const industry = { cnae_any_of: ["47"], secondary_cnae_mode: "fallback" };
    const spec = specOf(small, { filters: { industry } });
    const complete = small.twin.answer(spec);
    const first = primaryCount(small, spec, complete);
    assert.ok(first > 300 && complete.length > first + 100, `${first} of ${complete.length}`);
    for (const [limit, phases] of [
      [1, 1],
      [first - 1, 1],
      [first, 1],
      [first + 1, 2],
      [complete.length, 2],
      [EVERYTHING, 2],
    ] as const) {
      const seen = counting(small.segment);
      const limited = { ...spec, limit };
      assertRows(joined(seen.segment, limited, SMALL), complete.slice(0, limit));
      assert.equal(seen.counted.size, phases, `${limit} rows`);
      assert.equal(seen.selected.size, phases, `${limit} rows`);
    }
  });

  it("skips the second phase without an activity filter, but excludes secondary activities", () => {
    const industry = { cnae_exclude: ["47"], secondary_cnae_mode: "fallback" };
    const spec = specOf(small, { filters: { industry } });
    assert.equal(phasesOf(small.segment, spec).length, 1);
    const off = { industry: { ...industry, secondary_cnae_mode: "off" } };
    const complete = small.twin.answer(spec);
    assert.ok(complete.length < small.twin.answer(specOf(small, { filters: off })).length);
    compare(small, spec, complete);
  });

  it("returns the joined pages of the same search", () => {
    const rng = seededRng(SEED + 1);
    for (let i = 0; i < 60; i++) {
      const random = randomExportSpec(rng, small.segment.catalog, small.twin.rows);
      if (random.filters.industry.secondary_cnae_mode === "fallback") continue;
      const page = { ...random, limit: 170 };
      const rows: number[] = [];
      for (let more = true, afterRow = -1; more; ) {
        const request = { spec: page, fields: ["cnpj"], afterRow, explain: false };
        const answer = search(small.segment, request);
        for (const { cnpj } of JSON.parse(Buffer.from(answer.accounts).toString())) {
          rows.push(small.segment.native.findCnpj(cnpj));
        }
        ({ more, lastRow: afterRow } = answer);
      }
      assertRows(joined(small.segment, { ...random, limit: EVERYTHING }, SMALL), rows);
    }
  });

  it("agrees at its real sizes on 140,000 rows, three batches", () => {
    const sorts = [
      [],
      [{ field: "share_capital", direction: "desc" }],
      [
        { field: "company_size", direction: "asc" },
        { field: "started_on", direction: "desc" },
      ],
    ];
    for (const sort of sorts) {
      const spec = specOf(large, { sort });
      assertRows(joined(large.segment, spec), large.twin.answer(spec));
      assert.equal([...scroll(large.segment, spec).batches()].length, 3);
    }
    const activity = { cnae_any_of: commonActivities(large, 8), secondary_cnae_mode: "fallback" };
    const filters = { industry: activity };
    const spec = specOf(large, { filters, scoring: { random_seed: 3 } });
    const complete = large.twin.answer(spec);
    assert.ok(complete.length > BATCH_ROWS / 2, `${complete.length} rows`);
    assertRows(joined(large.segment, spec), complete);
  });

  it("visits every row once when sorted by one key, and a few times with several", () => {
    const sizes = { batchRows: 1_000, selectRows: 2_000 };
    const { accounts } = large.segment;
    for (const field of SORT_FIELDS) {
      for (const direction of SORT_DIRECTIONS) {
        const one = { field, direction };
        const uf = { geo: { uf_any_of: ["SP", "RJ", "MG", "RS", "PR"] } };
        for (const sort of [[one], [one, { field: "legal_name", direction: "asc" }]]) {
          if (sort.length > 1 && field === "legal_name") continue;
          const seen = counting(large.segment);
          joined(seen.segment, specOf(large, { filters: uf, sort }), sizes);
          const most = sort.length === 1 ? accounts * 1.1 : accounts * 7;
          assert.ok(seen.met <= most, `${JSON.stringify(sort)}: ${seen.met} rows met`);
        }
      }
    }
  });

  it("reads rows lazily, and can be consumed once", () => {
    const seen = counting(large.segment);
    const answer = scroll(seen.segment, specOf(large, {}), { batchRows: 100, selectRows: 5_000 });
    assert.equal(seen.counted.size, 0);
    const batches = answer.batches();
    assert.equal(seen.selections, 0);
    batches.next();
    batches.next();
    assert.equal(seen.selections, 2);
    batches.return();
    assert.equal(seen.selections, 2);
    assert.throws(() => answer.batches().next(), /read once/);
  });

  it("keeps the answers of one spec on two snapshots apart", () => {
    const industry = { cnae_any_of: ["4711302"], secondary_cnae_mode: "fallback" };
    const spec = specOf(small, { filters: { industry }, limit: 200 });
    for (const subject of [small, large, small, large]) {
      const expected = subject.twin.answer(spec).slice(0, 200);
      assertRows(joined(subject.segment, spec, SMALL), expected);
    }
  });

  it("explains which activity each row matched", () => {
    for (const mode of SECONDARY_CNAE_MODES) {
      const industry = { cnae_any_of: ["47", "5611"], secondary_cnae_mode: mode };
      const spec = specOf(small, { filters: { industry }, scoring: { strategy: "newest" } });
      const rows = joined(small.segment, spec, SMALL);
      const explained = explainRows(small.segment, spec, Uint32Array.from(rows));
      const wanted = wantedOf(spec);
      const expected = rows.map((row) => matchOf(small.twin.rows[row] as TwinRow, wanted));
      assert.deepEqual(
        explained.map(({ matched }) => matched.cnae),
        expected,
      );
      assert.deepEqual(
        explained.map(({ score }) => score),
        rows.map((row) => small.twin.rows[row]?.score_newest),
      );
      const secondary = expected.filter(({ as }) => as === "secondary").length;
      assert.equal(secondary > 100, mode !== "off", `${secondary} by secondary activities`);
      if (mode !== "fallback") continue;
      const border = expected.findIndex(({ as }) => as === "secondary");
      assert.ok(expected.slice(border).every(({ as }) => as === "secondary"));
    }
  });

  it("describes both phases of a fallback, and one phase without a heading", () => {
    const planText = (mode: string) => {
      const industry = { cnae_any_of: ["47"], secondary_cnae_mode: mode };
      return describePlans(planPhases(small.segment, specOf(small, { filters: { industry } })));
    };
    assert.match(
      planText("fallback"),
      /^phase {4}1\nmethod [\s\S]*\nphase {4}2\nmethod [\s\S]*cnae_secondary/,
    );
    assert.match(
      planText("full"),
      /^method [\s\S]*any of cnae_primary x \d+ or cnae_secondary x \d+$/,
    );
    assert.doesNotMatch(planText("off"), /phase|cnae_secondary/);
  });
});

/** Returns the activity by which an account matches: the primary one before secondary ones. */
function matchOf(account: TwinRow, wanted: ReadonlySet<string>) {
  const primary = String(account.cnae_primary);
  if (wanted.has(primary)) return { code: primary, as: "primary" };
  const secondary = (account.cnae_secondary ?? []) as readonly string[];
  return { code: secondary.find((code) => wanted.has(code)), as: "secondary" };
}
