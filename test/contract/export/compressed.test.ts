/**
 * Proves: a compressed export is one gzip file that another program unpacks to the bytes of the
 * export without compression; its bytes depend on the text alone, however the text comes in pieces
 * and whichever thread packs a block; its header holds no time and no name; a failed write leaves
 * nothing behind.
 * Does not prove: that processors that help give the same file (helped.test.ts), nor what a link
 * answers (contract/http/api/files.test.ts), nor a killed process (campaign/kills).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gunzipSync, inflateRawSync, crc32 as theirCrc32 } from "node:zlib";
import { deflate } from "../../../native-index/napi/engine.ts";
import { crc32ByTable } from "../../../src/dump/crc32.ts";
import { GzipWriter } from "../../../src/export/formats/compressed.ts";
import { renderBytes, renderExport } from "../../../src/export/render.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

const BLOCK_BYTES = 262_144;

let sample: SampleSnapshot;
let segment: Segment;
let folder: string;

before(async () => {
  sample = await makeSampleSnapshot(9_000, 4);
  segment = await openSegment(sample.snapshot);
  folder = fs.mkdtempSync(join(tmpdir(), "peneira-compressed-"));
});
after(() => {
  segment.close();
  sample.dispose();
  fs.rmSync(folder, { recursive: true });
});

function specOf(output: object, filters = {}): AccountQuerySpec {
  return normalizeSpec(
    { filters },
    {
      ...{ catalog: segment.catalog, limitDefault: 1_000_000, limitCap: 1_000_000 },
      bodyOutput: { fields: OUTPUT_FIELD_NAMES, ...output },
      ...{ allowedFields: OUTPUT_FIELD_NAMES, defaultFields: DEFAULT_FIELDS },
      ...{ mode: "export" as const, fullAllowed: true },
    },
  ).spec;
}

/** Writes pieces of a text and returns the compressed file. */
async function packed(
  pieces: readonly Uint8Array[],
  spare: () => boolean = () => false,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  const writer = new GzipWriter((bytes) => parts.push(Buffer.from(bytes)), spare);
  for (const piece of pieces) {
    // What was written may be changed afterwards.
    const lent = Buffer.from(piece);
    writer.write(lent);
    lent.fill(0);
    await writer.drain();
  }
  await writer.end();
  return Buffer.concat(parts);
}

/** The same file, made of the whole text in the slowest way. */
function twin(text: Uint8Array): Buffer {
  const blocks: Uint8Array[] = [];
  for (let from = 0; from + BLOCK_BYTES <= text.length; from += BLOCK_BYTES) {
    blocks.push(deflate(text.subarray(from, from + BLOCK_BYTES), false));
  }
  blocks.push(deflate(text.subarray(text.length - (text.length % BLOCK_BYTES)), true));
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32ByTable(text), 0);
  trailer.writeUInt32LE(text.length, 4);
  return Buffer.concat([Buffer.from("1f8b08000000000004ff", "hex"), ...blocks, trailer]);
}

/** Text that repeats itself a little, as rows do. */
function rowsOf(length: number, random: () => number): Buffer {
  const text = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    at += text.write(
      `${Math.floor(random() * 1e9)},PADARIA ${Math.floor(random() * 99)} LTDA\r\n`,
      at,
    );
  }
  return text;
}

/** Cuts a text into pieces of random lengths, some of them empty. */
function piecesOf(text: Uint8Array, random: () => number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < text.length; ) {
    const length = Math.floor(random() ** 3 * 700_000);
    pieces.push(text.subarray(from, from + length));
    from += length;
  }
  return pieces;
}

describe("a compressed export", () => {
  it("is unpacked by another program to the bytes of the export without compression", async () => {
    for (const format of ["csv", "jsonl", "html"]) {
      const plain = join(folder, `x.${format}`);
      const path = `${plain}.gz`;
      await renderExport({ segment, spec: specOf({ format }), path: plain });
      const spec = specOf({ format, compression: "gzip" });
      const { rowCount, sizeBytes } = await renderExport({ segment, spec, path });
      assert.equal(rowCount, 9_000);
      assert.equal(sizeBytes, fs.statSync(path).size);
      const wanted = fs.readFileSync(plain);
      assert.ok(wanted.length > 4 * BLOCK_BYTES, "several blocks");
      assert.ok(sizeBytes < wanted.length / 2, format);
      const { status, stdout } = spawnSync("gzip", ["-dc", path], { maxBuffer: 2 ** 28 });
      assert.equal(status, 0);
      assert.ok(stdout.equals(wanted), format);
      assert.ok(fs.readFileSync(path).equals(twin(wanted)), format);
      for (const file of [plain, path]) fs.rmSync(file);
    }
  });

  it("is a file also without a row", async () => {
    const none = { geo: { postal_code_prefix_any_of: ["00000"] } };
    const parts: Buffer[] = [];
    const spec = specOf({ format: "jsonl", compression: "gzip" }, none);
    await renderBytes({ segment, spec }, (bytes) => parts.push(Buffer.from(bytes)));
    assert.equal(gunzipSync(Buffer.concat(parts)).length, 0);
  });

  it("leaves nothing behind if a write fails", async () => {
    const failure = Object.assign(new Error("no space"), { code: "ENOSPC" });
    const failing = { ...fs, startWriting: () => true };
    failing.writeSync = (() => {
      throw failure;
    }) as typeof fs.writeSync;
    const spec = specOf({ format: "csv", compression: "gzip" });
    for (const isSpare of [false, true]) {
      const job = { segment, spec, path: join(folder, "full.csv.gz"), spare: () => isSpare };
      await assert.rejects(renderExport(job, failing), (error) => error === failure);
      assert.deepEqual(fs.readdirSync(folder), []);
    }
  });
});

describe("the writer of gzip files", () => {
  it("writes the bytes of the twin for any pieces, whichever thread packs them", async () => {
    const random = seededRandom(21);
    const lengths = [
      0,
      1,
      BLOCK_BYTES - 1,
      BLOCK_BYTES,
      BLOCK_BYTES + 1,
      3 * BLOCK_BYTES,
      1_500_007,
    ];
    for (const length of lengths) {
      const text = rowsOf(length, random);
      const wanted = twin(text);
      for (const share of [0, 0.5, 1]) {
        const file = await packed(piecesOf(text, random), () => random() < share);
        assert.ok(file.equals(wanted), `${length} bytes, ${share} of the blocks aside`);
      }
    }
  });

  it("makes one member with a plain header, and a checksum that readers compare", async () => {
    const text = rowsOf(700_000, seededRandom(5));
    const file = await packed([text]);
    assert.equal(file.subarray(0, 10).toString("hex"), "1f8b08000000000004ff");
    // All between header and trailer is one DEFLATE stream.
    assert.ok(inflateRawSync(file.subarray(10, -8)).equals(text));
    assert.equal(file.readUInt32LE(file.length - 8), theirCrc32(text));
    assert.equal(file.readUInt32LE(file.length - 4), text.length);
    file.writeUInt8(file.readUInt8(file.length - 8) ^ 1, file.length - 8);
    assert.throws(() => gunzipSync(file), /incorrect data check/);
  });
});
