/**
 * Proves, on random values: hashes equal Node's `createHash`, for bytes and for texts, including
 * some beyond the buffer. An HMAC equals `createHmac`, for secrets of every length and messages
 * beyond the buffer, signed in sequence with one key. The addon rejects a length beyond the bytes
 * and a target that is too short.
 * Does not prove: that anything is faster.
 */
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { hashInto, hmacInto } from "../../../native-index/napi/engine.ts";
import { HmacKey, SHA256_BYTES, sha256, sha256Hex } from "../../../src/sha256.ts";

const BYTES = fc.uint8Array({ maxLength: 300 });
const TEXT = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ unit: "binary", minLength: 2_000, maxLength: 5_000 }),
);

describe("SHA-256", () => {
  it("equals Node's", () => {
    fc.assert(
      fc.property(fc.oneof(BYTES, TEXT), (data) => {
        const expected = createHash("sha256").update(data).digest();
        assert.deepEqual(sha256(data), expected);
        assert.equal(sha256Hex(data), expected.toString("hex"));
      }),
    );
  });

  it("signs like Node's HMAC, after any earlier signature", () => {
    const messages = fc.array(fc.tuple(BYTES, TEXT), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 150 }), messages, (secret, all) => {
        const key = new HmacKey(secret);
        for (const [payload, text] of all) {
          const signed = Buffer.alloc(SHA256_BYTES + 2, 7);
          key.sign(payload, text, signed.subarray(1));
          const hmac = createHmac("sha256", secret).update(payload).update(text).digest();
          assert.deepEqual(signed, Buffer.concat([Buffer.of(7), hmac, Buffer.of(7)]));
        }
      }),
    );
  });

  it("keeps a secret that its owner changes", () => {
    const secret = Buffer.from("secret");
    const key = new HmacKey(secret);
    const expected = createHmac("sha256", secret).update("a").digest();
    secret.fill(0);
    const signed = Buffer.alloc(SHA256_BYTES);
    key.sign(Buffer.from("a"), "", signed);
    assert.deepEqual(signed, expected);
  });

  it("reads no byte after a message, and writes none after a target", () => {
    const message = new Uint8Array(10);
    const target = new Uint8Array(SHA256_BYTES);
    for (const length of [11, -1, 0.5, Number.NaN]) {
      assert.throws(() => hashInto(message, length, target), { code: "INVALID_ARGUMENT" });
      assert.throws(() => hmacInto(message, message, length, target), { code: "INVALID_ARGUMENT" });
    }
    const short = target.subarray(1);
    assert.throws(() => hashInto(message, 10, short), { code: "INVALID_ARGUMENT" });
    assert.throws(() => hmacInto(message, message, 10, short), { code: "INVALID_ARGUMENT" });
  });
});
