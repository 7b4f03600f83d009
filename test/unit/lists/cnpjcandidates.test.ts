/**
 * Proves: pasted and uploaded texts lose nothing silently: each part of a text or of a file's line
 * is an entry or is reported as not understood, for any surrounding text. Encodings, line ends, and
 * spreadsheet headers are parsed.
 * Does not prove: which column of a table is read (upload.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ENTRY_BYTES, entryText } from "../../../src/lists/entries.ts";
import { CsvUpload, Upload } from "../../../src/lists/upload.ts";
import { cnpjCheckDigits } from "../../../src/spec/cnpj/cnpj.ts";

const A = "11222333000181";
const MASKED = "11.222.333/0001-81";
const B = `12ABC34501DE${cnpjCheckDigits("12ABC34501DE")}`;
const C = `000123450001${cnpjCheckDigits("000123450001")}`;
const WRONG = "11.222.333/0001-82";

/** Returns the accepted entries, and the texts that were reported as not understood. */
function outcome(upload: Upload): readonly [string[], string[]] {
  const bytes = Buffer.concat(upload.entries(false));
  const taken = Array.from({ length: bytes.length / ENTRY_BYTES }, (_, at) => entryText(bytes, at));
  return [taken, upload.refused.map(({ text }) => text)];
}

function sent(file: string | Buffer, piece = 1_000): readonly [string[], string[]] {
  const upload = new CsvUpload(false, undefined);
  const bytes = Buffer.from(file as string);
  for (let at = 0; at < bytes.length; at += piece) upload.add(bytes.subarray(at, at + piece));
  return outcome(upload.end());
}

describe("a text", () => {
  for (const [text, taken, reported] of [
    [`${A},`, [A], []],
    [`${MASKED};`, [A], []],
    [`CNPJ: ${MASKED}`, [A], []],
    [`${MASKED} - Fulano Ltda`, [A], []],
    [`${MASKED} ${B}`, [A, B], []],
    [`${A}, ${B}; ${C}`, [A, B, C], []],
    [`${A}, x; ${C}`, [A, C], ["x"]],
    [`="${C}"`, [C], []],
    [`'${C}`, [C], []],
    [`"${A}"`, [A], []],
    [`\u00a0${A}\u2007`, [A], []],
    [`\u200b${A.slice(0, 6)}\u200b${A.slice(6)}\ufeff`, [A], []],
    ["11222333/0001-81", [A], []],
    ["11.222.333 / 0001 \u2013 81", [A], []],
    ["11 222 333 0001 81", [A], []],
    ["11222333-0001-81", [A], []],
    ["11.222.333.0001.81", [A], []],
    ["11 222 333/0001-81", [A], []],
    ["11-222-333-0001-81", [A], []],
    ["11222333 0001 81", [A], []],
    ["11.222.333/000181", [A], []],
    ["112223330001-81", [A], []],
    ["11222333 / 0001.81", [A], []],
    [`12 abc 345 01de ${B.slice(12)}`, [B], []],
    [`CNPJ 11 222 333 0001 81 - Fulano, 12-abc-345-01de-${B.slice(12)}`, [A, B], []],
    [`DE SAO JOA 1234 ${A}`, [A], []],
    ["11 222 333 0001 82", [], ["11222333000182"]],
    ["11222333-0001-82", [], ["11222333000182"]],
    ["11222333 000181", [], ["11222333 000181"]],
    ["20260102-030405", [], ["20260102-030405"]],
    ["11222333 22333444 33444555", ["11222333", "22333444", "33444555"], []],
    [`-${A}`, [], [`-${A}`]],
    [`\u2212${A}`, [], [`\u2212${A}`]],
    [`${A}.5`, [], [`${A}.5`]],
    [`-${A}.5`, [], [`-${A}.5`]],
    [`- ${MASKED}`, [A], []],
    [`${A}.`, [A], []],
    ["PADARIAS", [], ["PADARIAS"]],
    ["11222333 22333444", ["11222333", "22333444"], []],
    [`${A} 22333444`, [A], ["22333444"]],
    [`${MASKED} (11) 91234-5678`, [A], ["91234-5678"]],
    [`${A} ${WRONG}`, [A], [WRONG]],
    ["Padaria do Zé", [], ["Padaria do Zé"]],
    ["EMPREENDIMENTO12", [], ["EMPREENDIMENTO12"]],
    ["1,12224E+13", [], ["1,12224E+13"]],
    [" ,;\u00a0", [], []],
  ] as const) {
    it(`is read from ${JSON.stringify(text)}`, () => {
      const upload = new Upload(false);
      assert.equal(upload.take(text, { line: 1 }), taken.length + reported.length > 0);
      assert.deepEqual(outcome(upload), [taken, reported]);
    });
  }
});

