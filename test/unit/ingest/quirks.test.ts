/**
 * Proves: every known irregularity of the dump becomes the documented value, and is counted under
 * its rule. The irregularities are in names, duplicates, orphans, dates, phones, e-mails, postal
 * codes, municipalities, activities, capital, CPFs, sanctions, and populations.
 * Does not prove: the splitting of bytes into records (unit/dump/records.test.ts) nor every
 * spelling (unit/dump/values.test.ts).
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { openSnapshot } from "../../../native-index/format/snapshot/snapshot.ts";
import type { ImportReport } from "../../../src/ingest/report.ts";
import {
  establishment,
  type MiniRow,
  type MiniRows,
  MiniWorkspace,
} from "../../support/dump/mini.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import type { TwinRow } from "../../support/twin.ts";

const space = new MiniWorkspace();
after(() => space.dispose());

/** Imports the rows, and returns the resulting accounts by CNPJ. */
async function imported(rows: MiniRows, changes: Record<string, unknown> = {}) {
  const report = await space.import(space.write(rows), "quirks.peneira", changes);
  const { rows: accounts, meta } = decodeSnapshot(space.path("quirks.peneira"));
  const byCnpj = new Map(accounts.map((row) => [row.cnpj as string, row]));
  return { report, meta, accounts, of: (cnpj: string) => byCnpj.get(cnpj) as TwinRow };
}

function countOf(report: ImportReport, rule: keyof ImportReport["rules"]): number {
  return report.rules[rule]?.count ?? 0;
}

const ONE = "11222333000181";
const TWO = "00000000000191";

async function oneWith(changes: Record<string, string>) {
  const result = await imported({ estabelecimentos: [establishment(ONE, changes)] });
  return { ...result, row: result.of(ONE) };
}

describe("values of an establishment", () => {
  it("joins street type and street and squeezes white space", async () => {
    const { row } = await oneWith({
      tipo_logradouro: "RUA ",
      logradouro: "  DAS   FLORES;LOTE 2 ",
      nome_fantasia: 'P\u00c3O "BOM"',
      complemento: "\u00a0 \t",
    });
    assert.equal(row.street, "RUA DAS FLORES;LOTE 2");
    assert.equal(row.trade_name, 'P\u00c3O "BOM"');
    assert.equal(row.address_complement, null);
  });

  it("accepts dates up to seven days late and drops impossible, early, and late ones", async () => {
    const retained = await oneWith({ data_inicio_atividade: "20260815" });
    assert.equal(retained.row.started_on, "2026-08-15");
    for (const [text, rule] of [
      ["20260816", "date_late"],
      ["2021221", "date_invalid"],
      ["17991231", "date_early"],
    ] as const) {
      const { row, report } = await oneWith({ data_inicio_atividade: text });
      assert.equal(row.started_on, null, text);
      assert.equal(countOf(report, rule), 1, text);
    }
    const none = await oneWith({ data_situacao_cadastral: "0" });
    assert.equal(none.row.registration_status_date, null);
    assert.equal(countOf(none.report, "date_invalid"), 0);
  });

  it("restores the lost nine of mobiles, and drops phones without a valid area code", async () => {
    const good = await oneWith({
      ddd_1: "011",
      telefone_1: "87654321",
      ddd_2: "21",
      telefone_2: "0",
    });
    assert.equal(good.row.phone_1, "+5511987654321");
    assert.equal(good.row.phone_2, null);
    const bad = await oneWith({
      ddd_1: "0",
      telefone_1: "33334444",
      ddd_2: "11",
      telefone_2: "123",
    });
    assert.equal(bad.row.phone_1, null);
    assert.equal(countOf(bad.report, "phone_area"), 1);
    assert.equal(countOf(bad.report, "phone_number"), 1);
  });

  it("lowercases e-mails, drops junk, and shows no example of it", async () => {
    const good = await oneWith({ correio_eletronico: " Ana@Exemplo.COM.BR " });
    assert.equal(good.row.email, "ana@exemplo.com.br");
    const bad = await oneWith({ correio_eletronico: "NAO TEM" });
    assert.equal(bad.row.email, null);
    assert.equal(countOf(bad.report, "email_invalid"), 1);
    assert.ok(!JSON.stringify(bad.report).includes("NAO TEM"));
  });

  it("pads postal codes of seven digits and drops junk", async () => {
    assert.equal((await oneWith({ cep: "1310100" })).row.postal_code, "01310100");
    assert.equal((await oneWith({ cep: "00000000" })).row.postal_code, null);
    const { row, report } = await oneWith({ cep: "123" });
    assert.equal(row.postal_code, null);
    assert.equal(countOf(report, "postal_code_invalid"), 1);
  });

  it("keeps activities that are not informed or unknown, and secondary ones in order", async () => {
    const { row, report } = await oneWith({
      cnae_fiscal_principal: "8888888",
      cnae_fiscal_secundaria: "4721102,1234567,x,0111301",
    });
    assert.equal(row.cnae_primary, "8888888");
    assert.deepEqual(row.cnae_secondary, ["4721102", "1234567", "0111301"]);
    assert.equal(countOf(report, "cnae_secondary_invalid"), 1);
    assert.equal(countOf(report, "cnae_unknown"), 2);
  });

  it("uses the flag for the head office, not the branch number", async () => {
    const branch = "11222333000262";
    const { of } = await imported({
      estabelecimentos: [
        establishment(ONE, { identificador_matriz_filial: "2" }),
        establishment(branch, { identificador_matriz_filial: "1" }),
      ],
    });
    assert.equal(of(ONE).headquarters, false);
    assert.equal(of(branch).headquarters, true);
  });

  it("keeps letters and wrong check digits in a CNPJ, and skips invalid ones", async () => {
    const { report, accounts, of } = await imported({
      estabelecimentos: [
        establishment("12ABC34501DE35"),
        establishment("11222333000199"),
        establishment("1122233X000!81"),
      ],
    });
    assert.equal(of("12ABC34501DE35").cnpj_root, "12ABC345");
    assert.equal(countOf(report, "cnpj_check_digits"), 1);
    assert.equal(countOf(report, "cnpj_invalid"), 1);
    assert.equal(accounts.length, 2);
  });
});

