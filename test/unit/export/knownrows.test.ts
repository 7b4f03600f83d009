/**
 * Proves: the rows found for a file's CNPJs are those of single look-ups, in order. This holds for
 * any number of CNPJs added at a time, and on both threads. A record whose CNPJ was not added has
 * the row number for unknown CNPJs. An error of a look-up is thrown. Does not prove: the look-up
 * (test/contract/native-index/look-up.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KnownRows, UNKNOWN_ROW } from "../../../src/export/enrichment/knownrows.ts";
import type { Segment } from "../../../src/search/segment.ts";

const LENGTH = 14;
const BATCH = 1 << 19;

/**
 * Returns a snapshot in which the row of a CNPJ is the number in its first four bytes. Records the
 * size of each look-up.
 */
function fakeSegment(): { segment: Segment; batches: number[] } {
  const batches: number[] = [];
  const lookUp = (cnpjs: Uint8Array) => {
    batches.push(cnpjs.length / LENGTH);
    const view = new DataView(cnpjs.buffer, cnpjs.byteOffset, cnpjs.byteLength);
    const rows = Uint32Array.from({ length: cnpjs.length / LENGTH }, (_, at) =>
      view.getUint32(at * LENGTH, true),
    );
    return { rows, text: new Uint8Array(0) };
  };
  const native = { lookUp, lookUpAsync: async (cnpjs: Uint8Array) => lookUp(cnpjs) };
  return { segment: { native } as unknown as Segment, batches };
}

function recordsFrom(first: number, count: number): Uint8Array {
  const bytes = new Uint8Array(count * LENGTH);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < count; at++) view.setUint32(at * LENGTH, first + at, true);
  return bytes;
}

describe("known rows of a file", () => {
  for (const isHelped of [false, true]) {
    it(`has each record's row across batches, ${isHelped ? "off" : "on"} the thread`, async () => {
      const { segment, batches } = fakeSegment();
      const known = new KnownRows(segment, () => isHelped);
      let added = 0;
      for (const count of [1, 0, 65_536, BATCH - 10, 40_000]) {
        known.add(recordsFrom(added, count));
        added += count;
      }
      await known.end();
      assert.deepEqual(batches, [BATCH, added - BATCH]);
      const rows = (from: number, count: number) => {
        const read = new Uint32Array(count);
        known.read(from, read);
        return [...read];
      };
      const first = BATCH - 3;
      assert.deepEqual(
        rows(first, 6),
        [0, 1, 2, 3, 4, 5].map((at) => first + at),
      );
      assert.deepEqual(rows(added - 1, 3), [added - 1, UNKNOWN_ROW, UNKNOWN_ROW]);
      assert.deepEqual(rows(added + BATCH, 1), [UNKNOWN_ROW]);
    });
  }

  it("throws a failed look-up at the end", async () => {
    const native = { lookUpAsync: () => Promise.reject(new Error("damaged")) };
    const known = new KnownRows({ native } as unknown as Segment, () => true);
    known.add(recordsFrom(0, 1));
    await assert.rejects(known.end(), /damaged/);
  });
});