describe("a file", () => {
  const lists: Readonly<Record<string, readonly [string, string[], string[]]>> = {
    "with commas at the ends": [`${A},\n${B},\n${C}`, [A, B, C], []],
    "whose first line parts CNPJs in two ways": [`${A}, ${B}; ${C}`, [A, B, C], []],
    "with a line of words below": [`${A}, ${B}; ${C}\n${A}\npadaria`, [A, B, C, A], ["padaria"]],
    "with several CNPJs on a line below": [`cnpj\n${A}\n${B}; ${C}`, [A, B, C], []],
    "without a header, with several": [`${A}\n${B}; ${C}; x`, [A, B, C], ["x"]],
    "with labels": [`CNPJ: ${MASKED}\nCNPJ: ${B}`, [A, B], []],
    "with names": [`${MASKED} - Fulano Ltda\n${B} - Sicrano`, [A, B], []],
    "of formulas": [`cnpj;nome\n="${C}";x\n="${A}";y`, [C, A], []],
    "with a line for spreadsheets": [`sep=;\nnome, uf;cnpj\nx, SP;${A}\ny, MG;${C}`, [A, C], []],
    "with old line ends and quotes": [`nome,cnpj\r"x, y",${A}\r"z",${B}\r`, [A, B], []],
    "with two CNPJs in a cell": [`nome;cnpj\nx;"${A}, ${B}"\ny;${C}`, [A, B, C], []],
  };
  for (const [name, [text, taken, reported]] of Object.entries(lists)) {
    it(`${name} is read, for any cuts and encodings`, () => {
      const mark = Buffer.from(`\ufeff${text}`, "utf16le");
      const bare = mark.subarray(2);
      const wide = [mark, bare].flatMap((file) => [file, Buffer.from(file).swap16()]);
      for (const piece of [1, 2, 7, 1_000]) {
        for (const file of [text, `\ufeff${text}`, ...wide]) {
          assert.deepEqual(sent(file, piece), [taken, reported], `pieces of ${piece}`);
        }
      }
    });
  }

  it("in UTF-16 without a mark is read with accents, even if its end is cut off", () => {
    const text = `Razão social;CNPJ\r\nSão João;${MASKED}\r\nAção;${C}\r\n`;
    for (const swap of [false, true]) {
      const file = Buffer.from(text, "utf16le");
      if (swap) file.swap16();
      for (const piece of [1, 3, 64, 1_000]) assert.deepEqual(sent(file, piece), [[A, C], []]);
      assert.deepEqual(sent(file.subarray(0, -3)), [[A, C], []]);
    }
  });

  it("in UTF-32 is refused with a message, with a mark and without one", () => {
    const text = `CNPJ;Nome\n${A};x\n`;
    const little = Buffer.alloc(4 * text.length);
    [...text].forEach((sign, at) => {
      little.writeUInt32LE(sign.charCodeAt(0), 4 * at);
    });
    const big = Buffer.from(little).swap32();
    const marked = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), little]);
    const markedBig = Buffer.concat([Buffer.from([0, 0, 0xfe, 0xff]), big]);
    for (const file of [little, big, marked, markedBig]) {
      for (const piece of [1, 1_000]) {
        assert.throws(() => sent(file, piece), /in UTF-32, which is not read\. Save it as CSV in/);
      }
    }
  });

  it("with two columns of CNPJs is read by the requested one", () => {
    const upload = new CsvUpload(false, "1");
    upload.add(Buffer.from(`${A};${B}\n${C};${B}`));
    assert.deepEqual(outcome(upload.end()), [[A, C], []]);
  });

  it("with old line ends in quotes has its lines counted", () => {
    const upload = new CsvUpload(false, undefined);
    upload.add(Buffer.from(`nome,cnpj\r"a\rb",${A}\r"c",strange\r`));
    assert.deepEqual(
      upload.end().refused.map(({ line }) => line),
      [4],
    );
  });
});
