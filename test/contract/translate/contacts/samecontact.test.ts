/**
 * Proves: a request for the companies that use the phone or e-mail of another company never runs. A
 * note quotes the whole request and says where to find these companies. The request becomes neither
 * a trade nor a place. Tests phrases, contacts, and companies in three languages. Requests that
 * contain a number or address, or name no company, keep their meaning.
 * Does not prove the links on the page of a company (console suites).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

/** Phrases of a request. `@` is the contact and `#` the company. */
const LANGUAGES = [
  {
    contacts: [
      "telefone",
      "e-mail",
      "contato",
      "celular",
      "número de telefone",
      "telefone e e-mail",
    ],
    companies: ["CNPJ 11222333000181", "CNPJ 11.222.333/0001-81", "empresa Acme Tecidos Ltda"],
    ways: [
      ...["empresas com o mesmo @ que o #", "empresas com o mesmo @ do #", "o mesmo @ que #"],
      ...["empresas que têm o mesmo @ da #", "mesmo @ de #", "empresas com @ igual ao do #"],
      ...["empresas que compartilham @ com #", "quem divide o @ com a #"],
      ...["empresas com @ idêntico ao da #", "empresas com @ em comum com a #"],
    ],
  },
  {
    contacts: ["phone", "e-mail", "contact", "mobile", "phone number", "phone and e-mail"],
    companies: ["CNPJ 11222333000181", "the company Acme Fabrics", "Acme"],
    ways: [
      ...["companies with the same @ as #", "who has the same @ as #", "same @ as #"],
      ...["companies that share a @ with #", "companies sharing the @ of #"],
      ...["companies with a @ in common with #", "companies with @ identical to #"],
    ],
  },
  {
    contacts: ["teléfono", "correo", "contacto", "teléfono y correo"],
    companies: ["CNPJ 11222333000181", "la empresa Acme"],
    ways: [
      ...["empresas con el mismo @ que #", "el mismo @ de #", "empresas que comparten @ con #"],
      ...["empresas con @ igual al de #"],
    ],
  },
];

describe("the contact of another company", () => {
  it("is left to the notes, which say where to find its holders", () => {
    const wrong: string[] = [];
    let tried = 0;
    for (const { contacts, companies, ways } of LANGUAGES) {
      for (const way of ways) {
        for (const contact of contacts) {
          for (const company of companies) {
            const text = `${way.replace("@", contact).replace("#", company)}`;
            for (const sentence of [text, `${text} em Santos`]) {
              const { filters, explain } = probe.spec(sentence);
              const { industry, contact: required } = filters;
              const left = explain.unmapped_constraints as unknown as { code: string }[];
              const isReported = left.map(({ code }) => code).join() === "contact_of_company";
              const isEmpty =
                industry.cnae_any_of.length + industry.text_hints.length === 0 &&
                !required.require_phone &&
                !required.require_email;
              const isPlaced =
                filters.geo.municipality_ibge_any_of.length > 0 === (text !== sentence);
              tried++;
              if (!isReported || !isEmpty || !isPlaced || !isUncertain(explain.confidence)) {
                wrong.push(`${sentence}: ${JSON.stringify(left)} ${JSON.stringify(industry)}`);
              }
            }
          }
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(tried > 400, String(tried));
  });

  for (const [text, code] of [
    ["qual o telefone do CNPJ 11222333000181", "contact_of_company"],
    ["padarias com o mesmo telefone", "shared_contact"],
    ["padarias que compartilham telefone", "shared_contact"],
    ["padarias com o mesmo telefone que outras empresas", "shared_contact"],
    ["bakeries that share an e-mail with other companies", "shared_contact"],
  ] as const) {
    it(`does not run: ${text} (${code})`, () => {
      const { unmapped_constraints: left, confidence } = probe.translate(text).spec.explain;
      assert.deepEqual(
        left.map((note) => note.code),
        [code],
      );
      assert.ok(isUncertain(confidence));
    });
  }

  for (const text of [
    "empresas com o mesmo telefone 11 3333-4444",
    "padarias mesmo sem telefone",
    "lojas de celular em Santos",
    "padarias com telefone do mesmo município",
  ]) {
    it(`is not found in: ${text}`, () => {
      const codes = probe.translate(text).spec.explain.unmapped_constraints.map((one) => one.code);
      assert.ok(!codes.includes("contact_of_company") && !codes.includes("shared_contact"));
    });
  }
});
