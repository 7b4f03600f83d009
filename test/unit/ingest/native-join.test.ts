/**
 * Proves: the addon's join of the dump's files produces the same results, partition by partition,
 * as the reference implementation in TypeScript. The results are the bytes and their positions,
 * counts, examples, and sampled keys. The tests join a sample, and dumps with duplicates, orphans,
 * companies without a name, and nonexistent municipalities. They join with and without public
 * lists, and also rows that already have the values of their companies. While a thread works, the
 * next partition or bucket that it will read is prefetched.
 * Does not prove that the reference implementation is right (quirks.test.ts and twin.test.ts in
 * this folder).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { openDump, readMember } from "../../../src/dump/archive.ts";
import { readLookups } from "../../../src/dump/lookups.ts";
import { writeSample } from "../../../src/dump/sample/release.ts";
import { spillDebts } from "../../../src/ingest/debts.ts";
import { type JoinContext, joinNatively, sampleNatively } from "../../../src/ingest/join.ts";
import { chooseSplits } from "../../../src/ingest/rank.ts";
import { ImportTables, readKnownCodes } from "../../../src/ingest/release-tables.ts";
import { scanNatively } from "../../../src/ingest/scan/scan.ts";
import { countNatively } from "../../../src/ingest/shared-values.ts";
import { prefetchBucket, type SpillFile, SpillWriter } from "../../../src/ingest/spill.ts";
import { establishment, type MiniRow, MiniWorkspace } from "../../support/dump/mini.ts";
import { writeDebts } from "../../support/dump/publiclists.ts";
import { joinHere, samplePartition } from "../../support/ingest/join.ts";
import { countHere } from "../../support/ingest/shared-values.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { SEED } from "../../support/run/scale.ts";

const space = new MiniWorkspace();
after(() => space.dispose());

const PARTITIONS = 3;

/** Scans the large files of a dump into the workspace. Returns the context for joining them. */
async function contextOf(folder: string, sanctioned: readonly string[] | null) {
  const dump = await openDump(folder, "2026-08", { partial: true });
  const types = ["empresas", "simples", "estabelecimentos"];
  const members = dump.members.filter(({ type }) => types.includes(type));
  const scans = [];
  for (const [i, member] of members.entries()) {
    const task = { member, spillPath: space.path(`spill-${i}`), partitions: PARTITIONS };
    const how = { slotBytes: 512, keepCpf: false, latestDay: 20_700, utf8: false, skipBadRows: 0 };
    const result = await scanNatively({ ...task, ...how, progress: new Int32Array(1) });
    scans.push({ ...result, member });
  }
  const known = readKnownCodes(await readLookups(dump));
  const release = { label: "2026-08", date: "2026-08-08" };
  const tables = new ImportTables({
    ...{ release, known, scans },
    ...{ population: null, origin: null, places: null, partners: null },
    lists: { ceis: null, cnep: null, cepim: null, debts: null },
  });
  const list = sanctioned === null ? null : new Set(sanctioned);
  return { ...tables.context(), sanctioned: list, slotBytes: 512 };
}

/**
 * Joins every partition with both implementations, once into one range of ranks and once into six.
 * Returns how often each rule applied.
 */
function compare(context: JoinContext): number[] {
  const counts: number[] = [];
  const progress = new Int32Array(2);
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const sample = samplePartition(context, partition, 7);
    for (const stride of [1, 2, 7, 1_000_000]) {
      const taken = sampleNatively(context, partition, stride);
      assert.deepEqual(taken, samplePartition(context, partition, stride), `stride ${stride}`);
    }
    for (const ranges of [1, 6]) {
      const splits = chooseSplits(sample, ranges);
      const paths = [space.path("rows-here"), space.path("rows-native")] as const;
      const values = [space.path("values-here"), space.path("values-native")] as const;
      const task = { partition, ahead: 1, splits, valueBuckets: 3, progress };
      const here = joinHere(context, { ...task, spillPath: paths[0], valuesPath: values[0] });
      const native = joinNatively(context, { ...task, spillPath: paths[1], valuesPath: values[1] });
      const spill = { ...native.spill, path: paths[0] };
      assert.deepEqual({ ...native, spill, values: { ...native.values, path: values[0] } }, here);
      assert.ok(readFileSync(values[0]).equals(readFileSync(values[1])), `values of ${partition}`);
      compareCounts(here.values, ranges);
      assert.ok(readFileSync(paths[0]).equals(readFileSync(paths[1])), `partition ${partition}`);
      here.tally.counts.forEach((count, rule) => {
        counts[rule] = (counts[rule] ?? 0) + count;
      });
    }
  }
  return counts;
}

