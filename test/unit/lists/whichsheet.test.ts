/**
 * Proves: of several sheets, the one with the most CNPJs is read, even after a cover sheet with the
 * sender's own CNPJ, and the reason is reported. The first of equally full sheets is read. A
 * damaged sheet after the data does not matter. Data on a hidden sheet is never read, and the
 * answer and the refusal say so.
 * Does not prove how a column is found (upload.test.ts, xlsxupload.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readXlsx, type Upload } from "../../../src/lists/upload.ts";
import { XlsxPackage } from "../../../src/lists/xlsx/package.ts";
import { chooseSheet } from "../../../src/lists/xlsx/xlsxcolumn.ts";
import { cnpjCheckDigits } from "../../../src/spec/cnpj/cnpj.ts";
import { unreadableXlsx } from "../../support/lists/unreadable.ts";
import { packed, partsOf, type SheetDraft, text, workbook } from "../../support/lists/workbooks.ts";

const cnpjOf = (number: number) => {
  const base = `${String(11_222_333 + number)}0001`;
  return base + cnpjCheckDigits(base);
};
const OWN = cnpjOf(0);
const read = async (sheets: readonly SheetDraft[], column?: string): Promise<Upload> =>
  readXlsx(await workbook(sheets), { fillZeros: false, column });

/** Returns the name of the chosen sheet, and the reason for the choice. */
const choiceOf = async (sheets: readonly SheetDraft[]) => {
  const { chosen, reason } = await chooseSheet(
    await XlsxPackage.open(await workbook(sheets)),
    undefined,
  );
  return [chosen.name, reason];
};

/** Returns a sheet with the rows `above`, followed by `count` rows of CNPJs. */
const data = (count: number, ...above: readonly string[]): SheetDraft => ({
  name: "Dados",
  rows: [
    ...above.map((cell) => [text("Nome"), text(cell)]),
    ...Array.from({ length: count }, (_, at) => [text(`Empresa ${at}`), text(cnpjOf(at + 1))]),
  ],
});

const COVERS: Readonly<Record<string, SheetDraft["rows"]>> = {
  "a label beside the CNPJ": [[text("CNPJ da empresa:"), text(OWN)]],
  "a title and a label": [
    [text("Relatório"), null],
    [text("CNPJ da empresa:"), text(OWN)],
    [text("Mês"), text("Outubro")],
  ],
  "a label with the CNPJ in it": [[text("Relatório")], [text(`CNPJ da empresa: ${OWN}`)]],
  "the CNPJ alone": [[text(OWN)]],
};

