/**
 * Proves, on a real snapshot: a CNPJ finds its account, and a root (the first eight characters) its
 * company, in any spelling. Wrong check digits are reported. Eight letters that are no company's
 * root are searched as a name. Names are found with any accents and case. With a state, only its
 * accounts are found. Too many concurrent queries are refused, and none is lost. Does not
 * prove: that all matches are found (unit/native-index/find.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AppError } from "../../../src/errors.ts";
import { establishments, mistakeIn, suggest } from "../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

const FIELDS = ["cnpj", "legal_name", "trade_name", "uf", "headquarters"];

const SEEN = [...FIELDS, "email", "phone_1", "phone_2"];

interface Row {
  readonly cnpj: string;
  readonly legal_name: string;
  readonly uf: string;
  readonly email: string | null;
  readonly phone_1: string | null;
  readonly phone_2: string | null;
}

describe("finding", () => {
  let sample: SampleSnapshot;
  let segment: Segment;
  let rows: readonly Row[];
  before(async () => {
    sample = await makeSampleSnapshot(400, 3);
    segment = await openSegment(sample.snapshot);
    const all = Uint32Array.from({ length: segment.accounts }, (_, row) => row);
    rows = JSON.parse(Buffer.from(segment.native.renderJson(all, SEEN)).toString());
  });
  after(() => {
    segment.close();
    sample.dispose();
  });

  const query = (text: string, uf: string | null = null, limit = 5) =>
    suggest(segment, { text, uf, limit, fields: FIELDS, contacts: { phone: true, email: true } });

  it("accepts a CNPJ in any spelling, and reports wrong check digits", async () => {
    const { cnpj } = rows[7] as Row;
    const masked = cnpj.replace(/^(..)(...)(...)(....)(..)$/, "$1.$2.$3/$4-$5");
    for (const text of [cnpj, masked, ` ${masked} `, cnpj.toLowerCase()]) {
      const { suggestions, number } = await query(text);
      assert.deepEqual(
        suggestions.map(({ match, account }) => [match, account.cnpj]),
        [["cnpj", cnpj]],
      );
      assert.deepEqual([number?.kind, number?.value], ["cnpj", cnpj]);
    }
    const wrong = `${cnpj.slice(0, 12)}${cnpj.endsWith("00") ? "11" : "00"}`;
    const { suggestions, number } = await query(wrong);
    assert.deepEqual([suggestions.length, number?.check_digits_right], [0, false]);
    const letters = await query("12abc345/01de-35".replace("/", "").replace("-", ""));
    assert.deepEqual(letters.number, {
      ...{ kind: "cnpj", value: "12ABC34501DE35", check_digits_right: true },
    });
  });

  it("accepts a phone or an e-mail in any spelling, and lists its accounts by rank", async () => {
    const has = (name: "email" | "phone", value: string) =>
      rows.filter((row) =>
        (name === "email" ? [row.email] : [row.phone_1, row.phone_2]).includes(value),
      );
    const phone = rows.find(({ phone_1: one }) => one !== null)?.phone_1 ?? "";
    const email = rows.find((row) => row.email !== null)?.email ?? "";
    const spelled = `(${phone.slice(3, 5)}) ${phone.slice(5)}`;
    for (const [kind, value, ...texts] of [
      ["phone", phone, phone, spelled, `tel:${phone}`],
      ["email", email, email, email.toUpperCase(), `mailto:${email}`],
    ] as const) {
      const expected = has(kind, value).map(({ cnpj }) => cnpj);
      for (const text of texts) {
        const { suggestions, number, contact } = await query(text, null, 20);
        assert.deepEqual(
          suggestions.map(({ account }) => account.cnpj),
          expected.slice(0, 20),
        );
        assert.ok(suggestions.every(({ match }) => match === kind));
        assert.deepEqual([number, contact], [null, { kind, value, total: expected.length }]);
        // Under a plan without the field, the answer has neither the contact nor matches by it.
        const blind = { text, uf: null, limit: 20, fields: FIELDS };
        const contacts = { phone: kind !== "phone", email: kind !== "email" };
        const hidden = await suggest(segment, { ...blind, contacts });
        assert.equal(hidden.contact, null);
        assert.ok(hidden.suggestions.every(({ match }) => match !== kind));
      }
    }
    const nobody = await query("(99) 98765-4321");
    assert.deepEqual(nobody.contact, { kind: "phone", value: "+5599987654321", total: 0 });
  });

  it("accepts a root, and lists the company first", async () => {
    const root = (rows[3] as Row).cnpj.slice(0, 8);
    const masked = root.replace(/^(..)(...)(...)$/, "$1.$2.$3");
    for (const text of [root, masked]) {
      const { suggestions, number } = await query(text, null, 20);
      assert.equal(number?.kind, "root");
      const company = rows.filter(({ cnpj }) => cnpj.startsWith(root)).length;
      assert.ok(company >= 1);
      const found = suggestions.filter(({ match }) => match === "cnpj");
      assert.equal(found.length, Math.min(company, 20));
      assert.ok(found.every(({ account }) => String(account.cnpj).startsWith(root)));
      assert.ok(suggestions.slice(0, found.length).every(({ match }) => match === "cnpj"));
    }
    const page = { afterRow: -1, limit: 1, fields: FIELDS };
    assert.equal((await establishments(segment, { root: "ZZZZZZZZ", ...page })).total, 0);
  });

  it("treats eight letters that no company has as a name", async () => {
    const { number } = await query("padarias");
    assert.equal(number, null);
    assert.equal((await query("00000ZZZ")).number?.kind, "root");
  });

  it("finds a name in any case and with any accents, and only in a given state", async () => {
    const {
      legal_name: name,
      uf,
      cnpj,
    } = rows.find((row) => row.legal_name.split(" ").length > 3) as Row;
    for (const text of [name, name.toLowerCase(), name.replaceAll("A", "Á")]) {
      const { suggestions } = await query(text, uf, 20);
      assert.ok(suggestions.some(({ account }) => account.cnpj === cnpj));
      assert.ok(suggestions.every(({ account }) => account.uf === uf));
    }
    assert.deepEqual((await query(name, "XX")).suggestions, []);
  });

  it("finds a name with & by the word for it, and names with that word before", async () => {
    const isJoined = ({ legal_name: name }: Row) => / & /.test(name) && !/ [EY] /.test(name);
    const joined = rows.filter(isJoined).slice(0, 20);
    assert.ok(joined.length > 5);
    for (const { legal_name: name, cnpj } of joined) {
      for (const word of ["e", "E", "and", "y"]) {
        const { suggestions } = await query(name.replace(" & ", ` ${word} `), null, 20);
        assert.ok(
          suggestions.some(({ account }) => account.cnpj === cnpj),
          `${word}: ${name}`,
        );
      }
    }
    // The last word may be incomplete, so a single letter finds the words that begin with it.
    const plain = await query("e");
    assert.ok(plain.suggestions.length > 0);
  });

  it("reports input that cannot be searched", () => {
    assert.equal(mistakeIn("a"), null);
    assert.equal(mistakeIn("&"), "Type at least one letter or digit.");
    assert.equal(mistakeIn("a".repeat(201)), "Type at most 200 characters.");
    assert.equal(mistakeIn("a ".repeat(33)), "Type at most 32 words.");
  });

  it("rejects queries beyond a tenant's queue limit, and answers all others", async () => {
    const requested = Array.from({ length: 100 }, () =>
      query("a").catch((error: unknown) => error),
    );
    const outcomes = await Promise.all(requested);
    const refused = outcomes.filter(
      (one) => one instanceof AppError && one.code === "rate_limited",
    );
    assert.equal(refused.length, 36);
    assert.equal(outcomes.length - refused.length, 64);
    assert.ok((await query("a")).suggestions.length > 0);
  });
});
