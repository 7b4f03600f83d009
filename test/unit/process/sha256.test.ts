/**
 * Proves, on random values: both ways to hash (the one call of newer Node and the object of older
 * Node) give what `createHash` gives, and an HMAC by either is that of `createHmac`, for secrets of
 * every length and messages that outgrow the room, signed one after the other with one key; and
 * that the module loads where Node does not know the one call.
 * Does not prove that anything is faster.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import crypto, { createHash, createHmac } from "node:crypto";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { digestBy, HmacKey, SHA256_BYTES, sha256 } from "../../../src/sha256.ts";
import { ROOT } from "../../support/checkout.ts";

const { hash: oneShot } = crypto as { readonly hash?: typeof crypto.hash };
const WAYS = oneShot === undefined ? [undefined] : [undefined, oneShot];
const BYTES = fc.uint8Array({ maxLength: 300 });
const TEXT = fc.string({ unit: "binary", maxLength: 300 });

describe("SHA-256", () => {
  it("is that of Node, whichever way", () => {
    fc.assert(
      fc.property(fc.oneof(BYTES, TEXT), (data) => {
        const expected = createHash("sha256").update(data).digest();
        assert.deepEqual(sha256(data), expected);
        for (const way of WAYS) {
          assert.deepEqual(Buffer.from(digestBy(way)(data), "latin1"), expected);
        }
      }),
    );
  });

  it("signs as Node's HMAC does, whichever way and whatever was signed before", () => {
    const messages = fc.array(fc.tuple(BYTES, TEXT), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 150 }), messages, (secret, all) => {
        for (const way of WAYS) {
          const key = new HmacKey(secret, digestBy(way));
          for (const [payload, text] of all) {
            const signed = Buffer.alloc(SHA256_BYTES + 2, 7);
            key.sign(payload, text, signed, 1);
            const hmac = createHmac("sha256", secret).update(payload).update(text).digest();
            assert.deepEqual(signed, Buffer.concat([Buffer.of(7), hmac, Buffer.of(7)]));
          }
        }
      }),
    );
  });

  it("is there where Node has no call for it", () => {
    const module = pathToFileURL(join(ROOT, "src", "sha256.ts")).href;
    const program = `
      const { default: crypto } = await import("node:crypto");
      delete crypto.hash;
      (await import("node:module")).syncBuiltinESMExports();
      const { sha256 } = await import(${JSON.stringify(module)});
      process.stdout.write(sha256("abc").toString("hex"));`;
    const options = ["--import", "tsx", "--input-type=module", "--eval", program];
    const { stdout, stderr } = spawnSync(process.execPath, options, { cwd: ROOT });
    const expected = createHash("sha256").update("abc").digest("hex");
    assert.equal(stdout.toString(), expected, stderr.toString());
  });
});
