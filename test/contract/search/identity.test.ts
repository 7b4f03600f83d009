/**
 * Proves that the identity of a snapshot (a SHA-256) represents its bytes, even if checksums are
 * forged. Three checks find altered bytes with a valid CRC-32C: `verify`, the check before a new
 * snapshot is served, and the check in the background. If the block's SHA-256 is forged too, the
 * file is rejected. If all hashes are forged, the file is another snapshot with another identity. A
 * file from before SHA-256 digests were stored opens under its old identity, and can be forged.
 * Misplaced digests are rejected with a message. The same dump yields the same identity.
 * Does not prove: that SHA-256 is computed right (native-build*.test.ts), nor that the first access
 * to a block finds a forgery. It does not, as shown here.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openSnapshot } from "../../../native-index/format/snapshot/snapshot.ts";
import { verifySnapshot } from "../../../native-index/format/snapshot/verify.ts";
import {
  type DigestsLocation,
  openSegment as openNative,
} from "../../../native-index/napi/engine.ts";
import { CommandError } from "../../../src/errors.ts";
import { manualClock } from "../../../src/process/clock.ts";
import { openLog } from "../../../src/process/log.ts";
import { Scrubber } from "../../../src/search/scrubber.ts";
import { account } from "../../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { forge, placeOf } from "../../support/files/hostile-file.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

const BLOCK = 65_536;

describe("the identity of a snapshot", () => {
  const folder = mkdtempSync(join(tmpdir(), "peneira-identity-"));
  const samples: SampleSnapshot[] = [];
  let whole: Buffer;
  let digests: DigestsLocation;
  let identity: string;
  let first: { readonly cnpj: string; readonly legal_name: string };
  before(async () => {
    samples.push(await makeSampleSnapshot(200, 1), await makeSampleSnapshot(200, 1));
    whole = readFileSync(snapshotOf(0));
    const opened = await openSnapshot(snapshotOf(0));
    digests = opened.directory.digests as DigestsLocation;
    identity = opened.identity as string;
    const segment = await openSegment(snapshotOf(0));
    const rows = segment.native.renderJson(Uint32Array.of(0), ["cnpj", "legal_name"]);
    [first] = JSON.parse(Buffer.from(rows).toString());
    segment.close();
  });
  after(() => {
    for (const sample of samples) sample.dispose();
    rmSync(folder, { recursive: true });
  });

  const snapshotOf = (number: number) => (samples[number] as SampleSnapshot).snapshot;
  let files = 0;
  function written(bytes: Buffer): string {
    const path = join(folder, `${files++}.peneira`);
    writeFileSync(path, bytes);
    return path;
  }

  /** Returns the file with a changed account name but a valid checksum, and the changed block. */
  function forged(): { bytes: Buffer; block: number } {
    const bytes = Buffer.from(whole);
    const at = placeOf(bytes, first.legal_name);
    forge(bytes, at, Buffer.from("ZZ"));
    return { bytes, block: Math.floor(at / BLOCK) };
  }

  /** Replaces the last occurrence of `from` by `to`, which has the same length. */
  function retold(bytes: Buffer, from: string, to: string): Buffer {
    assert.equal(from.length, to.length);
    const at = bytes.lastIndexOf(from);
    assert.ok(at > digests.offset, "it stands in the footer");
    bytes.write(to, at, "latin1");
    return bytes;
  }

  const withoutDigests = (bytes: Buffer) => retold(bytes, '"digests"', '"former_"');

  /**
   * Updates the stored digest of the altered block. Only the identity, the hash over all digests,
   * then differs from the original.
   */
  function digested({ bytes, block }: ReturnType<typeof forged>): Buffer {
    const end = Math.min((block + 1) * BLOCK, digests.offset);
    const digest = createHash("sha256")
      .update(bytes.subarray(block * BLOCK, end))
      .digest();
    digest.copy(bytes, digests.offset + 32 * block);
    return bytes;
  }

  const nameOf = (segment: Segment) =>
    (account(segment, first.cnpj, ["legal_name"]) as typeof first).legal_name;

  it("is 64 hex digits, the same for the same dump", async () => {
    const again = await openSegment(snapshotOf(1));
    assert.match(identity, /^[0-9a-f]{64}$/);
    assert.equal(again.snapshotId, identity);
    again.close();
  });

  it("detects altered bytes with a matching CRC-32C", async () => {
    const { bytes, block } = forged();
    const path = written(bytes);
    const { damaged } = await verifySnapshot(await openSnapshot(path), () => {});
    assert.deepEqual(
      damaged.map((place) => place.block),
      [block],
    );
    const swapped = await openSegment(path);
    assert.match(nameOf(swapped), /^ZZ/, "the first touch finds accidents, not forgeries");
    const words = { code: "SNAPSHOT_DAMAGED", message: new RegExp(`block ${block} .*SHA-256`) };
    await assert.rejects(swapped.native.verify(), words);
    assert.equal(swapped.native.poisoned(), true);
    assert.throws(() => nameOf(swapped), { code: "snapshot_unavailable" });
    swapped.close();
  });

  it("leaves no flipped bit of the footer or its padding unnoticed by a check", async () => {
    const { footerOffset } = await openSnapshot(snapshotOf(0));
    const from = digests.offset + digests.length;
    assert.ok(footerOffset - from < 64 && whole.length - footerOffset > 1_000);
    const path = written(whole);
    const isNoticed = async () => {
      try {
        const { damaged, footerAgrees } = await verifySnapshot(await openSnapshot(path), () => {});
        return damaged.length > 0 || !footerAgrees;
      } catch (error) {
        assert.ok(error instanceof CommandError, String(error));
        return true;
      }
    };
    assert.equal(await isNoticed(), false);
    const random = seededRandom(21);
    const file = openSync(path, "r+");
    const missed: number[] = [];
    // Positions to flip: all of the padding, the last 100 bytes, and 80 random places of the
    // footer.
    const places = [
      ...Array.from({ length: footerOffset - from }, (_, at) => from + at),
      ...Array.from({ length: 100 }, (_, at) => whole.length - 1 - at),
      ...Array.from({ length: 80 }, () => {
        return footerOffset + Math.floor(random() * (whole.length - footerOffset));
      }),
    ];
    for (const at of places) {
      const byte = whole[at] as number;
      writeSync(file, Buffer.of(byte ^ (1 << Math.floor(random() * 8))), 0, 1, at);
      if (!(await isNoticed())) missed.push(at - footerOffset);
      writeSync(file, Buffer.of(byte), 0, 1, at);
    }
    closeSync(file);
    assert.deepEqual(missed, []);
  });

  it("is verified by the scrubber", async () => {
    const segment = await openSegment(written(forged().bytes));
    const clock = manualClock();
    const scrubber = new Scrubber({
      segments: () => [segment],
      damaged: () => {},
      ...{ seconds: 1, clock, log: openLog("silent") },
    });
    scrubber.glance();
    clock.advance(1_000);
    await scrubber.step();
    assert.equal(segment.native.poisoned(), true);
    segment.close();
  });

  it("is rejected if a block has its digest, and differs if the digest matches too", async () => {
    const bytes = digested(forged());
    await assert.rejects(openSnapshot(written(bytes)), /its digests are damaged/);
    // A snapshot that is open already is found to be altered once all its blocks have been checked.
    const directory = (await openSnapshot(snapshotOf(0))).directory;
    const native = openNative(written(bytes), directory);
    await native.verifyBlocks(0, native.blockCount - 1);
    const words = { code: "SNAPSHOT_DAMAGED", message: /the identity/ };
    await assert.rejects(native.verifyBlocks(native.blockCount - 1, 1), words);
    native.close();
    const head = Buffer.from("PNRIDENT\0\0\0\0\0\0\0\0", "latin1");
    head.writeBigUInt64LE(BigInt(digests.offset), 8);
    const listed = bytes.subarray(digests.offset, digests.offset + digests.length);
    const other = createHash("sha256").update(head).update(listed).digest("hex");
    const segment = await openSegment(written(retold(bytes, identity, other)));
    await segment.native.verify();
    assert.equal(segment.snapshotId, other);
    assert.notEqual(other, identity);
    segment.close();
  });

  it("of an older file is unchanged, and can be forged", async () => {
    const real = await openSegment(written(withoutDigests(Buffer.from(whole))));
    const other = await openSegment(written(withoutDigests(forged().bytes)));
    for (const { native, snapshotId } of [real, other]) {
      assert.match(snapshotId, /^[0-9a-f]{16}$/);
      await native.verify();
    }
    assert.equal(real.snapshotId, other.snapshotId);
    assert.notEqual(nameOf(real), nameOf(other));
    const { damaged } = await verifySnapshot(await openSnapshot(real.path), () => {});
    assert.deepEqual(damaged, []);
    for (const segment of [real, other]) segment.close();
  });

  it("has its digests at the right offset, or the file is rejected", async () => {
    const offset = `"digests":{"offset":"${digests.offset}"`;
    const length = `"length":"${digests.length}","sha256"`;
    const less = (text: string, by: number) =>
      text.replace(/\d+/, (number) => `${Number(number) - by}`.padStart(number.length, "0"));
    const wrong: readonly (readonly [string, string])[] = [
      [offset, less(offset, 64)],
      [offset, less(offset, -64)],
      [offset, less(offset, digests.offset - 64)],
      [length, less(length, 32)],
      [identity, identity.toUpperCase().replace(/^./, "G")],
      [identity, `${identity.slice(1)}0`],
    ];
    for (const [from, to] of wrong) {
      const bytes = retold(Buffer.from(whole), from, to);
      await assert.rejects(openSnapshot(written(bytes)), /(digests|footer is|metadata).* damaged/);
    }
    const { directory } = await openSnapshot(snapshotOf(0));
    for (const place of [{ offset: 64 }, { offset: digests.offset + 32 }, { length: 32 }]) {
      const elsewhere = { ...directory, digests: { ...digests, ...place } };
      assert.throws(() => openNative(snapshotOf(0), elsewhere), {
        code: "SNAPSHOT_DAMAGED",
        message: /DIGESTS/,
      });
    }
  });

  it("changes with every bit of the digests", async () => {
    for (const at of [0, 31, 32, digests.length - 1]) {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(digests.offset + at) ^ 4, digests.offset + at);
      await assert.rejects(openSnapshot(written(bytes)), /its digests are damaged/);
    }
  });
});