describe("the sheet after a cover with the sender's own CNPJ", () => {
  for (const [what, rows] of Object.entries(COVERS)) {
    it(`is read if its column is named, and has more: ${what}`, async () => {
      for (const header of ["CNPJ", "CNPJ do cliente", "cnpj_completo"]) {
        const upload = await read([{ name: "Capa", rows }, data(5, header)]);
        assert.deepEqual([upload.sheet?.name, upload.read], ["Dados", 5], header);
      }
      const titled = await read([{ name: "Capa", rows }, data(5, "Clientes de outubro", "CNPJ")]);
      assert.equal(titled.sheet?.name, "Dados");
    });

    it(`is read if its column has no name, and has more: ${what}`, async () => {
      const sheets = [{ name: "Capa", rows }, data(5)];
      assert.deepEqual(await choiceOf(sheets), ["Dados", "most_cnpjs"]);
    });
  }

  it("is read for the reason that it has the most CNPJs", async () => {
    const single: SheetDraft = { name: "Capa", rows: [[text("CNPJ")], [text(OWN)]] };
    const few: SheetDraft = { name: "Capa", rows: [[text(OWN)], [text(cnpjOf(9))]] };
    for (const first of [single, few]) {
      assert.deepEqual(await choiceOf([first, data(5, "CNPJ")]), ["Dados", "most_cnpjs"]);
    }
    const cover: SheetDraft = { name: "Capa", rows: [[text(OWN)]] };
    assert.deepEqual(await choiceOf([cover, data(5, "CNPJ")]), ["Dados", "after_cover"]);
    // The first hundred rows of both are full.
    for (const [first, second, name] of [
      [data(2, "CNPJ"), data(300, "CNPJ"), "Dados"],
      [data(150), data(300, "CNPJ"), "Dados"],
      [data(300, "CNPJ"), data(150, "CNPJ"), "Primeira"],
      [data(5, "CNPJ"), data(5, "Título", "CNPJ"), "Primeira"],
      [data(1, "CNPJ"), data(1, "CNPJ"), "Primeira"],
    ] as const) {
      const reason = name === "Dados" ? "most_cnpjs" : "first_with_cnpjs";
      assert.deepEqual(await choiceOf([{ ...first, name: "Primeira" }, second]), [name, reason]);
    }
    const three = [{ ...data(9), name: "A" }, { ...data(2), name: "B" }, data(20)];
    const upload = await read(three);
    assert.deepEqual([upload.sheet?.name, upload.sheet?.others, upload.read], ["Dados", 2, 20]);
  });

  it("is the one that the sender names, unless it is hidden or missing", async () => {
    const small = { ...data(2, "CNPJ"), name: "Poucos" };
    const hidden = { ...data(9, "CNPJ"), name: "Oculta", state: "hidden" as const };
    const file = await workbook([data(50, "CNPJ"), small, hidden]);
    const choose = async (named: string) =>
      chooseSheet(await XlsxPackage.open(file), undefined, { named });
    const { chosen, reason } = await choose("poucos");
    assert.deepEqual([chosen.name, chosen.index, reason], ["Poucos", 1, "named"]);
    await assert.rejects(choose("Oculta"), /Sheet “Oculta”: it is hidden\. Show the sheet/);
    await assert.rejects(choose("x"), /Sheet “x”: the workbook has no such .* “Dados”, “Poucos”\./);
  });

  it("is read even if a later sheet is damaged", async () => {
    const parts = partsOf([data(5, "CNPJ"), { ...data(9, "CNPJ"), name: "Outra" }]);
    const path = "xl/worksheets/sheet2.xml";
    parts.set(path, (parts.get(path) as string).replace('<row r="3"', "<row r='x'"));
    const upload = await readXlsx(await packed(parts), { fillZeros: false, column: undefined });
    assert.deepEqual([upload.sheet?.name, upload.read], ["Dados", 5]);
  });

  it("is never a hidden one, which is reported", async () => {
    const hidden: SheetDraft = { ...data(5, "CNPJ"), state: "hidden" };
    const cover: SheetDraft = { name: "Capa", rows: COVERS["a label beside the CNPJ"] ?? [] };
    const upload = await read([cover, hidden]);
    assert.deepEqual([upload.sheet?.name, upload.sheet?.hidden, upload.read], ["Capa", 1, 1]);
    const words = [{ name: "Capa", rows: [[text("Relatório")], [text("Outubro")]] }];
    const more = [...words, { name: "Resumo", rows: [[text("Total")], [text("Geral")]] }, hidden];
    const message = await unreadableXlsx(await workbook(more));
    assert.match(
      message,
      /Sheet “Dados”: it has a column of CNPJs.* but is hidden\. Show the sheet/,
    );
  });

  it("is named if it is hidden and the only visible sheet with data has no CNPJ", async () => {
    const words: SheetDraft = { name: "Capa", rows: [[text("Relatório")], [text("Outubro")]] };
    const empty: SheetDraft = { name: "Vazia", rows: [] };
    for (const state of ["hidden", "veryHidden"] as const) {
      const hidden: SheetDraft = { ...data(5, "CNPJ"), state };
      for (const visible of [[words], [empty], [words, empty]]) {
        const message = await unreadableXlsx(await workbook([...visible, hidden]));
        assert.match(message, /Sheet “Dados”: .* is hidden/);
      }
    }
    const options: SheetDraft = { name: "Opções", rows: [[text("sim")]], state: "hidden" };
    const message = await unreadableXlsx(await workbook([words, options]));
    assert.doesNotMatch(message, /Opções/, "a hidden sheet without CNPJs is not the cause");
    const several = [words, { ...words, name: "Resumo" }, options];
    assert.match(
      await unreadableXlsx(await workbook(several)),
      /Hidden sheets are not read \(“Opções”\)/,
    );
  });
});
