/**
 * Proves: `peneira sample` writes 37 zips with the registry's names and columns, the same bytes for
 * the same arguments, and rows that are consistent across files. Wrong flags and folders that are
 * not empty are rejected before anything is written. However the command ends, it leaves no partial
 * output.
 * Does not prove: irregular rows (sample-quirks), frequencies (sample-distributions), that the
 * import accepts the sample.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { getMunicipalities } from "@brazilian-utils/brazilian-utils";
import { readSampleFlags } from "../../../src/cli/commands/sample.ts";
import { openDump } from "../../../src/dump/archive.ts";
import { FILE_TYPES, LAYOUTS } from "../../../src/dump/layout.ts";
import { releaseDate, tokenOf } from "../../../src/dump/sample/dates.ts";
import { partStart } from "../../../src/dump/sample/order.ts";
import { type SampleSummary, writeSample } from "../../../src/dump/sample/release.ts";
import { CommandError } from "../../../src/errors.ts";
import { ROOT } from "../../support/house/checkout.ts";
import { readSampleZips, rowsOf, type SampleZip } from "../../support/sample/dump.ts";

const COUNT = 6000;
const MAIN = join(ROOT, "src/main.ts");
let root = "";
let folder = "";
let summary: SampleSummary;
let zips: SampleZip[];
let establishments: string[][];
let companies: string[][];
let simples: string[][];
let partners: string[][];

before(async () => {
  root = await mkdtemp(join(tmpdir(), "sample-"));
  folder = join(root, "a", "2026-10");
  summary = await writeSample({ folder, establishments: COUNT, seed: 7, label: "2026-10" });
  zips = await readSampleZips(folder);
  establishments = rowsOf(zips, "Estabelecimentos");
  companies = rowsOf(zips, "Empresas");
  simples = rowsOf(zips, "Simples");
  partners = rowsOf(zips, "Socios");
});
after(() => rm(root, { recursive: true, force: true }));

async function hiddenIn(path: string): Promise<string[]> {
  return (await readdir(path)).filter((name) => name.startsWith(".")).sort();
}

async function digest(path: string): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(path)).sort())
    hash.update(name).update(await readFile(join(path, name)));
  return hash.digest("hex");
}

test("writes 37 zips, one member each, with the registry's names", () => {
  assert.equal(zips.length, 37);
  const members = new Map(zips.map(({ zip, member }) => [zip, member]));
  assert.equal(members.get("Empresas0.zip"), "K3241.K03200Y0.D61010.EMPRECSV");
  assert.equal(members.get("Estabelecimentos9.zip"), "K3241.K03200Y9.D61010.ESTABELE");
  assert.equal(members.get("Socios5.zip"), "K3241.K03200Y5.D61010.SOCIOCSV");
  assert.equal(members.get("Simples.zip"), "F.K03200$W.SIMPLES.CSV.D61010");
  assert.equal(members.get("Cnaes.zip"), "F.K03200$Z.D61010.CNAECSV");
  assert.equal(members.get("Naturezas.zip"), "F.K03200$Z.D61010.NATJUCSV");
});

test("writes a folder that the product's reader accepts without a warning", async () => {
  const dump = await openDump(folder);
  assert.deepEqual([dump.label, dump.date, dump.warnings], ["2026-10", "2026-10-10", []]);
  assert.equal(dump.members.length, 37);
});

test("completes one of two concurrent writes to a folder, and rejects the other", async () => {
  const shared = join(root, "shared");
  const options = { folder: shared, establishments: 300, label: "2026-10", threads: 0 };
  const ended = await Promise.allSettled([1, 2].map((seed) => writeSample({ ...options, seed })));
  const [refused] = ended.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
  assert.equal(ended.filter(({ status }) => status === "fulfilled").length, 1);
  assert.ok(refused?.reason instanceof CommandError);
  assert.match(refused.reason.message, /^\S+shared is not empty; name a new folder or empty this/);
  assert.equal((await readdir(shared)).length, 37);
  assert.deepEqual(await hiddenIn(root), []);
});

test("removes the leftovers of a killed process with the next release", async () => {
  const machine = hostname().replaceAll(/[^A-Za-z0-9]/g, "");
  const dead = spawnSync(process.execPath, ["--version"]).pid;
  const mine = `.again-${machine}-${process.pid}-abcdef`;
  const others = `.again-elsewhere-${dead}-abcdef`;
  for (const name of [`.again-${machine}-${dead}-abcdef`, mine, others]) {
    await mkdir(join(root, name));
    await writeFile(join(root, name, "Socios0.zip"), "");
  }
  const folder = join(root, "again");
  await writeSample({ folder, establishments: 10, seed: 1, label: "2026-10", threads: 0 });
  assert.deepEqual(await hiddenIn(root), [mine, others].sort(), "of this machine and gone");
  for (const name of [mine, others]) await rm(join(root, name), { recursive: true });
});

test("reports a signal in a readable message, and leaves nothing", async () => {
  for (const [signal, status] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const]) {
    const out = join(root, "ended");
    const size = ["--establishments", "2000000", "--out", out];
    const child = spawn(process.execPath, ["--import", "tsx", MAIN, "sample", ...size]);
    let output = "";
    child.stderr.on("data", (part) => (output += part));
    while ((await hiddenIn(root)).length === 0) await sleep(20);
    child.kill(signal);
    const [code] = await once(child, "close");
    assert.equal(code, status, output);
    assert.ok(
      output.includes(`peneira: ${signal} ended the sample; ${out} was not written`),
      output,
    );
    assert.deepEqual(await hiddenIn(root), []);
  }
});

test("has the column and row counts of each file type", () => {
  for (const type of FILE_TYPES) {
    const rows = rowsOf(zips, LAYOUTS[type].zip);
    assert.ok(
      rows.every((row) => row.length === LAYOUTS[type].columns.length),
      type,
    );
    assert.equal(rows.length, summary.rows[type], type);
  }
  assert.equal(new Set(establishments.map((row) => row.slice(0, 3).join(""))).size, COUNT);
  const part0 = rowsOf(zips, "Estabelecimentos0").length;
  const part1 = rowsOf(zips, "Estabelecimentos1").length;
  assert.ok(part0 / part1 > 5.5 && part0 / part1 < 6.5);
});

test("produces the same bytes for the same arguments only", async () => {
  const digests: string[] = [];
  for (const [seed, label] of [
    [7, "2026-10"],
    [8, "2026-10"],
    [7, "2026-09"],
  ] as const) {
    const other = join(root, `b${digests.length}`);
    await writeSample({ folder: other, establishments: COUNT, seed, label });
    digests.push(await digest(other));
  }
  assert.equal(digests[0], await digest(folder));
  assert.equal(new Set(digests).size, 3);
});

test("keeps files consistent: roots, branches, Simples, partners", () => {
  const known = new Set(companies.map((row) => row[0]));
  const missing = new Set(establishments.map((row) => row[0]).filter((id) => !known.has(id)));
  assert.equal(missing.size, summary.quirks.company_missing);
  const roots = new Set(establishments.map((row) => row[0]));
  const orphans = simples.filter((row) => !roots.has(row[0]));
  assert.equal(orphans.length, summary.quirks.simples_orphan);
  assert.ok(
    [...known].every((id) => roots.has(id)),
    "every company has an establishment",
  );
  assert.equal(roots.size, summary.companies);
  assert.ok(partners.every((row) => roots.has(row[0])));
  const persons = partners.filter((row) => row[1] === "2");
  assert.ok(persons.every((row) => /^\*\*\*\d{6}\*\*$/.test(row[3] as string)));
  const branches = establishments.filter((row) => row[3] === "2");
  assert.ok(branches.length > COUNT * 0.03);
});

test("has partners that are other companies of the sample, next to persons", () => {
  const companiesOnly = partners.filter((row) => row[1] === "1");
  assert.equal(new Set(partners.map((row) => row[1])).size, 2);
  const share = companiesOnly.length / partners.length;
  assert.ok(share > 0.005 && share < 0.1, String(share));
  const names = new Map(companies.map((row) => [row[0], row[1]]));
  const heads = new Set(
    establishments.filter((row) => row[3] === "1").map((row) => row.slice(0, 3).join("")),
  );
  for (const row of companiesOnly) {
    const [owned, , name, cnpj = ""] = row;
    assert.ok(heads.has(cnpj), `${cnpj} is a head office of the sample`);
    assert.equal(name, names.get(cnpj.slice(0, 8)));
    assert.notEqual(owned, cnpj.slice(0, 8));
    assert.equal(row[4], "22");
  }
  const owned = companiesOnly.map((row) => (row[3] as string).slice(0, 8));
  assert.ok(new Set(owned).size < owned.length, "some companies own several");
});

test("has companies that left Simples, and companies that left MEI", () => {
  const isDay = (text: string | undefined) => /^[12]\d{7}$/.test(text ?? "");
  const left = simples.filter((row) => row[1] === "N" && isDay(row[3]));
  const leftMei = simples.filter((row) => row[4] === "N" && isDay(row[6]));
  assert.ok(left.length > simples.length * 0.1, String(left.length));
  assert.ok(leftMei.length > simples.length * 0.05, String(leftMei.length));
  assert.ok(
    leftMei.some((row) => row[1] === "S"),
    "some are still in Simples",
  );
  for (const row of leftMei) assert.ok((row[5] as string) <= (row[6] as string));
});

test("orders Empresas and Estabelecimentos differently, neither sorted", () => {
  const order = (rows: string[][]): string[] => [...new Set(rows.map((row) => row[0] as string))];
  const [a, b] = [order(establishments), order(companies)];
  assert.notDeepEqual(a.slice(0, 100), b.slice(0, 100));
  for (const list of [a, b]) {
    const rising = list.filter((id, i) => i > 0 && id > (list[i - 1] as string)).length;
    assert.ok(rising > list.length * 0.2 && rising < list.length * 0.8);
  }
});

test("contains all municipalities with unique codes, and the registry's names for the 17", () => {
  const rows = rowsOf(zips, "Municipios");
  assert.equal(rows.length, 5572);
  assert.equal(new Set(rows.map(([code]) => code)).size, 5572);
  assert.ok(
    rows.every(([code, name]) => /^\d{4}$/.test(code ?? "") && /^[A-Z' -]+$/.test(name ?? "")),
  );
  const names = new Map(rows.map(([code, name]) => [code, name]));
  const known = {
    "7107": "SAO PAULO",
    "6001": "RIO DE JANEIRO",
    "9707": "EXTERIOR",
    "1703": "BOA SAUDE",
    "1182": "BOA ESPERANCA DO NORTE",
  };
  for (const [code, name] of Object.entries(known)) assert.equal(names.get(code), name);
  const fold = (name: string): string =>
    name
      .normalize("NFD")
      .replace(/[\u0300-\u036f]/g, "")
      .toUpperCase();
  const own = new Map<string, number>();
  for (const { name } of getMunicipalities()) own.set(fold(name), (own.get(fold(name)) ?? 0) + 1);
  for (const [, name] of rows) own.set(name as string, (own.get(name as string) ?? 0) - 1);
  const differing = [...own.values()].filter((count) => count < 0).length;
  assert.equal(differing, 18, "17 other spellings and EXTERIOR");
});

test("contains all current activities, discontinued ones, and not informed", () => {
  const codes = new Set(rowsOf(zips, "Cnaes").map(([code]) => code as string));
  assert.equal(codes.size, 1332 + 12);
  assert.ok(codes.has("0111301") && codes.has("8888888") && codes.has("4713001"));
  for (const row of establishments) {
    const secondary = (row[12] as string).split(",").filter((code) => code !== "");
    assert.ok(codes.has(row[11] as string));
    assert.ok(secondary.every((code) => codes.has(code) && code !== row[11] && code !== "8888888"));
    assert.equal(new Set(secondary).size, secondary.length);
  }
});

test("covers all rows once in its parts", () => {
  for (const rows of [0, 1, 9, 15, 16, 1000, 72_000_001]) {
    assert.equal(partStart(rows, 0), 0);
    assert.equal(partStart(rows, 10), rows);
    for (let part = 0; part < 10; part++) {
      assert.ok(partStart(rows, part) <= partStart(rows, part + 1));
    }
  }
});

test("dates releases on second Saturdays", () => {
  assert.equal(releaseDate("2026-10"), "2026-10-10");
  assert.equal(releaseDate("2026-08"), "2026-08-08");
  assert.equal(releaseDate("2025-09"), "2025-09-13");
  assert.equal(releaseDate("2026-01"), "2026-01-10");
  assert.equal(tokenOf("2026-08-08"), "D60808");
});

test("writes the smallest sample and an early month", async () => {
  const tiny = await writeSample({
    folder: join(root, "tiny"),
    establishments: 1,
    seed: 0,
    label: "2024-02",
  });
  assert.equal(tiny.token, "D40210");
  assert.equal(tiny.establishments, 1);
});

test("rejects a used folder and leaves it unchanged", async () => {
  const used = join(root, "used");
  await mkdir(used);
  await writeFile(join(used, "mine.txt"), "x");
  const work = writeSample({ folder: used, establishments: 10, seed: 1, label: "2026-10" });
  await assert.rejects(
    work,
    (error) => error instanceof CommandError && /not empty/.test(error.message),
  );
  assert.deepEqual(await readdir(used), ["mine.txt"]);
  assert.ok(
    (await readdir(root)).every((name) => !name.startsWith(".")),
    "no draft is left",
  );
});

test("accepts an empty folder, and leaves nothing after a failure", async () => {
  const empty = join(root, "empty");
  await mkdir(empty);
  await writeSample({ folder: empty, establishments: 10, seed: 1, label: "2026-10" });
  assert.equal((await readdir(empty)).length, 37);
  const onProgress = (done: number): void => {
    if (done > 0) throw new Error("stop");
  };
  const failing = { folder: join(root, "failed"), establishments: 10, seed: 1, label: "2026-10" };
  await assert.rejects(writeSample({ ...failing, onProgress }), /stop/);
  assert.ok(!(await readdir(root)).some((name) => name.includes("failed")));
});

test("names all wrong flags in one error, as wrong usage", () => {
  const flags = { out: "x", establishments: "1_000", seed: "3", label: "2026-10" };
  assert.equal(readSampleFlags(flags).establishments, 1000);
  const wrong = { out: " ", establishments: "0", seed: "-1", label: "2026-13" };
  assert.throws(
    () => readSampleFlags(wrong),
    (error) =>
      error instanceof CommandError &&
      error.exitCode === 2 &&
      ["--out", "--establishments", "--seed", "--label"].every((flag) =>
        error.message.includes(flag),
      ),
  );
  for (const establishments of ["1e6", "ten", "90000001", "1.5", ""]) {
    assert.throws(() => readSampleFlags({ ...flags, establishments }), CommandError);
  }
});
