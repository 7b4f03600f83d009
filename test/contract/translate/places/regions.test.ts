/**
 * Proves the table of regions. Every municipality in it exists in the registry, and occurs only
 * once per region. Every region has a unique name. The table agrees with reference data, if these
 * are present, except for differences listed with their reason. In sentences, every name means its
 * municipalities, next to any condition. Does not prove that people mean the same municipalities by
 * a name.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { TEXT_MAX } from "../../../../src/spec/schema.ts";
import { type Gazetteer, gazetteerOf } from "../../../../src/translate/places/gazetteer.ts";
import {
  allRegions,
  coastOf,
  interiorOf,
  regionNames,
} from "../../../../src/translate/places/regiontable.ts";
import { ROOT } from "../../../support/house/checkout.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

/** Minimum number of regions that must be compared if the reference data are present. */
const COMPARED_MIN = 180;

/**
 * Regions that differ from the reference data, each with the source that the table follows. Regions
 * without legal borders differ between sources at their edges.
 */
const OTHERWISE: ReadonlyMap<string, string> = new Map([
  ["alto-uruguai", "the state's development region of the north"],
  ["campanha-gaucha", "the state's development region, which has Caçapava and Lavras do Sul"],
  ["campos-gerais", "the association of municipalities of Ponta Grossa"],
  ["cariri-ce", "the state's planning region"],
  ["centro-oeste-de-minas", "Oeste de Minas with Bom Despacho and Pará de Minas"],
  ["entorno-df-nucleo", "the twelve of the metropolitan area, Alexânia among them"],
  ["fronteira-oeste", "the state's development region, which has São Gabriel"],
  ["grande-bh-colar", "the ring alone, without the metropolitan region"],
  ["ibiapaba", "the state's planning region, which has Ipu"],
  ["litoral-ma", "the open sea; not the bays behind São Luís"],
  ["litoral-norte-sc", "with Joinville and Garuva, which lie on its bay"],
  ["macico-de-baturite", "the state's planning region, which has Barreira and Ocara"],
  ["noroeste-paulista", "the administrative regions of Rio Preto and around"],
  ["norte-da-bahia", "the territories of Juazeiro, Paulo Afonso and Senhor do Bonfim"],
  ["norte-mt", "the municipalities along BR-163, which people call Nortão"],
  ["oeste-paulista", "Pontal and Nova Alta Paulista, without Quatá"],
  ["planalto-norte-catarinense", "with São Bento do Sul, Rio Negrinho and Campo Alegre"],
  ["serra-gaucha", "with all of the metropolitan region, Ipê among them"],
  ["sertoes-ce", "the state's planning regions of the backlands"],
  ["vale-do-cai", "the state's development region"],
  ["vale-do-jaguaribe", "with the mouth of the river, without Ibicuitinga"],
  ["vale-do-rio-pardo", "the state's development region"],
  ["vale-do-taquari", "the state's development region"],
  ["vale-sao-francisco-amplo", "the eight of Petrolina and Juazeiro; the wide one has no name"],
  ["zona-sul-rs", "the state's development region of the south"],
]);

/**
 * Maximum number of list elements that are visited per unit of text. Scanning a whole region for
 * each name would visit 74,000.
 */
const ELEMENTS_MAX = 100;

/** Minimum number of names of regions. */
const NAMES_MIN = 250;

/** The reference data, next to the checkout or to the folder that contains this worktree. */
const REFERENCE =
  ["..", "../.."]
    .map((up) => path.join(ROOT, up, "shared", "reference"))
    .find((folder) => existsSync(folder)) ?? "";
const LISTS = ["southeast", "south", "northeast", "midwest", "north"];

interface Row {
  readonly metro?: string;
  readonly names: readonly string[];
  readonly of?: readonly string[];
  readonly cities?: Readonly<Record<string, string>>;
  readonly but?: Readonly<Record<string, string>>;
}

const rows = LISTS.flatMap((list): Row[] =>
  JSON.parse(readFileSync(path.join(ROOT, "data", "regions", `${list}.json`), "utf8")),
);

