/**
 * Proves: if a name is a CPF or ends with one, the CPF is removed, in every form that the registry
 * has, and nothing else is removed. In trade names, only a number with valid check digits is a CPF.
 * The test computes these digits by a second method.
 * Does not prove: that the import removes numbers with invalid check digits only for sole traders
 * (unit/ingest/), nor that the addon does the same (unit/ingest/native-scan.test.ts).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { removeCpf } from "../../../src/dump/cpf.ts";
import { newTextSink, type TextSink } from "../../../src/dump/registrytext.ts";
import { recordOf } from "../../support/dump/fields.ts";
import { cleanText } from "../../support/ingest/text.ts";

/** Returns the text that was added to the sink last. */
function shown(sink: TextSink, length: number): string {
  return Buffer.from(sink.bytes.subarray(sink.length - length, sink.length)).toString("utf8");
}

function withoutCpf(name: string, isChecked = false): string {
  const sink = newTextSink();
  const length = cleanText(recordOf([name]), 0, sink);
  const shorter = removeCpf(sink, length, isChecked);
  assert.equal(sink.length, shorter);
  return shown(sink, shorter);
}

// All numbers of this table fail the CPF check, so none belongs to a person.
const names: [name: string, expected: string][] = [
  ["MARIA DA SILVA 12345678901", "MARIA DA SILVA"],
  ["MARIA DA SILVA 123.456.789-01", "MARIA DA SILVA"],
  ["MARIA DA SILVA 123456789-01", "MARIA DA SILVA"],
  ["MARIA DA SILVA - 12345678901", "MARIA DA SILVA"],
  ["MARIA DA SILVA12345678901", "MARIA DA SILVA"],
  ["12345678901", ""],
  ["41.273.592 MARIA DA SILVA", "41.273.592 MARIA DA SILVA"],
  ["41.273.592 MARIA DA SILVA 12345678901", "41.273.592 MARIA DA SILVA"],
  ["MARIA 1234567890", "MARIA 1234567890"],
  ["MARIA 123456789012", "MARIA 123456789012"],
  ["MARIA 12.345.678/0001-95", "MARIA 12.345.678/0001-95"],
  ["MARIA 12345678000195", "MARIA 12345678000195"],
  ["MARIA 12345678901 ME", "MARIA 12345678901 ME"],
  ["MARIA DA SILVA", "MARIA DA SILVA"],
  ["MARIA DA SILVA -", "MARIA DA SILVA -"],
  ["MARIA DA SILVA 12345678901 -", "MARIA DA SILVA"],
  ["MARIA DA SILVA 12345678901.", "MARIA DA SILVA"],
  ["MARIA DA SILVA (12345678901)", "MARIA DA SILVA"],
  ["MARIA DA SILVA 12345678901 12345678901", "MARIA DA SILVA"],
  ["MARIA DA SILVA 12345678902 12345678901", "MARIA DA SILVA 12345678902"],
  ["MARIA 123 456 789 01", "MARIA 123 456 789 01"],
  ["MARIA (MEI) 12345678901", "MARIA (MEI)"],
  ["MARIA S.A. 12345678901", "MARIA S.A."],
  ["", ""],
];
for (const [name, expected] of names) {
  test(`removes the CPF: "${name}"`, () => assert.equal(withoutCpf(name), expected));
}

