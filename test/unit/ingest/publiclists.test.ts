/**
 * Proves: the lists of CNEP and CEPIM and the debts of PGFN are imported by CNPJ. Only entries in
 * force with a whole CNPJ count. Amounts are exact, and only main debtors count. The provenance has
 * the dates of the lists, null for a list that was not given. A wrong, mixed, or incomplete list is
 * refused with the file and the reason. Nothing of a person is in the file. Does not prove: that
 * the published files have these layouts; they were read in public sources.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { CommandError } from "../../../src/errors.ts";
import { centsOf } from "../../../src/ingest/debts.ts";
import { establishment, MiniWorkspace } from "../../support/dump/mini.ts";
import { type DebtRows, writeDebts, writeSanctions } from "../../support/dump/publiclists.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";

const space = new MiniWorkspace();
after(() => space.dispose());

const ONE = "11222333000181";
const TWO = "00000000000191";
const THREE = "12ABC34501DE35";
const mask = (cnpj: string) =>
  cnpj.replace(/^(..)(...)(...)(....)(..)$/, (_, ...parts) => {
    const [a, b, c, d, e] = parts as string[];
    return `${a}.${b}.${c}/${d}-${e}`;
  });

let count = 0;
const folderOf = () => {
  const folder = space.path(`lists-${++count}`);
  mkdirSync(folder);
  return folder;
};

async function imported(changes: Record<string, unknown>) {
  const accounts = [ONE, TWO, THREE].map((cnpj) => establishment(cnpj));
  const source = space.write({ estabelecimentos: accounts });
  const report = await space.import(source, "lists.peneira", changes);
  const { rows, meta } = decodeSnapshot(space.path("lists.peneira"));
  const of = (field: string) =>
    [ONE, TWO, THREE].map((cnpj) => {
      const row = rows.find((one) => one.cnpj === cnpj) as unknown as Record<string, unknown>;
      return row[field];
    });
  return { report, meta, of };
}

describe("the lists of CNEP and CEPIM", () => {
  it("mark the companies in force on the snapshot's date", async () => {
    const folder = folderOf();
    const cnep = writeSanctions(folder, "cnep", [
      { document: ONE },
      { document: TWO, end: "07/08/2026" },
      { document: "12345678901", type: "F" },
    ]);
    const cepim = writeSanctions(folder, "cepim", [{ document: THREE }, { document: "191" }]);
    const { meta, of, report } = await imported({ cnep, cepim });
    assert.deepEqual(of("in_cnep"), [true, false, false]);
    assert.deepEqual(of("in_cepim"), [false, true, true], "lost zeros are added");
    assert.deepEqual(of("sanctioned"), [null, null, null]);
    assert.equal(meta.provenance.cnep_as_of_date, "2026-08-01");
    assert.equal(meta.provenance.cepim_as_of_date, "2026-08-01");
    assert.equal(meta.provenance.pgfn_as_of_month, "not_available");
    assert.deepEqual(report.provenance, meta.provenance);
  });

  it("are null if they were not given", async () => {
    const { of } = await imported({});
    for (const field of ["in_cnep", "in_cepim", "federal_debt", "federal_debt_total"]) {
      assert.deepEqual(of(field), [null, null, null], field);
    }
  });

  it("are refused without rows, as after a cut download, and as folders", async () => {
    for (const list of ["ceis", "cnep", "cepim"] as const) {
      const path = writeSanctions(folderOf(), list, []);
      await assert.rejects(imported({ [list]: path }), /has a header and no rows, .* Download/);
      const folder = folderOf();
      await assert.rejects(imported({ [list]: folder }), /lists-\d+ is a folder\. Name the CSV/);
    }
  });

  it("count sanctions with dates in another form as in force, with a warning", async () => {
    const cnep = writeSanctions(folderOf(), "cnep", [
      { document: ONE, start: "99/99/2020" },
      { document: TWO, start: "2020-01-01", end: "31/02/2021" },
      { document: THREE, start: "", end: "Sem informação" },
    ]);
    const { of, report } = await imported({ cnep });
    assert.deepEqual(of("in_cnep"), [true, true, true]);
    const dated = report.warnings.filter((one) => /DD\/MM\/AAAA/.test(one));
    assert.equal(dated.length, 1);
    assert.match(dated[0] ?? "", /^2 sanctions have a date .* limits nothing \(CNEP\)$/);
  });

  it("are read as UTF-8 too, with or without its mark", async () => {
    for (const mark of ["", "\ufeff"]) {
      const ceis = writeSanctions(folderOf(), "ceis", [{ document: ONE }]);
      writeFileSync(ceis, mark + readFileSync(ceis, "latin1"), "utf8");
      assert.deepEqual((await imported({ ceis })).of("sanctioned"), [true, false, false]);
    }
  });

  it("are refused in place of each other", async () => {
    const folder = folderOf();
    const ceis = writeSanctions(folder, "ceis", [{ document: ONE }]);
    const cnep = writeSanctions(folder, "cnep", [{ document: ONE }]);
    const cepim = writeSanctions(folder, "cepim", [{ document: ONE }]);
    for (const [changes, words] of [
      [{ cnep: ceis }, /CEIS\.csv, line 1: no CNEP header; it lacks VALOR DA MULTA/],
      [{ ceis: cnep }, /CNEP\.csv, line 1: no CEIS header; VALOR DA MULTA is .* \(--cnep\)/],
      [{ cepim: cnep }, /no CEPIM header; it lacks CNPJ ENTIDADE/],
      [{ ceis: cepim }, /no CEIS header; it lacks TIPO DE PESSOA/],
    ] as const) {
      await assert.rejects(imported(changes), words);
    }
  });
});

describe("the debts of PGFN", () => {
  const FULL: DebtRows = {
    fgts: [{ document: mask(ONE), amount: "312038.84", role: "Principal" }],
    social: [
      { document: mask(ONE), amount: "0.05", role: "Principal" },
      { document: "XXX735.623XX", amount: "77777777.77", name: "FULANA INVENTADA" },
    ],
    other: [
      { document: mask(ONE), amount: "1000000000000.00" },
      { document: mask(TWO), amount: "50.5", role: "CORRESPONSAVEL" },
      { document: mask(THREE), amount: "10.00", name: "NOME; COM PONTO E VIRGULA" },
      { document: mask(THREE), amount: "5.25" },
      { document: "00.000.000/0001-92", amount: "9.99", name: "DIGITO ERRADO" },
    ],
  };

  it("are summed by CNPJ, with their kinds", async () => {
    const { meta, of } = await imported({ pgfn: writeDebts(folderOf(), FULL) });
    assert.deepEqual(of("federal_debt"), [true, true, true]);
    assert.deepEqual(of("federal_debt_total"), [1_000_000_312_038.89, 0, 15.25]);
    assert.deepEqual(of("federal_debt_fgts"), [true, false, false]);
    assert.deepEqual(of("federal_debt_social_security"), [true, false, false]);
    assert.deepEqual(of("federal_debt_other"), [true, true, true]);
    assert.equal(meta.provenance.pgfn_as_of_month, "2026-06");
    const bytes = readFileSync(space.path("lists.peneira")).toString("latin1");
    for (const text of ["735.623", "FULANA", "77777777"]) assert.ok(!bytes.includes(text), text);
  });

  it("are false and null for accounts that the list lacks", async () => {
    const { of } = await imported({
      pgfn: writeDebts(folderOf(), { ...FULL, social: [], other: [] }),
    });
    assert.deepEqual(of("federal_debt"), [true, false, false]);
    assert.deepEqual(of("federal_debt_total"), [312_038.84, null, null]);
    assert.deepEqual(of("federal_debt_other"), [false, false, false]);
  });

  it("may be given as CSV files", async () => {
    const folder = folderOf();
    const cells = `Pessoa jurídica;"Principal";"A;B";SP;X;1;X;X;X;01/01/2020;NAO;1.234,56`;
    const row = `${mask(ONE)};${cells}`;
    const header =
      "\u00ef\u00bb\u00bfCPF_CNPJ;TIPO_PESSOA;TIPO_DEVEDOR;NOME_DEVEDOR;UF;U;N;T;S;" +
      "TIPO_CREDITO;D;I;VALOR_CONSOLIDADO";
    writeFileSync(join(folder, "lista_202603.csv"), `${header}\r\n${row}\r\n`, "latin1");
    const { of, report } = await imported({ pgfn: folder });
    assert.deepEqual(of("federal_debt_total"), [1_234.56, null, null]);
    assert.deepEqual(of("federal_debt_social_security"), [true, false, false]);
    assert.match(report.warnings.join(), /lacks Dados_abertos_FGTS\.zip and .*--partial/);
  });

  it("are refused with the file and the reason", async () => {
    const refused = async (pgfn: string, words: RegExp, changes: object = {}) => {
      await assert.rejects(imported({ pgfn, ...changes }), (error) => {
        assert(error instanceof CommandError);
        assert.match(error.message, words);
        return true;
      });
    };
    await refused(folderOf(), /holds no list of debts: give the folder with Dados_abertos_FGTS/);
    const mixed = writeDebts(folderOf(), { fgts: [], social: [] });
    writeDebts(mixed, { other: [] }, "202603");
    await refused(mixed, /mixes lists of 2026-03 and 2026-06; keep one quarter there/);
    const cut = folderOf();
    writeFileSync(join(cut, "arquivo_lai_FGTS_1_202606.csv"), "CPF_CNPJ;A;VALOR_CONSOLIDADO\n1;2");
    await refused(cut, /arquivo_lai_FGTS_1_202606\.csv, line 2: 2 columns where 3 belong/);
    const other = folderOf();
    writeFileSync(join(other, "arquivo_lai_FGTS_1_202606.csv"), "A;B\n1;2\n");
    await refused(other, /line 1: no header of PGFN; it lacks CPF_CNPJ, VALOR_CONSOLIDADO/);
    const named = writeDebts(folderOf(), FULL);
    renameSync(join(named, "Dados_abertos_FGTS.zip"), join(named, "fgts.zip"));
    assert.deepEqual((await imported({ pgfn: named })).of("federal_debt_fgts")[0], true);
    const damaged = writeDebts(folderOf(), FULL);
    const zip = join(damaged, "Dados_abertos_FGTS.zip");
    writeFileSync(zip, readFileSync(zip).subarray(0, 60));
    await refused(damaged, /Dados_abertos_FGTS\.zip cannot be read: .*Download it again/);
  });

  it("need all three kinds unless a partial list is accepted", async () => {
    const pgfn = writeDebts(folderOf(), { fgts: FULL.fgts ?? [] });
    const { spillDebts } = await import("../../../src/ingest/debts.ts");
    const spill = { spillPath: space.path("debts"), partitions: 2, slotBytes: 512 };
    await assert.rejects(
      spillDebts({ path: pgfn, ...spill, partial: false }),
      /lacks Dados_abertos_Previdenciario\.zip and Dados_abertos_Nao_Previdenciario\.zip; put all/,
    );
  });

  it("have amounts with a decimal point or comma, rounded to the cent", () => {
    for (const [text, cents] of [
      ["312038.84", 31_203_884],
      ["1000000000000", 100_000_000_000_000],
      ["0.005", 1],
      ["1.5", 150],
      ["145.500,25", 14_550_025],
      ["7.359,6", 735_960],
      ["312038.840000", 31_203_884],
      ["", null],
      ["-1.00", null],
      ["1e5", null],
      ["12345678901234.00", null],
    ] as const) {
      assert.equal(centsOf(text), cents, text);
    }
  });
});