describe("the table of regions", () => {
  let probe: Probe;
  let gazetteer: Gazetteer;
  before(async () => {
    probe = await openProbe();
    gazetteer = gazetteerOf(probe.segment);
  });
  after(() => probe.close());

  it("names existing municipalities, each once in a row", () => {
    const coast = JSON.parse(
      readFileSync(path.join(ROOT, "data", "regions", "coast.json"), "utf8"),
    ) as Readonly<Record<string, string>>;
    const lists = [...rows.flatMap(({ cities, but }) => [cities ?? {}, but ?? {}]), coast];
    for (const list of lists) {
      for (const [uf, names] of Object.entries(list)) {
        const codes = names.split(", ").map((name) => {
          const place = gazetteer.places.named(name);
          const cities = [...(place?.cities ?? []), ...(place?.nicknamed ?? [])];
          const codes = new Set(cities.filter((c) => c.uf === uf).map(({ ibge }) => ibge));
          assert.equal(codes.size, 1, `${name}/${uf}`);
          return [...codes][0];
        });
        assert.equal(new Set(codes).size, codes.length, `${uf}: ${names}`);
      }
    }
  });

  it("reads the municipalities of a region a few times, for any number of mentions", () => {
    const shapes = ["interior de SP ", "fora interior de SP, ", "a capital e o interior de MG, "];
    for (const shape of [...shapes, "litoral da Bahia e ", "exceto o interior de SP; "]) {
      probe.translate(shape);
      const most = Math.floor(TEXT_MAX / shape.length);
      const [few, many] = [8, most].map((times) => {
        const text = shape.repeat(times);
        return elementsOf(() => probe.translate(text)) / text.length;
      }) as [number, number];
      assert.ok(many < ELEMENTS_MAX, `${shape}: ${many} elements of lists for a unit of text`);
      assert.ok(many < few, `${shape}: ${few} elements for a unit of a short text, then ${many}`);
    }
  });

  it("has enough names, a first one of each region, and no region without members", () => {
    const names = new Set([...regionNames()].map(({ name }) => name.toLowerCase()));
    assert.ok(names.size >= NAMES_MIN, `${names.size} names`);
    const first = allRegions().map(({ name }) => name);
    assert.equal(new Set(first).size, first.length);
    for (const region of allRegions()) {
      assert.ok(region.members(gazetteer).length > 0, region.name);
    }
  });

  it("composes regions of existing regions", () => {
    const first = new Set(allRegions().map(({ name }) => name));
    for (const name of rows.flatMap(({ of = [] }) => of)) assert.ok(first.has(name), name);
  });

  it("agrees with the reference", (t) => {
    if (!existsSync(path.join(REFERENCE, "regioes_usuais.json"))) {
      t.skip("skipped: no reference data");
      return;
    }
    const differ: string[] = [];
    let compared = 0;
    for (const one of reference()) {
      const own = ownMembers(one);
      if (own === null || OTHERWISE.has(one.id)) continue;
      compared++;
      const same = own.length === one.codes.size && own.every((ibge) => one.codes.has(ibge));
      if (!same) differ.push(one.id);
    }
    assert.deepEqual(differ, []);
    assert.ok(compared >= COMPARED_MIN, `${compared} regions compared`);
  });

  /**
   * Returns the codes of the region with the same name in the table. If several regions share the
   * name, returns those of the most similar one.
   */
  function ownMembers({ id, names, codes }: ReferenceRegion): readonly string[] | null {
    const uf = /^litoral-(..)$/.exec(id)?.[1];
    const coast = uf === undefined ? null : coastOf(uf.toUpperCase());
    const named = [...regionNames()].filter(({ name }) => names.has(folded(name)));
    const lists = (coast === null ? named.map(({ region }) => region) : [coast])
      .filter(({ part }) => !part)
      .map((region) => region.members(gazetteer).map(({ ibge }) => ibge));
    const common = (list: readonly string[]) => list.filter((ibge) => codes.has(ibge)).length;
    const near = (list: readonly string[]) => common(list) / (list.length + codes.size);
    const [best] = lists.sort((one, other) => near(other) - near(one));
    return best === undefined || common(best) === 0 ? null : best;
  }

  it("excludes the capital's metropolitan region from the interior of a state", () => {
    const count = (uf: string) => interiorOf(uf)?.members(gazetteer).length;
    const counts = ["SP", "MG", "AC", "MS", "RJ"].map(count);
    assert.deepEqual(counts, [606, 819, 21, 78, 70]);
    assert.equal(interiorOf("DF"), null);
  });

  it("finds the municipalities of a region by every name of it, next to every condition", () => {
    const conditions = ["", " com telefone", " com mais de 5 anos", ", exceto MEI"];
    const wrong: string[] = [];
    for (const { name, region } of regionNames()) {
      if (region.part) continue;
      const members = new Set(region.members(gazetteer).map(({ ibge }) => ibge));
      const states = new Set(region.members(gazetteer).map(({ uf }) => uf));
      const uf = states.size === 1 ? ` (${[...states][0]})` : "";
      for (const condition of conditions) {
        const text = `padarias ${inName(name)}${uf}${condition}`;
        const geo = geoOfText(text);
        const own = geo.municipality_ibge_any_of.every((code) => members.has(code));
        if (geo.uf_any_of.length > 0 || geo.municipality_ibge_any_of.length === 0 || !own) {
          wrong.push(text);
        }
      }
    }
    assert.deepEqual(wrong, []);
  });

  it("changes no condition next to a region", () => {
    const conditions = [" com e-mail", " do Simples", " abertas desde 2020", " de pequeno porte"];
    for (const condition of conditions) {
      const like = restOf(`padarias em Curitiba/PR${condition}`);
      for (const region of allRegions().filter(({ part }) => !part)) {
        assert.deepEqual(restOf(`padarias ${inName(region.name)}${condition}`), like, region.name);
      }
    }
  });

  function geoOfText(text: string) {
    return (probe.translate(text).spec.filters as { readonly geo: Geo }).geo;
  }

  function restOf(text: string) {
    const { filters, limit, sort } = probe.translate(text).spec;
    const { geo: _, ...rest } = filters as Readonly<Record<string, unknown>>;
    return { rest, limit, sort };
  }
});

