/**
 * Proves: rows that the addon renders as CSV, JSON lines, HTML and sheet rows are byte for byte
 * those of the slow twin (rows-twin.ts), for hostile and random accounts, any fields in any order
 * and extra columns; readers get every text back; columns hold what a search shows; what a format
 * cannot hold and requests that make no sense are refused by name.
 * Does not prove: that whole files are good (the tests of the renderers), nor which rows they hold.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import {
  type ColumnBuffers,
  type ExtraColumn,
  type FieldColumn,
  type NativeSegment,
  openSegment,
  type RenderRequest,
  type RowFormat,
} from "../native-index/engine.ts";
import { OUTPUT_FIELD_NAMES } from "../src/spec/fields.ts";
import { randomRows, seededRandom } from "./fixture-rows.ts";
import { writeFixture } from "./region-fixture.ts";
import { HOSTILE_TEXTS, hostileRows } from "./render-fixture.ts";
import {
  type Account,
  columnName,
  parseCsv,
  readHtmlText,
  readSheetText,
  renderTwin,
  typeOf,
  unformulated,
} from "./rows-twin.ts";

const FORMATS: readonly RowFormat[] = ["csv", "html", "jsonl", "xlsx"];
const ROUNDS = 60;
/** Days around 0000, 1900, 9999 and both ends of what a column holds. */
const DAYS = [
  -719_529,
  -719_528,
  -25_509,
  -25_508,
  2_932_896,
  2_932_897,
  2 ** 31 - 1,
  -(2 ** 31) + 1,
];
/** Cents that a double cannot tell apart, and the largest of all. */
const CENTS = [10n ** 15n + 1n, 2n ** 53n + 1n, 10n ** 18n + 7n, 2n ** 63n - 1n, -1n, -123_456n];

const folder = mkdtempSync(join(tmpdir(), "peneira-rows-"));
let hostile: NativeSegment;
let random: NativeSegment;

before(async () => {
  const open = async (name: string, rows: Parameters<typeof writeFixture>[1]) => {
    const fixture = await writeFixture(join(folder, name), rows);
    return openSegment(fixture.path, fixture.directory);
  };
  hostile = await open("hostile", hostileRows());
  const rows = randomRows(5, 3_000).map((row, i) => ({
    ...row,
    share_capital_cents:
      i % 40 === 0 ? (CENTS[(i / 40) % CENTS.length] as bigint) : row.share_capital_cents,
    registration_status_date:
      i % 50 === 0 ? (DAYS[(i / 50) % DAYS.length] as number) : row.registration_status_date,
  }));
  random = await open("random", rows);
});
after(() => {
  hostile.close();
  random.close();
  rmSync(folder, { recursive: true });
});

function accountsOf(segment: NativeSegment, rows: Uint32Array, fields: readonly string[]) {
  return JSON.parse(Buffer.from(segment.renderJson(rows, fields)).toString()) as Account[];
}

/** A request for all fields of the contract, or as wished. */
function requestOf(wish: Partial<RenderRequest>): RenderRequest {
  const fields = OUTPUT_FIELD_NAMES;
  return { format: "csv", fields, extra: [], delimiter: ",", firstNumber: 2, ...wish };
}

function rendered(segment: NativeSegment, rows: Uint32Array, request: RenderRequest): string {
  return Buffer.from(segment.renderRows(rows, request)).toString();
}

/** Row ids in no order, some of them twice. */
function someRows(segment: NativeSegment, count: number, dice: () => number): Uint32Array {
  return Uint32Array.from({ length: count }, () => Math.floor(dice() * segment.rowCount));
}

function someFields(dice: () => number): string[] {
  const kept = OUTPUT_FIELD_NAMES.filter(() => dice() < 0.4);
  return kept.sort(() => dice() - 0.5);
}

function someExtras(format: RowFormat, rows: number, dice: () => number): ExtraColumn[] {
  const values = (make: () => string) =>
    Array.from({ length: rows }, () => (dice() < 0.3 ? null : make()));
  const text = () => HOSTILE_TEXTS[Math.floor(dice() * HOSTILE_TEXTS.length)] as string;
  const number = () => String(Math.floor(dice() * 2000) / 10 - 50);
  const json = () => JSON.stringify({ text: text(), list: [1, null] });
  return [
    { name: 'explain "why"', kind: "text" as const, values: values(text) },
    { name: "rank", kind: "number" as const, values: values(number) },
    { name: "detail", kind: "json" as const, values: values(json) },
    { name: "more", kind: "text" as const, values: values(text) },
  ].filter(({ kind }) => dice() < 0.5 && (kind !== "json" || format === "jsonl"));
}

