/**
 * Proves, for the query code of the addon alone, on random rows of one and of three chunks: each
 * method gives the same results as the slow reference implementation (query-twin.ts), for random
 * clauses of every dimension and kind. The results are matches, counts, order, and joined pages.
 * Rendered JSON equals JSON.stringify. The work stays within the designed limits. Invalid requests
 * are rejected with the name of the mistake.
 * Does not prove: anything about damaged files (campaign/files/damage.test.ts) or real registry
 * data.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type DimensionName, ORDERS } from "../../../native-index/format/columns.ts";
import {
  type Clause,
  type Method,
  type NativeSegment,
  nativeVersions,
  type OrderKey,
  openSegment,
  type SelectRequest,
} from "../../../native-index/napi/engine.ts";
import {
  type FixtureRow,
  randomRows,
  seededRandom,
} from "../../support/native-index/fixture-rows.ts";
import { accountOf, matchesOf, sorted } from "../../support/native-index/query-twin.ts";
import { writeFixture } from "../../support/native-index/region-fixture.ts";
import { randomRowSet, rowListOf } from "../../support/native-index/row-lists.ts";
import { scaled, tries } from "../../support/run/scale.ts";

const PORTABLE = process.env.PENEIRA_SIMD === "portable";
const ROUNDS = tries("kernel queries");
/** Dimensions, each with the number of codes in random clauses. A few codes have no row. */
const CODES: readonly (readonly [DimensionName, number])[] = [
  ["cnae_primary", 42],
  ["cnae_secondary", 42],
  ["uf", 7],
  ["municipality_ibge", 62],
  ["municipality_tom", 66],
  ["registration_status", 9],
  ["company_size_code", 5],
  ["legal_nature", 8],
  ["flag", 10],
  ["area_code", 100],
  ["started_year", 226],
];
const WORDS = ["ltda", "comercio", "de", "acao", "sao", "jose", "bar", "41", "w0", "w7", "nada"];

interface Subject {
  readonly rows: readonly FixtureRow[];
  readonly segment: NativeSegment;
}

function randomClause(random: () => number, rows: number): Clause {
  const below = (count: number) => Math.floor(random() * count);
  if (random() < 0.15) {
    const lists = Array.from({ length: 1 + below(3) }, () => rowListOf(randomRowSet(random, rows)));
    return { kind: "rows", lists, negated: random() < 0.5 };
  }
  const kind = random();
  if (kind < 0.7) {
    const part = () => {
      const [dimension, codes] = CODES[below(CODES.length)] as (typeof CODES)[number];
      const count = random() < 0.5 ? 1 : 1 + below(Math.min(codes, 30));
      return { dimension, codes: Uint32Array.from({ length: count }, () => below(codes)) };
    };
    const any = random() < 0.2 ? [part(), part()] : [part()];
    return { kind: "posting", any, negated: random() < 0.25 };
  }
  if (kind < 0.85) {
    const word = () => WORDS[below(WORDS.length)] as string;
    const hint = () => Array.from({ length: 1 + below(3) }, word);
    return { kind: "words", hints: Array.from({ length: 1 + below(3) }, hint) };
  }
  const [column, low, high] = [
    ["started_on", -62_091, 20_000] as const,
    ["share_capital_cents", 0, 10 ** (2 + below(14))] as const,
    ["postal_code", 0, 99_999_999] as const,
  ][below(3)] as readonly ["started_on", number, number];
  const bound = () => low + Math.floor(random() * (high - low));
  const ranges = Array.from({ length: 1 + below(2) }, () => {
    const [a, b] = [bound(), bound()];
    return [Math.min(a, b), Math.max(a, b)] as const;
  });
  return { kind: "range", column, ranges };
}

