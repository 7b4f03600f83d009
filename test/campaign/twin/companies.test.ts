/**
 * Proves: an answer with one account per company equals the linear scan's answer without repeated
 * companies. Specs are seeded random ones in every order, on data whose companies have many
 * branches. Joined pages of any size give this answer; each begins after the previous page's row,
 * and `more` is exact. The work for a page is proportional to its rows.
 * Does not prove: anything about HTTP (contract/http/api/leads.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ORDERS } from "../../../native-index/format/columns.ts";
import {
  type Clause,
  type NativeSegment,
  type OrderKey,
  openSegment as openNative,
} from "../../../native-index/napi/engine.ts";
import { companyPage } from "../../../src/search/page.ts";
import { orderOf, plan } from "../../../src/search/plan.ts";
import { search } from "../../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import {
  type FixtureRow,
  randomRows,
  seededRandom,
} from "../../support/native-index/fixture-rows.ts";
import { matchesOf, sorted } from "../../support/native-index/query-twin.ts";
import { writeFixture } from "../../support/native-index/region-fixture.ts";
import { SEED, tries } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { randomSpec, seededRng } from "../../support/spec/random.ts";
import { Twin, type TwinRow } from "../../support/twin.ts";

const SPECS = tries("company specs");

const rootOf = (row: TwinRow) => String(row.cnpj).slice(0, 8);

describe("one account per company", () => {
  let made: SampleSnapshot;
  let rows: readonly TwinRow[];
  let twin: Twin;
  let segment: Segment;
  before(async () => {
    made = await makeSampleSnapshot(6_000, 31);
    rows = decodeSnapshot(made.snapshot).rows;
    twin = new Twin(rows);
    segment = await openSegment(made.snapshot);
  });
  after(() => {
    segment.close();
    made.dispose();
  });

  /** Returns the rows of the whole answer, with only the first row of each company. */
  function expected(answer: readonly number[]): number[] {
    const seen = new Set<string>();
    return answer.filter((row) => {
      const root = rootOf(twin.rows[row] as TwinRow);
      return !seen.has(root) && seen.add(root);
    });
  }

  it("equals the scan without later establishments, page after page", () => {
    const rng = seededRng(SEED);
    let dropped = 0;
    for (let n = 0; n < SPECS; n++) {
      const drawn = randomSpec(rng, segment.catalog, rows);
      const answer = twin.answer(drawn);
      const wanted = expected(answer);
      dropped += answer.length - wanted.length;
      const limit = [1, 3, 17, 400, 50_000][n % 5] as number;
      // Large answers are read in larger pages, because small ones would only take longer.
      const spec = { ...drawn, limit: wanted.length > 300 * limit ? 400 : limit };
      const seen: number[] = [];
      for (let afterRow = -1; ; ) {
        const page = companyPage(segment, plan(segment, spec), { afterRow, limit: spec.limit });
        seen.push(...page.rows);
        assert.equal(page.more, seen.length < wanted.length, JSON.stringify(spec));
        assert.equal(page.total, answer.length);
        if (!page.more) break;
        assert.equal(page.rows.length, spec.limit);
        afterRow = page.lastRow;
      }
      assert.deepEqual(seen, wanted, JSON.stringify(spec));
    }
    assert.ok(dropped > SPECS, `only ${dropped} branches were left out`);
  });

  it("returns the same page with each method, and with a cold cache", () => {
    const rng = seededRng(SEED + 1);
    for (let n = 0; n < SPECS / 4; n++) {
      const spec = { ...randomSpec(rng, segment.catalog, rows), limit: 25 };
      const planned = plan(segment, spec);
      const byScore = orderOf(spec).length === 1 && orderOf(spec)[0]?.key === "score";
      const methods = [
        ...(byScore && orderOf(spec)[0]?.descending ? (["rank"] as const) : []),
        ...(["walk", "gather"] as const),
      ];
      const pages = methods.map((method) => {
        segment.native.dropCaches();
        const { rows: found, more } = companyPage(
          segment,
          { ...planned, method },
          { afterRow: -1, limit: spec.limit },
        );
        return { found: [...found], more };
      });
      for (const page of pages) assert.deepEqual(page, pages[0], JSON.stringify(spec));
    }
  });

  it("returns a subsequence of the plain answer, through the same searcher", () => {
    const rng = seededRng(SEED + 2);
    for (let n = 0; n < 50; n++) {
      const spec = { ...randomSpec(rng, segment.catalog, rows), limit: 50_000 };
      const request = { spec, fields: ["cnpj"], afterRow: -1, explain: false };
      const cnpjs = (onePerCompany: boolean) =>
        JSON.parse(
          Buffer.from(search(segment, { ...request, onePerCompany }).accounts).toString(),
        ).map(({ cnpj }: { cnpj: string }) => cnpj) as string[];
      const all = cnpjs(false);
      const seen = new Set<string>();
      const firsts = all.filter(
        (cnpj) => !seen.has(cnpj.slice(0, 8)) && seen.add(cnpj.slice(0, 8)),
      );
      assert.deepEqual(cnpjs(true), firsts);
    }
  });
});

