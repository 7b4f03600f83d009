/**
 * Proves: enrichment only appends cells to a CSV file. The file keeps its bytes, titles, blank
 * lines, quotation marks, line ends, encoding, and byte order mark, in random files of every
 * encoding and delimiter. Each row below the headings gets the status and the fields that a slow
 * reference implementation computes. An enriched workbook keeps every cell with its type and style.
 * The same file gives the same bytes for any number of threads and any chunks. Unreadable files are
 * refused with a message. No status repeats a CPF.
 * Does not prove: exports of such files (e2e/server/enrichment), nor speed.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { isValidCNPJ } from "@brazilian-utils/brazilian-utils";
import {
  type EnrichmentSummary,
  enrichFile,
  readLayout,
} from "../../../src/export/enrichment/enrichment.ts";
import {
  type EnrichmentOptions,
  outcomeWords,
  statusHeading,
} from "../../../src/export/enrichment/outcomes.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { HEADINGS_PT } from "../../../src/spec/fields/headings.ts";
import { HEADINGS_EN } from "../../../src/spec/fields/headings-en.ts";
import type { OutputField } from "../../../src/spec/fields.ts";
import {
  type KnownAccount,
  randomCell,
  randomCsv,
  type SentFile,
  slowRecords,
  textOf,
} from "../../support/export/sent-files.ts";
import { zipParts } from "../../support/export/zip-parts.ts";
import {
  type CellDraft,
  text as cellOf,
  packed,
  partsOf,
  STYLES,
  workbook,
} from "../../support/lists/workbooks.ts";
import { labelledTwin } from "../../support/native-index/labelled-twin.ts";
import { escapeFormula } from "../../support/native-index/rows-twin.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { seededRng } from "../../support/spec/random.ts";

const FIELDS: readonly OutputField[] = [
  ...(["legal_name", "cnpj", "registration_status", "share_capital", "cnae_secondary"] as const),
  ...(["started_on", "phone_1", "mei_opt_in", "municipality_name", "trade_name"] as const),
];
const FREE = ["legal_name", "municipality_name", "trade_name"];
const ROUNDS = 150;

let made: SampleSnapshot;
let segment: Segment;
let accounts: readonly KnownAccount[];
let folder: string;

before(async () => {
  made = await makeSampleSnapshot(3_000, 11);
  segment = await openSegment(made.snapshot);
  const rows = Uint32Array.from({ length: segment.accounts }, (_, row) => row);
  const text = segment.native.renderJson(rows, [...FIELDS, "headquarters"]);
  accounts = JSON.parse(Buffer.from(text).toString()) as KnownAccount[];
  folder = mkdtempSync(join(tmpdir(), "peneira-enrich-"));
});
after(() => {
  segment.close();
  made.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const OPTIONS: EnrichmentOptions = {
  fields: FIELDS,
  labels: null,
  column: undefined,
  fillZeros: false,
};

async function enriched(
  bytes: Uint8Array,
  options: Partial<EnrichmentOptions> = {},
  spare = false,
): Promise<{ readonly bytes: Buffer; readonly summary: EnrichmentSummary }> {
  const path = join(folder, "sent");
  writeFileSync(path, bytes);
  const pieces: Buffer[] = [];
  const summary = await enrichFile({
    ...{ segment, path, options: { ...OPTIONS, ...options } },
    write: (piece) => pieces.push(Buffer.from(piece)),
    onProgress: () => {},
    onFound: () => {},
    checkCancelled: () => {},
    spare: () => spare,
  });
  return { bytes: Buffer.concat(pieces), summary };
}

/** Returns the texts of the cells that must be appended to a row. */
function cellsOf(outcome: string, account: KnownAccount | null, labels: "pt" | "en" | null) {
  const values = FIELDS.map((field) => {
    const value = account?.[field] ?? null;
    if (value === null) return "";
    const people = labels === null ? undefined : labelledTwin(field, value, labels);
    const plain = people ?? (Array.isArray(value) ? value.join(",") : String(value));
    return FREE.includes(field) ? escapeFormula(plain) : plain;
  });
  return [outcomeWords(outcome as "found", labels), ...values];
}

