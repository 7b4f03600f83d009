/**
 * Proves that a CPF in a sentence is no phone, name, or other number, and that no part of the
 * answer repeats it. The sentence does not run. A number after a word for a phone stays a phone
 * even if it is a valid CPF. Does not prove what other routes do with CPFs.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

/** Numbers with the check digits of a CPF; none belongs to a person in the sample. */
const DIGITS = ["68946664908", "18996370606", "52998224725"];
const grouped = (d: string, mark: string, last: string) =>
  `${d.slice(0, 3)}${mark}${d.slice(3, 6)}${mark}${d.slice(6, 9)}${last}${d.slice(9)}`;
const FORMS: readonly ((digits: string) => string)[] = [
  (d) => d,
  (d) => `${d.slice(0, 9)}-${d.slice(9)}`,
  (d) => `${d.slice(0, 9)} - ${d.slice(9)}`,
  (d) => `${d.slice(0, 9)}–${d.slice(9)}`,
  (d) => grouped(d, ".", "-"),
  (d) => grouped(d, ".", "/"),
  (d) => grouped(d, ".", ""),
  (d) => grouped(d, " ", "-"),
  (d) => grouped(d, " ", " "),
  (d) => [...d].map((digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)).join(""),
];
const SENTENCES = [
  "@",
  "CPF @",
  "quem tem o cpf @?",
  "empresas do CPF @ em Recife",
  "padarias de @ em Belém com telefone",
  'com "@" no nome',
  "MEI Fulano @ em São Paulo",
  "padarias em Belém; @",
  "who owns @",
  "empresas con @ en Belém",
  "lojas da rede @ em Natal",
];

describe("CPFs in sentences", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  for (const sentence of SENTENCES) {
    it(`are hidden in: ${sentence}`, () => {
      for (const digits of DIGITS) {
        for (const form of FORMS) {
          const text = sentence.replace("@", form(digits));
          const answer = probe.translate(text);
          const shown = JSON.stringify(answer).normalize("NFKC").replace(/\D/g, "");
          assert.ok(!shown.includes(digits), `${text}: the answer repeats it`);
          assert.ok(!JSON.stringify(answer).includes(form(digits)), text);
          const { filters, explain } = answer.spec as never as {
            filters: { contact: { phone_any_of?: unknown }; industry: { text_hints?: string[] } };
            explain: { unmapped_constraints: { code: string }[]; confidence: number };
          };
          assert.equal(filters.contact.phone_any_of, undefined, text);
          assert.ok(!filters.industry.text_hints?.some((hint) => /\d/.test(hint)), text);
          assert.ok(
            explain.unmapped_constraints.some(({ code }) => code === "cpf"),
            text,
          );
          assert.ok(isUncertain(explain.confidence), text);
        }
      }
    });
  }

  it("are hidden after the word CPF even with wrong check digits", () => {
    const answer = probe.translate("empresas do CPF 12345678900 em Recife");
    assert.ok(!JSON.stringify(answer).includes("12345678900"));
  });

  for (const text of [
    "quem tem o telefone 18996370606",
    "celular 18996370606",
    "whatsapp: 18996370606",
    "quem tem +55 18996370606",
    "quem tem +5518996370606",
    "quem tem (18) 99637-0606",
  ]) {
    it(`do not include phones: ${text}`, () => {
      const { filters } = probe.spec(text);
      assert.deepEqual(filters.contact.phone_any_of, ["+5518996370606"]);
    });
  }

  for (const text of [
    "padarias com capital acima de 10000000000 em Recife",
    "CNPJ 11.222.333/0001-81",
    "padarias abertas desde 01/02/2020 em Belém com DDD 91",
    "empresas no CEP 01310-100",
  ]) {
    it(`are not found in other numbers: ${text}`, () => {
      const { explain } = probe.translate(text).spec;
      assert.ok(!explain.unmapped_constraints.some(({ code }) => code === "cpf"));
    });
  }
});
