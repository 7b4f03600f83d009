/**
 * Proves: XLSX files become the intended entries. Texts are read in every form in which programs
 * store them, and numbers by all of their digits in any format. The column is found by header,
 * letters, number, or content, on the first sheet with content. Leading zeros that a number format
 * displays are restored. Zeros that were lost are offered. Dates and all other values are refused
 * by their cell. Random sheets are read as another library reads them. Does not prove: that damaged
 * files are refused (xlsxdamage.test.ts), nor how a body reaches the reader
 * (contract/http/api/lists.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import readSheets from "read-excel-file/node";
import { openXlsxRenderer } from "../../../src/export/formats/xlsx/xlsx.ts";
import { ENTRY_BYTES, entryText } from "../../../src/lists/entries.ts";
import { readXlsx, type Upload } from "../../../src/lists/upload.ts";
import { XlsxPackage } from "../../../src/lists/xlsx/package.ts";
import { readXlsxColumn } from "../../../src/lists/xlsx/xlsxcolumn.ts";
import { cnpjCheckDigits } from "../../../src/spec/cnpj/cnpj.ts";
import { unreadableXlsx } from "../../support/lists/unreadable.ts";
import {
  type CellDraft,
  packed,
  partsOf,
  type SheetDraft,
  STYLES,
  text,
  UNSAVED,
  workbook,
} from "../../support/lists/workbooks.ts";
import {
  batchesOf,
  contextOf,
  openRenderFixture,
  type RenderFixture,
  renderedBytes,
} from "../../support/native-index/render-fixture.ts";
import { Draw, seededRng } from "../../support/spec/random.ts";

const A = "11222333000181";
const B = `12ABC34501DE${cnpjCheckDigits("12ABC34501DE")}`;
/** Begins with zeros. */
const Z = `000123450001${cnpjCheckDigits("000123450001")}`;
const LOST = Z.replace(/^0+/, "");
/** 14 May 2026. */
const DAY = "46156";

function textsOf(upload: Upload): string[] {
  const bytes = Buffer.concat(upload.entries(false));
  return Array.from({ length: bytes.length / ENTRY_BYTES }, (_, at) => entryText(bytes, at));
}

function read(file: Buffer, column?: string, fillZeros = false): Promise<Upload> {
  return readXlsx(file, { fillZeros, column });
}

const sheet = (rows: SheetDraft["rows"], name = "Plan1"): SheetDraft => ({ name, rows });
const column = (cells: readonly CellDraft[]) => sheet(cells.map((cell) => [cell]));

