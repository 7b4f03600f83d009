/**
 * Proves: a snapshot with valid checksums is rejected with a one-line message that names the file
 * if its metadata, string tables, directory, location, or footer could not come from an import. If
 * it opens, its values are harmless in a header, a file name, a page, and a log line. Every
 * metadata member is checked, and errors name its pointer and the expected value. Metadata that an
 * import wrote is accepted.
 * Does not prove anything about rows and posting lists (campaign/kernel/fuzz.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { metaFault } from "../../../native-index/format/snapshot/meta-schema.ts";
import {
  createSnapshotWriter,
  openSnapshot,
} from "../../../native-index/format/snapshot/snapshot.ts";
import { verifySnapshot } from "../../../native-index/format/snapshot/verify.ts";
import { ADMITTED } from "../../../native-index/format/snapshot/versions.ts";
import { CommandError } from "../../../src/errors.ts";
import { fileNameOf } from "../../../src/export/files/filename.ts";
import type { ExportRecord } from "../../../src/export/record.ts";
import { headersOf } from "../../../src/http/server/respond.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { warm } from "../../../src/search/warm.ts";
import { mutate } from "../../support/files/forge-mutations.ts";
import {
  type Forgery,
  SnapshotForge,
  writeSmallSnapshot,
} from "../../support/files/forge-snapshot.ts";
import { readFixture } from "../../support/formats/fixtures.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { SEED, tries } from "../../support/run/scale.ts";

const FORGERIES = tries("forgeries");

let folder: string;
let forge: SnapshotForge;
let path: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "peneira-forged-"));
  path = join(folder, "forged.peneira");
  await writeSmallSnapshot(path);
  forge = new SnapshotForge(readFileSync(path));
});
after(() => rmSync(folder, { recursive: true }));

/** Opens the file. Returns the error message, or null if it opens. */
async function refusal(bytes: Buffer): Promise<string | null> {
  writeFileSync(path, bytes);
  try {
    const segment = await openSegment(path);
    try {
      assertHarmless(segment);
    } finally {
      segment.close();
    }
    return null;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    assert.match(error.message, /^[^\p{Cc}\u2028\u2029\u202a-\u202e]+$/u);
    assert.ok(error.message.startsWith(path) && error.message.length < 1_000, error.message);
    return error.message.slice(path.length);
  }
}

function assertHarmless(segment: Segment): void {
  const { label, snapshotDate, provenance, catalog } = segment;
  assert.match(label, /^\d{4}-\d\d$/);
  assert.equal(new Date(snapshotDate).toISOString().slice(0, 10), snapshotDate);
  for (const text of Object.values(provenance)) assert.match(text, /^[0-9a-z_-]{4,13}$/);
  for (const code of catalog.cnaeCodes) assert.match(code, /^\d{7}$/);
  for (const { tom, name, ibge, uf } of catalog.municipalities) {
    assert.match(`${tom} ${ibge} ${uf}`, /^\d{4} (\d{7}|null) ([A-Z]{2}|null)$/);
    assert.match(name, /^[^\p{Cc}\u2028\u2029\u202a-\u202e]*$/u);
  }
  const kind = { format: "csv", compression: null, title: null } as const;
  const record = { snapshot: label, slug: "x", id: "exp_0011aabb", ...kind } as ExportRecord;
  const name = fileNameOf(record);
  assert.match(name, /^[a-z0-9-]+\.csv$/);
  headersOf({ status: 200, type: "text/csv", body: "", headers: { "X-Name": name } }, "r");
}

describe("a forged snapshot with valid checksums", () => {
  it("is rejected with a readable message or is harmless, for any metadata", async () => {
    const random = seededRandom(SEED);
    const outcomes = { opened: 0, refused: 0 };
    for (let i = 0; i < FORGERIES; i++) {
      const { what, bytes } = mutate(forge, random);
      const words = await refusal(bytes).catch((error: unknown) => {
        throw new Error(`seed ${SEED}, forgery ${i} (${what}): ${(error as Error).stack}`);
      });
      outcomes[words === null ? "opened" : "refused"]++;
    }
    // Some forgeries are valid, such as swapped names, so some files must open. Most must be
    // rejected.
    assert.ok(outcomes.opened > FORGERIES / 50, JSON.stringify(outcomes));
    assert.ok(outcomes.refused > FORGERIES / 2, JSON.stringify(outcomes));
  });

  it("is unchanged if nothing is forged", () => {
    assert.equal(Buffer.compare(forge.forge(), readFileSync(good())), 0);
  });
});

