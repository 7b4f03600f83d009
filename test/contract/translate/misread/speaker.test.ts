/**
 * Proves that clauses about the writer of a sentence ("vendo uniformes para padarias") are not
 * filters, in three languages. Clauses that only look like that remain filters. Each row has a
 * sentence, the same request without the clause, and the words that are reported as being about the
 * writer. Both sentences must have the same filters.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

type Row = readonly [text: string, like: string, own: readonly string[]];

const CLAUSES: readonly Row[] = [
  // Goods that the writer sells.
  ["vendo uniformes para padarias", "padarias", ["uniformes"]],
  ["vendo software para padarias", "padarias", ["software"]],
  ["quero vender software para dentistas", "dentistas", ["software"]],
  ["vendo caixas: padarias em Natal", "padarias em Natal", ["caixas"]],
  ["vendo caixas, busco padarias em Natal", "padarias em Natal", ["caixas"]],
  ["vendo caixas e sacos, padarias em Natal", "padarias em Natal", ["caixas e sacos"]],
  ["vendo celulares; hotéis em Natal", "hotéis em Natal", ["celulares"]],
  ["ofereço seguros. Hotéis em Natal", "hotéis em Natal", ["seguros"]],
  ["ofereço seguros a padarias de Natal", "padarias de Natal", ["seguros"]],
  ["a gente vende farinha, quero padarias em Natal", "padarias em Natal", ["farinha"]],
  ["minha loja vende café; hotéis em Natal", "hotéis em Natal", ["minha loja vende café"]],
  ["para vender tintas: oficinas em Natal", "oficinas em Natal", ["tintas"]],
  ["oficinas em Natal para oferecer tintas", "oficinas em Natal", ["tintas"]],
  ["oficinas para vender tintas em Natal", "oficinas em Natal", ["tintas"]],
  ["I sell paint: hotels in Natal", "hotels in Natal", ["paint"]],
  ["we make furniture and need hotels in Natal", "hotels in Natal", ["furniture"]],
  ["vendo empaques: panaderías en Natal", "padarias em Natal", ["empaques"]],
  ["ofrezco seguros a hoteles en Natal", "hotéis em Natal", ["seguros"]],
  ["padarias em Natal, vendo farinha", "padarias em Natal", ["farinha"]],
  ["padarias em Natal, pois vendo farinha", "padarias em Natal", ["farinha"]],
  ["bakeries in Natal because I sell flour", "bakeries in Natal", ["flour"]],
  ["compro sucata: hotéis em Natal", "hotéis em Natal", ["sucata"]],
  // Words about the writer's business.
  ["me chamo Ana e procuro hotéis em Natal", "hotéis em Natal", ["Ana"]],
  ["aqui é da Gráfica Sol, quero hotéis em Natal", "hotéis em Natal", ["Gráfica Sol"]],
  ["we're a law firm seeking hotels in Natal", "hotels in Natal", ["law firm"]],
  ["sou contador e procuro clientes", "procuro clientes", ["contador"]],
  ["somos uma padaria e procuramos dentistas", "dentistas", ["padaria"]],
  ["sou MEI e procuro hotéis em Natal", "hotéis em Natal", ["MEI"]],
  ["somos gráfica em Belém, queremos hotéis em Natal", "hotéis em Natal", ["gráfica em Belém"]],
  ["represento uma gráfica; hotéis em Natal", "hotéis em Natal", ["gráfica"]],
  ["Journalist here: hotels in Natal", "hotels in Natal", ["Journalist here"]],
  ["gráfica em Belém procura hotéis em Natal", "hotéis em Natal", ["gráfica em Belém"]],
  ["I'm a dentist looking for hotels in Natal", "hotels in Natal", ["dentist"]],
  ["soy vendedor de vinos, busco hoteles en Natal", "hotéis em Natal", ["vendedor de vinos"]],
  ["tenho uma padaria em Belém e quero hotéis em Natal", "hotéis em Natal", ["padaria em Belém"]],
  // Where he is.
  [
    "minha empresa fica em Belém, procuro hotéis em Natal",
    "hotéis em Natal",
    ["minha empresa fica em Belém"],
  ],
  ["moro em Belém, quero hotéis em Natal", "hotéis em Natal", ["em Belém"]],
  ["sou de Belém, quero hotéis em Natal", "hotéis em Natal", ["Belém"]],
  ["our office is in Belém; hotels in Natal", "hotels in Natal", ["our office is in Belém"]],
  [
    "mi empresa está en Belém, busco hoteles en Natal",
    "hotéis em Natal",
    ["mi empresa está en Belém"],
  ],
];

/** Sentences in which such words are about the requested companies, not about the writer. */
const OTHERS: readonly (readonly [text: string, like: string])[] = [
  ["quero vender para hotéis em Natal", "hotéis em Natal"],
  ["estou vendo hotéis em Natal", "hotéis em Natal"],
  ["empresas que vendem tintas em Natal", "lojas que vendem tintas em Natal"],
  ["I want stores that sell tires in Natal", "stores that sell tires in Natal"],
  ["quero quem vende tintas em Natal", "lojas que vendem tintas em Natal"],
  ["contador: Natal", "contador em Natal"],
  ["our company needs hotels in Natal", "hotels in Natal"],
  ["estou em busca de hotéis em Natal", "hotéis em Natal"],
];

describe("clauses about the speaker", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  const filtersOf = (text: string) => probe.translate(text).spec.filters;

  it("become own_offer and leave the filters of the request", () => {
    for (const [text, like, own] of CLAUSES) {
      assert.deepEqual(filtersOf(text), filtersOf(like), text);
      const { unmapped_constraints: notes } = probe.translate(text).spec.explain;
      const reported = notes.filter(({ code }) => code === "own_offer").map(({ words }) => words);
      assert.deepEqual(reported, own, text);
    }
  });

  it("are not found in descriptions of the requested companies", () => {
    for (const [text, like] of OTHERS) {
      assert.deepEqual(filtersOf(text), filtersOf(like), text);
      const codes = probe.translate(text).spec.explain.unmapped_constraints.map(({ code }) => code);
      assert.ok(!codes.includes("own_offer"), text);
    }
  });
});