interface Geo {
  readonly uf_any_of: readonly string[];
  readonly municipality_ibge_any_of: readonly string[];
}

/** Returns a region's name after "em", as in "na Baixada Santista" and "nos Campos Gerais". */
function inName(name: string): string {
  return /^(Greater|Gran|metropolitan)|metro(politan)? (area|region)$/.test(name)
    ? `in ${name}`
    : `na ${name}`;
}

/** A region of the reference. */
interface ReferenceRegion {
  readonly id: string;
  readonly names: ReadonlySet<string>;
  readonly codes: ReadonlySet<string>;
}

const folded = (name: string) =>
  name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();

/** The regions of the reference with their municipalities. */
function* reference(): Generator<ReferenceRegion> {
  const read = (file: string) => readFileSync(path.join(REFERENCE, file), "utf8");
  const byId = new Map<string, Set<string>>();
  for (const line of read("regioes_usuais_municipios.csv").split("\n").slice(1)) {
    const [id = "", code] = line.trim().split(",");
    if (code !== undefined) byId.set(id, (byId.get(id) ?? new Set()).add(code));
  }
  for (const { id, nome, aliases } of JSON.parse(read("regioes_usuais.json"))) {
    const names = [nome.replace(/ \(.*\)/, ""), ...aliases].map(folded);
    const codes = byId.get(id);
    if (codes !== undefined) yield { id, names: new Set(names), codes };
  }
}

/** Returns how many elements the methods of lists and sets visit during a call. */
function elementsOf(call: () => unknown): number {
  let elements = 0;
  const lists = ["filter", "flatMap", "map", "includes", "some", "every", "find"] as const;
  const undo = [
    ...lists.map((name) => patched(Array.prototype, name, (list) => list.length)),
    patched(Set.prototype, "add", () => 1),
    patched(Map.prototype, "set", () => 1),
  ];
  try {
    call();
  } finally {
    for (const one of undo) one();
  }
  return elements;

  function patched<Owner extends object>(
    owner: Owner,
    name: keyof Owner,
    count: (self: { readonly length: number }) => number,
  ): () => void {
    const original = owner[name] as unknown as (...parameters: unknown[]) => unknown;
    owner[name] = function (this: { readonly length: number }, ...parameters: unknown[]) {
      elements += count(this);
      return original.apply(this, parameters);
    } as never;
    return () => {
      owner[name] = original as never;
    };
  }
}
