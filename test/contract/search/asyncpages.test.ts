/**
 * Proves: queries that run on another thread return the same bytes as queries in this thread, for
 * pages, pages of companies, totals, and facets of random specs with long lists. Ordinary queries
 * stay in this thread. Too many waiting queries are refused. Damage is reported as usual.
 * Does not prove: that the other thread is worthwhile (bench/worst.bench.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AppError } from "../../../src/errors.ts";
import { suggest } from "../../../src/search/finding.ts";
import {
  countMatches,
  counts as countNow,
  countsAsync,
  facets,
  page,
  pageAsync,
  search,
} from "../../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { FACETS, isTimeFacet } from "../../../src/spec/facets.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { contextWith } from "../../support/spec/catalog.ts";
import { randomSpec, seededRng } from "../../support/spec/random.ts";
import type { TwinRow } from "../../support/twin.ts";

const FIELDS = ["cnpj", "legal_name", "postal_code", "score"];

/** Facets whose counts one turn of the event loop converts. */
const FEW_FACETS = FACETS.filter((name) => !isTimeFacet(name) && !/^cnae_[dgc]/.test(name));

describe("asynchronous queries", () => {
  let made: SampleSnapshot;
  let segment: Segment;
  let rows: readonly TwinRow[];
  before(async () => {
    made = await makeSampleSnapshot(2_500, 21);
    segment = await openSegment(made.snapshot);
    rows = decodeSnapshot(made.snapshot).rows;
  });
  after(() => {
    segment.close();
    made.dispose();
  });

  /** Returns a random spec with hundreds of postal code prefixes, some of which match accounts. */
  function longSpec(random: () => number): AccountQuerySpec {
    const spec = randomSpec(random, segment.catalog, rows);
    const prefixes = Array.from({ length: 900 }, () => {
      const digits = String(Math.floor(random() * 1e8)).padStart(8, "0");
      return digits.slice(0, 4 + Math.floor(random() * 5));
    });
    const geo = { ...spec.filters.geo, postal_code_prefix_any_of: prefixes };
    const filters = random() < 0.5 ? { ...spec.filters, geo } : { geo };
    return normalizeSpec({ ...spec, filters }, contextWith({ catalog: segment.catalog })).spec;
  }

  it("return what the inline query returns", async () => {
    const random = seededRng(4);
    let found = 0;
    for (let round = 0; round < 90; round++) {
      const spec = longSpec(random);
      const onePerCompany = round % 3 === 0;
      const afterRow = round % 4 === 0 ? Math.floor(random() * 2_000) : -1;
      const request = { spec, fields: FIELDS, afterRow, explain: false, onePerCompany };
      const prepared = await pageAsync(segment, request, FACETS);
      assert.ok(prepared !== null);
      const counts = await countsAsync(segment, spec, FACETS);
      segment.native.dropCaches();
      const expected = search(segment, request);
      const counted = facets(segment, spec, FACETS);
      assert.deepEqual(search(segment, { ...request, prepared }), expected);
      const query = { ...request, facets: FACETS, room: { memory: new Uint8Array(9_000), at: 0 } };
      const later = page(segment, query, "");
      assert.ok(later instanceof Promise);
      const { plan: _, ...known } = expected;
      const { plan: __, ...answered } = await later;
      assert.deepEqual(answered, { ...known, facets: counted });
      assert.deepEqual(prepared.facets, counted);
      assert.deepEqual(counts, { total: countMatches(segment, spec), facets: counted });
      found += expected.count;
    }
    assert.ok(found > 500, `${found} accounts`);
  });

  it("are not used for an ordinary query", () => {
    const spec = { filters: { geo: { uf_any_of: ["SP"] } }, sort: [], limit: 50 };
    const context = contextWith({ catalog: segment.catalog });
    const ordinary = normalizeSpec(spec, context).spec;
    assert.equal(pageAsync(segment, { spec: ordinary, afterRow: -1 }, FEW_FACETS), null);
    assert.equal(countsAsync(segment, ordinary, null), null);
    const request = { spec: ordinary, fields: FIELDS, afterRow: -1, explain: false };
    const { plan: _, ...found } = search(segment, request);
    const counted = facets(segment, ordinary, FEW_FACETS);
    const now = page(segment, { ...request, facets: FEW_FACETS }, "");
    assert.ok(!(now instanceof Promise), "an ordinary page is there at once");
    const { plan: __, ...answered } = now;
    assert.deepEqual(answered, { ...found, facets: counted });
    const both = { total: found.total, facets: counted };
    assert.deepEqual(countNow(segment, ordinary, FEW_FACETS, ""), both);
    assert.deepEqual(countNow(segment, ordinary, null, ""), { total: found.total, facets: null });
  });

  it("are used for facets with more values than one turn converts", async () => {
    const spec = { filters: { geo: { uf_any_of: ["SP"] } }, sort: [], limit: 50 };
    const { spec: query } = normalizeSpec(spec, contextWith({ catalog: segment.catalog }));
    const counted = countNow(segment, query, FACETS, "");
    assert.ok(counted instanceof Promise);
    assert.deepEqual((await counted).facets, facets(segment, query, FACETS));
  });

  it("are used for a page in another order whose walk meets too many rows", async () => {
    const spec = {
      filters: { geo: { uf_any_of: ["SP"] } },
      sort: [{ field: "legal_name", direction: "asc" }],
      limit: 1,
    };
    const { spec: query } = normalizeSpec(spec, contextWith({ catalog: segment.catalog }));
    const request = { spec: query, fields: FIELDS, afterRow: -1, explain: false };
    const { plan: _, ...found } = search(segment, request);
    const question = { ...request, facets: FEW_FACETS };
    const counted = facets(segment, query, FEW_FACETS);
    assert.ok(!(page(segment, question, "") instanceof Promise), "a short walk is there at once");
    const select: Segment["native"]["select"] = ({ meetMax = 0, ...wanted }) =>
      meetMax === 0
        ? segment.native.select(wanted)
        : { ...segment.native.select({ ...wanted, limit: 0 }), gaveUp: true };
    const long = { ...segment, native: { ...segment.native, select } };
    const later = page(long, question, "");
    assert.ok(later instanceof Promise, "a long walk is found off the main thread");
    const { plan: __, ...answered } = await later;
    assert.deepEqual(answered, { ...found, facets: counted });
  });

  it("are used for a query estimated to scan 250,000 rows and cells", async () => {
    const spec = { filters: { geo: { uf_any_of: ["SP"] } }, sort: [], limit: 50 };
    const { spec: request } = normalizeSpec(spec, contextWith({ catalog: segment.catalog }));
    const withWork = (accounts: number, work: number): Segment => {
      const count: Segment["native"]["count"] = (clauses) => segment.native.count(clauses);
      const native = { ...segment.native, count, facetsWorkMax: () => work };
      return { ...segment, accounts, native };
    };
    assert.equal(countsAsync(withWork(72_000_000, 249_999), request, ["municipality"]), null);
    assert.equal(countsAsync(withWork(100_000, 250_000), request, ["municipality"]), null);
    const aside = await countsAsync(withWork(72_000_000, 250_000), request, ["municipality"]);
    const counted = facets(segment, request, ["municipality"]);
    assert.deepEqual(aside, { total: countMatches(segment, request), facets: counted });
  });

  it("are used for a page or count of possibly many matches without precomputed sums", async () => {
    const spec = {
      filters: { geo: { uf_any_of: ["SP"] }, company: { share_capital_min: 1_000 } },
      sort: [],
      limit: 50,
    };
    const { spec: query } = normalizeSpec(spec, contextWith({ catalog: segment.catalog }));
    const bounds: (number | undefined)[] = [];
    const count: Segment["native"]["count"] = (clauses, most) => {
      bounds.push(most);
      return most === undefined ? segment.native.count(clauses) : -1;
    };
    const large = { ...segment, accounts: 250_000, native: { ...segment.native, count } };
    const request = { spec: query, fields: FIELDS, afterRow: -1, explain: false };
    const { plan: _, ...found } = search(segment, request);
    const later = page(large, { ...request, facets: null }, "");
    assert.ok(later instanceof Promise);
    const { plan: __, ...answered } = await later;
    assert.deepEqual(answered, { ...found, facets: null });
    const total = countNow(large, query, null, "");
    assert.ok(total instanceof Promise);
    assert.deepEqual(await total, { total: found.total, facets: null });
    assert.deepEqual([...new Set(bounds)], [250_000]);
  });

  it("are rejected beyond a tenant's queue limit, and accepted again afterwards", async () => {
    const spec = longSpec(seededRng(6));
    const many = Array.from({ length: 64 }, () => countsAsync(segment, spec, null));
    const isRefusal = (error: unknown) =>
      error instanceof AppError && error.code === "rate_limited";
    await assert.rejects(countsAsync(segment, spec, null) as Promise<unknown>, isRefusal);
    const totals = await Promise.all(many);
    assert.equal(new Set(totals.map((one) => one?.total)).size, 1);
    assert.ok((await countsAsync(segment, spec, null)) !== null);
  });

  it("are scheduled fairly, not after sixty of another tenant", async () => {
    const spec = longSpec(seededRng(6));
    const ended: string[] = [];
    const count = async (tenantId: string) => {
      await countsAsync(segment, spec, null, tenantId);
      ended.push(tenantId);
    };
    await Promise.all([...Array.from({ length: 60 }, () => count("many")), count("one")]);
    assert.ok(ended.indexOf("one") <= 1, ended.join());
    const contacts = { phone: true, email: true };
    const wanted = { text: "a", uf: null, limit: 10, fields: ["cnpj"], contacts };
    ended.length = 0;
    const find = async (tenantId: string) => {
      await suggest(segment, wanted, tenantId);
      ended.push(tenantId);
    };
    await Promise.all([...Array.from({ length: 60 }, () => find("many")), find("one")]);
    assert.ok(ended.indexOf("one") <= 1, ended.join());
  });

  it("return the error of a damaged snapshot", async () => {
    const spec = longSpec(seededRng(7));
    const damage = Object.assign(new Error("block 7"), { code: "SNAPSHOT_DAMAGED" });
    const native = { ...segment.native, countAsync: () => Promise.reject(damage) };
    const failing = countsAsync({ ...segment, native }, spec, null);
    await assert.rejects(failing as Promise<unknown>, { code: "snapshot_unavailable" });
  });
});
