/**
 * Proves: "or" between contacts takes either one, whatever joins them and in both languages; "and"
 * and commas alone require all of them.
 * Does not prove: that an alternative of a named number and a kind of contact is found; it is
 * reported (alternatives.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openProbe, type Probe } from "../../support/translate/probe.ts";

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

const codesOf = (text: string) =>
  probe.translate(text).spec.explain.unmapped_constraints.map(({ code }) => code);

/** Contacts of which one is enough, and the filters that are set. */
const CONTACTS: readonly (readonly [asked: string, filters: string])[] = [
  ["with a phone or an email", "any_contact"],
  ["with a phone or e-mail", "any_contact"],
  ["with an e-mail or a phone", "any_contact"],
  ["that have a phone or have an e-mail", "any_contact"],
  ["that have a phone or that have an e-mail", "any_contact"],
  ["que tenham telefone ou tenham e-mail", "any_contact"],
  ["que tenham telefone ou que tenham e-mail", "any_contact"],
  ["com telefone, ou e-mail", "any_contact"],
  ["com telefone, ou com e-mail", "any_contact"],
  ["com e-mail e/ou telefone", "any_contact"],
  ["com e-mail, telefone ou celular", "any_contact"],
  ["com telefone, e-mail ou WhatsApp", "any_contact"],
  ["com celular ou e-mail ou telefone", "any_contact"],
  ["com celular, fixo ou e-mail", "any_contact"],
  ["com celular ou fixo", "phone"],
  ["com telefone ou celular", "phone"],
  ["com telefone e e-mail", "email,phone"],
  ["com telefone, e-mail", "email,phone"],
  ["com telefone, e-mail e celular", "email,phone,mobile"],
];

describe("contacts of which one is enough", () => {
  for (const [asked, filters] of CONTACTS) {
    it(`sets ${filters}: ${asked}`, () => {
      const { contact } = probe.spec(`padarias em Santos ${asked}`).filters;
      const set = Object.entries(contact).flatMap(([member, value]) =>
        value === true ? [member.replace("require_", "")] : [],
      );
      assert.equal(set.join(), filters);
      assert.deepEqual(probe.unmapped(`padarias em Santos ${asked}`), []);
    });
  }

  it("takes the same 'or' after several cities and trades", () => {
    const text =
      "bakeries and butcher shops in São Paulo, Santos, or Campinas with a phone or an e-mail";
    const { contact, geo } = probe.spec(text).filters;
    assert.equal(contact.require_any_contact, true);
    assert.equal(geo.municipality_ibge_any_of.length, 3);
  });

  it("reports a choice that a contact required before it hides", () => {
    assert.deepEqual(codesOf("padarias em Santos com telefone e e-mail ou WhatsApp"), [
      "either_contact",
    ]);
  });
});
