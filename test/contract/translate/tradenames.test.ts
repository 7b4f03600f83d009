/**
 * Proves that the everyday names of trades in English and Spanish are understood, in the singular
 * and in the plural. Activities with goods ("shrimp farmers") are understood in both languages.
 * Does not prove that every name is known, which unseen sentences measure.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { translate } from "../../../src/translate/translate.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

/** English phrases with the codes that they mean. */
const ENGLISH: readonly (readonly [text: string, codes: string])[] = [
  // Farms for plants and animals, and mines.
  ["shrimp farmers", "0321302 0322102"],
  ["oyster farms", "0321303"],
  ["cocoa growers", "0135100"],
  ["orange groves", "0131800"],
  ["strawberry farms", "0121102"],
  ["cattle ranches", "0151201"],
  ["hog farms", "0154700"],
  ["granite quarries", "0810002"],
  ["a gravel pit", "0810006"],
  // Factories, whose plural ends with "-ies" in English.
  ["cookie factories", "1092900"],
  ["a cookie factory", "1092900"],
  ["cosmetics factories", "2063100"],
  ["mattress factories", "3104700"],
  ["distilleries", "1111901 1111902"],
  ["cardboard box manufacturers", "1732000 1733800"],
  ["diaper manufacturers", "1742701"],
  ["steelmakers", "242"],
  // Shops and wholesale.
  ["fishmongers", "4722902"],
  ["corner shops", "4712100"],
  ["sportswear stores", "4763602"],
  ["hardware shops", "4744001"],
  ["seafood wholesalers", "4634603"],
  ["fertilizer dealers", "4683400"],
  ["scrapyards", "4687703"],
  // Services.
  ["medical laboratories", "8640202"],
  ["IT consultancies", "6204000"],
  ["kindergartens", "8512100"],
  ["microbreweries", "1113502"],
  ["bookkeepers", "6920601"],
  ["a detective agency", "8030700"],
  ["school transport", "4924800"],
  ["hazardous goods carriers", "4930203"],
  ["movers", "4930204"],
  ["water well drilling", "4399105"],
  ["guesthouses", "5590603"],
  ["nursery schools", "8512100"],
  ["ballet schools", "8592901"],
  ["bicycle repair shops", "9529104"],
  ["employment agencies", "7810800"],
  ["banquet halls", "8230002"],
  ["funeral parlors", "9603304"],
];

const SPANISH: readonly (readonly [text: string, codes: string])[] = [
  ["criadero de camarones", "0321302 0322102"],
  ["fincas de café", "0134200"],
  ["productores de naranja", "0131800"],
  ["criaderos de cerdos", "0154700"],
  ["canteras de mármol", "0810003"],
  ["frigoríficos de pollo", "1012101"],
  ["fábricas de helados", "1053800"],
  ["fábricas de galletas", "1092900"],
  ["aserraderos", "1610203 1610204"],
  ["curtiembres", "1510600"],
  ["fábricas de pañales", "1742701"],
  ["plomeros", "4322301"],
  ["albañiles", "4399103"],
  ["talleres de chapa y pintura", "4520002"],
  ["repuestos de motos", "4541206"],
  ["mayoristas de pescado", "4634603"],
  ["tiendas de abarrotes", "4712100"],
  ["verdulerías", "4724500"],
  ["corralones", "4744099"],
  ["mudanzas", "4930204"],
  ["heladerías", "5611203"],
  ["consultoras informáticas", "6204000"],
  ["estudios contables", "6920601"],
  ["bufetes de abogados", "6911701"],
  ["alquiler de autos", "7711000"],
  ["alquiler de andamios", "7732202"],
  ["agencias de empleo", "7810800"],
  ["control de plagas", "8122200"],
  ["centros de llamadas", "8220200"],
  ["salones de fiestas", "8230002"],
  ["jardines de infantes", "8512100"],
  ["autoescuelas", "8599601"],
  ["laboratorios de análisis clínicos", "8640202"],
  ["cerrajeros", "9529102"],
  ["peluquerías caninas", "9609208"],
];

describe("everyday names of trades", () => {
  let sample: SampleSnapshot;
  let segment: Segment;
  before(async () => {
    sample = await makeSampleSnapshot(500, 21);
    segment = await openSegment(sample.snapshot);
  });
  after(() => {
    segment.close();
    sample.dispose();
  });

  const codesOf = (text: string) => {
    const { filters, explain } = translate(text, segment).spec;
    const { industry } = filters as { industry?: { cnae_any_of?: readonly string[] } };
    const codes = (industry?.cnae_any_of ?? []).map((code) => code.replace(/\D/g, ""));
    return { codes: codes.sort().join(" "), confidence: explain.confidence };
  };

  const knows = (text: string, codes: string) => {
    const found = codesOf(text);
    assert.equal(found.codes, codes, text);
    assert.ok(found.confidence > 0.8, `${text}: ${found.confidence}`);
  };

  it("are known in English", () => {
    for (const [text, codes] of ENGLISH) knows(`${text} in Recife`, codes);
  });

  it("are known in Spanish", () => {
    for (const [text, codes] of SPANISH) knows(`${text} en Recife`, codes);
    // In this sentence, only the name of the trade is Spanish.
    knows("productores de soja a menos de 100 km de Recife", "0115600");
  });
});
