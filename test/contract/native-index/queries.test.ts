/**
 * Proves: every method of the addon that takes an encoded query (an array of numbers) rejects an
 * invalid one, and names the position of the wrong number. Queries with random, truncated, or
 * replaced numbers are answered or rejected. They never crash the process and leave the segment
 * unchanged. The number of row lists must match. A query encoded for an addon with other tables is
 * rejected.
 * Does not prove: that an encoded query is decoded as intended (test/campaign/kernel does).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { DIMENSIONS, ORDERS } from "../../../native-index/format/columns.ts";
import {
  type AddonSegment,
  type Clause,
  type NativeRowList,
  openRowList,
} from "../../../native-index/napi/engine.ts";
import {
  queryLayout,
  RANGE_COLUMNS,
  REQUEST_KINDS,
  writeBoth,
  writeFirsts,
  writePage,
  writeQuery,
} from "../../../native-index/napi/query.ts";
import { loadEngine } from "../../../src/location.ts";
import { randomRows, seededRandom } from "../../support/native-index/fixture-rows.ts";
import { type Fixture, writeFixture } from "../../support/native-index/region-fixture.ts";

interface Opener {
  openSegment(path: string, directory: Fixture["directory"]): AddonSegment;
}

type RequestKind = (typeof REQUEST_KINDS)[number];
type Lists = readonly NativeRowList[] | undefined;

const folder = mkdtempSync(path.join(tmpdir(), "peneira-queries-"));
const ROW_COUNT = 3_000;
/** A portable Roaring bitmap of the rows 1, 3, and 5. */
const BITMAP = [0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 16, 0, 0, 0, 1, 0, 3, 0, 5, 0];
const ORDER = [
  { key: "legal_name", descending: true },
  { key: "random", descending: false },
] as const;

let segment: AddonSegment;
let list: NativeRowList;
before(async () => {
  const fixture = await writeFixture(path.join(folder, "small"), randomRows(1, ROW_COUNT));
  segment = (loadEngine() as Opener).openSegment(fixture.path, fixture.directory);
  list = openRowList(Uint8Array.from(BITMAP));
});
after(() => {
  segment.close();
  rmSync(folder, { recursive: true, force: true });
});

function clauses(): Clause[] {
  return [
    { kind: "posting", any: [{ dimension: "uf", codes: Uint32Array.of(1, 4) }], negated: true },
    { kind: "words", hints: [["ltda", "são"], []] },
    { kind: "range", column: "phone_1", or: "phone_2", ranges: [[-1, 2 ** 60]] },
    { kind: "rows", lists: [list, list], negated: true },
  ];
}

/** Encodes a request of each kind. Copies the numbers, because the encoder reuses its buffer. */
function writtenOf(kind: RequestKind): [Float64Array, Lists] {
  const page = { clauses: clauses(), order: ORDER, seed: 2n ** 40n + 1n } as const;
  const written = {
    query: () => writeQuery(page.clauses),
    both: () => writeBoth(page.clauses, page.clauses),
    page: () => writePage({ ...page, method: "gather", afterRow: 7, limit: 3 }),
    firsts: () => writeFirsts({ ...page, beginning: false }),
  };
  const [numbers, lists] = written[kind]();
  return [numbers.slice(), lists];
}

type Taken = readonly [kind: RequestKind, call: (numbers: Float64Array, lists: Lists) => unknown];

/** Every method that takes a query. */
const METHODS: Readonly<Record<string, Taken>> = {
  select: ["page", (...query) => segment.select(...query)],
  selectAsync: ["page", (...query) => segment.selectAsync(...query)],
  renderedPage: [
    "page",
    (...query) => segment.renderedPage(...query, ["cnpj"], new Float64Array(5)),
  ],
  count: ["query", (...query) => segment.count(...query)],
  countAsync: ["query", (...query) => segment.countAsync(...query)],
  facets: ["query", (...query) => segment.facets(...query, ["uf"])],
  facetsWorkMax: ["query", (...query) => segment.facetsWorkMax(...query, ["uf"])],
  facetsAsync: ["query", (...query) => segment.facetsAsync(...query, ["uf"])],
  matchEntriesAsync: ["query", (...query) => segment.matchEntriesAsync(...query, false)],
  suggestAsync: ["query", (...query) => segment.suggestAsync(...query, ["ltda"], 3)],
  firstsPerCompany: ["firsts", (...query) => segment.firstsPerCompany(...query, Uint32Array.of(0))],
  firstsPerCompanyAsync: [
    "firsts",
    (...query) => segment.firstsPerCompanyAsync(...query, Uint32Array.of(0)),
  ],
};

const MESSAGES = [
  "the numbers of a query end too early",
  "the numbers of a query are wrong: number \\d+ is -?(\\d+\\.\\d+|inf|nan)",
  "more numbers follow those of a query",
  "a query has more lists of rows than it names",
  "query must be a Float64Array of at least 1 numbers, not .*",
  "lists must be .*, not .*",
];
const MESSAGE = new RegExp(`^(${MESSAGES.join("|")})$`);

/** Asserts that an error, thrown or from a promise, is a rejection of the query. */
function isRefusal(error: unknown): true {
  assert(error instanceof TypeError, `${error}`);
  assert.equal((error as NodeJS.ErrnoException).code, "INVALID_ARGUMENT");
  assert.match(error.message, MESSAGE);
  return true;
}

