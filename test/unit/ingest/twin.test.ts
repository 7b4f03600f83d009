/**
 * Proves: sample dumps of several seeds become exactly the accounts that a second, string-level
 * reader computes from the same zips: every field of every row, in rank order. If the reference
 * table is available, the same holds for the municipality of every TOM code.
 * Does not prove the scores (the product's own function computes them from expected facts), nor
 * values that no sample has (unit/ingest/quirks.test.ts).
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { getMunicipalities } from "@brazilian-utils/brazilian-utils";
import exceptions from "../../../data/municipality-exceptions.json" with { type: "json" };
import { writeSample } from "../../../src/dump/sample/release.ts";
import { Municipalities } from "../../../src/ingest/places/municipalities.ts";
import { scoreCard } from "../../../src/search/score.ts";
import { MiniWorkspace } from "../../support/dump/mini.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { ROOT } from "../../support/house/checkout.ts";
import { readSampleZips, rowsOf } from "../../support/sample/dump.ts";

const space = new MiniWorkspace();
after(() => space.dispose());

type Account = Record<string, unknown>;

/** IBGE codes of the reviewed exceptions, by state and TOM code. */
const reviewed = new Map(
  Object.entries(exceptions.municipalities).map(([tom, { uf, ibge }]) => [`${uf} ${tom}`, ibge]),
);

/** Decodes ISO-8859-1 text without NULs and with single blanks. Returns null for empty text. */
function text(cell: string | undefined): string | null {
  const clean = (cell ?? "")
    .replaceAll("\0", "")
    .replace(/[\t-\r \u00a0]+/g, " ")
    .trim();
  return clean === "" ? null : clean;
}

function date(cell: string | undefined, latest: string): string | null {
  const match = /^(\d{4})(\d\d)(\d\d)$/.exec((cell ?? "").replaceAll("\0", "").trim());
  if (match === null) return null;
  const iso = `${match[1]}-${match[2]}-${match[3]}`;
  const real = new Date(`${iso}T00:00:00Z`);
  if (Number.isNaN(real.getTime()) || real.toISOString().slice(0, 10) !== iso) return null;
  return iso < "1800-01-01" || iso > latest ? null : iso;
}

function phone(area: string | undefined, number: string | undefined): string | null {
  const digits = (text(number) ?? "").replace(/^0+/, "");
  const ddd = (text(area) ?? "").replace(/^0+/, "");
  if (!/^\d{7,9}$/.test(digits) || !/^[1-9]\d$/.test(ddd) || Number(ddd) < 11) return null;
  return `+55${ddd}${/^[6-9]\d{7}$/.test(digits) ? "9" : ""}${digits}`;
}

