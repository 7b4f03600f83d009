/**
 * Proves that an address of the console's find view encodes exactly the query. Random queries are
 * decoded from their addresses unchanged. Lists of codes are shortened to prefixes only if the
 * meaning stays the same. Every filter has a part of the address. Unknown parts are reported, and
 * the known ones are used.
 * Does not prove: that the browser's address bar is written (console end-to-end tests do).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Address,
  decodeAddress,
  encodeAddress,
} from "../../../src/console/web/find/address.ts";
import {
  BOUNDS,
  emptyQuery,
  type Query,
  tidyQuery,
} from "../../../src/console/web/find/question.ts";
import { CatalogLookup, punctuateCnae } from "../../../src/spec/catalog.ts";
import {
  COMPANY_SIZE_CODES,
  REGISTRATION_STATUSES,
  SCORING_STRATEGIES,
  SORT_FIELDS,
  UFS,
} from "../../../src/spec/fields.ts";
import { SPEC_LIMITS } from "../../../src/spec/limits.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";

const ACTIVITIES = [
  ..."1091101 1091102 1092900 4711301 4711302 4712100 4713004 4721102 4721103 4721104".split(" "),
  ..."5611201 5611203 5611204 5620101 8630501 8630502 8630503 8888888 8810000".split(" "),
];
const NATURES = ["2011", "2038", "2046", "2054", "2062", "2135", "3999", "4014"];
const CITIES = [
  { tom: "4123", ibge: "3106200", uf: "MG", name: "BELO HORIZONTE" },
  { tom: "7107", ibge: "3550308", uf: "SP", name: "SAO PAULO" },
  { tom: "6001", ibge: "3304557", uf: "RJ", name: "RIO DE JANEIRO" },
  { tom: "9707", ibge: null, uf: "EX", name: "EXTERIOR" },
];
const LOOKUP = new CatalogLookup({
  cnaeCodes: ACTIVITIES,
  municipalities: CITIES,
  legalNatures: NATURES,
});

/** Returns a random address with a random selection of filters. */
function randomAddress(random: () => number): Address {
  const some = <Value>(values: readonly Value[]) => values.filter(() => random() < 0.4);
  const one = <Value>(values: readonly Value[]) =>
    values[Math.floor(random() * values.length)] as Value;
  const maybe = <Value>(make: () => Value) => (random() < 0.5 ? null : make());
  const text = () =>
    Array.from({ length: 1 + Math.floor(random() * 12) }, () =>
      one([..."aãÇ z9,&=#+%/.-\"'<~", "😀", "\u0301"]),
    ).join("");
  const two = (from: number, count: number) =>
    String(from + Math.floor(random() * count)).padStart(2, "0");
  const day = () => `${1900 + Math.floor(random() * 130)}-${two(1, 12)}-${two(1, 28)}`;
  const amount = () => Math.round(random() * 10 ** (1 + random() * 12.9)) / one([1, 10, 100]);
  const query = emptyQuery();
  const { industry, geo, company, contact } = query.filters;
  industry.cnae_any_of = some(ACTIVITIES).map(punctuateCnae);
  industry.cnae_exclude = some(ACTIVITIES).map(punctuateCnae);
  industry.text_hints = some([1, 2, 3]).map(text);
  geo.uf_any_of = some(UFS);
  geo.municipality_ibge_any_of = some(CITIES).flatMap(({ ibge }) => ibge ?? []);
  geo.municipality_tom_any_of = some(CITIES).map(({ tom }) => tom);
  geo.postal_code_prefix_any_of = some(["0", "01310", "30140071"]);
  geo.area_code_any_of = some(["11", "31", "99"]);
  company.registration_status_any_of = some(REGISTRATION_STATUSES);
  company.company_size_code_any_of = some(COMPANY_SIZE_CODES);
  company.headquarters_only = random() < 0.5;
  company.simples_opt_in = one([true, false, null]);
  company.mei_opt_in = one([true, false, null]);
  company.started_after = maybe(day);
  company.started_before = maybe(day);
  const { started_after: after, started_before: end } = company;
  if (after !== null && end !== null && after >= end) company.started_before = null;
  if (random() < 0.5) company.share_capital_min = amount();
  if (random() < 0.5) company.share_capital_max = amount();
  company.legal_nature_any_of = some(NATURES);
  contact.require_email = random() < 0.5;
  contact.require_phone = random() < 0.5;
  contact.require_any_contact = random() < 0.5;
  query.sort = some(SORT_FIELDS)
    .slice(0, 3)
    .map((field) => ({ field, direction: one(["asc", "desc"] as const) }));
  query.scoring.strategy = one(SCORING_STRATEGIES);
  query.scoring.random_seed = maybe(() => Math.floor(random() * Number.MAX_SAFE_INTEGER));
  const sentence = random() < 0.5 ? text() : "";
  return { query: tidyQuery(query), sentence, month: null };
}

function requested(edit: (query: Query) => void): Address {
  const query = emptyQuery();
  edit(query);
  return { query, sentence: "", month: null };
}