// Two of the valid numbers, 123.456.789-09 and 529.982.247-25, are used in textbooks and belong to
// no person.
const tradeNames: [name: string, expected: string][] = [
  ["12345678909", ""],
  ["123.456.789-09", ""],
  ["BAR DO ZE 12345678909", "BAR DO ZE"],
  ["BAR DO ZE - 529.982.247-25", "BAR DO ZE"],
  ["BAR DO ZE 12345678901", "BAR DO ZE 12345678901"],
  ["PIZZARIA 11987654321", "PIZZARIA 11987654321"],
  ["PIZZARIA 11111111111", "PIZZARIA 11111111111"],
  ["BAR 912345678909", "BAR 912345678909"],
  ["BAR 12345678909 12345678909", "BAR"],
  ["BAR 52998224725 12345678909", "BAR"],
  ["BAR 12345678909 - 529.982.247-25 -", "BAR"],
  ["BAR 12345678909.", "BAR"],
  ["BAR 12345678901.", "BAR 12345678901."],
  ["BAR 12345678909 ME", "BAR ME"],
  ["BAR 12345678909ME", "BAR ME"],
  ["BAR 12345678909 - MEI.", "BAR MEI"],
  ["BAR 12345678909 12345678909 me", "BAR me"],
  ["12345678909 LTDA", "LTDA"],
  ["BAR 12345678901 ME", "BAR 12345678901 ME"],
  ["BAR 12345678909 NOME", "BAR 12345678909 NOME"],
  ["BAR (12345678909)", "BAR"],
  ["BAR [123.456.789-09]", "BAR"],
  ["BAR (DO ZE 12345678909)", "BAR (DO ZE)"],
  ["BAR (DO ZE) (12345678909) ME", "BAR (DO ZE) ME"],
  ["BAR - CPF: 123.456.789-09", "BAR"],
  ["BAR (CPF 12345678909)", "BAR"],
  ["CPF12345678909", ""],
  ["BAR 123 456 789 09", "BAR"],
  ["BAR 123 456 789-09", "BAR"],
  ["BAR 123. 456. 789 - 09", "BAR"],
  ["BAR 123456789 09", "BAR"],
  ["BAR 123-456-789-09", "BAR"],
  ["BAR 12 345678909", "BAR 12 345678909"],
  ["BAR 11 12345 6789", "BAR 11 12345 6789"],
  ["BAR 123 456 789 01", "BAR 123 456 789 01"],
  ["12345678909 BAR", "12345678909 BAR"],
  ["BAR / 12345678909 /", "BAR"],
  ["CAF\u00c9 12345678909 ME", "CAF\u00c9 ME"],
  ["41.273.592 ANA", "41.273.592 ANA"],
];
for (const [name, expected] of tradeNames) {
  test(`removes the CPF from a trade name: "${name}"`, () => {
    assert.equal(withoutCpf(name, true), expected);
  });
}

test("removes exactly the numbers whose check digits a second sum confirms", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 99_999_999_999 }),
      fc.boolean(),
      (number, isCorrected) => {
        const given = String(number).padStart(11, "0");
        const digitOf = (digits: string): number => {
          const sum = [...digits].reverse().reduce((all, d, i) => all + Number(d) * (i + 2), 0);
          return sum % 11 < 2 ? 0 : 11 - (sum % 11);
        };
        const nine = given.slice(0, 9);
        const ten = `${nine}${digitOf(nine)}`;
        const right = `${ten}${digitOf(ten)}`;
        const shown = isCorrected ? right : given;
        const isCpf = shown === right && !/^(\d)\1*$/.test(shown);
        assert.equal(withoutCpf(`BAR ${shown}`, true), isCpf ? "BAR" : `BAR ${shown}`);
      },
    ),
    { seed: 10, numRuns: 2000 },
  );
});

test("leaves names that do not end with eleven digits", () => {
  const name = fc
    .array(fc.constantFrom(..."AB 0123456789.-/"), { maxLength: 24 })
    .map((parts) => parts.join("").replace(/ +/g, " ").trim());
  fc.assert(
    fc.property(name, (value) => {
      const bare = /^(.*?)[ ,:/-]*((?:\d[-./]*){10}\d)[ ,:./-]*$/.exec(value);
      const spaced = /\d{3}[-./ ]*\d{3}[-./ ]*\d{3}[-./ ]*\d\d[ ,:./-]*$/.exec(value);
      const result = withoutCpf(value);
      if (bare === null && spaced === null) assert.equal(result, value);
      else assert.ok(value.startsWith(result));
    }),
    { seed: 8, numRuns: 3000 },
  );
});

test("removes a generated CPF from the end of every name", () => {
  const eleven = fc.integer({ min: 0, max: 99_999_999_999 });
  const letters = fc.array(fc.constantFrom(..."ABC DE"), { maxLength: 20 });
  fc.assert(
    fc.property(letters, eleven, fc.boolean(), (parts, number, isFormatted) => {
      const name = parts.join("").replace(/ +/g, " ").trim();
      const digits = String(number).padStart(11, "0");
      const cpf = isFormatted ? digits.replace(/(...)(...)(...)(..)/, "$1.$2.$3-$4") : digits;
      assert.equal(withoutCpf(`${name} ${cpf}`), name);
    }),
    { seed: 9, numRuns: 1000 },
  );
});

test("removes nothing twice: the remainder ends in no CPF", () => {
  const parts = ["12345678909", "529.982.247-25", "123 456 789 09", "ME", "MEI", "(", ")", "-"];
  const word = fc.constantFrom(...parts, ".", "BAR", "CPF", "CAF\u00c9", "7", "LTDA.");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 7 }), fc.boolean(), (words, isChecked) => {
      const left = withoutCpf(words.join(" "), isChecked);
      assert.equal(withoutCpf(left, isChecked), left);
      assert.doesNotMatch(left, /(12345678909|529\.982\.247-25)[ .()-]*( MEI?)?[ .()-]*$/);
    }),
    { seed: 12, numRuns: 3000 },
  );
});
