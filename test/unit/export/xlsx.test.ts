/**
 * Proves: an XLSX export, read by another library, has the values of the search in its cells,
 * including hostile texts. Its XML contains no formula except links, and only the promised kinds of
 * cells. Its package is complete and does not depend on how the rows are batched. A failed write or
 * an abort ends the export, and little memory is buffered.
 * Does not prove how a spreadsheet program shows the file, which rows an export has, or how it is
 * written to disk.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import readSheets, { type SheetData } from "read-excel-file/node";
import yauzl from "yauzl";
import { openXlsxRenderer } from "../../../src/export/formats/xlsx/xlsx.ts";
import { OUTPUT_FIELD_NAMES, OUTPUT_FIELDS, type OutputField } from "../../../src/spec/fields.ts";
import { FIXTURE_TABLES } from "../../support/native-index/fixture-rows.ts";
import {
  batchesOf,
  contextOf,
  type ExportOptions,
  HOSTILE_TEXTS,
  openRenderFixture,
  type RenderFixture,
  renderedBytes,
  searched,
  searchedExplained,
} from "../../support/native-index/render-fixture.ts";
import { columnName, linkTwin, readSheetText } from "../../support/native-index/rows-twin.ts";

let fixture: RenderFixture;
before(async () => {
  fixture = await openRenderFixture();
});
after(() => fixture.dispose());

/** Bytes of an export of rows. */
function exported(
  rows: Uint32Array,
  options: Partial<ExportOptions> = {},
  size = 100,
): Promise<Buffer> {
  const context = contextOf(fixture.segment, { format: "xlsx", rowCount: rows.length, ...options });
  return renderedBytes(openXlsxRenderer, context, batchesOf(rows, size));
}

/** Returns the rows of the named sheet, header first. */
async function sheetOf(bytes: Buffer, name: string): Promise<SheetData> {
  const sheets = await readSheets(bytes, { trim: false });
  assert.deepEqual(
    sheets.map(({ sheet }) => sheet),
    ["Accounts", "About"],
  );
  return sheets.find(({ sheet }) => sheet === name)?.data ?? [];
}

/** Maps the path of each part of a package to its content, in the order of the package. */
async function partsOf(bytes: Buffer): Promise<Map<string, string>> {
  const open = promisify<Buffer, yauzl.Options, yauzl.ZipFile>(yauzl.fromBuffer);
  const zip = await open(bytes, { lazyEntries: true });
  const parts = new Map<string, string>();
  return new Promise((settle, fail) => {
    zip.on("error", fail);
    zip.on("end", () => settle(parts));
    zip.on("entry", (entry: yauzl.Entry) => {
      assert.equal(entry.lastModFileDate, 0x21, "1980-01-01");
      assert.equal(entry.lastModFileTime, 0);
      zip.openReadStream(entry, async (error, stream) => {
        if (error) return fail(error);
        const pieces: Buffer[] = [];
        for await (const piece of stream) pieces.push(piece as Buffer);
        parts.set(entry.fileName, Buffer.concat(pieces).toString());
        zip.readEntry();
      });
    });
    zip.readEntry();
  });
}

/** Returns the XML of the sheet that holds the exported rows. */
async function rowsXml(rows: Uint32Array, options: Partial<ExportOptions> = {}): Promise<string> {
  const parts = await partsOf(await exported(rows, options));
  return parts.get("xl/worksheets/sheet1.xml") ?? "";
}

/**
 * The date fields. Tests treat these separately because some readers do not accept dates before
 * 1900-03-01 as dates.
 */
const DATES = [
  ...["registration_status_date", "started_on", "simples_excluded_on", "mei_excluded_on"],
];
const FIRST_DATE = "1900-03-01";

/** Converts a value of the search to the value that its cell must hold. */
function shown(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(",");
  const isDate = DATES.includes(name) && value !== null && (value as string) >= FIRST_DATE;
  return isDate ? new Date(`${value}T00:00:00Z`) : value;
}

function shownRows(accounts: readonly Record<string, unknown>[]): unknown[][] {
  return accounts.map((row) => Object.entries(row).map(([name, value]) => shown(name, value)));
}