describe("municipalities", () => {
  it("resolve by state and name, by the exceptions, and not against the state", async () => {
    const place = (uf: string, municipio: string) => ({ uf, municipio });
    const { of, report } = await imported({
      estabelecimentos: [
        establishment("00000000000191", place("SP", "7107")),
        establishment("00000000000272", place("RR", "0315")),
        establishment("00000000000353", place("MT", "1182")),
        establishment("00000000000434", place("EX", "9707")),
        establishment("00000000000515", place("RJ", "7107")),
        establishment("00000000000604", place("SP", "4242")),
      ],
    });
    const ibge = (cnpj: string) => of(cnpj).municipality_ibge;
    assert.equal(ibge("00000000000191"), "3550308");
    assert.equal(ibge("00000000000272"), "1400605");
    assert.equal(ibge("00000000000353"), "5101837");
    assert.equal(ibge("00000000000434"), null);
    assert.equal(ibge("00000000000515"), null);
    assert.equal(ibge("00000000000604"), null);
    assert.equal(of("00000000000604").municipality_tom, "4242");
    assert.equal(of("00000000000434").uf, "EX");
    assert.equal(countOf(report, "municipality_unknown"), 2);
  });
});

describe("companies", () => {
  const company = (root: string, changes: Record<string, string> = {}): MiniRow => ({
    cnpj_basico: root,
    razao_social: "PADARIA BOA LTDA",
    natureza_juridica: "2062",
    capital_social: "1.234,56",
    porte: "03",
    ...changes,
  });

  it("give their establishments name, nature, capital, and size", async () => {
    const { of, report } = await imported({
      empresas: [company("11222333")],
      estabelecimentos: [establishment(ONE), establishment(TWO)],
    });
    assert.equal(of(ONE).legal_name, "PADARIA BOA LTDA");
    assert.equal(of(ONE).share_capital, 1234.56);
    assert.equal(of(ONE).company_size_code, "03");
    assert.equal(of(ONE).legal_nature, "2062");
    assert.equal(of(TWO).legal_name, null);
    assert.equal(of(TWO).company_size_code, "00");
    assert.equal(countOf(report, "company_missing"), 1);
    assert.equal(countOf(report, "nature_unknown"), 1);
  });

  it("keep the row with a name if duplicated, in any order", async () => {
    const phantom = company("11222333", { razao_social: "", natureza_juridica: "0000" });
    const second = company("11222333", { razao_social: "OUTRA" });
    const named = company("11222333");
    for (const order of [
      [phantom, named, second],
      [named, phantom, second],
    ]) {
      const { of, report } = await imported({
        empresas: order,
        estabelecimentos: [establishment(ONE)],
      });
      assert.equal(of(ONE).legal_name, "PADARIA BOA LTDA");
      assert.equal(countOf(report, "company_duplicate"), 2);
    }
  });

  it("of sole traders lose the CPF but not the root", async () => {
    const rows = {
      empresas: [
        company("11222333", { razao_social: "ANA SILVA 12345678901", natureza_juridica: "2135" }),
        company("00000000", { razao_social: "41.273.592 ANA SILVA", natureza_juridica: "2135" }),
      ],
      estabelecimentos: [establishment(ONE), establishment(TWO)],
    };
    const { of, report } = await imported(rows);
    assert.equal(of(ONE).legal_name, "ANA SILVA");
    assert.equal(of(TWO).legal_name, "41.273.592 ANA SILVA");
    assert.equal(countOf(report, "cpf_removed"), 1);
    assert.ok(!space.bytes("quirks.peneira").includes("12345678901"));
    const retained = await imported(rows, { keepCpf: true });
    assert.equal(retained.of(ONE).legal_name, "ANA SILVA 12345678901");
  });

  it("and trade names that are or end in a CPF lose it, for any nature", async () => {
    const rows = {
      empresas: [company("11222333")],
      estabelecimentos: [
        establishment(ONE, { nome_fantasia: "BAR DO ZE 123.456.789-09" }),
        establishment(TWO, { nome_fantasia: "12345678909" }),
        establishment("00000000000272", { nome_fantasia: "PIZZARIA 11987654321" }),
      ],
    };
    const { of, report } = await imported(rows);
    assert.equal(of(ONE).trade_name, "BAR DO ZE");
    assert.equal(of(TWO).trade_name, null);
    assert.equal(of("00000000000272").trade_name, "PIZZARIA 11987654321");
    assert.equal(countOf(report, "trade_name_cpf_removed"), 2);
    assert.ok(!space.bytes("quirks.peneira").includes("12345678909"));
    assert.ok(!JSON.stringify(report).includes("12345678909"));
    const retained = await imported(rows, { keepCpf: true });
    assert.equal(retained.of(TWO).trade_name, "12345678909");
  });

  it("without a row of their own have the flags of Simples", async () => {
    const simples = (root: string): MiniRow => ({
      cnpj_basico: root,
      opcao_pelo_simples: "S",
      opcao_pelo_mei: "S",
    });
    const { of, report } = await imported({
      empresas: [company("99999999")],
      simples: [simples("11222333"), simples("99999999"), simples("88888888")],
      estabelecimentos: [establishment(ONE), establishment(TWO)],
    });
    assert.deepEqual([of(ONE).simples_opt_in, of(ONE).mei_opt_in], [true, true]);
    assert.deepEqual([of(ONE).legal_name, of(ONE).legal_nature], [null, null]);
    assert.deepEqual([of(ONE).company_size_code, of(ONE).share_capital], ["00", null]);
    assert.deepEqual([of(TWO).simples_opt_in, of(TWO).mei_opt_in], [false, false]);
    assert.equal(countOf(report, "company_missing"), 2);
    // A Simples row counts as an orphan if its company has no establishment, even if the company
    // has a row.
    assert.equal(countOf(report, "simples_orphan"), 2);
    assert.deepEqual(
      report.rules.simples_orphan?.examples.map(({ value }) => value),
      ["99999999", "88888888"],
    );
    assert.equal(report.companies, 1);
  });

  it("are in Simples or MEI only by S; orphans and duplicates are counted only", async () => {
    const simples = (root: string, s: string, m: string): MiniRow => ({
      cnpj_basico: root,
      opcao_pelo_simples: s,
      opcao_pelo_mei: m,
    });
    const { of, report } = await imported({
      empresas: [company("11222333"), company("00000000")],
      simples: [
        simples("11222333", "S", "N"),
        simples("11222333", "N", "S"),
        simples("99999999", "S", "S"),
        simples("00000000", "", "X"),
      ],
      estabelecimentos: [establishment(ONE), establishment(TWO)],
    });
    assert.deepEqual([of(ONE).simples_opt_in, of(ONE).mei_opt_in], [true, false]);
    assert.deepEqual([of(TWO).simples_opt_in, of(TWO).mei_opt_in], [false, false]);
    assert.equal(countOf(report, "simples_duplicate"), 1);
    assert.equal(countOf(report, "simples_orphan"), 1);
    assert.equal(countOf(report, "flag_invalid"), 1);
  });
});

