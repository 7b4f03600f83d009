/**
 * Proves: looking up many CNPJs in one call returns for each the row that a single look-up returns.
 * CNPJs may be absent or repeated, in any order and number. A root (the first eight characters)
 * returns the company's head office, or its first establishment if there is no head office. The
 * rows are rendered in the order of the CNPJs, with the same result off the main thread. An
 * incomplete CNPJ is refused.
 * Does not prove: how fast it is (bench -- enrich).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type NativeSegment, NO_ROW, type RowsRequest } from "../../../native-index/napi/engine.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { openRowFixtures } from "../../support/native-index/rows-fixture.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

interface Account {
  readonly cnpj: string;
  readonly headquarters: boolean;
}

let made: SampleSnapshot;
let segment: Segment;
let accounts: readonly Account[];

before(async () => {
  made = await makeSampleSnapshot(3_000, 11);
  segment = await openSegment(made.snapshot);
  const rows = Uint32Array.from({ length: segment.accounts }, (_, row) => row);
  const text = segment.native.renderJson(rows, ["cnpj", "headquarters"]);
  accounts = JSON.parse(Buffer.from(text).toString()) as Account[];
});
after(() => {
  segment.close();
  made.dispose();
});

function keysOf(texts: readonly string[]): Uint8Array {
  return Buffer.from(texts.map((text) => text.padEnd(14, "\0")).join(""), "latin1");
}

const LINES: RowsRequest = {
  ...{ format: "jsonl", fields: ["cnpj"], extra: [], delimiter: ",", firstNumber: 1 },
};

describe("looking up many CNPJs", () => {
  it("returns the rows of single look-ups, for any number and order", async () => {
    const dice = seededRandom(5);
    const one = () => accounts[Math.floor(dice() * accounts.length)] as Account;
    for (const count of [0, 1, 31, 32, 33, 64, 1_000]) {
      const texts = Array.from({ length: count }, () =>
        dice() < 0.7 ? one().cnpj : String(Math.floor(dice() * 1e14)).padStart(14, "1"),
      );
      const expected = texts.map((text) => {
        const row = segment.native.findCnpj(text);
        return row < 0 ? NO_ROW : row;
      });
      const found = segment.native.lookUp(keysOf(texts), LINES);
      assert.deepEqual([...found.rows], expected);
      const rendered = texts.filter((_, at) => expected[at] !== NO_ROW);
      const lines = rendered.map((cnpj) => `${JSON.stringify({ cnpj })}\n`).join("");
      assert.equal(Buffer.from(found.text).toString(), lines);
      const aside = await segment.native.lookUpAsync(keysOf(texts), LINES);
      assert.deepEqual([...aside.rows], expected);
      assert.equal(Buffer.from(aside.text).toString(), lines);
      assert.equal(segment.native.lookUp(keysOf(texts), null).text.length, 0);
    }
  });

  it("joins a large batch with the same rows, repeated ones and roots included", () => {
    const dice = seededRandom(7);
    const texts = Array.from({ length: 20_000 }, () => {
      const { cnpj } = accounts[Math.floor(dice() * accounts.length)] as Account;
      const kind = dice();
      if (kind < 0.1) return cnpj.slice(0, 8);
      if (kind < 0.2) return `${cnpj.slice(0, 13)}${(Number(cnpj[13]) + 1) % 10}`;
      return kind < 0.3 ? String(Math.floor(dice() * 1e14)).padStart(14, "1") : cnpj;
    });
    const { rows } = segment.native.lookUp(keysOf(texts), null);
    const one = new Map(
      texts.map((text) => [text, segment.native.lookUp(keysOf([text]), null).rows[0]]),
    );
    assert.deepEqual(
      [...rows],
      texts.map((text) => one.get(text)),
    );
  });

  it("returns the head office of a root, or its first establishment", async () => {
    const fixtures = await openRowFixtures();
    try {
      const { random } = fixtures;
      const rows = Uint32Array.from({ length: random.rowCount }, (_, row) => row);
      const text = random.renderJson(rows, ["cnpj", "headquarters"]);
      const headless = compareRoots(random, JSON.parse(Buffer.from(text).toString()) as Account[]);
      assert.ok(headless > 0, "some companies of the fixture have no head office");
    } finally {
      fixtures.dispose();
    }
    compareRoots(segment.native, accounts);
  });

  it("refuses half a CNPJ", () => {
    assert.throws(() => segment.native.lookUp(Buffer.alloc(15), null), /14 characters/);
  });
});

/** Compares the rows of all roots with a scan. Returns the number without head office. */
function compareRoots(native: NativeSegment, accounts: readonly Account[]): number {
  const companies = new Map<string, Account[]>();
  for (const account of accounts) {
    const root = account.cnpj.slice(0, 8);
    companies.set(root, [...(companies.get(root) ?? []), account]);
  }
  const roots = [...companies.keys(), "99999998", "00000000"];
  const { rows } = native.lookUp(keysOf(roots), null);
  let headless = 0;
  roots.forEach((root, at) => {
    const own = [...(companies.get(root) ?? [])].sort((a, b) => (a.cnpj < b.cnpj ? -1 : 1));
    const wanted = own.find(({ headquarters }) => headquarters) ?? own[0];
    if (own.length > 0 && !own.some(({ headquarters }) => headquarters)) headless++;
    const found = rows[at] === NO_ROW ? undefined : accounts[rows[at] as number]?.cnpj;
    assert.equal(found, wanted?.cnpj, root);
  });
  return headless;
}