describe("cells of an XLSX export", () => {
  it("are those of the search, every field", async () => {
    const [header, ...rows] = await sheetOf(await exported(fixture.rows), "Accounts");
    assert.deepEqual(header, OUTPUT_FIELD_NAMES);
    const accounts = searched(fixture.segment, fixture.rows, OUTPUT_FIELD_NAMES);
    const wanted = shownRows(accounts);
    // The reader pads rows to the width of the header.
    assert.equal(rows.length, wanted.length);
    rows.forEach((row, i) => {
      assert.deepEqual(row, wanted[i], `row ${i}`);
    });
  });

  it("are in the order of the fields and the rows", async () => {
    const rows = fixture.rows.slice(0, 50).reverse();
    const fields = ["score", "cnae_secondary", "cnpj"];
    const [header, ...read] = await sheetOf(await exported(rows, { fields }), "Accounts");
    assert.deepEqual(header, fields);
    assert.deepEqual(read, shownRows(searched(fixture.segment, rows, fields)));
  });

  it("are followed by those that explain them", async () => {
    const options = {
      fields: ["cnpj", "trade_name"],
      explain: true,
      cnae: FIXTURE_TABLES.cnae_primary.slice(0, 20),
    };
    const context = contextOf(fixture.segment, { format: "xlsx", rowCount: 400, ...options });
    const accounts = searched(fixture.segment, fixture.rows, options.fields);
    const explained = searchedExplained(context, fixture.rows);
    const wanted = accounts.map((account, i) => ({ ...account, ...explained[i] }));
    const [header, ...read] = await sheetOf(await exported(fixture.rows, options), "Accounts");
    assert.deepEqual(header, Object.keys(wanted[0] as object));
    assert.deepEqual(read, shownRows(wanted));
    assert.ok(new Set(read.map((row) => row.at(-2))).size > 2);
  });

  it("are none without rows", async () => {
    const bytes = await exported(fixture.rows.subarray(0, 0));
    assert.deepEqual(await sheetOf(bytes, "Accounts"), [OUTPUT_FIELD_NAMES]);
  });
});

/** For each kind of field, the pattern that the XML of its cells must match. */
const CELLS: Readonly<Record<string, RegExp>> = {
  string: /^<c r="A\d+" t="inlineStr"><is><t( xml:space="preserve")?>[^<]*<\/t><\/is><\/c>$/,
  array: /^<c r="A\d+" t="inlineStr"><is><t( xml:space="preserve")?>[\d,]+<\/t><\/is><\/c>$/,
  boolean: /^<c r="A\d+" t="b"><v>[01]<\/v><\/c>$/,
  integer: /^<c r="A\d+"><v>\d+<\/v><\/c>$/,
  number: /^<c r="A\d+"><v>\d+(\.\d{1,2})?<\/v><\/c>$/,
  date: /^<c r="A\d+"( s="1"><v>\d+<\/v>| t="inlineStr"><is>.*1[89][\d-]{8}<\/t><\/is>)<\/c>$/,
};

