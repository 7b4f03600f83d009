/**
 * Proves: pieces that are made beside each other are written in the order in which they came,
 * however long each takes and whoever is made at once; no more than three are under way; the first
 * that fails ends the work where it is its turn, with nothing behind it written.
 * Does not prove what is in the pieces (contract/export/render).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { OrderedWriter } from "../../../src/export/formats/renderer.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";

/** What was written, and how to make a piece that takes its time. */
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

describe("pieces that are written in turn", () => {
  it("keep their order, however long each takes", async () => {
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

  it("end at the first that fails, in its turn", async () => {
    const { written, turn, piece } = begin();
    await turn.later(piece(0, 20));
    await turn.later(Promise.reject(new Error("one")));
    await turn.later(piece(2, 1));
    await assert.rejects(turn.rest(), { message: "one" });
    assert.deepEqual(written, [0]);
  });
});
