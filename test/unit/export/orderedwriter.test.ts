/**
 * Proves: pieces that are made concurrently are written in the order in which they were requested,
 * however long each takes. At most three are in flight. The first piece that fails ends the work,
 * and nothing after it is written.
 * Does not prove the content of the pieces (contract/export/render).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { OrderedWriter } from "../../../src/export/formats/renderer.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";

/** Returns a writer, the list of bytes that it writes, and a function that makes a piece slowly. */
function begin() {
  const written: number[] = [];
  const made = { inFlight: 0, most: 0 };
  const turn = new OrderedWriter((bytes) => written.push(bytes[0] as number));
  const piece = async (number: number, ms: number) => {
    made.inFlight++;
    made.most = Math.max(made.most, made.inFlight);
    await sleep(ms);
    made.inFlight--;
    return Uint8Array.of(number);
  };
  return { written, made, turn, piece };
}

describe("pieces that are written in order", () => {
  it("keep their order, for any durations", async () => {
    const random = seededRandom(5);
    const { written, made, turn, piece } = begin();
    const wanted = Array.from({ length: 120 }, (_, number) => number);
    for (const number of wanted) {
      if (random() < 0.3) await turn.now(() => Uint8Array.of(number));
      else await turn.later(piece(number, random() * 4));
    }
    await turn.rest();
    assert.deepEqual(written, wanted);
    assert.equal(made.most, 3);
  });

  it("end at the first that fails, in order", async () => {
    const { written, turn, piece } = begin();
    await turn.later(piece(0, 20));
    await turn.later(Promise.reject(new Error("one")));
    await turn.later(piece(2, 1));
    await assert.rejects(turn.rest(), { message: "one" });
    assert.deepEqual(written, [0]);
  });
});