function compareCsv(sent: SentFile, out: Buffer, labels: "pt" | "en" | null, seed: number): void {
  assert.deepEqual(out.subarray(0, sent.mark.length), sent.mark);
  const before = slowRecords(textOf(sent, sent.bytes), sent.delimiter);
  const after = slowRecords(textOf(sent, out), sent.delimiter);
  const label = `file ${seed}`;
  assert.equal(after.length, before.length, `${label}: as many rows as came`);
  assert.equal(before.length, sent.expected.length, label);
  const from = sent.expected.findIndex(({ kind }) => kind === "heading");
  const width = Math.max(...before.slice(Math.max(0, from)).map(({ cells }) => cells.length));
  for (const [at, what] of sent.expected.entries()) {
    const [was, is] = [before[at], after[at]] as [(typeof before)[0], (typeof after)[0]];
    assert.equal(is.end, was.end, `${label}, record ${at}: the end of the line`);
    assert.ok(is.raw.startsWith(was.raw), `${label}, record ${at}: the bytes that were sent`);
    if (what.kind === "untouched") {
      assert.equal(is.raw, was.raw, label);
      continue;
    }
    assert.deepEqual(is.cells.slice(0, was.cells.length), was.cells, label);
    const padding = width - was.cells.length;
    assert.deepEqual(is.cells.slice(was.cells.length, width), new Array(padding).fill(""), label);
    const headings = labels === "pt" ? HEADINGS_PT : HEADINGS_EN;
    const expected =
      what.kind === "heading"
        ? [statusHeading(labels), ...FIELDS.map((field) => (labels ? headings[field] : field))]
        : what.kind === "empty"
          ? new Array(FIELDS.length + 1).fill("")
          : cellsOf(what.outcome, what.account, labels);
    assert.deepEqual(is.cells.slice(width), expected, `${label}, record ${at}: ${was.raw}`);
  }
}

