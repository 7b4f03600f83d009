/**
 * Proves that the reworded Spanish sentences of each row mean what their equivalents mean. Each row
 * pairs a wording with one that was never misread. Proves that both have the same filters, order,
 * and limit, and that the wording is certain enough to run. Does not prove that the equivalent is
 * right, which the tables of the other suites do.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

type Rows = readonly (readonly [text: string, like: string])[];

const CLASSES: Readonly<Record<string, Rows>> = {
  "verbs of asking, with a pronoun before or behind": [
    ["envíeme las panaderías de Olinda", "padarias em Olinda"],
    ["hola, me armas un listado de panaderías de Olinda", "padarias em Olinda"],
    ["¿me podrías pasar panaderías de Olinda?", "padarias em Olinda"],
    ["necesito que me mandes los talleres de Olinda", "oficinas em Olinda"],
    ["panaderías de Olinda, ármame la lista", "padarias em Olinda"],
    ["che, panaderías de Olinda", "padarias em Olinda"],
  ],
  "the pronoun of a verb is neither a state nor an offer": [
    ["¿qué panaderías se inauguraron en Olinda en 2015?", "padarias em Olinda abertas em 2015"],
    ["panaderías en SE con correo", "padarias em SE com e-mail"],
    ["panaderías en Vitória ES", "padarias em Vitória/ES"],
    ["panaderías de Olinda, quiero venderles harina", "padarias em Olinda"],
    ["panaderías de Olinda, ya que las distribuyo en Mendoza", "padarias em Olinda"],
    ["panaderías de Olinda, quiero comprar tortas", "padarias em Olinda"],
    ["quiero comprar en cantidad, mayoristas de telas en Natal", "atacadistas de tecidos em Natal"],
    ["para un estudio de mercado, panaderías en Olinda", "padarias em Olinda"],
    ["panaderías de Olinda, es para mi tesis", "padarias em Olinda"],
  ],
  dates: [
    ["panaderías de Olinda, del 2016 para acá", "padarias em Olinda desde 2016"],
    ["panaderías de Olinda abiertas de 2016 en adelante", "padarias em Olinda desde 2016"],
    ["panaderías de Olinda, fecha de apertura 2016 o posterior", "padarias em Olinda desde 2016"],
    ["padarias em Olinda abertas em 2016 ou depois", "padarias em Olinda desde 2016"],
    ["bakeries in Olinda opened in 2009 or earlier", "padarias em Olinda abertas até 2009"],
    ["panaderías creadas con anterioridad al 2009 en Olinda", "padarias em Olinda antes de 2009"],
    ["panaderías de Olinda que abrieron antes del dos mil", "padarias em Olinda antes de 2000"],
    ["padarias em Olinda desde dois mil e dez", "padarias em Olinda desde 2010"],
    ["panaderías de Olinda que se crearon después de 2016", "padarias em Olinda depois de 2016"],
    [
      "panaderías de Olinda que hayan iniciado actividades desde 2016",
      "padarias em Olinda desde 2016",
    ],
  ],
  "status, nature, and head office": [
    ["Olinda (PE), panadería, inactiva", "padarias inativas em Olinda"],
    ["panaderías de Olinda que cerraron sus puertas", "padarias baixadas em Olinda"],
    ["panaderías de Olinda que ya no existen", "padarias baixadas em Olinda"],
    ["padarias em Olinda que não funcionam mais", "padarias baixadas em Olinda"],
    ["panaderías de Olinda que siguen abiertas", "padarias em Olinda"],
    ["panaderías de Olinda que dejaron de existir, o sea cerradas", "padarias baixadas em Olinda"],
    ["panaderías de Olinda, su forma jurídica es sociedad limitada", "padarias LTDA em Olinda"],
    ["panaderías inscriptas en el MEI de Olinda", "padarias MEI em Olinda"],
    ["panaderías de Olinda, únicamente la casa central", "padarias em Olinda, só matriz"],
    ["panaderías de Olinda, nada más que la sede central", "padarias em Olinda, só matriz"],
  ],
  "counts, capital, and order": [
    [
      "cadenas de panaderías de Olinda, cantidad de sucursales mayor a 4",
      "redes de padarias em Olinda com mais de 4 filiais",
    ],
    [
      "cadenas de panaderías de Olinda que superen las 4 sucursales",
      "redes de padarias em Olinda com mais de 4 filiais",
    ],
    [
      "panaderías de Olinda, capital sobre 50 mil",
      "padarias em Olinda com capital acima de 50 mil",
    ],
    ["panaderías de Olinda, capital arriba de 50 mil", "padarias em Olinda, capital > 50 mil"],
    ["panaderías en Olinda, capital por debajo de 50 mil", "padarias em Olinda, capital < 50 mil"],
    [
      "panaderías de Olinda, las más nuevas al principio",
      "padarias em Olinda, mais novas primeiro",
    ],
    ["bakeries in Olinda, oldest at the top", "padarias em Olinda, mais antigas primeiro"],
    ["panaderías de Olinda, del más nuevo al más viejo", "padarias em Olinda, mais novas primeiro"],
    [
      "panaderías de Olinda, empezando por las más viejas",
      "padarias em Olinda, mais antigas primeiro",
    ],
    ["panaderías de Olinda, las más antiguas arriba", "padarias em Olinda, mais antigas primeiro"],
    [
      "panaderías de Olinda, de la más vieja a la más reciente",
      "padarias em Olinda, mais antigas primeiro",
    ],
  ],
  contacts: [
    ["panaderías de Olinda que tengan celu", "padarias em Olinda com celular"],
    ["panaderías de Olinda con dirección de correo", "padarias em Olinda com e-mail"],
    ["panaderías de Olinda con correo y si no, teléfono", "padarias em Olinda com e-mail ou fone"],
    [
      "panaderías de Olinda con correo o si no teléfono",
      "padarias em Olinda com e-mail ou telefone",
    ],
    [
      "panaderías de Olinda, quiero poder contactarlas por email o por teléfono",
      "padarias em Olinda com e-mail ou telefone",
    ],
    ["bakeries in Olinda that I can reach by phone", "padarias em Olinda com telefone"],
    ["panaderías de Olinda que cuenten con web", "padarias em Olinda com site"],
    [
      "HOTELES DE OLINDA CON 4 ESTRELLAS DE CALIFICACIÓN Y CORREO O TELÉFONO",
      "hotéis em Olinda com e-mail ou telefone",
    ],
  ],
  "activities by their verbs": [
    ["empresas que generan energía eléctrica en Bahia", "geração de energia elétrica na Bahia"],
    ["empresas que se dedican a la panadería en Olinda", "padarias em Olinda"],
    ["talleres de reparación de motos en Olinda", "oficinas de motos em Olinda"],
    ["tiendas de repuestos de motos en Olinda", "lojas de peças de motos em Olinda"],
    ["empresas que venden telas al por mayor en Olinda", "atacadistas de tecidos em Olinda"],
  ],
};

describe("reworded Spanish", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  const read = (text: string) => {
    const { filters, sort, limit, explain } = probe.translate(text).spec as Record<string, unknown>;
    return { filters, sort, limit, explain };
  };
  for (const [name, rows] of Object.entries(CLASSES)) {
    it(name, () => {
      for (const [text, like] of rows) {
        const { explain, ...found } = read(text);
        const { explain: _, ...expected } = read(like);
        assert.deepEqual(found, expected, text);
        const { confidence } = explain as { confidence: number };
        assert.ok(!isUncertain(confidence), `${text}: ${confidence}`);
      }
    });
  }
});