function compareCounts(values: SpillFile, ranges: number): void {
  for (let bucket = 0; bucket < 3; bucket++) {
    const paths = [space.path("shared-here"), space.path("shared-native")] as const;
    const task = { bucket, ahead: 1, values: [values, values], ranges, slotBytes: 512 };
    const here = countHere({ ...task, path: paths[0] });
    const native = countNatively({ ...task, path: paths[1] });
    const corrections = { ...native.corrections, path: paths[0] };
    assert.deepEqual({ counts: Uint32Array.from(native.counts), corrections }, here);
    assert.ok(readFileSync(paths[0]).equals(readFileSync(paths[1])), `bucket ${bucket}`);
  }
}

/** Returns a spill file (temporary rows on the disk) that records which of its extents are read. */
function watched(spill: SpillFile) {
  const seen: [number, number][] = [];
  class Offsets extends Float64Array {
    override subarray(first: number, end: number): Float64Array<ArrayBuffer> {
      seen.push([first, end]);
      return Float64Array.from(this).subarray(first, end);
    }
  }
  const extents = (bucket: number) =>
    [spill.starts[bucket], spill.starts[bucket + 1]] as [number, number];
  return { spill: { ...spill, offsets: new Offsets(spill.offsets) }, seen, extents };
}

describe("prefetch", () => {
  const splits = chooseSplits(
    { scores: new Uint16Array(), roots: new Float64Array(), rests: new Uint32Array() },
    1,
  );

  it("requests the partition and the bucket that a thread gets next, to the last", async () => {
    const folder = join(space.folder, "dump-ahead");
    await writeSample({ folder, establishments: 600, seed: 6, label: "2026-08" });
    const context = await contextOf(folder, null);
    const [first, ...others] = context.establishments;
    assert.ok(first !== undefined);
    const file = watched(first.spill);
    const establishments = [{ ...first, spill: file.spill }, ...others];
    const tasks = [0, 1, 2].map((partition) => ({ partition, ahead: 2, valueBuckets: 4 }));
    const results = tasks.map((task) =>
      joinNatively(
        { ...context, establishments },
        {
          ...{ ...task, splits, progress: new Int32Array(1) },
          spillPath: space.path(`ahead-rows-${task.partition}`),
          valuesPath: space.path(`ahead-values-${task.partition}`),
        },
      ),
    );
    assert.deepEqual(file.seen, [0, 2, 1, 2].map(file.extents));
    const values = watched(results[0]?.values as SpillFile);
    for (const bucket of [0, 1, 2, 3]) {
      const task = { bucket, ahead: 3, values: [values.spill], ranges: 1, slotBytes: 512 };
      countNatively({ ...task, path: space.path("ahead-shared") });
    }
    assert.deepEqual(values.seen, [values.extents(3)]);
  });

  it("changes nothing, and needs no file", () => {
    const writer = new SpillWriter(space.path("advice"), 2, 512);
    for (let i = 0; i < 40; i++) writer.bytes.fill(i, writer.reserve(i % 2, 64));
    const file = writer.close();
    const before = readFileSync(file.path);
    for (const bucket of [0, 1, 2]) prefetchBucket(file, bucket);
    assert.ok(readFileSync(file.path).equals(before));
    prefetchBucket({ ...file, path: space.path("no such file") }, 0);
  });
});

async function cnpjs(): Promise<string[]> {
  const dump = await openDump(join(space.folder, "dump-2026-08"), "2026-08");
  const found: string[] = [];
  for (const member of dump.members.filter(({ type }) => type === "estabelecimentos").slice(0, 3)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of readMember(member)) chunks.push(chunk);
    const rows = Buffer.concat(chunks).toString("latin1").split("\n");
    for (const row of rows) {
      const [, root, branch, check] = /^"(.{8})";"(.{4})";"(\d\d)"/.exec(row) ?? [];
      if (root !== undefined) found.push(`${root}${branch}${check}`);
    }
  }
  assert.ok(found.length > 100);
  return found;
}

