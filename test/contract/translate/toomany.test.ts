/**
 * Proves: if a sentence names more lists, phones, addresses, districts, or codes than a search
 * accepts, its spec is valid but does not run. A note says what is too much and what to do. A
 * sentence at the limit runs.
 * Does not prove: the limits themselves (contract/spec).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { SPEC_LIMITS } from "../../../src/spec/limits.ts";
import { LISTS_MAX } from "../../../src/spec/listids.ts";
import { TEXT_MAX } from "../../../src/spec/schema.ts";
import { isUncertain } from "../../../src/translate/confidence.ts";
import { translate } from "../../../src/translate/translate.ts";
import { openProbe, type Probe } from "../../support/translate/probe.ts";

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

const LISTS = Array.from({ length: 60 }, (_, i) => ({
  id: `lst_${String(i).padStart(32, "0")}`,
  name: `Carteira ${i + 100}`,
}));

/** Translates a text and normalizes its spec. @throws if a client could not send the spec. */
function read(text: string) {
  assert.ok(text.length <= TEXT_MAX, String(text.length));
  const { spec } = translate(text, probe.segment, { lists: () => LISTS });
  const { lists, ...others } = spec.filters as { lists?: Record<string, readonly string[]> };
  // The filter of lists is left out, because the test has no tenant whose lists could be found.
  const { filters } = probe.normalize({ ...spec, filters: others }).spec;
  const { confidence, unmapped_constraints: left } = spec.explain;
  return { filters, lists, left, runs: !isUncertain(confidence), text };
}

/** Asserts that exactly one note has the code, and that it quotes words of the text. */
function quoted({ left, text }: ReturnType<typeof read>, code: string) {
  const [note, ...more] = left.filter((one) => one.code === code);
  assert.ok(note !== undefined && more.length === 0, JSON.stringify(left.map((one) => one.code)));
  assert.equal(text.slice(note.start, note.end), note.words);
  return { words: note.words ?? "", detail: note.detail };
}

describe("more lists than a search accepts", () => {
  const names = (count: number) => LISTS.slice(0, count).map(({ name }) => name);
  const WAYS: readonly ((count: number) => string)[] = [
    (count) => `padarias em Recife nas listas ${names(count).join(", ")}`,
    (count) => `padarias em Recife fora das listas ${names(count).join(" e ")}`,
    (count) =>
      `padarias em Recife ${names(count)
        .map((name) => `na lista ${name}`)
        .join(" e ")}`,
    (count) => `bakeries in Recife from my lists ${names(count).join(", ")}`,
  ];

  it("are named with their number, for any joint", () => {
    for (const way of WAYS) {
      for (const count of [LISTS_MAX + 1, 35]) {
        const found = read(way(count));
        const { words, detail } = quoted(found, "list");
        assert.ok(!found.runs, found.text);
        assert.ok(words.endsWith(LISTS[count - 1]?.name ?? ""), words);
        assert.match(detail, new RegExp(`${LISTS_MAX}.* ${count}`), detail);
      }
    }
  });

  it("run at the limit", () => {
    for (const way of WAYS) {
      const { lists = {}, runs, text } = read(way(LISTS_MAX));
      assert.equal((lists.any_of ?? lists.exclude ?? []).length, LISTS_MAX, text);
      assert.ok(runs, text);
    }
  });

  it("are reported as too many by 'nenhuma lista' as well", () => {
    const found = read("padarias em Recife que não estejam em nenhuma lista");
    assert.match(quoted(found, "list").detail, new RegExp(`${LISTS.length}`));
    assert.ok(!found.runs);
  });
});

describe("more addresses than a search accepts", () => {
  const { contactsMax } = SPEC_LIMITS;
  const addressOf = (i: number) => `${i.toString(36)}@b.co`;
  const WAYS: readonly ((count: number) => string)[] = [" ", ", ", " e ", "; "].map(
    (joint) => (count: number) => Array.from({ length: count }, (_, i) => addressOf(i)).join(joint),
  );

  it("are quoted from the first to the last excess one", () => {
    for (const way of WAYS) {
      for (const count of [contactsMax + 1, contactsMax + 3]) {
        const found = read(way(count));
        const { words, detail } = quoted(found, "too_many_contacts");
        assert.equal(found.filters.contact.email_any_of?.length, contactsMax);
        assert.ok(words.startsWith(addressOf(contactsMax)) && words.endsWith(addressOf(count - 1)));
        assert.match(detail, new RegExp(`${contactsMax}.* ${count - contactsMax}\\b`), detail);
        assert.ok(!found.runs);
      }
    }
  });

  it("run at the limit, and a repeated one counts once", () => {
    const text = WAYS[0]?.(contactsMax) as string;
    for (const each of [text, `${text} ${addressOf(0)}`]) {
      const { filters, left, runs } = read(each);
      assert.equal(filters.contact.email_any_of?.length, contactsMax);
      assert.deepEqual(left, []);
      assert.ok(runs);
    }
  });
});

describe("many unknown codes", () => {
  it("are noted, and the notes stay within the limits of a spec", () => {
    const codes = Array.from({ length: 190 }, (_, i) => String(4_711_401 + i));
    const { left, runs } = read(`empresas com CNAE ${codes.join(", ")}`);
    assert.ok(left.every(({ code }) => code === "unknown_code") && left.length <= 11);
    assert.match(left.at(-1)?.detail ?? "", /\d+ códigos da lista não existem/);
    assert.ok(!runs);
  });
});
