/**
 * Proves: random specs that name random lists, of accounts and of companies, are answered as the
 * slow twin answers them once its rows are held against the lists one by one: totals, joined
 * pages, facets and the rows of exports, in every order, while lists grow and shrink; a spec that
 * was bound before a change is answered as it was.
 * Does not prove: routes (contract/http/api/listed-search.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ListedSpecs } from "../../../src/lists/listed.ts";
import { Lists } from "../../../src/lists/lists.ts";
import { Upload } from "../../../src/lists/upload.ts";
import { scroll } from "../../../src/search/scroll.ts";
import { countMatches, facets, search } from "../../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { readCnpj } from "../../../src/spec/cnpj.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { closeDatabase, openDatabase } from "../../../src/store/database.ts";
import { ListStore } from "../../../src/store/liststore.ts";
import type { StateDatabase } from "../../../src/store/sqlite.ts";
import { decodeSnapshot } from "../../support/decode.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { tries } from "../../support/scale.ts";
import { exportContext } from "../../support/spec/catalog.ts";
import { Draw, randomExportInput, seededRng } from "../../support/spec/random.ts";
import { Twin, type TwinRow } from "../../support/twin.ts";

const ROUNDS = tries("kernel queries");
const LIMITS = { lists: 100, list_entries: 1_000_000 };
const folder = mkdtempSync(join(tmpdir(), "peneira-listed-"));
let sample: SampleSnapshot;
let segment: Segment;
let database: StateDatabase;
let lists: Lists;
let listed: ListedSpecs;
let twin: Twin;
/** Accounts whose check digits are right: the registry has others, which nobody can type. */
let sound: readonly TwinRow[];

before(async () => {
  sample = await makeSampleSnapshot(3_000, 17, "2026-10");
  segment = await openSegment(sample.snapshot);
  database = openDatabase(folder);
  database.exec("INSERT INTO tenants (id, name, created_at) VALUES ('ten', 't', 0)");
  lists = new Lists(new ListStore(database), { nowMs: () => 1 });
  listed = new ListedSpecs(lists);
  twin = new Twin((await decodeSnapshot(sample.snapshot)).rows);
  sound = twin.rows.filter(({ cnpj }) => readCnpj(String(cnpj))?.checked === true);
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

/** What a list holds, as texts. */
type Model = Map<string, Set<string>>;

function holds(set: ReadonlySet<string>, { cnpj }: TwinRow): boolean {
  return set.has(String(cnpj)) || set.has(String(cnpj).slice(0, 8));
}

/** The twin's answer without lists, held against them row by row. */
function expected(spec: AccountQuerySpec, model: Model): string[] {
  const { lists: named = {}, ...rest } = spec.filters;
  const rows = twin.answer({ ...spec, filters: rest, limit: 1e9 }).map((at) => twin.rows[at]);
  const kept = (rows as TwinRow[]).filter((row) => {
    const inOne = (ids: readonly string[]) => ids.some((id) => holds(model.get(id) as never, row));
    const wanted = named.any_of === undefined || inOne(named.any_of);
    return wanted && !(named.exclude !== undefined && inOne(named.exclude));
  });
  return kept.map(({ cnpj }) => String(cnpj));
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

async function change(id: string, kind: string, draw: Draw, model: Model): Promise<void> {
  const upload = new Upload(false);
  const set = model.get(id) as Set<string>;
  const verb = draw.chance(0.7) ? "add" : "remove";
  const count = draw.of([1, 5, 400, 2_500]);
  for (let left = count; left > 0; left--) {
    const { cnpj } = draw.of(sound);
    const whole = draw.chance(0.2) || kind === "companies";
    const text = whole ? String(cnpj).slice(0, 8) : String(cnpj);
    upload.take(text, 1);
    if (upload.refusedCount > 0) throw new Error(`${text} was refused`);
    if (verb === "add") set.add(text);
    else set.delete(text);
  }
  const sent = { entries: upload.entries(kind === "companies"), verb } as const;
  await lists.change({ tenantId: "ten", id }, sent, { limits: LIMITS, segment });
}

describe("specs that name lists", () => {
  it("are answered as the twin answers them, at their revision", async () => {
    const draw = new Draw(seededRng(5));
    const model: Model = new Map();
    const kinds = ["accounts", "companies", "accounts", "accounts"] as const;
    const made = kinds.map((kind) => lists.create("ten", { name: kind, kind }, LIMITS));
    for (const { id } of made) model.set(id, new Set());
    let before: { spec: AccountQuerySpec; rows: string[] } | null = null;
    let some = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const one = draw.of(made);
      await change(one.id, one.kind, draw, model);
      const some_of = () => draw.list(null, 2, () => draw.of(made).id);
      const named = draw.some([
        ["any_of", 0.7, some_of],
        ["exclude", 0.7, some_of],
      ]);
      const sent = draw.chance(0.3)
        ? { limit: 100 }
        : randomExportInput(draw, segment.catalog, twin.rows);
      const filters = { ...(sent as { filters?: object }).filters, lists: named };
      const context = { ...exportContext(segment.catalog), listsKnown: true };
      const off = { ...filters, industry: { ...(filters as { industry?: object }).industry } };
      delete (off.industry as { secondary_cnae_mode?: string }).secondary_cnae_mode;
      const { spec } = normalizeSpec({ ...sent, filters: off }, context);
      const bound = await listed.bind("ten", segment, { ...spec, limit: draw.of([7, 100, 3_000]) });
      const rows = expected(spec, model);
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

  it("are refused where a list is another tenant's, with its place", async () => {
    const { id } = lists.create("ten", { name: "x", kind: "accounts" }, LIMITS);
    const context = { ...exportContext(segment.catalog), listsKnown: true };
    const { spec } = normalizeSpec({ filters: { lists: { exclude: [id] } } }, context);
    assert.throws(
      () => listed.bind("other", segment, spec),
      (error: { code?: string; errors?: readonly { pointer: string }[] }) =>
        error.code === "list_not_found" &&
        error.errors?.[0]?.pointer === "/spec/filters/lists/exclude/0",
    );
    assert.throws(
      () =>
        normalizeSpec({ filters: { lists: { exclude: [id] } } }, exportContext(segment.catalog)),
      /Lists are known to searches/,
    );
  });
});
