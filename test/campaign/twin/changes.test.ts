/**
 * Proves: the changes between two snapshots equal a linear scan over both, in kinds, changed
 * fields, values before and after, and totals. Snapshots are seeded random pairs with different
 * dictionaries. Specs, kinds, watched fields, and output fields are random. Joined pages of any
 * size from any position give the same answer, and so do batches. Rows of CSV files agree.
 * Does not prove: that lists are safe on disk (unit/changes/list.test.ts), nor anything
 * about HTTP.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { CHANGE_KINDS } from "../../../src/changes/kinds.ts";
import { buildChangeList, type ChangeList, openChangeList } from "../../../src/changes/list.ts";
import {
  type ChangeEntry,
  type ChangeQuery,
  changeBatches,
  changeCatalog,
  changePage,
  changeTotals,
  watchableFields,
} from "../../../src/changes/query.ts";
import { changeItems, changeRows } from "../../../src/changes/rows.ts";
import { OUTPUT_FIELD_NAMES, OUTPUT_FIELDS, type OutputField } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import { ChangesTwin, type ExpectedItem } from "../../support/changes/expected.ts";
import { type MonthPair, makePair, type PairOptions } from "../../support/changes/pair.ts";
import { SEED, tries } from "../../support/run/scale.ts";
import { exportContext } from "../../support/spec/catalog.ts";
import { Draw, randomExportInput, seededRng } from "../../support/spec/random.ts";

const SPECS = tries("change specs");
/** Fields that count rows of the whole import. They are only filters and are not watched. */
const COUNTED_FIELDS = OUTPUT_FIELDS.filter((row) => "counted" in row).map(({ name }) => name);

interface Subject extends MonthPair {
  readonly list: ChangeList;
  readonly twin: ChangesTwin;
}

async function makeSubject(options: PairOptions): Promise<Subject> {
  const pair = await makePair(options);
  const [older, newer] = [pair.older.segment, pair.newer.segment];
  const path = join(pair.folder, "pair.changes");
  await buildChangeList(older, newer, path);
  const list = openChangeList(path, older, newer);
  return { ...pair, list, twin: new ChangesTwin(pair.older.rows, pair.newer.rows) };
}

/** A random query, and the answer of the reference implementation. */
interface Question {
  readonly query: ChangeQuery;
  readonly fields: readonly string[];
  /** The changes of all kinds. `wanted` has only those of the requested kinds. */
  readonly expected: readonly ExpectedItem[];
  readonly wanted: readonly ExpectedItem[];
}

function randomQuestion({ list, twin, older, newer }: Subject, draw: Draw): Question {
  const catalog = changeCatalog(older.segment, newer.segment);
  const rows = draw.chance(0.5) ? older.rows : newer.rows;
  const input = draw.chance(0.1) ? {} : randomExportInput(draw, catalog, rows);
  const { spec } = normalizeSpec(input, exportContext(catalog));
  const some = <Value>(values: readonly Value[]) => values.filter(() => draw.chance(0.4));
  const all = watchableFields(older.segment, newer.segment, OUTPUT_FIELD_NAMES);
  const kinds = draw.chance(0.5) ? CHANGE_KINDS : some(CHANGE_KINDS);
  const watch = draw.chance(0.4) ? all : some(all);
  const fields = draw.chance(0.2) ? [...OUTPUT_FIELD_NAMES].reverse() : some(OUTPUT_FIELD_NAMES);
  const expected = twin.answer({ spec, watch, fields });
  const wanted = expected.filter(({ change }) => kinds.includes(change));
  return { query: { list, spec, kinds, watch }, fields, expected, wanted };
}

function described({ query: { spec, kinds, watch } }: Question): string {
  return JSON.stringify({ filters: spec.filters, kinds, watch });
}

async function allOf(query: ChangeQuery, from = 0): Promise<ChangeEntry[]> {
  const entries: ChangeEntry[] = [];
  for await (const batch of changeBatches(query, from)) entries.push(...batch);
  return entries;
}

/** Counts accounts of both months that differ in no watched field, but in a counted one. */
function onlyCountsDiffer({ older, newer }: Subject, watch: readonly OutputField[]): number {
  const before = new Map(older.rows.map((row) => [row.cnpj, row]));
  return newer.rows.filter((row) => {
    const old = before.get(row.cnpj);
    const differs = (name: OutputField) =>
      JSON.stringify(old?.[name]) !== JSON.stringify(row[name]);
    return old !== undefined && !watch.some(differs) && COUNTED_FIELDS.some(differs);
  }).length;
}

async function compare(question: Question): Promise<void> {
  const { query, fields, expected, wanted } = question;
  const items = changeItems(query.list, await allOf(query), fields);
  assert.deepEqual(items, wanted, described(question));
  const count = (kind: string) => expected.filter(({ change }) => change === kind).length;
  const totals = Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, count(kind)]));
  assert.deepEqual(await changeTotals(query), totals, described(question));
}

/** Reads all pages of one size, and compares the joined pages with the expected answer. */
async function walk({ query, wanted }: Question, limit: number): Promise<void> {
  const found: string[] = [];
  for (let from = 0, more = true; more; ) {
    const page = await changePage(query, { from, limit });
    found.push(...changeItems(query.list, page.entries, []).map(({ cnpj }) => cnpj));
    assert.ok(page.entries.length === limit || !page.more);
    ({ next: from, more } = page);
    assert.equal(more, found.length < wanted.length);
  }
  assert.deepEqual(
    found,
    wanted.map(({ cnpj }) => cnpj),
  );
}