/** Returns one to three registered debts for every third CNPJ. */
async function debtsOf(list: readonly string[]) {
  const rows = list
    .filter((_, i) => i % 3 === 0)
    .flatMap((cnpj, i) =>
      Array.from({ length: 1 + (i % 3) }, (_, k) => ({
        document: cnpj.replace(/^(..)(...)(...)(....)(..)$/, "$1.$2.$3/$4-$5"),
        amount: `${(i + 1) * 1_000_000_007 * (k + 1)}.${k}5`,
        role: k === 2 ? "SOLIDARIO" : "PRINCIPAL",
      })),
    );
  const third = Math.ceil(rows.length / 3);
  const path = writeDebts(space.path("debts"), {
    fgts: rows.slice(0, third),
    social: rows.slice(third, 2 * third),
    other: rows.slice(third),
  });
  const how = { partitions: PARTITIONS, slotBytes: 512, partial: false };
  return (await spillDebts({ path, spillPath: space.path("spill-debts"), ...how })).spill;
}

describe("the native join", () => {
  it("joins a sample like its twin", async () => {
    const folder = join(space.folder, "dump-2026-08");
    await writeSample({ folder, establishments: 4000, seed: 5, label: "2026-08" });
    compare(await contextOf(folder, null));
    const sanctioned = ["00000000000191", "11222333000181", "ZZZZZZZZZZZZ99"];
    const context = await contextOf(folder, sanctioned);
    compare(context);
    const listed = {
      cnep: new Set(sanctioned),
      cepim: new Set([...sanctioned, ...(await cnpjs())]),
    };
    const debts = await debtsOf(await cnpjs());
    compare({ ...context, ...listed, debts });
    compare({ ...context, ...listed, debts, companies: null, simples: [], sanctioned: null });
    // Joins rows without the files of companies and Simples, as if the rows already had these
    // values.
    compare({ ...context, companies: null, simples: [], sanctioned: null });
  });

  it("joins duplicates, orphans, and odd rows like its twin", async () => {
    const random = seededRandom(SEED);
    const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] as string;
    const roots = ["00000000", "11222333", "12ABC345", "99999999", "ZZZZZZZZ", "55555555"];
    const company = (): MiniRow => ({
      cnpj_basico: pick([...roots.slice(1), "77777777"]),
      razao_social: pick(["", "", "PADARIA BOA LTDA", "X"]),
      natureza_juridica: pick(["2062", "0000", "", "2135", "9999"]),
      capital_social: pick(["", "1.234,56", "0,00", "99999999999,99"]),
      porte: pick(["00", "01", "03", "05", "", "7"]),
    });
    const simples = (): MiniRow => ({
      cnpj_basico: pick([...roots, "77777777", "66666666"]),
      opcao_pelo_simples: pick(["S", "N", ""]),
      opcao_pelo_mei: pick(["S", "N", "X"]),
      data_exclusao_do_simples: pick(["20191231", "00000000", "", "20301231", "20190230"]),
      data_exclusao_do_mei: pick(["20200131", "00000000", "0"]),
    });
    const account = (): MiniRow => {
      const digits = pick(["01", "02", "03", "99"]);
      return establishment(`${pick(roots)}00${pick(["01", "02", "0A"])}${digits}`, {
        situacao_cadastral: pick(["01", "02", "03", "04", "08", ""]),
        data_inicio_atividade: pick(["20200131", "", "19000101", "20260815", "20260808"]),
        cnae_fiscal_principal: pick(["4721102", "8888888", "", "1234567"]),
        cnae_fiscal_secundaria: pick(["", "4721102", "0111301,4721102,8888888"]),
        uf: pick(["SP", "RJ", "EX", ""]),
        municipio: pick(["7107", "9707", "4242", ""]),
        telefone_1: pick(["", "33334444"]),
        telefone_2: pick(["", "987654321"]),
        ...{ ddd_1: "11", ddd_2: "21", correio_eletronico: pick(["", "a@b.co"]) },
        ...{ nome_fantasia: pick(["", "BAR"]), pais: pick(["", "105"]) },
        ...{ motivo_situacao_cadastral: pick(["00", "", "63"]) },
        identificador_matriz_filial: pick(["1", "2"]),
      });
    };
    const rows = {
      empresas: Array.from({ length: 12 }, company),
      simples: Array.from({ length: 12 }, simples),
      estabelecimentos: Array.from({ length: 400 }, account),
    };
    const folder = space.write(rows);
    const counts = compare(await contextOf(folder, ["112223330001 01", "11222333000101"]));
    assert.ok(counts.filter((count) => count > 0).length >= 6, "every rule of the join comes up");
  });
});
