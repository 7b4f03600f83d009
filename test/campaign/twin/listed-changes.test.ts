/**
 * Proves: the changes between two snapshots are right for random specs with random lists, including
 * `exported`. Entries in order, totals, and pages equal those of the reference implementation
 * without lists, filtered by a plain set. While lists grow and shrink, specs that were bound to the
 * lists earlier keep their answers.
 * Does not prove: routes (contract/http/api/listed-changes.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { CHANGE_KINDS } from "../../../src/changes/kinds.ts";
import { buildChangeList, type ChangeList, openChangeList } from "../../../src/changes/list.ts";
import {
  type ChangeQuery,
  changeBatches,
  changeCatalog,
  changePage,
  changeTotals,
  watchableFields,
} from "../../../src/changes/query.ts";
import { type ChangeItem, changeItems } from "../../../src/changes/rows.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import { closeDatabase, openDatabase } from "../../../src/store/database.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite.ts";
import { ChangesTwin } from "../../support/changes/expected.ts";
import { type MonthPair, makePair } from "../../support/changes/pair.ts";
import { RandomLists, withLists } from "../../support/lists/randomlists.ts";
import { SEED, tries } from "../../support/run/scale.ts";
import { exportContext } from "../../support/spec/catalog.ts";
import { Draw, randomExportInput, seededRng } from "../../support/spec/random.ts";

const ROUNDS = tries("change specs");
const PAGE = 9;
const folder = mkdtempSync(join(tmpdir(), "peneira-listed-changes-"));
let pair: MonthPair;
let list: ChangeList;
let database: SqliteDatabase;

before(async () => {
  pair = await makePair({ seed: (SEED % 10_000) + 170, accounts: 600, moved: true });
  const path = join(folder, "pair.changes");
  await buildChangeList(pair.older.segment, pair.newer.segment, path);
  list = openChangeList(path, pair.older.segment, pair.newer.segment);
  database = openDatabase(folder);
});
after(() => {
  list.close();
  pair.dispose();
  closeDatabase(database);
  rmSync(folder, { recursive: true });
});

async function itemsOf(query: ChangeQuery): Promise<ChangeItem[]> {
  const items: ChangeItem[] = [];
  for await (const batch of changeBatches(query)) items.push(...changeItems(list, batch, []));
  return items;
}

it("returns the twin's changes for specs with lists", async () => {
  const draw = new Draw(seededRng(SEED));
  const { older, newer } = pair;
  const twin = new ChangesTwin(older.rows, newer.rows);
  const own = new RandomLists(database);
  const catalog = changeCatalog(older.segment, newer.segment);
  const watch = watchableFields(older.segment, newer.segment, OUTPUT_FIELD_NAMES);
  let bound: { readonly query: ChangeQuery; readonly expected: readonly object[] } | null = null;
  let some = 0;
  for (let round = 0; round < ROUNDS; round++) {
    if (draw.chance(0.5)) await own.change(draw, draw.of([older, newer]));
    if (draw.chance(0.1)) own.hold(draw, draw.of([[newer], [older, newer]]));
    const sent = draw.chance(0.5) ? {} : randomExportInput(draw, catalog, newer.rows);
    const context = { ...exportContext(catalog), listsKnown: true };
    const { spec } = normalizeSpec(withLists(sent, own.named(draw)), context);
    const { lists: _, ...filters } = spec.filters;
    const expected = twin
      .answer({ spec: { ...spec, filters }, watch, fields: [] })
      .filter(({ cnpj }) => own.keeps(spec, cnpj));
    const pins = own.listed.pins("ten", spec);
    const meant = await own.listed.bindToAll(pins, [older.segment, newer.segment], spec);
    const query = { list, spec: meant, kinds: CHANGE_KINDS, watch };
    assert.deepEqual(await itemsOf(query), expected, JSON.stringify(meant.filters));
    const count = (kind: string) => expected.filter(({ change }) => change === kind).length;
    const totals = Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, count(kind)]));
    assert.deepEqual(await changeTotals(query), totals, JSON.stringify(meant.filters));
    const page = await changePage(query, { from: 0, limit: PAGE });
    assert.equal(page.entries.length, Math.min(PAGE, expected.length));
    assert.equal(page.more, expected.length > PAGE);
    if (bound !== null) assert.deepEqual(await itemsOf(bound.query), bound.expected);
    if (draw.chance(0.3)) bound = { query, expected };
    if (expected.length > 0 && spec.filters.lists !== undefined) some++;
  }
  assert.ok(some > ROUNDS / 5, `only ${some} answers had entries`);
});