describe("cells", () => {
  it("with texts are read in every stored form", async () => {
    const ways = ["shared", "inline", "rich", "formula"] as const;
    for (const wording of [
      {},
      { prefix: "x" },
      { places: false },
      { prefix: "a", places: false },
    ]) {
      const cells = ways.flatMap((as) => [text(A, as), text(` ${B.toLowerCase()} `, as)]);
      const upload = await read(await workbook([column(cells)], wording));
      assert.deepEqual(textsOf(upload), [A, B, A, B, A, B, A, B]);
      assert.deepEqual(upload.refused, []);
    }
  });

  it("with numbers count by all of their digits, in any format", async () => {
    const { general, scientific, thousands, zeros, mask, date } = STYLES;
    const cells = [
      { number: A, style: general },
      { number: "1.1222333000181E13", style: scientific },
      { number: `${A}.0`, style: thousands },
      // The number format displays the zeros, so they are not lost.
      { number: LOST, style: zeros },
      { number: LOST, style: mask },
      // The number is too large to be a date in a spreadsheet.
      { number: A, style: date },
      { number: "11222333" },
    ];
    const upload = await read(await workbook([column(cells)]));
    assert.deepEqual(textsOf(upload), [A, A, A, Z, Z, A, "11222333"]);
    assert.deepEqual(upload.refused, []);
  });

  it("that are none are reported by their names, with the reason", async () => {
    const { builtInDate, date, hours } = STYLES;
    const cells: CellDraft[] = [
      text("CNPJ"),
      { number: DAY, style: builtInDate },
      { number: DAY, style: date },
      { number: "0.5", style: hours },
      { stored: "2026-05-14T00:00:00", kind: "d" },
      { number: LOST },
      text("1,12223E+13"),
      { stored: "1", kind: "b" },
      { stored: "#N/A", kind: "e" },
      { number: "11222333000182" },
      { number: "1.5" },
      text("São João & <Filhos>"),
      { number: "1e400" },
      { number: "123456789012345678" },
    ];
    const { refused } = await read(
      await workbook([sheet([null, ...cells.map((one) => [null, one])])]),
    );
    assert.deepEqual(refused, [
      { line: 3, cell: "B3", text: "2026-05-14", reason: "a_date" },
      { line: 4, cell: "B4", text: "2026-05-14", reason: "a_date" },
      { line: 5, cell: "B5", text: "12:00", reason: "a_date" },
      { line: 6, cell: "B6", text: "2026-05-14T00:00:00", reason: "a_date" },
      { line: 7, cell: "B7", text: LOST, reason: "lost_zeros", offered: Z },
      { line: 8, cell: "B8", text: "1,12223E+13", reason: "rounded" },
      { line: 9, cell: "B9", text: "TRUE", reason: "not_a_number" },
      { line: 10, cell: "B10", text: "#N/A", reason: "not_a_number" },
      { line: 11, cell: "B11", text: "11222333000182", reason: "wrong_check_digits" },
      { line: 12, cell: "B12", text: "1.5", reason: "not_a_cnpj" },
      { line: 13, cell: "B13", text: "São João & <Filhos>", reason: "not_a_number" },
      { line: 14, cell: "B14", text: "1e400", reason: "too_long" },
      { line: 15, cell: "B15", text: "123456789012345678", reason: "too_long" },
    ]);
  });

  it("with a formula whose result is not saved are refused for that", async () => {
    const upload = await read(await workbook([column([text("CNPJ"), UNSAVED, text(A)])]));
    assert.deepEqual(textsOf(upload), [A]);
    assert.deepEqual(upload.refused, [
      { line: 2, cell: "A2", text: "", reason: "unsaved_formula" },
    ]);
    const empty = await read(
      await workbook([column([text("CNPJ"), text("", "formula"), text(A)])]),
    );
    assert.deepEqual([empty.read, empty.refusedCount], [1, 0]);
  });

  it("with numbers below zero or with a fraction are no CNPJs", async () => {
    const numbers = [`-${A}`, `${A}.5`, `${A}.49`, `-${A}.5`, "-11222333", "11222333.5"];
    const upload = await read(await workbook([column(numbers.map((number) => ({ number })))]));
    assert.deepEqual(textsOf(upload), []);
    const reported = upload.refused.map(({ text, reason }) => [text, reason]);
    assert.deepEqual(
      reported,
      numbers.map((text) => [text, "not_a_cnpj"]),
    );
  });

  it("with eight digits are companies only if the header says so", async () => {
    const file = async (header: string) =>
      workbook([
        sheet([
          [text("nome"), text(header)],
          [text("x"), { number: "11222333" }],
        ]),
      ]);
    assert.deepEqual(textsOf(await read(await file("Raiz"))), ["11222333"]);
    assert.match(await unreadableXlsx(await file("CEP")), /name their column/);
    assert.deepEqual(textsOf(await read(await file("CEP"), "B")), ["11222333"]);
  });

  it("get their zeros back on request", async () => {
    const file = await workbook([column([{ number: LOST }, { number: "191" }])]);
    const upload = await read(file, undefined, true);
    assert.deepEqual(textsOf(upload), [Z, "00000000000191"]);
    assert.equal(upload.refusedCount, 0);
  });
});

