/**
 * Proves: a plain Arrow file, with the documented columns and metadata but without an index, is
 * indexed at the start of a server. It then answers random specs with the same bytes as the
 * snapshot from which it was made. apache-arrow writes the file in small batches. The temporary
 * index is removed when the file is closed. Metadata that no snapshot can have is rejected with a
 * message, also in a Parquet file.
 * Does not prove: files of other programs (contract/native-index/readers.test.ts).
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { RecordBatchFileWriter, tableFromIPC, tableToIPC } from "apache-arrow";
import { parquetLibrary } from "../../../../native-index/format/arrow/parquet.ts";
import { META_KEY } from "../../../../native-index/format/snapshot/footer.ts";
import { CommandError } from "../../../../src/errors.ts";
import { indexPlainArrow, openAnySegment } from "../../../../src/ingest/columns/boot.ts";
import { importColumns } from "../../../../src/ingest/columns/columns-import.ts";
import { search } from "../../../../src/search/searcher.ts";
import type { Segment } from "../../../../src/search/segment.ts";
import { OUTPUT_FIELD_NAMES } from "../../../../src/spec/fields.ts";
import { type Forgery, SnapshotForge } from "../../../support/files/forge-snapshot.ts";
import { decodeSnapshot } from "../../../support/formats/decode.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";
import { randomSpec, seededRng } from "../../../support/spec/random.ts";
import type { TwinRow } from "../../../support/twin.ts";

let sample: SampleSnapshot;
let plain: string;
let rows: readonly TwinRow[];

before(async () => {
  sample = await makeSampleSnapshot(3_000, 41);
  plain = join(sample.folder, "plain.arrow");
  rows = decodeSnapshot(sample.snapshot).rows;
  const table = tableFromIPC(readFileSync(sample.snapshot));
  const writer = new RecordBatchFileWriter();
  for (let from = 0; from < table.numRows; from += 700) {
    for (const batch of table.slice(from, from + 700).batches) writer.write(batch);
  }
  writer.finish();
  writeFileSync(plain, writer.toUint8Array(true));
});
after(() => sample.dispose());

/** Returns the answers to 120 random specs, with every field, as text. */
function answersOf(segment: Segment): string[] {
  const rng = seededRng(9);
  return Array.from({ length: 120 }, () => {
    const spec = randomSpec(rng, segment.catalog, rows);
    const request = { spec, fields: OUTPUT_FIELD_NAMES, afterRow: -1, explain: false };
    const { total, accounts } = search(segment, request);
    return `${total} ${Buffer.from(accounts).toString()}`;
  });
}

describe("a plain Arrow file", () => {
  it("answers like the snapshot it came from", async () => {
    const indexed = await openAnySegment(sample.snapshot);
    const opened = await openAnySegment(plain);
    assert.equal(opened.label, indexed.label);
    assert.equal(opened.snapshotDate, indexed.snapshotDate);
    const answers = answersOf(opened);
    assert.deepEqual(answers, answersOf(indexed));
    assert(answers.filter((text) => !text.startsWith("0 ")).length > 30);
    opened.close();
    indexed.close();
  });

  it("leaves nothing after it is closed", async () => {
    const { path, cleanup } = await indexPlainArrow(plain);
    assert(existsSync(path));
    cleanup();
    assert.equal(existsSync(path), false);
    assert.deepEqual(readdirSync(sample.folder).sort(), [
      "2026-10",
      "plain.arrow",
      "population.csv",
      "sample.peneira",
    ]);
  });
});

describe("a plain file with metadata that no snapshot has", () => {
  const CASES: readonly (readonly [text: (right: string) => string, words: RegExp])[] = [
    [
      (right) => right.replace('"label":"', '"label":"x\\r\\nSet-Cookie: a=b'),
      /\/label is "x\\u000d/,
    ],
    [
      (right) => right.replace(/"lookups":.*"dictionaries"/s, '"dictionaries"'),
      /\/lookups is noth/,
    ],
    [(right) => right.replace('"municipalities":[', '"municipalities":[null,'), /ties\/0 is null/],
    [(right) => right.replace('"format":3', '"format":4'), /\/format is 4, not format 1/],
    [() => "{", /they are not JSON/],
  ];
  const flags = { keepCpf: true, threads: 1, label: "2026-10", date: "2026-10-10" };
  const startStage = () => ({ update: () => undefined, done: () => undefined });
  const imported = (source: string) =>
    importColumns({ source, out: join(sample.folder, "out.peneira"), ...flags, startStage });

  it("is rejected by import and at boot, with the key and the remedy", async () => {
    const forge = new SnapshotForge(readFileSync(sample.snapshot));
    const arrow = join(sample.folder, "forged.arrow");
    const parquet = join(sample.folder, "forged.parquet");
    const library = parquetLibrary();
    const stream = tableToIPC(tableFromIPC(readFileSync(plain)), "stream");
    for (const [change, words] of CASES) {
      const text = change(forge.metaText);
      const footer: Forgery["footer"] = (parts) => {
        return { ...parts, schemaMetadata: { [META_KEY]: text }, metadata: {} };
      };
      writeFileSync(arrow, forge.forge({ footer }));
      const properties = new library.WriterPropertiesBuilder()
        .setKeyValueMetadata(new Map([[META_KEY, text]]))
        .build();
      const table = library.Table.fromIPCStream(stream);
      writeFileSync(parquet, library.writeParquet(table, properties));
      const doors = [() => imported(arrow), () => imported(parquet), () => openAnySegment(arrow)];
      for (const sessionAuth of doors) {
        await assert.rejects(sessionAuth, (error: Error) => {
          assert.ok(error instanceof CommandError, error.stack);
          assert.match(error.message, words);
          assert.match(error.message, /"peneira\.meta".*remove that key, or write the file again/);
          return true;
        });
      }
    }
    for (const path of [arrow, parquet]) rmSync(path);
    assert.ok(!readdirSync(sample.folder).some((name) => name.startsWith("out")));
  });
});