describe("an address", () => {
  it("round-trips for 3,000 random queries", () => {
    const random = seededRandom(20261121);
    for (let round = 0; round < 3_000; round++) {
      const address = randomAddress(random);
      const text = encodeAddress(address, LOOKUP);
      assert.deepEqual(decodeAddress(text, LOOKUP), { ...address, troubles: [] }, text);
      assert.deepEqual(decodeAddress(encodeAddress(address, null), LOOKUP).query, address.query);
    }
  });

  it("contains nothing that ends a fragment or needs quoting in an e-mail", () => {
    const random = seededRandom(7);
    for (let round = 0; round < 500; round++) {
      assert.match(encodeAddress(randomAddress(random), LOOKUP), /^[\w&=%+,./~!*'()-]*$/);
    }
  });

  it("is empty for an empty query, and then names no month", () => {
    const nothing = { query: emptyQuery(), sentence: "", month: "2026-10" };
    assert.equal(encodeAddress(nothing, LOOKUP), "");
  });

  it("is readable", () => {
    const address = requested(({ filters }) => {
      filters.industry.cnae_any_of = [...LOOKUP.cnae("47"), "1091-1/02"];
      filters.geo.uf_any_of = ["SP", "MG"];
      filters.company.registration_status_any_of = [2];
      filters.company.started_after = "2020-01-01";
      filters.company.mei_opt_in = false;
      filters.contact.require_email = true;
    });
    const text = encodeAddress({ ...address, sentence: "lojas em SP", month: "2026-10" }, LOOKUP);
    assert.equal(
      text,
      "q=lojas+em+SP&cnae=1091-1/02,G&uf=MG,SP&status=2&mei=no&opened=2020-01-01..&" +
        "contact=email&month=2026-10",
    );
  });
});

describe("activities in an address", () => {
  const shortened = (codes: readonly string[]) =>
    encodeAddress(
      requested(({ filters }) => {
        filters.industry.cnae_any_of = [...codes];
      }),
      LOOKUP,
    );

  it("use the widest groups without gaps", () => {
    assert.equal(shortened(LOOKUP.cnae("4721")), "cnae=472");
    assert.equal(shortened(LOOKUP.cnae("10")), "cnae=C");
    assert.equal(shortened(LOOKUP.cnae("10").slice(1)), "cnae=1091-1/02,1092-9/00");
  });

  it("never count 8888888 (not informed) as a part of division 88", () => {
    const codes = ["8810-0/00", "8888-8/88"];
    assert.equal(shortened(codes), "cnae=8810-0/00,8888-8/88");
  });
});

describe("parts that an address cannot express", () => {
  const cases: readonly (readonly [address: string, reason: string, value: string])[] = [
    ["colour=red", "unknown_key", "red"],
    ["uf=SP&uf=MG", "repeated", "MG"],
    ["uf=SP,XX", "unknown", "XX"],
    ["cnae=47,99999", "unknown", "99999"],
    ["city=3106200,1", "unknown", "1"],
    ["nature=9", "unknown", "9"],
    ["status=2,7", "unknown", "7"],
    ["size=02", "unknown", "02"],
    ["mei=maybe", "unknown", "maybe"],
    ["hq=no", "unknown", "no"],
    ["order=best", "unknown", "best"],
    ["sort=-size", "unknown", "-size"],
    ["sort=score,cnpj,started_on,legal_name", "broken", "legal_name"],
    ["opened=2020-02-30..", "broken", "2020-02-30.."],
    ["opened=2020-01-01", "broken", "2020-01-01"],
    ["opened=..", "broken", ".."],
    ["opened=2020-01-01..2020-01-01", "broken", "2020-01-01..2020-01-01"],
    ["capital=1.234..", "broken", "1.234.."],
    ["capital=..90000000000001", "broken", "..90000000000001"],
    ["seed=-1", "broken", "-1"],
    ["cep=1234567890", "unknown", "1234567890"],
    ["ddd=10", "unknown", "10"],
    ["name=%E0%A4", "broken", "%E0%A4"],
    ["uf=SP,,MG", "broken", ""],
    ["q=%", "broken", "%"],
    ["month=October", "broken", "October"],
  ];
  for (const [address, reason, value] of cases) {
    it(`are reported: ${address}`, () => {
      const { troubles } = decodeAddress(`#${address}`, LOOKUP);
      const key = address.slice(0, address.indexOf("="));
      assert.deepEqual(troubles, [{ key, value, reason }]);
    });
  }

  it("leave the other parts unchanged", () => {
    const { query } = decodeAddress("uf=SP,XX&cnae=4721&colour=red&mei=no", LOOKUP);
    assert.deepEqual(query.filters.geo.uf_any_of, ["SP"]);
    assert.equal(query.filters.industry.cnae_any_of.length, 3);
    assert.equal(query.filters.company.mei_opt_in, false);
  });
});

it("uses the spec's bounds in the form", () => {
  const { shareCapitalMax, textHintsMax, textHintLengthMax, sortKeysMax, cnaeCodesMax } =
    SPEC_LIMITS;
  assert.equal(BOUNDS.shareCapital, shareCapitalMax);
  assert.equal(BOUNDS.nameWords, textHintsMax);
  assert.equal(BOUNDS.nameWordsLength, textHintLengthMax);
  assert.equal(BOUNDS.sortKeys, sortKeysMax);
  assert.equal(BOUNDS.activities, cnaeCodesMax);
});
