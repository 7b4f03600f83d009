/**
 * Proves: a quality that a sentence states once for several contacts (as in "phone and e-mail of
 * their own") applies to each of them. Tests every pair and order of contacts with every
 * conjunction and quality, singular and plural, in three languages. A contact with its own article
 * or "com" does not share the quality of another. If the quality has a filter, the filter is
 * required of both contacts, else the quality is reported for both.
 * Does not prove which companies share a contact (search suites).
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

type Kind = "email" | "phone" | "mobile" | "landline";

/** Words for contacts, and qualities before or after a list of contacts (`@`), by language. */
const LANGUAGES = [
  {
    subject: "padarias em Santos com",
    words: { email: "e-mail", phone: "telefone", mobile: "celular", landline: "telefone fixo" },
    joints: [" e ", " e um ", " e o "],
    plural: ["exclusivos", "próprios", "únicos", "não compartilhados", "que não sejam de contador"],
    singular: ["exclusivo", "próprio", "não compartilhado", "que não seja de contador"],
    before: [],
  },
  {
    subject: "bakeries in Santos with",
    words: { email: "e-mail", phone: "phone", mobile: "mobile", landline: "landline" },
    joints: [" and ", " and a "],
    plural: ["that are not shared"],
    singular: ["not shared", "of their own", "not shared with other companies"],
    before: ["exclusive", "an exclusive", "unshared", "their own", "unique"],
  },
  {
    subject: "panaderías en Santos con",
    words: { email: "correo", phone: "teléfono", mobile: "celular", landline: "teléfono fijo" },
    joints: [" y ", " y un "],
    plural: ["exclusivos", "propios", "no compartidos"],
    singular: ["exclusivo", "propio", "no compartido"],
    before: [],
  },
] as const;

const PAIRS: readonly (readonly Kind[])[] = [
  ...(["phone", "mobile", "landline"] as const).flatMap((kind) => [
    ["email", kind] as const,
    [kind, "email"] as const,
  ]),
  ["email", "mobile", "phone"],
  ["phone", "landline", "email"],
];

/**
 * Yields sentences. `unsure` is true if a note must say that the quality may apply to one contact
 * only.
 */
function* sentences(): Generator<readonly [text: string, kinds: readonly Kind[], unsure: boolean]> {
  for (const { subject, words, joints, plural, singular, before: leading } of LANGUAGES) {
    for (const kinds of PAIRS) {
      const phrase = kinds.map((kind) => words[kind]);
      for (const joint of joints) {
        const list = phrase.slice(0, -1).join(", ") + joint + phrase.at(-1);
        for (const quality of plural) yield [`${subject} ${list} ${quality}`, kinds, false];
        for (const quality of singular) yield [`${subject} ${list} ${quality}`, kinds, true];
      }
      for (const quality of leading) {
        yield [`${subject} ${quality} ${phrase.join(joints[0])}`, kinds, true];
      }
    }
  }
}

describe("a quality of several contacts", () => {
  it("is required of each of them", () => {
    const wrong: string[] = [];
    let tried = 0;
    for (const [text, kinds, unsure] of sentences()) {
      const { filters, explain } = probe.spec(text);
      const { contact } = filters;
      const isOwn = contact.email_shared_max === 1 && contact.phone_shared_max === 1;
      // A mobile is a phone.
      const isRequired = kinds.every((kind) => {
        return contact[`require_${kind}`] || (kind === "phone" && contact.require_mobile);
      });
      const codes = explain.assumptions.map((note) => (note as { code: string }).code);
      const isReported = codes.includes("said_of_all_contacts") === unsure;
      const isWhole = explain.unmapped_constraints.length === 0;
      tried++;
      if (!isOwn || !isRequired || !isReported || !isWhole || isUncertain(explain.confidence)) {
        wrong.push(`${text}: ${JSON.stringify(contact)} ${codes}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(tried > 300, String(tried));
  });

  for (const [text, email, phone] of [
    ["padarias com e-mail e com telefone exclusivo", undefined, 1],
    ["padarias com e-mail, telefone exclusivo", undefined, 1],
    ["padarias com e-mail exclusivo e telefone", 1, undefined],
    ["padarias com telefone, e-mail exclusivo e celular", 1, undefined],
    ["bakeries with an exclusive e-mail and a phone", 1, undefined],
    ["bakeries with a phone and with an e-mail not shared", 1, undefined],
    ["padarias sem e-mail e telefone compartilhados", 1, 1],
    ["padarias sem e-mail nem telefone de contador", 1, 1],
  ] as const) {
    it(`applies to the right contacts: ${text}`, () => {
      const { contact } = probe.spec(text).filters;
      assert.deepEqual([contact.email_shared_max, contact.phone_shared_max], [email, phone]);
    });
  }

  it("reports that any phone may be the unshared one for a mobile", () => {
    const { assumptions } = probe.translate("padarias com celular exclusivo").spec.explain;
    assert.ok(assumptions.some(({ code }) => code === "own_of_phones"));
  });

  it("does not run if one of two is enough", () => {
    const { confidence } = probe.spec("padarias com e-mail ou telefone exclusivos").explain;
    assert.ok(isUncertain(confidence));
  });

  it("without a filter is reported for each contact", () => {
    const { unmapped_constraints: left } = probe.translate(
      "padarias com e-mail e telefone compartilhados",
    ).spec.explain;
    assert.deepEqual(
      left.map(({ code }) => code),
      ["shared_contact", "shared_contact"],
    );
  });
});
