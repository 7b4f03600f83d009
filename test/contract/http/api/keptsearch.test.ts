/**
 * Proves: a search is read anew until its body came twice from the same tenant, and is kept from
 * then on, with what it costs; of one that came once nothing is kept, however many there are; what
 * one tenant sent keeps nothing for another; what names lists is kept without what these hold.
 * Does not prove that answers are the same (search.test.ts, rememberedsearch.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  keptSearch,
  newlyKeptSearch,
  prepareSearch,
  type SearchRequest,
} from "../../../../src/http/api/search-request.ts";
import type { Question } from "../../../../src/http/server/service.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import type { AccountQuerySpec } from "../../../../src/spec/schema.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";

describe("a search request", () => {
  let made: SampleSnapshot;
  let segment: Segment;
  const plan = { fields: ["cnpj"], limits: { search_limit: 100 } };
  before(async () => {
    made = await makeSampleSnapshot(500, 23);
    segment = await openSegment(made.snapshot);
  });
  after(() => {
    segment.close();
    made.dispose();
  });

  /** What a list holds, or null where that takes a while to find out. */
  let held: { readonly revision: number } | null = { revision: 1 };
  const bound = new WeakMap<object, Map<number, AccountQuerySpec>>();

  /** As `ListedSpecs` does: the same for the same spec and revision. */
  function bindNow(_: string, __: Segment, spec: AccountQuerySpec): AccountQuerySpec | null {
    if (spec.filters.lists === undefined || held === null) return held === null ? null : spec;
    const known = bound.get(spec) ?? new Map<number, AccountQuerySpec>();
    bound.set(spec, known);
    const lists = { exclude: [`1@${held.revision}`] };
    const made = known.get(held.revision) ?? { ...spec, filters: { ...spec.filters, lists } };
    known.set(held.revision, made as AccountQuerySpec);
    return made as AccountQuerySpec;
  }

  function asked(text: string, tenantId = "one") {
    const paid: number[] = [];
    const question = {
      service: { listed: { bind: bindNow, boundNow: bindNow } },
      body: Buffer.from(text),
      plan,
      identity: { tenantId },
      spend: (units: number) => paid.push(units),
    } as unknown as Question<"listed">;
    return { question, paid };
  }

  /** What was known of it before, what is kept from now on, and what was paid. */
  function sent(text: string, tenantId = "one") {
    const { question, paid } = asked(text, tenantId);
    const known = keptSearch(question, segment);
    const request = known?.request ?? prepareSearch(question, segment).next().value;
    return { known, request, now: newlyKeptSearch(question), paid };
  }

  const specOf = (at: number) =>
    JSON.stringify({ spec: { filters: { company: { share_capital_min: at } } } });

  it("is kept when it came twice, and costs the same ever after", () => {
    const [first, second, third, fourth] = [1, 1, 1, 1].map((at) => sent(specOf(at)));
    assert.deepEqual([first?.known, first?.now], [null, null]);
    assert.equal(second?.known, null);
    assert.equal(second?.now?.request, second?.request);
    assert.equal(third?.known?.request, second?.request);
    assert.equal(third?.now, null, "it was kept before");
    assert.equal(fourth?.request, third?.request);
    for (const { paid } of [second, third, fourth] as (typeof first)[] & object[]) {
      assert.deepEqual(paid, first?.paid);
    }
    assert.notEqual(first?.request, second?.request, "the first one was kept nowhere");
  });

  it("is kept for nobody else", () => {
    for (let time = 0; time < 3; time++) sent(specOf(2));
    assert.equal(sent(specOf(2), "other").known, null);
    assert.equal(sent(specOf(2), "other").known, null);
    assert.notEqual(sent(specOf(2), "other").known, null);
  });

  it("is kept among thousands that come once", () => {
    for (let time = 0; time < 2; time++) sent(specOf(3));
    for (let at = 1_000; at < 3_000; at++) assert.equal(sent(specOf(at)).now, null);
    assert.notEqual(sent(specOf(3)).known, null);
  });

  it("is kept unbound where it names lists, and bound anew whenever these changed", () => {
    const lists = { exclude: [`lst_${"1".repeat(32)}`] };
    const text = JSON.stringify({ spec: { filters: { lists } } });
    const asks = () =>
      sent(text) as Omit<ReturnType<typeof sent>, "request"> & { request: SearchRequest };
    held = { revision: 1 };
    assert.deepEqual(
      [asks(), asks()].map(({ known, now }) => [known, now]),
      [
        [null, null],
        [null, null],
      ],
    );
    const [third, fourth] = [asks(), asks()];
    assert.ok(third.known !== null && third.now === null);
    assert.equal(fourth.request, third.request, "nothing changed");
    held = { revision: 2 };
    const fifth = asks();
    assert.notEqual(fifth.request.headers.ETag, third.request.headers.ETag);
    assert.deepEqual(fifth.paid, third.paid);
    held = null;
    assert.equal(keptSearch(asked(text).question, segment), null, "its rows are not at hand");
    held = { revision: 2 };
    assert.equal(asks().request, fifth.request);
  });
});
