/**
 * Proves: every quirk of the real registry occurs in a sample exactly as often as the summary
 * announces (or at least, if rows show it by chance too), and that generated CPFs are invalid.
 * Does not prove: what the import does with them (import tests), nor anything about shares.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isValidCnpj } from "@brazilian-utils/brazilian-utils";
import { quirkAt, quirkCounts } from "../../../src/dump/sample/quirks.ts";
import { type SampleSummary, writeSample } from "../../../src/dump/sample/release.ts";
import { readSampleZips, rowsOf, type SampleZip } from "../../support/sample/dump.ts";

const COUNT = 6000;
let root = "";
let summary: SampleSummary;
let zips: SampleZip[];
let establishments: string[][];
let companies: string[][];
let simples: string[][];

before(async () => {
  root = await mkdtemp(join(tmpdir(), "sample-"));
  const folder = join(root, "2026-10");
  summary = await writeSample({ folder, establishments: COUNT, seed: 7, label: "2026-10" });
  zips = await readSampleZips(folder);
  establishments = rowsOf(zips, "Estabelecimentos");
  companies = rowsOf(zips, "Empresas");
  simples = rowsOf(zips, "Simples");
});
after(() => rm(root, { recursive: true, force: true }));

test("writes right check digits except for the quirk", () => {
  const wrong = establishments.filter(
    (row) => !isValidCnpj(row.slice(0, 3).join(""), { version: 2 }),
  );
  assert.equal(wrong.length, summary.quirks.check_digits_wrong);
});

test("generates no CPF with valid check digits", () => {
  const cpfs = companies.flatMap((row) => /(\d[\d.-]{9,13})$/.exec(row[1] as string)?.[1] ?? []);
  assert.ok(cpfs.length > 300);
  for (const cpf of cpfs) {
    const digits = cpf.replace(/\D/g, "");
    assert.equal(digits.length, 11);
    const check = (length: number): number => {
      const sum = [...digits.slice(0, length)].reduce(
        (s, d, i) => s + Number(d) * (length + 1 - i),
        0,
      );
      return ((sum * 10) % 11) % 10;
    };
    assert.ok(check(9) !== Number(digits[9]) || check(10) !== Number(digits[10]), "a valid CPF");
  }
});

const establishmentQuirks: Record<string, (row: readonly string[]) => boolean> = {
  nul_byte: (row) => row[14]?.includes("\0") === true,
  doubled_quotes: (row) => row[4]?.includes('"C"') === true,
  backslash_before_quote: (row) => row[4]?.endsWith("\\") === true,
  newline_in_field: (row) => row[4]?.includes("\n") === true,
  date_invalid: (row) => row[10] === "2021221",
  date_far_future: (row) => row[10] === "20991231",
  date_before_1800: (row) => row[10] === "17500101",
  date_one_day_late: (row) => row[10] === "20261011",
  branch_alphanumeric: (row) => /[A-Z]/.test(row[1] ?? ""),
  flag_disagrees: (row) => (row[1]?.endsWith("001") === true) !== (row[3] === "1"),
  country_unknown: (row) => row[9] === "008",
  reason_unknown: (row) => row[7] === "32",
  cnae_97_secondary: (row) => row[12]?.split(",").length === 97,
  area_leading_zeros: (row) => /^00?[1-9]/.test(row[21] ?? ""),
  phone_5_digits: (row) => row[22]?.length === 5,
  postal_code_7_digits: (row) => row[18]?.length === 7 && !row[18].includes("-"),
  accents: (row) => row[14]?.includes("\u00c3") === true,
  only_spaces: (row) => row[16] === "   ",
};

test("places unmistakable quirks of Estabelecimentos exactly as announced", () => {
  for (const [quirk, shows] of Object.entries(establishmentQuirks)) {
    const seen = establishments.filter(shows).length;
    assert.equal(seen, summary.quirks[quirk], quirk);
    assert.ok(seen > 0, quirk);
  }
  const twice = COUNT + (summary.quirks.row_twice ?? 0) + (summary.quirks.cnpj_twice ?? 0);
  assert.equal(establishments.length, twice);
  const blank = zips.reduce((sum, { text }) => sum + text.split('"\n\n').length - 1, 0);
  assert.equal(blank, summary.quirks.blank_line_after);
});

test("places quirks that also occur by chance at least as announced", () => {
  const common: Record<string, (row: readonly string[]) => boolean> = {
    semicolon_in_field: (row) => row[16]?.includes(";") === true,
    status_date_zero: (row) => row[6] === "0",
    municipality_newest: (row) => row[20] === "1182" && row[19] === "MT",
    municipality_foreign: (row) => row[20] === "9707" && row[19] === "EX",
    cnae_discontinued: (row) =>
      row[11] === "4713001" ||
      row[11] === "5611202" ||
      /^(1610201|4541205|4721101|4751200|5812300|6201500|8020000|9412000|9609203)$/.test(
        row[11] ?? "",
      ),
    cnae_not_informed: (row) => row[11] === "8888888",
    area_zero: (row) => row[21] === "0" && row[22] !== "0",
    phone_zero: (row) => row[22] === "0",
    phone_7_digits: (row) => row[22]?.length === 7,
    email_junk: (row) =>
      /^(000|\.|NAO TEM|www\.semsite|a@ b|NAO@TEM|X@Y\.\.COM)$/.test(row[27] ?? ""),
    postal_code_blank: (row) => row[18] === "",
    postal_code_junk: (row) => /^( *0|1234-56)$/.test(row[18] ?? ""),
    spaces: (row) => /^ .* {2}.* $| $/.test(row[16] ?? ""),
    special_status: (row) => row[28] !== "" && row[29] !== "",
  };
  for (const [quirk, shows] of Object.entries(common)) {
    const announced = summary.quirks[quirk] as number;
    assert.ok(announced > 0 && establishments.filter(shows).length >= announced, quirk);
  }
});

test("places quirks of companies and of Simples as announced", () => {
  const count = (shows: (row: readonly string[]) => boolean): number =>
    companies.filter((row) => shows(row)).length;
  const { quirks } = summary;
  const phantoms = count((row) => row[1] === "" && row[2] === "0000" && row[5] === "00");
  assert.equal(phantoms, (quirks.phantom_before ?? 0) + (quirks.phantom_after ?? 0));
  const lettered = count((row) => /[A-Z]/.test(row[0] ?? ""));
  assert.ok(lettered >= (quirks.root_alphanumeric ?? 0), "companies with letters");
  assert.equal(
    count((row) => row[5] === ""),
    quirks.size_empty,
  );
  assert.equal(count((row) => row[2] === "0000") - phantoms, quirks.nature_not_informed);
  assert.equal(
    count((row) => row[4] === "1.234,56"),
    quirks.capital_thousands_dots,
  );
  assert.equal(
    count((row) => row[4] === "999999999999,00"),
    quirks.capital_sentinel,
  );
  assert.equal(
    count((row) => row[4] === "120000000000,00"),
    quirks.capital_bank,
  );
  assert.equal(
    count((row) => row[3] === "36"),
    quirks.qualification_unknown,
  );
  assert.equal(
    count((row) => row[6] === " "),
    quirks.entity_single_space,
  );
  assert.equal(count((row) => row[1] === "") - phantoms, quirks.name_empty);
  assert.equal(
    count((row) => row[1]?.includes('"') === true),
    quirks.name_quotes,
  );
  assert.equal(
    count((row) => row[1]?.endsWith("\\") === true),
    quirks.name_backslash,
  );
  assert.equal(
    count((row) => /\d{3}\.\d{3}\.\d{3}-\d\d$/.test(row[1] ?? "")),
    quirks.cpf_formatted,
  );
  const twice = companies.length - new Set(companies.map((row) => row[0])).size;
  assert.equal(twice - phantoms, quirks.company_twice);
  assert.equal(simples.filter((row) => row[1] === " ").length, quirks.flags_blank);
  assert.equal(simples.filter((row) => row[5] === "").length, quirks.mei_date_empty);
  assert.ok(
    Object.values(quirks).every((announced) => announced > 0),
    "each occurs",
  );
});

test("announces quirks as placed, for samples of any size", () => {
  for (const [rows, quirks] of [
    [1, 3],
    [10, 36],
    [2000, 36],
    [17_999, 16],
    [100_000, 36],
  ] as const) {
    const seen = new Array<number>(quirks).fill(0);
    for (let row = 0; row < rows; row++) {
      const quirk = quirkAt(row, rows, quirks);
      if (quirk >= 0) seen[quirk] = (seen[quirk] as number) + 1;
    }
    assert.deepEqual(quirkCounts(rows, quirks), seen);
    if (rows >= 2000) assert.ok(Math.min(...seen) > 0);
  }
});