describe("an enriched CSV file", () => {
  it("is the sent one with the cells of a slow twin, in random files", async () => {
    for (let seed = 0; seed < ROUNDS; seed++) {
      const rng = seededRng(seed);
      const sent = randomCsv(rng, accounts);
      const labels = ([null, "pt", "en"] as const)[Math.floor(rng() * 3)] ?? null;
      const { bytes, summary } = await enriched(sent.bytes, { labels }, rng() < 0.5);
      compareCsv(sent, bytes, labels, seed);
      const rows = sent.expected.flatMap((what) => (what.kind === "row" ? [what.outcome] : []));
      assert.equal(summary.found, rows.filter((one) => one === "found").length, `file ${seed}`);
    }
  });

  it("has the same bytes for files of many batches, with any helpers", async () => {
    const rng = seededRng(77);
    const cells = Array.from({ length: 40_000 }, () => randomCell(rng, accounts));
    const text = `id;cnpj\n${cells.map((cell, at) => `${at};${cell.text}`).join("\n")}\n`;
    const alone = await enriched(Buffer.from(text), { labels: "pt" });
    const helped = await enriched(Buffer.from(text), { labels: "pt" }, true);
    assert.ok(alone.bytes.equals(helped.bytes));
    const records = slowRecords(alone.bytes.toString(), ";").slice(1);
    assert.equal(records.length, cells.length);
    records.forEach(({ cells: is }, at) => {
      const { outcome, account } = cells[at] as (typeof cells)[0];
      assert.deepEqual(is.slice(2), cellsOf(outcome, account, "pt"), `row ${at}`);
    });
  });

  it("has the head office of a root if the header says that roots are companies", async () => {
    const headOffice = accounts.find(({ headquarters }) => headquarters === true) as KnownAccount;
    const root = headOffice.cnpj.slice(0, 8);
    const { bytes, summary } = await enriched(Buffer.from(`cnpj,x\n${root},1\n99999998,2\n`));
    const [, first, second] = slowRecords(bytes.toString(), ",");
    assert.deepEqual(first?.cells.slice(2), cellsOf("head_office", headOffice, null));
    assert.equal(second?.cells[2], "not_in_snapshot");
    assert.equal(summary.found, 1);
  });

  it("restores lost zeros only on request", async () => {
    const account = accounts.find(({ cnpj }) => cnpj.startsWith("0")) as KnownAccount;
    const sent = Buffer.from(`cnpj;nome\n${Number(account.cnpj)};x\n11222333000181;y\n`);
    const refused = slowRecords((await enriched(sent)).bytes.toString(), ";")[1];
    assert.equal(refused?.cells[2], "not_a_cnpj: lost_zeros");
    const filled = await enriched(sent, { fillZeros: true });
    const row = slowRecords(filled.bytes.toString(), ";")[1];
    assert.deepEqual(row?.cells.slice(2), cellsOf("found", account, null));
  });

  it("finds an account despite wrong check digits", async () => {
    const known = accounts.find(({ cnpj }) => !isValidCNPJ(cnpj) && /^\d+$/.test(cnpj));
    assert.ok(known !== undefined, "the sample has such an account");
    const { bytes } = await enriched(Buffer.from(`cnpj\n${known.cnpj}\n11222333000182\n`));
    const [, first, second] = slowRecords(bytes.toString(), ";");
    assert.deepEqual(first?.cells.slice(1), cellsOf("found", known, null));
    assert.equal(second?.cells[1], "not_a_cnpj: wrong_check_digits");
  });

  it("of one column of numbers has no decimal comma as its delimiter", async () => {
    const account = accounts.find(({ cnpj }) => /^[1-9]\d{13}$/.test(cnpj)) as KnownAccount;
    const { cnpj } = account;
    const scientific = `${cnpj[0]},${cnpj.slice(1)}E+13`;
    const statuses = async (lines: readonly string[]) => {
      const { bytes, summary } = await enriched(Buffer.from(`${lines.join("\r\n")}\r\n`));
      const records = slowRecords(bytes.toString(), ";");
      return [summary.column, ...records.map(({ cells }) => cells[1])];
    };
    const rounded = "not_a_cnpj: rounded";
    const head = ["CNPJ", "enrichment_status"];
    assert.deepEqual(await statuses(["CNPJ", "5,57563E+12", "1,21902E+11"]), [
      ...[...head, rounded, rounded],
    ]);
    assert.deepEqual(await statuses(["CNPJ", scientific, "5,57563E+12", cnpj]), [
      ...[...head, "found", rounded, "found"],
    ]);
    assert.deepEqual(await statuses(["CNPJ", cnpj, `${cnpj},00`]), [...head, "found", "found"]);
    assert.deepEqual(await statuses([scientific, scientific]), ["1", "found", "found"]);
    const quoted = `a\tCNPJ\tc\r\n10,5\t${cnpj}\t"l1\nl2"\t10,5`;
    const { summary } = await enriched(Buffer.from(quoted));
    assert.deepEqual([summary.column, summary.found], ["CNPJ", 1]);
    const tabs = await enriched(Buffer.from(`${cnpj}\t10,50\n${scientific}\tRua A, 1\n`));
    const cells = slowRecords(tabs.bytes.toString(), "\t").map((record) => record.cells);
    assert.deepEqual(
      cells.map((row) => row.slice(0, 3)),
      [
        [cnpj, "10,50", "found"],
        [scientific, "Rua A, 1", "found"],
      ],
    );
  });

  it("is read if only a header says that a column has CNPJs", async () => {
    const spellings = ["C.N.P.J.", "C. N. P. J", "CNPJ/MF", "Nº CNPJ", "CNPJ2024"];
    for (const header of [
      "Nr. CNPJ",
      "CNPJ/CPF",
      "cnpj_cpf",
      "CNPJ básico",
      "CNPJ",
      ...spellings,
    ]) {
      const { bytes, summary } = await enriched(Buffer.from(`n;${header}\na;123\n`));
      assert.equal(summary.column, header);
      assert.equal(slowRecords(bytes.toString(), ";")[1]?.cells[2], "not_a_cnpj: too_short");
    }
  });

  it("takes a header of eight characters that begins with CNPJ for no root", async () => {
    const { cnpj } = accounts[0] as KnownAccount;
    for (const header of ["CNPJ2024;nome", "nome;CNPJ2024", "CNPJ2024;CNPJ2025"]) {
      const row = header.startsWith("CNPJ") ? `${cnpj};a` : `a;${cnpj}`;
      const { bytes, summary } = await enriched(Buffer.from(`${header}\n${row}\n`));
      assert.equal(summary.column, "CNPJ2024", header);
      assert.equal(slowRecords(bytes.toString(), ";")[0]?.cells[2], "enrichment_status");
    }
  });

  it("has its header below many titles if it says CNPJ", async () => {
    const { cnpj } = accounts[0] as KnownAccount;
    const titled = async (titles: readonly string[], header: string) => {
      const text = [...titles, header, `1;${cnpj};x`].join("\n");
      const { bytes, summary } = await enriched(Buffer.from(`${text}\n`));
      const at = slowRecords(bytes.toString(), ";").findIndex(({ cells }) =>
        cells.includes("enrichment_status"),
      );
      return [summary.column, at];
    };
    const titles = (count: number) => Array.from({ length: count }, () => "Titulo;x;y");
    assert.deepEqual(await titled(titles(19), "id;CNPJ;v"), ["CNPJ", 19]);
    assert.deepEqual(await titled(titles(20), "id;CNPJ;v"), ["CNPJ", 20]);
    assert.deepEqual(await titled(titles(90), "id;CNPJ;v"), ["CNPJ", 90]);
    // A remark below the header, such as "sem CNPJ", is not taken as the header.
    const noted = ["id;CNPJ;", ...titles(30), "sem CNPJ;a;b"];
    assert.deepEqual(await titled(noted, "2;;z"), ["CNPJ", 0]);
  });

  it("stays UTF-8 if it was cut off within a character", async () => {
    const inCity = accounts.find((one) => one.municipality_name === "São Paulo");
    const { cnpj } = inCity as KnownAccount;
    const fields: readonly OutputField[] = ["municipality_name"];
    const cut = Buffer.from(`cnpj;nome\n${cnpj};Ação\n${cnpj};São`).subarray(0, -2);
    const { bytes, summary } = await enriched(cut, { fields });
    assert.equal(summary.text.encoding, "utf-8");
    assert.ok(bytes.toString().endsWith(";found;São Paulo"));
    // The only non-ASCII character is one of Windows-1252.
    const windows = Buffer.from(`cnpj;nome\n${cnpj};manh\u00e3`, "latin1");
    assert.equal((await enriched(windows, { fields })).summary.text.encoding, "windows-1252");
  });

  it("may have any number of columns", async () => {
    const { cnpj } = accounts[0] as KnownAccount;
    const empty = ";".repeat(150_000);
    const { bytes } = await enriched(Buffer.from(`cnpj ${empty}\n${cnpj}${empty}\n`));
    assert.ok(bytes.toString().includes(`${empty};found;`));
  });

  it("is refused with a message if it cannot be parsed", async () => {
    const refused = (bytes: Uint8Array, message: RegExp, options = {}) =>
      assert.rejects(enriched(bytes, options), { message });
    for (const nothing of ["", "\ufeff", "\r\n\r\n", " \n"]) {
      await refused(Buffer.from(nothing), /^The file is empty\.$/);
    }
    await refused(Buffer.from("nome;idade\nAna;3\n"), /No column of the first lines holds CNPJs/);
    await refused(Buffer.from("nomes\nAna\n"), /The first lines hold no CNPJ/);
    const named = Buffer.from("cnpj;nome\n11222333000181;a\n");
    await refused(named, /no column "x" in the file\. It has "cnpj", "nome"\./, { column: "x" });
    const bare = Buffer.from("11222333000181;1\n11222333000181;2\n");
    await refused(bare, /It has no header: name one by its number, 1 to 2\./, { column: "x" });
    await refused(Buffer.from('cnpj\n"11222333000181\n'), /Line 2 has no end/);
    await refused(Buffer.from("%PDF-1.7\n"), /PDF/);
    await refused(Buffer.from("sep=^\ncnpj^x\n"), /semicolons, commas, tabs or bars/);
    await refused(Buffer.from("PK\u0003\u0004 no workbook"), /no XLSX workbook/);
    const half = Buffer.from("\ufeffcnpj;nome\r\n11222333000181;\ud800\r\n", "utf16le");
    await refused(half, /damaged/);
  });

  it("keeps end-of-file marks after the last row", async () => {
    const { cnpj } = accounts[0] as KnownAccount;
    const { bytes } = await enriched(Buffer.from(`cnpj\r\n${cnpj}\r\n\u001a`), { fields: ["uf"] });
    const text = bytes.toString();
    assert.match(text.slice(0, -1), /^cnpj;[^\r]+\r\n\d+;found;..\r\n$/);
    assert.equal(text.at(-1), "\u001a");
  });
});

