/**
 * Proves: each function that cleans numbers returns the same as a simple reference implementation
 * on strings. Also tests rows with irregular values. A value is either valid, absent, or irregular
 * by exactly one named rule.
 * Does not prove: which rules an import counts (ingest), nor anything about text (dump-text).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  ABSENT,
  isValue,
  oddCode,
  RULE_NAMES,
  type Rule,
  ruleOf,
} from "../../../src/dump/rules.ts";
import {
  areaOfPhone,
  cleanCapital,
  cleanCode,
  cleanDate,
  cleanFlag,
  cleanPhone,
  cleanPostalCode,
  cleanUf,
  DATE_EARLIEST,
  daysSinceEpoch,
} from "../../../src/dump/values.ts";
import { recordOf } from "../../support/dump/fields.ts";

type Answer = number | "absent" | Rule;

/** Converts a cleaned value to text: "absent", the name of a rule, or the number. */
function read(answer: number): Answer {
  if (answer === ABSENT) return "absent";
  return ruleOf(answer) ?? answer;
}

const LATEST = Date.UTC(2026, 9, 17) / 86_400_000;
const date = (text: string): Answer => read(cleanDate(recordOf([text]), 0, LATEST));
const capital = (text: string): Answer => read(cleanCapital(recordOf([text]), 0));
const phone = (area: string, number: string): Answer =>
  read(cleanPhone(recordOf([area, number]), 0, 1));
const postal = (text: string): Answer => read(cleanPostalCode(recordOf([text]), 0));

test("reports the rule of odd codes, which have no value", () => {
  for (const rule of RULE_NAMES) {
    assert.equal(ruleOf(oddCode(rule)), rule);
    assert.equal(isValue(oddCode(rule)), false);
  }
  assert.equal(isValue(ABSENT), false);
  assert.equal(ruleOf(ABSENT), null);
  for (const value of [DATE_EARLIEST, -1, 0, Number.MAX_SAFE_INTEGER]) {
    assert.equal(isValue(value), true);
    assert.equal(ruleOf(value), null);
  }
});

