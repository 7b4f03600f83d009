/**
 * Proves: an enriched CSV file becomes a workbook on request, and a workbook becomes a CSV file. In
 * random files, every cell stays in its row and gets the same appended cells as without conversion.
 * In a workbook, CNPJs are text, and a column has numbers only if every cell is a number. In CSV,
 * numbers, dates, and booleans are written as usual in the chosen language, and no text can run as
 * a formula. The same file gives the same bytes. A file that the other format cannot represent is
 * refused. A preview shows the rows, outcomes, and refused texts of the enrichment, and no CPF.
 * Does not prove: exports of such files (e2e/export/enrichment).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  enrichFile,
  readLayout,
  type SheetFormat,
} from "../../../src/export/enrichment/enrichment.ts";
import { type EnrichmentOptions, outcomeWords } from "../../../src/export/enrichment/outcomes.ts";
import { previewEnrichment } from "../../../src/export/enrichment/preview.ts";
import { widenedRange } from "../../../src/export/enrichment/sheetranges.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { cnpjCheckDigits } from "../../../src/spec/cnpj/cnpj.ts";
import type { OutputField } from "../../../src/spec/fields.ts";
import {
  type KnownAccount,
  randomCell,
  randomCsv,
  slowRecords,
  textOf,
} from "../../support/export/sent-files.ts";
import { cellsIn, zipParts } from "../../support/export/zip-parts.ts";
import {
  type CellDraft,
  text as cellOf,
  packed,
  STYLES,
  UNSAVED,
  workbook,
  partsOf as workbookParts,
} from "../../support/lists/workbooks.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { seededRng } from "../../support/spec/random.ts";

const FIELDS: readonly OutputField[] = ["legal_name", "started_on", "share_capital", "phone_1"];
const OPTIONS: EnrichmentOptions = {
  fields: FIELDS,
  labels: null,
  column: undefined,
  fillZeros: false,
};
const SHEET = "xl/worksheets/sheet1.xml";

let made: SampleSnapshot;
let segment: Segment;
let accounts: readonly KnownAccount[];
let folder: string;

before(async () => {
  made = await makeSampleSnapshot(3_000, 11);
  segment = await openSegment(made.snapshot);
  const rows = Uint32Array.from({ length: segment.accounts }, (_, row) => row);
  const text = segment.native.renderJson(rows, [...FIELDS, "cnpj"]);
  accounts = JSON.parse(Buffer.from(text).toString()) as KnownAccount[];
  folder = mkdtempSync(join(tmpdir(), "peneira-convert-"));
});
after(() => {
  segment.close();
  made.dispose();
  rmSync(folder, { recursive: true, force: true });
});

function fileOf(bytes: Uint8Array): string {
  const path = join(folder, "sent");
  writeFileSync(path, bytes);
  return path;
}

async function converted(
  bytes: Uint8Array,
  format: SheetFormat | undefined,
  options: Partial<EnrichmentOptions> = {},
) {
  const pieces: Buffer[] = [];
  const summary = await enrichFile({
    ...{ segment, path: fileOf(bytes), options: { ...OPTIONS, ...options }, format },
    write: (piece) => pieces.push(Buffer.from(piece)),
    onProgress: (written, rows) => assert.ok(written <= rows),
    onFound: () => {},
    checkCancelled: () => {},
    spare: () => false,
  });
  return { bytes: Buffer.concat(pieces), summary };
}

/** Returns the letters of a column, counted from 0. */
function letters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : letters(Math.floor(column / 26) - 1) + last;
}

const known = (at: number): string => (accounts[at] as KnownAccount).cnpj;

/** Returns the cells of the workbook made from a CSV file, row by row. */
async function sheetOf(csv: string | Uint8Array, options: Partial<EnrichmentOptions> = {}) {
  const { bytes, summary } = await converted(Buffer.from(csv), "xlsx", options);
  const parts = zipParts(bytes);
  return { bytes, summary, parts, cells: cellsIn(parts.get(SHEET) as string) };
}

