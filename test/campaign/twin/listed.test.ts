/**
 * Proves: the answers to random specs with random lists (of accounts, of companies, and `exported`)
 * equal those of the reference implementation without lists, filtered row by row. This holds for
 * totals, joined pages, facets, and the rows of exports, in every order, while lists grow and
 * shrink. A spec that was bound to its lists before a change keeps its answer.
 * Does not prove: routes (contract/http/api/listed-search.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { scroll } from "../../../src/search/scroll.ts";
import { countMatches, facets, search } from "../../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { closeDatabase, openDatabase } from "../../../src/store/database.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { RandomLists, withLists } from "../../support/lists/randomlists.ts";
import { tries } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { exportContext } from "../../support/spec/catalog.ts";
import { Draw, randomExportInput, seededRng } from "../../support/spec/random.ts";
import { Twin, type TwinRow } from "../../support/twin.ts";

const ROUNDS = tries("kernel queries");
const folder = mkdtempSync(join(tmpdir(), "peneira-listed-"));
let sample: SampleSnapshot;
let segment: Segment;
let database: SqliteDatabase;
let own: RandomLists;
let twin: Twin;

before(async () => {
  sample = await makeSampleSnapshot(3_000, 17, "2026-10");
  segment = await openSegment(sample.snapshot);
  database = openDatabase(folder);
  own = new RandomLists(database);
  twin = new Twin((await decodeSnapshot(sample.snapshot)).rows);
});
after(() => {
  segment.close();
  closeDatabase(database);
  sample.dispose();
  rmSync(folder, { recursive: true });
});

interface Counted {
  readonly headquarters: {
    readonly values: readonly { readonly count: number }[];
    readonly missing: number;
  };
}

/**
 * Returns the answer of the reference implementation without lists, filtered by the lists row by
 * row.
 */
function expected(spec: AccountQuerySpec): string[] {
  const { lists: _, ...rest } = spec.filters;
  const rows = twin.answer({ ...spec, filters: rest, limit: 1e9 }).map((at) => twin.rows[at]);
  const cnpjs = (rows as TwinRow[]).map(({ cnpj }) => String(cnpj));
  return cnpjs.filter((cnpj) => own.keeps(spec, cnpj));
}

function joined(spec: AccountQuerySpec): string[] {
  const all: string[] = [];
  for (let afterRow = -1; ; ) {
    const page = search(segment, { spec, fields: ["cnpj"], afterRow, explain: false });
    const rows = JSON.parse(Buffer.from(page.accounts).toString()) as { cnpj: string }[];
    all.push(...rows.map(({ cnpj }) => cnpj));
    if (!page.more) return all;
    afterRow = page.lastRow;
  }
}

describe("specs with lists", () => {
  it("match the twin's answers at the lists' revision", async () => {
    const draw = new Draw(seededRng(5));
    let before: { spec: AccountQuerySpec; rows: string[] } | null = null;
    let some = 0;
    for (let round = 0; round < ROUNDS; round++) {
      await own.change(draw, { segment, rows: twin.rows });
      if (draw.chance(0.05)) own.hold(draw, [{ segment, rows: twin.rows }]);
      const sent = draw.chance(0.3)
        ? { limit: 100 }
        : randomExportInput(draw, segment.catalog, twin.rows);
      const context = { ...exportContext(segment.catalog), listsKnown: true };
      const { spec } = normalizeSpec(withLists(sent, own.named(draw)), context);
      const bound = await own.listed.bind("ten", segment, {
        ...spec,
        limit: draw.of([7, 100, 3_000]),
      });
      const rows = expected(spec);
      assert.equal(countMatches(segment, bound), rows.length);
      assert.deepEqual(joined(bound), rows);
      const all = [...scroll(segment, { ...bound, limit: 1e6 }).batches()].flatMap((rows) => [
        ...rows,
      ]);
      assert.equal(all.length, rows.length);
      const counted = facets(segment, bound, ["headquarters"]) as unknown as Counted;
      const { values, missing } = counted.headquarters;
      const sum = values.reduce((total, { count }) => total + count, missing);
      assert.equal(sum, rows.length);
      if (before !== null) assert.deepEqual(joined(before.spec), before.rows);
      if (draw.chance(0.3)) before = { spec: bound, rows };
      if (rows.length > 0 && spec.filters.lists !== undefined) some++;
    }
    assert(some > ROUNDS / 4, `only ${some} answers had rows`);
  });

  it("are rejected, with the pointer, if a list belongs to another tenant", async () => {
    const limits = { lists: 100, list_entries: 1 };
    const { id } = own.lists.create("ten", { name: "x", kind: "accounts" }, limits);
    const context = { ...exportContext(segment.catalog), listsKnown: true };
    const { spec } = normalizeSpec({ filters: { lists: { exclude: [id] } } }, context);
    assert.throws(
      () => own.listed.bind("other", segment, spec),
      (error: { code?: string; errors?: readonly { pointer: string }[] }) =>
        error.code === "list_not_found" &&
        error.errors?.[0]?.pointer === "/spec/filters/lists/exclude/0",
    );
    assert.throws(
      () =>
        normalizeSpec({ filters: { lists: { exclude: [id] } } }, exportContext(segment.catalog)),
      /A server keeps lists for its tenants/,
    );
  });
});
