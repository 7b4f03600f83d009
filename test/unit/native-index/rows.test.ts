/**
 * Proves: rows that the addon renders as CSV, JSON lines, HTML, and sheet rows equal a slow
 * reference implementation (rows-twin.ts) byte for byte. Tests hostile and random accounts, any
 * fields in any order, and extra columns. Readers recover every text. Content that does not fit a
 * format, and invalid requests, are rejected by name.
 * Does not prove: that whole files are right (the tests of the renderers), nor which rows they
 * have.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import type {
  ExtraColumn,
  NativeSegment,
  RowFormat,
  RowsRequest,
} from "../../../native-index/napi/engine.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { HOSTILE_TEXTS } from "../../support/native-index/render-fixture.ts";
import {
  ALL_FIELDS,
  accountsOf,
  openRowFixtures,
  type RowFixtures,
  someRows,
} from "../../support/native-index/rows-fixture.ts";
import {
  columnName,
  escapeFormula,
  FORMULA,
  parseCsv,
  readHtmlText,
  readSheetText,
  renderTwin,
} from "../../support/native-index/rows-twin.ts";

const FORMATS: readonly RowFormat[] = ["csv", "html", "jsonl", "xlsx"];
const DELIMITERS = [",", ";", "\t", "|"];
const ROUNDS = 60;

let hostile: NativeSegment;
let random: NativeSegment;
let fixtures: RowFixtures;

before(async () => {
  fixtures = await openRowFixtures();
  ({ hostile, random } = fixtures);
});
after(() => fixtures.dispose());

/** Returns a request for all public fields. `request` replaces any of its members. */
function requestOf(request: Partial<RowsRequest>): RowsRequest {
  const fields = ALL_FIELDS;
  return { format: "csv", fields, extra: [], delimiter: ",", firstNumber: 2, ...request };
}

function rendered(segment: NativeSegment, rows: Uint32Array, request: RowsRequest): string {
  return Buffer.from(segment.renderRows(rows, request)).toString();
}