function good(): string {
  const place = join(folder, "good.peneira");
  writeFileSync(place, forge.forge());
  return place;
}

// biome-ignore lint/suspicious/noExplicitAny: metadata are made here that no type allows.
type Meta = any;
type Change = (meta: Meta) => void;

const NAME = "one line of printable text";
const REFUSED: readonly (readonly [change: Change, words: string])[] = [
  [(m) => (m.format = 3), "/format is 3, not format 1 or 2"],
  [(m) => (m.format = 1), '/dictionaries is an object with "number"'],
  [
    (m) => {
      m.format = 1;
      delete m.dictionaries.number;
    },
    "/format is 1, but the index has version 2",
  ],
  [
    (m) => (m.label = 'x"\r\nSet-Cookie: a=b'),
    '/label is "x"\\u000d\\u000aSet-Cookie: a=b", not a m',
  ],
  [(m) => (m.label = { a: 1 }), "/label is an object, not a month as YYYY-MM"],
  [(m) => (m.label = "2026-13"), '/label is "2026-13", not a month'],
  [(m) => (m.label = "2026-10 "), '/label is "2026-10 ", not a month'],
  [(m) => (m.snapshot_date = "\r\nX-Evil: 1"), "/snapshot_date is "],
  [(m) => (m.snapshot_date = "2026-02-30"), '/snapshot_date is "2026-02-30", not a calendar date'],
  [(m) => delete m.snapshot_date, "/snapshot_date is nothing"],
  [(m) => (m.provenance.rfb_snapshot = "<script>"), '/provenance/rfb_snapshot is "<script>"'],
  [(m) => (m.provenance.ibge_population_year = 2025), "/provenance/ibge_population_year is 2025"],
  [(m) => (m.provenance.ceis_as_of_date = "2026-02-30"), "/provenance/ceis_as_of_date is"],
  [(m) => (m.provenance.more = "x"), '/provenance is an object with "more"'],
  [(m) => (m.origin = null), "/origin is null, not an object"],
  [(m) => (m.origin = { host: "a\nb", partial: true, rows_left_out: 0 }), "/origin/host is "],
  [(m) => (m.origin = { host: null, partial: 1, rows_left_out: 0 }), "/origin/partial is 1"],
  [(m) => (m.origin = { host: null, partial: true }), "/origin/rows_left_out is nothing"],
  [(m) => delete m.provenance, "/provenance is nothing, not an object"],
  [(m) => (m.accounts = 41), "/accounts is 41, but the index has 40 rows"],
  [(m) => (m.accounts = "40"), '/accounts is "40", not a number of accounts'],
  [(m) => (m.score_version = 0), "/score_version is 0"],
  [(m) => (m.created_by = "\u001b[2J"), '/created_by is "\\u001b[2J"'],
  [(m) => delete m.lookups, "/lookups is nothing"],
  [(m) => delete m.lookups.reasons, "/lookups/reasons is nothing, not a list"],
  [
    (m) => (m.lookups.municipalities[3] = null),
    "/lookups/municipalities/3 is null, not a list of 5",
  ],
  [
    (m) => m.lookups.municipalities[3].pop(),
    "/lookups/municipalities/3 is a list of 4, not a list",
  ],
  [
    (m) => (m.lookups.municipalities[3][2] = 5),
    "/lookups/municipalities/3/2 is 5, not a code of 7",
  ],
  [(m) => (m.lookups.municipalities[3][3] = "sp"), '/lookups/municipalities/3/3 is "sp"'],
  [(m) => (m.lookups.municipalities[3][4] = -1), "/lookups/municipalities/3/4 is -1"],
  [(m) => (m.lookups.cnaes[2][0] = "00000210"), '/lookups/cnaes/2/0 is "00000210"'],
  [(m) => (m.lookups.cnaes[2][0] = ["0000021"]), "/lookups/cnaes/2/0 is a list, not a code of 7"],
  [(m) => (m.lookups.cnaes[2][1] = "a\nb"), `/lookups/cnaes/2/1 is "a\\u000ab", not ${NAME}`],
  [(m) => (m.lookups.cnaes[2][1] = "\u202eb"), `/lookups/cnaes/2/1 is "\\u202eb", not ${NAME}`],
  [(m) => (m.lookups.cnaes[2][1] = "a\ud800"), `/lookups/cnaes/2/1 is "a\\ud800", not ${NAME}`],
  [(m) => (m.lookups.cnaes[2][1] = "é".repeat(1_001)), "/lookups/cnaes/2/1 is"],
  [(m) => m.lookups.countries.reverse(), "/lookups/countries/1/0 is"],
  [(m) => m.lookups.reasons.push(m.lookups.reasons.at(-1)), "each code once"],
  [(m) => (m.lookups.more = []), '/lookups is an object with "more"'],
  [(m) => (m.dictionaries.cnae_primary = { length: 3 }), "/dictionaries/cnae_primary is an object"],
  [(m) => (m.dictionaries.uf[1] = "e\n"), '/dictionaries/uf/1 is "e\\u000a"'],
  [(m) => m.dictionaries.uf.reverse(), "/dictionaries/uf/1 is"],
  [(m) => (m.dictionaries.more = []), '/dictionaries is an object with "more"'],
  [
    (m) => (m.dictionaries.uf = Array.from({ length: 256 }, (_, i) => `${i}`)),
    "/dictionaries/uf is 256 values, not up to 255 values",
  ],
];

