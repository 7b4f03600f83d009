/**
 * Proves: uploaded files become the intended entries, in every spelling of CNPJs. The column is
 * selected by header, name, number, or content. The first eight characters alone mean a whole
 * company only if the file says so. Files have commas, semicolons, tabs, quotes, both line ends, or
 * a byte order mark, and arrive in any pieces. Numbers that lost their leading zeros are offered,
 * and accepted only on request. Texts that are not understood are reported with their line. Does
 * not prove: that entries become rows (campaign/kernel/row-lists.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../../src/errors.ts";
import {
  ENTRY_BYTES,
  entryText,
  REFUSED_REPORTED_MAX,
  readEntry,
} from "../../../src/lists/entries.ts";
import { titleRows } from "../../../src/lists/headerrow.ts";
import { CsvUpload, Upload } from "../../../src/lists/upload.ts";
import { cnpjCheckDigits } from "../../../src/spec/cnpj/cnpj.ts";
import { seededRng } from "../../support/spec/random.ts";

const A = "11222333000181";
const B = `12ABC34501DE${cnpjCheckDigits("12ABC34501DE")}`;
/** Begins with zeros. */
const Z = `000123450001${cnpjCheckDigits("000123450001")}`;

interface Sent {
  readonly column?: string;
  readonly fillZeros?: boolean;
  readonly piece?: number;
}

const NO_TURN = () => undefined;

function textsOf(upload: Upload, companies = false): string[] {
  const bytes = Buffer.concat(upload.entries(companies));
  return Array.from({ length: bytes.length / ENTRY_BYTES }, (_, at) => entryText(bytes, at));
}

function sent(file: string | Buffer, { column, fillZeros = false, piece }: Sent = {}): CsvUpload {
  const upload = new CsvUpload(fillZeros, column);
  const bytes = Buffer.from(file as string);
  const step = piece ?? Math.max(1, bytes.length);
  for (let at = 0; at < bytes.length; at += step) upload.add(bytes.subarray(at, at + step));
  return upload.end();
}

