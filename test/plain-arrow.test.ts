/**
 * Proves: a plain Arrow file with the documented columns and metadata but without an index region,
 * written by apache-arrow in small batches, is indexed at boot and answers random specs with the
 * same bytes as the snapshot it came from; its temporary index is gone when it is closed.
 * Does not prove: files of other programs (snapshot-readers.test.ts).
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { RecordBatchFileWriter, tableFromIPC } from "apache-arrow";
import { openAnySegment } from "../src/ingest/boot.ts";
import { indexPlainArrow } from "../src/ingest/plain.ts";
import { search } from "../src/search/searcher.ts";
import type { Segment } from "../src/search/segment.ts";
import { OUTPUT_FIELD_NAMES } from "../src/spec/fields.ts";
import { decodeSnapshot } from "./decode.ts";
import { randomSpec, seededRng } from "./random-spec.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "./sample-snapshot.ts";
import type { TwinRow } from "./twin.ts";

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

/** The answers to 120 random specs, every field of them, as text. */
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
  it("answers as the snapshot it came from", async () => {
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

  it("leaves nothing behind when it is closed", async () => {
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
