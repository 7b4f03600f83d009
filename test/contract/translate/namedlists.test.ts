/**
 * Proves: a sentence can include or exclude its sender's lists, and the list of exported accounts.
 * This works for several lists together, in three languages, even if a name is a city, a trade, or
 * a negation. An unknown list is reported, and so are words that do not tell if a list is included
 * or excluded. Neither becomes a filter. Without lists, the same words keep their other meaning.
 * Does not prove: to which tenant lists belong (contract/http/api/named-lists.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { translate } from "../../../src/translate/translate.ts";
import { openProbe, type Probe } from "../../support/translate/probe.ts";

/** Names of lists that also have other meanings. The id of each list is its name. */
const NAMES = [
  ...["Clientes", "Clientes MG", "Não contatar", "Prospects 2026", "São Paulo", "Padarias"],
  ...["exceto MEI", "R&D / SP", "fora", "desde 2020", "🔥"],
];

/** Phrases for a list X, each with the member of the filter that it sets. */
const WAYS: readonly (readonly [text: string, member: "any_of" | "exclude"])[] = [
  ["padarias em Recife que não estão na lista X", "exclude"],
  ["padarias em Recife que não constam na minha lista X", "exclude"],
  ["padarias em Recife fora da lista X", "exclude"],
  ["padarias em Recife exceto os da lista X", "exclude"],
  ["tirando os clientes da lista X, padarias em Recife", "exclude"],
  ["padarias em Recife, não quero as que estão na lista “X”", "exclude"],
  ['padarias em Recife sem as da lista "X"', "exclude"],
  ["bakeries in Recife not in my list X", "exclude"],
  ["bakeries in Recife that aren't on the list X", "exclude"],
  ["panaderías en Recife que no están en la lista X", "exclude"],
  ["padarias em Recife sem ser da lista X", "exclude"],
  ["padarias em Recife que nunca estiveram na lista X", "exclude"],
  ["padarias em Recife que saíram da lista X", "exclude"],
  ["padarias em Recife que faltam na lista X", "exclude"],
  ["padarias em Recife ausentes da lista X", "exclude"],
  ["padarias em Recife não incluídas na lista X", "exclude"],
  ["padarias em Recife, exceto lista X", "exclude"],
  ["bakeries in Recife without list X", "exclude"],
  ["padarias em Recife que estão na lista X", "any_of"],
  ["padarias da lista X em Recife", "any_of"],
  ["padarias em Recife, quero só as da lista X", "any_of"],
  ["bakeries in Recife from my list X", "any_of"],
  ["padarias em Recife, exceto MEI, que estejam na lista X", "any_of"],
];

