/**
 * Proves: for the queries of the benchmarks, totals, pages from any row, and facets do not depend
 * on the optional parts of a file. They are the same if the file has only posting lists and
 * columns. With the parts, at least a third of the queries read none of the ordinary posting lists.
 * Does not prove the answers themselves (campaign/twin/engine), nor names and contacts, which have
 * separate reference implementations.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, it } from "node:test";
import { specOfBody } from "../../../bench/questions/accounts.ts";
import { trafficOf } from "../../../bench/questions/traffic.ts";
import { openSnapshot } from "../../../native-index/format/snapshot/snapshot.ts";
import type { Clause, NativeFacet, NativeSegment } from "../../../native-index/napi/engine.ts";
import { phaseClauses } from "../../../src/search/clauses.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { openForged } from "../../support/native-index/forged-region.ts";
import { partsIn } from "../../support/native-index/parts-decode.ts";
import { Region } from "../../support/native-index/region-decode.ts";
import { SEED, tries } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

/** More accounts than one chunk has. */
const ACCOUNTS = 70_000;
const BODIES = 4 * tries("kernel queries");
const FACETS: readonly NativeFacet[] = [
  ...(["uf", "municipality", "cnae", "registration_status", "company_size"] as const),
  ...(["started_year", "mei", "contact", "headquarters", "legal_nature"] as const),
];
/** Parts that a search by contacts or districts requires. */
const NEEDED = new Set(["PNCONTAC", "PNDISTRI"]);

const folder = mkdtempSync(path.join(tmpdir(), "peneira-parts-"));
const random = seededRandom(SEED);
let sample: SampleSnapshot;
let segment: Segment;
let plain: NativeSegment;

before(async () => {
  sample = await makeSampleSnapshot(ACCOUNTS, 11);
  segment = await openSegment(sample.snapshot);
  const { directory } = await openSnapshot(sample.snapshot);
  // Copies the file without the Arrow footer.
  const { offset, length } = directory.digests ?? assert.fail("no digests");
  const bare = path.join(folder, "bare");
  writeFileSync(bare, readFileSync(sample.snapshot).subarray(0, offset + length));
  const region = new Region(bare, directory);
  const fixture = { directory };
  plain = openForged({ fixture, region }, path.join(folder, "plain"), (bytes) => {
    for (const [magic, part] of partsIn(region)) {
      const at = part.byteOffset - region.file.byteOffset;
      if (!NEEDED.has(magic)) bytes.write("PNFUTURE", at, "latin1");
    }
  });
});
after(() => {
  segment.close();
  plain.close();
  rmSync(folder, { recursive: true });
});

/** Asserts that a query has the same result on both files, without caches. */
function same<Value>(what: string, query: (one: NativeSegment) => Value): void {
  const [found, wanted] = [segment.native, plain].map((one) => {
    one.dropCaches();
    return query(one);
  });
  assert.deepEqual(found, wanted, what);
}

function compare(clauses: readonly Clause[], body: string): void {
  same(body, (one) => one.count(clauses));
  const limit = random() < 0.1 ? 2_000 : 50;
  for (const afterRow of [-1, Math.floor(random() * ACCOUNTS)]) {
    const order = [{ key: "score", descending: true }] as const;
    same(`${body} after ${afterRow}`, (one) => {
      const page = one.select({ clauses, order, method: "rank", seed: 0n, afterRow, limit });
      return { rows: [...page.rows], more: page.more };
    });
  }
  const names = FACETS.filter(() => random() < 0.3);
  same(`${names} of ${body}`, (one) => one.facets(clauses, names));
}

it("returns the same answers for any set of optional sections", () => {
  let without = 0;
  for (const body of trafficOf(segment, SEED, BODIES)) {
    for (const clauses of phaseClauses(segment, specOfBody(segment, body).filters)) {
      compare(clauses, body);
      segment.native.dropCaches();
      segment.native.count(clauses);
      if (segment.native.lastWork().chunks === 0) without++;
    }
  }
  assert.ok(without > BODIES / 3, `${without} of ${BODIES} open no chunk`);
});
