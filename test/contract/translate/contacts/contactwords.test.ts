/**
 * Proves: a word for a contact, such as "telefone", is a trade only in a phrase such as "conserto
 * de telefones". It is never a place or a limit on the number of results. Tests determiners,
 * numerals, and words before a contact, such as "com", in three languages. A limit on how many
 * companies use a contact becomes the filter for this contact, or the translation is too uncertain
 * to run. The writer's own phone is no filter, and a preference never becomes a requirement.
 * Does not prove how required contacts are read (contactchoice.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AccountQuerySpec } from "../../../../src/spec/schema.ts";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

const isRun = ({ explain }: AccountQuerySpec) => !isUncertain(explain.confidence);

const LANGUAGES = [
  {
    subject: "empresas em Santos",
    leads: ["com", "sem", "por", "via", "que atendem por", "para contato por", "que tenham"],
    determiners: [
      ...["", "um", "dois", "2", "três", "mais de um", "pelo menos dois", "segundo", "outro"],
      ...["vários", "no máximo dois", "um segundo", "só um"],
    ],
    contacts: [
      "telefone",
      "telefones",
      "celular",
      "celulares",
      "fone",
      "telefone fixo",
      "e-mail",
      "e-mails",
    ],
    whose: ["cujo X é exclusivo", "cujo X não é de contador", "cujo X é próprio", "cujo X existe"],
  },
  {
    subject: "companies in Santos",
    leads: ["with", "without", "by", "via", "that answer by", "through"],
    determiners: ["", "a", "two", "2", "more than one", "at least two", "a second", "another"],
    contacts: ["phone", "phones", "mobile", "cell phone", "landline", "e-mail"],
    whose: ["whose X is exclusive", "whose X is own"],
  },
  {
    subject: "empresas en Santos",
    leads: ["con", "sin", "por", "que atienden por"],
    determiners: ["", "un", "dos", "2", "más de un", "otro", "segundo"],
    contacts: ["teléfono", "teléfonos", "celular", "correo"],
    whose: ["cuyo X es exclusivo"],
  },
] as const;

describe("a word for a contact", () => {
  it("is no trade, limit or second-hand shop", () => {
    const wrong: string[] = [];
    let tried = 0;
    const check = (text: string) => {
      const { filters, limit } = probe.spec(text);
      tried++;
      if (filters.industry.cnae_any_of.length > 0 || limit !== 100) wrong.push(text);
    };
    for (const { subject, leads, determiners, contacts, whose } of LANGUAGES) {
      for (const contact of contacts) {
        for (const lead of leads) {
          for (const determiner of determiners) {
            check(`${subject} ${lead} ${determiner} ${contact}`.replace(/ +/g, " "));
          }
        }
        for (const phrase of whose) check(`${subject} ${phrase.replace("X", contact)}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(tried > 800, String(tried));
  });

  for (const [text, code] of [
    ["lojas de telefone em Santos", "4752-1/00"],
    ["conserto de telefones em Santos", "9512-6/00"],
    ["conserto de celular e telefone em Santos", "9512-6/00"],
    ["lojas que vendem telefones em Santos", "4752-1/00"],
    ["phone shops in Santos", "4752-1/00"],
    ["phone repair in Santos", "9512-6/00"],
  ] as const) {
    it(`is a trade if named as one: ${text}`, () => {
      const spec = probe.spec(text);
      assert.ok(spec.filters.industry.cnae_any_of.includes(code));
      assert.ok(isRun(spec));
    });
  }
});

describe("the number of companies that share a contact", () => {
  it("is its filter", () => {
    const wrong: string[] = [];
    for (const [subject, contacts, uses] of [
      [
        "padarias em Santos com",
        { phone: ["telefone", "um telefone"], email: ["e-mail", "um email"] },
        [
          ...["usado por até 3 empresas", "usado por no máximo três empresas"],
          ...["compartilhado por até 3 empresas", "de no máximo 3 empresas", "de até 3 CNPJs"],
          "que é usado por no máximo 3 empresas",
        ],
      ],
      [
        "bakeries in Santos with",
        { phone: ["a phone", "phone"], email: ["an e-mail"] },
        ["used by at most 3 companies", "shared by up to 3 companies", "of at most 3 companies"],
      ],
      [
        "panaderías en Santos con",
        { phone: ["teléfono"], email: ["correo"] },
        ["usado por hasta 3 empresas", "usado por como máximo 3 empresas"],
      ],
    ] as const) {
      for (const kind of ["phone", "email"] as const) {
        for (const contact of contacts[kind]) {
          for (const use of uses) {
            const text = `${subject} ${contact} ${use}`;
            const spec = probe.spec(text);
            const { contact: found, industry } = spec.filters;
            const most = kind === "phone" ? found.phone_shared_max : found.email_shared_max;
            const isRequired = kind === "phone" ? found.require_phone : found.require_email;
            const isTrade = industry.cnae_any_of.some((code) => !/^(1091|4721)/.test(code));
            const isRight = most === 3 && isRequired && !isTrade && spec.limit === 100;
            if (!isRight || !isRun(spec)) wrong.push(text);
          }
        }
      }
    }
    assert.deepEqual(wrong, []);
  });

  for (const text of [
    "padarias em Santos com telefone usado por mais de 3 empresas",
    "padarias em Santos com telefone usado por 2 empresas",
    "padarias em Santos sem telefone usado por até 3 empresas",
    "bakeries in Santos with a phone used by more than 3 companies",
  ]) {
    it(`does not run if no filter accepts it: ${text}`, () => {
      const spec = probe.spec(text);
      assert.equal(isRun(spec), false);
      assert.deepEqual(probe.unmapped(text).length, 1);
      assert.equal(spec.filters.contact.phone_shared_max ?? null, null);
    });
  }
});

describe("the writer's contact", () => {
  for (const text of [
    "padarias em Santos, meu telefone é (61) 98613-1577",
    "padarias em Santos. Meu e-mail: ana@example.com",
    "nosso telefone é (61) 98613-1577, quero padarias em Santos",
    "bakeries in Santos, my phone is (61) 98613-1577",
    "panaderías en Santos, mi teléfono es (61) 98613-1577",
  ]) {
    it(`is no filter: ${text}`, () => {
      const { filters, explain } = probe.spec(text);
      assert.deepEqual(filters.contact.phone_any_of ?? [], []);
      assert.deepEqual(filters.contact.email_any_of ?? [], []);
      assert.deepEqual(
        (explain.unmapped_constraints as { code: string }[]).map(({ code }) => code),
        ["writer"],
      );
    });
  }

  it("is one in a question for its owner", () => {
    const { filters } = probe.spec("empresas com o telefone (61) 98613-1577");
    assert.deepEqual(filters.contact.phone_any_of, ["+5561986131577"]);
  });
});

describe("a preference", () => {
  it("requires nothing and is reported, before and after the contact", () => {
    const wrong: string[] = [];
    for (const [subject, preferences, contacts] of [
      [
        "padarias em Santos",
        ["se possível", "de preferência", "preferencialmente", "preferivelmente"],
        ["com telefone", "com e-mail", "com celular"],
      ],
      [
        "bakeries in Santos",
        ["if possible", "preferably", "ideally"],
        ["with phone", "with e-mail"],
      ],
      ["panaderías en Santos", ["si es posible", "de preferencia"], ["con teléfono", "con correo"]],
    ] as const) {
      for (const preference of preferences) {
        for (const contact of contacts) {
          for (const comma of ["", ","]) {
            for (const phrase of [`${preference} ${contact}`, `${contact}${comma} ${preference}`]) {
              const text = `${subject}${comma} ${phrase}`;
              const { filters, explain } = probe.spec(text);
              const { require_phone: phone, require_email: mail, require_mobile } = filters.contact;
              const codes = (explain.unmapped_constraints as { code: string }[]).map(
                ({ code }) => code,
              );
              const isRequired = phone || mail || require_mobile;
              if (isRequired || codes.join() !== "preference") wrong.push(`${text}: ${codes}`);
            }
          }
        }
      }
    }
    assert.deepEqual(wrong, []);
  });
});