function someFields(dice: () => number): string[] {
  const retained = ALL_FIELDS.filter(() => dice() < 0.4);
  return retained.sort(() => dice() - 0.5);
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

/** Returns a request for the CNPJ and one given text in each row. */
function ofTexts(format: RowFormat, texts: readonly string[]): RowsRequest {
  const extra = [{ name: "text", kind: "text", values: texts }] as const;
  return requestOf({ format, fields: ["cnpj"], extra });
}

describe("rows of an export", () => {
  for (const format of FORMATS) {
    it(`equal the twin's ${format} of all fields`, () => {
      for (const segment of [hostile, random]) {
        const rows = Uint32Array.from({ length: segment.rowCount }, (_, row) => row);
        const request = requestOf({ format, firstNumber: 7 });
        const expected = renderTwin(accountsOf(segment, rows, request.fields), request);
        assert.equal(rendered(segment, rows, request), expected);
      }
    });

    it(`equal the twin's ${format} for people, in both languages`, () => {
      const dice = seededRandom(29);
      for (let i = 0; i < ROUNDS; i++) {
        const segment = i % 2 === 0 ? hostile : random;
        const rows = someRows(segment, Math.floor(dice() * 300), dice);
        const request = requestOf({
          format,
          fields: i < 4 ? ALL_FIELDS : someFields(dice),
          labels: dice() < 0.5 ? "pt" : "en",
          delimiter: DELIMITERS[Math.floor(dice() * DELIMITERS.length)] as string as ",",
        });
        const expected = renderTwin(accountsOf(segment, rows, request.fields), request);
        assert.equal(rendered(segment, rows, request), expected, JSON.stringify(request));
      }
    });

    it(`equal the twin's ${format} of some fields, rows, and extra columns`, () => {
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

    it(`as ${format} do not depend on the sizes of the calls`, () => {
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

  it("are not lost to CSV readers that skip empty lines", () => {
    const dice = seededRandom(29);
    const rows = someRows(random, 200, dice);
    const text = rendered(random, rows, requestOf({ fields: ["trade_name"] }));
    assert(text.includes('""\r\n') && !/(^|\n)\r\n/.test(text));
    assert.equal(parseCsv(text, ",").length, 200);
  });

  it("are empty without rows", () => {
    for (const format of FORMATS) {
      assert.equal(rendered(random, new Uint32Array(), requestOf({ format })), "");
    }
  });
});

/** Texts with characters that the formats escape. */
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

const firstRows = (count: number) => Uint32Array.from({ length: count }, (_, row) => row);

describe("texts in rows", () => {
  it("are escaped at any position in words of 8 bytes and vectors of 16", () => {
    const special = [..."\"',;\t\r\n &<>_\0\x1f\x7f\\", "\ufffe", "\ufffd", "é", "_x0041_"];
    const values = special.flatMap((character) =>
      Array.from({ length: 36 }, (_, length) =>
        Array.from({ length: length + 1 }, (_, at) => {
          const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ".slice(0, length);
          return plain.slice(0, at) + character + plain.slice(at);
        }),
      ).flat(),
    );
    // There are more texts than accounts, so every account occurs several times.
    const rows = Uint32Array.from(values, (_, i) => i % random.rowCount);
    for (const format of FORMATS) {
      const request = ofTexts(format, values);
      const expected = renderTwin(accountsOf(random, rows, request.fields), request);
      assert.equal(rendered(random, rows, request), expected);
    }
  });

  it("round-trip through CSV with both delimiters, except an apostrophe before a formula", () => {
    const property = fc.property(texts, fc.constantFrom(",", ";"), (values, delimiter) => {
      const request = { ...ofTexts("csv", values), delimiter } as const;
      const text = rendered(random, firstRows(values.length), request);
      const found = parseCsv(text, delimiter).map(([, cell]) => cell as string);
      assert.deepEqual(found, values.map(escapeFormula));
      const unguarded = (cell: string) => (FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell);
      const undone = found.map((cell) => (cell.startsWith("'") ? unguarded(cell) : cell));
      // A text that already is an apostrophe and a formula looks like a formula with the protecting
      // apostrophe, so it loses the apostrophe too.
      const expected = values.map((value) => (value.startsWith("'") ? unguarded(value) : value));
      assert.deepEqual(undone, expected);
      assert(found.every((cell) => !FORMULA.test(cell)));
    });
    fc.assert(property, { numRuns: 300, seed: 1 });
  });

  it("are guarded in CSV after every character that a spreadsheet drops, and no other", () => {
    for (const [first, last] of [
      [0, 0xd7ff],
      [0xe000, 0x1ffff],
      [0xe0000, 0xe1000],
    ] as const) {
      const codes = Array.from({ length: last - first + 1 }, (_, i) => first + i);
      const values = codes.map((code) => `${String.fromCodePoint(code)}=1`);
      const rows = new Uint32Array(values.length);
      const text = rendered(random, rows, ofTexts("csv", values));
      const found = parseCsv(text, ",").map(([, cell]) => cell);
      assert.deepEqual(
        found.filter((cell, i) => cell !== escapeFormula(values[i] as string)).slice(0, 5),
        [],
      );
    }
    for (const sign of "=+-@＝＋－＠") {
      const values = [
        sign,
        `\u00ad${sign}1`,
        ` \u2060\u0085\ufeff${sign}1`,
        `\n${sign}`,
        `A${sign}`,
      ];
      const cells = parseCsv(rendered(random, firstRows(5), ofTexts("csv", values)), ",");
      const guarded = cells.map(([, cell]) => cell?.startsWith("'"));
      assert.deepEqual(guarded, [true, true, true, true, false], sign);
    }
  });

  it("round-trip through HTML, and none ends its cell", () => {
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
        values.map((value) => value.replace(/(?![\t\n\r])\p{Cc}/gu, "\ufffd")),
      );
    });
    fc.assert(property, { numRuns: 300, seed: 2 });
  });

  it("round-trip through a sheet, except for characters that XML forbids", () => {
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

  it("round-trip through JSON lines", () => {
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

describe("row requests", () => {
  const one = Uint32Array.of(0);

  it("are rejected by name if invalid", () => {
    const refuse = (request: object, message: RegExp, rows = one) =>
      assert.throws(() => random.renderRows(rows, requestOf(request)), {
        code: "INVALID_ARGUMENT",
        message,
      });
    refuse({ format: "pdf" }, /format "pdf"/);
    refuse({ fields: ["salary"] }, /no field "salary"/);
    refuse({ delimiter: ":" }, /delimiter/);
    refuse({ format: "xlsx", firstNumber: 0 }, /firstNumber/);
    const extra = (kind: string, values: unknown) => [{ name: "why", kind, values }];
    refuse({ extra: extra("text", []) }, /"why" has 0 values for 1 rows/);
    refuse({ extra: extra("json", ["1"]) }, /"why" is JSON, which only jsonl holds/);
    refuse({ extra: extra("date", ["1"]) }, /kind "date"/);
    refuse({ extra: extra("text", [1]) }, /string/);
    for (const format of FORMATS) refuse({ format }, /no row 3000/, Uint32Array.of(1, 3000));
  });

  it("are rejected if a sheet cannot contain the rows", () => {
    const sheet = (text: string) => rendered(random, one, ofTexts("xlsx", [text]));
    // Both texts have 32,767 UTF-16 units, which is the limit of a cell.
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
