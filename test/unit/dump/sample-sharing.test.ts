/**
 * Proves: in a sample, as many companies share an e-mail or a phone as expected if accountants give
 * their own contacts for their clients. Scaled to the whole registry, accounting offices of the
 * largest city have thousands of clients, but no office has all. Owners have a few companies, and a
 * few chains have very many branches. About half of the companies opened since 31 July 2026, and no
 * others, have letters in their CNPJ. Larger cities have more districts.
 * Does not prove: which companies of the registry share contacts (no file was available). The
 * limits are for 60,000 rows of one seed.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Offices } from "../../../src/dump/sample/company.ts";
import { writeSample } from "../../../src/dump/sample/release.ts";
import { buildSampleContext } from "../../../src/dump/sample/steps.ts";
import { readSampleZips, rowsOf } from "../../support/sample/dump.ts";

const COUNT = 60_000;
/** Number of companies in the registry, and the code of São Paulo in the Municipios table. */
const REGISTRY = 68_600_000;
const SAO_PAULO = "7107";
const LETTERS_FROM = "20260731";

type Row = readonly string[];

let root = "";
let rows: readonly Row[];

before(async () => {
  root = await mkdtemp(join(tmpdir(), "sharing-"));
  const folder = join(root, "2026-10");
  await writeSample({ folder, establishments: COUNT, seed: 3, label: "2026-10" });
  rows = rowsOf(await readSampleZips(folder), "Estabelecimentos");
});
after(() => rm(root, { recursive: true, force: true }));

/**
 * Returns the largest number of companies that share a value, and a function that returns the
 * percentage of rows whose value more than `n` companies share.
 */
function sharing(of: (row: Row) => string) {
  const companies = new Map<string, Set<string>>();
  const values: string[] = [];
  for (const row of rows) {
    const value = of(row);
    if (value === "") continue;
    values.push(value);
    const own = companies.get(value) ?? new Set();
    companies.set(value, own.add(row[0] ?? ""));
  }
  const sizeOf = (value: string) => companies.get(value)?.size ?? 0;
  const above = (n: number) =>
    (100 * values.filter((value) => sizeOf(value) > n).length) / values.length;
  const largest = Math.max(...[...companies.values()].map(({ size }) => size));
  return { above, largest };
}

function within(actual: number, [low, high]: readonly [number, number], what: string): void {
  assert.ok(actual >= low && actual <= high, `${what}: ${actual.toFixed(2)}, not ${low}–${high}`);
}

const email = (row: Row) => (/.@.*\../.test(row[27] ?? "") ? String(row[27]).toLowerCase() : "");
const phone = (row: Row) => ((row[22] ?? "").length > 6 ? `${Number(row[21])} ${row[22]}` : "");

describe("shared contacts of a sample", () => {
  it("are shared as widely as those of accountants and owners", () => {
    const emails = sharing(email);
    within(emails.above(1), [18, 30], "% of e-mails of more than one company");
    within(emails.above(10), [5, 15], "% of e-mails of more than ten companies");
    within(emails.largest, [40, 400], "companies of the commonest e-mail");
    const phones = sharing(phone);
    within(phones.above(1), [13, 25], "% of phones of more than one company");
    within(phones.above(10), [4, 12], "% of phones of more than ten companies");
    within(phones.largest, [30, 400], "companies of the commonest phone");
  });

  it("scale to thousands of companies in the whole registry, and to no more", () => {
    const context = buildSampleContext(3, REGISTRY, 20_736);
    const offices = new Offices(context);
    const city = context.cities.list.findIndex(({ tom }) => String(tom) === SAO_PAULO);
    const drawn = 2_000_000;
    const counted = new Map<number, number>();
    for (let company = 0; company < drawn; company++) {
      const office = offices.of(company, city);
      if (office !== 0) counted.set(office, (counted.get(office) ?? 0) + 1);
    }
    let largest = 0;
    for (const count of counted.values()) largest = Math.max(largest, count);
    const share = largest / drawn;
    const clients = share * REGISTRY * (context.cities.shares[city] as number);
    within(clients, [2_000, 9_000], "clients of the largest office");
  });
});

describe("companies of a sample", () => {
  it("include chains with a heavy tail", () => {
    const counted = new Map<string, number>();
    for (const [company = ""] of rows) counted.set(company, (counted.get(company) ?? 0) + 1);
    const share = (n: number) =>
      (100 * [...counted.values()].filter((count) => count >= n).length) / counted.size;
    within(share(2), [1.2, 1.8], "% of companies with two establishments and more");
    within(share(5), [0.15, 0.4], "% with five and more");
    within(share(10), [0.03, 0.13], "% with ten and more");
    assert.ok(Math.max(...counted.values()) >= 40, "the largest chain");
  });

  it("have letters where allowed, in about half of the cases", () => {
    const heads = rows.filter((row) => row[3] === "1" && row[1] === "0001");
    const lettered = heads.filter(([company = ""]) => /[A-Z]/.test(company));
    const late = (row: Row) => (row[10] ?? "") >= LETTERS_FROM;
    // The opening dates of a few rows are malformed, so not all companies with letters have a late
    // one.
    within((100 * lettered.filter(late).length) / lettered.length, [98, 100], "% that may");
    const share = (100 * lettered.length) / heads.filter(late).length;
    within(share, [40, 62], "% of those that may");
    within((100 * lettered.length) / heads.length, [0.4, 1.4], "% of all");
  });

  it("name more districts in larger cities", () => {
    const districts = new Map<string, Set<string>>();
    const counted = new Map<string, number>();
    for (const row of rows) {
      const city = row[20] ?? "";
      districts.set(city, (districts.get(city) ?? new Set()).add(row[17] ?? ""));
      counted.set(city, (counted.get(city) ?? 0) + 1);
    }
    within(districts.get(SAO_PAULO)?.size ?? 0, [150, 600], "districts of São Paulo");
    const [, , third = ["", 0]] = [...counted].sort((a, b) => b[1] - a[1]);
    const few = districts.get(third[0])?.size ?? 0;
    assert.ok(few < (districts.get(SAO_PAULO)?.size ?? 0), `${few} of the third city`);
  });
});
