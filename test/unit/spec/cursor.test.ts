/**
 * Proves: a cursor decodes to its row. Every single-bit flip, every other spelling, and every
 * cursor with another secret, tenant, or endpoint is rejected as invalid. Another snapshot, spec,
 * or field set causes a specific error, and the three are checked in that order. The bytes are the
 * documented ones, also if the cursor is made from a cached template. Tests which parts of a spec
 * identify it.
 * Does not prove that pages join without gaps (the engine's tests do).
 */
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { AppError } from "../../../src/errors.ts";
import { type CursorScope, decodeCursor, encodeCursor } from "../../../src/spec/cursor.ts";
import {
  canonicalBytes,
  fieldsHash,
  normalizeSpec,
  resultHash,
  specHash,
} from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { contextWith } from "../../support/spec/catalog.ts";

const SECRET = Buffer.alloc(32, 1);
const OLD_SECRET = Buffer.alloc(32, 2);

const OTHER_HASH = "c3".repeat(32);

const SCOPE: CursorScope = {
  snapshotId: "2026-08 2026-08-08 abc",
  specHash: "a1".repeat(32),
  fieldsHash: "b2".repeat(32),
  binding: ["tenant-1", "/v1/accounts/search"],
};

function codeOf(text: string, scope: Partial<CursorScope> = {}, secret = SECRET): string {
  try {
    decodeCursor(text, { ...SCOPE, ...scope }, [secret]);
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.status, 422);
    return error.code;
  }
  return "accepted";
}

/** Makes a cursor by the steps in the header of src/spec/cursor.ts. */
function documented(cursor: CursorScope & { readonly lastRow: number }, secret: Uint8Array) {
  const row = Buffer.alloc(6);
  row.writeUIntBE(cursor.lastRow, 0, 6);
  const snapshot = createHash("sha256").update(cursor.snapshotId).digest();
  const hashes = [snapshot, Buffer.from(cursor.specHash, "hex")];
  hashes.push(Buffer.from(cursor.fieldsHash, "hex"));
  const halves = hashes.map((hash) => hash.subarray(0, 16));
  const payload = Buffer.concat([Buffer.of(1), row, ...halves]);
  const hmac = createHmac("sha256", secret).update(payload);
  for (const part of cursor.binding) hmac.update(`${Buffer.byteLength(part)}:${part}`);
  return Buffer.concat([payload, hmac.digest()]).toString("base64url");
}

describe("cursor", () => {
  const cursor = encodeCursor({ ...SCOPE, lastRow: 123_456 }, [SECRET]);

  it("round-trips any row and stays short", () => {
    const rows = [0, 1, 255, 256, 2 ** 32 - 1, 2 ** 32, 2 ** 48 - 1];
    for (const lastRow of rows) {
      const text = encodeCursor({ ...SCOPE, lastRow }, [SECRET]);
      assert.match(text, /^[A-Za-z0-9_-]{116}$/);
      assert.equal(decodeCursor(text, SCOPE, [SECRET]), lastRow);
    }
    assert.throws(() => encodeCursor({ ...SCOPE, lastRow: -1 }, [SECRET]));
    assert.throws(() => encodeCursor({ ...SCOPE, specHash: "x", lastRow: 1 }, [SECRET]));
  });

  it("is deterministic", () => {
    assert.equal(encodeCursor({ ...SCOPE, lastRow: 123_456 }, [SECRET, OLD_SECRET]), cursor);
  });

  it("has the documented bytes, from a new template or a cached one", () => {
    const row = fc.maxSafeNat().map((number) => number % 2 ** 48);
    const binding = fc.array(fc.string({ unit: "binary" }), { maxLength: 3 });
    const ends = fc.array(fc.record({ lastRow: row, binding }), { minLength: 1, maxLength: 5 });
    const secret = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const hex = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => {
      return Buffer.from(bytes).toString("hex");
    });
    const scope = fc.record({ snapshotId: fc.string(), specHash: hex, fieldsHash: hex });
    fc.assert(
      fc.property(scope, ends, secret, (of, pages, key) => {
        for (const end of pages) {
          assert.equal(encodeCursor({ ...of, ...end }, [key]), documented({ ...of, ...end }, key));
        }
      }),
    );
  });

  it("rejects every single-bit flip", () => {
    const bytes = Buffer.from(cursor, "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(codeOf(flipped.toString("base64url")), "invalid_cursor", `bit ${bit}`);
    }
  });

  it("rejects every change of one character, and every truncation and extension", () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \u0000é";
    for (let at = 0; at < cursor.length; at++) {
      for (const character of alphabet) {
        if (character === cursor[at]) continue;
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
        assert.equal(codeOf(changed), "invalid_cursor");
      }
      assert.equal(codeOf(cursor.slice(0, at)), "invalid_cursor");
    }
    for (const extra of ["A", "=", "==", " ", "\n"]) {
      assert.equal(codeOf(cursor + extra), "invalid_cursor");
      assert.equal(codeOf(extra + cursor), "invalid_cursor");
    }
  });

  it("rejects random texts", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.base64String({ minLength: 116, maxLength: 116 })),
        (text) => assert.equal(codeOf(text), "invalid_cursor"),
      ),
    );
  });

  it("accepts the previous secret, and no other", () => {
    assert.equal(decodeCursor(cursor, SCOPE, [OLD_SECRET, SECRET]), 123_456);
    assert.equal(codeOf(cursor, {}, OLD_SECRET), "invalid_cursor");
  });

  it("rejects another tenant, another endpoint, and parts that join to the same text", () => {
    for (const binding of [
      ["tenant-2", "/v1/accounts/search"],
      ["tenant-1", "/v1/leads"],
      ["tenant-1/v1/accounts/search"],
      ["tenant-1", "", "/v1/accounts/search"],
      ["tenant-1/", "v1/accounts/search"],
      [],
    ]) {
      assert.equal(codeOf(cursor, { binding }), "invalid_cursor");
    }
  });

  it("distinguishes another snapshot, then another spec or field set", () => {
    assert.equal(codeOf(cursor, { snapshotId: "2026-09" }), "cursor_expired");
    assert.equal(codeOf(cursor, { snapshotId: "2026-09", specHash: OTHER_HASH }), "cursor_expired");
    assert.equal(codeOf(cursor, { specHash: OTHER_HASH }), "cursor_mismatch");
    assert.equal(codeOf(cursor, { fieldsHash: OTHER_HASH }), "cursor_mismatch");
    assert.equal(codeOf(`${cursor.slice(0, -1)}!`, { snapshotId: "x" }), "invalid_cursor");
    assert.equal(codeOf(cursor), "accepted");
  });
});

