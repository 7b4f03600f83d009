/**
 * Proves: in "exceto A, em B", B is the place of the search. B may be a state or region, after any
 * negating word and one or more excluded places, in both languages. Every place in a list of
 * excluded places is excluded.
 * Does not prove: that an exclusion of districts before a state is read.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openProbe, type Probe } from "../../support/translate/probe.ts";

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

const geoOf = (text: string) => probe.spec(text).filters.geo;

const PORTUGUESE = [
  "exceto em",
  "exceto",
  "menos em",
  "fora de",
  "que não fiquem em",
  "sem ser em",
];
const ENGLISH = ["except in", "excluding", "not in", "outside", "that are not in"];
const LISTS = [["Campinas"], ["Campinas", "Santos"], ["Campinas", "Santos", "Guarujá"]];

function listed(names: readonly string[], and: string): string {
  const last = names.at(-1) ?? "";
  return names.length === 1 ? last : `${names.slice(0, -1).join(", ")} ${and} ${last}`;
}

describe("a place after an exclusion", () => {
  it("is included in both languages, after any list and by any negator", () => {
    const wrong: string[] = [];
    for (const names of LISTS) {
      const expected = geoOf(`padarias em SP, exceto em ${listed(names, "e")}`);
      const texts = [
        ...PORTUGUESE.flatMap((not) =>
          ["em SP", "no estado de São Paulo", "em SP com telefone"].flatMap((where) =>
            ["padarias,", "padarias e açougues,"].flatMap((subject) =>
              ["e", "ou"].map((and) => `${subject} ${not} ${listed(names, and)}, ${where}`),
            ),
          ),
        ),
        ...ENGLISH.flatMap((not) =>
          ["in SP", "in the state of São Paulo"].flatMap((where) =>
            ["and", "or"].map((and) => `bakeries, ${not} ${listed(names, and)}, ${where}`),
          ),
        ),
      ];
      for (const text of new Set(texts)) {
        const [one, other] = [geoOf(text), expected].map(({ municipality_ibge_any_of: all }) =>
          [...all].sort().join(),
        );
        if (one !== other || one === "") wrong.push(text);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it("is included after any other exclusion", () => {
    for (const left of ["MEI", "filiais", "optantes do Simples", "de grande porte", "baixadas"]) {
      for (const text of [
        `padarias, exceto ${left}, em SP`,
        `padarias que não sejam ${left}, em SP`,
      ]) {
        assert.deepEqual(geoOf(text).uf_any_of, ["SP"], text);
      }
    }
  });

  for (const [text, like] of [
    ["padarias, exceto em Campinas, em SP e RJ", "padarias em SP e RJ, exceto em Campinas"],
    ["padarias, exceto Campinas, no Sudeste", "padarias no Sudeste, exceto Campinas"],
    ["padarias, exceto em SP e RJ, no Sudeste", "padarias em ES e MG"],
    ["restaurantes exceto no Sul, em SP", "restaurantes em SP"],
    ["padarias, exceto em Campinas, em São Paulo", "padarias em SP, exceto em Campinas"],
    ["padarias em São Paulo, exceto em Campinas", "padarias em SP, exceto em Campinas"],
    [
      "padarias em São Paulo e Rio de Janeiro, exceto em Campinas",
      "padarias em SP e RJ, exceto em Campinas",
    ],
  ] as const) {
    it(`is read as meant: ${text}`, () => {
      const sorted = ({
        municipality_ibge_any_of: towns,
        uf_any_of: states,
      }: ReturnType<typeof geoOf>) => [[...towns].sort(), [...states].sort()];
      assert.deepEqual(sorted(geoOf(text)), sorted(geoOf(like)));
    });
  }

  for (const [text, states] of [
    ["padarias, exceto em SP, no RJ e em MG", 24],
    ["padarias, exceto SP, RJ e MG", 24],
  ] as const) {
    it(`stays excluded in a list: ${text}`, () => {
      assert.equal(geoOf(text).uf_any_of.length, states);
    });
  }
});
