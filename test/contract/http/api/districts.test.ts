/**
 * Proves, over HTTP on both transports: the districts of a municipality equal those of a full scan
 * of a real snapshot. They can be searched by prefix or word, and ordered by number of accounts.
 * Mistakes, ETags, and snapshots without districts are answered as the OpenAPI document states.
 * Does not prove: how names are folded (unit/native-index/districtname.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { foldDistrict } from "../../../../src/spec/districtname.ts";
import { decodeSnapshot } from "../../../support/formats/decode.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { type FakeServer, fakeSegment, startFake } from "../../../support/http/fake.ts";
import { MATRIX } from "../../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";

const IBGE = "3550308";

interface Answer {
  readonly municipality_name: string;
  readonly districts: readonly { readonly name: string; readonly accounts: number }[];
  readonly total: number;
}
interface Problem {
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
}

let sample: SampleSnapshot;
let segment: Segment;
/** Number of accounts by folded district. */
const counted = new Map<string, number>();

before(async () => {
  sample = await makeSampleSnapshot(4_000, 5);
  segment = await openSegment(sample.snapshot);
  for (const { municipality_ibge: ibge, district } of decodeSnapshot(sample.snapshot).rows) {
    if (ibge !== IBGE || district === null) continue;
    const name = foldDistrict(String(district));
    counted.set(name, (counted.get(name) ?? 0) + 1);
  }
});
after(() => {
  segment.close();
  sample.dispose();
});

/** Returns the folded names and counts that the answer must contain, in its order. */
function expected(typed: string): [string, number][] {
  const words = typed.split(" ");
  const fits = (name: string) =>
    words.every((word) => name.split(/[^a-z0-9]+/).some((one) => one.startsWith(word)));
  const rank = (name: string) => Number(!name.startsWith(typed));
  return [...counted]
    .filter(([name]) => fits(name))
    .sort(([a, m], [b, n]) => rank(a) - rank(b) || n - m || (a < b ? -1 : 1));
}

for (const transport of MATRIX) {
  describe(`districts over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport);
      server.load(segment);
    });
    after(() => server.close());

    const get = (query: string, headers: Record<string, string> = {}) =>
      fetchDocumented(`${server.base}/v1/districts?${query}`, {
        headers: { authorization: `Bearer ${server.keys.free}`, ...headers },
      });
    const mistakes = async (query: string) => {
      const answer = await get(query);
      assert.equal(answer.status, 422, query);
      const { errors = [] } = (await answer.json()) as Problem;
      return errors.map(({ pointer, code }) => `${pointer} ${code}`);
    };

    it("match the accounts, the largest first", async () => {
      assert.ok(counted.size > 20, String(counted.size));
      for (const typed of ["", "c", "jardim", "vila a", "zzz"]) {
        const answer = await get(`municipality_ibge=${IBGE}&limit=9&q=${encodeURI(typed)}`);
        const { districts, total, municipality_name } = (await answer.json()) as Answer;
        const wanted = expected(typed);
        assert.equal(total, wanted.length, typed);
        const found = districts.map(({ name, accounts }) => [foldDistrict(name), accounts]);
        assert.deepEqual(found, wanted.slice(0, 9), typed);
        assert.match(municipality_name, /Paulo/i);
      }
      const [first] = ((await (await get("municipality_ibge=355030")).json()) as Answer).districts;
      assert.equal(first?.accounts, expected("")[0]?.[1]);
    });

    it("are rejected with every mistake", async () => {
      assert.deepEqual(await mistakes(""), ["/query/municipality_ibge missing"]);
      assert.deepEqual(await mistakes("municipality_ibge=9999999&limit=0"), [
        "/query/municipality_ibge unknown_municipality",
        "/query/limit out_of_range",
      ]);
      const long = "a".repeat(257);
      assert.deepEqual(await mistakes(`municipality_ibge=${IBGE}&q=${long}`), [
        "/query/q too_long",
      ]);
    });

    it("return 304 only for the tag of the same query", async () => {
      const query = `municipality_ibge=${IBGE}&q=c`;
      const tag = (await get(query)).headers.get("etag") ?? "";
      assert.equal((await get(query, { "if-none-match": tag })).status, 304);
      assert.equal((await get(`${query}e`, { "if-none-match": tag })).status, 200);
    });

    it("are refused, with the import that adds them, if the snapshot lacks them", async () => {
      const older = fakeSegment();
      server.load({ ...older, catalog: { ...older.catalog, lacksDistricts: true } });
      try {
        assert.deepEqual(await mistakes(`municipality_ibge=${IBGE}`), [" not_in_snapshot"]);
      } finally {
        server.load(segment);
      }
    });
  });
}
