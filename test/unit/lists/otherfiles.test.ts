/**
 * Proves: a file of an unsupported kind is refused with the name of its kind. This holds if it is
 * sent as CSV or as XLSX, whole or one byte at a time. The message says how to send the file's
 * CNPJs. CSV and XLSX files are never mistaken for these kinds. If a message quotes a part of the
 * text, it cuts no character.
 * Does not prove the errors of damaged workbooks (xlsxdamage.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../../src/errors.ts";
import { reportText } from "../../../src/lists/column.ts";
import { otherFile } from "../../../src/lists/otherfiles.ts";
import { CsvUpload } from "../../../src/lists/upload.ts";
import { unreadableXlsx } from "../../support/lists/unreadable.ts";
import { packed, text, workbook } from "../../support/lists/workbooks.ts";

const CNPJ = "11222333000181";
const latin = (content: string) => Buffer.from(content, "latin1");

/** The first bytes of files of other programs, each with a CNPJ that must not be read. */
const OTHERS: readonly (readonly [RegExp, Buffer])[] = [
  [/a PDF\b.*one a line/, latin(`%PDF-1.7\n%\u00e2\u00e3\n${CNPJ}`)],
  [/an old workbook \(XLS\), or one with a password/, Buffer.from("d0cf11e0a1b11ae1", "hex")],
  [/an archive.*Unpack it/, Buffer.from("1f8b0800000000000003", "hex")],
  [/an archive/, latin("Rar!\u001a\u0007\u0001")],
  [/a picture.*as text/, Buffer.from("89504e470d0a1a0a", "hex")],
  [/a picture/, Buffer.from("ffd8ffe000104a464946", "hex")],
  [/RTF/, latin(`{\\rtf1\\ansi ${CNPJ}}`)],
  [/a Parquet file.*as CSV/, latin("PAR1\u0015\u0004")],
  [/a database \(SQLite\)/, latin("SQLite format 3\u0000")],
  [/a web page \(HTML\).*XLSX or CSV/, latin(`\n<TABLE><tr><td>${CNPJ}</td></tr></TABLE>`)],
  [/a web page/, latin(`\u00ef\u00bb\u00bf<!DOCTYPE html><p>${CNPJ}`)],
  [/XML/, latin(`<?xml version="1.0"?><nfe>${CNPJ}</nfe>`)],
];

function unreadableCsv(file: Buffer, piece = file.length): string {
  const upload = new CsvUpload(false, undefined);
  for (let at = 0; at < file.length; at += piece) upload.add(file.subarray(at, at + piece));
  try {
    upload.end();
  } catch (error) {
    assert(error instanceof AppError, String(error));
    assert.equal(error.errors[0]?.code, "unreadable_csv");
    return error.message;
  }
  return "";
}

describe("a file of another kind", () => {
  for (const [words, file] of OTHERS) {
    it(`is named by its kind: ${words.source}`, async () => {
      for (const reported of [
        unreadableCsv(file),
        unreadableCsv(file, 1),
        // This line is longer than any line of a real PDF.
        unreadableCsv(Buffer.concat([file, Buffer.alloc(2_000_000, 0x22)])),
        await unreadableXlsx(file),
      ]) {
        assert.match(reported, words);
      }
    });
  }

  it("may end in Ctrl-Z, which is no entry, for any cuts", () => {
    for (const end of ["\x1a", "\n\x1a", "\r\n\x1a\x1a"]) {
      const file = latin(`cnpj\n${CNPJ}${end}`);
      for (const piece of [1, 3, file.length]) {
        const upload = new CsvUpload(false, undefined);
        for (let at = 0; at < file.length; at += piece) upload.add(file.subarray(at, at + piece));
        assert.deepEqual([upload.end().read, upload.refusedCount], [1, 0], JSON.stringify(end));
      }
    }
    const inside = new CsvUpload(false, undefined);
    inside.add(latin(`${CNPJ}\n\x1a`));
    inside.add(latin(`\n${CNPJ}\n`));
    assert.equal(inside.end().refusedCount, 1);
  });

  it("is named by its parts if it is a zip", async () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ["content.xml", /an OpenDocument \(ODS\).*Save it as XLSX/],
      ["word/document.xml", /a text document \(DOCX\)/],
      ["ppt/presentation.xml", /a presentation/],
      ["Index/Document.iwa", /a document of Numbers/],
      ["clientes.csv", /a zip of other files.*Unpack it/],
    ];
    for (const [part, words] of cases) {
      assert.match(await unreadableXlsx(await packed(new Map([[part, CNPJ]]))), words);
    }
    const zip = await packed(new Map([["clientes.csv", CNPJ]]));
    assert.match(unreadableCsv(zip), /a spreadsheet, no CSV/);
  });

  it("is reported as CSV, as empty, or as truncated if sent as a workbook", async () => {
    assert.match(await unreadableXlsx(latin(`cnpj\n${CNPJ}\n`)), /text, as CSV is\. Send it as/);
    assert.match(await unreadableXlsx(Buffer.alloc(0)), /empty\. Send the file again/);
    const good = await workbook([{ name: "A", rows: [[text("cnpj")], [text(CNPJ)]] }]);
    const cut = good.subarray(0, good.length - 100);
    assert.match(await unreadableXlsx(cut), /cut off.*Send the whole file again/);
    assert.equal(await unreadableXlsx(good), "");
  });

  it("is none of a supported kind", async () => {
    const csv = [`cnpj\n${CNPJ}`, `"CNPJ";"x"\r\n"${CNPJ}";"<table>"`, CNPJ, "sep=;\ncnpj;x", ""];
    for (const one of csv) assert.equal(otherFile(latin(one)), null, one);
    assert.equal(otherFile(await workbook([{ name: "A", rows: [[text(CNPJ)]] }])), null);
  });
});

it("a text is quoted in whole characters", () => {
  assert.equal(reportText("x".repeat(100)), "x".repeat(64));
  assert.equal(reportText(`${"x".repeat(63)}\u{1f600}`), `${"x".repeat(63)}\u{1f600}`);
  assert.equal(reportText("\u{1f600}".repeat(99)), "\u{1f600}".repeat(64));
  assert.equal(reportText("a\ud83db"), "a\ufffdb");
});