describe("identity", () => {
  const spec = (input: object): AccountQuerySpec => normalizeSpec(input, contextWith()).spec;
  const base = spec({ filters: { geo: { uf_any_of: ["SP"] } } });

  it("does not depend on the order of members or on explain", () => {
    const turned = Object.fromEntries(Object.entries(base).reverse()) as AccountQuerySpec;
    const other = { ...turned, explain: { ...base.explain, warnings: ["w"], confidence: 0.2 } };
    assert.deepEqual(canonicalBytes(other), canonicalBytes(base));
    assert.equal(specHash(other), specHash(base));
    assert.equal(resultHash(other), resultHash(base));
  });

  it("changes with everything that changes the answer, and limit only in specHash", () => {
    const others = [
      { filters: { geo: { uf_any_of: ["RJ"] } } },
      { filters: { geo: { uf_any_of: ["SP"], area_code_any_of: ["11"] } } },
      { filters: { geo: { uf_any_of: ["SP"] }, contact: { require_email: true } } },
      { filters: { geo: { uf_any_of: ["SP"] } }, sort: [{ field: "score", direction: "asc" }] },
      { filters: { geo: { uf_any_of: ["SP"] } }, scoring: { random_seed: 0 } },
      { filters: { geo: { uf_any_of: ["SP"] } }, output: { fields: ["cnpj"] } },
    ].map(spec);
    assert.equal(new Set([base, ...others].map(specHash)).size, 7);
    assert.equal(new Set([base, ...others].map(resultHash)).size, 7);
    const file = (output: object) =>
      normalizeSpec({ output }, contextWith({ mode: "export" })).spec;
    const files = [
      {},
      { bom: true },
      { delimiter: ";" },
      { bom: true, delimiter: ";" },
      { format: "html" },
    ];
    assert.equal(new Set(files.map(file).map(specHash)).size, 5);
    assert.equal(specHash(file({ bom: false, delimiter: "," })), specHash(file({})));
    const longer = { ...base, limit: 7 };
    assert.notEqual(specHash(longer), specHash(base));
    assert.equal(resultHash(longer), resultHash(base));
  });

  it("writes canonical bytes as documented", () => {
    const text = Buffer.from(canonicalBytes(base)).toString();
    const start = '{"limit":100,"kind":"account_query","spec_version":"2.0","entity":"company",';
    assert.ok(text.startsWith(`${start}"filters":{"industry":{"cnae_any_of":[]`), text);
    assert.ok(!text.includes('explain":{'));
    const { explain: _, ...rest } = base;
    assert.deepEqual(JSON.parse(text), rest);
  });

  it("hashes a field set in any order", () => {
    assert.equal(fieldsHash(["a", "b"]), fieldsHash(["b", "a"]));
    assert.notEqual(fieldsHash(["a", "b"]), fieldsHash(["ab"]));
  });
});
