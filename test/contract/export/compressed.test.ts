/**
 * Proves: a compressed export is one gzip or zstd file that other programs unpack to the bytes of
 * the uncompressed export. Its bytes depend only on the text, not on chunks or threads. The gzip
 * header has no time and no name. A failed write leaves no file, and the next attempt produces the
 * bytes of an uninterrupted export. Does not prove: that several processors produce the same file
 * (helped.test.ts), nor the answer to a download link (contract/http/api/files.test.ts), nor a
 * killed process (campaign/kills).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gunzipSync, inflateRawSync, crc32 as theirCrc32 } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { Decompressor } from "zstd-napi";
import zstd from "zstd-napi/binding.js";
import { deflate } from "../../../native-index/napi/engine.ts";
import { crc32ByTable } from "../../../src/dump/crc32.ts";
import { GzipWriter, ZstdWriter } from "../../../src/export/formats/compressed.ts";
import { RenderCancelled, renderBytes, renderExport } from "../../../src/export/render.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { plainDisk } from "../../support/export/plain-writer.ts";
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

/** Opens the gzip or the zstd writer. */
type Open = (write: (bytes: Uint8Array) => void) => GzipWriter | ZstdWriter;

/** Writes pieces of a text and returns the compressed file. */
async function packed(pieces: readonly Uint8Array[], open: Open): Promise<Buffer> {
  const parts: Buffer[] = [];
  const writer = open((bytes) => parts.push(Buffer.from(bytes)));
  for (const piece of pieces) {
    // The caller may change a chunk after it was written.
    const lent = Buffer.from(piece);
    writer.write(lent);
    lent.fill(0);
    await writer.drain();
  }
  await writer.end();
  return Buffer.concat(parts);
}

/** Reference implementation: compresses the whole text to the same gzip file. */
function gzipTwin(text: Uint8Array): Buffer {
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

/** Reference implementation: compresses the whole text to the same zstd file in one call. */
function zstdTwin(text: Uint8Array): Buffer {
  const context = new zstd.CCtx();
  context.setParameter(zstd.CParameter.compressionLevel, 2);
  context.setParameter(zstd.CParameter.checksumFlag, 1);
  const file = Buffer.alloc(zstd.compressBound(text.length) + 64);
  let length = 0;
  for (let from = 0; from <= text.length; from += BLOCK_BYTES) {
    const block = text.subarray(from, from + BLOCK_BYTES);
    const { end, continue: more } = zstd.EndDirective;
    const isLast = block.length < BLOCK_BYTES;
    const [, made, taken] = context.compressStream2(
      file.subarray(length),
      block,
      isLast ? end : more,
    );
    assert.equal(taken, block.length);
    length += made;
  }
  return file.subarray(0, length);
}

/** Decompresses a file with a command of the system. */
function unpacked(command: string, path: string): Buffer {
  const { status, stdout } = spawnSync(command, ["-dc", path], { maxBuffer: 2 ** 28 });
  assert.equal(status, 0, command);
  return stdout;
}

/** True if the system has the command. */
const hasCommand = (name: string) => spawnSync(name, ["--version"]).status === 0;

/** Decompresses a file with the package. A decompressor that has rejected a file is not reused. */
const decompressed = (file: Buffer) => new Decompressor().decompress(file);

/**
 * The two compressions. Each has its file name extension, its reference implementation, and a
 * function that decompresses in this process.
 */
const KINDS = [
  { compression: "gzip", ending: "gz", twin: gzipTwin, read: (file: Buffer) => gunzipSync(file) },
  { compression: "zstd", ending: "zst", twin: zstdTwin, read: decompressed },
] as const;

/** Returns text with some repetition, as rows have. */
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
function cnpjCandidates(text: Uint8Array, random: () => number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < text.length; ) {
    const length = Math.floor(random() ** 3 * 700_000);
    pieces.push(text.subarray(from, from + length));
    from += length;
  }
  return pieces;
}