describe("lists in sentences", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  const read = (text: string, names: readonly string[] | null = NAMES) => {
    const lists = names === null ? undefined : () => names.map((name) => ({ id: name, name }));
    const { spec, parts } = translate(text, probe.segment, { lists });
    const { filters, explain } = spec as unknown as {
      filters: { lists?: Record<string, string[]>; geo: object; industry: object };
      explain: { unmapped_constraints: readonly { code: string }[]; confidence: number };
    };
    const left = explain.unmapped_constraints.map(({ code }) => code);
    return { lists: filters.lists, filters, left, parts, confidence: explain.confidence };
  };

  it("are included and excluded by their names", () => {
    const { geo, industry } = read("padarias em Recife").filters;
    for (const name of NAMES) {
      for (const [way, member] of WAYS) {
        for (const written of [name, name.toLowerCase()]) {
          const text = way.replace("X", written);
          const found = read(text);
          assert.deepEqual(found.lists, { [member]: [name] }, text);
          assert.deepEqual([found.filters.geo, found.filters.industry], [geo, industry], text);
          assert.deepEqual(found.left, [], text);
          assert.ok(found.parts.some(({ role }) => role === "list"));
        }
      }
    }
  });

  it("can be several, and the only one without its name", () => {
    const out = (text: string) => read(text).lists?.exclude;
    const both = ["Clientes", "Não contatar"];
    assert.deepEqual(out("padarias em Recife fora das listas Clientes e Não contatar"), both);
    assert.deepEqual(
      out("padarias em Recife que não estão nem na lista Clientes nem na lista Não contatar"),
      both,
    );
    assert.deepEqual(out("padarias em Recife que não constam na lista de clientes"), ["Clientes"]);
    assert.deepEqual(out("bakeries in Recife not in my Clientes list"), ["Clientes"]);
    assert.deepEqual(read("padarias em Recife da minha lista", ["A"]).lists, { any_of: ["A"] });
    const none = read("padarias em Recife que não estejam em nenhuma lista", ["A", "B"]);
    assert.deepEqual([none.lists, none.left], [{ exclude: ["A", "B"] }, []]);
    assert.equal(read("empresas da lista Clientes").confidence > 0.9, true);
  });

  it("are joined by or, which is reported if there are several", () => {
    const lists = () => NAMES.map((name) => ({ id: name, name }));
    const assumed = (text: string) =>
      translate(text, probe.segment, { lists }).spec.explain.assumptions.some(
        ({ code }) => code === "any_of_lists",
      );
    for (const text of [
      "padarias em Recife na lista Clientes e na lista Não contatar",
      "padarias em Recife na lista Clientes ou na lista Não contatar",
      "padarias em Recife nas listas Clientes e Não contatar",
      "padarias em Recife que estejam na lista Clientes e também na lista Não contatar",
    ]) {
      assert.deepEqual(read(text).lists?.any_of?.length, 2, text);
      assert.equal(assumed(text), true, text);
    }
    assert.equal(assumed("padarias em Recife na lista Clientes"), false);
    assert.equal(assumed("padarias em Recife fora das listas Clientes e Não contatar"), false);
  });

  it("are excluded together with joined items", () => {
    const wrong: string[] = [];
    for (const negator of ["exceto", "menos", "exceto os da", "desconsiderando a", "tirando a"]) {
      for (const joint of [" e ", " ou ", ", MEI e "]) {
        const text = `padarias em Recife ${negator} lista Clientes${joint}MEI`;
        const { lists, left, filters, confidence } = read(text);
        const { mei_opt_in: mei } =
          (filters as { company?: { mei_opt_in?: boolean } }).company ?? {};
        const isRight = lists?.exclude?.join() === "Clientes" && mei === false;
        if (!isRight || left.length > 0 || confidence < 0.9) wrong.push(`${text}: ${left} ${mei}`);
      }
    }
    assert.deepEqual(wrong, []);
    // "fora da lista X e MEI" is not tested here, because it may also require MEI
    // (exclusions/outorrequired.test.ts).
    for (const negator of ["fora da", "sem as da", "que não estão na"]) {
      for (const joint of [" e MEI", " ou MEI", ", MEI e Simples", " e padarias", " e filiais"]) {
        const text = `restaurantes em Recife ${negator} lista Clientes${joint}`;
        assert.ok(read(text).confidence < 0.4, text);
      }
    }
    const trade = read("empresas de Recife exceto lista Clientes e padarias").filters.industry;
    assert.deepEqual((trade as { cnae_any_of?: string[] }).cnae_any_of ?? [], []);
  });

  it("with one name are distinguished by the exact spelling only", () => {
    const names = ["clientes", "Clientes", "CLIENTES", "Clientes MG", "(Vip)", "vip", "Vip"];
    const rows: readonly (readonly [text: string, list: string | null])[] = [
      ["padarias em Recife fora da lista Clientes", "Clientes"],
      ["padarias em Recife fora da lista “clientes”", "clientes"],
      ["padarias em Recife fora da lista de clientes", "clientes"],
      ["bakeries in Recife not in my Clientes list", "Clientes"],
      ["padarias em Recife fora da lista Clientes MG", "Clientes MG"],
      ["padarias em Recife fora da lista vip", "vip"],
      ["padarias em Recife fora da lista Vip", null],
      ["padarias em Recife fora da lista cliéntes", null],
      ["bakeries in Recife not in my ClienteS list", null],
      ["padarias em Recife fora das listas Clientes MG e VIP", null],
    ];
    for (const [text, list] of rows) {
      const { lists, left, confidence } = read(text, names);
      assert.deepEqual(lists, list === null ? undefined : { exclude: [list] }, text);
      assert.deepEqual(left, list === null ? ["list"] : [], text);
      assert.equal(confidence < 0.4, list === null, text);
    }
    const same = [1, 2].map((id) => ({ id: `lst_${id}`, name: "Clientes" }));
    const text = "padarias em Recife fora da lista Clientes";
    const { explain } = translate(text, probe.segment, { lists: () => same }).spec;
    const [note] = explain.unmapped_constraints;
    assert.match(note?.detail ?? "", /^2 listas .*“Clientes” \(lst_1\), “Clientes” \(lst_2\)/);
  });

  it("of exported accounts are known without a name", () => {
    const rows: readonly (readonly [text: string, member: "any_of" | "exclude"])[] = [
      ["padarias em Recife que ainda não exportei", "exclude"],
      ["padarias em Recife que eu nunca baixei", "exclude"],
      ["padarias em Recife exceto os já exportados", "exclude"],
      ["padarias em Recife, não quero as que já exportei", "exclude"],
      ["sem os que já baixei: padarias em Recife", "exclude"],
      ["bakeries in Recife I haven't exported yet", "exclude"],
      ["padarias em Recife que já exportei", "any_of"],
    ];
    for (const [text, member] of rows) {
      assert.deepEqual(read(text, []).lists, { [member]: ["exported"] }, text);
    }
    const named = read("padarias em Recife fora da lista Já exportados", []).lists;
    assert.deepEqual(named, { exclude: ["exported"] });
    assert.equal(read("produtos exportados em Santos").lists, undefined);
  });

  it("that do not exist, or may be included or excluded, are reported", () => {
    for (const text of [
      "padarias na lista Fornecedores em Recife",
      "padarias em Recife da minha lista",
      "padarias em Recife da lista",
      "padarias em Recife da lista 😀",
      "excluindo padarias da lista Clientes em Recife",
      "padarias que não contatei ainda em Recife",
    ]) {
      const { lists, left, confidence } = read(text);
      assert.deepEqual([lists, left], [undefined, ["list"]], text);
      assert.ok(confidence < 0.4, text);
    }
    assert.deepEqual(read("minha lista de padarias em Recife").left, []);
  });

  it("are left if the tenant has no lists", () => {
    for (const [way] of WAYS) {
      const { lists, left } = read(way.replace("X", "Clientes"), null);
      assert.deepEqual([lists, left], [undefined, ["list"]], way);
    }
  });
});
