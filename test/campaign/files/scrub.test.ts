/**
 * Proves, on real files that are altered while open: every block is checked again within one pass,
 * regardless of the file's times and other state. A file that was touched is not trusted after the
 * next check, even if its mtime was restored. No query receives a wrong answer, only the earlier
 * answer or a 503. Links that pins create cause no new check. Damage that is found under one name
 * of a file reaches all users of the file. Each damage is logged once, without the content of a
 * row.
 * Does not prove how a whole server reacts (e2e/server/served-damage.test.ts), nor real times.
 */
import assert from "node:assert/strict";
import { linkSync, mkdtempSync, readFileSync, rmSync, unlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { TABLES } from "../../../native-index/format/columns.ts";
import { SECTION } from "../../../native-index/format/snapshot/region.ts";
import { openSnapshot } from "../../../native-index/format/snapshot/snapshot.ts";
import { AppError } from "../../../src/errors.ts";
import { type ManualClock, manualClock } from "../../../src/process/clock.ts";
import { openLog } from "../../../src/process/log.ts";
import { Scrubber } from "../../../src/search/scrubber.ts";
import { account, countMatches, facets, search } from "../../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import {
  ALTERATIONS,
  alter,
  copyAged,
  flipBit,
  keepingTimes,
  placeOf,
} from "../../support/files/hostile-file.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { tries } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

const PASS_SECONDS = 100;
const ROUNDS = tries("alterations");

const ALL = { geo: { uf_any_of: ["SP", "MG", "RJ", "BA", "RS", "PR", "SC", "PE", "CE", "GO"] } };
const SPECS: readonly object[] = [
  { filters: ALL },
  { filters: ALL, sort: [{ field: "legal_name", direction: "desc" }] },
  { filters: { ...ALL, industry: { text_hints: ["comercio"] } } },
  { filters: { ...ALL, company: { started_after: "2015-03-04", share_capital_min: 1_000 } } },
];

/** Returns queries of every kind. Each is a function that returns its answer as text. */
function questions(segment: Segment, cnpj: string): (() => string)[] {
  const specs = SPECS.map((input) => specOf(segment, input));
  const fields = OUTPUT_FIELD_NAMES;
  const page = { fields, afterRow: -1, explain: false };
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
  return [
    ...specs.map((spec) => () => text(search(segment, { ...page, spec }).accounts)),
    ...specs.map((spec) => () => String(countMatches(segment, spec))),
    () => text(search(segment, { ...page, spec: specs[0] as never, explain: true }).accounts),
    () => text(search(segment, { ...page, spec: specs[0] as never, onePerCompany: true }).accounts),
    () => JSON.stringify(facets(segment, specs[0] as never, ["uf", "municipality", "cnae_class"])),
    () => JSON.stringify(account(segment, cnpj, fields)),
    () => segment.native.table(TABLES.indexOf("cnae_description")).join(),
  ];
}

function specOf(segment: Segment, input: object) {
  const { spec } = normalizeSpec(input, {
    catalog: segment.catalog,
    limitDefault: 200,
    limitCap: 200,
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: DEFAULT_FIELDS,
    mode: "search",
    fullAllowed: false,
  });
  return spec;
}

/** Returns the answer, or the code of the public error. */
function outcome(question: () => string): string {
  try {
    return question();
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return error.code;
  }
}

