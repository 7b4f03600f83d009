/**
 * Proves: of several sheets, the one with the data is read, even after a cover sheet with the
 * sender's own CNPJ. If two sheets have data, the file is refused with the names of both. Data on a
 * hidden sheet is never read, and the answer and the refusal say so.
 * Does not prove how a column is found (upload.test.ts, xlsxupload.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readXlsx, type Upload } from "../../../src/lists/upload.ts";
import { cnpjCheckDigits } from "../../../src/spec/cnpj/cnpj.ts";
import { unreadableXlsx } from "../../support/lists/unreadable.ts";
import { type SheetDraft, text, workbook } from "../../support/lists/workbooks.ts";

const cnpjOf = (number: number) => {
  const base = `${String(11_222_333 + number)}0001`;
  return base + cnpjCheckDigits(base);
};
const OWN = cnpjOf(0);
const read = async (sheets: readonly SheetDraft[], column?: string): Promise<Upload> =>
  readXlsx(await workbook(sheets), { fillZeros: false, column });

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

    it(`is not guessed if its column has no name: ${what}`, async () => {
      const message = await unreadableXlsx(await workbook([{ name: "Capa", rows }, data(5)]));
      assert.match(message, /both “Capa” and “Dados” show CNPJs/);
      assert.match(message, /Hide the sheet/);
    });
  }

  it("is not guessed if the first one has a header and one CNPJ, or a few without", async () => {
    const single: SheetDraft = { name: "Capa", rows: [[text("CNPJ")], [text(OWN)]] };
    const few: SheetDraft = { name: "Capa", rows: [[text(OWN)], [text(cnpjOf(9))]] };
    for (const first of [single, few]) {
      const message = await unreadableXlsx(await workbook([first, data(5, "CNPJ")]));
      assert.match(message, /both “Capa” and “Dados”/);
    }
  });

  it("is not read if the first one is a list itself", async () => {
    for (const [first, second] of [
      [data(5, "CNPJ"), data(50, "CNPJ")],
      [data(5), data(50, "CNPJ")],
      [data(2, "CNPJ"), data(50, "CNPJ")],
      [data(1, "CNPJ"), data(1, "CNPJ")],
    ] as const) {
      const upload = await read([{ ...first, name: "Primeira" }, second]);
      assert.deepEqual([upload.sheet?.name, upload.sheet?.others], ["Primeira", 1]);
    }
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