describe("encoded queries", () => {
  it("are accepted by every method, and by no method for another kind", async () => {
    for (const [name, [wanted, call]] of Object.entries(METHODS)) {
      for (const kind of REQUEST_KINDS) {
        if (kind === wanted) await call(...writtenOf(kind));
        else await assert.rejects(async () => call(...writtenOf(kind)), isRefusal, name);
      }
    }
  });

  it("are rejected if truncated, extended, or invalid", async () => {
    for (const [name, [kind, call]] of Object.entries(METHODS)) {
      const [numbers, lists] = writtenOf(kind);
      for (let length = 0; length < numbers.length; length++) {
        await assert.rejects(async () => call(numbers.subarray(0, length), lists), isRefusal, name);
      }
      await assert.rejects(
        async () => call(Float64Array.from([...numbers, 0]), lists),
        isRefusal,
        name,
      );
      for (const other of [undefined, [], [list], [list, list, list], [list, {}], 5, [null]]) {
        await assert.rejects(
          async () => call(numbers, other as Lists),
          isRefusal,
          `${name}, ${other}`,
        );
      }
      for (const other of [undefined, null, [1], new Uint8Array(9), {}]) {
        await assert.rejects(
          async () => call(other as unknown as Float64Array, lists),
          isRefusal,
          name,
        );
      }
    }
  });

  it("are rejected if one number is out of range", async () => {
    for (const [name, [kind, call]] of Object.entries(METHODS)) {
      const [numbers, lists] = writtenOf(kind);
      for (let at = 0; at < numbers.length; at++) {
        const wrong = Float64Array.from(numbers);
        wrong[at] = Number.NaN;
        await assert.rejects(async () => call(wrong, lists), isRefusal, `${name}, number ${at}`);
      }
    }
  });

  it("are rejected by an addon with other tables", () => {
    const [numbers, lists] = writtenOf("query");
    for (const layout of [0, queryLayout() - 1, queryLayout() + 1]) {
      const other = Float64Array.from(numbers);
      other[0] = layout * REQUEST_KINDS.length;
      assert.throws(() => segment.count(other, lists), /: number 0 is \d+\.0+$/);
    }
  });

  it("yield an answer or a rejection for any numbers", () => {
    const random = seededRandom(17);
    const draw = (most: number) => Math.floor(random() * most);
    const some = [0, 1, 2, 3, 4, 11, 255, 256, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53, -1, 0.5];
    const odd = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 1e308];
    const outcomes = { answered: 0, refused: 0 };
    const names = ["count", "facets", "select", "renderedPage", "firstsPerCompany"];
    for (let round = 0; round < 20_000; round++) {
      const [kind, call] = METHODS[names[draw(names.length)] as string] as Taken;
      const [numbers, lists] = writtenOf(kind);
      if (kind === "page") numbers.set([-1, 3, 2], 1);
      for (let changes = draw(4); changes >= 0; changes--) {
        const values = random() < 0.8 ? some : odd;
        numbers[1 + draw(numbers.length - 1)] = values[draw(values.length)] as number;
      }
      const renewed = Float64Array.from({ length: draw(30) }, () => draw(4));
      renewed.set(numbers.subarray(0, Math.min(renewed.length, 1)));
      const given = random() < 0.7 ? numbers : renewed;
      try {
        call(given, random() < 0.9 ? lists : undefined);
        outcomes.answered++;
      } catch (error) {
        assert(error instanceof TypeError, `${error}: ${given}`);
        assert.equal((error as NodeJS.ErrnoException).code, "INVALID_ARGUMENT");
        outcomes.refused++;
      }
    }
    assert.ok(outcomes.answered > 1_000 && outcomes.refused > 5_000, JSON.stringify(outcomes));
    assert.equal(segment.count(...writeQuery([])), ROW_COUNT);
  });

  it("name every member", () => {
    for (const dimension of DIMENSIONS) {
      const any = [{ dimension, codes: Uint32Array.of(2 ** 32 - 1) }];
      assert.equal(segment.count(...writeQuery([{ kind: "posting", any, negated: false }])), 0);
    }
    for (const column of RANGE_COLUMNS) {
      const all = [[Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]] as const;
      assert.ok(segment.count(...writeQuery([{ kind: "range", column, ranges: all }])) > 0, column);
    }
    for (const key of ORDERS) {
      const order = [{ key, descending: false }];
      const page = { clauses: [], order, method: "gather", seed: 0n, afterRow: -1 } as const;
      assert.equal(segment.select(...writePage({ ...page, limit: 9 })).rows.length, 9, key);
    }
  });

  it("with many numbers equal those with few", () => {
    const codes = Uint32Array.from({ length: 100_000 }, (_, code) => code);
    const any = [{ dimension: "municipality_ibge", codes }] as const;
    const [numbers] = writeQuery([{ kind: "posting", any, negated: false }]);
    assert.deepEqual(numbers.slice(-3), Float64Array.of(99_997, 99_998, 99_999));
    const many = segment.count(...writeQuery([{ kind: "posting", any, negated: false }]));
    const none = segment.count(...writeQuery([{ kind: "posting", any, negated: true }]));
    assert.ok(many > 0);
    assert.equal(many + none, ROW_COUNT);
  });
});