describe("a CSV file as a workbook", () => {
  it("has every cell of random files in its row, and the cells of the enriched CSV", async () => {
    for (let seed = 0; seed < 60; seed++) {
      const sent = randomCsv(seededRng(seed), accounts);
      const labels = ([null, "pt", "en"] as const)[seed % 3] ?? null;
      const { cells, summary } = await sheetOf(sent.bytes, { labels });
      const same = await converted(sent.bytes, "csv", { labels });
      assert.deepEqual(summary.outcomes, same.summary.outcomes, `file ${seed}`);
      const was = slowRecords(textOf(sent, sent.bytes), sent.delimiter);
      const is = slowRecords(textOf(sent, same.bytes), sent.delimiter);
      const width = Math.max(...is.map((one) => one.cells.length)) - FIELDS.length - 1;
      for (const [row, { cells: own }] of was.entries()) {
        for (const [at, text] of own.entries()) {
          const cell = cells.get(`${letters(at)}${row + 1}`);
          if (row === 0 && /^sep=/i.test(own.join(""))) continue;
          const reported = `file ${seed}, row ${row + 1}, column ${at}: ${text}`;
          if (cell?.kind === "number") assert.equal(Number(cell.text), Number(text), reported);
          else assert.equal(cell?.text ?? "", text, reported);
        }
        const [status, name] = (is[row]?.cells ?? []).slice(width);
        const place = (column: number) => cells.get(`${letters(width + column)}${row + 1}`);
        assert.equal(place(0)?.text ?? "", status ?? "", `file ${seed}, row ${row + 1}`);
        // In CSV, an apostrophe precedes text that a spreadsheet would run as a formula. A workbook
        // needs no apostrophe.
        assert.equal(place(1)?.text ?? "", (name ?? "").replace(/^'/, ""), `file ${seed}`);
      }
    }
  });

  it("has numbers only in columns of numbers, and CNPJs as text", async () => {
    const rows = [
      "id;CNPJ;valor;código;telefone;misto;data;total;taxa",
      `1;${known(0)};10,50;007;11987654321;1;28/11/1979;1.234,56;1.234`,
      `2;${known(1)};-3,00;8;1133334444;x;01/02/2003;-7,10;2.500`,
      `3;${known(2)};;;;;;;`,
    ];
    const { cells } = await sheetOf(`${rows.join("\r\n")}\r\n`);
    const kinds = (row: number) =>
      [..."ABCDEFGHI"].map((letter) => {
        const { kind, text } = cells.get(`${letter}${row}`) ?? { kind: "none", text: "" };
        return kind === "number" ? Number(text) : text;
      });
    assert.deepEqual(kinds(2), [
      ...[1, known(0), 10.5, "007", "11987654321", "1", "28/11/1979", 1234.56, "1.234"],
    ]);
    assert.deepEqual(kinds(3), [
      ...[2, known(1), -3, "8", "1133334444", "x", "01/02/2003", -7.1, "2.500"],
    ]);
    assert.equal(cells.get("C2")?.style, cells.get("H2")?.style, "two decimals stay two");
    assert.notEqual(cells.get("C2")?.style, cells.get("A2")?.style);
  });

  it("types the new dates and amounts, and keeps hostile texts texts", async () => {
    const at = accounts.findIndex(({ started_on: one }) => one !== null);
    const { cells, parts } = await sheetOf(`CNPJ,nota\n${known(at)},"=1+1 <&> _x0041_ \u0001"\n`);
    assert.equal(cells.get("B2")?.text, "=1+1 <&> _x0041_ \u0001");
    assert.doesNotMatch(parts.get(SHEET) as string, /<f>/);
    const days = Date.parse((accounts[at] as KnownAccount).started_on as string) / 86_400_000;
    assert.deepEqual(cells.get("E2"), { kind: "number", text: String(days + 25_569), style: 1 });
    assert.match(parts.get("xl/styles.xml") as string, /formatCode="yyyy/);
    const people = await sheetOf(`CNPJ\n${known(at)}\n`, { labels: "pt" });
    assert.match(people.parts.get("xl/styles.xml") as string, /formatCode="dd/);
    assert.match(people.parts.get("xl/workbook.xml") as string, /Planilha1/);
    assert.match(people.parts.get(SHEET) as string, /ySplit="1"/);
  });

  it("has all titles in bold, its own and the new ones", async () => {
    const { cells, parts } = await sheetOf(`id;CNPJ\n1;${known(0)}\n`, { labels: "pt" });
    const styles = parts.get("xl/styles.xml") as string;
    const [, inner = ""] = /<cellXfs[^>]*>(.*?)<\/cellXfs>/s.exec(styles) ?? [];
    const title = inner.match(/<xf [^>]*/g)?.[cells.get("A1")?.style ?? 0] ?? "";
    assert.match(title, /fontId="1"/);
    const found = ["A1", "B1", "C1", "D1", "G1"].map((place) => cells.get(place)?.style);
    assert.equal(new Set(found).size, 1, found.join());
    assert.notEqual(cells.get("C2")?.style, cells.get("C1")?.style);
  });

  it("gives decimals, amounts, and links cell styles that exist, in every language", async () => {
    const kinds = new Set<string>();
    for (const labels of [null, "pt", "en"] as const) {
      const fields: readonly OutputField[] = ["share_capital", "email", "whatsapp", "started_on"];
      const lines = accounts.slice(0, 200).map(({ cnpj }) => `${cnpj};10,50`);
      const { parts } = await sheetOf(`CNPJ;preço\n${lines.join("\n")}\n`, { labels, fields });
      const sheet = parts.get("xl/styles.xml") as string;
      const [, count, inner = ""] = /<cellXfs count="(\d+)">(.*?)<\/cellXfs>/s.exec(sheet) ?? [];
      const styles = inner.match(/<xf [^>]*/g) ?? [];
      assert.equal(styles.length, Number(count));
      const rows = parts.get(SHEET) as string;
      const styleOf = (letter: string) => {
        const at = new RegExp(`<c r="${letter}2" s="(\\d+)"`).exec(rows)?.[1];
        return styles[Number(at)] ?? "";
      };
      assert.match(styleOf("B"), /numFmtId="2"/, "two decimals, as the price was written");
      if (labels === null) continue;
      assert.match(styleOf("D"), /numFmtId="4"/, "an amount");
      for (const [, at] of rows.matchAll(/s="(\d+)" t="str"><f>HYPERLINK/g)) {
        kinds.add(styles[Number(at)] ?? "none");
      }
    }
    assert.equal(kinds.size, 1);
    assert.match([...kinds].join(), /fontId="2"/, "the font of links");
  });

  it("is the same for the same file", async () => {
    const csv = `CNPJ;x\n${known(0)};1\n`;
    assert.ok((await sheetOf(csv)).bytes.equals((await sheetOf(csv)).bytes));
  });

  it("is refused with a message if a sheet cannot hold it", async () => {
    const refused = (csv: string, message: RegExp) =>
      assert.rejects(readLayout(fileOf(Buffer.from(csv)), OPTIONS, "xlsx"), { message });
    await refused(`CNPJ;x\n${known(0)};${"a".repeat(32_768)}\n`, /Row 2 has a cell with more/);
    const wide =
      /up to 16,384 columns\. The file has 20,001, and 5 are added\. Choose CSV or fewer/;
    await refused(`CNPJ${";x".repeat(20_000)}\n${known(0)}\n`, wide);
    const many = `CNPJ\n${`${known(0)}\n`.repeat(1_048_576)}`;
    await refused(many, /1,048,576 rows, and the file has more. Choose CSV/);
    await readLayout(fileOf(Buffer.from(many)), OPTIONS, "csv");
  });
});

describe("a workbook as CSV", () => {
  it("has every cell of random sheets in its row, and the cells of the workbook", async () => {
    for (let seed = 0; seed < 20; seed++) {
      const rng = seededRng(500 + seed);
      const drafts = Array.from({ length: 1 + Math.floor(rng() * 60) }, () =>
        rng() < 0.1 ? null : randomCell(rng, accounts),
      );
      const rows = [
        [cellOf("Clientes")],
        null,
        [cellOf("Nome"), cellOf("CNPJ"), cellOf("Nota")],
        [cellOf("a"), cellOf(known(0)), null],
        ...drafts.map((draft) =>
          draft === null
            ? null
            : [cellOf('Ana; "Bia"'), draft.text === "" ? null : cellOf(draft.text), null],
        ),
      ];
      const sent = await workbook([{ name: "Base", rows }]);
      const labels = seed % 2 === 0 ? "pt" : "en";
      const csv = await converted(sent, "csv", { labels });
      const again = await converted(sent, "csv", { labels });
      assert.ok(csv.bytes.equals(again.bytes));
      const same = await converted(sent, "xlsx", { labels });
      assert.deepEqual(csv.summary.outcomes, same.summary.outcomes);
      assert.equal(csv.summary.format, "xlsx");
      const text = csv.bytes.toString();
      assert.equal(text[0], "\ufeff");
      const records = slowRecords(text.slice(1), labels === "pt" ? ";" : ",");
      assert.ok(records.every(({ end }) => end === "\r\n"));
      const sheet = cellsIn(zipParts(same.bytes).get(SHEET) as string);
      for (const [at, draft] of drafts.entries()) {
        const cells = records[at + 4]?.cells ?? [""];
        if (draft === null) {
          assert.deepEqual(cells, [""], `sheet ${seed}, row ${at + 5}`);
          continue;
        }
        assert.deepEqual(cells.slice(0, 2), ['Ana; "Bia"', draft.text.replace(/^(?=[=@])/, "'")]);
        assert.equal(cells[3], sheet.get(`D${at + 5}`)?.text, `sheet ${seed}, row ${at + 5}`);
      }
    }
  });

  it("writes numbers, dates, and truth values in the language", async () => {
    const row: CellDraft[] = [
      ...[cellOf(known(0)), { number: "1234.5" }, { number: "0.30000000000000004" }],
      ...[
        { number: "45000.5", style: STYLES.date },
        { number: "45000", style: STYLES.date },
      ],
      ...[
        { stored: "1", kind: "b" },
        { number: "7", style: STYLES.zeros },
      ],
      ...[cellOf("=2+2"), cellOf("-12 (34)"), cellOf("+x"), { stored: "#N/A", kind: "e" }],
    ];
    const sent = await workbook([{ name: "Base", rows: [[cellOf("CNPJ")], row] }]);
    const rowIn = async (labels: "pt" | "en" | null) => {
      const text = (await converted(sent, "csv", { labels })).bytes.toString();
      const [, found] = slowRecords(text.replace(/^\ufeff/, ""), labels === "pt" ? ";" : ",");
      return found?.cells.slice(1, 11);
    };
    const same = ["00000000000007", "'=2+2", "-12 (34)", "'+x", "#N/A"];
    assert.deepEqual(await rowIn("pt"), [
      ...["1234,5", "0,3", "15/03/2023 12:00", "15/03/2023", "VERDADEIRO", ...same],
    ]);
    assert.deepEqual(await rowIn("en"), [
      ...["1234.5", "0.3", "15/03/2023 12:00", "15/03/2023", "TRUE", ...same],
    ]);
    assert.deepEqual(await rowIn(null), [
      ...["1234.5", "0.3", "2023-03-15 12:00", "2023-03-15", "TRUE", ...same],
    ]);
  });

  it("guards formulas behind all characters that spreadsheets skip", async () => {
    const skipped = ["", "  ", "\n", "\u00ad", "\u200b", "\u00a0", "\ufeff", "\u3000"];
    const texts = [...skipped.map((one) => `${one}=1+1`), "＝1+1", "＋a", "＠a", " -x"];
    const plain = ["+55 (11) 98765-4321", "-12,5", "a=1", "\u00a0a"];
    const row = [cellOf(known(0)), ...[...texts, ...plain].map((text) => cellOf(text))];
    const sent = await workbook([{ name: "Base", rows: [[cellOf("CNPJ")], row] }]);
    const text = (await converted(sent, "csv")).bytes.toString();
    const [, found] = slowRecords(text.replace(/^\ufeff/, ""), ",");
    const cells = found?.cells.slice(1, 1 + texts.length + plain.length) ?? [];
    assert.deepEqual(cells, [...texts.map((one) => `'${one}`), ...plain]);
  });

  it("writes dates of every kind alike, and only dates that a spreadsheet has", async () => {
    const days: CellDraft[] = [
      ...["2023-03-15T10:20:30", "2023-03-15T10:20:00.000Z", "2023-03-15T00:00:00"].map(
        (stored) => ({ stored, kind: "d" }),
      ),
      ...["2957003.5", "2957004"].map((number) => ({ number, style: STYLES.date })),
    ];
    const parts = workbookParts([{ name: "Base", rows: [[cellOf("CNPJ")], [null, ...days]] }]);
    const rowIn = async (labels: "pt" | null, old: boolean) => {
      const book = parts.get("xl/workbook.xml") as string;
      const dated = book.replace("<sheets>", `<workbookPr date1904="${old ? 1 : 0}"/><sheets>`);
      const sent = await packed(new Map([...parts, ["xl/workbook.xml", dated]]));
      const text = (await converted(sent, "csv", { labels, column: "1" })).bytes.toString();
      const [, found] = slowRecords(text.replace(/^\ufeff/, ""), labels === "pt" ? ";" : ",");
      return found?.cells.slice(1, 6);
    };
    assert.deepEqual(await rowIn("pt", true), [
      ...["15/03/2023 10:20:30", "15/03/2023 10:20", "15/03/2023"],
      ...["31/12/9999 12:00", "2957004"],
    ]);
    assert.deepEqual(await rowIn(null, true), [
      ...["2023-03-15 10:20:30", "2023-03-15 10:20", "2023-03-15"],
      ...["9999-12-31 12:00", "2957004"],
    ]);
    assert.equal((await rowIn(null, false))?.[4], "9995-12-31");
  });

  it("writes whole numbers with all their digits", async () => {
    const numbers = ["123456789012345678", "-98765432109876543210", "+00012345678901234567"];
    const row = [cellOf(known(0)), ...numbers.map((number) => ({ number }))];
    const sent = await workbook([{ name: "Base", rows: [[cellOf("CNPJ")], row] }]);
    const [, found] = slowRecords((await converted(sent, "csv")).bytes.toString(), ",");
    assert.deepEqual(found?.cells.slice(1, 4), [
      ...["123456789012345678", "-98765432109876543210", "12345678901234567"],
    ]);
  });

  it("has texts as long as a cell holds them", async () => {
    const long = `${"á".repeat(20_000)}_x000D_${"b".repeat(12_766)}`;
    for (const as of ["shared", "inline", "rich", "formula"] as const) {
      const row = [cellOf(known(0)), cellOf(long, as)];
      const sent = await workbook([{ name: "Base", rows: [[cellOf("CNPJ")], row] }]);
      const [, found] = slowRecords((await converted(sent, "csv")).bytes.toString(), ",");
      assert.ok(found?.cells[1] === long.replace("_x000D_", "\r"), as);
    }
  });

  it("is refused if its rows are not in order", async () => {
    const rows = [[cellOf("CNPJ")], [cellOf(known(0))], [cellOf(known(1))]];
    const parts = workbookParts([{ name: "Base", rows }]);
    const xml = (parts.get(SHEET) as string).replace('r="3"', 'r="1"').replace("A3", "A1");
    const sent = await packed(new Map([...parts, [SHEET, xml]]));
    await assert.rejects(converted(sent, "csv"), /row 1 is there twice or too late/);
  });

  it("does not read a CNPJ from a date", async () => {
    const rows = [
      [cellOf("CNPJ raiz")],
      [cellOf(known(0))],
      [{ number: "45000", style: STYLES.date }],
    ];
    const sent = await workbook([{ name: "Base", rows }]);
    const { summary } = await converted(sent, "csv");
    assert.deepEqual([summary.outcomes.found, summary.outcomes.not_a_cnpj], [1, 1]);
  });
});

describe("a row of a sheet", () => {
  const SEVERAL = "11.222.333/0001-81; 11.444.777/0001-61";
  /** Returns the statuses in column C of the workbook, which are those of the CSV and a preview. */
  const statusesIn = async (sent: Buffer) => {
    const book = await converted(sent, "xlsx", { fields: ["uf"] });
    const csv = await converted(sent, "csv", { fields: ["uf"] });
    const options = { ...OPTIONS, labels: "pt" as const };
    const seen = await previewEnrichment({ segment, path: fileOf(sent), options });
    for (const { outcomes, rows } of [csv.summary, seen]) {
      assert.deepEqual([outcomes, rows], [book.summary.outcomes, book.summary.rows]);
    }
    const cells = cellsIn(zipParts(book.bytes).get(SHEET) as string);
    const records = slowRecords(csv.bytes.toString(), ",");
    const statuses = records.map((_, at) => cells.get(`C${at + 1}`)?.text ?? "");
    assert.deepEqual(
      records.map((record) => record.cells[2] ?? ""),
      statuses,
    );
    return statuses.slice(1);
  };
  const HEADER = [cellOf("CNPJ"), cellOf("Nome")];

  it("has a reason of its own for a formula without a result, and for several CNPJs", async () => {
    const rows = [
      ...[HEADER, [cellOf(known(0)), cellOf("a")], [UNSAVED, cellOf("b")], [UNSAVED, null]],
      ...[
        [cellOf("", "formula"), cellOf("c")],
        [cellOf(SEVERAL), UNSAVED],
      ],
      [cellOf(`${known(0)} / ${known(0)}`), null],
    ];
    const unsaved = "not_a_cnpj: unsaved_formula";
    const several = "not_a_cnpj: several_cnpjs";
    assert.deepEqual(await statusesIn(await workbook([{ name: "Base", rows }])), [
      ...["found", unsaved, unsaved, "no_cnpj", several, several],
    ]);
    const { summary } = await converted(Buffer.from(`CNPJ\n${known(0)}\n"${SEVERAL}"\n`), "csv");
    assert.deepEqual(summary.outcomes, { found: 1, several_cnpjs: 1 });
    assert.match(
      outcomeWords("unsaved_formula", "pt"),
      /^Fórmula sem resultado salvo: abra e salve/,
    );
  });

  it("is answered if a CNPJ is merged over it", async () => {
    const rows = [
      ...[HEADER, [cellOf(known(0)), cellOf("a")], [null, cellOf("b")], [null, null]],
      ...[[null, cellOf("c")], [cellOf("1"), cellOf("d")], [null, null], null],
    ];
    const merged = ["A2:A4", "A6:A8", "B2:B5"].map((ref) => `<mergeCell ref="${ref}"/>`);
    const sheet = { name: "Base", rows, tail: `<mergeCells>${merged.join("")}</mergeCells>` };
    const sent = await workbook([sheet]);
    const short = "not_a_cnpj: too_short";
    assert.deepEqual(await statusesIn(sent), [
      ...["found", "found", "found", "no_cnpj", short, short],
    ]);
    // The sheet has no row 8.
    assert.equal((await converted(sent, "xlsx")).summary.rows, 5);
  });

  it("stays together with its new cells when a filter sorts it", async () => {
    const rows = [HEADER, [cellOf(known(0)), cellOf("a")], [cellOf(known(1)), cellOf("b")]];
    const filter = (last: string) =>
      `<autoFilter ref="A1:${last}3"><sortState ref="A2:${last}3">` +
      '<sortCondition ref="B2:B3"/></sortState></autoFilter>';
    const names = (last: string) =>
      ["Capa", "Base"].map(
        (name, at) =>
          `<definedName name="_xlnm._FilterDatabase" localSheetId="${at}" hidden="1">'${name}'!` +
          `$A$1:$${at === 0 ? "B" : last}$3</definedName>`,
      );
    const base = { name: "Base", rows, tail: filter("B") };
    const parts = workbookParts([{ name: "Capa", rows: [[cellOf("x")]] }, base]);
    const book = (parts.get("xl/workbook.xml") as string).replace(
      "</sheets>",
      `</sheets><definedNames>${names("B").join("")}</definedNames>`,
    );
    const table = '<table ref="A1:B3"><autoFilter ref="A1:B3"/></table>';
    for (const [path, part] of [
      ["xl/workbook.xml", book],
      ["xl/tables/table1.xml", table],
    ] as const) {
      parts.set(path, part);
    }
    const { bytes } = await converted(await packed(parts), "xlsx", { fields: ["uf"] });
    const changed = zipParts(bytes);
    assert.ok(changed.get("xl/worksheets/sheet2.xml")?.includes(filter("D")));
    assert.ok(changed.get("xl/workbook.xml")?.includes(names("D").join("")));
    assert.equal(changed.get("xl/tables/table1.xml"), table, "a table stays as it is");
    const columns = { cnpjs: 0, last: 3, header: 2 };
    for (const ref of ["B2:C9", "A1:B1", "A2", "A2:E9"])
      assert.equal(widenedRange(ref, columns), ref);
  });

  it("is that of the named sheet in every format, and no sheet of CSV is named", async () => {
    const rows = (cnpjs: readonly string[]) => [HEADER, ...cnpjs.map((one) => [cellOf(one)])];
    const sheets = [
      { name: "Base", rows: rows([known(0), known(1)]) },
      { name: "Outra", rows: rows(["123"]) },
    ];
    const sent = await workbook(sheets);
    for (const format of ["xlsx", "csv"] as const) {
      const { summary } = await converted(sent, format, { sheet: "Outra" });
      assert.deepEqual([summary.source.sheet, summary.outcomes], ["Outra", { too_short: 1 }]);
    }
    const csv = converted(Buffer.from(`CNPJ\n${known(0)}\n`), "csv", { sheet: "Base" });
    await assert.rejects(csv, /it is CSV, which has no sheets\. Leave out the sheet/);
  });

  it("is read in the first of several equally full columns, which is reported", async () => {
    const right = accounts.filter(({ cnpj }) => cnpj.endsWith(cnpjCheckDigits(cnpj)));
    const [one, two, three] = right.map(({ cnpj }) => cnpj);
    const csv = Buffer.from(`CNPJ matriz;n;CNPJ filial;outro\n${one};1;${two};${three}\n`);
    const { summary } = await converted(csv, "csv");
    assert.deepEqual([summary.column, summary.equals], ["CNPJ matriz", ["CNPJ filial"]]);
    const named = await converted(csv, "csv", { column: "CNPJ filial" });
    assert.deepEqual([named.summary.column, named.summary.equals], ["CNPJ filial", []]);
  });
});

describe("a preview", () => {
  const preview = (bytes: Uint8Array, options: Partial<EnrichmentOptions> = {}) =>
    previewEnrichment({
      ...{ segment, path: fileOf(bytes) },
      options: { ...OPTIONS, ...options, labels: "pt" },
    });

  it("shows how a file is parsed, the first rows, and the refused ones", async () => {
    const lines = [
      ...["Clientes", "", "id;CNPJ;nome"],
      ...[`1;${known(0)};Ação`, "2;123.456.789-09;Maria", "3;;Nada", "", "4;11222333000181;Fora"],
      ...Array.from({ length: 40 }, (_, at) => `${at + 5};${known(at)};x`),
    ];
    const seen = await preview(Buffer.from(`${lines.join("\r\n")}\r\n`, "latin1"));
    assert.deepEqual(
      [seen.format, seen.encoding, seen.delimiter, seen.sheet, seen.header, seen.rows],
      ["csv", "windows-1252", ";", null, 3, lines.length - 3],
    );
    assert.deepEqual([seen.columns, seen.column], [["id", "CNPJ", "nome"], 1]);
    assert.deepEqual(seen.outcomes, { blank: 1, found: 41, not_in_snapshot: 1, cpf: 1 });
    assert.deepEqual(seen.refused, [{ row: 5, text: "***.***.***-**", reason: "cpf" }]);
    assert.equal(seen.first.length, 20);
    const [first, second, third, fourth] = seen.first;
    assert.deepEqual([first?.row, first?.cells[2], first?.status], [4, "Ação", "Encontrado"]);
    assert.equal(first?.account?.legal_name, (accounts[0] as KnownAccount).legal_name);
    assert.deepEqual([second?.row, second?.account, second?.outcome], [5, null, "cpf"]);
    assert.deepEqual([third?.outcome, fourth?.outcome], ["blank", "not_in_snapshot"]);
    assert.equal(fourth?.row, 8);
  });

  it("agrees with the enrichment, in random files and sheets", async () => {
    for (let seed = 0; seed < 40; seed++) {
      const rng = seededRng(9_000 + seed);
      const rows = [[cellOf("CNPJ")], [cellOf(known(0))]].concat(
        Array.from({ length: 30 }, () => [cellOf(randomCell(rng, accounts).text || "-")]),
      );
      const bytes =
        seed % 2 === 0 ? randomCsv(rng, accounts).bytes : await workbook([{ name: "Base", rows }]);
      const { summary } = await converted(bytes, undefined);
      const seen = await preview(bytes);
      const counted = Object.entries(summary.outcomes).filter(([, count]) => count > 0);
      assert.deepEqual(seen.outcomes, Object.fromEntries(counted), `file ${seed}`);
      assert.equal(seen.rows, summary.rows);
    }
  });

  it("offers lost zeros, and restores them on request", async () => {
    const account = accounts.find(({ cnpj }) => cnpj.startsWith("0")) as KnownAccount;
    const csv = Buffer.from(`cnpj;nome\n${Number(account.cnpj)};x\n${known(0)};y\n`);
    const [refused] = (await preview(csv)).refused;
    assert.deepEqual([refused?.reason, refused?.offered], ["lost_zeros", account.cnpj]);
    const filled = await preview(csv, { fillZeros: true });
    assert.deepEqual([filled.outcomes, filled.refused], [{ found: 2 }, []]);
  });

  it("accepts another column", async () => {
    const csv = Buffer.from(`CNPJ;outro\n${known(0)};${known(1)}\n`);
    const seen = await preview(csv, { column: "2" });
    assert.deepEqual(
      [seen.column, seen.first[0]?.account?.legal_name],
      [1, (accounts[1] as KnownAccount).legal_name],
    );
  });
});
