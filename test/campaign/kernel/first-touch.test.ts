/**
 * Proves: a count reads a bounded number of blocks in a file of which no block was read before. The
 * reason is VALUES, the part with one row list for each value: the count reads whole lists instead
 * of a block per condition and chunk. Without VALUES, the answer is the same.
 * Does not prove the time of these reads, which depends on the disk (bench scale).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, it } from "node:test";
import type { Clause } from "../../../native-index/napi/engine.ts";
import { rowsOfKinds } from "../../support/native-index/fixture-rows.ts";
import { openForged, startOfPart } from "../../support/native-index/forged-region.ts";
import { matchesOf } from "../../support/native-index/query-twin.ts";
import { Region } from "../../support/native-index/region-decode.ts";
import { type Fixture, writeFixture } from "../../support/native-index/region-fixture.ts";

const folder = mkdtempSync(path.join(tmpdir(), "peneira-touch-"));
let fixture: Fixture;
let region: Region;

before(async () => {
  // The rows make three chunks. In each chunk, the columns have several blocks.
  fixture = await writeFixture(path.join(folder, "rows"), rowsOfKinds(21, 150_000, 3_000));
  region = new Region(fixture.path, fixture.directory);
});
after(() => rmSync(folder, { recursive: true }));

const posting = (dimension: "uf" | "municipality_ibge" | "flag", code: number): Clause => ({
  kind: "posting",
  any: [{ dimension, codes: Uint32Array.of(code) }],
  negated: false,
});

/** Kinds of queries, each with the maximum number of blocks that it may read with VALUES. */
const KINDS: readonly (readonly [name: string, clauses: Clause[], most: number])[] = [
  [
    "capital between two round amounts, in a state",
    [
      { kind: "range", column: "share_capital_cents", ranges: [[5_000, 20_000_000]] },
      posting("uf", 2),
    ],
    12,
  ],
  [
    "a phone of at most two companies, mobile",
    [
      { kind: "range", column: "phone_1_shared", or: "phone_2_shared", ranges: [[0, 1]] },
      posting("flag", 6),
    ],
    10,
  ],
  [
    "an e-mail of at most two companies, a city",
    [{ kind: "range", column: "email_shared", ranges: [[0, 1]] }, posting("municipality_ibge", 3)],
    8,
  ],
];

for (const [name, clauses, most] of KINDS) {
  it(`counts ${name} from at most ${most} blocks`, () => {
    const wanted = matchesOf(fixture.rows, clauses).length;
    const count = (file: string, change: (bytes: Buffer) => void) => {
      const segment = openForged({ fixture, region }, path.join(folder, file), change);
      const opened = segment.checkedBlocks();
      assert.equal(segment.count(clauses), wanted);
      const read = segment.checkedBlocks() - opened;
      segment.close();
      return read;
    };
    const whole = count("whole", () => undefined);
    const without = count("without", (bytes) => {
      bytes.write("PNFUTURE", startOfPart(region, "PNVALUES"), "latin1");
    });
    assert.ok(whole <= most, `${whole} blocks`);
    assert.ok(without > whole, `${without} blocks without VALUES`);
  });
}
