/**
 * Proves: check digits are computed right, compared with published examples and the brazilian-utils
 * package. A CNPJ encoded as two numbers keeps its order and is decoded unchanged. Lists of
 * secondary activities are parsed.
 * Does not prove: how an import treats rows with wrong check digits (ingest).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isValidCnpj } from "@brazilian-utils/brazilian-utils";
import fc from "fast-check";
import {
  CNPJ_WIDTHS,
  checkDigits,
  checkDigitsOf,
  cleanBranch,
  cleanCheckDigits,
  cleanCnaes,
  cleanRoot,
  isShortPart,
  newCnaeList,
  restOf,
  writeCnpj,
} from "../../../src/dump/cnpj.ts";
import { isValue, ruleOf } from "../../../src/dump/rules.ts";
import { recordOf } from "../../support/dump/fields.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const twelve = fc
  .array(fc.constantFrom(...alphabet), { minLength: 12, maxLength: 12 })
  .map((characters) => characters.join(""));

/** Returns two numbers that encode a CNPJ: the root, and the branch with right check digits. */
function keyOf(text: string): [root: number, rest: number] {
  const record = recordOf([text.slice(0, 8), text.slice(8)]);
  const root = cleanRoot(record, 0);
  const branch = cleanBranch(record, 1);
  assert.equal(checkDigitsOf(record, 0, 1), checkDigits(root, branch));
  return [root, restOf(branch, checkDigits(root, branch))];
}

function shown(root: number, rest: number): string {
  const bytes = new Uint8Array(16);
  writeCnpj(bytes, 1, root, rest);
  return Buffer.from(bytes).toString("latin1", 1, 15);
}

test("accepts published vectors", () => {
  assert.equal(shown(...keyOf("12ABC34501DE")), "12ABC34501DE35");
  assert.equal(shown(...keyOf("000000000001")), "00000000000191");
});

test("round-trips, and agrees with the package on check digits", () => {
  fc.assert(
    fc.property(twelve, fc.nat(99), (text, wrong) => {
      const full = shown(...keyOf(text));
      assert.equal(full.slice(0, 12), text);
      if (new Set(full).size > 1) assert.equal(isValidCnpj(full, { version: 2 }), true, full);
      const other = text + String(wrong).padStart(2, "0");
      if (other !== full) assert.equal(isValidCnpj(other, { version: 2 }), false, other);
    }),
    { seed: 11, numRuns: 2000 },
  );
});

test("orders numbers like their characters", () => {
  fc.assert(
    fc.property(twelve, twelve, (a, b) => {
      const [rootA, restA] = keyOf(a);
      const [rootB, restB] = keyOf(b);
      const byNumber = rootA - rootB || restA - restB;
      assert.equal(Math.sign(byNumber), a < b ? -1 : a > b ? 1 : 0);
      assert.ok(rootA < 36 ** 8 && restA < 2 ** 28);
    }),
    { seed: 12, numRuns: 2000 },
  );
});

test("treats lower case as upper case, with the same check digits", () => {
  const lower = recordOf(["12abc345", "01de", "35"]);
  const upper = recordOf(["12ABC345", "01DE", "35"]);
  assert.equal(cleanRoot(lower, 0), cleanRoot(upper, 0));
  assert.equal(cleanBranch(lower, 1), cleanBranch(upper, 1));
  assert.equal(checkDigitsOf(lower, 0, 1), 35);
  assert.equal(cleanCheckDigits(upper, 2), 35);
});

test("counts anything else as odd by rule cnpj_invalid", () => {
  for (const root of ["", "12A4567", "123456789", "1234567-", "1234 678", "12345\u00c7AB", "-1"]) {
    assert.equal(ruleOf(cleanRoot(recordOf([root]), 0)), "cnpj_invalid", root);
  }
  for (const branch of ["", "0A1", "00001", "00.1", ".1"]) {
    assert.equal(ruleOf(cleanBranch(recordOf([branch]), 0)), "cnpj_invalid", branch);
  }
  for (const check of ["", "A", "123", "A1", "1A"]) {
    assert.equal(isValue(cleanCheckDigits(recordOf([check, "99"]), 0)), false, check);
  }
});

test("restores lost leading zeros of digits, and leaves parts with letters", () => {
  for (const [short, whole] of [
    ["1234567", "01234567"],
    ["191", "00000191"],
    ["0", "00000000"],
  ] as const) {
    const root = cleanRoot(recordOf([short]), 0);
    assert.equal(root, cleanRoot(recordOf([whole]), 0), short);
    assert.equal(isShortPart(recordOf([short]), 0, CNPJ_WIDTHS.root), true);
    assert.equal(isShortPart(recordOf([whole]), 0, CNPJ_WIDTHS.root), false);
  }
  assert.equal(cleanBranch(recordOf(["1"]), 0), cleanBranch(recordOf(["0001"]), 0));
  assert.equal(cleanCheckDigits(recordOf(["5"]), 0), 5);
  assert.equal(isValue(cleanRoot(recordOf(["12A45678"]), 0)), true);
});

function cnaes(text: string): { codes: number[]; odd: number } {
  const list = newCnaeList();
  cleanCnaes(recordOf(["x", text]), 1, list);
  return { codes: [...list.codes.subarray(0, list.count)], odd: list.odd };
}

test("restores the lost zero of a secondary activity, and keeps it once", () => {
  const list = newCnaeList();
  cleanCnaes(recordOf(["111301,4781400,0111301,4781400,11130"]), 0, list);
  assert.deepEqual([...list.codes.subarray(0, list.count)], [111301, 4781400]);
  assert.deepEqual([list.padded, list.repeated, list.odd], [1, 2, 1]);
});

test("parses secondary activities", () => {
  assert.deepEqual(cnaes(""), { codes: [], odd: 0 });
  assert.deepEqual(cnaes("0111301"), { codes: [111301], odd: 0 });
  assert.deepEqual(cnaes("4781400,0111301"), { codes: [4781400, 111301], odd: 0 });
  assert.deepEqual(cnaes(" 4781400 , 0111301 ,"), { codes: [4781400, 111301], odd: 0 });
  assert.deepEqual(cnaes("47814,47814000,47A1400,4781400"), { codes: [4781400], odd: 3 });
});

test("parses secondary activities like split, for any number", () => {
  const part = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.integer({ min: 0, max: 9_999_999 }).map((n) => String(n).padStart(7, "0")),
    },
    { weight: 1, arbitrary: fc.constantFrom("", "1", "12345678", "ABCDEFG", "123 456") },
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 300 }), (parts) => {
      const text = parts.join(",");
      const isGood = (word: string): boolean => /^\d{6,7}$/.test(word.replaceAll(" ", ""));
      const digitsOnly = (word: string): string => word.replaceAll(" ", "");
      const words = text.split(",").filter((word) => digitsOnly(word) !== "");
      assert.deepEqual(cnaes(text), {
        codes: [...new Set(words.filter(isGood).map((word) => Number(digitsOnly(word))))],
        odd: words.filter((word) => !isGood(word)).length,
      });
    }),
    { seed: 13, numRuns: 300 },
  );
});
