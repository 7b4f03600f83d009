/**
 * Proves: after an import with a file of places, sentences resolve each statistical region to
 * exactly its municipalities, in all four kinds. If two regions share a name, the state decides,
 * also if the region is excluded. Coordinates of city seats in the file override the built-in ones.
 * Without such a file, and for an unknown name, the sentence does not run, and a note says how to
 * fix this. Does not prove that a file matches IBGE's data.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { RecordBatchFileWriter, tableFromIPC } from "apache-arrow";
import { importColumns } from "../../../../src/ingest/columns/columns-import.ts";
import { importDump } from "../../../../src/ingest/dump-import.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { translate } from "../../../../src/translate/translate.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";

/** Columns of a file, each with the names that its kind of region has in sentences. */
const KINDS = [
  ["mesoregion", ["mesorregião", "meso-região", "mesoregion"]],
  ["microregion", ["microrregião", "micro região"]],
  ["intermediate_region", ["região intermediária", "região geográfica intermediária"]],
  ["immediate_region", ["região imediata", "Região Imediata", "immediate region"]],
] as const;

/** Names of regions, of each kind in every state. Some are also names of other places. */
const NAMES = [
  "Campinas",
  "Norte/Sul Central",
  "Juiz de Fora",
  "Vale Alto",
  "Metropolitana de Belém",
];

/** Names of regions that only one state has. */
const ONLY = ["Bico Leste", "Bico Oeste"];

interface Placed {
  readonly ibge: string;
  readonly uf: string;
  readonly regions: readonly string[];
}