describe("metadata", () => {
  for (const [change, words] of REFUSED) {
    it(`rejects: ${words}`, async () => {
      const meta = forge.meta() as Meta;
      change(meta);
      const failure = await refusal(forge.withMeta(meta));
      assert.ok(failure?.includes(words), failure ?? "it was opened");
      assert.match(failure ?? "", /not made by `peneira import`.*import the dump again$/);
      if (words.includes("but the index has")) return;
      assert.throws(() => createSnapshotWriter(join(folder, "new"), meta), CommandError);
    });
  }

  it("rejects metadata that is not JSON, is too long, or does not match the footer", async () => {
    const cases: readonly (readonly [Forgery, RegExp])[] = [
      [{ meta: '{"format":1' }, /they are not JSON/],
      [{ meta: "[".repeat(100_000) }, /they are not JSON/],
      [{ meta: "null" }, /\/ is null, not an object/],
      [{ meta: Buffer.alloc(2 ** 25 + 1), footerMeta: forge.metaText }, /\(33554433 bytes of them/],
      [{ footerMeta: forge.metaText.replace("2026", "2027") }, /differ from the index region/],
    ];
    for (const [forgery, words] of cases) {
      assert.match((await refusal(forge.forge(forgery))) ?? "", words);
    }
  });

  it("accepts additional top-level members of a later version, and any code name", async () => {
    const meta = forge.meta() as Meta;
    Object.assign(meta, { later: { than: ["this"] } });
    meta.lookups.cnaes[0][1] = "";
    meta.lookups.cnaes[1][1] = `<script> "é" – 🍞 \u00a0${"x".repeat(900)}`;
    meta.lookups.legal_natures.pop();
    meta.lookups.municipalities[0].splice(1, 4, "", null, null, null);
    Object.assign(meta, { created_by: "" });
    assert.equal(await refusal(forge.withMeta(meta)), null);
  });

  it("applies the same rules to string tables", async () => {
    const meta = forge.meta() as Meta;
    meta.lookups.cnaes[0][1] = "another name";
    const failure = await refusal(forge.forge({ meta: JSON.stringify(meta) }));
    assert.match(failure ?? "", /table cnae_description of its index has other values/);
  });

  it("accepts the metadata of the committed snapshots and of a new one", async () => {
    for (const version of ADMITTED.keys()) {
      writeFileSync(path, readFixture("snapshot", version));
      const { meta } = await openSnapshot(path);
      assert.ok(meta.lookups.municipalities.length > 5_500);
      const { number, ...first } = meta.dictionaries;
      const dictionaries = version === 1 ? first : { ...first, number };
      assert.equal(metaFault({ ...meta, dictionaries }), null);
    }
    const verified = await verifySnapshot(await openSnapshot(good()), () => {});
    assert.deepEqual([verified.damaged, verified.footerAgrees], [[], true]);
  });
});

describe("a small registry", () => {
  it("warms up although it lacks the codes of common queries", async () => {
    const meta = forge.meta() as Meta;
    meta.dictionaries.cnae_primary[39] = "9999999";
    meta.lookups.cnaes[39][0] = "9999999";
    writeFileSync(path, forge.withMeta(meta));
    const segment = await openSegment(path);
    await warm(segment);
    segment.close();
  });
});
