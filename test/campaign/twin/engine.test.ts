/**
 * Proves: the engine answers seeded random specs exactly like a linear scan over the decoded rows:
 * the set, the order, the total, `has_more`, and pages joined over the limits 1, 7, 100, and
 * 50,000. The rows are in several chunks, each method is forced, and the file is reopened.
 * Does not prove: that the rows match the dump (ingest tests), nor anything about HTTP.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Method } from "../../../native-index/napi/engine.ts";
import { orderOf, plan } from "../../../src/search/plan.ts";
import { openSegment } from "../../../src/search/segment.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { compare, dispose, makeSubject, pageOf, type Subject, walk } from "../../support/engine.ts";
import { SEED, tries } from "../../support/run/scale.ts";
import { randomSpec, seededRng } from "../../support/spec/random.ts";
import type { TwinRow } from "../../support/twin.ts";

const SPECS = tries("engine specs");

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

  it("stores the rows in the twin's order", () => {
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

  it("joins pages of 1, 7, 100, and 50,000 to the complete answer", () => {
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

  it("returns the same rows with every method", () => {
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

  it("answers the same after reopening, from the cache too", async () => {
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

  it("renders every field as the independent reader decodes it", () => {
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

  it("orders by every sort field in both directions in some spec", () => {
    const rng = seededRng(SEED);
    const seen = new Set<string>();
    for (let i = 0; i < 2_000; i++) {
      const spec = randomSpec(rng, small.segment.catalog, small.rows);
      for (const { key, descending } of orderOf(spec)) seen.add(`${key} ${descending}`);
    }
    assert(seen.size >= 22, [...seen].join(", "));
  });
});
