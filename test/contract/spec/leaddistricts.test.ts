/**
 * Proves: a lead query names districts with their city, by name within the query's cities, or in
 * the form of an account query. The compiled query finds exactly the accounts of a full scan. If
 * districts are named, cities and states only tell which of several districts of the same name is
 * meant. Mistakes get suggestions. Normalizing the normal form does not change it.
 * Does not prove: how names are folded (unit/native-index/districtname.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Compile } from "typebox/schema";
import { AppError } from "../../../src/errors.ts";
import { countMatches } from "../../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { foldDistrict } from "../../../src/spec/districtname.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { LEAD_INPUT_SCHEMA, LEAD_SCHEMA } from "../../../src/spec/leadschema.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import { readLeadQuery } from "../../../src/translate/leads/leadquery.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

const normalForm = Compile(LEAD_SCHEMA);
const inputForm = Compile(LEAD_INPUT_SCHEMA);

const SP = "3550308";
/** Filters that accept any status, with or without contact. */
const ALL = { status: [], has_email: false };

/** A district of a municipality, spelled as in one of its accounts. */
interface Named {
  readonly name: string;
  readonly folded: string;
  readonly accounts: number;
}

let sample: SampleSnapshot;
let segment: Segment;
/** Districts by municipality, the largest first. */
const districts = new Map<string, Named[]>();

before(async () => {
  sample = await makeSampleSnapshot(4_000, 5);
  segment = await openSegment(sample.snapshot);
  const counted = new Map<string, Map<string, { name: string; accounts: number }>>();
  for (const { municipality_ibge, district } of decodeSnapshot(sample.snapshot).rows) {
    if (municipality_ibge === null || district === null) continue;
    const ofCity = counted.get(String(municipality_ibge)) ?? new Map();
    counted.set(String(municipality_ibge), ofCity);
    const folded = foldDistrict(String(district));
    const one = ofCity.get(folded) ?? { name: String(district), accounts: 0 };
    ofCity.set(folded, { ...one, accounts: one.accounts + 1 });
  }
  for (const [ibge, names] of counted) {
    const list = [...names].map(([folded, one]) => ({ folded, ...one }));
    districts.set(
      ibge,
      list.sort((a, b) => b.accounts - a.accounts),
    );
  }
});
after(() => {
  segment.close();
  sample.dispose();
});

const read = (input: unknown) => {
  assert.ok(inputForm.Check(input), JSON.stringify(input));
  return readLeadQuery(input, { segment, limitDefault: 100, limitCap: 50_000 });
};
const found = (input: object) => {
  const { query, compiled } = read(input);
  const { spec } = normalizeSpec(compiled, {
    ...{ catalog: segment.catalog, limitDefault: 100, limitCap: 50_000, fullAllowed: false },
    ...{ allowedFields: OUTPUT_FIELD_NAMES, defaultFields: DEFAULT_FIELDS, mode: "search" },
  });
  assert.ok(normalForm.Check(query), JSON.stringify(query));
  assert.deepEqual(read(query).query, query);
  const { geo } = spec.filters;
  assert.deepEqual(geo.district_any_of, query.districts);
  assert.deepEqual([geo.uf_any_of, geo.municipality_ibge_any_of], [[], []]);
  return { query, accounts: countMatches(segment, spec) };
};
const mistakes = (input: object) => {
  try {
    read(input);
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return error.errors.map(({ pointer, code, detail }) => ({ at: `${pointer} ${code}`, detail }));
  }
  return assert.fail(`accepted ${JSON.stringify(input)}`);
};
const at = (input: object) => mistakes(input).map((one) => one.at);

