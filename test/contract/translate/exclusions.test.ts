/**
 * Proves what an exclusion takes away behind a general trade, and that kinds which the registry
 * does not separate are said. Notes quote the text with its white space.
 * Does not prove how often the lexicon is right.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openProbe, type Probe } from "../../support/translate/probe.ts";

const ROWS: readonly (readonly [text: string, codes: string, excluded: string, said: string])[] = [
  // Behind a negator goods are what the trade before makes of them: a whole division.
  ["indústrias exceto alimentos", "C", "10", ""],
  ["escolas exceto música", "8512-1/00 8513-9/00 8520-1/00", "8592-9/03", ""],
  ["academias sem franquias", "9313-1/00", "", "franchises"],
  ["franquias de academias", "9313-1/00", "", "franchises"],
  ["no franchises, gyms in Recife", "9313-1/00", "", "franchises"],
  ["restaurantes, sem franquias, exceto bares", "5611-2/01", "5611-2/04 5611-2/05", "franchises"],
  ["franquias", "7740-3/00", "", ""],
  ["agência franqueada dos correios", "5310-5/02", "", ""],
  ["hospitais filantrópicos", "8610-1/01 8610-1/02", "", "kind_not_separated"],
  ["escolas municipais", "8513-9/00", "", "kind_not_separated"],
  ["restaurantes orgânicos", "5611-2/01", "", "kind_not_separated"],
  ["oficinas de funilaria e pintura", "4520-0/02", "", ""],
  // Trades as people of other languages call them.
  ["fontaneros", "4322-3/01", "", ""],
  ["cerrajerías", "9529-1/02", "", ""],
  ["guarderías", "8511-2/00", "", ""],
  ["tiendas de mascotas", "4789-0/04 9609-2/08", "", ""],
  ["jewelers", "4783-1/01", "", ""],
  ["ice cream parlors", "5611-2/03", "", ""],
  ["fretes e mudanças", "4930-2/01 4930-2/02 4930-2/04", "", ""],
];

describe("exclusions of activities, and kinds", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  for (const [text, codes, excluded, said] of ROWS) {
    it(text, () => {
      const { spec } = probe.translate(text);
      const { industry } = spec.filters as {
        industry: { cnae_any_of: string[]; cnae_exclude: string[] };
      };
      const { assumptions, unmapped_constraints } = spec.explain;
      const notes = [...assumptions, ...unmapped_constraints].map(({ code }) => code);
      assert.equal([...industry.cnae_any_of].sort().join(" "), codes);
      assert.equal(industry.cnae_exclude.join(" "), excluded);
      if (said !== "") assert.ok(notes.includes(said), `${notes}`);
    });
  }

  it("are quoted as they were written, with tabs between their words", () => {
    const text = "bebidas tirando atacado de\tdistribuidora de bebidas gaúchas";
    const { unmapped_constraints } = probe.translate(text).spec.explain;
    const note = unmapped_constraints.find(({ code }) => code === "not_told_apart");
    assert.ok(note?.words?.includes("de\tdistribuidora") === true, `${note?.words}`);
    assert.equal(note.words, text.slice(note.start, note.end));
  });
});
