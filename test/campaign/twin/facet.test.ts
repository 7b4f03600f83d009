/**
 * Proves: every facet of seeded random specs has exactly the counts of a linear scan over the
 * decoded rows, in the documented order. The counts of values, of other values, and of missing
 * values sum to the total. Precomputed counts agree with counting the matches, and using them reads
 * no row. A small benchmark runs. Does not prove: anything about HTTP, nor about speed
 * (bench/facets.bench.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { benchFacets } from "../../../bench/facets.bench.ts";
import { clausesOf } from "../../../src/search/clauses.ts";
import { FACET_VALUES_MAX, facets } from "../../../src/search/facet.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { punctuateCnae, sectionOfCnae } from "../../../src/spec/catalog.ts";
import { FACETS, type FacetName } from "../../../src/spec/facets.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { SEED, tries } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { randomSpec, seededRng } from "../../support/spec/random.ts";
import { Twin, type TwinRow } from "../../support/twin.ts";

type Value = string | number | boolean | null;

const digits = (count: number) => (row: TwinRow) => {
  const code = row.cnae_primary as string | null;
  return code === null || code === "8888888" ? null : code.slice(0, count);
};

/** For each facet, a function that returns a row's value, independently of the product. */
const READ: Readonly<Record<FacetName, (row: TwinRow) => Value>> = {
  uf: (row) => row.uf as Value,
  municipality: (row) => row.municipality_ibge as Value,
  cnae_section: (row) => {
    const code = row.cnae_primary as string | null;
    return code === null ? null : sectionOfCnae(code);
  },
  cnae_division: digits(2),
  cnae_group: digits(3),
  cnae_class: digits(5),
  cnae_subclass: (row) =>
    row.cnae_primary === null ? null : punctuateCnae(row.cnae_primary as string),
  registration_status: (row) => row.registration_status as Value,
  company_size: (row) => row.company_size_code as Value,
  started_year: (row) => (row.started_on === null ? null : Number(`${row.started_on}`.slice(0, 4))),
  started_quarter: (row) => {
    const [year, month] = `${row.started_on}`.split("-");
    return row.started_on === null ? null : `${year}-Q${Math.ceil(Number(month) / 3)}`;
  },
  started_month: (row) => (row.started_on === null ? null : `${row.started_on}`.slice(0, 7)),
  status_year: (row) => {
    const date = row.registration_status_date;
    return date === null ? null : Number(`${date}`.slice(0, 4));
  },
  status_quarter: (row) => {
    const date = row.registration_status_date;
    const [year, month] = `${date}`.split("-");
    return date === null ? null : `${year}-Q${Math.ceil(Number(month) / 3)}`;
  },
  status_month: (row) => {
    const date = row.registration_status_date;
    return date === null ? null : `${date}`.slice(0, 7);
  },
  legal_nature: (row) => row.legal_nature as Value,
  simples: (row) => row.simples_opt_in === true,
  mei: (row) => row.mei_opt_in === true,
  headquarters: (row) => row.headquarters === true,
  contact: (row) => {
    const phone = row.phone_1 !== null || row.phone_2 !== null;
    if (row.email !== null) return phone ? "email_and_phone" : "email";
    return phone ? "phone" : "none";
  },
};

/** Counts a facet of the rows, one row at a time. */
function scan(rows: readonly TwinRow[], name: FacetName) {
  const counts = new Map<Value, number>();
  for (const row of rows) counts.set(READ[name](row), (counts.get(READ[name](row)) ?? 0) + 1);
  const missing = counts.get(null) ?? 0;
  counts.delete(null);
  const sorted = [...counts].sort(
    ([a, n], [b, m]) => m - n || ((a as string) < (b as string) ? -1 : 1),
  );
  const rest = sorted.slice(FACET_VALUES_MAX);
  return {
    values: sorted.slice(0, FACET_VALUES_MAX),
    other: { values: rest.length, count: rest.reduce((sum, [, count]) => sum + count, 0) },
    missing,
  };
}

describe("facets", () => {
  let made: SampleSnapshot;
  let segment: Segment;
  let twin: Twin;

  before(async () => {
    made = await makeSampleSnapshot(70_000, 41);
    segment = await openSegment(made.snapshot);
    twin = new Twin(decodeSnapshot(made.snapshot).rows);
  });
  after(() => {
    segment.close();
    made.dispose();
  });

  it("equal a linear scan for random specs", () => {
    const rng = seededRng(SEED);
    for (let i = 0; i < tries("facet specs"); i++) {
      const spec = randomSpec(rng, segment.catalog, twin.rows);
      const rows = twin.answer(spec).map((row) => twin.rows[row] as TwinRow);
      const counted = facets(segment, clausesOf(segment, spec.filters), FACETS);
      for (const name of FACETS) {
        const facet = counted[name];
        const message = `${name} of ${JSON.stringify(spec.filters)}`;
        const plain = facet?.values.map(({ value, count }) => [value, count]);
        assert.deepEqual({ ...facet, values: plain }, scan(rows, name), message);
      }
    }
  });

  it("sum to the row count of the whole snapshot", () => {
    const counted = facets(segment, [], FACETS);
    for (const name of FACETS) {
      const facet = counted[name];
      assert(facet !== undefined);
      const listed = facet.values.reduce((sum, { count }) => sum + count, 0);
      assert.equal(listed + facet.other.count + facet.missing, segment.accounts, name);
    }
  });

  it("are read from the cube if it holds them, without reading a row", () => {
    const uf = segment.codeOf("uf", "SP");
    const clause = {
      kind: "posting",
      any: [{ dimension: "uf", codes: Uint32Array.of(uf) }],
      negated: false,
    } as const;
    segment.native.facets([clause], ["cnae", "uf", "registration_status"]);
    assert.equal(segment.native.lastWork().chunks, 0);
    segment.native.facets([clause], ["legal_nature"]);
    assert.ok(segment.native.lastWork().chunks > 0);
  });

  it("name what they count, and reject an unknown facet", () => {
    const { uf, municipality, cnae_subclass: activity } = facets(segment, [], FACETS);
    assert.equal(uf?.values[0]?.label, undefined);
    assert.match(municipality?.values[0]?.label ?? "", /^.+\/[A-Z]{2}$/);
    assert.ok((activity?.values[0]?.label ?? "").length > 5);
    assert.throws(() => segment.native.facets([], ["colour" as never]), /no facet "colour"/);
  });

  it("equal those of another database in a small run of the bench", async () => {
    const small = await makeSampleSnapshot(3_000, 42);
    const corpus = { ...small, accounts: 3_000 };
    const lines = await benchFacets(corpus, { seconds: 0, samples: 1 }).finally(small.dispose);
    assert.equal(lines.length, 49);
    for (const { filter, facet, matches, peneira, duck } of lines) {
      assert.ok(matches > 0 && peneira > 0 && duck > 0, `${filter}, ${facet}`);
    }
  });
});
