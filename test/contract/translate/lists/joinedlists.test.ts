/**
 * Proves: a sentence may name several lists and join them in any way. It requires or excludes each
 * of them as it says, or it does not run. No list is dropped, and none becomes the opposite. Tests,
 * in three languages, the words that introduce a list, the words that join a second one, and the
 * other elements that the same negation excludes.
 * Does not prove the meaning of a single list with its preposition (../namedlists.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { translate } from "../../../../src/translate/translate.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

const NAMES = ["Clientes", "Prospects", "Parceiros MG", "Vip", "Não contatar", "Contatos 2026"];

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

interface Reading {
  readonly anyOf: readonly string[];
  readonly exclude: readonly string[];
  readonly runs: boolean;
  readonly mei: boolean | undefined;
  readonly notes: readonly { readonly code: string; readonly detail: string }[];
  readonly activities: readonly string[];
}

function read(text: string, names: readonly string[] = NAMES): Reading {
  const lists = () => names.map((name) => ({ id: name, name }));
  const { spec } = translate(text, probe.segment, { lists });
  const { filters, explain } = spec as unknown as {
    filters: {
      lists?: { any_of?: string[]; exclude?: string[] };
      company?: { mei_opt_in?: boolean };
      industry?: { cnae_any_of?: string[] };
    };
    explain: { confidence: number; unmapped_constraints: Reading["notes"] };
  };
  return {
    anyOf: filters.lists?.any_of ?? [],
    exclude: filters.lists?.exclude ?? [],
    runs: !isUncertain(explain.confidence),
    mei: filters.company?.mei_opt_in,
    notes: explain.unmapped_constraints,
    activities: filters.industry?.cnae_any_of ?? [],
  };
}

/** The same phrases in each language. */
const LANGUAGES = [
  {
    subject: "restaurantes em SP",
    bare: [
      ...[", lista X", " lista X", " lista: X", '; lista: "X"', ' lista "X"', " com lista X"],
      ...[" na listagem X", " pela lista X", " (lista X)", " lista chamada X", " da listagem X"],
    ],
    outs: ["exceto", "menos", "tirando", "salvo", "excluindo", "desconsiderando", "com exceção de"],
    outside: ["fora da", "sem os da", "que não estão na"],
    ands: [" e ", " e a ", ", ", " ou ", " e lista ", " e a lista ", ", lista ", " bem como "],
    inside: "na lista",
    articles: "os da lista",
    butNot: [" sem os da ", " e não na ", ", mas não na ", ", exceto "],
    exported: ["os já exportados", "os que já exportei", "o que já baixei"],
    items: ["MEI", "lanchonetes", "Santos", "MEI, filiais", "filiais"],
    and: " e ",
    customers: [
      "que não são clientes",
      "que ainda não são nossos clientes",
      "exceto meus clientes",
    ],
  },
  {
    subject: "restaurants in SP",
    bare: [" list X", ", list X", ' list: "X"', " with list X", " in the listing X", " by list X"],
    outs: ["except", "excluding", "ignoring", "minus", "without"],
    outside: ["outside the", "not in the", "that are not in my"],
    ands: [" and ", ", ", " or ", " and list ", " and the list ", " as well as "],
    inside: "in list",
    articles: "those on the list",
    butNot: [" but not in ", " and not in ", ", except "],
    exported: ["those already exported", "those I already exported"],
    items: ["MEI", "Santos", "branches"],
    and: " and ",
    customers: ["that are not clientes", "that aren't my clientes", "except my clientes"],
  },
  {
    subject: "restaurantes en SP",
    bare: [" lista X", ", lista X", " con lista X", " en el listado X", ' lista: "X"'],
    outs: ["excepto", "salvo"],
    outside: ["fuera de la", "sin los de la", "que no están en la"],
    ands: [" y ", " y la ", ", ", " y lista ", " o "],
    inside: "en la lista",
    articles: "los de la lista",
    butNot: [" y no en la ", ", excepto "],
    exported: ["los ya exportados"],
    items: ["MEI", "Santos", "sucursales"],
    and: " y ",
    customers: ["que no son clientes", "que todavía no son clientes"],
  },
] as const;

/** Sorts the ids of lists, because their order does not matter. */
const sorted = (ids: readonly string[]) => [...ids].sort().join();