describe("changes equal a linear scan over both months", () => {
  const subjects: Subject[] = [];

  before(async () => {
    const seed = SEED % 10_000;
    subjects.push(
      await makeSubject({ seed, accounts: 700, moved: true }),
      await makeSubject({ seed: seed + 50, accounts: 400, sanctions: "newer" }),
      await makeSubject({ seed: seed + 90, accounts: 60, sanctions: "none" }),
      await makeSubject({ seed: seed + 130, accounts: 1 }),
    );
  });
  after(() => {
    for (const { list, dispose } of subjects) {
      list.close();
      dispose();
    }
  });

  it(`agrees on ${SPECS} random questions`, async () => {
    const draw = new Draw(seededRng(SEED));
    const seen = { entered: 0, left: 0, changed: 0 };
    for (let i = 0; i < SPECS; i++) {
      const question = randomQuestion(subjects[i % subjects.length] as Subject, draw);
      await compare(question);
      for (const { change } of question.wanted) seen[change]++;
    }
    for (const kind of CHANGE_KINDS) assert.ok(seen[kind] > SPECS, `${kind}: ${seen[kind]}`);
  });

  it("finds accounts that moved into or out of a district", async () => {
    const draw = new Draw(seededRng(SEED + 1));
    const seen = { entered: 0, left: 0, changed: 0 };
    for (let i = 0; i < SPECS; i++) {
      const subject = subjects[i % 2] as Subject;
      const { older, newer, list, twin } = subject;
      const rows = draw.chance(0.5) ? older.rows : newer.rows;
      const named = rows.filter((row) => row.district !== null && row.municipality_ibge !== null);
      const district_any_of = draw.list(null, 2, () => {
        const { municipality_ibge, district: name } = draw.of(named);
        return { municipality_ibge, name };
      });
      const context = exportContext(changeCatalog(older.segment, newer.segment));
      const { spec } = normalizeSpec({ filters: { geo: { district_any_of } } }, context);
      const watch = watchableFields(older.segment, newer.segment, OUTPUT_FIELD_NAMES);
      const expected = twin.answer({ spec, watch, fields: [] });
      const query = { list, spec, kinds: CHANGE_KINDS, watch };
      await compare({ query, fields: [], expected, wanted: expected });
      for (const { change } of expected) seen[change]++;
    }
    for (const kind of CHANGE_KINDS) assert.ok(seen[kind] > SPECS / 4, `${kind}: ${seen[kind]}`);
  });

  it("covers every column both changed and unchanged, and lists no unchanged account", async () => {
    const [first] = subjects as [Subject];
    const all = watchableFields(first.older.segment, first.newer.segment, OUTPUT_FIELD_NAMES);
    const { spec } = normalizeSpec({}, exportContext(first.newer.segment.catalog));
    const query = { list: first.list, spec, kinds: CHANGE_KINDS, watch: all };
    const entries = await allOf(query);
    const counted = onlyCountsDiffer(first, all);
    assert.ok(counted > 0, "some differ in nothing but what was counted, for filters alone");
    assert.equal(entries.length, first.list.entries - counted, "every other entry is a change");
    const changed = entries.filter(({ rowOlder, rowNewer }) => rowOlder >= 0 && rowNewer >= 0);
    for (const field of all) {
      const count = changed.filter((entry) => entry.changed.includes(field)).length;
      assert.ok(count > 0 && count < changed.length, `${field} differs ${count} times`);
    }
  });

  it("joins pages of 1, 3, and 100 to the whole answer", async () => {
    const draw = new Draw(seededRng(SEED + 1));
    for (let i = 0; i < SPECS / 10; i++) {
      const question = randomQuestion(subjects[i % subjects.length] as Subject, draw);
      for (const limit of i < 3 ? [1, 3, 100] : [3, 100]) await walk(question, limit);
    }
  });

  it("continues from every position of the list", async () => {
    const draw = new Draw(seededRng(SEED + 2));
    const subject = subjects[2] as Subject;
    for (let i = 0; i < 6; i++) {
      const { query } = randomQuestion(subject, draw);
      const whole = await allOf(query);
      for (let from = 0; from <= subject.list.entries; from++) {
        const rest = whole.filter(({ index }) => index >= from);
        const page = await changePage(query, { from, limit: 2 });
        assert.deepEqual(page.entries, rest.slice(0, 2));
        assert.equal(page.more, rest.length > 2);
        assert.deepEqual(await allOf(query, from), rest);
      }
    }
  });

  it("writes rows with the same content for any batch size", async () => {
    const draw = new Draw(seededRng(SEED + 3));
    for (let i = 0; i < 20; i++) {
      const subject = subjects[i % 2] as Subject;
      const { query, wanted } = randomQuestion(subject, draw);
      const entries = await allOf(query);
      const options = { format: "csv", fields: ["cnpj", "uf", "registration_status"] } as const;
      const lines = wanted.map(({ cnpj, change, changed_fields: changed }) => {
        const find = (rows: Subject["older"]["rows"]) => rows.find((row) => row.cnpj === cnpj);
        const row = find(subject.newer.rows) ?? find(subject.older.rows);
        const names = changed.length > 1 ? `"${changed.join(",")}"` : changed.join(",");
        return `${change},${names},${cnpj},${row?.uf ?? ""},${row?.registration_status ?? ""}\r\n`;
      });
      const text = (part: readonly ChangeEntry[]) =>
        Buffer.concat(changeRows(query.list, part, options)).toString();
      assert.equal(text(entries), lines.join(""));
      assert.equal(entries.map((entry) => text([entry])).join(""), lines.join(""));
    }
  });
});