describe("the column", () => {
  const rows = [
    ["Razão social", "Documento", "Matriz (CNPJ)"].map((one) => text(one)),
    [text("Um"), text(B), text(A)],
    [text("Dois"), text(B), { number: A }],
  ];
  for (const [wanted, found] of [
    [undefined, A],
    ["documento", B],
    ["Matriz  (cnpj)", A],
    ["B", B],
    ["3", A],
  ] as const) {
    it(`is found as ${wanted ?? "the one that says so"}`, async () => {
      const upload = await read(await workbook([sheet(rows)]), wanted);
      assert.deepEqual(textsOf(upload), [found, found]);
      assert.deepEqual(upload.refused, []);
    });
  }

  it("is found by its content, also far after the first hundred rows", async () => {
    const many = Array.from({ length: 250 }, (_, at) => [
      text(`Empresa ${at}`),
      text(at === 240 ? "estranhos" : A),
    ]);
    const upload = await read(await workbook([sheet([[text("a"), text("b")], ...many])]));
    assert.equal(upload.read, 250);
    assert.deepEqual(upload.refused, [
      { line: 242, cell: "B242", text: "estranhos", reason: "not_a_number" },
    ]);
  });

  it("is found below titles, which are no entries", async () => {
    const titles = [[text("Clientes de outubro")], null, [text("Nome"), text("C.N.P.J.")]];
    const upload = await read(await workbook([sheet([...titles, [text("x"), text(A)]])]));
    assert.deepEqual(textsOf(upload), [A]);
    assert.deepEqual([upload.refusedCount, upload.column], [0, "C.N.P.J."]);
  });

  it("is refused if it is missing", async () => {
    const file = await workbook([sheet(rows)]);
    assert.match(await unreadableXlsx(file, "telefone"), /no column "telefone"/);
    assert.match(await unreadableXlsx(file, "D"), /no column "D"/);
    const none = await workbook([
      sheet([
        [text("a"), text("b")],
        [text("c"), text("d")],
      ]),
    ]);
    assert.match(await unreadableXlsx(none), /No column of the first lines holds CNPJs/);
  });
});

describe("the sheet", () => {
  const full = (name: string, cnpj: string): SheetDraft => sheet([[text(cnpj)]], name);
  it("is the first one with content, and is named", async () => {
    const sheets = [
      { ...full("Escondida", B), state: "hidden" },
      { ...full("Mais", B), state: "veryHidden" },
      sheet([null, [null, text("  ")]], "Vazia"),
      full("Clientes & Cia", A),
      full("Outros", B),
    ] as const;
    const upload = await read(await workbook(sheets));
    assert.deepEqual(textsOf(upload), [A]);
    assert.deepEqual(upload.sheet, {
      ...{ column: "A", name: "Clientes & Cia", others: 2, hidden: 2 },
    });
  });

  const cover = sheet(
    [[text("Relatório de clientes")], [text("Outubro de 2026")], [{ number: "2026" }]],
    "Capa",
  );
  const summary = sheet(
    [
      [text("Mês"), text("Empresa"), text("Total")],
      [text("Outubro"), text("Vendas SA"), { number: "1234.5" }],
    ],
    "Resumo",
  );

  it("is skipped if it shows no CNPJs and another one does", async () => {
    const data = sheet(
      [
        [text("Nome"), text("CNPJ")],
        [text("x"), text(A)],
      ],
      "Dados",
    );
    const lost = column([text("documento"), { number: LOST }]);
    for (const [sheets, wanted, reported] of [
      [[cover, data], undefined, { column: "CNPJ", name: "Dados", others: 1 }],
      [[cover, summary, data], undefined, { column: "CNPJ", name: "Dados", others: 2 }],
      [[cover, summary, data], "cnpj", { column: "CNPJ", name: "Dados", others: 2 }],
      [[cover, summary, data], "B", { column: "CNPJ", name: "Dados", others: 2 }],
      [[cover, lost], undefined, { column: "documento", name: "Plan1", others: 1 }],
    ] as const) {
      const upload = await read(await workbook(sheets), wanted, true);
      assert.deepEqual(textsOf(upload), [reported.name === "Plan1" ? Z : A]);
      assert.equal(upload.refusedCount, 0);
      assert.deepEqual(upload.sheet, reported);
    }
  });

  it("is read line by line if it is the only one with content", async () => {
    const upload = await read(await workbook([cover, sheet([], "Vazia")]));
    assert.deepEqual([upload.read, upload.refusedCount, upload.sheet?.name], [2, 2, "Capa"]);
  });

  it("is named with its mistake if none shows CNPJs, ten of them at most", async () => {
    const message = await unreadableXlsx(await workbook([cover, sheet([], "Vazia"), summary]));
    assert.match(message, /no sheet of it has a column of CNPJs/);
    assert.match(message, /“Capa”: no CNPJ in the first rows of column A; “Resumo”: No column of/);
    assert.doesNotMatch(message, /Vazia/);
    assert.match(message, /column=<header>/);
    const wanted = await unreadableXlsx(await workbook([cover, summary]), "documento");
    assert.match(wanted, /“Capa”: There is no column "documento" in the file; “Resumo”: There is/);
    const many = Array.from({ length: 13 }, (_, at) => ({ ...cover, name: `Capa ${at + 1}` }));
    assert.match(await unreadableXlsx(await workbook(many)), /“Capa 10”: [^“]*; and 3 more\)/);
  });

  it("is reported if it is missing", async () => {
    assert.match(await unreadableXlsx(await workbook([sheet([])])), /no sheet of it has anything/);
    const hidden = { ...full("x", A), state: "hidden" } as const;
    const unseen = await unreadableXlsx(await workbook([hidden]));
    assert.match(unseen, /no sheet of it has anything.*Hidden sheets are not read \(“x”\)/);
  });
});

