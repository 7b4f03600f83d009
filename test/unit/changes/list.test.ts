/**
 * Proves: a list of the changes between two snapshots has the same bytes each time, and is empty
 * for identical snapshots. It opens only for its own pair of snapshots, and not if a byte is
 * flipped or it is truncated or extended. The wrong order of snapshots is rejected with a message.
 * An abort, a failed write, and a damaged snapshot leave no file. An entry that names a nonexistent
 * row fails as `snapshot_unavailable`. Fields that can be watched and parts of a spec without
 * effect are reported.
 * Does not prove: that the entries are right (campaign/twin/changes.test.ts).
 */
import assert from "node:assert/strict";
import { copyFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { crc32c } from "../../../native-index/napi/engine.ts";
import { CHANGE_KINDS, WATCHABLE_FIELDS } from "../../../src/changes/kinds.ts";
import {
  buildChangeList,
  type ChangeList,
  ChangeListError,
  ChangeOrderError,
  changeListName,
  openChangeList,
} from "../../../src/changes/list.ts";
import {
  changeCatalog,
  changePage,
  changeTally,
  changeTotals,
  changeWarnings,
  unwatchable,
  watchableFields,
} from "../../../src/changes/query.ts";
import { AppError } from "../../../src/errors.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { CHANGE_GROUPS, fieldsOfGroup } from "../../../src/spec/fields/groups.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import { type MonthPair, makePair } from "../../support/changes/pair.ts";
import { exportContext } from "../../support/spec/catalog.ts";

const HEADER_BYTES = 176;

/** Returns true if the account is in both months and differs in a column that can be watched. */
function isWatchedChange(list: Buffer, at: number): boolean {
  const rows = [list.readUInt32LE(at), list.readUInt32LE(at + 4)];
  return !rows.includes(0xffff_ffff) && (list.readUInt32LE(at + 8) & 0x1fff_ffff) !== 0;
}

/** Fields that every snapshot of these tests has. */
const COMPARED = OUTPUT_FIELD_NAMES.filter(
  (name) => !/^(sanctioned|score|in_c|federal|owne)/.test(name),
);

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

describe("change lists", () => {
  let pair: MonthPair;
  let small: MonthPair;
  let older: Segment;
  let newer: Segment;
  const lists: ChangeList[] = [];

  before(async () => {
    pair = await makePair({ seed: 11, accounts: 300 });
    small = await makePair({ seed: 12, accounts: 9, sanctions: "newer" });
    [older, newer] = [pair.older.segment, pair.newer.segment];
  });
  after(() => {
    for (const list of lists) list.close();
    pair.dispose();
    small.dispose();
  });

  function openList(path: string, left: Segment, right: Segment): ChangeList {
    const list = openChangeList(path, left, right);
    lists.push(list);
    return list;
  }

  /** A query for everything. */
  function everything(list: ChangeList) {
    const { spec } = normalizeSpec({}, exportContext(list.newer.catalog));
    const watch = watchableFields(list.older, list.newer, OUTPUT_FIELD_NAMES);
    return { list, spec, kinds: CHANGE_KINDS, watch };
  }

  function refusal(path: string, left = older, right = newer): ChangeListError {
    try {
      openList(path, left, right);
    } catch (error) {
      assert.ok(error instanceof ChangeListError, String(error));
      return error;
    }
    return assert.fail(`${path} was opened`);
  }

  it("are the same bytes each time, and report progress", async () => {
    const places = ["a", "b"].map((name) => join(pair.folder, name));
    const reported: number[] = [];
    for (const path of places) {
      const onProgress = (done: number, total: number) => reported.push(done / total);
      const made = await buildChangeList(older, newer, path, { onProgress });
      assert.equal(made.bytes, readFileSync(path).length);
    }
    const [one, two] = places.map((path) => readFileSync(path)) as [Buffer, Buffer];
    assert.deepEqual(one, two);
    assert.equal(reported[0], 0);
    assert.equal(reported.at(-1), 1);
    assert.match(changeListName(older, newer), /^[0-9a-f]{64}-[0-9a-f]{64}\.changes$/);
  });

  it("are empty for a snapshot and itself", async () => {
    const path = join(pair.folder, "same");
    const { entries, bytes } = await buildChangeList(older, older, path);
    assert.deepEqual([entries, bytes], [0, HEADER_BYTES]);
    const query = everything(openList(path, older, older));
    assert.deepEqual(await changeTotals(query), { entered: 0, left: 0, changed: 0 });
    const page = await changePage(query, { from: 0, limit: 10 });
    assert.deepEqual(page, { entries: [], next: 0, more: false });
  });

  it("are rejected in the wrong order, with a message", async () => {
    await assert.rejects(buildChangeList(newer, older, join(pair.folder, "wrong")), (error) => {
      assert.ok(error instanceof ChangeOrderError);
      assert.match(error.message, /^2026-10 \(2026-10-12\) is newer than 2026-09 .*older.* first$/);
      return true;
    });
    assert.ok(!readdirSync(pair.folder).some((name) => name.startsWith("wrong")));
  });

  it("open only for their own pair", async () => {
    const path = join(pair.folder, "own");
    await buildChangeList(older, newer, path);
    openList(path, older, newer);
    const strangers = [small.older.segment, small.newer.segment] as const;
    assert.equal(refusal(path, newer, older).problem, "other_pair");
    assert.equal(refusal(path, older, older).problem, "other_pair");
    assert.equal(refusal(path, older, strangers[1]).problem, "other_pair");
    assert.equal(refusal(path, ...strangers).problem, "other_pair");
    assert.equal(refusal(join(pair.folder, "nowhere")).problem, "missing");
  });

  it("are rejected with any byte flipped, cut off, or appended", async () => {
    const [left, right] = [small.older.segment, small.newer.segment];
    const path = join(small.folder, "whole");
    await buildChangeList(left, right, path);
    const whole = readFileSync(path);
    const other = join(small.folder, "flipped");
    const problems = new Set<string>();
    assert.ok(whole.length > HEADER_BYTES);
    for (let at = 0; at < whole.length; at++) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
      writeFileSync(other, bytes);
      problems.add(refusal(other, left, right).problem);
    }
    assert.deepEqual([...problems].sort(), ["damaged", "other_version"]);
    for (let length = 0; length < whole.length; length += 7) {
      copyFileSync(path, other);
      truncateSync(other, length);
      assert.equal(refusal(other, left, right).problem, "damaged");
    }
    writeFileSync(other, Buffer.concat([whole, Buffer.alloc(12)]));
    assert.equal(refusal(other, left, right).problem, "damaged");
  });

  it("leave no file if they are aborted or cannot be written", async () => {
    const before = readdirSync(pair.folder);
    const reason = new Error("enough");
    const aborted = buildChangeList(older, newer, join(pair.folder, "aborted"), {
      signal: AbortSignal.abort(reason),
    });
    await assert.rejects(aborted, reason);
    const ended = new AbortController();
    const late = buildChangeList(older, newer, join(pair.folder, "late"), {
      signal: ended.signal,
      onProgress: (done) => done > 0 && ended.abort(reason),
    });
    await assert.rejects(late, reason);
    const nowhere = buildChangeList(older, newer, join(pair.folder, "no", "where"));
    await assert.rejects(nowhere, { code: "ENOENT" });
    assert.deepEqual(readdirSync(pair.folder), before);
  });

  it("are not built from a damaged snapshot", async () => {
    const before = readdirSync(pair.folder).length;
    const path = join(pair.folder, "damaged.peneira");
    const bytes = readFileSync(pair.newer.path);
    // The byte belongs to an e-mail, which is far from all bytes that are read when the file is
    // opened.
    const at = bytes.indexOf("@exemplo.com.br");
    assert.ok(at > 0);
    bytes[at] = 35;
    writeFileSync(path, bytes);
    const segment = await openSegment(path).catch((error: unknown) => error);
    if (segment instanceof Error) assert.match(segment.message, /damaged/);
    else {
      const damaged = segment as Segment;
      const made = buildChangeList(older, damaged, join(pair.folder, "of-damaged"));
      await assert.rejects(made, (error) => {
        return error instanceof AppError && error.code === "snapshot_unavailable";
      });
      damaged.close();
    }
    assert.equal(readdirSync(pair.folder).length, before + 1);
  });

  it("fail with snapshot_unavailable if they name a row that does not exist", async () => {
    const path = join(pair.folder, "forged");
    await buildChangeList(older, newer, path);
    const forged = readFileSync(path);
    // Skips entries that change no watched field, because their rows are never read.
    let at = HEADER_BYTES;
    while (!isWatchedChange(forged, at)) at += 12;
    forged.writeUInt32LE(newer.accounts, at + 4);
    forged.writeUInt32LE(crc32c(forged.subarray(HEADER_BYTES)), 168);
    forged.writeUInt32LE(crc32c(forged.subarray(0, 172)), 172);
    writeFileSync(path, forged);
    const query = everything(openList(path, older, newer));
    const isRefused = (error: unknown) =>
      error instanceof AppError && error.code === "snapshot_unavailable";
    await assert.rejects(changePage(query, { from: 0, limit: 5 }), isRefused);
    await assert.rejects(changeTotals(query), isRefused);
  });

  it("leave out lists that one month lacks, and compare days of exclusion exactly", async () => {
    const other = await makePair({ seed: 21, accounts: 200, sanctions: "newer" });
    const path = join(other.folder, "lists");
    const { entries } = await buildChangeList(other.older.segment, other.newer.segment, path);
    const list = openList(path, other.older.segment, other.newer.segment);
    const before = new Map(other.older.rows.map((row) => [row.cnpj, row]));
    const same = other.newer.rows.filter((row) => {
      const old = before.get(row.cnpj);
      return old !== undefined && COMPARED.every((name) => isSame(old[name], row[name]));
    });
    assert.ok(same.length > 50);
    assert.ok(entries <= other.newer.rows.length - same.length + other.older.rows.length * 0.1);
    for (const day of ["simples_excluded_on", "mei_excluded_on"] as const) {
      const query = { ...everything(list), watch: [day] };
      const { changed } = await changeTotals(query);
      const differing = other.newer.rows.filter((row) => {
        const old = before.get(row.cnpj);
        return old !== undefined && old[day] !== row[day];
      });
      assert.equal(changed, differing.length);
      assert.ok(changed > 0);
      const { fields } = await changeTally(query, 3);
      assert.deepEqual(fields, { [day]: changed });
    }
    other.dispose();
  });

  it("have every watchable field in one group", () => {
    const grouped = CHANGE_GROUPS.flatMap(fieldsOfGroup);
    assert.deepEqual([...grouped].sort(), [...WATCHABLE_FIELDS].sort());
  });

  it("report which fields can be watched, and why others cannot", () => {
    const names = watchableFields(older, newer, OUTPUT_FIELD_NAMES);
    assert.equal(names.length, 30);
    assert.ok(names.includes("sanctioned"));
    const [left, right] = [small.older.segment, small.newer.segment];
    assert.ok(!watchableFields(left, right, OUTPUT_FIELD_NAMES).includes("sanctioned"));
    assert.deepEqual(watchableFields(older, newer, ["email", "uf", "score"]), ["uf", "email"]);
    const wrong = unwatchable(left, right, ["uf", "score", "cnpj", "sanctioned", "nothing"]);
    assert.deepEqual(
      wrong.map(({ name }) => name),
      ["score", "cnpj", "sanctioned", "nothing"],
    );
    assert.equal(new Set(wrong.map(({ why }) => why)).size, 4);
  });

  it("refuse a filter by owner, because the owners of the months differ", () => {
    const company = { owned_by_any_of: ["11222333"] };
    const context = exportContext(changeCatalog(older, newer));
    assert.throws(
      () => normalizeSpec({ filters: { company } }, context),
      (error) => error instanceof AppError && error.errors?.[0]?.code === "not_for_changes",
    );
  });

  it("report the irrelevant parts of a spec", () => {
    const sort = [{ field: "cnpj", direction: "asc" }];
    assert.deepEqual(changeWarnings({ filters: {}, sort: [], limit: null }), []);
    assert.deepEqual(changeWarnings(undefined), []);
    const scoring = { strategy: "random", random_seed: 1 };
    const all = changeWarnings({ sort, limit: 5, scoring, output: { include_explain: true } });
    assert.equal(all.length, 4);
    for (const name of ["sort", "limit", "scoring", "include_explain"]) {
      assert.ok(all.some((warning) => warning.startsWith(`${name} of the spec is ignored`)));
    }
  });
});
