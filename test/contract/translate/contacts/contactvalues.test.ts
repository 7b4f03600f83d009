/**
 * Proves: phone numbers and e-mail addresses in a sentence become their filters, in three languages
 * and in the spellings that people use. Other numbers keep their meaning. If a number lacks its
 * area code or no filter accepts it, a note names the number and the search does not run.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { readPhone } from "../../../../src/spec/contacts/phones.ts";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

const MOBILE = "+5511987654321";
const FIXED = "+551133334444";

/** Sentences with the phones and addresses that they request. */
const FOUND: readonly (readonly [text: string, ...values: string[]])[] = [
  ["quem tem o telefone (11) 98765-4321", MOBILE],
  ["quem tem o telefone (11) 98765-4321?", MOBILE],
  ["de quem é o número 11 3333-4444", FIXED],
  ["de quem é o número 1133334444", FIXED],
  ["com telefone 11987654321 ou 1133334444", MOBILE, FIXED],
  ["empresas com telefone 11987654321, 1133334444", MOBILE, FIXED],
  ["padarias com o celular 11 98765-4321", MOBILE],
  ["telefone: +55 11 98765 4321", MOBILE],
  ["qual empresa usa o telefone 0xx11 3333-4444", FIXED],
  ["de quem é o whatsapp 11 9 8765-4321", MOBILE],
  ["(11) 98765-4321", MOBILE],
  ["1133334444", FIXED],
  ["11 33334444", FIXED],
  ["551133334444", FIXED],
  ["01133334444?", FIXED],
  ["5511987654321", MOBILE],
  ["quem tem 1133334444", FIXED],
  ["quem tem o 11987654321?", MOBILE],
  ["who has 1133334444", FIXED],
  ["tel 1133334444", FIXED],
  ["empresas com telefone DDD 11 98765-4321", MOBILE],
  ["who has the phone (11) 98765-4321", MOBILE],
  ["companies with the phone number 11 3333-4444", FIXED],
  ["quién tiene el teléfono (11) 98765-4321", MOBILE],
  ["empresas con el teléfono 11 3333-4444 o 11 98765-4321", FIXED, MOBILE],
  ["who has this e-mail ana@example.com", "ana@example.com"],
  ["whose e-mail is this: ana@example.com", "ana@example.com"],
  ["who has this phone (11) 98765-4321", MOBILE],
  ["who owns this number 11 3333-4444", FIXED],
  ["whose number is this: 11 3333-4444", FIXED],
  ["who does this phone belong to: 11 3333-4444", FIXED],
  ["which company uses this phone number 11 3333-4444", FIXED],
  ["de quem é este telefone (11) 98765-4321", MOBILE],
  ["de quem é esse número 11 3333-4444", FIXED],
  ["a quem pertence o telefone 11 3333-4444", FIXED],
  ["esse whatsapp 11 98765-4321 é de qual empresa", MOBILE],
  ["quem usa este e-mail ana@example.com", "ana@example.com"],
  ["quién tiene este correo ana@example.com", "ana@example.com"],
  ["empresas com o e-mail contato@exemplo.com.br", "contato@exemplo.com.br"],
  ["de quem é o e-mail Contato@Exemplo.com.br?", "contato@exemplo.com.br"],
  ["contato@exemplo.com.br", "contato@exemplo.com.br"],
  ["e-mail a@exemplo.com.br ou b@exemplo.com.br", "a@exemplo.com.br", "b@exemplo.com.br"],
  ["companies with the email ana@example.com", "ana@example.com"],
  ["empresas con el correo ana@example.com", "ana@example.com"],
  ["empresas com telefone 11987654321 e e-mail ana@example.com", MOBILE, "ana@example.com"],
];