describe("a duplicate CNPJ", () => {
  it("keeps its first row", async () => {
    const { of, report, accounts } = await imported({
      estabelecimentos: [
        establishment(ONE, { nome_fantasia: "PRIMEIRA" }),
        establishment(ONE, { nome_fantasia: "SEGUNDA" }),
      ],
    });
    assert.equal(accounts.length, 1);
    assert.equal(of(ONE).trade_name, "PRIMEIRA");
    assert.equal(countOf(report, "cnpj_duplicate"), 1);
  });
});

describe("tables of a release", () => {
  it("have multi-line names joined to single lines, with a warning", async () => {
    const cnaes = [
      { codigo: "4721102", descricao: "Padaria\u0000\u001b2J\r\ne  confeitaria\u0081" },
      { codigo: "4721103", descricao: `${"É ".repeat(700)}x` },
      { codigo: "4721104", descricao: "Doces  e <balas>" },
      { codigo: "8888888", descricao: "" },
    ];
    const paises = [{ codigo: "105", descricao: "BRASIL\u007f" }];
    const rows = { estabelecimentos: [establishment(ONE)], cnaes, paises };
    const { of, meta, report } = await imported(rows);
    assert.equal(of(ONE).cnae_primary_description, "Padaria 2J e confeitaria");
    const names = new Map(meta.lookups.cnaes);
    assert.equal(names.get("4721103")?.length, 1_000);
    assert.match(names.get("4721103") ?? "", /^(É )+É…$/);
    assert.deepEqual([names.get("4721104"), names.get("8888888")], ["Doces  e <balas>", ""]);
    assert.deepEqual(meta.lookups.countries, [["105", "BRASIL"]]);
    assert.deepEqual(
      report.warnings.filter((text) => text.includes("no line of text")),
      [
        "the cnae table has 2 names that are no line of text; made one",
        "the country table has 1 name that is no line of text; made one",
      ],
    );
    assert.equal((await openSnapshot(space.path("quirks.peneira"))).rowCount, 1);
  });
});

