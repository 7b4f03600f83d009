/**
 * Proves, with seeded random queries compared with a slow model: the response cache returns only
 * the response that was stored for the same body, tenant, plan, and snapshot. The cache never
 * exceeds its bytes, and it evicts the least recently used response first. It returns nothing for a
 * damaged snapshot, and a newly served snapshot clears it. A cache of 0 bytes stores and counts
 * nothing.
 * The repeat detector recognizes a body that the same sender sent before, but not one that another
 * sender sent. It remembers hundreds of bodies among thousands, in constant memory.
 * Does not prove that cached answers equal computed ones (contract/http/api/cachedpages.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Plan } from "../../../../src/access/plans.ts";
import {
  ENTRY_BYTES,
  RepeatDetector,
  ResponseCache,
} from "../../../../src/http/server/responsecache.ts";
import { fakeSegment, poison } from "../../../support/http/fake.ts";
import { SEED } from "../../../support/run/scale.ts";
import { Draw, seededRng } from "../../../support/spec/random.ts";

const PLANS = ["free", "scale"].map((name) => ({ name }) as unknown as Plan);

/** Unchanged lists. */
const CURRENT = () => true;

/**
 * Returns a query. Some queries concatenate to the same text and differ only in where one part ends
 * and the next begins.
 */
function questionOf(plan: Plan, tenantId: string, text: string) {
  return { plan, identity: { keyId: "k", tenantId, plan: plan.name }, body: Buffer.from(text) };
}

/** Returns a response whose text identifies the query that it belongs to. */
function responseOf(text: string, bytes: number) {
  const body = Buffer.from(text.padEnd(bytes, "."));
  return {
    bytes: body,
    headers: { ETag: "W/x" },
    accounts: 1,
    cost: 1,
    expensive: false,
    lists: null,
  };
}