function email(cell: string | undefined): string | null {
  const clean = (cell ?? "").replaceAll("\0", "").trim().toLowerCase();
  return /^[^\s@"(),:;<>[\\\]]{1,64}@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/.test(clean)
    ? clean
    : null;
}

function postalCode(cell: string | undefined): string | null {
  const clean = text(cell) ?? "";
  return /^\d{7,8}$/.test(clean) && Number(clean) > 0 ? clean.padStart(8, "0") : null;
}

/**
 * Returns a trade name without the CPF at its end. The check digits are computed on strings,
 * independently of the product.
 */
function tradeName(cell: string | undefined): string | null {
  const name = text(cell);
  const match = /[ ,:-]*(?<![\d./-])(\d{3})\.?(\d{3})\.?(\d{3})-?(\d\d)$/.exec(name ?? "");
  if (name === null || match === null) return name;
  const digits = match.slice(1).join("");
  const isRight = [9, 10].every((count) => {
    const sum = [...digits.slice(0, count)].reduce((s, d, i) => s + Number(d) * (count + 1 - i), 0);
    return ((sum * 10) % 11) % 10 === Number(digits[count]);
  });
  return isRight && !/^(\d)\1*$/.test(digits) ? text(name.slice(0, match.index)) : name;
}

function code(cell: string | undefined, width: number): string | null {
  const clean = text(cell) ?? "";
  return /^\d+$/.test(clean) && clean.length <= width ? clean.padStart(width, "0") : null;
}

function fold(name: string): string {
  const plain = name.normalize("NFD").replace(/\p{M}/gu, "").toUpperCase();
  return plain.replace(/[^A-Z0-9]+/g, " ").trim();
}

async function expectedAccounts(folder: string, snapshotDate: string) {
  const zips = await readSampleZips(folder);
  const companies = new Map<string, string[]>();
  for (const row of rowsOf(zips, "Empresas")) {
    const root = row[0] as string;
    const held = companies.get(root);
    if (held === undefined || (text(held[1]) === null && text(row[1]) !== null)) {
      companies.set(root, row);
    }
  }
  const simples = new Map<string, string[]>();
  for (const row of rowsOf(zips, "Simples")) {
    if (!simples.has(row[0] as string)) simples.set(row[0] as string, row);
  }
  const towns = new Map(rowsOf(zips, "Municipios").map((row) => [row[0] as string, row[1]]));
  const ibge = new Map(getMunicipalities().map((m) => [`${m.stateCode} ${fold(m.name)}`, m.code]));
  const latest = new Date(Date.parse(snapshotDate) + 7 * 86_400_000).toISOString().slice(0, 10);
  const accounts = new Map<string, Account>();
  for (const row of rowsOf(zips, "Estabelecimentos")) {
    const cnpj = row.slice(0, 3).join("").replaceAll("\0", "");
    if (accounts.has(cnpj)) continue;
    const company = companies.get(cnpj.slice(0, 8));
    const optIn = simples.get(cnpj.slice(0, 8));
    const tom = code(row[20], 4);
    const uf = text(row[19]);
    accounts.set(cnpj, {
      ...companyFields(company, optIn),
      cnpj,
      trade_name: tradeName(row[4]),
      headquarters: row[3] === "1",
      registration_status: Number(row[5]),
      registration_status_date: date(row[6], latest),
      registration_status_reason: code(row[7], 2),
      foreign_city: text(row[8]),
      country_code: code(row[9], 3),
      started_on: date(row[10], latest),
      cnae_primary: code(row[11], 7),
      cnae_secondary: (row[12] as string).split(",").filter((item) => /^\d{7}$/.test(item)),
      street: text(`${row[13]} ${row[14]}`),
      street_number: text(row[15]),
      address_complement: text(row[16]),
      district: text(row[17]),
      postal_code: postalCode(row[18]),
      uf,
      municipality_tom: tom,
      municipality_ibge:
        reviewed.get(`${uf} ${tom}`) ??
        ibge.get(`${uf} ${fold(towns.get(tom ?? "") ?? "")}`) ??
        null,
      phone_1: phone(row[21], row[22]),
      phone_2: phone(row[23], row[24]),
      email: email(row[27]),
    });
  }
  return accounts;
}

function companyFields(company: string[] | undefined, optIn: string[] | undefined): Account {
  const nature = code(company?.[2], 4);
  let name = text(company?.[1]);
  if (nature === "2135" && name !== null) {
    name = text(name.replace(/[ ,:-]*(?<![\d./-])\d{3}\.?\d{3}\.?\d{3}-?\d{2}$/, ""));
  }
  const capital = company === undefined ? null : company[4]?.replaceAll(".", "").replace(",", ".");
  return {
    legal_name: name,
    legal_nature: nature,
    company_size_code: code(company?.[5], 2) ?? "00",
    share_capital: capital === null ? null : Number(capital),
    simples_opt_in: optIn?.[1] === "S",
    mei_opt_in: optIn?.[4] === "S",
  };
}

/** Returns the score of an expected account, computed from its own fields. */
function scoreOf(account: Account, snapshotDate: string): number {
  const started = account.started_on as string | null;
  const days =
    started === null ? -1 : (Date.parse(snapshotDate) - Date.parse(started)) / 86_400_000;
  const capital = account.share_capital as number | null;
  return scoreCard("balanced", {
    status: account.registration_status as number,
    size: Number(account.company_size_code),
    mei: account.mei_opt_in as boolean,
    headquarters: account.headquarters as boolean,
    hasEmail: account.email !== null,
    phones: [account.phone_1, account.phone_2].filter((number) => number !== null).length,
    activityKnown: account.cnae_primary !== null && account.cnae_primary !== "8888888",
    ageDays: days,
    capitalCents: capital === null ? -1 : Math.round(capital * 100),
    sanctioned: false,
  }).score;
}

describe("an imported sample", () => {
  for (const seed of [1, 2, 3]) {
    it(`of seed ${seed} equals a second reader's result, in rank order`, async () => {
      const folder = join(space.folder, `dump-${seed}-2026-08`);
      await writeSample({ folder, establishments: 4000, seed, label: "2026-08" });
      await space.import(folder, "twin.peneira");
      const { rows, meta } = decodeSnapshot(space.path("twin.peneira"));
      const expected = await expectedAccounts(folder, meta.snapshot_date);
      assert.equal(rows.length, expected.size);
      const order = [...expected.values()]
        .map((account) => ({ ...account, score: scoreOf(account, meta.snapshot_date) }) as Account)
        .sort(
          (a, b) => Number(b.score) - Number(a.score) || (String(a.cnpj) < String(b.cnpj) ? -1 : 1),
        );
      rows.forEach((row, i) => {
        const wanted = order[i] as Account;
        const found = Object.fromEntries(
          Object.keys(wanted).map((name) => [name, (row as Account)[name]]),
        );
        assert.deepEqual(found, wanted, `row ${i}`);
      });
    });
  }
});

describe("TOM codes", () => {
  const reference = join(ROOT, "../shared/reference/municipios_ibge_siafi.csv");
  const table = join(ROOT, "../shared/reference/rfb_MUNICCSV.csv");
  const skip = existsSync(reference) && existsSync(table) ? false : "skipped: no reference data";

  it("resolve to the IBGE code of the reference for all 5,571 municipalities", { skip }, () => {
    const names = new Map<string, string>();
    for (const line of readFileSync(table, "latin1").split("\n")) {
      const match = /^"(\d+)";"(.*)"/.exec(line);
      if (match !== null) names.set(match[1] as string, match[2] as string);
    }
    const states = new Map(getMunicipalities().map((place) => [place.code, place.stateCode]));
    const municipalities = new Municipalities(names);
    const toms = [...names.keys()].sort();
    const described = new Map(
      municipalities.describe(toms, new Uint32Array(0), new Map()).map((row) => [row[0], row]),
    );
    let checked = 0;
    for (const line of readFileSync(reference, "utf8").split(/\r?\n/).slice(1)) {
      const cells = line.split(",");
      if (cells.length < 7) continue;
      const [ibge, tom] = [cells[0] as string, (cells[6] as string).padStart(4, "0")];
      assert.equal(municipalities.ibgeOf(states.get(ibge) as string, tom), ibge, line);
      assert.equal(described.get(tom)?.[2], ibge, line);
      checked++;
    }
    assert.equal(checked, 5571);
  });
});
