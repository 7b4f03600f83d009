/**
 * Proves that CNPJs are parsed in every common spelling and in no other, and that check digits
 * follow the registry's own rule, against another implementation and the published examples. Does
 * not prove: that an account with that number exists.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isValidCNPJ } from "@brazilian-utils/brazilian-utils";
import fc from "fast-check";
import { cnpjCheckDigits, isPlainCnpj, readCnpj } from "../../../src/spec/cnpj/cnpj.ts";
import { readCnpjText } from "../../../src/spec/cnpj/cnpjspelling.ts";

const characters = (alphabet: string, length: number) =>
  fc
    .array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length })
    .map((list) => list.join(""));
const DIGITS = "0123456789";
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

function punctuated(cnpj: string): string {
  return cnpj.replace(/^(..)(...)(...)(....)(..)$/, "$1.$2.$3/$4-$5");
}

describe("a CNPJ", () => {
  it("has the check digits of the published examples", () => {
    assert.deepEqual(readCnpj("12.ABC.345/01DE-35"), { cnpj: "12ABC34501DE35", checked: true });
    assert.deepEqual(readCnpj("00000000000191"), { cnpj: "00000000000191", checked: true });
    assert.deepEqual(readCnpj("00000000000192"), { cnpj: "00000000000192", checked: false });
  });

  it("is validated like another implementation does for numeric ones", () => {
    const property = fc.property(characters(DIGITS, 14), fc.boolean(), (text, valid) => {
      const cnpj = valid ? text.slice(0, 12) + cnpjCheckDigits(text.slice(0, 12)) : text;
      // The other implementation rejects fourteen equal digits, which are never assigned.
      fc.pre(!/^(.)\1{13}$/.test(cnpj));
      assert.equal(readCnpj(cnpj)?.checked, isValidCNPJ(cnpj));
    });
    fc.assert(property, { numRuns: 2_000, seed: 51 });
  });

  it("of digits alone is recognized by the fast check, and nothing else is", () => {
    const property = fc.property(
      characters(`${DIGITS}${DIGITS}${DIGITS}A./- `, 14),
      fc.boolean(),
      fc.nat(3),
      (text, valid, extra) => {
        const whole = valid ? text.slice(0, 12) + cnpjCheckDigits(text.slice(0, 12)) : text;
        const cnpj = whole + DIGITS.slice(0, Math.max(0, extra - 2));
        const read = readCnpj(cnpj);
        const isPlain = read?.checked === true && read.cnpj === cnpj && /^[0-9]+$/.test(cnpj);
        assert.equal(isPlainCnpj(cnpj), isPlain, cnpj);
      },
    );
    fc.assert(property, { numRuns: 5_000, seed: 57 });
    assert.ok(isPlainCnpj("00000000000191"));
    assert.ok(!isPlainCnpj("00000000000191\n"));
  });

  it("reads the same with punctuation and in lower case", () => {
    const property = fc.property(characters(DIGITS + LETTERS, 12), (base) => {
      const cnpj = base + cnpjCheckDigits(base);
      const expected = { cnpj, checked: true };
      for (const text of [
        cnpj,
        cnpj.toLowerCase(),
        punctuated(cnpj),
        punctuated(cnpj).toLowerCase(),
      ]) {
        assert.deepEqual(readCnpj(text), expected);
      }
    });
    fc.assert(property, { numRuns: 1_000, seed: 52 });
  });

  it("is not parsed from anything else", () => {
    const wrong = [
      "",
      "0000000000019",
      "000000000001911",
      " 00000000000191",
      "00000000000191\n",
      "00.000.000/0001-9A",
      "000000000001AA",
      "00.000.0000001-91",
      "00000000/0001-91",
      "00 000 000 0001 91",
      "ÁBCDEFGH000191",
    ];
    for (const text of wrong) assert.equal(readCnpj(text), null, JSON.stringify(text));
  });

  it("has no root in a date, a postal code, or a phone", () => {
    for (const text of ["10/11/1974", "1/01/01974", "10111-974", "10.111-974", "1011-1974"]) {
      assert.deepEqual(readCnpjText(text), { kind: "refused", reason: "not_a_cnpj" }, text);
    }
    for (const text of ["10111974", "10.111.974", "10 111 974", "10111974.0"]) {
      assert.deepEqual(readCnpjText(text), { kind: "root", root: "10111974" }, text);
    }
  });
});