describe("texts", () => {
  it("are parsed in every spelling, and back", () => {
    const upload = new Upload(false);
    const texts = [A, "11.222.333/0001-81", B.toLowerCase(), Z, "11222333", "12.abc.345"];
    texts.forEach((text, at) => {
      upload.take(text, { line: at + 1 });
    });
    assert.deepEqual(textsOf(upload), [A, A, B, Z, "11222333", "12ABC345"]);
    assert.deepEqual(textsOf(upload, true).slice(0, 4), [
      ...["11222333", "11222333", "12ABC345", "00012345"],
    ]);
  });

  it("with wrong check digits are accepted if the registry has exactly these", async () => {
    const upload = new Upload(false);
    const wrong = Array.from({ length: 300 }, (_, at) => {
      const base = `${112223330001 + at * 10_000}`;
      return base + String((Number(cnpjCheckDigits(base)) + 1) % 100).padStart(2, "0");
    });
    wrong.forEach((text, at) => {
      upload.take(text, { line: at + 1 });
    });
    upload.take("padaria", { line: 301 });
    assert.deepEqual([upload.refusedCount, upload.refused.length], [301, REFUSED_REPORTED_MAX]);
    const known = new Set(wrong.filter((_, at) => at % 3 === 0));
    await upload.takeKnown((cnpj) => known.has(cnpj), NO_TURN);
    assert.deepEqual([upload.refusedCount, upload.read], [201, 301]);
    const base = (text: string) => text.slice(0, 12);
    assert.deepEqual(textsOf(upload).map(base), [...known].map(base));
    const lines = upload.refused.map(({ line }) => line);
    assert.deepEqual(lines, wrong.flatMap((_, at) => (at % 3 === 0 ? [] : [at + 1])).slice(0, 100));
  });

  it("of which too many have wrong check digits are refused, with the first ones", async () => {
    const upload = new Upload(false);
    for (let line = 1; line <= 5_000; line++) upload.take("11222333000182", { line });
    let requested = 0;
    let turns = 0;
    await upload.takeKnown(
      () => ++requested > 0,
      () => void turns++,
    );
    assert.equal(turns, requested);
    assert.deepEqual([requested, upload.read, upload.refusedCount], [1_000, 5_000, 4_000]);
    assert.equal(upload.refused.length, REFUSED_REPORTED_MAX);
  });

  it("that are none are reported with their reason, the first of them with their lines", () => {
    const upload = new Upload(false);
    const lost = Z.replace(/^0+/, "");
    const texts = ["11222333000182", lost, "1,12223E+13", "padaria", "123456789"];
    texts.forEach((text, at) => {
      upload.take(text, { line: at + 1 });
    });
    assert.deepEqual(upload.refused, [
      { line: 1, text: "11222333000182", reason: "wrong_check_digits" },
      { line: 2, text: lost, reason: "lost_zeros", offered: Z },
      { line: 3, text: "1,12223E+13", reason: "rounded" },
      { line: 4, text: "padaria", reason: "not_a_number" },
      { line: 5, text: "123456789", reason: "too_short" },
    ]);
    for (let line = 6; line < 300; line++) upload.take("x".repeat(1_000), { line });
    assert.equal(upload.refused.length, REFUSED_REPORTED_MAX);
    assert.equal(upload.refusedCount, 299);
    assert.equal(upload.refused.at(-1)?.text.length, 64);
  });

  it("of digits only are parsed like those with punctuation", () => {
    const rng = seededRng(17);
    let sound = 0;
    for (let round = 0; round < 4_000; round++) {
      const base = Array.from({ length: 12 }, () => Math.floor(rng() * 10)).join("");
      const right = base + cnpjCheckDigits(base);
      const at = round % 14;
      const other = (Number(right[at]) + 1) % 10;
      const plain = round % 3 === 0 ? right.slice(0, at) + other + right.slice(at + 1) : right;
      const masked = plain.replace(/^(..)(...)(...)(....)(..)$/, "$1.$2.$3/$4-$5");
      const read = readEntry(plain, false);
      assert.deepEqual(read, readEntry(masked, false), plain);
      if (!("reason" in read)) sound++;
    }
    assert.ok(sound > 2_500 && sound < 2_800, `${sound} are sound`);
  });

  it("get their zeros back on request", () => {
    const upload = new Upload(true);
    upload.take(Z.replace(/^0+/, ""), { line: 1 });
    upload.take("123456789", { line: 2 });
    assert.deepEqual(textsOf(upload), [Z]);
    assert.equal(upload.refusedCount, 1);
  });
});

