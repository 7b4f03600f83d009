/**
 * Proves that a made key is read back, that every change of one character is refused without a
 * look-up, and that what is stored does not contain the secret. Does not prove randomness.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { keyIdOf, makeKey, parseKey } from "../../../src/access/keyring.ts";

describe("makeKey", () => {
  it("makes keys of the documented form, each different", () => {
    const keys = Array.from({ length: 1_000 }, () => makeKey().key);
    for (const key of keys) assert.match(key, /^pnr_[0-9a-f]{12}_[0-9a-f]{56}$/);
    assert.equal(new Set(keys).size, keys.length);
  });

  it("stores the SHA-256 of 192 secret bits", () => {
    const { key, hash } = makeKey();
    const secret = key.slice(17, 17 + 48);
    assert.deepEqual(hash, createHash("sha256").update(secret).digest());
  });

  it("ends in the CRC-32 of everything before", () => {
    if (typeof crc32 !== "function") return;
    const { key } = makeKey();
    assert.equal(Number.parseInt(key.slice(-8), 16), crc32(key.slice(0, -8)));
  });
});

describe("parseKey", () => {
  it("reads what makeKey makes", () => {
    const { key, id, hash } = makeKey();
    assert.deepEqual(parseKey(key), { id, hash });
  });

  it("refuses every key with one character changed", () => {
    const { key } = makeKey();
    for (let at = 0; at < key.length; at++) {
      for (const letter of "0123456789abcdefABCDEF_ ") {
        if (key[at] === letter) continue;
        assert.equal(parseKey(key.slice(0, at) + letter + key.slice(at + 1)), null, `at ${at}`);
      }
    }
  });

  it("refuses two neighbours swapped", () => {
    const { key } = makeKey();
    for (let at = 4; at + 1 < key.length; at++) {
      const swapped = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2);
      if (swapped !== key) assert.equal(parseKey(swapped), null);
    }
  });

  it("refuses any other text and never throws", () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => parseKey(text) === null));
    const { key } = makeKey();
    for (const text of ["", key.slice(1), `${key}0`, ` ${key}`, `${key}\n`, key.toUpperCase()]) {
      assert.equal(parseKey(text), null);
    }
  });
});

describe("keyIdOf", () => {
  it("takes an id or a whole key and nothing else", () => {
    const { key, id } = makeKey();
    assert.equal(keyIdOf(id), id);
    assert.equal(keyIdOf(key), id);
    assert.equal(keyIdOf("acme"), null);
  });
});