describe("files of exports", () => {
  let fixture: RenderFixture;
  before(async () => {
    fixture = await openRenderFixture();
  });
  after(() => fixture.dispose());
  it("are read as the accounts that they contained", async () => {
    const { rows } = fixture;
    const options = { format: "xlsx", rowCount: rows.length } as const;
    const context = contextOf(fixture.segment, options);
    const file = await renderedBytes(openXlsxRenderer, context, batchesOf(rows, 100));
    const upload = await read(file);
    assert.equal(upload.sheet?.name, "Accounts");
    assert.equal(upload.read, rows.length);
    // Some of the generated rows have CNPJs with wrong check digits.
    assert.ok(upload.refused.every(({ reason }) => reason === "wrong_check_digits"));
    assert.ok(upload.refusedCount < rows.length);
  });
});

/** Texts that a spreadsheet may have, some of which contain XML syntax. */
const TEXTS = [A, B, Z, "São João", "a & b < c", '"', "x".repeat(70), "1e5", "]]>", "ção\n2"];
const NUMBERS = [A, LOST, "0", "-12.5", "1E+5", "123456789012345", "0.1"];

function randomCell(draw: Draw): CellDraft | null {
  const kind = draw.below(6);
  if (kind === 0) return null;
  if (kind === 1) return { number: draw.of(NUMBERS) };
  if (kind === 2) return { number: draw.of(NUMBERS), style: draw.of([0, 5, 6]) };
  if (kind === 3) return { stored: String(draw.below(2)), kind: "b" };
  return text(draw.of(TEXTS), draw.of(["shared", "inline", "rich", "formula"] as const));
}

describe("random sheets", () => {
  it("are read as another library reads them", async () => {
    let cells = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const draw = new Draw(seededRng(seed));
      const width = 1 + draw.below(30);
      const header = Array.from({ length: width }, (_, at) => text(`Coluna ${at}`));
      const rows = Array.from({ length: 1 + draw.below(260) }, () =>
        draw.chance(0.1) ? null : Array.from({ length: width }, () => randomCell(draw)),
      );
      const wording = draw.chance(0.5) ? {} : { prefix: "x" };
      const file = await packed(partsOf([sheet([header, ...rows])], wording), draw);
      const at = draw.below(width);
      const found: (readonly [number, string])[] = [];
      const takes = ({ row, text: one }: { row: number; text: string }) => found.push([row, one]);
      await readXlsxColumn(await XlsxPackage.open(file), `coluna ${at}`, takes);
      const [twin] = await readSheets(file, { trim: false });
      const wanted = (twin?.data ?? []).flatMap((row, line) => {
        const value = row[at] ?? null;
        const reported = typeof value === "boolean" ? String(value).toUpperCase() : String(value);
        return line === 0 || value === null ? [] : [[line + 1, reported.trim()] as const];
      });
      assert.deepEqual(found, wanted, `seed ${seed}`);
      cells += found.length;
    }
    assert.ok(cells > 3_000, `${cells} cells were compared`);
  });
});