describe("districts of a lead query", () => {
  it("find the accounts of their city, in any spelling", () => {
    let tried = 0;
    for (const [ibge, names] of districts) {
      const city = segment.catalog.municipalities.find((one) => one.ibge === ibge);
      for (const { name, folded } of names.slice(0, 3)) {
        // The filter finds accounts with other spellings of the name as well.
        const wanted = found({ ...ALL, districts: [{ municipality_ibge: ibge, name }] });
        const spelled = found({ ...ALL, districts: `${name}, ${city?.name}/${city?.uf}` });
        const own = spelled.query.districts?.filter((one) => one.name === folded) ?? [];
        assert.deepEqual(own, [{ municipality_ibge: ibge, name: folded }], `${name} of ${ibge}`);
        const others = (spelled.query.districts ?? []).map((one) => one.name);
        const sum = names.filter((one) => others.includes(one.folded));
        const accounts = sum.reduce((all, one) => all + one.accounts, 0);
        assert.equal(spelled.accounts, accounts, name);
        assert.equal(wanted.accounts, names.find((one) => one.folded === folded)?.accounts);
        tried++;
      }
    }
    assert.ok(tried > 300, `${tried} were tried`);
  });

  it("are the same in every spelling, alone, next to the city, or combined with it", () => {
    const [{ name = "" } = {}] = districts.get(SP) ?? [];
    const one = found({ ...ALL, districts: [`${name}, São Paulo`] });
    assert.ok(one.accounts > 0);
    for (const input of [
      { districts: `${name.toLowerCase()}, sao paulo/sp` },
      { districts: [`  ${name} (São Paulo)`] },
      { districts: [`${name} - São Paulo - SP`, `${name}/São Paulo`] },
      { districts: [name], cities: "São Paulo" },
      { districts: [name], cities: [SP] },
      { districts: [`${name}, São Paulo`], cities: ["São Paulo"], states: ["SP"] },
      { districts: [`${name}, São Paulo`], states: ["SP"] },
    ]) {
      const same = found({ ...ALL, ...input });
      assert.deepEqual(same, one, JSON.stringify(input));
    }
    const notes = read({ districts: [name], cities: [SP] }).compiled.explain as {
      readonly assumptions: readonly { readonly code: string }[];
    };
    assert.ok(notes.assumptions.some(({ code }) => code === "place_of_districts"));
  });

  it("are rejected if no account names them, with a suggestion", () => {
    const [{ name = "" } = {}] = districts.get(SP) ?? [];
    const begun = name.slice(0, -2);
    const [wrong] = mistakes({ districts: [`${begun}xq, São Paulo`] });
    assert.equal(wrong?.at, "/spec/districts/0 unknown_district");
    assert.match(wrong?.detail ?? "", /^No account of São Paulo\/SP names the district .*did you/);
    assert.match(mistakes({ districts: ["Qqqq, São Paulo"] })[0]?.detail ?? "", /v1\/districts/);
    assert.deepEqual(at({ districts: [name] }), ["/spec/districts/0 needs_city"]);
    assert.deepEqual(at({ districts: [name], states: ["SP"] }), ["/spec/districts/0 needs_city"]);
    assert.deepEqual(at({ districts: " " }), ["/spec/districts no_word"]);
    const strange = [{ municipality_ibge: "1", name: "x" }];
    assert.deepEqual(at({ districts: strange }), [
      "/spec/districts/0/municipality_ibge unknown_municipality",
    ]);
    assert.deepEqual(at({ districts: [name], cities: [SP, "Bom Jesus/PI"], states: ["PR"] }), [
      "/spec/districts no_district_of_place",
      "/spec/districts no_district_of_place",
    ]);
  });

  it("are rejected by a snapshot without districts, with the import that adds them", () => {
    const older = { ...segment, catalog: { ...segment.catalog, lacksDistricts: true as const } };
    const request = { districts: ["Centro, São Paulo"] };
    const refused = () =>
      readLeadQuery(request, { segment: older, limitDefault: 100, limitCap: 50_000 });
    assert.throws(refused, ({ errors: [first] }: AppError) => {
      assert.equal(`${first?.pointer} ${first?.code}`, "/spec/districts not_in_snapshot");
      return /[Ii]mport/.test(first?.detail ?? "");
    });
  });

  it("are absent from the normal form unless used", () => {
    assert.ok(!("districts" in read({ districts: [] }).query));
    assert.deepEqual(read({ cities: [SP], districts: [] }).query, read({ cities: [SP] }).query);
  });
});