/** Ways to request a number, or the companies that share it. `#` is the number. */
const REQUESTED_CONTACTS: readonly string[] = [
  ...["ligar para #", "quero ligar para o #", "ligue para o número #", "ligar no #"],
  ...["telefonar para #", "call #", "I want to call #", "call the number #"],
  ...["quem me ligou do #", "who called me from #", "ligaram do #"],
  ...["quem usa o telefone #", "quem usa o #", "quem utiliza o número #"],
  ...["quem divide o telefone #", "quem compartilha o telefone #"],
  ...["empresas que dividem o telefone #", "empresas que compartilham o telefone #"],
  ...["empresas que usam o mesmo telefone #", "empresas com o mesmo telefone #"],
  ...["empresas que têm o telefone # em comum", "outras empresas com o telefone #"],
  ...["companies that share the phone #", "companies sharing the phone number #"],
  ...["which companies share #", "companies that use the same phone #"],
  ...["companies that have the phone # in common", "companies registered with the phone #"],
  ...["empresas que comparten el teléfono #"],
];
/** Spellings of one number. */
const SPELLED = ["11 3333-4444", "(11) 3333-4444", "1133334444", "+55 11 3333-4444"];

/** Texts before an area code that the phone parser accepts, with each kind of dash. */
const BEFORE_AREA = [
  "",
  "0",
  "0xx",
  "0XX",
  "0 xx ",
  "0**",
  "0--",
  "+55 ",
  "0055 ",
  "00 55 ",
  "55 ",
];
const DASHES = [
  "-",
  "\u2010",
  "\u2011",
  "\u2012",
  "\u2013",
  " \u2014 ",
  "\u2015",
  "\u2212",
  " ",
  ".",
];
const LINKS = [
  ...["https://wa.me/551133334444", "wa.me/551133334444?text=oi", "whatsapp:551133334444"],
  ...["https://api.whatsapp.com/send?phone=551133334444&text=oi", "tel:+551133334444"],
  ...["whatsapp://send?phone=551133334444", "https://wa.me/+551133334444"],
];

function* spelledAsFound(): Generator<string> {
  for (const before of BEFORE_AREA) {
    for (const dash of DASHES) {
      yield `${before}11 3333${dash}4444`;
      if (before.startsWith("+") || before.includes("55")) yield `${before}(11) 3333${dash}4444`;
      else yield `(${before}11) 3333${dash}4444`;
    }
  }
  yield* LINKS;
  yield "０１１ ３３３３-４４４４";
}

const QUOTES = ['""', "“”", "„“", "«»", "''", "‘’"];
/** Ways to name a contact. `#` is the value in quotes. */
const QUOTED = [
  ["quem tem o e-mail #", "fiscal@example.com", "email"],
  ["de quem é o e-mail #?", "Fiscal@Example.com", "email"],
  ["padarias com e-mail #", "fiscal@example.com", "email"],
  ["companies with the email #", "fiscal@example.com", "email"],
  ["empresas con el correo # en Santos", "fiscal@example.com", "email"],
  ["com o telefone #", "(11) 98765-4321", "phone"],
  ["quem tem o telefone #?", "11 98765-4321", "phone"],
  ["padarias com celular # em Santos", "+55 11 98765-4321", "phone"],
  ["who has the phone #", "1133334444", "phone"],
  ["ligar para #", "11 3333-4444", "phone"],
  ["quem tem #", "1133334444", "phone"],
  ["#", "1133334444", "phone"],
  ["#", "fiscal@example.com", "email"],
] as const;

/** Sentences that contain no phone or address, with a pattern for the filters that they request. */
const NONE: readonly (readonly [text: string, requested: RegExp])[] = [
  ["padarias com DDD 11 e telefone", /"area_code_any_of":\["11"\].*"require_phone":true/],
  ["padarias com CEP 01310-100 e telefone", /"01310100".*"require_phone":true/],
  ["padarias com telefone e CEP 01310100", /"01310100".*"require_phone":true/],
  ["padarias com telefone desde 31/12/2020", /"2020-12-31".*"require_phone":true/],
  ["padarias com telefone, 50 empresas", /"require_phone":true/],
  ["padarias com telefone e capital acima de 1.000.000", /1000000.*"require_phone":true/],
  ["padarias com telefone, abertas em 2020-2022", /"require_phone":true/],
  ["padarias com telefone de CNPJ 12.345.678/0001-95", /4721/],
  ["lojas de telefone que usam este telefone", /4752/],
  ["padarias com telefone, CNAE 5611-2/01", /5611-2\/01/],
];