/** Returns the XML of each cell of a sheet, by its reference. */
function sheetCells(xml: string): Map<string, string> {
  const cells = new Map<string, string>();
  for (const [whole, place = ""] of xml.matchAll(/<c r="([A-Z]+\d+)"[^>]*?(?:\/>|>.*?<\/c>)/gs)) {
    cells.set(place, whole);
  }
  return cells;
}

const SHEET = "xl/worksheets/sheet2.xml";
const TYPES = "[Content_Types].xml";

describe("an enriched workbook", () => {
  it("keeps all cells and parts, and has the cells of a slow twin, in random sheets", async () => {
    for (let seed = 0; seed < 25; seed++) {
      const rng = seededRng(1_000 + seed);
      const drafts = Array.from({ length: 1 + Math.floor(rng() * 80) }, () =>
        rng() < 0.1 ? null : randomCell(rng, accounts),
      );
      const other = (): CellDraft | null =>
        rng() < 0.3 ? null : rng() < 0.5 ? { number: "45000", style: 1 } : cellOf("<&> é", "rich");
      const rows = [
        [cellOf("Clientes")],
        null,
        [cellOf("Nome"), cellOf("CNPJ"), cellOf("Desde")],
        [cellOf("a"), cellOf((accounts[0] as KnownAccount).cnpj), null],
        ...drafts.map((draft) =>
          draft === null
            ? null
            : [other(), draft.text === "" ? null : cellOf(draft.text, "inline"), other()],
        ),
      ];
      const sent = await workbook([
        { name: "Capa", rows: [[cellOf("capa")]] },
        { name: "Base", rows },
      ]);
      const { bytes } = await enriched(sent, { labels: "pt" });
      const again = await enriched(sent, { labels: "pt" }, true);
      assert.ok(bytes.equals(again.bytes), `sheet ${seed}: the same bytes`);
      const [was, is] = [zipParts(sent), zipParts(bytes)];
      assert.deepEqual([...is.keys()], [...was.keys()]);
      for (const [path, part] of was) {
        if (path !== SHEET && path !== "xl/styles.xml") assert.equal(is.get(path), part, path);
      }
      const cellsBefore = sheetCells(was.get(SHEET) as string);
      const cellsAfter = sheetCells(is.get(SHEET) as string);
      for (const [place, cell] of cellsBefore) assert.equal(cellsAfter.get(place), cell, place);
      for (const [at, draft] of drafts.entries()) {
        const place = `D${at + 5}`;
        const status = /<t>(.*?)<\/t>/.exec(cellsAfter.get(place) ?? "")?.[1];
        const row = rows[at + 4];
        if (draft === null || row?.every((cell) => cell === null)) {
          assert.equal(status, undefined, place);
          continue;
        }
        assert.equal(
          status,
          outcomeWords(draft.outcome as "found", "pt"),
          `${place} ${draft.text}`,
        );
        const name = /<t[^>]*>(.*?)<\/t>/.exec(cellsAfter.get(`E${at + 5}`) ?? "")?.[1];
        const wanted = draft.account?.legal_name as string | null | undefined;
        assert.equal(name?.replaceAll("&amp;", "&"), wanted ?? undefined, place);
      }
      const styles = is.get("xl/styles.xml") as string;
      const first = /<v>(\d+)<\/v>/.exec(cellsAfter.get("J4") ?? "")?.[1];
      const started = (accounts[0] as KnownAccount).started_on as string | null;
      const days = started === null ? undefined : Date.parse(started) / 86_400_000 + 25_569;
      assert.equal(first, days === undefined ? undefined : String(days));
      assert.match(
        styles,
        /<xf numFmtId="14" applyNumberFormat="1"\/><xf numFmtId="4" [^>]*\/><\/cellXfs>/,
      );
    }
  });

  it("has its new titles in the style of its last title", async () => {
    const style = STYLES.thousands;
    const rows = [
      [cellOf("CNPJ"), { number: "2026", style }],
      [cellOf((accounts[0] as KnownAccount).cnpj)],
    ];
    for (const wording of [{}, { prefix: "x" }]) {
      const sent = await workbook([{ name: "S", rows }], wording);
      const { bytes } = await enriched(sent, { column: "1", fields: ["uf"] });
      const xml = zipParts(bytes).get("xl/worksheets/sheet1.xml") as string;
      const cells = [...xml.matchAll(/<(?:x:)?c r="([CD]\d)"(?: s="(\d)")?/g)];
      assert.deepEqual(
        cells.map(([, place, found]) => [place, found]),
        [
          ["C1", String(style)],
          ["D1", String(style)],
          ["C2", undefined],
          ["D2", undefined],
        ],
      );
    }
  });

  it("counts new dates like the workbook, from 1900 or 1904", async () => {
    const { cnpj } = accounts[0] as KnownAccount;
    const rows = [[cellOf("CNPJ")], [cellOf(cnpj), { number: "1", style: STYLES.date }]];
    const parts = partsOf([{ name: "S", rows }]);
    const book = parts.get("xl/workbook.xml") as string;
    const dayIn = async (since1904: string) => {
      const dated = book.replace("<sheets>", `<workbookPr date1904="${since1904}"/><sheets>`);
      const sent = await packed(new Map([...parts, ["xl/workbook.xml", dated]]));
      const { bytes } = await enriched(sent, { fields: ["started_on"] });
      const xml = zipParts(bytes).get("xl/worksheets/sheet1.xml") as string;
      return Number(/r="D2"[^>]*><v>(-?\d+)</.exec(xml)?.[1]);
    };
    const day = await dayIn("0");
    assert.ok(day > 1_462, "a day that both systems have");
    for (const since1904 of ["1", "true"]) assert.equal(await dayIn(since1904), day - 1_462);
  });

  it("has its new columns after merged cells, except those above the header", async () => {
    const { cnpj } = accounts[0] as KnownAccount;
    const rows = [[cellOf("Clientes")], [cellOf("CNPJ"), cellOf("Nome")], [cellOf(cnpj)], null];
    const firstOf = async (...merged: readonly string[]) => {
      const cells = merged.map((ref) => `<mergeCell ref="${ref}"/>`).join("");
      const sheet = { name: "S", rows, tail: `<mergeCells>${cells}</mergeCells>` };
      const { bytes } = await enriched(await workbook([sheet]), { fields: ["uf"] });
      const xml = zipParts(bytes).get("xl/worksheets/sheet1.xml") as string;
      assert.ok(xml.includes(sheet.tail), "the merged cells stay");
      return [...sheetCells(xml).keys()].filter((place) => !/^[AB]\d/.test(place)).sort();
    };
    assert.deepEqual(await firstOf("A1:B1"), ["C2", "C3", "D2", "D3"]);
    assert.deepEqual(await firstOf("A1:H1"), ["C2", "C3", "D2", "D3"], "a title hides nothing");
    assert.deepEqual(await firstOf("B1:D2"), ["E2", "E3", "F2", "F3"], "a title in the header");
    assert.deepEqual(await firstOf("A1:H1", "A3:C3"), ["D2", "D3", "E2", "E3"], "a row of data");
    assert.deepEqual(await firstOf("D9:E12"), ["F2", "F3", "G2", "G3"], "a note below");
    assert.deepEqual(await firstOf("E12:D9"), ["F2", "F3", "G2", "G3"], "corners turned");
    const message = /merged cells up to column XFD, and 2 more have no room\. Unmerge these cells/;
    await assert.rejects(firstOf("A4:XFD4"), { message });
    const sheet = { name: "S", rows, tail: '<mergeCells><mergeCell ref="A4:XFD4"/></mergeCells>' };
    const csv = join(folder, "sent");
    writeFileSync(csv, await workbook([sheet]));
    await readLayout(csv, OPTIONS, "csv");
  });

  it("shows its new columns if the sheet hides the unused ones", async () => {
    const { cnpj } = accounts[0] as KnownAccount;
    const rows = [[cellOf("CNPJ"), cellOf("Nome")], [cellOf(cnpj)]];
    const columnsOf = async (columns: string, closing = "") => {
      const head = `<cols>${columns}${closing}</cols>`;
      const { bytes } = await enriched(await workbook([{ name: "S", rows, head }]), {
        fields: ["uf"],
      });
      const xml = zipParts(bytes).get("xl/worksheets/sheet1.xml") as string;
      return /<cols>(.*)<\/cols>/s.exec(xml)?.[1];
    };
    const kept = '<col min="1" max="1" hidden="1"/><col min="5" max="9" hidden="1"/>';
    assert.equal(await columnsOf(kept), kept, "columns of the file stay as they are");
    const shown = '<col min="2" max="8" width="12"/>';
    assert.equal(await columnsOf(shown), shown);
    assert.equal(
      await columnsOf('<col min="2" max="16384" width="9" hidden="1" customWidth="1"/>'),
      '<col min="2" max="2" width="9" hidden="1" customWidth="1"/>' +
        '<col min="3" max="4" width="9" customWidth="1"/>' +
        '<col min="5" max="16384" width="9" hidden="1" customWidth="1"/>',
    );
    assert.equal(
      await columnsOf("<col max='4' min='3' width='0' outlineLevel='1' collapsed='1'>", "</col>"),
      "<col max='4' min='3'></col>",
    );
    assert.equal(
      await columnsOf('<col min="4" max="6" hidden="true">', "</col>"),
      '<col min="4" max="4"/><col min="5" max="6" hidden="true"></col>',
    );
  });

  it("enriches hidden rows", async () => {
    const rows = [
      [cellOf("CNPJ"), cellOf("Nome")],
      [cellOf((accounts[0] as KnownAccount).cnpj), null],
    ];
    const sent = partsOf([{ name: "S", rows }]);
    const path = "xl/worksheets/sheet1.xml";
    const xml = (sent.get(path) as string).replace('<row r="2"', '<row r="2" hidden="1"');
    sent.set(path, xml);
    const { bytes, summary } = await enriched(await packed(sent), { fields: ["uf"] });
    assert.equal(summary.rows, 1);
    assert.match(zipParts(bytes).get(path) as string, /<row r="2" hidden="1">.*<c r="C2"/s);
  });

  it("names the sheet, why it was chosen, and how many others are left", async () => {
    const { cnpj } = accounts[0] as KnownAccount;
    const cover = { name: "Capa", rows: [[cellOf("CNPJ da empresa"), cellOf(cnpj)]] };
    const known = accounts.slice(0, 4).map((one) => [cellOf(one.cnpj)]);
    const data = { name: "Base", rows: [[cellOf("CNPJ")], ...known] };
    const words = { name: "Leia-me", rows: [[cellOf("Leia")]] };
    const options = { name: "Opções", rows: [[cellOf("sim")]], state: "hidden" as const };
    const sourceOf = async (...sheets: Parameters<typeof workbook>[0]) =>
      (await enriched(await workbook(sheets))).summary.source;
    const base = { sheet: "Base", reason: "first_with_cnpjs", others: 0, hidden: 0 };
    assert.deepEqual(await sourceOf(data), base);
    assert.deepEqual(await sourceOf(words, data, options), { ...base, others: 1, hidden: 1 });
    const after = { ...base, reason: "after_cover", others: 1 };
    assert.deepEqual(await sourceOf(cover, data), after);
    const plain = { name: "Base", rows: [[cellOf("Nota")], [cellOf("x")]] };
    const only = await enriched(await workbook([{ name: "Vazia", rows: [] }, plain]), {
      column: "A",
    });
    assert.deepEqual(only.summary.source, { ...base, reason: "only_with_data", others: 1 });
    const { summary } = await enriched(Buffer.from(`CNPJ\n${cnpj}\n`));
    assert.deepEqual(summary.source, { sheet: null, reason: null, others: 0, hidden: 0 });
  });

  it("is refused if it is of a kind that no XLSX file may be, unless it becomes CSV", async () => {
    const rows = [[cellOf("CNPJ")], [cellOf((accounts[0] as KnownAccount).cnpj)]];
    const parts = partsOf([{ name: "Base", rows }]);
    const types = parts.get(TYPES) as string;
    const plain = "vnd.openxmlformats-officedocument.spreadsheetml.sheet.main";
    assert.ok(types.includes(plain));
    for (const [kind, message] of [
      [
        "vnd.ms-excel.sheet.macroEnabled.main",
        /has macros \(XLSM\)\. Save it as XLSX .* choose CSV/,
      ],
      ["vnd.ms-excel.template.macroEnabled.main", /has macros/],
      ["vnd.openxmlformats-officedocument.spreadsheetml.template.main", /is a template/],
    ] as const) {
      const sent = await packed(new Map([...parts, [TYPES, types.replace(plain, kind)]]));
      await assert.rejects(enriched(sent), { message });
      const path = join(folder, "kind");
      writeFileSync(path, sent);
      await assert.rejects(readLayout(path, OPTIONS), { message });
      assert.equal((await readLayout(path, OPTIONS, "csv")).rows, 1);
    }
  });

  it("is refused if the new columns have no room", async () => {
    const wide = new Array(16_380).fill(null);
    const rows = [
      [cellOf("CNPJ"), ...wide, cellOf("último")],
      [cellOf((accounts[0] as KnownAccount).cnpj)],
    ];
    const sent = await workbook([{ name: "Base", rows }]);
    await assert.rejects(enriched(sent), /Choose fewer fields, or delete columns/);
  });
});