describe("the XML of an XLSX export", () => {
  it("has the promised kind of cell for every field, and never a formula", async () => {
    for (const { name, kind } of OUTPUT_FIELDS) {
      const xml = await rowsXml(fixture.rows, { fields: [name] });
      const cells = (xml.match(/<c .*?<\/c>/gs) ?? []).slice(1);
      const present = searched(fixture.segment, fixture.rows, [name]).filter(
        (account) => shown(name, account[name]) !== null,
      );
      assert.equal(cells.length, present.length, name);
      const wanted = CELLS[DATES.includes(name) ? "date" : kind] as RegExp;
      for (const cell of cells) assert.match(cell, wanted, name);
      assert.ok(!/<f[ >/]/.test(xml), name);
    }
  });

  it("links chats, plain e-mail addresses, and streets for people, and nothing else", async () => {
    const fields = OUTPUT_FIELD_NAMES;
    const xml = await rowsXml(fixture.rows, { fields, people: { labels: "pt" } });
    const accounts = searched(fixture.segment, fixture.rows, fields);
    const links = accounts.flatMap((account) =>
      fields.flatMap((field) => linkTwin(field, account, fields) ?? []),
    );
    for (const target of ["mailto:", "https://wa.me/", "https://www.google.com/maps/search/"]) {
      const some = links.filter((link) => link.startsWith(`HYPERLINK("${target}`));
      assert.ok(some.length > 20, `the fixture has links to ${target}`);
    }
    const formulas = Array.from(xml.matchAll(/<f>(.*?)<\/f>/gs), ([, text]) => text ?? "");
    assert.deepEqual(formulas.map(readSheetText).sort(), links.sort());
    for (const formula of formulas.map(readSheetText)) {
      const [, target = "", shown = ""] =
        /^HYPERLINK\("([^"]*)"(?:,"((?:[^"]|"")*)")?\)$/.exec(formula) ?? [];
      assert.ok(target !== "" && target.length <= 255 && shown.length <= 255, formula);
    }
  });

  it("links no street whose city or state is not a column of the file", async () => {
    const place = ["street", "municipality_name", "uf"] as const;
    const linksOf = async (fields: readonly OutputField[]) => {
      const xml = await rowsXml(fixture.rows, { fields, people: { labels: "pt" } });
      return xml.match(/<f>/g)?.length ?? 0;
    };
    assert.ok((await linksOf(place)) > 20);
    for (const left of place) {
      assert.equal(await linksOf(place.filter((field) => field !== left)), 0, left);
    }
  });

  it("numbers rows from 2 on, across slices", async () => {
    const rows = Uint32Array.from({ length: 5_000 }, (_, i) => i % 400);
    const xml = await rowsXml(rows, { fields: ["cnpj", "uf"] });
    const numbers = Array.from(xml.matchAll(/<row r="(\d+)">/g), ([, number]) => Number(number));
    assert.deepEqual(
      numbers,
      Array.from({ length: 5_001 }, (_, i) => i + 1),
    );
    assert.match(xml, /<dimension ref="A1:B5001"\/>/);
  });

  it("freezes the header, has a filter in it, and gives every column a width", async () => {
    const parts = await partsOf(await exported(fixture.rows));
    const xml = parts.get("xl/worksheets/sheet1.xml") ?? "";
    const column = columnName(OUTPUT_FIELDS.length - 1);
    const last = `${column}401`;
    assert.match(
      xml,
      /<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"\/>/,
    );
    assert.ok(xml.includes(`<autoFilter ref="A1:${last}"/>`));
    assert.equal(xml.match(/<col /g)?.length, OUTPUT_FIELDS.length);
    const workbook = parts.get("xl/workbook.xml") ?? "";
    assert.ok(workbook.includes(`>Accounts!$A$1:$${column}$401</definedName>`));
    assert.match(parts.get("xl/styles.xml") ?? "", /formatCode="yyyy\\-mm\\-dd"/);
  });

  it("is well-formed in every part, and the package names every part", async () => {
    const parts = await partsOf(await exported(fixture.rows, { explain: true }));
    const [first] = parts.keys();
    assert.equal(first, "[Content_Types].xml");
    for (const [path, xml] of parts) assertBalanced(path, xml);
    const named = (parts.get("[Content_Types].xml") ?? "").matchAll(/PartName="\/([^"]+)"/g);
    const paths = Array.from(named, ([, path]) => path as string);
    const others = [...parts.keys()].filter((path) => !/\.rels$|^\[/.test(path));
    assert.deepEqual(paths.sort(), others.sort());
  });
});

/** Fails unless elements are properly nested and only allowed characters occur. */
function assertBalanced(path: string, xml: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML does not allow.
  assert.doesNotMatch(xml, /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/, path);
  assert.doesNotMatch(xml, /&(?!(amp|lt|gt|quot);)/, path);
  const open: string[] = [];
  for (const [, close, name, empty] of xml.matchAll(/<(\/?)([\w:]+)[^<>]*?(\/?)>/g)) {
    if (close === "/") assert.equal(open.pop(), name, path);
    else if (empty !== "/") open.push(name as string);
  }
  assert.deepEqual(open, [], path);
}

describe("the sheet About of an XLSX export", () => {
  const about = async (rows: Uint32Array, options: Partial<ExportOptions> = {}) =>
    sheetOf(await exported(rows, options), "About");

  it("states snapshot, dates, rows, and matches", async () => {
    const values = new Map((await about(fixture.rows)).map(([label, value]) => [label, value]));
    assert.equal(values.get("Snapshot"), "2026-10");
    assert.equal(values.get("Reference date"), "2026-10-10");
    assert.equal(values.get("Sanctions as of"), "not available");
    assert.equal(values.get("Rows in this file"), "400");
    assert.equal(values.get("Accounts that match"), "407");
  });

  it("states the filters in words, a row for each value", async () => {
    const rows = await about(fixture.rows, { hints: ["Pão Doce"] });
    const at = rows.findIndex(([label]) => label === "States");
    assert.deepEqual(rows.slice(at, at + 2), [
      ["States", "Rio de Janeiro (RJ)"],
      [null, "São Paulo (SP)"],
    ]);
    assert.ok(rows.some(([, value]) => value === "“pao doce”"));
  });

  it("keeps every character of a text", async () => {
    for (const label of HOSTILE_TEXTS) {
      const context = contextOf({ ...fixture.segment, label }, { format: "xlsx", rowCount: 0 });
      const bytes = await renderedBytes(openXlsxRenderer, context, []);
      const rows = await sheetOf(bytes, "About");
      assert.deepEqual(rows[1], ["Snapshot", label]);
      for (const [path, xml] of await partsOf(bytes)) assertBalanced(path, xml);
    }
  });

  it("explains every column, in their order", async () => {
    const rows = await about(fixture.rows, { explain: true });
    const at = rows.findIndex(([label]) => label === "What the columns mean");
    const [header = []] = await sheetOf(
      await exported(fixture.rows, { explain: true }),
      "Accounts",
    );
    assert.deepEqual(
      rows.slice(at + 1).map(([label]) => label),
      header,
    );
    assert.ok(rows.slice(at + 1).every(([, value]) => `${value}`.length > 3));
  });

  it("is the same without rows, except for their number", async () => {
    const others = (rows: SheetData) =>
      rows.filter(([label]) => !/^(Rows|Accounts)/.test(`${label}`));
    assert.deepEqual(
      others(await about(fixture.rows.subarray(0, 0))),
      others(await about(fixture.rows)),
    );
  });
});