describe("a file", () => {
  const files: Readonly<Record<string, readonly [string, Sent?]>> = {
    "with one column and no header": [`${A}\n${Z}\n${B}`],
    "with Windows line ends": [`${A}\r\n${Z}\r\n\r\n${B}\r\n`],
    "with a header and semicolons": [`Nome;CNPJ;UF\nA;${A};SP\nB;${Z};MG\nC;${B};RJ`],
    "with a byte order mark": [`\ufeffCNPJ;Nome\n${A};A\n${Z};B\n${B};C`],
    "with a header that says cnpj": [`Razão social,CNPJ da empresa\nx,${A}\ny,${Z}\nz,${B}`],
    "with another header": [`documento\tnome\n${A}\tx\n${Z}\ty\n${B}\tz`],
    "with cells in quotes": [`nome,cnpj\n"A, ""x""\nline 2","${A}"\n"B",${Z}\nC," ${B} "`],
    "with a column by name": [`cnpj,mae\nx,${A}\nx,${Z}\nx,${B}`, { column: "Mãe" }],
    "with a column by number": [`1,${A}\n2,${Z}\n3,${B}`, { column: "2" }],
  };
  for (const [name, [file, options]] of Object.entries(files)) {
    it(`${name} is read, for any cuts`, () => {
      const text = name.endsWith("name") ? file.replace("mae", "mãe") : file;
      for (const piece of [1, 2, 7, 1_000]) {
        const upload = sent(text, { ...options, piece });
        assert.deepEqual(textsOf(upload), [A, Z, B], `pieces of ${piece}`);
        assert.deepEqual(upload.refused, []);
      }
    });
  }

  it("is read in UTF-8 and in Windows-1252, which its header and refusals show", () => {
    for (const encode of [
      (text: string) => Buffer.from(text),
      (text: string) => Buffer.from(text, "latin1"),
    ]) {
      const file = encode(`x;SITUAÇÃO\nx;${A}\ny;São João`);
      for (const piece of [1, 1_000]) {
        const upload = sent(file, { column: "Situação", piece });
        assert.deepEqual(textsOf(upload), [A]);
        assert.deepEqual(upload.refused, [{ line: 3, text: "São João", reason: "not_a_number" }]);
      }
    }
  });

  it("has the quotes and dashes of Windows-1252, which ISO-8859-1 lacks", () => {
    const file = Buffer.from(`x;CNPJ \x96 D\x92\xc1VILA\nx;${A}\ny;Jo\xe3o \x96 ME`, "latin1");
    const upload = sent(file, { column: "CNPJ \u2013 D\u2019ÁVILA" });
    assert.deepEqual(textsOf(upload), [A]);
    const [refused] = upload.refused;
    assert.equal(refused?.text, "João \u2013 ME");
  });

  it("is read in the column of whole CNPJs, not of numbers that look like roots", () => {
    for (const others of ["01310100", "20240101", "11222333"]) {
      assert.deepEqual(textsOf(sent(`${others};${A}\n${others};${B}`)), [A, B], others);
      const rows = [`${others};${A}`, `${others};${B}`, `${others};x`].join("\n");
      for (const header of ["cep;documento\n", ""]) {
        assert.deepEqual(textsOf(sent(header + rows)), [A, B], header + others);
      }
      assert.deepEqual(textsOf(sent(`${A};${others}\nx;${others}`)), [A]);
    }
  });

  it("uses the column with the most whole CNPJs, first of those with a cnpj header", () => {
    const roots = [A, Z, B].map((cnpj) => cnpj.slice(0, 8));
    for (const [header, read] of [
      ["cnpj_raiz;cnpj completo;nome", "cnpj completo"],
      ["CNPJ raiz;Documento;nome", "Documento"],
      ["cnpj;cnpj completo;nome", "cnpj completo"],
      ["CNPJ básico;CNPJ;nome", "CNPJ"],
      ["raiz;documento;nome", "documento"],
    ] as const) {
      const rows = [A, Z, B].map((cnpj, at) => `${roots[at]};${cnpj};Nome ${at}`);
      const upload = sent([header, ...rows].join("\n"));
      assert.deepEqual([textsOf(upload), upload.column], [[A, Z, B], read], header);
      const swapped = rows.map((row) => row.split(";").toReversed().join(";"));
      const back = sent([header.split(";").toReversed().join(";"), ...swapped].join("\n"));
      assert.deepEqual([textsOf(back), back.column], [[A, Z, B], read], header);
    }
    const only = sent(`cnpj_raiz;nome\n${roots[0]};x\n${roots[1]};y`);
    assert.deepEqual([textsOf(only).length, only.column], [2, "cnpj_raiz"]);
    // The named column is read, although the remark in the other column contains a CNPJ.
    const remark = sent(`cnpj da empresa;obs\n${Number(Z)};era ${A}\n${Number(Z)};`);
    assert.equal(remark.column, "cnpj da empresa");
  });

  it("has roots only if its header says so, it has none, or the column is named", () => {
    const root = ["11222333", "1A222333"];
    const lines = root.join("\n");
    for (const header of [
      ...["cnpj", "CNPJs", "CNPJ básico", "cnpj_raiz", "Raiz", "Raízes", "nr_cnpj8", "Root"],
      ...["Empresa", "Empresas", "company"],
    ]) {
      assert.deepEqual(textsOf(sent(`${header}\n${lines}`)), root, header);
      const table = `fone;${header}\n11912345678;${root[0]}\n11912345679;${root[1]}`;
      assert.deepEqual(textsOf(sent(table)), root, header);
    }
    assert.deepEqual(textsOf(sent(lines)), root);
    assert.deepEqual(textsOf(sent(`${root[0]};x\n${root[1]};y`)), root);
    for (const file of [
      "cep\n30130010\n30140020",
      "telefone\n33334444",
      "cod;nome\n12345678;PADARIAS",
      "cep;n\n01310100;7",
    ]) {
      assert.throws(() => sent(file), /name their column: column=<header>/, file);
      assert.equal(textsOf(sent(file, { column: "1" })).length, file.split("\n").length - 1);
    }
    const mixed = sent(`documento\n${A}\n${root[0]}`);
    assert.deepEqual(textsOf(mixed), [A]);
    assert.deepEqual(mixed.refused, [{ line: 3, text: root[0], reason: "not_a_cnpj" }]);
  });

  it("of numbers as programs write them is read to the last digit, in any column", () => {
    const lost = Z.replace(/^0+/, "");
    const power = (digits: string) => `${digits[0]}.${digits.slice(1)}e+${digits.length - 1}`;
    for (const write of [(digits: string) => `${digits}.0`, power]) {
      for (const header of ["CNPJ;Nome\r\n", "doc;Nome\r\n", ""]) {
        const file = `${header}${write(A)};x\r\n${write(lost)};y\r\n`;
        assert.deepEqual(textsOf(sent(file, { fillZeros: true })), [A, Z], file);
        const { refused } = sent(file);
        assert.deepEqual(
          refused.map(({ reason, offered }) => [reason, offered]),
          [["lost_zeros", Z]],
        );
      }
    }
    // Amounts and dates must not be read as CNPJs that lost their zeros.
    for (const other of ["1.234.567,00", "2026-01-02", "11 91234-5678"]) {
      assert.deepEqual(textsOf(sent(`valor;doc\n${other};${A}\n${other};${Z}`)), [A, Z]);
    }
  });

  it("of numbers with a decimal comma is not split at it", () => {
    const scientific = "1,1222333000181E+13";
    for (const file of [
      `${scientific}\n${scientific}`,
      `${A}\t10,50\n${scientific}\t10,50`,
      `${A},00\n${A},1`,
    ]) {
      const upload = sent(file);
      assert.deepEqual([textsOf(upload), upload.refused], [[A, A], []], file);
    }
  });

  it("of zeros is no company", () => {
    const zeros = ["00.000.000/0000-00", "00000000000000", `11222333${"0000"}99`];
    const upload = sent(`cnpj\n${zeros.join("\n")}`);
    assert.deepEqual(textsOf(upload), []);
    assert.deepEqual(
      upload.refused.map(({ reason }) => reason),
      zeros.map(() => "all_zeros"),
    );
  });

  it("has no entry and no refusal above its header, unless there may be one", () => {
    for (const sign of [";", ",", "\t"]) {
      const lines = ["Clientes da filial", "", `id${sign}CNPJ`, `1${sign}${A}`, `2${sign}123`];
      const upload = sent(lines.join("\n"));
      assert.deepEqual([textsOf(upload), upload.column], [[A], "CNPJ"]);
      assert.deepEqual(upload.refused, [{ line: 5, text: "123", reason: "too_short" }]);
    }
    assert.deepEqual(textsOf(sent(`Clientes\n\nCNPJ\n${A}, ${B}\n`)), [A, B]);
    const lost = Z.replace(/^0+/, "");
    assert.equal(
      titleRows([
        ["x", lost],
        ["id", "CNPJ"],
        ["1", A],
      ]),
      0,
      "a possible entry",
    );
    assert.equal(
      titleRows([
        ["x", ""],
        ["id", "Documento"],
        ["1", A],
      ]),
      0,
      "no header says CNPJ",
    );
    assert.equal(
      titleRows([
        ["x", ""],
        ["id", "CNPJ"],
        ["1", A],
      ]),
      1,
    );
  });

  it("with CPFs shows none of them", () => {
    const upload = sent(`cnpj;nome\n123.456.789-09;x\n${A} 12345678909;y\n12345678909.0;z`);
    assert.deepEqual(textsOf(upload), [A]);
    const hidden = "***.***.***-**";
    assert.deepEqual(upload.refused, [
      ...[2, 3, 4].map((line) => ({ line, text: hidden, reason: "cpf" })),
    ]);
  });

  it("of words of eight letters has no roots, for any header", () => {
    for (const header of ["nome", "empresa", "cnpj", "FORNECEDORES"]) {
      const { refused, read } = sent(`${header}\nPADARIAS\nMERCADOS`, { column: "1" });
      assert.deepEqual([read, refused.map(({ line }) => line)], [2, [2, 3]], header);
    }
    const { refused } = sent("nome\nPADARIAS\nMERCADOS");
    assert.deepEqual(
      refused.map(({ text }) => text),
      ["PADARIAS", "MERCADOS"],
    );
  });

  it("with a CNPJ in three columns is refused, unless the first one is requested", () => {
    const file = "cnpj_basico;cnpj_ordem;cnpj_dv\n11222333;0001;81";
    assert.throws(() => sent(file), /The CNPJs stand in three columns/);
    assert.deepEqual(textsOf(sent(file, { column: "cnpj_basico" })), ["11222333"]);
  });

  it("with the line ends of old Macs loses no line", () => {
    for (const piece of [1, 7, 1_000]) {
      const upload = sent(`cnpj\r${A}\r11222333000182\r${B}\r`, { piece });
      assert.deepEqual(textsOf(upload), [A, B]);
      assert.deepEqual(
        upload.refused.map(({ line }) => line),
        [3],
      );
    }
  });

  it("with an unclosed last quote is refused, however short it is", () => {
    for (const file of [`cnpj,n\n${A},"a\n${B},b\n`, `"cnpj,n\n${A},a\n`, `n,cnpj\n"x,${A}`]) {
      assert.throws(() => sent(file), /has no end. Is a quotation mark left open there\?/, file);
    }
    assert.throws(() => sent(`cnpj,n\n${A},"a\n${B},b\n`), /Line 2 has no end/);
  });

  it("with a line that is too long is refused for exactly that", () => {
    const limit = /Line 2 is longer than 1,048,576 bytes, the most that is read\.$/;
    const wide = `cnpj\n${"1;".repeat(1_000_000)}`;
    for (const file of [wide, `${wide}\n${A}`, `cnpj\n"x";${wide.slice(5)}`]) {
      assert.throws(() => sent(file, { piece: 65_536 }), limit);
    }
    const open = `cnpj\n"${wide.slice(5)}`;
    assert.throws(() => sent(open, { piece: 65_536 }), /Line 2 has no end\. Is a quotation mark/);
  });

  it("with a line of more cells than a sheet has columns is refused for exactly that", () => {
    const limit = /^.*Line (1|2|120) has more than 16,384 cells\. Send one CNPJ a line/;
    const wide = `${A}${";1".repeat(20_000)}`;
    const late = `cnpj;n\n${`${A};b\n`.repeat(118)}${wide}\n${A};b`;
    for (const file of [`cnpj;n\n${wide}`, wide, late, wide.replaceAll(";", "\t")]) {
      assert.throws(() => sent(file, { piece: 65_536 }), limit);
    }
    assert.throws(() => sent(`cnpj;n\n"${A}"${";1".repeat(20_000)}`), limit);
    assert.deepEqual(textsOf(sent(`cnpj;n\n${A};"${";".repeat(20_000)}"`)), [A]);
    const most = `cnpj${";n".repeat(16_383)}\n${A}${";1".repeat(16_383)}`;
    assert.deepEqual(textsOf(sent(most)), [A]);
  });

  it("that is a spreadsheet is reported as one", () => {
    assert.throws(() => sent("PK\u0003\u0004\u0014"), /a spreadsheet, no CSV/);
  });

  it("has its lines counted, also those in quotes and after the first hundred", () => {
    const lines = Array.from({ length: 250 }, (_, at) => (at === 240 ? "strange" : A));
    const upload = sent(`nome;cnpj\n"a\nb";${Z}\n${lines.map((line) => `x;${line}`).join("\n")}`);
    assert.deepEqual(upload.refused, [{ line: 244, text: "strange", reason: "not_a_number" }]);
    assert.equal(upload.read, 251);
  });

  it("with a missing column or an unclosed quote is refused", () => {
    const message = (file: string, options?: Sent) => {
      try {
        sent(file, options);
      } catch (error) {
        assert(error instanceof AppError);
        return error.message;
      }
      return "";
    };
    assert.match(message("a;b\n1;2", { column: "c" }), /no column "c" .* It has "a", "b"\./);
    assert.throws(
      () => sent("a;b\n1;2", { column: "c" }),
      (error: AppError) => error.errors[0]?.pointer === "/query/column",
    );
    assert.match(message("nome;cidade\nx;y"), /No column of the first lines holds CNPJs/);
    assert.match(
      message(`${A}\n"${"x\n".repeat(600_000)}`, { piece: 65_536 }),
      /Line 2 has no end/,
    );
  });
});