describe("a compressed export", () => {
  for (const { compression, ending, twin, read } of KINDS) {
    it(`in ${compression} is unpacked to the bytes of the export without compression`, async () => {
      for (const format of ["csv", "jsonl", "html"]) {
        const plain = join(folder, `x.${format}`);
        const path = `${plain}.${ending}`;
        await renderExport({ segment, spec: specOf({ format }), path: plain });
        const spec = specOf({ format, compression });
        const { rowCount, sizeBytes } = await renderExport({ segment, spec, path });
        assert.equal(rowCount, 9_000);
        assert.equal(sizeBytes, fs.statSync(path).size);
        const wanted = fs.readFileSync(plain);
        assert.ok(wanted.length > 4 * BLOCK_BYTES, "several blocks");
        assert.ok(sizeBytes < wanted.length / 2, format);
        assert.ok(read(fs.readFileSync(path)).equals(wanted), format);
        if (hasCommand(compression)) assert.ok(unpacked(compression, path).equals(wanted), format);
        assert.ok(fs.readFileSync(path).equals(twin(wanted)), format);
        for (const file of [plain, path]) fs.rmSync(file);
      }
    });

    it(`in ${compression} is a file even without a row`, async () => {
      const none = { geo: { postal_code_prefix_any_of: ["00000"] } };
      for (const [format, wanted] of [
        ["jsonl", ""],
        ["csv", "cnpj\r\n"],
      ] as const) {
        const parts: Buffer[] = [];
        const spec = specOf({ format, fields: ["cnpj"], compression }, none);
        await renderBytes({ segment, spec }, (bytes) => parts.push(Buffer.from(bytes)));
        assert.equal(read(Buffer.concat(parts)).toString(), wanted);
      }
    });

    it(`in ${compression} leaves no file if a write fails`, async () => {
      const failure = Object.assign(new Error("no space"), { code: "ENOSPC" });
      const writeSync = () => {
        throw failure;
      };
      const failing = plainDisk({ ...fs, writeSync });
      const spec = specOf({ format: "csv", compression });
      for (const isSpare of [false, true]) {
        const path = join(folder, `full.csv.${ending}`);
        const job = { segment, spec, path, spare: () => isSpare };
        await assert.rejects(renderExport(job, failing), (error) => error === failure);
        assert.deepEqual(fs.readdirSync(folder), []);
      }
    });

    it(`in ${compression} has the same bytes after an interrupted attempt`, async () => {
      const spec = specOf({ format: "csv", compression });
      const path = join(folder, `cut.csv.${ending}`);
      const whole = await renderExport({ segment, spec, path });
      fs.rmSync(path);
      let batches = 0;
      const cut = { segment, spec, path, spare: () => true, cancelled: () => ++batches > 2 };
      await assert.rejects(renderExport(cut), RenderCancelled);
      assert.deepEqual(fs.readdirSync(folder), []);
      assert.deepEqual(await renderExport({ segment, spec, path, spare: () => true }), whole);
      fs.rmSync(path);
    });
  }

  it("in zstd is read by a database as the rows of the export", async () => {
    const path = join(folder, "rows.csv.zst");
    await renderExport({ segment, spec: specOf({ format: "csv", compression: "zstd" }), path });
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const found = await connection.runAndReadAll(
      `SELECT count(DISTINCT cnpj)::INTEGER AS n FROM read_csv('${path}', all_varchar=true)`,
    );
    assert.deepEqual(found.getRowObjects(), [{ n: 9_000 }]);
    connection.closeSync();
    instance.closeSync();
    fs.rmSync(path);
  });
});

/** Lengths near the boundaries of blocks. */
const LENGTHS = [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES, 1_500_007];

describe("the writer of gzip files", () => {
  it("writes the bytes of the twin for any pieces and any packing thread", async () => {
    const random = seededRandom(21);
    for (const length of LENGTHS) {
      const text = rowsOf(length, random);
      const wanted = gzipTwin(text);
      for (const share of [0, 0.5, 1]) {
        const open: Open = (write) => new GzipWriter(write, () => random() < share);
        const file = await packed(cnpjCandidates(text, random), open);
        assert.ok(file.equals(wanted), `${length} bytes, ${share} of the blocks aside`);
      }
    }
  });

  it("makes one member with a plain header, and a checksum that readers compare", async () => {
    const text = rowsOf(700_000, seededRandom(5));
    const file = await packed([text], (write) => new GzipWriter(write));
    assert.equal(file.subarray(0, 10).toString("hex"), "1f8b08000000000004ff");
    // The bytes between header and trailer are one DEFLATE stream.
    assert.ok(inflateRawSync(file.subarray(10, -8)).equals(text));
    assert.equal(file.readUInt32LE(file.length - 8), theirCrc32(text));
    assert.equal(file.readUInt32LE(file.length - 4), text.length);
    file.writeUInt8(file.readUInt8(file.length - 8) ^ 1, file.length - 8);
    assert.throws(() => gunzipSync(file), /incorrect data check/);
  });
});

describe("the writer of zstd files", () => {
  const open: Open = (write) => new ZstdWriter(write);

  it("writes the bytes of the twin for any pieces", async () => {
    const random = seededRandom(22);
    for (const length of LENGTHS) {
      const text = rowsOf(length, random);
      const wanted = zstdTwin(text);
      for (let round = 0; round < 3; round++) {
        const file = await packed(cnpjCandidates(text, random), open);
        assert.ok(file.equals(wanted), `${length} bytes, round ${round}`);
      }
    }
  });

  it("makes one frame, and a checksum that readers compare", async () => {
    for (const length of LENGTHS) {
      const text = rowsOf(length, seededRandom(6));
      const file = await packed([text], open);
      assert.equal(zstd.findFrameCompressedSize(file), file.length, `${length} bytes`);
      assert.ok(decompressed(file).equals(text));
      file.writeUInt8(file.readUInt8(file.length - 1) ^ 1, file.length - 1);
      assert.throws(() => decompressed(file), /checksum/);
    }
  });

  it("writes what the pinned version of zstd writes, so that an update shows", async () => {
    const file = await packed([rowsOf(700_000, seededRandom(7))], open);
    const hash = createHash("sha256").update(file).digest("hex");
    assert.equal(hash, "46417b40e5a8bf774ea77a7f2e9fae2cca579362479b1400e68fe19f0c048b5e");
  });
});
