/**
 * Proves, on random positions and tenants: the cursor of a page of the export list decodes to the
 * position that it encodes, with either valid secret. A cursor is refused for another tenant, with
 * any other secret, and with any bit flipped. Does not prove that following the cursors visits the
 * whole list (contract/http/api/export-list.test.ts).
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { AppError } from "../../../src/errors.ts";
import {
  decodeListCursor,
  encodeListCursor,
  LIST_LIMIT_MAX,
} from "../../../src/export/listcursor.ts";
import { bitsFlipped } from "../../support/export/flipped.ts";

describe("a cursor of the list", () => {
  const secrets = [randomBytes(32), randomBytes(32)] as const;
  const position = fc.record({
    before: fc.maxSafeNat(),
    limit: fc.integer({ min: 1, max: LIST_LIMIT_MAX }),
  });

  it("is decoded for the same tenant and either live secret", () => {
    fc.assert(
      fc.property(position, fc.string({ unit: "binary" }), (place, tenant) => {
        const cursor = encodeListCursor(place, tenant, secrets);
        assert.match(cursor, /^[\w-]{56}$/);
        const rotated = [randomBytes(32), secrets[0]] as const;
        for (const ring of [secrets, rotated]) {
          assert.deepEqual(decodeListCursor(cursor, tenant, ring), { ...place });
        }
      }),
      { seed: 20_261_121 },
    );
  });

  it("is refused for another tenant, with other secrets, and with any bit flipped", () => {
    const refused = (cursor: string, tenant: string, ring: readonly [Buffer, ...Buffer[]]) =>
      assert.throws(
        () => decodeListCursor(cursor, tenant, ring),
        (error) => error instanceof AppError && error.code === "invalid_cursor",
      );
    fc.assert(
      fc.property(position, fc.string(), fc.string(), (place, tenant, other) => {
        const cursor = encodeListCursor(place, tenant, secrets);
        if (other !== tenant) refused(cursor, other, secrets);
        refused(cursor, tenant, [secrets[1]]);
        for (const altered of bitsFlipped(cursor)) refused(altered, tenant, secrets);
      }),
      { seed: 20_261_121, numRuns: 30 },
    );
  });
});
