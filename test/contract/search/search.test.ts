/**
 * Proves: for some random specs, the engine's answers equal those of a linear scan, in total,
 * order, `has_more`, and pages that join without a gap. Does not prove: more than a sample.
 * campaign/twin/engine.test.ts tests every method over several chunks of rows.
 */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { compare, dispose, makeSubject, type Subject, walk } from "../../support/engine.ts";
import { SEED } from "../../support/run/scale.ts";
import { randomSpec, seededRng } from "../../support/spec/random.ts";

const SPECS = 200;
const WALKS = 10;

let subject: Subject;
before(async () => {
  subject = await makeSubject(4_000, SEED % 1000);
});
after(() => dispose(subject));

it("searches like a linear scan", () => {
  const rng = seededRng(SEED + 9);
  let found = 0;
  for (let i = 0; i < SPECS; i++) {
    const spec = randomSpec(rng, subject.segment.catalog, subject.rows);
    compare(subject, spec);
    if (subject.twin.answer(spec).length > 0) found++;
  }
  assert.ok(found > SPECS / 5, `only ${found} of ${SPECS} specs had an answer`);
});

it("returns pages that join to a linear scan", () => {
  const rng = seededRng(SEED + 10);
  let pages = 0;
  for (let i = 0; i < WALKS; i++) {
    const spec = { ...randomSpec(rng, subject.segment.catalog, subject.rows), limit: 7 };
    pages += walk(subject, spec, 50);
  }
  assert.ok(pages > WALKS, `only ${pages} pages were walked`);
});