describe("optional files", () => {
  it("turn not_available into their dates, populations, and sanctions", async () => {
    const population = space.path("populacao.csv");
    writeFileSync(population, "\ufeffcode_muni;2024\r\n3550308;11895578\r\n");
    const ceis = space.path("20260801_CEIS.csv");
    const header = [
      "CADASTRO",
      "TIPO DE PESSOA",
      "CPF OU CNPJ DO SANCIONADO",
      "DATA INÍCIO SANÇÃO",
      "DATA FINAL SANÇÃO",
    ]
      .map((cell) => `"${cell}"`)
      .join(";");
    const lines = [
      `"CEIS";"J";"${ONE}";"01/01/2020";""`,
      `"CEIS";"J";"${TWO}";"01/01/2020";"07/08/2026"`,
      '"CEIS";"F";"12345678901";"01/01/2020";""',
    ];
    writeFileSync(ceis, Buffer.from(`${header}\r\n${lines.join("\r\n")}\r\n`, "latin1"));
    const rows = { estabelecimentos: [establishment(ONE), establishment(TWO)] };
    const { of, meta } = await imported(rows, { population, ceis });
    assert.equal(meta.provenance.ibge_population_year, "2024");
    assert.equal(meta.provenance.ceis_as_of_date, "2026-08-01");
    assert.equal(of(ONE).municipality_population, 11_895_578);
    assert.deepEqual([of(ONE).sanctioned, of(TWO).sanctioned], [true, false]);
    assert.ok((of(ONE).score as number) < (of(TWO).score as number));
    const without = await imported(rows);
    assert.equal(without.meta.provenance.ibge_population_year, "not_available");
    assert.equal(without.meta.provenance.ceis_as_of_date, "not_available");
    assert.equal(without.of(ONE).sanctioned, null);
  });
});
