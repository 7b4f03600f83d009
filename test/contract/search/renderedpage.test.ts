/**
 * Proves: for a page, one call of the addon that finds and renders it gives the same bytes as
 * separate calls that plan, find, collect, and render. This holds for random specs, fields, and
 * start rows, also when repeated, with other fields, on another snapshot, and after totals were
 * evicted. If a page needs several calls, the product makes several.
 * Does not prove: that either page is right (the suites of campaign/twin do).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { RenderedPageRequest } from "../../../native-index/napi/engine.ts";
import { renderedPage, type search, searchSliced } from "../../../src/search/searcher.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { dispose, makeSubject, type Subject } from "../../support/engine.ts";
import { randomSpec, seededRng } from "../../support/spec/random.ts";

/** The order in which rows are stored. */
const RANKED: Pick<AccountQuerySpec, "sort" | "scoring"> = {
  sort: [{ field: "score", direction: "desc" }],
  scoring: { strategy: "balanced", random_seed: null },
};

const WHOLE: RenderedPageRequest = {
  clauses: [],
  order: [{ key: "score", descending: true }],
  method: "rank",
  seed: 0n,
  afterRow: -1,
  limit: 1,
  fields: ["cnpj"],
};

describe("a rendered page", () => {
  let one: Subject;
  let other: Subject;
  before(async () => {
    one = await makeSubject(2_500, 21);
    other = await makeSubject(500, 3);
  });
  after(() => {
    dispose(one);
    dispose(other);
  });

  /** Returns the same page, made by separate calls. */
  function inParts({ segment }: Subject, request: Parameters<typeof search>[1]) {
    const { slices, ...rest } = searchSliced(segment, request);
    return { ...rest, count: slices.rowCount, accounts: slices.whole(), placed: -1 };
  }

  it("equals the page of several calls", () => {
    const random = seededRng(31);
    let whole = 0;
    let accounts = 0;
    for (let round = 0; round < 400; round++) {
      const made = randomSpec(random, one.segment.catalog, one.rows);
      const spec = random() < 0.7 ? { ...made, ...RANKED } : made;
      const fields = OUTPUT_FIELD_NAMES.filter(() => random() < 0.3);
      const afterRow = random() < 0.5 ? -1 : Math.floor(random() * one.rows.length);
      const request = { spec, fields, afterRow, explain: false, kept: random() < 0.7 };
      for (let again = 0; again < 2; again++) {
        const found = renderedPage(one.segment, request);
        if (found === null) continue;
        whole++;
        accounts += found.count;
        assert.deepEqual(found, inParts(one, request), JSON.stringify(spec));
        if (again === 0 && round % 3 === 0) one.segment.native.dropCaches();
      }
    }
    assert.ok(whole > 400 && accounts > 5_000, `${whole} pages, ${accounts} accounts`);
  });

  it("has the requested fields and the requested snapshot", () => {
    const spec = randomSpec(seededRng(1), one.segment.catalog, one.rows);
    const requested: AccountQuerySpec = { ...spec, ...RANKED };
    for (const subject of [one, other, one]) {
      for (const fields of [["cnpj"], ["uf", "cnpj"], ["cnpj"]]) {
        const request = { spec: requested, fields, afterRow: -1, explain: false, kept: true };
        assert.deepEqual(renderedPage(subject.segment, request), inParts(subject, request));
      }
    }
  });

  it("is the same in a given buffer with enough space, and changes nothing else", () => {
    const random = seededRng(8);
    const kinds = new Set<boolean>();
    const memory = new Uint8Array(64 * 1024);
    for (let round = 0; round < 200; round++) {
      const spec = { ...randomSpec(random, one.segment.catalog, one.rows), ...RANKED };
      const limit = random() < 0.5 ? 20 : 400;
      const request = { spec: { ...spec, limit }, fields: OUTPUT_FIELD_NAMES, afterRow: -1 };
      const copied = renderedPage(one.segment, request);
      const at = Math.floor(random() * 1_000);
      memory.fill(0);
      const placed = renderedPage(one.segment, { ...request, room: { memory, at } });
      assert.ok(copied !== null && placed !== null);
      const { placed: bytes } = placed;
      const end = bytes < 0 ? undefined : at + bytes;
      const accounts = bytes < 0 ? placed.accounts : Buffer.from(memory.subarray(at, end));
      assert.deepEqual({ ...placed, accounts, placed: -1 }, copied);
      const around = [memory.subarray(0, bytes < 0 ? memory.length : at), memory.subarray(end)];
      assert.ok(around.every((part) => bytes < 0 || part.every((byte) => byte === 0)));
      kinds.add(bytes < 0);
    }
    assert.deepEqual(kinds, new Set([true, false]), "some had no room");
  });

  it("rejects an offset outside the buffer", () => {
    for (const place of [9, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      const facts = Float64Array.of(0, 0, 0, 0, place);
      const call = () => one.segment.native.renderedPage(WHOLE, facts, new Uint8Array(8));
      assert.throws(call, /^TypeError: facts must tell a place in the room of 8 bytes$/);
    }
  });

  it("is not rendered for another order", () => {
    const spec = randomSpec(seededRng(5), one.segment.catalog, one.rows);
    const sort = [{ field: "started_on", direction: "asc" }] as const;
    const request = { spec: { ...spec, sort: [...sort] }, fields: ["cnpj"], afterRow: -1 };
    assert.equal(renderedPage(one.segment, request), null);
  });
});
