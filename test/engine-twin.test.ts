/**
 * Proves: the engine answers seeded random specs exactly as a linear scan over the decoded rows
 * does: the set, the order, the total, `has_more`, and pages joined over the limits 1, 7, 100 and
 * 50,000, on several chunks of rows, with each method forced and after the file is opened anew.
 * Does not prove: that the rows are what the dump says (ingest tests), nor anything about HTTP.
 * PENEIRA_TWIN_SPECS=N asks more; PENEIRA_TWIN_SEED=S other ones.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Method } from "../native-index/napi/engine.ts";
import { orderOf, plan } from "../src/search/plan.ts";
import { search } from "../src/search/searcher.ts";
import { openSegment, type Segment } from "../src/search/segment.ts";
import { OUTPUT_FIELD_NAMES } from "../src/spec/fields.ts";
import type { AccountQuerySpec } from "../src/spec/schema.ts";
import { decodeSnapshot } from "./decode.ts";
import { randomSpec, seededRng } from "./random-spec.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "./sample-snapshot.ts";
import { Twin, type TwinRow } from "./twin.ts";

const SPECS = Number(process.env.PENEIRA_TWIN_SPECS ?? 2000);
const SEED = Number(process.env.PENEIRA_TWIN_SEED ?? 20_261_121);

/** A snapshot, its rows as a foreign reader decodes them, and the twin over them. */
interface Subject {
  readonly made: SampleSnapshot;
  readonly rows: readonly TwinRow[];
  readonly twin: Twin;
  segment: Segment;
}

async function makeSubject(accounts: number, seed: number): Promise<Subject> {
  const made = await makeSampleSnapshot(accounts, seed);
  const { rows } = decodeSnapshot(made.snapshot);
  return { made, rows, twin: new Twin(rows), segment: await openSegment(made.snapshot) };
}

function dispose(subject: Subject): void {
  subject.segment.close();
  subject.made.dispose();
}

/** CNPJs of one page, and what is known about the whole answer. */
function pageOf(segment: Segment, spec: AccountQuerySpec, afterRow: number) {
  const answer = search(segment, { spec, fields: ["cnpj"], afterRow, explain: false });
  const accounts = JSON.parse(Buffer.from(answer.accounts).toString()) as { cnpj: string }[];
  return { ...answer, cnpjs: accounts.map(({ cnpj }) => cnpj) };
}

/** Compares one page with the twin's complete answer; reports the spec when they differ. */
function compare(subject: Subject, spec: AccountQuerySpec): void {
  const expected = subject.twin.answer(spec);
  const page = pageOf(subject.segment, spec, -1);
  const told = () => JSON.stringify(spec);
  const cnpjs = expected.slice(0, spec.limit).map((row) => subject.twin.rows[row]?.cnpj);
  assert.equal(page.total, expected.length, `total of ${told()}`);
  assert.deepEqual(page.cnpjs, cnpjs, `page of ${told()}`);
  assert.equal(page.more, expected.length > spec.limit, `has_more of ${told()}`);
}

/** Walks all pages of a spec and compares their join with the twin. */
function walk(subject: Subject, spec: AccountQuerySpec, pagesMax: number): number {
  const expected = subject.twin.answer(spec);
  const joined: string[] = [];
  let afterRow = -1;
  let pages = 0;
  for (let more = true; more && pages < pagesMax; pages++) {
    const page = pageOf(subject.segment, spec, afterRow);
    joined.push(...page.cnpjs);
    ({ more, lastRow: afterRow } = page);
  }
  const cnpjs = expected.slice(0, joined.length).map((row) => subject.twin.rows[row]?.cnpj);
  assert.deepEqual(joined, cnpjs, `pages of ${JSON.stringify(spec)}`);
  if (pages < pagesMax) assert.equal(joined.length, expected.length);
  return pages;
}