describe("statistical regions", () => {
  let sample: SampleSnapshot;
  let placed: readonly Placed[];
  let segment: Segment;
  let path: string;
  const options = {
    ...{ keepCpf: false, partial: true, force: true, threads: 2, partitionBytes: 1 << 22 },
    startStage: () => ({ update: () => undefined, done: () => undefined }),
  };
  before(async () => {
    sample = await makeSampleSnapshot(500, 3);
    const plain = await openSegment(sample.snapshot);
    placed = plain.catalog.municipalities.flatMap(({ ibge, uf }, at) => {
      if (ibge === null || uf === null) return [];
      const own = uf === "AC" ? ONLY : NAMES;
      const regions = KINDS.map(
        (_, kind) => own[(at + kind * 2 + Number(ibge)) % own.length] ?? "",
      );
      return { ibge, uf, regions };
    });
    plain.close();
    const columns = KINDS.map(([column]) => column);
    const lines = placed.map(({ ibge, regions }) => `${ibge},${regions.join(",")},-10,-50`);
    const header = `municipality_ibge,${columns.join(",")},latitude,longitude`;
    const places = join(sample.folder, "places.csv");
    writeFileSync(places, [header, ...lines].join("\n"));
    path = join(sample.folder, "placed.peneira");
    await importDump({ ...options, source: sample.dump, out: path, places });
    segment = await openSegment(path);
  });
  after(() => {
    segment.close();
    sample.dispose();
  });

  const specOf = (text: string, of = segment) => {
    const { spec } = translate(text, of);
    const { geo } = spec.filters as { geo: Record<string, readonly string[]> };
    return { geo, explain: spec.explain };
  };
  const membersOf = (kind: number, name: string, uf: string) =>
    placed.filter((one) => one.uf === uf && one.regions[kind] === name).map(({ ibge }) => ibge);

  for (const [kind, [column, heads]] of KINDS.entries()) {
    it(`are found as their municipalities: ${column}`, () => {
      for (const uf of ["SP", "PR", "PA", "GO"]) {
        for (const name of NAMES) {
          for (const head of heads) {
            const of = head.includes("region") ? "of" : "de";
            const text = `padarias na ${head} ${of} ${name}, ${uf} com telefone`;
            const { geo, explain } = specOf(text);
            assert.deepEqual(
              [...(geo.municipality_ibge_any_of ?? [])].sort(),
              membersOf(kind, name, uf).sort(),
              text,
            );
            assert.deepEqual(geo.uf_any_of, [], text);
            assert.ok(!isUncertain(explain.confidence), `${text}: ${explain.confidence}`);
          }
        }
      }
    });
  }

  it("are several if several are named, and those of all states if none is", () => {
    const { geo } = specOf("padarias nas microrregiões de Campinas e Juiz de Fora, no Paraná");
    const both = [...membersOf(1, "Campinas", "PR"), ...membersOf(1, "Juiz de Fora", "PR")];
    assert.deepEqual([...(geo.municipality_ibge_any_of ?? [])].sort(), both.sort());
    const all = specOf("padarias na microrregião de Vale Alto");
    const count = placed.filter(({ regions }) => regions[1] === "Vale Alto").length;
    assert.equal(all.geo.municipality_ibge_any_of?.length, count);
    assert.ok(all.explain.assumptions.some(({ code }) => code === "region_of_several"));
  });

  it("are all meant if several of one state are named", () => {
    const { geo, explain } = specOf("padarias nas microrregiões de Bico Leste e Bico Oeste");
    const all = placed.filter(({ uf }) => uf === "AC").map(({ ibge }) => ibge);
    assert.deepEqual([...(geo.municipality_ibge_any_of ?? [])].sort(), all.sort());
    const codes = explain.assumptions.map(({ code }) => code);
    assert.equal(codes.includes("region_of_several"), false);
    assert.equal(codes.includes("region_as_municipalities"), true);
  });

  it("are excluded on request", () => {
    const { geo } = specOf("padarias no Paraná, exceto a microrregião de Campinas");
    const wanted = placed.filter((one) => one.uf === "PR" && one.regions[1] !== "Campinas");
    assert.deepEqual(
      [...(geo.municipality_ibge_any_of ?? [])].sort(),
      wanted.map(({ ibge }) => ibge).sort(),
    );
  });

  it("do not run if they are unknown, and the note names the remedy", async () => {
    const unknown = specOf("padarias na microrregião de Curitiba");
    assert.ok(isUncertain(unknown.explain.confidence));
    const plain = await openSegment(sample.snapshot);
    for (const head of ["mesorregião", "microrregião", "região imediata", "região intermediária"]) {
      const text = `padarias na ${head} de Campinas com telefone`;
      const { explain } = specOf(text, plain);
      assert.ok(isUncertain(explain.confidence), text);
      const reported = explain.unmapped_constraints.map(({ detail }) => detail).join(" ");
      assert.match(reported, /peneira download --places[\s\S]*peneira import --places/, text);
    }
    plain.close();
  });

  it("are kept by the following month, unless it gets others", async () => {
    const source = { ...options, source: sample.dump };
    const others = join(sample.folder, "others.csv");
    writeFileSync(others, "municipality_ibge,mesoregion\n3550308,Outra\n");
    const namesOf = async (name: string, more: object) => {
      const out = join(sample.folder, name);
      await importDump({ ...source, out, ...more });
      const made = await openSegment(out);
      made.close();
      return made.places?.names;
    };
    const known = segment.places?.names;
    assert.ok(known !== undefined && known.length > 0);
    assert.deepEqual(await namesOf("next.peneira", { replaces: path }), known);
    const given = { replaces: path, places: others };
    assert.deepEqual(await namesOf("given.peneira", given), ["Outra"]);
    assert.equal(await namesOf("alone.peneira", {}), undefined);
    assert.equal(await namesOf("alone.peneira", {}), undefined, "over itself");
  });

  it("have seats that override the built-in ones", () => {
    const { geo } = specOf("padarias num raio de 10 km de Recife");
    assert.equal(geo.municipality_ibge_any_of?.length, placed.length, "all lie in one point");
  });

  it("remain if the columns of the snapshot are imported again", async () => {
    const again = join(sample.folder, "again.peneira");
    const plain = join(sample.folder, "plain.arrow");
    const writer = new RecordBatchFileWriter();
    for (const batch of tableFromIPC(readFileSync(path)).batches) writer.write(batch);
    writer.finish();
    writeFileSync(plain, writer.toUint8Array(true));
    await importColumns({ ...options, source: plain, out: again });
    const second = await openSegment(again);
    assert.deepEqual(second.places, segment.places);
    second.close();
  });
});