/** The 3,000 accounts are random, and every fifth belongs to one of ten companies. */
describe("one account per company on the addon", () => {
  const folder = mkdtempSync(join(tmpdir(), "peneira-companies-"));
  let rows: readonly FixtureRow[];
  let native: NativeSegment;
  before(async () => {
    const fixture = await writeFixture(join(folder, "companies"), randomRows(7, 3_000));
    rows = fixture.rows;
    native = openNative(fixture.path, fixture.directory);
  });
  after(() => {
    native.close();
    rmSync(folder, { recursive: true });
  });

  const roots = (ids: readonly number[]) => {
    const seen = new Set<string>();
    return ids.filter((id) => {
      const root = rows[id]?.cnpj.slice(0, 8) ?? "";
      return !seen.has(root) && seen.add(root);
    });
  };

  function randomQuery(random: () => number) {
    const below = (count: number) => Math.floor(random() * count);
    const any = (dimension: "uf" | "flag" | "registration_status", count: number) => ({
      kind: "posting" as const,
      any: [{ dimension, codes: Uint32Array.from({ length: 1 + below(3) }, () => below(count)) }],
      negated: random() < 0.3,
    });
    const all: Clause[] = [any("uf", 6), any("flag", 5), any("registration_status", 9)];
    const keys = [...ORDERS, "random"] as const;
    return {
      clauses: all.slice(0, below(4)),
      order: Array.from({ length: 1 + below(3) }, () => ({
        key: keys[below(keys.length)] as OrderKey["key"],
        descending: random() < 0.5,
      })),
      seed: BigInt(below(2 ** 32)),
    };
  }

  it("keeps exactly the first row of each, for any requested rows", () => {
    const random = seededRandom(11);
    for (let round = 0; round < 150; round++) {
      const { clauses, order, seed } = randomQuery(random);
      const answer = sorted(rows, matchesOf(rows, clauses), order, seed);
      const firsts = roots(answer);
      const request = { clauses, order, seed, beginning: false };
      const firstsOf = (ids: readonly number[]) => [
        ...native.firstsPerCompany(Uint32Array.from(ids), request),
      ];
      assert.deepEqual(firstsOf(answer), firsts, JSON.stringify(clauses));
      const begun = Uint32Array.from(answer.slice(0, 500));
      const beginning = native.firstsPerCompany(begun, { ...request, beginning: true });
      assert.deepEqual([...beginning], roots([...begun]));
      const some = answer.filter(() => random() < 0.3);
      assert.deepEqual(
        firstsOf(some),
        some.filter((id) => firsts.includes(id)),
      );
    }
  });

  it("handles companies with hundreds of establishments, and roots with letters", () => {
    const counts = new Map<string, number>();
    for (const { cnpj } of rows)
      counts.set(cnpj.slice(0, 8), (counts.get(cnpj.slice(0, 8)) ?? 0) + 1);
    assert.equal([...counts.values()].filter((count) => count > 30).length, 10);
    assert.ok([...counts.keys()].some((root) => /[A-Z]/.test(root)));
  });

  it("locates a company in fewer probes than binary search, each company once", () => {
    const all = Uint32Array.from(rows.keys());
    native.firstsPerCompany(all, { clauses: [], order: [], seed: 0n, beginning: false });
    const { tests } = native.lastWork();
    const halving = new Set(rows.map(({ cnpj }) => cnpj.slice(0, 8))).size * Math.log2(rows.length);
    assert.ok(tests < 0.9 * halving, `${tests} probes; halving takes ${halving}`);
  });

  it("rejects a row that does not exist", () => {
    const request = { clauses: [], order: [], seed: 0n, beginning: false };
    const beyond = Uint32Array.of(rows.length);
    assert.throws(() => native.firstsPerCompany(beyond, request), /does not exist/);
  });
});