describe("search equals a linear scan", () => {
  let small: Subject;
  let large: Subject;

  before(async () => {
    small = await makeSubject(4_000, SEED % 1000);
    large = await makeSubject(140_000, (SEED % 1000) + 1);
  });
  after(() => {
    dispose(small);
    dispose(large);
  });

  it("stores the rows in the order of the twin", () => {
    for (const { rows, twin } of [small, large]) {
      assert.deepEqual(
        rows.map(({ cnpj }) => cnpj),
        twin.rows.map(({ cnpj }) => cnpj),
      );
    }
  });

  it(`agrees on ${SPECS} random specs over one chunk`, () => {
    const rng = seededRng(SEED);
    let found = 0;
    for (let i = 0; i < SPECS; i++) {
      const spec = randomSpec(rng, small.segment.catalog, small.rows);
      compare(small, spec);
      if (pageOf(small.segment, spec, -1).total > 0) found++;
    }
    assert(found > SPECS / 5, `only ${found} of ${SPECS} specs had an answer`);
  });

  it("agrees on random specs over several chunks", () => {
    const rng = seededRng(SEED + 1);
    for (let i = 0; i < SPECS / 10; i++) {
      compare(large, randomSpec(rng, large.segment.catalog, large.rows));
    }
  });

  it("joins pages of 1, 7, 100 and 50,000 to the complete answer", () => {
    const rng = seededRng(SEED + 2);
    let pages = 0;
    for (let i = 0; i < SPECS / 20; i++) {
      const spec = randomSpec(rng, small.segment.catalog, small.rows);
      for (const limit of [1, 7, 100, 50_000]) pages += walk(small, { ...spec, limit }, 60);
    }
    assert(pages > SPECS / 4, `only ${pages} pages were walked`);
    const broad = randomSpec(rng, large.segment.catalog, large.rows);
    walk(large, { ...broad, limit: 50_000 }, 10);
  });

  it("gives the same rows whichever method answers", () => {
    const rng = seededRng(SEED + 3);
    for (let i = 0; i < SPECS / 10; i++) {
      const spec = randomSpec(rng, small.segment.catalog, small.rows);
      const { clauses, order, seed, matches } = plan(small.segment, spec);
      const afterRow = i % 3 === 0 ? -1 : Math.floor(rng() * small.rows.length);
      const { limit } = spec;
      const rows = (method: Method) => {
        const request = { clauses, order, seed, method, afterRow, limit };
        return [...small.segment.native.select(request).rows];
      };
      assert.deepEqual(rows("walk"), rows("gather"), `${matches} of ${JSON.stringify(spec)}`);
    }
  });

  it("answers the same after reopening, and remembered answers are right", async () => {
    const rng = seededRng(SEED + 4);
    const specs = Array.from({ length: 50 }, () =>
      randomSpec(rng, small.segment.catalog, small.rows),
    );
    const answers = () => specs.map((spec) => pageOf(small.segment, spec, -1).cnpjs);
    const first = answers();
    assert.deepEqual(answers(), first);
    small.segment.native.dropCaches();
    assert.deepEqual(answers(), first);
    small.segment.close();
    small.segment = await openSegment(small.made.snapshot);
    assert.deepEqual(answers(), first);
  });

  it("renders every field as the foreign reader decodes it", () => {
    const { segment, rows } = large;
    const ids = Uint32Array.from({ length: 3000 }, (_, i) => (i * 7919) % rows.length);
    const bytes = segment.native.renderJson(ids, OUTPUT_FIELD_NAMES);
    const text = Buffer.from(bytes).toString();
    const accounts = JSON.parse(text) as Record<string, unknown>[];
    assert.equal(JSON.stringify(accounts), text, "the text is what JSON.stringify would write");
    accounts.forEach((account, i) => {
      const row = rows[ids[i] as number] as TwinRow;
      for (const field of OUTPUT_FIELD_NAMES) {
        assert.deepEqual(account[field], row[field], `${field} of ${row.cnpj}`);
      }
    });
  });

  it("orders by every sort field both ways in some spec", () => {
    const rng = seededRng(SEED);
    const seen = new Set<string>();
    for (let i = 0; i < 2_000; i++) {
      const spec = randomSpec(rng, small.segment.catalog, small.rows);
      for (const { key, descending } of orderOf(spec)) seen.add(`${key} ${descending}`);
    }
    assert(seen.size >= 22, [...seen].join(", "));
  });
});
