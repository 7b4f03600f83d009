/**
 * Proves: an import decodes the texts of every file as Windows-1252 without control characters. It
 * restores lost leading zeros, and stores a repeated activity once. It keeps a Simples flag even if
 * the row's dates contradict it. It counts each case.
 * Does not prove that both scans agree (native-scan.test.ts).
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import type { Rule } from "../../../src/dump/rules.ts";
import { establishment, type MiniRow, MiniWorkspace } from "../../support/dump/mini.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";

const space = new MiniWorkspace();
after(() => space.dispose());

const simples = (root: string, option: readonly string[], mei: readonly string[]): MiniRow => ({
  cnpj_basico: root,
  opcao_pelo_simples: option[0] ?? "",
  data_opcao_pelo_simples: option[1] ?? "",
  data_exclusao_do_simples: option[2] ?? "",
  opcao_pelo_mei: mei[0] ?? "",
  data_opcao_pelo_mei: mei[1] ?? "",
  data_exclusao_do_mei: mei[2] ?? "",
});

/** 01234567/0001-95 as written by a program that treats its columns as numbers. */
const SHORT = { cnpj_basico: "1234567", cnpj_ordem: "1", cnpj_dv: "95" };
const WHOLE = "01234567000195";
const ONE = "11222333000181";

describe("an import", () => {
  it("repairs texts, codes, lists, and flags, and counts the repairs", async () => {
    const ceis = space.path("20260801_CEIS.csv");
    const header =
      ["TIPO DE PESSOA", "CPF OU CNPJ DO SANCIONADO", "DATA IN\xcdCIO SAN\xc7\xc3O"].join(";") +
      ";DATA FINAL SAN\xc7\xc3O;NOME";
    writeFileSync(ceis, Buffer.from(`${header}\nJ;${WHOLE};01/01/2020;;D\x92AVILA\n`, "latin1"));
    const source = space.write({
      empresas: [
        {
          cnpj_basico: "1234567",
          razao_social: "D\x92AVILA \x96 ME",
          porte: "1",
          natureza_juridica: "2135",
        },
      ],
      simples: [
        simples("1234567", ["S", "20100101", "20150101"], ["N", "20100101", "00000000"]),
        simples("11222333", ["S", "20160101", "20150101"], ["N", "20100101", "20150101"]),
      ],
      estabelecimentos: [
        establishment(WHOLE, {
          ...SHORT,
          nome_fantasia: "LOJA \x93DO ZE\x94\x1b[31m",
          bairro: "CENTRO\x81\x7fSUL",
          cnae_fiscal_principal: "111301",
          cnae_fiscal_secundaria: "111301,4721102,0111301,4721102",
          situacao_cadastral: "2",
          municipio: "315",
          uf: "RR",
          data_inicio_atividade: "2020-01-05",
          data_situacao_cadastral: "05/01/2020",
        }),
        establishment(ONE),
        // This row lost its zeros. It is read as WHOLE only if the check digits match.
        establishment(WHOLE, { ...SHORT, cnpj_dv: "94" }),
      ],
      motivos: [{ codigo: "00", descricao: "SEM \x93MOTIVO\x94" }],
    });
    const report = await space.import(source, "repairs.peneira", { ceis });
    const { rows, meta } = decodeSnapshot(space.path("repairs.peneira"));
    const row = rows.find(({ cnpj }) => cnpj === WHOLE);
    assert.ok(row !== undefined, "the row without zeros is kept");
    assert.equal(rows.length, 2);
    assert.equal(row.legal_name, "D’AVILA – ME");
    assert.equal(row.trade_name, "LOJA “DO ZE”");
    assert.equal(row.district, "CENTRO SUL");
    assert.equal(row.cnae_primary, "0111301");
    assert.deepEqual(row.cnae_secondary, ["0111301", "4721102"]);
    assert.equal(row.registration_status, 2);
    assert.equal(row.municipality_ibge, "1400605");
    assert.deepEqual([row.company_size_code, row.sanctioned], ["01", true]);
    assert.deepEqual([row.started_on, row.registration_status_date], [null, null]);
    assert.deepEqual([row.simples_opt_in, row.mei_opt_in], [true, false]);
    assert.deepEqual(meta.lookups.reasons, [["00", "SEM “MOTIVO”"]]);
    const counts: Partial<Record<Rule, number>> = {
      ...{ cnpj_zeros: 1, cnpj_invalid: 1, root_zeros: 2, text_windows: 3, text_control: 2 },
      ...{ code_zeros: 5, cnae_secondary_repeated: 2, date_invalid: 2 },
      ...{ flag_excluded: 1, flag_not_excluded: 1 },
    };
    for (const [rule, count] of Object.entries(counts)) {
      assert.equal(report.rules[rule as Rule]?.count ?? 0, count, rule);
    }
    assert.equal(report.rules.flag_excluded?.examples[0]?.value, "S/20100101/20150101");
    assert.equal(report.rules.text_windows?.examples[0]?.value, undefined, "names are no examples");
  });
});
