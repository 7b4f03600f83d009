/**
 * Proves, on larger seeded random vocabularies than unit/native-index/find.test.ts: the
 * accounts that match a typed text equal those of a simple scan. The texts and rows reach every
 * branch of the search: several chunks of rows, more accounts than are scanned for prefixes, and
 * prefixes of very many words.
 * Does not prove: speed (bench/find.bench.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { compareFinding, HOSTILE } from "../../support/native-index/find-compare.ts";
import { tries } from "../../support/run/scale.ts";

const ROUNDS = tries("kernel queries");

const folder = mkdtempSync(join(tmpdir(), "peneira-find-"));
after(() => rmSync(folder, { recursive: true }));

describe("finding by name", () => {
  for (const [seed, count, terms, hostile] of [
    [11, 6_000, 12_000, HOSTILE],
    [12, 70_000, 300, HOSTILE.slice(5, 8)],
  ] as const) {
    // The more rows, the fewer texts, because the time of a scan is proportional to the rows.
    const typed = Math.ceil((ROUNDS * 1_000) / count);
    it(`equals a scan in ${count} rows of ${terms} words`, async () => {
      const { names, older } = await compareFinding(folder, { seed, count, terms, typed, hostile });
      assert.ok(names < older, `${names} of ${older} names are read`);
    });
  }
});