/** Returns many ranges: single values, and neighboring, overlapping, nested, and empty ranges. */
function manyRanges(random: () => number): Clause {
  const below = (count: number) => Math.floor(random() * count);
  const [column, low, high] = [
    ["started_on", -62_091, 20_000] as const,
    ["share_capital_cents", -5, 10 ** (2 + below(14))] as const,
    ["postal_code", -10, 100_000_010] as const,
  ][below(3)] as readonly ["started_on", number, number];
  const count = 20 + below(400);
  // Close ranges, so that one cell of the engine's lookup table has many of them.
  const span = (high - low) / (random() < 0.3 ? 50 : 1);
  const ranges = Array.from({ length: count }, () => {
    const from = Math.floor(low + random() * span);
    const width = Math.floor(((high - low) / count) * random() * 2);
    return [from, from + (random() < 0.3 ? 0 : random() < 0.1 ? -1 : width)] as const;
  });
  if (random() < 0.2) ranges.push([-Number.MAX_SAFE_INTEGER, low], [high, 2 ** 60]);
  return { kind: "range", column, ranges };
}

function randomOrder(random: () => number): OrderKey[] {
  const keys = [...ORDERS, "random"] as const;
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
    key: keys[Math.floor(random() * keys.length)] as OrderKey["key"],
    descending: random() < 0.5,
  }));
}

function page(segment: NativeSegment, request: Partial<SelectRequest>) {
  return segment.select({
    clauses: [],
    order: [{ key: "score", descending: true }],
    method: "rank",
    seed: 0n,
    afterRow: -1,
    limit: 50,
    ...request,
  });
}

/** Returns a clause for the values between two bounds. For days, some clauses name years. */
function wantedValues(
  round: number,
  isDay: boolean,
  [low, high]: readonly [number, number],
): Clause {
  if (!isDay || round % 4 !== 0) {
    const column = isDay ? "started_on" : "share_capital_cents";
    return { kind: "range", column, ranges: [[low, high]] };
  }
  const yearOf = (day: number) => new Date(day * 86_400_000).getUTCFullYear() - 1_800;
  const years = Array.from({ length: yearOf(high) - yearOf(low) + 1 }, (_, i) => yearOf(low) + i);
  const codes = Uint32Array.from(years);
  return { kind: "posting", any: [{ dimension: "started_year", codes }], negated: false };
}

/** Returns all pages of a request, joined. */
function joined(segment: NativeSegment, request: Partial<SelectRequest>): number[] {
  const all: number[] = [];
  for (let more = true; more; ) {
    const got = page(segment, { ...request, afterRow: all.at(-1) ?? -1 });
    all.push(...got.rows);
    more = got.more;
    assert(!more || got.rows.length === request.limit, "a page that is not the last is full");
  }
  return all;
}

