/**
 * Proves: names of companies are formatted as people write them, and only the case of letters
 * changes. If all names of a chart begin with the same whole words, these are removed once, but
 * never all of a name. Every short name belongs to an existing activity, is unique in its language,
 * and is no longer than the official name.
 * Does not prove: that a short name is in common use.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import commerce from "../../../data/shortnames/commerce.json" with { type: "json" };
import industry from "../../../data/shortnames/industry.json" with { type: "json" };
import services from "../../../data/shortnames/services.json" with { type: "json" };
import {
  sharedBeginning,
  withoutBeginning,
} from "../../../src/console/web/find/charts/sharedbeginning.ts";
import { companyName } from "../../../src/console/web/find/table/values.ts";
import { activityName } from "../../../src/dump/activities.ts";

/** Characters that occur in names of the registry. */
const LETTERS = "AEIOUBCDFGLMNPRSTVXZÁÃÂÇÉÊÍÓÕÚÜ0123 -./&'aeiouçã";

describe("names of companies", () => {
  const written = {
    "PADARIA E CONFEITARIA DO JOAO LTDA": "Padaria e Confeitaria do Joao LTDA",
    "A CASA DAS TINTAS EIRELI": "A Casa das Tintas EIRELI",
    "COMPANHIA BRASILEIRA DE ACOS S.A.": "Companhia Brasileira de Acos S.A.",
    "BANCO DO NORTE S/A": "Banco do Norte S/A",
    "METALURGICA PAULISTA SA": "Metalurgica Paulista SA",
    "MARIA APARECIDA DE SA": "Maria Aparecida de Sa",
    "JBS TRANSPORTES II LTDA - ME": "JBS Transportes II LTDA - ME",
    "CAIXA D'AGUA 24H COMERCIO": "Caixa D'Agua 24H Comercio",
    "J. C. DA SILVA & FILHOS": "J. C. da Silva & Filhos",
    "ÁGUAS DE SÃO JOSÉ": "Águas de São José",
    "iFood do Brasil LTDA": "iFood do Brasil LTDA",
    "": "",
  };
  for (const [name, wanted] of Object.entries(written)) {
    it(`are formatted as people write them: ${wanted}`, () => {
      assert.equal(companyName(name), wanted);
    });
  }

  it("lose no letter, for any name", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...LETTERS) }), (text) => {
        const name = text.toUpperCase();
        assert.equal(companyName(name).toUpperCase(), name);
      }),
    );
  });
});

describe("the common prefix of names", () => {
  const clothes = "Comércio varejista de artigos do vestuário";
  const shoes = "Comércio varejista de calçados";
  const other = "Fabricação de gelo comum";

  it("is that of the most names, and ends with a word", () => {
    assert.equal(sharedBeginning([other, clothes, shoes]), "Comércio varejista de");
    assert.equal(withoutBeginning(shoes, "Comércio varejista de"), "… calçados");
    assert.equal(withoutBeginning(other, "Comércio varejista de"), undefined);
  });

  it("is empty if no two names share a prefix, or if nothing would remain", () => {
    assert.equal(sharedBeginning([clothes, other]), "");
    assert.equal(sharedBeginning([]), "");
    assert.equal(withoutBeginning(clothes, ""), undefined);
    const names = ["Comércio varejista de móveis", "Comércio varejista de móveis usados"];
    assert.equal(sharedBeginning(names), "Comércio varejista de");
  });

  it("keeps distinct names distinct", () => {
    const word = fc.constantFrom("a", "b", "c", "d");
    const names = fc.uniqueArray(
      fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(" ")),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(names, (all) => {
        const beginning = sharedBeginning(all);
        const shown = all.map((name) => withoutBeginning(name, beginning) ?? name);
        assert.equal(new Set(shown).size, all.length);
        const cut = shown.filter((name) => name.startsWith("…"));
        assert.ok(beginning === "" ? cut.length === 0 : cut.length >= 2);
        assert.ok(cut.every((name) => name.length > 2));
      }),
    );
  });
});

describe("short names of activities", () => {
  const rows = [...industry, ...commerce, ...services] as [string, string, string][];

  it("exist for at least 300 existing activities", () => {
    assert.ok(rows.length >= 300, `${rows.length}`);
    const unknown = rows.filter(([code]) => activityName(code) === null);
    assert.deepEqual(unknown, []);
  });

  it("are distinct, short, and no longer than the official ones", () => {
    for (const at of [0, 1, 2] as const) {
      assert.equal(new Set(rows.map((row) => row[at])).size, rows.length);
    }
    for (const [code, pt, en] of rows) {
      assert.ok(pt.length <= (activityName(code) ?? "").length, `${code} ${pt}`);
      assert.ok(pt.length <= 38 && en.length <= 38, `${pt} ${en}`);
      assert.ok(pt.trim() === pt && en.trim() === en && pt !== "" && en !== "", code);
    }
  });
});