describe("a scrubber", () => {
  const folder = mkdtempSync(join(tmpdir(), "peneira-scrub-"));
  let sample: SampleSnapshot;
  let whole: Buffer;
  let covered: number;
  let first: { readonly cnpj: string; readonly legal_name: string };
  let files = 0;
  /**
   * Log lines that the scrubber wrote in the current test. The scrubber is the task that checks
   * blocks of open files again.
   */
  let lines: string[] = [];
  const log = openLog("info", { write: (line) => lines.push(line) });
  before(async () => {
    sample = await makeSampleSnapshot(300, 1);
    whole = readFileSync(sample.snapshot);
    const { sections } = await openSnapshot(sample.snapshot);
    covered = sections.find(({ kind }) => kind === SECTION.blocks)?.offset as number;
    const segment = await openSegment(sample.snapshot);
    const rows = segment.native.renderJson(Uint32Array.of(0), ["cnpj", "legal_name"]);
    [first] = JSON.parse(Buffer.from(rows).toString());
    segment.close();
  });
  after(() => {
    sample.dispose();
    rmSync(folder, { recursive: true });
  });

  function freshFile(): string {
    const path = join(folder, `${files++}.peneira`);
    copyAged(sample.snapshot, path);
    return path;
  }

  /** Opens files, and returns a scrubber for them with its log lines. */
  async function scrubbing(paths: readonly string[], seconds = PASS_SECONDS) {
    const segments: Segment[] = [];
    for (const path of paths) segments.push(await openSegment(path));
    lines = [];
    const reported: Segment[] = [];
    const clock: ManualClock = manualClock(1_000);
    const scrubber = new Scrubber({
      segments: () => segments,
      damaged: (segment) => reported.push(segment),
      ...{ log, seconds, clock, random: () => 0.5 },
    });
    scrubber.glance();
    return { scrubber, segments, segment: segments[0] as Segment, reported, clock };
  }

  /** Flips a bit in the first account's name, in a page of memory that was read before. */
  function alterName(path: string): void {
    const at = placeOf(whole, first.legal_name);
    keepingTimes(path, () => flipBit(path, at, 1));
  }

  /** True if all bytes with a checksum are unchanged. */
  function isWhole(path: string): boolean {
    return readFileSync(path).subarray(0, covered).equals(whole.subarray(0, covered));
  }

  /** Makes the file's reported state constant, which hides later changes like a bad disk. */
  function silence({ native }: Segment): void {
    Object.assign(native, { fileState: () => native.opened });
  }

  const nameOf = (segment: Segment) =>
    outcome(() => (account(segment, first.cnpj, ["legal_name"]) as typeof first).legal_name);

  it("checks every block once per pass, from any starting block", async () => {
    const { scrubber, segment, clock } = await scrubbing([freshFile()]);
    const blocks = segment.native.blockCount;
    const checked: number[] = [];
    const { verifyBlocks } = segment.native;
    Object.assign(segment.native, {
      verifyBlocks: (from: number, count: number) => {
        for (let block = from; block < from + count; block++) checked.push(block);
        return verifyBlocks.call(segment.native, from, count);
      },
    });
    await scrubber.step();
    assert.deepEqual(checked, [], "nothing is due yet");
    clock.advance(PASS_SECONDS * 250);
    await scrubber.step();
    assert.equal(checked.length, Math.floor(blocks / 4));
    assert.equal(checked[0], Math.floor(blocks / 2));
    clock.advance(PASS_SECONDS * 750);
    await scrubber.step();
    assert.deepEqual(
      checked.toSorted((a, b) => a - b),
      Array.from({ length: blocks }, (_, block) => block),
    );
    assert.equal(scrubber.counts.blocks, blocks);
    assert.deepEqual(scrubber.stateOf(segment), {
      ...{ snapshot: "2026-10", blocks, checked: 0, passes: 1 },
      ...{ lastPassMs: 1_000 + PASS_SECONDS * 1_000, passSeconds: PASS_SECONDS },
    });
    assert.deepEqual(lines, []);
    segment.close();
  });

  it("detects silent damage within one pass", async () => {
    const path = freshFile();
    const { scrubber, segment, clock, reported } = await scrubbing([path]);
    assert.equal(nameOf(segment), first.legal_name);
    silence(segment);
    alterName(path);
    scrubber.glance();
    assert.notEqual(nameOf(segment), first.legal_name, "as long as nobody looks, it is served");
    clock.advance(PASS_SECONDS * 1_000);
    await scrubber.step();
    assert.equal(nameOf(segment), "snapshot_unavailable");
    assert.deepEqual(reported, [segment]);
    assert.equal(scrubber.counts.damaged, 1);
    await scrubber.step();
    assert.equal(lines.length, 1, "one line");
    const { file, block, msg } = JSON.parse(lines[0] as string);
    assert.deepEqual([file, block], [path, segment.native.damagedBlock()]);
    assert.match(msg, /nothing of it is served/);
    assert.ok(!lines.join().includes(first.legal_name.slice(0, 6)), "no row in the log");
    segment.close();
  });

  it("skips untouched files if no pass is configured", async () => {
    const { scrubber, segment, clock } = await scrubbing([freshFile()], 0);
    clock.advance(1e9);
    await scrubber.step();
    assert.equal(scrubber.counts.blocks, 0);
    segment.close();
  });

  it("checks a touched file immediately, even if its mtime was restored", async () => {
    const paths = [freshFile(), freshFile()];
    const { scrubber, segments } = await scrubbing(paths, 0);
    const [kept, written] = segments as [Segment, Segment];
    const names = segments.map(nameOf);
    alterName(paths[0] as string);
    utimesSync(paths[1] as string, 1e9, 1e9);
    scrubber.glance();
    assert.equal(nameOf(kept), "snapshot_unavailable");
    assert.equal(nameOf(written), names[1]);
    await scrubber.step();
    assert.deepEqual(
      segments.map(({ native }) => native.poisoned()),
      [true, false],
    );
    const messages = lines.map((line) => JSON.parse(line).msg as string);
    assert.deepEqual(
      [/was touched/, /nothing of it/, /as it was written/].map(
        (words) => messages.filter((line) => words.test(line)).length,
      ),
      [2, 1, 1],
    );
    for (const segment of segments) segment.close();
  });

  it("returns no wrong answer after the next check, for any file change", async (test) => {
    const random = seededRandom(17);
    const tally = { same: 0, refused: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const path = freshFile();
      const kind = ALTERATIONS[round % ALTERATIONS.length] as (typeof ALTERATIONS)[number];
      const { scrubber, segment } = await scrubbing([path], 0);
      const queries = questions(segment, first.cnpj);
      const expected = queries.map(outcome);
      const hit = () => alter(path, kind, random);
      if (round % 2 === 0) keepingTimes(path, hit);
      else hit();
      scrubber.glance();
      // Each query runs twice. The second run would find totals that the first one cached in spite
      // of the damage.
      for (const question of [...queries.keys(), ...queries.keys()]) {
        const answer = outcome(queries[question] as () => string);
        if (answer === "snapshot_unavailable") tally.refused++;
        else assert.equal(answer, expected[question], `round ${round}, ${kind}: ${question}`);
        if (answer === expected[question]) tally.same++;
      }
      await scrubber.step();
      const found = segment.native.poisoned();
      if (found) for (const query of queries) assert.equal(outcome(query), "snapshot_unavailable");
      else assert.ok(isWhole(path), `round ${round}, ${kind}: an alteration was not found`);
      segment.close();
    }
    assert.ok(tally.same > 0 && tally.refused > 0);
    test.diagnostic(`${ROUNDS} rounds: ${JSON.stringify(tally)}`);
  });

  it("rechecks nothing for observed link changes, and all blocks for unobserved ones", async () => {
    const path = freshFile();
    const { scrubber, segment } = await scrubbing([path], 0);
    linkSync(path, `${path}.pin`);
    scrubber.glance();
    unlinkSync(`${path}.pin`);
    scrubber.glance();
    await scrubber.step();
    assert.deepEqual([lines, scrubber.counts.blocks], [[], 0]);
    linkSync(path, `${path}.pin`);
    unlinkSync(`${path}.pin`);
    await scrubber.step();
    assert.equal(scrubber.counts.blocks, segment.native.blockCount);
    assert.equal(lines.length, 2);
    segment.close();
  });

  it("notifies every user of the file, under any of its names", async () => {
    const path = freshFile();
    const { scrubber, segment } = await scrubbing([path], 0);
    linkSync(path, `${path}.pin`);
    scrubber.glance();
    const pinned = await openSegment(`${path}.pin`);
    const names = [nameOf(segment), nameOf(pinned)];
    assert.deepEqual(names, [first.legal_name, first.legal_name]);
    alterName(path);
    await scrubber.step();
    assert.equal(pinned.native.poisoned(), true);
    assert.equal(nameOf(pinned), "snapshot_unavailable");
    const damaged = await openSegment(path);
    assert.equal(damaged.native.poisoned(), false, "opened anew, and checked anew");
    assert.equal(nameOf(damaged), "snapshot_unavailable");
    for (const one of [segment, pinned, damaged]) one.close();
  });

  it("ends every read of a damaged snapshot with the public error", async () => {
    const path = freshFile();
    const { scrubber, segment } = await scrubbing([path], 0);
    alterName(path);
    await scrubber.step();
    const { native } = segment;
    const page = { clauses: [], order: [{ key: "score", descending: true }], seed: 0n } as const;
    const whole = { ...page, method: "rank", afterRow: -1, limit: 1, fields: ["cnpj"] } as const;
    const rows = Uint32Array.of(0);
    const render = { fields: ["cnpj"], extra: [], delimiter: ",", firstNumber: 1 } as const;
    const reads: Readonly<Record<string, () => unknown>> = {
      meta: () => native.meta(),
      table: () => native.table(0),
      select: () => native.select({ ...page, method: "rank", afterRow: -1, limit: 1 }),
      renderedPage: () => native.renderedPage(whole, new Float64Array(5)),
      count: () => native.count([]),
      facets: () => native.facets([], ["uf"]),
      facetsWorkMax: () => native.facetsWorkMax([], ["uf"]),
      lastWork: () => native.lastWork(),
      emailRows: () => native.emailRows(["ana@example.com"]),
      phoneRows: () => native.phoneRows(Float64Array.of(551133334444)),
      districtRows: () => native.districtRows(Uint32Array.of(0), ["x"]),
      districts: () => native.districts(0, "", 1),
      districtSizes: () => native.districtSizes(Uint32Array.of(0), ["centro"]),
      documentFrequency: () => native.documentFrequency(["x"]),
      renderJson: () => native.renderJson(rows, ["cnpj"]),
      renderRows: () => native.renderRows(rows, { format: "csv", ...render }),
      renderRowsInto: () =>
        native.renderRowsInto(rows, { format: "csv", ...render }, new Uint8Array(100)),
      columnsOf: () => native.columnsOf(rows, ["cnpj"]),
      parquetOf: () => native.parquetOf(rows, ["cnpj"], []),
      findCnpj: () => native.findCnpj(first.cnpj),
      entriesOf: () => native.entriesOf(rows),
      entriesOfBits: () => native.entriesOfBits(new Uint8Array(native.rowCount).fill(255), 0, 1),
      firstsPerCompany: () => native.firstsPerCompany(rows, { ...page, beginning: true }),
    };
    const later: Readonly<Record<string, () => Promise<unknown>>> = {
      blockRowsAsync: () => native.blockRowsAsync(Uint8Array.of(1, 4), null),
      companyAsync: () => native.companyAsync({ root: "00000000", afterRow: -1, limit: 1 }),
      countAsync: () => native.countAsync([]),
      entryRowsAsync: () => native.entryRowsAsync(new Uint8Array(8)),
      facetsAsync: () => native.facetsAsync([], ["uf"]),
      firstsPerCompanyAsync: () => native.firstsPerCompanyAsync(rows, { ...page, beginning: true }),
      matchEntriesAsync: () => native.matchEntriesAsync([], false),
      renderRowsAsync: () => native.renderRowsAsync(rows, { format: "csv", ...render }),
      parquetOfAsync: () => native.parquetOfAsync(rows, ["cnpj"], []),
      suggestAsync: () => native.suggestAsync({ words: ["a"], clauses: [], limit: 1 }),
      selectAsync: () => native.selectAsync({ ...page, method: "rank", afterRow: -1, limit: 1 }),
    };
    const isPublic = (error: unknown) =>
      error instanceof AppError && error.code === "snapshot_unavailable";
    for (const [name, read] of Object.entries(reads)) assert.throws(read, isPublic, name);
    for (const [name, read] of Object.entries(later)) await assert.rejects(read, isPublic, name);
    // Methods that read no rows, or whose own task is to check blocks.
    const others = ["verify", "verifyBlocks", "recheckAll", "fileState", "damagedBlock", "share"];
    const known = [
      ...Object.keys({ ...reads, ...later }),
      ...others,
      "dropCaches",
      "poisoned",
      "close",
    ];
    const methods = Object.entries(native).filter(([, value]) => typeof value === "function");
    assert.deepEqual(methods.map(([name]) => name).sort(), known.sort());
    segment.close();
  });

  it("forgets a closed snapshot, even during a check", async () => {
    const { scrubber, segments, segment, clock } = await scrubbing([freshFile()]);
    clock.advance(PASS_SECONDS * 1_000);
    const stepping = scrubber.step();
    segments.length = 0;
    segment.close();
    await stepping;
    await scrubber.stop();
    assert.deepEqual([lines, scrubber.states()], [[], []]);
    assert.ok(scrubber.counts.blocks < segment.native.blockCount);
  });
});