describe("queries on the addon", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "peneira-query-"));
  const subjects: Subject[] = [];

  before(async () => {
    for (const count of [0, 1, 3_000, 150_000]) {
      const fixture = await writeFixture(path.join(folder, `${count}`), randomRows(count, count));
      subjects.push({ rows: fixture.rows, segment: openSegment(fixture.path, fixture.directory) });
    }
  });
  after(() => {
    for (const { segment } of subjects) segment.close();
    rmSync(folder, { recursive: true });
  });
  const small = () => subjects[2] as Subject;
  const large = () => subjects[3] as Subject;

  it("finds and counts exactly the twin's rows, in rank order", () => {
    const random = seededRandom(1);
    let nonEmpty = 0;
    for (const { rows, segment } of subjects) {
      const rounds = rows.length > 10_000 ? ROUNDS / 10 : ROUNDS;
      for (let i = 0; i < rounds; i++) {
        const clauses = Array.from({ length: Math.floor(random() * 4) }, () =>
          randomClause(random, rows.length),
        );
        const expected = matchesOf(rows, clauses);
        const label = JSON.stringify(clauses);
        assert.equal(segment.count(clauses), expected.length, label);
        assert.equal(segment.count(clauses), expected.length, `remembered ${label}`);
        const limit = 1 + Math.floor(random() * 1000);
        const all = joined(segment, { clauses, limit: Math.max(limit, expected.length >> 3) });
        assert.deepEqual(all, expected, label);
        if (expected.length > 0) nonEmpty++;
      }
    }
    assert(nonEmpty > ROUNDS / 3, `only ${nonEmpty} queries had an answer`);
  });

  it("finds exactly the rows of many ranges, by chunks and row by row", () => {
    const random = seededRandom(11);
    let nonEmpty = 0;
    for (const { rows, segment } of subjects) {
      for (let i = 0; i < (rows.length > 10_000 ? ROUNDS / 5 : ROUNDS); i++) {
        const clauses = [
          manyRanges(random),
          ...(random() < 0.5 ? [randomClause(random, rows.length)] : []),
        ];
        const expected = matchesOf(rows, clauses);
        const label = JSON.stringify(clauses);
        assert.equal(segment.count(clauses), expected.length, label);
        const limit = 1 + (expected.length >> 1);
        assert.deepEqual(joined(segment, { clauses, limit }), expected, label);
        const order = [{ key: "cnpj", descending: false }] as const;
        const walked = page(segment, { clauses, order, method: "walk", limit: 9 });
        assert.deepEqual([...walked.rows], sorted(rows, expected, order, 0n).slice(0, 9), label);
        if (expected.length > 0) nonEmpty++;
      }
    }
    assert(nonEmpty > ROUNDS, `only ${nonEmpty} queries had an answer`);
  });

  it("finds the same rows off the main thread as inline, with many queries in flight", async () => {
    const random = seededRandom(12);
    const { rows, segment } = large();
    const checks = Array.from({ length: ROUNDS / 10 }, async () => {
      const clauses = [randomClause(random, rows.length)];
      const order = randomOrder(random);
      const method: Method = random() < 0.5 ? "walk" : "gather";
      const request = { clauses, order, method, seed: 5n, afterRow: -1, limit: 70 };
      const names = ["uf", "cnae", "contact"] as const;
      const [selection, count, facets] = await Promise.all([
        segment.selectAsync(request),
        segment.countAsync(clauses),
        segment.facetsAsync(clauses, names),
      ]);
      assert.equal(count, matchesOf(rows, clauses).length);
      const { rows: found, more } = segment.select(request);
      assert.deepEqual([selection.rows, selection.more], [found, more]);
      assert.deepEqual(facets, segment.facets(clauses, names));
      const companies = { clauses, order, seed: 5n, beginning: random() < 0.5 };
      assert.deepEqual(
        await segment.firstsPerCompanyAsync(found, companies),
        segment.firstsPerCompany(found, companies),
      );
    });
    await Promise.all(checks);
    assert.throws(() => segment.countAsync([{ kind: "sound" } as never]), /kind "sound"/);
    const behind = { clauses: [], order: [], seed: 0n, afterRow: 1e6, limit: 1 };
    await assert.rejects(segment.selectAsync({ ...behind, method: "rank" }), {
      code: "INVALID_ARGUMENT",
    });
  });

  it("finishes a count in flight if the segment is closed meanwhile", async () => {
    const fixture = await writeFixture(path.join(folder, "closed"), randomRows(3_000, 3_000));
    const segment = openSegment(fixture.path, fixture.directory);
    const count = segment.countAsync([]);
    segment.close();
    assert.equal(await count, 3_000);
    assert.throws(() => segment.countAsync([]), { code: "SNAPSHOT_CLOSED" });
  });

  it("orders by up to three keys with every method, with pages that join", () => {
    const random = seededRandom(2);
    for (const { rows, segment } of subjects) {
      const rounds = rows.length > 10_000 ? ROUNDS / 10 : ROUNDS;
      for (let i = 0; i < rounds; i++) {
        const clauses = Array.from({ length: Math.floor(random() * 3) }, () =>
          randomClause(random, rows.length),
        );
        const order = randomOrder(random);
        const seed = BigInt(Math.floor(random() * 2 ** 53));
        const expected = sorted(rows, matchesOf(rows, clauses), order, seed);
        const limit = Math.max(1 + Math.floor(random() * 200), expected.length >> 2);
        for (const method of ["walk", "gather"] as Method[]) {
          const all = joined(segment, { clauses, order, seed, method, limit });
          assert.deepEqual(all, expected, `${method} ${JSON.stringify({ clauses, order })}`);
        }
      }
    }
  });

  it("starts a page after a row that does not match", () => {
    const { rows, segment } = small();
    const random = seededRandom(3);
    for (let i = 0; i < ROUNDS; i++) {
      const clauses = [randomClause(random, rows.length)];
      const order = randomOrder(random);
      const afterRow = Math.floor(random() * rows.length);
      const everything = sorted(
        rows,
        rows.map((_, id) => id),
        order,
        7n,
      );
      const matches = new Set(matchesOf(rows, clauses));
      const rest = everything
        .slice(everything.indexOf(afterRow) + 1)
        .filter((id) => matches.has(id));
      for (const method of ["walk", "gather"] as Method[]) {
        const got = page(segment, { clauses, order, seed: 7n, afterRow, method, limit: 20 });
        assert.deepEqual([...got.rows], rest.slice(0, 20), JSON.stringify({ clauses, order }));
        assert.equal(got.more, rest.length > 20);
      }
    }
  });

  it("renders every field as JSON.stringify does", () => {
    const { rows, segment } = small();
    const ids = rows.map((_, id) => id);
    const accounts = rows.map(accountOf);
    const fields = Object.keys(accounts[0] as object);
    const text = Buffer.from(segment.renderJson(Uint32Array.from(ids), fields)).toString();
    assert.equal(text, JSON.stringify(accounts));
    const few = Buffer.from(segment.renderJson(Uint32Array.of(5, 2), ["uf", "cnpj"])).toString();
    const picked = [5, 2].map((id) => ({ uf: accounts[id]?.uf, cnpj: accounts[id]?.cnpj }));
    assert.equal(few, JSON.stringify(picked));
    assert.equal(Buffer.from(segment.renderJson(new Uint32Array(), fields)).toString(), "[]");
    assert.throws(() => segment.renderJson(Uint32Array.of(3000), ["uf"]), /no row 3000/);
    assert.throws(() => segment.renderJson(Uint32Array.of(0), ["salary"]), /no field "salary"/);
  });

  it("finds a CNPJ or reports that it does not exist", () => {
    const { rows, segment } = small();
    for (const id of [0, 1, 1234, 2999]) {
      assert.equal(segment.findCnpj(rows[id]?.cnpj as string), id);
    }
    assert.equal(segment.findCnpj("ZZZZZZZZZZZZZZ"), -1);
    assert.equal(segment.findCnpj(""), -1);
    assert.equal((subjects[0] as Subject).segment.findCnpj("00000000000191"), -1);
  });

  it("counts in the cube without opening a chunk, and stops at the limit", () => {
    const { segment } = large();
    const active = { dimension: "registration_status", codes: Uint32Array.of(2) } as const;
    const clauses: Clause[] = [{ kind: "posting", any: [active], negated: false }];
    assert(segment.count(clauses) > 10_000);
    assert.equal(segment.lastWork().chunks, 0);
    assert.equal(page(segment, { clauses }).work.chunks, 1, "50 rows are in the first chunk");
    const deep = page(segment, { clauses, afterRow: 140_000 });
    assert.equal(deep.work.chunks, 1, "a deep page costs what the first one costs");
    assert.equal(deep.work.gathered, 0);
  });

  it("walks few positions for a page at any depth", () => {
    const { segment } = large();
    const flag = { dimension: "flag", codes: Uint32Array.of(0) } as const;
    const clauses: Clause[] = [{ kind: "posting", any: [flag], negated: false }];
    for (const key of [...ORDERS, "random"] as OrderKey["key"][]) {
      for (const descending of [false, true]) {
        for (const afterRow of [-1, 70_000]) {
          const order = [{ key, descending }];
          const { work, more } = page(segment, { clauses, order, method: "walk", afterRow });
          assert(work.probes <= 120 || !more, `${key}: ${work.probes} probes`);
          assert.equal(work.chunks, 0);
        }
      }
    }
  });

  it("walks only the values of the first key that a clause allows, from any row", () => {
    const { segment, rows } = large();
    const random = seededRandom(91);
    const days = rows.flatMap(({ started_on: day }) => day ?? []).sort((a, b) => a - b);
    const cents = rows
      .flatMap(({ share_capital_cents: one }) => one ?? [])
      .map(Number)
      .sort((a, b) => a - b);
    for (let round = 0; round < 60; round++) {
      const isDay = round % 2 === 0;
      const values = isDay ? days : cents;
      const at = Math.floor(random() * values.length * 0.98);
      const clause = wantedValues(round, isDay, [
        values[at] as number,
        values[Math.min(values.length - 1, at + 1_000)] as number,
      ]);
      const further = random() < 0.5 ? [] : [{ key: "legal_name", descending: false } as const];
      const key = isDay ? "started_on" : "share_capital";
      const order = [{ key, descending: random() < 0.5 }, ...further] as const;
      const afterRow = random() < 0.5 ? -1 : Math.floor(random() * rows.length);
      const request = { clauses: [clause], order, afterRow };
      const walked = page(segment, { ...request, method: "walk" });
      segment.dropCaches();
      const gathered = page(segment, { ...request, method: "gather" });
      assert.deepEqual([walked.rows, walked.more], [gathered.rows, gathered.more]);
      if (further.length > 0 || !walked.more) continue;
      assert(walked.work.probes <= 51, `${walked.work.probes} probes for 50 rows of ${key}`);
    }
  });

  it("reads the list of few matches before it walks or compares, and opens no chunk", () => {
    const { segment, rows } = large();
    const random = seededRandom(94);
    let listed = 0;
    for (let round = 0; round < 80; round++) {
      const codes = Uint32Array.of(Math.floor(random() * 40));
      const clauses: Clause[] = [
        { kind: "posting", any: [{ dimension: "cnae_primary", codes }], negated: false },
        {
          kind: "posting",
          any: [{ dimension: "uf", codes: Uint32Array.of(round % 5) }],
          negated: false,
        },
      ];
      const key = (["share_capital", "legal_name", "random"] as const)[round % 3] as "random";
      const order: OrderKey[] = [{ key, descending: random() < 0.5 }];
      const all = sorted(rows, matchesOf(rows, clauses), order, 7n);
      const isShort = all.length <= Math.ceil(rows.length / 65_536) * 256;
      listed += isShort ? 1 : 0;
      const afterRow = all.length > 0 && random() < 0.5 ? (all[all.length >> 1] as number) : -1;
      const rest = all.slice(all.indexOf(afterRow) + 1);
      for (const method of ["walk", "gather"] as Method[]) {
        segment.dropCaches();
        assert.equal(segment.count(clauses), all.length);
        const got = page(segment, { clauses, order, seed: 7n, afterRow, method, limit: 200 });
        assert.deepEqual([...got.rows], rest.slice(0, 200), JSON.stringify({ clauses, order }));
        if (isShort) assert.equal(got.work.chunks, 0, method);
      }
    }
    assert(listed >= 10, `${listed} lists were short`);
  });

  it("stops a walk at its row limit, and compares if the matches are known", () => {
    const { segment, rows } = large();
    const order = [{ key: "legal_name", descending: false }] as const;
    // The last accounts in the order of names, so that a scan visits all others first.
    const wanted = rows
      .flatMap(({ cnpj, legal_name: name }, row) => (name === null ? [] : [{ cnpj, name, row }]))
      .sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
      .slice(-40);
    const postal = wanted.map(({ row }) => rows[row]?.postal_code).filter((code) => code != null);
    const ranges = [...new Set(postal)].map((code) => [code, code] as const);
    const clauses: Clause[] = [{ kind: "range", column: "postal_code", ranges }];
    segment.dropCaches();
    const few = page(segment, { clauses, order, method: "walk", meetMax: 4_096 });
    assert.deepEqual([few.gaveUp, few.rows.length, few.more], [true, 0, false]);
    assert(few.work.probes <= 4_096);
    const all = page(segment, { clauses, order, method: "walk" });
    assert(!all.gaveUp && all.rows.length > 0 && all.work.probes > 4_096);
    const matches = segment.count(clauses);
    const known = page(segment, { clauses, order, method: "walk" });
    assert.deepEqual(known.rows, all.rows);
    assert(known.work.probes <= 8 * matches + 51, `${known.work.probes} probes`);
  });

  it("gives up a walk, or finds what comparing finds, at any limit of rows", () => {
    const { segment, rows } = large();
    const random = seededRandom(97);
    let [whole, given] = [0, 0];
    for (let round = 0; round < 60; round++) {
      const clauses = [randomClause(random, rows.length)];
      const [first, second] = (
        [
          ["share_capital", "cnpj"],
          ["score", "cnpj"],
          ["company_size", "started_on"],
        ] as const
      )[round % 3] as readonly ["score", "cnpj"];
      const order: OrderKey[] = [
        { key: first, descending: random() < 0.5 },
        { key: second, descending: random() < 0.5 },
      ];
      const afterRow = random() < 0.3 ? -1 : Math.floor(random() * rows.length);
      const request = { clauses, order, afterRow, limit: 20 };
      const expected = page(segment, { ...request, method: "gather" });
      for (let meetMax = 16; meetMax < rows.length; meetMax *= 2) {
        const walked = page(segment, { ...request, method: "walk", meetMax });
        if (walked.gaveUp) given++;
        else whole++;
        if (!walked.gaveUp) assert.deepEqual(walked.rows, expected.rows, `at most ${meetMax} met`);
      }
    }
    assert(whole >= 60 && given >= 60, `${whole} walked, ${given} given up`);
  });

  it("counts within a limit, or not at all, if no precomputed sum applies", () => {
    const { segment, rows } = large();
    const ranges = [[1, Number.MAX_SAFE_INTEGER]] as const;
    const clauses: Clause[] = [{ kind: "range", column: "share_capital_cents", ranges }];
    segment.dropCaches();
    assert.equal(segment.count(clauses, rows.length - 1), -1);
    assert.equal(segment.lastWork().chunks, 0);
    const counted = segment.count(clauses);
    assert(counted > 0);
    assert.equal(segment.count(clauses, 1), counted, "what is known is told");
  });

  it("does not compare large groups of ties again for every page", () => {
    const { segment, rows } = large();
    const clauses: Clause[] = [];
    for (const further of ["legal_name", "score", "random"] as OrderKey["key"][]) {
      for (const descending of [false, true]) {
        for (const afterRow of [-1, 70_000]) {
          const order = [
            { key: "company_size", descending },
            { key: further, descending: false },
          ] as const;
          const { work } = page(segment, { clauses, order, method: "walk", afterRow });
          const met = work.probes + work.gathered;
          assert(met <= rows.length / 20, `${further} after ${afterRow}: ${met} rows met`);
        }
      }
    }
  });

  it("passes the same tests without AVX2", { skip: PORTABLE }, () => {
    const args = ["--import", "tsx", "--test", fileURLToPath(import.meta.url)];
    const env = { ...process.env, PENEIRA_SIMD: "portable", ...scaled({ "kernel queries": 20 }) };
    // Removes the variable with which Node's test runner marks its children, so that the child runs
    // independently.
    delete (env as NodeJS.ProcessEnv).NODE_TEST_CONTEXT;
    const child = spawnSync(process.execPath, args, { encoding: "utf8", env });
    assert.equal(child.status, 0, child.stdout.slice(-4000));
    assert.match(child.stdout, /pass 18\b/);
  });

  it("reports which SIMD variant it runs", () => {
    const simd = nativeVersions().simd;
    assert.match(simd, PORTABLE ? /^portable/ : /^(avx2|portable), crc32c /);
  });

  it("rejects invalid requests and names the invalid part", () => {
    const { segment } = small();
    const order = [{ key: "cnpj", descending: false }] as const;
    const range = { kind: "range", column: "cnpj", ranges: [] } as unknown as Clause;
    const dimension = { dimension: "colour", codes: new Uint32Array() };
    const posting = { kind: "posting", any: [dimension], negated: false } as unknown as Clause;
    assert.throws(() => page(segment, { order }), { code: "INVALID_ARGUMENT", message: /rank/ });
    assert.throws(() => page(segment, { afterRow: 3000 }), /afterRow 3000/);
    assert.throws(() => page(segment, { limit: -1 }), /limit/);
    assert.throws(() => page(segment, { method: "guess" as Method }), /method "guess"/);
    assert.throws(() => page(segment, { clauses: [range] }), /range over "cnpj"/);
    assert.throws(() => page(segment, { clauses: [posting] }), /dimension "colour"/);
    assert.throws(() => segment.count.call({}, []), /this must be a segment/);
    assert.throws(() => openSegment("/nowhere/file", { offset: 0, length: 48, crc32c: 0 }), {
      code: "SNAPSHOT_UNREADABLE",
    });
  });
});