/** One request of one text per row beside nothing else. */
function ofTexts(format: RowFormat, texts: readonly string[]): RenderRequest {
  const extra = [{ name: "text", kind: "text", values: texts }] as const;
  return requestOf({ format, fields: ["cnpj"], extra });
}

describe("rows of an export", () => {
  for (const format of FORMATS) {
    it(`are as ${format} what the twin makes of all fields`, () => {
      for (const segment of [hostile, random]) {
        const rows = Uint32Array.from({ length: segment.rowCount }, (_, row) => row);
        const request = requestOf({ format, firstNumber: 7 });
        const expected = renderTwin(accountsOf(segment, rows, request.fields), request);
        assert.equal(rendered(segment, rows, request), expected);
      }
    });

    it(`are as ${format} what the twin makes of some fields, rows and extra columns`, () => {
      const dice = seededRandom(17);
      for (let i = 0; i < ROUNDS; i++) {
        const segment = i % 2 === 0 ? hostile : random;
        const rows = someRows(segment, Math.floor(dice() * 300), dice);
        const request = requestOf({
          format,
          fields: someFields(dice),
          extra: someExtras(format, rows.length, dice),
          delimiter: dice() < 0.5 ? "," : ";",
          firstNumber: 1 + Math.floor(dice() * 20_000),
        });
        const expected = renderTwin(accountsOf(segment, rows, request.fields), request);
        assert.equal(rendered(segment, rows, request), expected, JSON.stringify(request.fields));
      }
    });

    it(`do not depend as ${format} on the sizes of the calls`, () => {
      const dice = seededRandom(23);
      const rows = someRows(random, 700, dice);
      const whole = rendered(random, rows, requestOf({ format }));
      let pieces = "";
      for (let from = 0; from < rows.length; ) {
        const piece = rows.subarray(from, from + Math.floor(dice() * 150));
        pieces += rendered(random, piece, requestOf({ format, firstNumber: 2 + from }));
        from += piece.length;
      }
      assert.equal(pieces, whole);
    });
  }

  it("have a cell for every column beyond Z and ZZ", () => {
    const fields = Array.from({ length: 710 }, () => "cnpj");
    const text = rendered(random, Uint32Array.of(0), requestOf({ format: "xlsx", fields }));
    const places = [...text.matchAll(/<c r="([A-Z]+)2"/g)].map(([, letters]) => letters);
    assert.deepEqual([places[25], places[26], places[701], places[702]], ["Z", "AA", "ZZ", "AAA"]);
    assert.deepEqual(
      places,
      fields.map((_, i) => columnName(i)),
    );
  });

  it("are not lost to readers of CSV that skip empty lines", () => {
    const dice = seededRandom(29);
    const rows = someRows(random, 200, dice);
    const text = rendered(random, rows, requestOf({ fields: ["trade_name"] }));
    assert(text.includes('""\r\n') && !/(^|\n)\r\n/.test(text));
    assert.equal(parseCsv(text, ",").length, 200);
  });

  it("are nothing for no rows", () => {
    for (const format of FORMATS) {
      assert.equal(rendered(random, new Uint32Array(), requestOf({ format })), "");
    }
  });
});

/** Texts near the escapes of the formats. */
const texts = fc.array(
  fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(...HOSTILE_TEXTS),
    fc
      .array(fc.constantFrom(..."_x0041F\r\n\t\0\x1f\ufffe\uffef &<>;,\"'=-@ "))
      .map((l) => l.join("")),
    fc.constantFrom("_x0041\r", "_x0041_x0042_", "\r_x000D_", "_x004\x01_", "'=1", "'"),
  ),
  { maxLength: 20 },
);

/** Rows of as many as the texts. */
const firstRows = (count: number) => Uint32Array.from({ length: count }, (_, row) => row);

