/**
 * Proves: "or" between contacts requires one of them, for every spelling and in both languages.
 * "And" and commas alone require all. In a list of two to four contacts, the last conjunction
 * applies to all. A web site in a list with "or" is reported. In a list with "and", it requires an
 * own domain.
 * Does not prove: that an alternative of a certain number and a kind of contact is found. It is
 * reported (alternatives.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

const codesOf = (text: string) =>
  probe.translate(text).spec.explain.unmapped_constraints.map(({ code }) => code);

/** Requests for contacts, and the filters they set. */
const CONTACTS: readonly (readonly [requested: string, filters: string])[] = [
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

/** Words for contacts, by the filter that they set. */
const KINDS: Readonly<Record<string, readonly [pt: string, en: string]>> = {
  phone: ["telefone", "a phone"],
  email: ["e-mail", "an email"],
  mobile: ["celular", "a mobile"],
  landline: ["telefone fixo", "a landline"],
  site: ["site", "a website"],
};

/** The filter that stands for a web site. */
const DOMAIN = "own_domain";

/** Yields every ordered list of `size` kinds that begins with `taken`. */
function* lists(size: number, taken: readonly string[] = []): Generator<readonly string[]> {
  if (taken.length === size) yield taken;
  else {
    for (const kind of Object.keys(KINDS)) {
      if (!taken.includes(kind)) yield* lists(size, [...taken, kind]);
    }
  }
}

/** Drops "phone" if a mobile or landline is also in the list, because either implies a phone. */
function withoutImplied(kinds: readonly string[]): string {
  const isExact = kinds.includes("mobile") || kinds.includes("landline");
  return kinds
    .filter((kind) => kind !== "phone" || !isExact)
    .sort()
    .join();
}

/**
 * Returns the filters that a list of contacts must set. With `isChoice`, the contacts are joined by
 * "or", else by "and".
 */
function membersOf(kinds: readonly string[], isChoice: boolean): string {
  const known = kinds.filter((kind) => kind !== "site");
  if (!isChoice) return withoutImplied(kinds.map((kind) => (kind === "site" ? DOMAIN : kind)));
  if (known.length === 1) return withoutImplied(known);
  return known.includes("email") ? "any_contact" : "phone";
}

describe("contacts joined by or", () => {
  it("reads every list of two to four contacts by its last joint", () => {
    const wrong: string[] = [];
    let tried = 0;
    for (const size of [2, 3, 4]) {
      for (const kinds of lists(size)) {
        for (const [joint, isChoice, language] of [
          [" ou ", true, 0],
          [", ou ", true, 0],
          [" e ", false, 0],
          [" or ", true, 1],
          [", or ", true, 1],
          [" and ", false, 1],
        ] as const) {
          const phrase = kinds.map((kind) => KINDS[kind]?.[language] ?? "");
          const list = phrase.slice(0, -1).join(", ") + joint + phrase.at(-1);
          const subject = language === 0 ? "padarias em Santos com" : "bakeries in Santos with";
          const text = `${subject} ${list}`;
          const { contact } = probe.spec(text).filters;
          const set = Object.entries(contact).flatMap(([member, value]) =>
            value === true ? [member.replace("require_", "")] : [],
          );
          const left = kinds.includes("site") ? "site" : "";
          tried++;
          const right = withoutImplied(set) === membersOf(kinds, isChoice);
          if (!right || codesOf(text).join() !== left)
            wrong.push(`${text}: ${set} ${codesOf(text)}`);
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(tried > 1_000, String(tried));
  });

  for (const [requested, filters] of CONTACTS) {
    it(`sets ${filters}: ${requested}`, () => {
      const { contact } = probe.spec(`padarias em Santos ${requested}`).filters;
      const set = Object.entries(contact).flatMap(([member, value]) =>
        value === true ? [member.replace("require_", "")] : [],
      );
      assert.equal(set.join(), filters);
      assert.deepEqual(probe.unmapped(`padarias em Santos ${requested}`), []);
    });
  }

  it("reads the same 'or' after several cities and trades", () => {
    const text =
      "bakeries and butcher shops in São Paulo, Santos, or Campinas with a phone or an e-mail";
    const { contact, geo } = probe.spec(text).filters;
    assert.equal(contact.require_any_contact, true);
    assert.equal(geo.municipality_ibge_any_of.length, 3);
  });

  it("reports a choice that an earlier required contact hides", () => {
    assert.deepEqual(codesOf("padarias em Santos com telefone e e-mail ou WhatsApp"), [
      "either_contact",
    ]);
  });
});