/** Sentences that do not run, with the code of the reason. */
const LEFT: readonly (readonly [text: string, code: string])[] = [
  ["3333-4444", "phone_area_code"],
  ["quem tem 98765-4321", "phone_area_code"],
  ["padarias 1133334444", "unknown_words"],
  ["11222333000181", "company_number"],
  ["de quem é o telefone 98765-4321", "phone_area_code"],
  ["padarias com telefone 987654321", "phone_area_code"],
  ["padarias com telefone 3333-4444", "phone_area_code"],
  ["bakeries with the phone 3333-4444", "phone_area_code"],
  ["padarias com telefone +1 212 555 0100", "phone_number"],
  ["de quem é este telefone", "contact_value"],
  ["de quem é este e-mail?", "contact_value"],
  ["este número é de quem", "contact_value"],
  ["who has this phone number", "contact_value"],
  ["whose e-mail is this", "contact_value"],
  ["quién tiene este teléfono", "contact_value"],
  ["padarias exceto a do telefone (11) 98765-4321", "excluded_contact"],
  ["padarias com telefone 11987654321 ou e-mail ana@example.com", "either_contact"],
];

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

describe("a number to call or to share", () => {
  it("is the filter of its holders, in every spelling, and runs", () => {
    for (const requested of REQUESTED_CONTACTS) {
      for (const spelled of SPELLED) {
        const text = requested.replace("#", spelled);
        const { filters, explain } = probe.spec(text);
        assert.deepEqual(filters.contact.phone_any_of, [FIXED], text);
        assert.ok(!isUncertain(explain.confidence), `${text}: ${explain.confidence}`);
        assert.deepEqual(probe.unmapped(text), [], text);
      }
    }
  });

  for (const [text, code] of [
    ["ligar para 3333-4444", "phone_area_code"],
    ["padarias ou telefone 11 3333-4444", "either_wish"],
  ] as const) {
    it(`is left if it cannot be searched: ${text}`, () => {
      const { unmapped_constraints: left, confidence } = probe.translate(text).spec.explain;
      assert.deepEqual(
        left.map((one) => one.code),
        [code],
      );
      assert.ok(isUncertain(confidence));
    });
  }

  it("does not take the words of a trade", () => {
    const { industry } = probe.spec("call centers com telefone 11 3333-4444").filters;
    assert.deepEqual(industry.cnae_any_of, ["8220-2/00"]);
    assert.ok(probe.spec("11 3333-4444 call center").filters.industry.cnae_any_of.length > 0);
  });
});

