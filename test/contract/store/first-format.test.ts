/**
 * Proves: a snapshot of format 1 is served, although it lacks several columns and all precomputed
 * counts. A filter on missing data is refused by name, with the import that adds the data. Missing
 * fields are null if all fields are shown. Such a snapshot has no posting lists of mobiles and
 * landlines, which are found by their numbers.
 * Does not prove: that the rest is answered as usual (upgrade.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { AppError } from "../../../src/errors.ts";
import { account, countMatches } from "../../../src/search/searcher.ts";
import { openSegment } from "../../../src/search/segment.ts";
import { WIDER_FIELDS } from "../../../src/spec/fields/wider.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { FILTERS, type FilterName } from "../../../src/spec/filters/table.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { readFixture } from "../../support/formats/fixtures.ts";
import { contextWith } from "../../support/spec/catalog.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-first-format-"));
const place = join(folder, "kept.peneira");
after(() => rmSync(folder, { recursive: true }));

/** Values for filters whose value is not a number. */
const VALUES: Readonly<Partial<Record<FilterName, unknown>>> = {
  require_own_domain: true,
  phone_any_of: ["11 3333-4444"],
  email_any_of: ["ana@example.com"],
  district_any_of: [{ municipality_ibge: "3550308", name: "Centro" }],
  simples_excluded_since: "2020",
  simples_excluded_before: "2021",
  mei_excluded_since: "2020",
  mei_excluded_before: "2021",
  has_federal_debt: false,
  federal_debt_any_of: ["fgts"],
  owned_by_any_of: ["11222333"],
};

/** Fields of format 3. */
const FIELDS = ["simples_excluded_on", "federal_debt", "in_cnep"] as const;

/** Returns the pointer and code of each mistake, and true if it suggests an import. */
function mistakesOf(normalize: () => unknown): unknown[] {
  try {
    normalize();
  } catch (error) {
    assert(error instanceof AppError);
    return (error.errors ?? []).map(({ pointer, code, detail }) => {
      return [pointer, code, /Import the dump of its month again/.test(detail)];
    });
  }
  return [];
}

describe("a snapshot of format 2 without districts", () => {
  it("rejects district queries with a readable error, and answers the rest", async () => {
    writeFileSync(place, readFixture("snapshot", 2));
    const segment = await openSegment(place);
    try {
      const normal = (spec: object) =>
        normalizeSpec(spec, contextWith({ catalog: segment.catalog })).spec;
      const geo = { district_any_of: VALUES.district_any_of };
      assert.deepEqual(
        mistakesOf(() => normal({ filters: { geo } })),
        [["/spec/filters/geo/district_any_of", "not_in_snapshot", true]],
      );
      const spec = normal({ filters: { contact: { require_own_domain: true } } });
      assert.ok(countMatches(segment, spec) > 0);
      const lacked = Object.entries(VALUES).slice(-7);
      for (const [member, value] of [...lacked, ["sanction_any_of", ["cnep"]] as const]) {
        const found = mistakesOf(() => normal({ filters: { company: { [member]: value } } }));
        assert.deepEqual(found.length, 1, member);
        assert.deepEqual((found[0] as unknown[]).slice(1), ["not_in_snapshot", true], member);
      }
      const two = { missing_any_of: ["email", "phone"] };
      assert.equal(mistakesOf(() => normal({ filters: { contact: two } })).length, 1);
      const since = normal({ filters: { company: { status_since: "2000" } } });
      assert.ok(countMatches(segment, since) > 0, "the day of the status is in every format");
      const whole = account(segment, decodeSnapshot(place).rows[0]?.cnpj as string, FIELDS);
      assert.deepEqual(whole, { simples_excluded_on: null, federal_debt: null, in_cnep: null });
    } finally {
      segment.close();
    }
  });
});

describe("a snapshot of format 1", () => {
  it("rejects queries that need uncounted data, and answers the rest", async () => {
    writeFileSync(place, readFixture("snapshot", 1));
    const segment = await openSegment(place);
    try {
      const normal = (spec: object) =>
        normalizeSpec(spec, contextWith({ catalog: segment.catalog })).spec;
      for (const { group, member } of FILTERS.filter((row) => "needs" in row)) {
        const value = VALUES[member] ?? 3;
        const pointer = `/spec/filters/${group}/${member}`;
        assert.deepEqual(
          mistakesOf(() => normal({ filters: { [group]: { [member]: value } } })),
          [[pointer, "not_in_snapshot", true]],
        );
      }
      for (const { name } of WIDER_FIELDS.filter((row) => "needs" in row)) {
        const found = mistakesOf(() => normal({ output: { fields: ["cnpj", name] } }));
        assert.deepEqual(found, [["/spec/output/fields/1", "not_in_snapshot", true]]);
      }
      const [cnpj = ""] = JSON.parse(readFixture("answers", 1).toString()).all as string[];
      const whole = account(segment, cnpj, OUTPUT_FIELD_NAMES);
      assert.equal(whole?.email_shared, null);
      for (const kind of ["mobile", "landline"] as const) {
        const spec = normal({ filters: { contact: { [`require_${kind}`]: true } } });
        const { rows } = decodeSnapshot(place);
        const wanted = rows.filter((row) => [row.phone_1_kind, row.phone_2_kind].includes(kind));
        assert.equal(countMatches(segment, spec), wanted.length);
        assert.ok(wanted.length > 0);
      }
    } finally {
      segment.close();
    }
  });
});