describe("the response cache", () => {
  it("is a bounded LRU list like a slow model", () => {
    const most = 40_000;
    const draw = new Draw(seededRng(SEED));
    const memory = new ResponseCache(most);
    const segment = fakeSegment();
    memory.serve(segment);
    /** Names and sizes of the entries that the cache must have, least recently used first. */
    let model: { readonly name: string; readonly size: number }[] = [];
    let [hits, misses, left] = [0, 0, 0];
    for (let i = 0; i < 20_000; i++) {
      const [plan, tenant] = [draw.of(PLANS), draw.of(["1", "11", "2"])];
      const text = draw.of(["", "1", "1:1", "a".repeat(200)]) + "b".repeat(draw.below(6));
      const name = JSON.stringify([plan.name, tenant, text]);
      const question = questionOf(plan, tenant, text) as never;
      const found = memory.find(question, segment, "e", CURRENT);
      const known = model.find((one) => one.name === name);
      assert.equal(found === null, known === undefined, name);
      if (found !== null && known !== undefined) {
        hits++;
        assert.equal(Buffer.from(found.bytes).toString().replace(/\.*$/, ""), name);
        model = [...model.filter((one) => one !== known), known];
      } else {
        misses++;
        const response = responseOf(name, draw.of([300, 3_000, 9_000, 50_000]));
        const key = 2 + 2 + plan.name.length + 2 + tenant.length + text.length;
        const size = response.bytes.length + key + ENTRY_BYTES;
        memory.put(question, segment, "e", response);
        if (size <= most) model.push({ name, size });
        while (model.reduce((sum, one) => sum + one.size, 0) > most) {
          model.shift();
          left++;
        }
      }
      assert.equal(
        memory.bytes,
        model.reduce((sum, one) => sum + one.size, 0),
      );
      assert.ok(memory.bytes <= most);
    }
    assert.deepEqual([memory.hits, memory.misses], [hits, misses]);
    assert.ok(hits > 1_000 && left > 1_000, `${hits} found, ${left} have left`);
  });

  it("keeps the newer of two answers, once", () => {
    const memory = new ResponseCache(100_000);
    const segment = fakeSegment();
    memory.serve(segment);
    const question = questionOf(PLANS[0] as Plan, "t", "body") as never;
    memory.put(question, segment, "e", responseOf("older", 5_000));
    memory.put(question, segment, "e", responseOf("newer", 100));
    assert.equal(memory.bytes, 100 + "e:4:free1:tbody".length + ENTRY_BYTES);
    assert.match(String(memory.find(question, segment, "e", CURRENT)?.bytes), /^newer/);
  });

  it("returns nothing for a snapshot that is damaged or no longer served", () => {
    const memory = new ResponseCache(100_000);
    const question = questionOf(PLANS[0] as Plan, "t", "body") as never;
    const [older, newer] = [fakeSegment("2026-09"), fakeSegment("2026-10")];
    memory.put(question, older, "e", responseOf("before", 100));
    assert.equal(memory.bytes, 0, "nothing is kept before anything is served");
    memory.serve(older);
    memory.put(question, older, "e", responseOf("older", 100));
    assert.equal(memory.find(question, newer, "e", CURRENT), null);
    memory.serve(newer);
    assert.equal(memory.bytes, 0);
    assert.equal(memory.find(question, older, "e", CURRENT), null);
    memory.put(question, older, "e", responseOf("late", 100));
    assert.equal(memory.bytes, 0, "an answer that was long under way is of the one before");
    memory.put(question, newer, "e", responseOf("newer", 100));
    assert.ok(memory.find(question, newer, "e", CURRENT) !== null);
    poison(newer);
    assert.equal(memory.find(question, newer, "e", CURRENT), null);
    memory.serve(null);
    assert.equal(memory.bytes, 0);
  });

  it("returns a page with lists only while these are unchanged", () => {
    const memory = new ResponseCache(100_000);
    const segment = fakeSegment();
    memory.serve(segment);
    const question = questionOf(PLANS[0] as Plan, "t", "body") as never;
    const lists = { spec: {} as never, bound: "[1]" };
    memory.put(question, segment, "e", { ...responseOf("page", 100), lists });
    assert.equal(
      memory.find(question, segment, "e", ({ bound }) => bound === "[2]"),
      null,
    );
    assert.notEqual(
      memory.find(question, segment, "e", ({ bound }) => bound === "[1]"),
      null,
    );
    assert.equal(memory.find(question, segment, "other", CURRENT), null, "another route");
    assert.deepEqual([memory.hits, memory.misses], [1, 2]);
  });

  it("caches and counts nothing with a size of zero", () => {
    const memory = new ResponseCache(0);
    const segment = fakeSegment();
    memory.serve(segment);
    const question = questionOf(PLANS[0] as Plan, "t", "body") as never;
    memory.put(question, segment, "e", responseOf("", 0));
    assert.equal(memory.find(question, segment, "e", CURRENT), null);
    assert.deepEqual([memory.on, memory.bytes, memory.hits, memory.misses], [false, 0, 0, 0]);
  });
});

const body = (text: string) => new Uint8Array(Buffer.from(text));

describe("repeated bodies", () => {
  it("are recognized by the same bytes of the same sender", () => {
    const seen = new RepeatDetector();
    for (const text of ["", "a", "ab", "ba"]) {
      assert.equal(seen.cameBefore(body(text), "one"), false, text);
      assert.equal(seen.cameBefore(body(text), "one"), true, text);
      assert.equal(seen.cameBefore(body(text), "other"), false, text);
    }
  });

  it("are remembered for a while among others, and finally forgotten", () => {
    const seen = new RepeatDetector();
    const texts = Array.from({ length: 300 }, (_, at) => `{"spec":${at}}`);
    for (const text of texts) seen.cameBefore(body(text), "one");
    for (let at = 0; at < 1_000; at++) seen.cameBefore(body(`another ${at}`), "one");
    const known = texts.filter((text) => seen.cameBefore(body(text), "one")).length;
    assert.ok(known >= 290, `${known} of 300`);
    for (let at = 0; at < 200_000; at++) seen.cameBefore(body(`${at}`), "one");
    const left = texts.filter((text) => seen.cameBefore(body(text), "one")).length;
    assert.ok(left <= 3, `${left} of 300`);
  });
});