describe("lists that a sentence names", () => {
  it("without a preposition are filters", () => {
    const wrong: string[] = [];
    for (const { subject, bare, outs } of LANGUAGES) {
      for (const name of NAMES) {
        for (const spelled of [name, name.toLowerCase(), name.toUpperCase()]) {
          for (const way of bare) {
            const text = subject + way.replace("X", spelled);
            const { anyOf, exclude, runs } = read(text);
            if (anyOf.join() !== name || exclude.length > 0 || !runs) wrong.push(text);
          }
          for (const out of outs) {
            const text = `${subject} ${out} lista ${spelled}`.replace("de lista", "da lista");
            const { anyOf, exclude, runs } = read(text);
            if (exclude.join() !== name || anyOf.length > 0 || !runs) wrong.push(text);
          }
        }
      }
    }
    assert.deepEqual(wrong, []);
  });

  it("in pairs are both used, with and without a second “lista”", () => {
    const wrong: string[] = [];
    const pairs = NAMES.flatMap((one) =>
      NAMES.filter((two) => two !== one).map((two) => [one, two]),
    );
    for (const { subject, outs, outside, ands, inside } of LANGUAGES) {
      for (const [one = "", two = ""] of pairs) {
        for (const and of ands) {
          for (const [lead, member] of [
            ...outs.map((out) => [`${out} lista`.replace("de lista", "da lista"), "exclude"]),
            ...outside.map((out) => [`${out} lista`, "exclude"]),
            [inside, "anyOf"],
          ] as const) {
            const text = `${subject} ${lead} ${one}${and}${two}`;
            const found = read(text);
            const isRight = sorted(found[member as "anyOf"]) === sorted([one, two]);
            const both = found.anyOf.length + found.exclude.length;
            if (found.runs && (!isRight || both !== 2)) wrong.push(`${text}: ${both}`);
          }
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.equal(read("restaurantes em SP exceto a lista Clientes e a Prospects").runs, true);
    assert.equal(read("restaurantes em SP na lista Clientes ou Prospects").runs, true);
  });

  it("of which one is excluded keep the other", () => {
    for (const { subject, inside, butNot } of LANGUAGES) {
      for (const but of butNot) {
        const text = `${subject} ${inside} Clientes${but}Prospects`;
        const { anyOf, exclude, runs } = read(text);
        assert.deepEqual([anyOf, exclude, runs], [["Clientes"], ["Prospects"], true], text);
      }
    }
    const apart = read("restaurantes em SP fora da lista Clientes e na lista Prospects");
    assert.deepEqual([apart.anyOf, apart.exclude], [["Prospects"], ["Clientes"]]);
  });

  it("are excluded together with exported accounts, in either order", () => {
    const wrong: string[] = [];
    let ran = 0;
    for (const { subject, outs, outside, exported, articles, and } of LANGUAGES) {
      for (const done of exported) {
        const texts = outs.flatMap((out) => [
          `${subject} ${out} ${done}${and}lista Clientes`,
          `${subject} ${out} ${done}${and}${articles} Clientes`,
          `${subject} ${out} ${done}${and}${articles.replace(/^\S+ /, "")} Clientes`,
          `${subject} ${out} lista Clientes${and}${done}`.replace("de lista", "da lista"),
          `${subject} ${out} ${done}, lista Clientes`,
        ]);
        texts.push(...outside.map((out) => `${subject} ${out} lista Clientes${and}${done}`));
        for (const text of texts) {
          const { anyOf, exclude, runs } = read(text);
          if (!runs) continue;
          ran++;
          const isRight = sorted(exclude) === "Clientes,exported" && anyOf.length === 0;
          if (!isRight) wrong.push(`${text}: ${anyOf} / ${exclude}`);
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(ran > 60, String(ran));
  });

  it("are excluded together with other items, or the sentence does not run", () => {
    const wrong: string[] = [];
    for (const { subject, outs, items, articles, and } of LANGUAGES) {
      for (const out of outs) {
        for (const item of items) {
          for (const list of ["lista Clientes", `${articles} Clientes`]) {
            const text = `${subject} ${out} ${item}${and}${list}`;
            const { anyOf, exclude, runs } = read(text);
            const isSure = !/^(?:without|minus|com)/.test(out);
            const isRight = exclude.join() === "Clientes" && anyOf.length === 0;
            if (isSure ? !(isRight && runs) : runs && !isRight) wrong.push(text);
          }
          const comma = `${subject} ${out} ${item}, lista Clientes`;
          if (read(comma).runs) wrong.push(comma);
        }
      }
    }
    assert.deepEqual(wrong, []);
  });

  it("are not guessed with two negators or their own preposition", () => {
    for (const text of [
      "restaurantes em SP que não estão fora da lista Clientes",
      "restaurantes em SP exceto os que não estão na lista Clientes",
      "restaurantes em SP exceto os que não exportei",
      "restaurantes em SP exceto MEI e da lista Clientes",
      "restaurantes em SP exceto os já exportados e da lista Clientes",
      "restaurantes em SP sem telefone e lista Clientes",
      "restaurantes em SP que ainda não exportei e a lista Clientes",
    ]) {
      assert.equal(read(text).runs, false, text);
    }
  });

  it("that do not exist are named as unknown, alone and after another one", () => {
    for (const text of [
      "restaurantes em SP lista Fornecedores",
      "restaurantes em SP, lista: Fornecedores",
      "restaurantes em SP com lista Antigos",
      "restaurantes em SP lista de fornecedores",
      "restaurantes em SP exceto lista Prospects e Fornecedores",
      "restaurantes em SP na lista Prospects e fornecedores",
      "restaurantes em SP exceto MEI e lista Fornecedores",
      "restaurantes em SP fora das listas Prospects e Antigos",
      "restaurantes em SP na lista Prospects sem os da Fornecedores",
      "restaurantes em SP que não estão na lista de fornecedores",
      "restaurants in SP except list Prospects and Suppliers",
      "restaurants in SP list Suppliers",
      "restaurantes en SP excepto lista Prospects y Parceiros",
    ]) {
      const { runs, notes, activities } = read(text);
      const details = notes.map(({ detail }) => detail).join();
      assert.match(details, /Nenhuma lista sua tem esse nome|You have no list of this name/, text);
      assert.deepEqual([runs, activities], [false, read("restaurantes em SP").activities], text);
    }
  });

  it("named like another condition are not guessed after a list", () => {
    const names = ["Clientes", "MEI", "Santos", "Padarias"];
    for (const name of names.slice(1)) {
      const { runs, notes } = read(`restaurantes em SP exceto lista Clientes e ${name}`, names);
      assert.equal(runs, false, name);
      assert.match(notes.map(({ detail }) => detail).join(), new RegExp(`lista ${name}`));
      const sure = read(`restaurantes em SP exceto listas Clientes e ${name}`, names);
      assert.deepEqual(sure.exclude, ["Clientes", name]);
    }
  });

  it("are found by phrases for their owner", () => {
    for (const { subject, customers } of LANGUAGES) {
      for (const way of customers) {
        const text = `${subject} ${way}`;
        const { exclude, anyOf, runs } = read(text);
        assert.deepEqual([exclude, anyOf, runs], [["Clientes"], [], true], text);
        const none = read(text, ["Vip"]);
        assert.deepEqual([none.exclude, none.runs], [[], false], text);
      }
    }
    assert.deepEqual(read("restaurantes em SP que já são clientes").anyOf, ["Clientes"]);
    assert.deepEqual(read("restaurantes em SP exceto MEI e clientes").exclude, ["Clientes"]);
    assert.equal(read("restaurantes em SP sem clientes").runs, false);
    assert.deepEqual(read("restaurantes em SP que podem ser clientes").anyOf, []);
  });

  it("of several are not guessed for “minha lista”", () => {
    for (const [text, which] of [
      ["restaurantes em SP da minha lista", /^Qual das suas 6 listas\? .*“Clientes”/],
      ["restaurants in SP from my list", /^Which of your 6 lists\? .*“Clientes”/],
    ] as const) {
      const { runs, notes } = read(text);
      assert.equal(runs, false);
      assert.match(notes[0]?.detail ?? "", which);
    }
  });

  it("are none if a list is the requested result", () => {
    for (const text of [
      "faça uma lista de restaurantes em SP",
      "lista de restaurantes em SP",
      "lista restaurantes em SP",
      "Lista Restaurantes em SP",
      "quero uma lista de restaurantes em SP",
      "quero uma lista de clientes potenciais, restaurantes em SP",
      "list restaurants in SP",
      "listado de restaurantes en SP",
    ]) {
      const { anyOf, exclude, runs, activities } = read(text);
      assert.deepEqual([anyOf, exclude, runs], [[], [], true], text);
      assert.ok(activities.length > 0, text);
    }
  });

  it("never run with an unused negator", () => {
    assert.equal(read("restaurantes em SP que não são bons").runs, false);
  });
});