describe("texts in rows", () => {
  it("come back from CSV with both delimiters, but for the apostrophe before a formula", () => {
    const property = fc.property(texts, fc.constantFrom(",", ";"), (values, delimiter) => {
      const request = { ...ofTexts("csv", values), delimiter } as const;
      const text = rendered(random, firstRows(values.length), request);
      const found = parseCsv(text, delimiter).map(([, cell]) => cell as string);
      assert.deepEqual(found, values.map(unformulated));
      const undone = found.map((cell) => cell.replace(/^'(?=[=+\-@\t\r])/, ""));
      // A text that begins with an apostrophe and a formula cannot be told from a guarded one.
      const expected = values.map((value) => value.replace(/^'(?=[=+\-@\t\r])/, ""));
      assert.deepEqual(undone, expected);
      assert(found.every((cell) => !/^[=+\-@\t\r]/.test(cell)));
    });
    fc.assert(property, { numRuns: 300, seed: 1 });
  });

  it("come back from HTML, and none ends its cell", () => {
    const property = fc.property(texts, (values) => {
      const text = rendered(random, firstRows(values.length), ofTexts("html", values));
      const cells = text
        .split("</tr>\n")
        .slice(0, -1)
        .map((row) => {
          const match = /^<tr><th scope="row">\w{14}<\/th><td>([^<>"']*)<\/td>$/.exec(row);
          return readHtmlText(match?.[1] as string);
        });
      assert.deepEqual(
        cells,
        values.map((value) => value.replaceAll("\0", "\ufffd")),
      );
    });
    fc.assert(property, { numRuns: 300, seed: 2 });
  });

  it("come back from a sheet, whatever XML forbids", () => {
    const property = fc.property(texts, (values) => {
      const text = rendered(random, firstRows(values.length), ofTexts("xlsx", values));
      const cells = [...text.matchAll(/<c r="B\d+" t="inlineStr"><is><t[^>]*>([^<]*)<\/t>/g)];
      assert.deepEqual(
        cells.map(([, xml]) => readSheetText(xml as string)),
        values,
      );
    });
    fc.assert(property, { numRuns: 300, seed: 3 });
  });

  it("come back from JSON lines", () => {
    const property = fc.property(texts, (values) => {
      const text = rendered(random, firstRows(values.length), ofTexts("jsonl", values));
      const found = text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line).text);
      assert.deepEqual(found, values);
    });
    fc.assert(property, { numRuns: 300, seed: 4 });
  });
});

/** Values of a column as JSON shows them, read from its buffers. */
function decodeColumn(column: Omit<FieldColumn, "field">): unknown[] {
  const { type, length, buffers, child } = column;
  const { validity, nullCount, data } = buffers;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const items = child === null ? [] : decodeColumn({ type: "utf8", child: null, ...child });
  const bit = (bits: Uint8Array, i: number) => (((bits[i >> 3] as number) >> (i & 7)) & 1) === 1;
  const bounds = offsetsOf(buffers, type, length);
  const read = (i: number): unknown => {
    const [from, to] = [bounds[i] as number, bounds[i + 1] as number];
    if (type === "utf8") return Buffer.from(data.subarray(from, to)).toString();
    if (type === "list<utf8>") return items.slice(from, to);
    if (type === "bool") return bit(data, i);
    if (type === "int32") return view.getInt32(4 * i, true);
    if (type === "float64") return view.getFloat64(8 * i, true);
    return view.getInt32(4 * i, true);
  };
  const values = Array.from({ length }, (_, i) => {
    if (validity === null || bit(validity, i)) return read(i);
    // A slot without a value is empty or zero.
    const hollow = read(i);
    assert(hollow === "" || hollow === 0 || hollow === false, `${hollow} is no empty slot`);
    return null;
  });
  assert.equal(nullCount, values.filter((value) => value === null).length);
  assert.equal(validity === null, nullCount === 0);
  if (validity !== null) assert.equal(validity.length, Math.ceil(length / 8));
  const width = { bool: 1 / 8, int32: 4, date32: 4, float64: 8, utf8: 0, "list<utf8>": 0 }[type];
  if (width > 0) assert.equal(data.length, Math.ceil(length * width));
  return values;
}

function offsetsOf({ offsets, data }: ColumnBuffers, type: string, length: number): number[] {
  const variable = type === "utf8" || type === "list<utf8>";
  assert.equal(offsets !== null, variable);
  if (offsets === null) return [];
  const bytes = Buffer.from(offsets);
  assert.equal(bytes.length, 4 * (length + 1));
  const bounds = Array.from({ length: length + 1 }, (_, i) => bytes.readInt32LE(4 * i));
  assert.equal(bounds[0], 0);
  if (type === "utf8") assert.equal(bounds.at(-1), data.length);
  return bounds;
}

/** Days since 1970 of the date of JSON, which may have a year of seven digits. */
function daysOf(date: string): number {
  const [, year, month, day] = /^(-?\d+)-(\d\d)-(\d\d)$/.exec(date) as RegExpExecArray;
  // 400 years have 146,097 days; Date knows only the years around ours.
  const eras = Math.floor((Number(year) - 1970) / 400);
  const time = Date.UTC(Number(year) - eras * 400, Number(month) - 1, Number(day));
  return time / 86_400_000 + eras * 146_097;
}

describe("columns of rows", () => {
  it("hold what a search shows, for all fields and for rows in any order", () => {
    const dice = seededRandom(31);
    const cases = [0, 1, 8, 63, 64, 65, 777].flatMap((count) =>
      [hostile, random].map((segment) => [segment, someRows(segment, count, dice)] as const),
    );
    for (const [segment, rows] of cases) {
      const accounts = accountsOf(segment, rows, OUTPUT_FIELD_NAMES);
      const columns = segment.columnsOf(rows, OUTPUT_FIELD_NAMES);
      assert.deepEqual(
        columns.map(({ field }) => field),
        OUTPUT_FIELD_NAMES,
      );
      for (const column of columns) {
        const { field, type, length } = column;
        assert.equal(type, typeOf(field), field);
        assert.equal(length, rows.length);
        const expected = accounts.map(({ [field]: value }) =>
          type === "date32" && value !== null ? daysOf(String(value)) : value,
        );
        assert.deepEqual(decodeColumn(column), expected, field);
      }
    }
  });

  it("come in the order that was asked for, and as equal bytes for equal rows", () => {
    const rows = Uint32Array.of(5, 900, 2);
    const [uf, again, cnpj] = random.columnsOf(rows, ["uf", "uf", "cnpj"]);
    assert.deepEqual(uf, again);
    assert.equal(cnpj?.field, "cnpj");
    assert.deepEqual(random.columnsOf(rows, []), []);
  });
});

describe("requests for rows", () => {
  const one = Uint32Array.of(0);

  it("are refused by name when they make no sense", () => {
    const refuse = (wish: object, message: RegExp, rows = one) =>
      assert.throws(() => random.renderRows(rows, requestOf(wish)), {
        code: "INVALID_ARGUMENT",
        message,
      });
    refuse({ format: "pdf" }, /format "pdf"/);
    refuse({ fields: ["salary"] }, /no field "salary"/);
    refuse({ delimiter: "\t" }, /delimiter/);
    refuse({ format: "xlsx", firstNumber: 0 }, /firstNumber/);
    const extra = (kind: string, values: unknown) => [{ name: "why", kind, values }];
    refuse({ extra: extra("text", []) }, /"why" has 0 values for 1 rows/);
    refuse({ extra: extra("json", ["1"]) }, /"why" is JSON, which only jsonl holds/);
    refuse({ extra: extra("date", ["1"]) }, /kind "date"/);
    refuse({ extra: extra("text", [1]) }, /string/);
    for (const format of FORMATS) refuse({ format }, /no row 3000/, Uint32Array.of(1, 3000));
    assert.throws(() => random.columnsOf(Uint32Array.of(3000), ["uf"]), /no row 3000/);
    assert.throws(() => random.columnsOf(one, ["salary"]), /no field "salary"/);
    assert.throws(() => random.columnsOf([0] as unknown as Uint32Array, []), /Uint32Array/);
  });

  it("are refused when a sheet cannot hold the rows", () => {
    const sheet = (text: string) => rendered(random, one, ofTexts("xlsx", [text]));
    // Both are 32,767 units of UTF-16 long, which is what a cell holds.
    for (const text of ["é".repeat(32_767), `x${"\u{1f600}".repeat(16_383)}`]) {
      assert(sheet(text).includes(text));
      const message = /"text" in row 2 has 32768 characters/;
      assert.throws(() => sheet(`${text}x`), { code: "SHEET_LIMIT", message });
    }
    const last = { format: "xlsx", firstNumber: 1_048_576 } as const;
    assert.match(rendered(random, one, requestOf(last)), /^<row r="1048576">/);
    const message = /1,048,576 rows/;
    const two = Uint32Array.of(0, 1);
    assert.throws(() => random.renderRows(two, requestOf(last)), { code: "SHEET_LIMIT", message });
    const fields = Array.from({ length: 16_385 }, () => "cnpj");
    const wide = requestOf({ format: "xlsx", fields });
    assert.throws(() => random.renderRows(one, wide), { code: "SHEET_LIMIT" });
  });
});