test("counts days since 1970 like Date from year 1 to 2400", () => {
  const random = fc.tuple(
    fc.integer({ min: 1, max: 2400 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
  );
  fc.assert(
    fc.property(random, ([year, month, day]) => {
      const expected = new Date(0);
      expected.setUTCFullYear(year, month - 1, day);
      assert.equal(daysSinceEpoch(year, month, day), expected.getTime() / 86_400_000);
    }),
    { seed: 3, numRuns: 2000 },
  );
});

/** Reference implementation for dates: JavaScript's Date decides if the calendar has the day. */
function dateTwin(text: string): Answer {
  const trimmed = text.trim();
  if (trimmed === "" || /^0+$/.test(trimmed)) return "absent";
  if (!/^\d{8}$/.test(trimmed)) return "date_invalid";
  const iso = `${trimmed.slice(0, 4)}-${trimmed.slice(4, 6)}-${trimmed.slice(6)}`;
  const parsed = new Date(`${iso}T00:00:00Z`);
  if (trimmed.startsWith("0000")) return "date_invalid";
  if (Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== iso) {
    return "date_invalid";
  }
  const days = parsed.getTime() / 86_400_000;
  if (iso < "1800-01-01") return "date_early";
  return days > LATEST ? "date_late" : days;
}

test("parses dates like their twin", () => {
  const digits = fc.array(fc.constantFrom(..."0123456789"), { maxLength: 9 });
  const near = fc
    .tuple(fc.integer({ min: 1790, max: 2030 }), fc.nat(13), fc.nat(32))
    .map(([y, m, d]) => `${y}${String(m).padStart(2, "0")}${String(d).padStart(2, "0")}`);
  const text = fc.oneof(
    digits.map((parts) => parts.join("")),
    near,
    near,
  );
  let valid = 0;
  fc.assert(
    fc.property(text, (value) => {
      const expected = dateTwin(value);
      if (typeof expected === "number") valid++;
      assert.equal(date(value), expected, value);
    }),
    { seed: 4, numRuns: 5000 },
  );
  assert.ok(valid > 1000, "the property must see valid dates");
});

const dates: [string, Answer][] = [
  ["", "absent"],
  ["0", "absent"],
  ["00000000", "absent"],
  ["   ", "absent"],
  ["20241231", 20088],
  ["20240229", 19782],
  ["20230229", "date_invalid"],
  ["2021221", "date_invalid"],
  ["20211301", "date_invalid"],
  ["20210100", "date_invalid"],
  ["2021-1-1", "date_invalid"],
  ["18000101", DATE_EARLIEST],
  ["17991231", "date_early"],
  ["20261017", LATEST],
  ["20261018", "date_late"],
  ["20991231", "date_late"],
  ["19000229", "date_invalid"],
  ["20000229", 11016],
];
for (const [text, expected] of dates) {
  test(`parses the date "${text}" as ${expected}`, () => assert.equal(date(text), expected));
}

const capitals: [string, Answer][] = [
  ["", "absent"],
  ["0,00", 0],
  ["1000,00", 100_000],
  ["1,5", 150],
  ["7", 700],
  ["0,01", 1],
  ["1.234,56", 123_456],
  ["1.234.567,89", 123_456_789],
  ["1234,5600", 123_456],
  ["120000000000,00", 12_000_000_000_000],
  ["999999999999,00", 99_999_999_999_900],
  ["90071992547409,91", Number.MAX_SAFE_INTEGER],
  ["90071992547409,92", "capital_too_large"],
  ["99999999999999999999,00", "capital_too_large"],
  ["1,234.56", "capital_invalid"],
  ["12.34,56", "capital_invalid"],
  ["1.2345,00", "capital_invalid"],
  ["1234,567", "capital_invalid"],
  ["-1,00", "capital_invalid"],
  ["abc", "capital_invalid"],
  [",50", "capital_invalid"],
  ["1,,5", "capital_invalid"],
];
for (const [text, expected] of capitals) {
  test(`parses the capital "${text}" as ${expected}`, () => assert.equal(capital(text), expected));
}

test("parses capital like exact integers, with and without thousands dots", () => {
  const cents = fc.bigInt({ min: 0n, max: 2n ** 56n });
  fc.assert(
    fc.property(cents, fc.boolean(), (value, isDotted) => {
      const reais = (value / 100n).toString();
      const shown = isDotted ? reais.replace(/\B(?=(\d{3})+$)/g, ".") : reais;
      const text = `${shown},${(value % 100n).toString().padStart(2, "0")}`;
      const isSafe = value <= BigInt(Number.MAX_SAFE_INTEGER);
      assert.equal(capital(text), isSafe ? Number(value) : "capital_too_large", text);
    }),
    { seed: 5, numRuns: 2000 },
  );
});

const phones: [area: string, number: string, expected: Answer][] = [
  ["11", "32345678", 551132345678],
  ["11", "98765432", 5511998765432],
  ["11", "61234567", 5511961234567],
  ["11", "59999999", 551159999999],
  ["11", "987654321", 5511987654321],
  ["011", "32345678", 551132345678],
  ["0021", "32345678", 552132345678],
  ["82", "2345678", 55822345678],
  ["11", "0032345678", 551132345678],
  ["", "", "absent"],
  ["11", "", "absent"],
  ["0", "0", "absent"],
  ["11", "0", "absent"],
  ["11", "00000000", "absent"],
  ["0", "32345678", "phone_area"],
  ["", "32345678", "phone_area"],
  ["10", "32345678", "phone_area"],
  ["1", "32345678", "phone_area"],
  ["111", "32345678", "phone_area"],
  ["1A", "32345678", "phone_area"],
  ["11", "12345", "phone_number"],
  ["11", "123456", "phone_number"],
  ["11", "1234567890", "phone_number"],
  ["11", "3234-567", "phone_number"],
];
for (const [area, number, expected] of phones) {
  test(`parses the phone (${area}) ${number} as ${expected}`, () =>
    assert.equal(phone(area, number), expected));
}

test("parses phones like a twin on strings, and returns their area code", () => {
  const text = (max: number): fc.Arbitrary<string> =>
    fc.array(fc.constantFrom(..."00123456789"), { maxLength: max }).map((parts) => parts.join(""));
  const twin = (area: string, number: string): Answer => {
    const local = number.replace(/^0+/, "");
    if (local === "") return "absent";
    if (!/^\d{7,9}$/.test(local)) return "phone_number";
    const code = area.replace(/^0+/, "");
    if (!/^(1[1-9]|[2-9]\d)$/.test(code)) return "phone_area";
    return Number(`55${code}${/^[6-9]\d{7}$/.test(local) ? "9" : ""}${local}`);
  };
  let valid = 0;
  fc.assert(
    fc.property(text(4), text(10), (area, number) => {
      const expected = twin(area, number);
      assert.equal(phone(area, number), expected, `(${area}) ${number}`);
      if (typeof expected !== "number") return;
      valid++;
      assert.equal(areaOfPhone(expected), Number(area));
    }),
    { seed: 6, numRuns: 4000 },
  );
  assert.ok(valid > 200, "the property must see valid phones");
});

const postals: [string, Answer][] = [
  ["01310100", 1_310_100],
  ["1310100", 1_310_100],
  ["", "absent"],
  ["0", "absent"],
  ["00000000", "absent"],
  ["       0", "absent"],
  ["123456", "postal_code_invalid"],
  ["123456789", "postal_code_invalid"],
  ["01310-10", "postal_code_invalid"],
];
for (const [text, expected] of postals) {
  test(`parses the postal code "${text}" as ${expected}`, () =>
    assert.equal(postal(text), expected));
}

test("parses codes, flags, and states", () => {
  const odd = oddCode("nature_invalid");
  const code = (text: string): Answer => read(cleanCode(recordOf([text]), 0, 4, odd));
  assert.deepEqual(["2135", "0000", " 62 ", "", "   ", "21350", "21A5"].map(code), [
    2135,
    0,
    62,
    "absent",
    "absent",
    "nature_invalid",
    "nature_invalid",
  ]);
  const flag = (text: string): Answer => read(cleanFlag(recordOf([text]), 0));
  assert.deepEqual(["S", "N", "s", " ", "", "X", "SN"].map(flag), [
    1,
    0,
    1,
    "absent",
    "absent",
    "flag_invalid",
    "flag_invalid",
  ]);
  const uf = (text: string): Answer => read(cleanUf(recordOf([text, "x"]), 0));
  assert.deepEqual(["SP", "ex", "", "S", "SPX", "S1"].map(uf), [
    (83 << 8) | 80,
    (69 << 8) | 88,
    "absent",
    "uf_invalid",
    "uf_invalid",
    "uf_invalid",
  ]);
});
