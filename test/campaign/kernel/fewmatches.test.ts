/**
 * Proves: if a query has few matches, the first page is found by the same pass that counts them,
 * and later pages need no pass. Page and count equal those of the reference implementation.
 * Does not prove anything about larger answers (query.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { it } from "node:test";
import type { DimensionName } from "../../../native-index/format/columns.ts";
import { type Clause, openSegment, PAGE_FACTS } from "../../../native-index/napi/engine.ts";
import { randomRows } from "../../support/native-index/fixture-rows.ts";
import { matchesOf } from "../../support/native-index/query-twin.ts";
import { writeFixture } from "../../support/native-index/region-fixture.ts";

const ROWS = 140_000;
const CHUNKS = Math.ceil(ROWS / 65_536);

function part(dimension: DimensionName, code: number): Clause {
  return { kind: "posting", any: [{ dimension, codes: Uint32Array.of(code) }], negated: false };
}

it("finds few matches once and pages through the found rows", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "peneira-few-"));
  const { rows, ...fixture } = await writeFixture(path.join(folder, "rows"), randomRows(3, ROWS));
  const segment = openSegment(fixture.path, fixture.directory);
  const clauses = [part("municipality_ibge", 7), part("legal_nature", 3)];
  const expected = matchesOf(rows, clauses).map((id) => rows[id]?.cnpj);
  assert(expected.length > 100 && expected.length <= 512, `${expected.length} matches`);
  const order = [{ key: "score", descending: true }] as const;
  const wanted = { clauses, order, method: "rank", seed: 0n, afterRow: -1, limit: 60 } as const;
  const request = { ...wanted, fields: ["cnpj"] };
  const facts = new Float64Array(Object.keys(PAGE_FACTS).length);
  const found: string[] = [];
  for (let after = -1, pages = 0; pages === 0 || facts[PAGE_FACTS.more] === 1; pages++) {
    const page = segment.renderedPage({ ...request, afterRow: after }, facts);
    const text = Buffer.from(page).toString();
    found.push(...(JSON.parse(text) as { cnpj: string }[]).map(({ cnpj }) => cnpj));
    assert.equal(segment.lastWork().chunks, pages === 0 ? CHUNKS : 0);
    after = facts[PAGE_FACTS.lastRow] as number;
  }
  assert.deepEqual(found, expected);
  segment.close();
  rmSync(folder, { recursive: true });
});
