/**
 * Proves: the percentages of values in a sample differ from the registry's by at most 2.5 points,
 * and average lengths by at most 15%. City, state, postal code, and activity depend on each other.
 * Does not prove: the frequency of rare values (the sample is 40,000 rows of one seed).
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { writeSample } from "../../../src/dump/sample/release.ts";
import { readSampleZips, rowsOf, type SampleZip } from "../../support/sample/dump.ts";

type Row = readonly string[];

const COUNT = 40_000;
const POINTS = 2.5;
let root = "";
let zips: SampleZip[];
let rows: Row[];
let active: Row[];
let companies: Row[];
let simples: Row[];

before(async () => {
  root = await mkdtemp(join(tmpdir(), "sample-"));
  const folder = join(root, "2026-10");
  await writeSample({ folder, establishments: COUNT, seed: 3, label: "2026-10" });
  zips = await readSampleZips(folder);
  rows = rowsOf(zips, "Estabelecimentos");
  active = rows.filter((row) => row[5] === "02");
  companies = rowsOf(zips, "Empresas");
  simples = rowsOf(zips, "Simples");
});
after(() => rm(root, { recursive: true, force: true }));

function share(list: readonly Row[], shows: (row: Row) => boolean): number {
  return (100 * list.filter(shows).length) / list.length;
}

function near(actual: number, expected: number, what: string, tolerance = POINTS): void {
  const text = `${what}: ${actual.toFixed(1)}, the registry has ${expected}`;
  assert.ok(Math.abs(actual - expected) <= tolerance, text);
}

test("distributes status, reason, and branches", () => {
  const expected = { "08": 47, "02": 40.5, "04": 12, "03": 0.4, "01": 0.1 };
  for (const [code, percent] of Object.entries(expected)) {
    near(
      share(rows, (row) => row[5] === code),
      percent,
      `status ${code}`,
    );
  }
  near(
    share(rows, (row) => row[5] === "08" && row[7] === "01"),
    36,
    "08/01",
  );
  near(
    share(rows, (row) => row[5] === "04" && row[7] === "63"),
    11.2,
    "04/63",
  );
  near(
    share(rows, (row) => row[3] === "2"),
    4.2,
    "branches",
    0.7,
  );
  near(
    share(active, (row) => row[6] === row[10]),
    86,
    "active since the opening",
  );
});

test("distributes states and cities", () => {
  const states = { SP: 28.6, MG: 9.8, RJ: 7.5, PR: 6.8, RS: 6.7, BA: 5.2, GO: 3.3, EX: 0.24 };
  for (const [uf, percent] of Object.entries(states)) {
    near(
      share(rows, (row) => row[19] === uf),
      percent,
      uf,
      1,
    );
  }
  const cities = { "7107": 9.2, "6001": 3.8, "4123": 2.5, "9701": 1.5, "8801": 1.4 };
  for (const [tom, percent] of Object.entries(cities)) {
    near(
      share(rows, (row) => row[20] === tom),
      percent,
      tom,
      0.7,
    );
  }
  const distinct = new Set(rows.slice(0, 2000).map((row) => row[20])).size;
  assert.ok(distinct > 600 && distinct < 1100, `${distinct} cities in 2,000 rows`);
});

test("gives a city one state and one range of postal codes", () => {
  const states = new Map<string, Set<string>>();
  for (const row of rows) {
    const known = states.get(row[20] as string) ?? new Set();
    states.set(row[20] as string, known.add(row[19] as string));
  }
  assert.ok([...states.values()].every((found) => found.size === 1));
  const paulista = rows.filter((row) => row[19] === "SP" && row[18]?.length === 8);
  assert.ok(share(paulista, (row) => Number(row[18]) < 20_000_000) > 99);
});

test("distributes activities, with favorites per city", () => {
  const expected = {
    "4781400": 3.9,
    "9602501": 3.8,
    "8219999": 2.2,
    "4399103": 2.2,
    "5611203": 1.8,
  };
  for (const [cnae, percent] of Object.entries(expected)) {
    near(
      share(active, (row) => row[11] === cnae),
      percent,
      cnae,
      1,
    );
  }
  const divisions = { "47": 17.6, "96": 6.2, "56": 6.1, "43": 5.5, "49": 4.6, "85": 4.5 };
  for (const [division, percent] of Object.entries(divisions)) {
    near(
      share(active, (row) => row[11]?.startsWith(division) === true),
      percent,
      division,
    );
  }
  // Compares how probable it is that two random rows have the same activity, in one city and in the
  // whole country.
  const twins = (list: readonly Row[]): number => {
    const counts = new Map<string, number>();
    for (const row of list) counts.set(row[11] as string, (counts.get(row[11] as string) ?? 0) + 1);
    return [...counts.values()].reduce((sum, n) => sum + (n / list.length) ** 2, 0);
  };
  const city = rows.filter((row) => row[20] === "4123");
  assert.ok(twins(city) > 1.5 * twins(rows), "activity depends on the city");
});

test("distributes secondary activities", () => {
  const counts = (list: readonly Row[]): number[] =>
    list.map((row) => (row[12] === "" ? 0 : (row[12] as string).split(",").length));
  const present = counts(rows)
    .filter((count) => count > 0)
    .sort((a, b) => a - b);
  near((100 * present.length) / rows.length, 49.2, "any");
  near(present.reduce((sum, count) => sum + count, 0) / present.length, 3.55, "mean", 0.4);
  const quantile = (q: number): number => present[Math.floor(present.length * q)] as number;
  assert.equal(quantile(0.5), 2);
  near(quantile(0.9), 7, "p90", 1);
  near(quantile(0.99), 18, "p99", 3);
  assert.equal(present.at(-1), 97);
  const lists = rows.map((row) => (row[12] as string).split(",")).filter((list) => list.length > 2);
  const sorted = lists.filter((list) => list.join() === [...list].sort().join()).length;
  near((100 * sorted) / lists.length, 72, "sorted", 5);
});

test("distributes contacts by status", () => {
  const isPhone = (row: Row): boolean => row[22] !== "" && row[22] !== "0";
  const closed = rows.filter((row) => row[5] === "08");
  near(
    share(active, (row) => row[27] !== ""),
    87.1,
    "e-mail of active",
  );
  near(
    share(closed, (row) => row[27] !== ""),
    57.3,
    "e-mail of closed",
    4,
  );
  near(share(active, isPhone), 96.4, "phone of active");
  near(share(rows, isPhone), 80.9, "phone");
  near(
    share(rows, (row) => row[22] === "0"),
    4.2,
    "phone 0",
  );
  near(
    share(active, (row) => isPhone(row) && row[27] !== ""),
    86.6,
    "both",
  );
  near(
    share(rows, (row) => row[24] !== ""),
    8.2,
    "second phone",
  );
  near(
    share(rows, (row) => row[4] !== ""),
    36.5,
    "trade name",
  );
  near(
    share(rows, (row) => row[16]?.trim() !== ""),
    41.4,
    "complement",
  );
  near(
    share(active.filter(isPhone), (row) => /^[89]\d{7}$/.test(row[22] as string)),
    60,
    "lost 9",
  );
  const mails = rows.filter((row) => row[27] !== "");
  near(
    share(mails, (row) => /@gmail\.com$/i.test(row[27] as string)),
    48.7,
    "gmail",
  );
  near(
    share(mails, (row) => row[27] === row[27]?.toLowerCase()),
    23,
    "lower case",
  );
});

test("distributes opening dates", () => {
  // The expected counts are of 2025. The sample's release is ten months later and has 6% more
  // accounts, all opened in 2026.
  const growth = 0.94;
  const from = (low: string, high: string): number =>
    share(rows, (row) => (row[10] as string) >= low && (row[10] as string) < high);
  near(from("1800", "1980"), 2.5 * growth, "before 1980", 1);
  near(from("1990", "2000"), 7.7 * growth, "90s");
  near(from("2000", "2010"), 10.1 * growth, "00s");
  near(from("2010", "2020"), 34 * growth, "10s");
  near(from("2020", "2026"), 41 * growth, "2020 to 2025");
  assert.ok(rows.every((row) => row[10] === "20991231" || (row[10] as string) <= "20261011"));
});

test("distributes companies by size, nature, capital, and name", () => {
  const sizes = { "01": 79.2, "05": 17.7, "03": 3.1 };
  for (const [size, percent] of Object.entries(sizes)) {
    near(
      share(companies, (row) => row[5] === size),
      percent,
      `size ${size}`,
    );
  }
  const natures = { "2135": 69, "2062": 24.4, "4090": 2, "2240": 1.1, "3999": 0.8 };
  for (const [nature, percent] of Object.entries(natures)) {
    near(
      share(companies, (row) => row[2] === nature),
      percent,
      `nature ${nature}`,
    );
  }
  const capital = companies
    .map((row) => Number((row[4] as string).replaceAll(".", "").replace(",", ".")))
    .sort((a, b) => a - b);
  const quantile = (q: number): number => capital[Math.floor(capital.length * q)] as number;
  near(
    share(companies, (row) => row[4] === "0,00"),
    20,
    "no capital",
    3,
  );
  near(quantile(0.5), 2000, "median capital", 500);
  near(quantile(0.75), 10_000, "p75 of capital", 2500);
  near(quantile(0.95), 100_000, "p95 of capital", 30_000);
  near(
    share(companies, (row) => /^\d\d\.\d{3}\.\d{3} /.test(row[1] as string)),
    43,
    "root in name",
  );
  near(
    share(companies, (row) => /\d{11}$/.test(row[1] as string)),
    16,
    "CPF in name",
  );
});

test("distributes Simples and MEI", () => {
  const pairs = { NN: 46.8, SS: 36.8, SN: 16.5 };
  for (const [pair, percent] of Object.entries(pairs)) {
    near(
      share(simples, (row) => `${row[1]}${row[4]}` === pair),
      percent,
      pair,
    );
  }
  near((100 * simples.length) / companies.length, 72.7, "companies with a row");
  const mei = new Set(simples.filter((row) => row[4] === "S").map((row) => row[0]));
  near(
    share(active, (row) => mei.has(row[0])),
    58,
    "MEI among active",
  );
  const nature = new Map(companies.map((row) => [row[0], row[2]]));
  const others = [...mei].filter((id) => !["2135", "0000", undefined].includes(nature.get(id)));
  assert.deepEqual(others, [], "a MEI is a sole trader");
  const plain = zips.find(({ zip }) => zip === "Simples.zip")?.text.split("\n") ?? [];
  assert.ok(plain.filter((line) => line.length === 62).length > plain.length * 0.99);
});

test("distributes lengths of texts and of lines", () => {
  const mean = (list: readonly Row[], column: number): number => {
    const present = list.map((row) => row[column] as string).filter((field) => field !== "");
    return present.reduce((sum, field) => sum + field.length, 0) / present.length;
  };
  near(mean(companies, 1), 34, "legal name", 4);
  near(mean(rows, 4), 19, "trade name", 3);
  near(mean(rows, 14), 16, "street", 3);
  near(mean(rows, 16), 13, "complement", 3);
  near(mean(rows, 17), 12, "district", 2);
  near(mean(rows, 27), 25, "e-mail", 2);
  const bytes = zips
    .filter(({ zip }) => zip.startsWith("Estabelecimentos"))
    .reduce((sum, { text }) => sum + text.length, 0);
  near(bytes / rows.length, 234.5, "line", 12);
});