describe("every spelling that finds an account by its phone", () => {
  it("is the same phone in a sentence, in three languages", () => {
    const wrong: string[] = [];
    let tried = 0;
    for (const spelled of spelledAsFound()) {
      const read = readPhone(spelled);
      assert.deepEqual(read, { phone: FIXED }, spelled);
      for (const requested of [
        "de quem é o telefone #",
        "#",
        "who has the phone #?",
        "el teléfono #",
      ]) {
        const text = requested.replace("#", spelled);
        const { filters, explain } = probe.spec(text);
        const isFound = filters.contact.phone_any_of?.join() === FIXED;
        const isWhole = explain.unmapped_constraints.length === 0;
        if (!isFound || !isWhole || isUncertain(explain.confidence)) wrong.push(text);
        tried++;
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(tried > 700, String(tried));
  });

  for (const [text, phones] of [
    ["de quem é o telefone 11 98765 43 21", [MOBILE]],
    ["com telefone 55 3333-4444 11 98765-4321", [MOBILE, "+555533334444"]],
    ["com telefone 11 3333-4444 / 11 98765-4321", [FIXED, MOBILE]],
  ] as const) {
    it(`is read completely: ${text}`, () => {
      assert.deepEqual(probe.spec(text).filters.contact.phone_any_of, phones);
    });
  }

  it("of another country is left to the notes", () => {
    const { unmapped_constraints: left, confidence } = probe.translate(
      "padarias com whatsapp https://wa.me/12125550100",
    ).spec.explain;
    assert.deepEqual(
      left.map(({ code }) => code),
      ["phone_number"],
    );
    assert.ok(isUncertain(confidence));
  });
});

describe("phones and e-mail addresses in a sentence", () => {
  it("search all companies that have them, closed ones too, unless a status is named", () => {
    const statusOf = (text: string) => probe.spec(text).filters.company.registration_status_any_of;
    assert.deepEqual(statusOf("quem tem o telefone (11) 98765-4321"), []);
    assert.deepEqual(statusOf("companies with the email ana@example.com"), []);
    assert.deepEqual(statusOf("empresas ativas com telefone (11) 98765-4321"), [2]);
    assert.deepEqual(statusOf("padarias com telefone"), [2]);
    assert.deepEqual(statusOf("who owns this number 11 3333-4444"), []);
    assert.deepEqual(statusOf("esse whatsapp 11 98765-4321 é de qual empresa"), []);
  });

  it("are contacts only, and no words of a name, in quotation marks of every kind", () => {
    const wrong: string[] = [];
    for (const [open, close] of QUOTES) {
      for (const [requested, value, kind] of QUOTED) {
        const text = requested.replace("#", `${open}${value}${close}`);
        const { filters, explain } = probe.spec(text);
        const { phone_any_of: phones = [], email_any_of: emails = [] } = filters.contact;
        const isFound = (kind === "phone" ? phones : emails).length === 1;
        const isAlone =
          phones.length + emails.length === 1 && filters.industry.text_hints.length === 0;
        const runs = !isUncertain(explain.confidence) && probe.unmapped(text).length === 0;
        if (!isFound || !isAlone || !runs) wrong.push(text);
      }
      const out = `padarias exceto a do telefone ${open}(11) 98765-4321${close}`;
      if (probe.spec(out).filters.industry.text_hints.length > 0) wrong.push(out);
      if (!isUncertain(probe.spec(out).explain.confidence)) wrong.push(out);
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(probe.spec('padarias com "silva" no nome').filters.industry.text_hints, [
      "silva",
    ]);
  });

  it("are also reported as a CPF if a mobile has its check digits", () => {
    const { filters, explain } = probe.spec("telefone 18996370606");
    assert.deepEqual(filters.contact.phone_any_of, ["+5518996370606"]);
    assert.deepEqual(
      explain.assumptions.map((note) => (note as { code: string }).code),
      ["phone_or_cpf"],
    );
  });

  for (const [text, ...values] of FOUND) {
    it(`are found: ${text}`, () => {
      const { filters, explain } = probe.spec(text);
      const { phone_any_of: phones = [], email_any_of: emails = [] } = filters.contact;
      assert.deepEqual([...phones, ...emails].sort(), [...values].sort());
      assert.equal(filters.contact.require_phone, false, "the filter asks for more already");
      assert.deepEqual(explain.unmapped_constraints, []);
      assert.ok(!isUncertain(explain.confidence), `${explain.confidence}`);
    });
  }

  for (const [text, requested] of NONE) {
    it(`are not found in: ${text}`, () => {
      const { filters } = probe.spec(text);
      assert.equal(filters.contact.phone_any_of, undefined);
      assert.match(JSON.stringify(filters), requested);
    });
  }

  for (const [text, code] of LEFT) {
    it(`do not run: ${text} (${code})`, () => {
      const { explain } = probe.translate(text).spec;
      assert.deepEqual(
        explain.unmapped_constraints.map((note) => note.code),
        [code],
      );
      assert.ok(isUncertain(explain.confidence), `${explain.confidence}`);
    });
  }
});