describe("bytes of an XLSX export", () => {
  it("are the same for any batches, every time", async () => {
    const rows = Uint32Array.from({ length: 10_000 }, (_, i) => (i * 7) % 400);
    const first = await exported(rows, {}, 65_536);
    for (const size of [65_536, 4_096, 3_001, 97]) {
      assert.ok(first.equals(await exported(rows, {}, size)), `batches of ${size}`);
    }
  });
});

describe("the end of an XLSX export", () => {
  const many = Uint32Array.from({ length: 20_000 }, (_, i) => i % 400);
  const options = {
    format: "xlsx",
    fields: ["cnpj", "legal_name", "street"],
    rowCount: many.length,
  };
  const open = (write: (bytes: Uint8Array) => void) =>
    openXlsxRenderer(contextOf(fixture.segment, options), write);
  const render = async (write: (bytes: Uint8Array) => void) => {
    const renderer = open(write);
    await renderer.begin();
    for (const batch of batchesOf(many, 4_096)) await renderer.rows(batch);
    await renderer.end();
  };

  it("is the error of any write", { timeout: 20_000 }, async () => {
    let writes = 0;
    await render(() => {
      writes++;
    });
    for (let failing = 1; failing <= writes; failing += Math.ceil(writes / 10)) {
      const full = new Error(`no space at write ${failing}`);
      let calls = 0;
      await assert.rejects(
        render(() => {
          calls++;
          if (calls === failing) throw full;
          assert.ok(calls < failing, "nothing is written behind an error");
        }),
        full,
      );
    }
  });

  it("is the error of the addon, if a text is too long for a cell", async () => {
    const refusal = Object.assign(new Error("too long"), { code: "SHEET_LIMIT" });
    const native = Object.assign(Object.create(fixture.segment.native), {
      renderRows() {
        throw refusal;
      },
    });
    const context = contextOf({ ...fixture.segment, native }, { format: "xlsx", rowCount: 400 });
    await assert.rejects(
      renderedBytes(openXlsxRenderer, context, batchesOf(fixture.rows, 100)),
      refusal,
    );
  });

  it("is an abort at any time, after which nothing is written", async () => {
    for (const batches of [0, 1, 3]) {
      let calls = 0;
      const renderer = open(() => calls++);
      if (batches > 0) await renderer.begin();
      for (const batch of [...batchesOf(many, 4_096)].slice(0, batches)) await renderer.rows(batch);
      renderer.abort?.();
      renderer.abort?.();
      const before = calls;
      await new Promise((settle) => setTimeout(settle, 50));
      assert.equal(calls, before);
    }
  });
});

describe("pending data of an XLSX export", () => {
  it("is bounded, even if rows come much faster than they are packed", async () => {
    let given = 0;
    let written = 0;
    let most = 0;
    const native = Object.assign(Object.create(fixture.segment.native), {
      renderRows() {
        const xml = randomBytes(1 << 20);
        given += xml.length;
        most = Math.max(most, given - written);
        return xml;
      },
    });
    const rows = new Uint32Array(200_000);
    const context = contextOf({ ...fixture.segment, native }, { format: "xlsx", rowCount: 400 });
    const renderer = openXlsxRenderer(context, (bytes) => {
      written += bytes.length;
    });
    await renderer.begin();
    for (const batch of batchesOf(rows, 65_536)) await renderer.rows(batch);
    await renderer.end();
    assert.ok(given > 90 << 20);
    assert.ok(written >= given, "random bytes cannot be packed");
    assert.ok(most <= 4 << 20, `${most} bytes waited`);
  });
});
