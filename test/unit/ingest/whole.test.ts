/**
 * Proves: a partial month is rejected before anything is replaced. With the flag that allows it,
 * the month is imported, and the report says so. A month in UTF-8 yields the same accounts as the
 * same month in ISO-8859-1, even if only some files reveal the encoding or contain a few odd byte
 * sequences. Malformed rows are skipped, up to the number allowed for all files together.
 * Does not prove which problems of a folder are found before a row is read
 * (unit/dump/archive.test.ts), nor that the native scan matches its reference implementation
 * (native-scan.test.ts).
 */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { memberNames } from "../../../src/dump/layout.ts";
import { isUtf8 } from "../../../src/dump/registrytext.ts";
import { writeSample } from "../../../src/dump/sample/release.ts";
import { CommandError } from "../../../src/errors.ts";
import { checkShrinking } from "../../../src/ingest/previous.ts";
import { establishment, type MiniRow, MiniWorkspace } from "../../support/dump/mini.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { readSampleZips } from "../../support/sample/dump.ts";

const space = new MiniWorkspace();
after(() => space.dispose());

const STRICT = { partial: false, force: false, threads: 1 };
const CNPJS = ["11222333000181", "00000000000191", "12ABC34501DE35"] as const;

/** A sample of ten parts, and the same month unzipped. */
let zipped: string;
let plain: string;
before(async () => {
  zipped = join(space.folder, "dump-2026-08");
  plain = join(space.folder, "dump-plain");
  await writeSample({ folder: zipped, establishments: 600, seed: 4, label: "2026-08", threads: 0 });
  mkdirSync(plain);
  for (const { member, text } of await readSampleZips(zipped)) {
    writeFileSync(join(plain, member), Buffer.from(text, "latin1"));
  }
});

/** Writes a copy of the unzipped month in which `change` may change each file. */
function changed(change: (member: string, bytes: Buffer) => Buffer): string {
  const folder = space.path(`dump-changed-${readdirSync(space.folder).length}`);
  cpSync(plain, folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    writeFileSync(join(folder, name), change(name, readFileSync(join(folder, name))));
  }
  return folder;
}

const utf8Of = (bytes: Buffer): Buffer => Buffer.from(bytes.toString("latin1"));

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof CommandError, String((error as Error).stack));
    return error.message;
  }
  assert.fail("nothing was refused");
}

describe("a partial month", () => {
  it("is rejected with its missing parts, and imported with --partial and a warning", async () => {
    const folder = changed((_, bytes) => bytes);
    for (const name of readdirSync(folder)) if (/Y[1-9]\./.test(name)) rmSync(join(folder, name));
    assert.match(
      await refusal(space.import(folder, "half.peneira", STRICT)),
      /Empresas9\.zip is missing[\s\S]*Estabelecimentos9\.zip is missing[\s\S]*--partial/,
    );
    assert.ok(!space.files().includes("half.peneira"));
    const report = await space.import(folder, "half.peneira", { ...STRICT, partial: true });
    assert.ok(report.accounts > 0);
    const reported = report.warnings.filter((text) => text.endsWith("Imported with --partial."));
    assert.equal(reported.length, 18);
  });

  it("is rejected if a part has only blank lines, in a large file or a table", async () => {
    const folder = changed((name, bytes) =>
      /Y3.*ESTABELE|PAISCSV/.test(name) ? Buffer.from("\n\r\n\n") : bytes,
    );
    const message = await refusal(space.import(folder, "blank.peneira", STRICT));
    assert.match(message, /Y3\.D60808\.ESTABELE holds no rows/);
    assert.match(message, /PAISCSV holds no rows/);
  });

  it("does not replace more accounts, unless by --force with a warning", async () => {
    await space.import(plain, "kept.peneira", STRICT);
    const before = space.bytes("kept.peneira");
    const cut = (share: number) =>
      changed((name, bytes) => {
        if (!name.endsWith("ESTABELE")) return bytes;
        const rows = bytes.toString("latin1").split(/(?<=\n)(?=")/);
        return Buffer.from(rows.slice(0, Math.ceil(rows.length * share)).join(""), "latin1");
      });
    const smaller = cut(0.9);
    const message = await refusal(space.import(smaller, "kept.peneira", STRICT));
    assert.match(message, /kept\.peneira was not replaced: .* has 600\. .*--force/);
    assert.ok(before.equals(space.bytes("kept.peneira")), "the old one stays");
    assert.deepEqual(
      space.files().filter((name) => name.startsWith("kept")),
      ["kept.peneira"],
    );
    // An update may replace a snapshot that has another name. `replaces` names it.
    const replaces = space.path("kept.peneira");
    const refused = await refusal(space.import(smaller, "next.peneira", { ...STRICT, replaces }));
    assert.match(
      refused,
      /^No snapshot was made: .* before it \(.*kept\.peneira\) has 600\. .*--force/,
    );
    assert.ok(!space.files().includes("next.peneira"));
    const taken = await space.import(smaller, "next.peneira", { ...STRICT, replaces, force: true });
    assert.match(taken.warnings.join(), /before it \(.*\) has 600\. Made with --force/);
    const report = await space.import(smaller, "kept.peneira", { ...STRICT, force: true });
    assert.match(report.warnings.join(), /while the snapshot there had 600\. Replaced with --f/);
  });
});

describe("a UTF-8 month", () => {
  let expected: ReturnType<typeof decodeSnapshot>;
  const accounts = () => decodeSnapshot(space.path("utf8.peneira"));

  it("yields the same as in ISO-8859-1, with a notice", async () => {
    const latin1 = await space.import(plain, "utf8.peneira", STRICT);
    assert.deepEqual(latin1.warnings, []);
    expected = accounts();
    // Some files begin with a byte order mark, which UTF-8 months are reported to have.
    const mark = Buffer.from("\ufeff");
    const folder = changed((name, bytes) => {
      return name.includes("Y4") ? Buffer.concat([mark, utf8Of(bytes)]) : utf8Of(bytes);
    });
    const report = await space.import(folder, "utf8.peneira", STRICT);
    assert.deepEqual(accounts(), expected);
    assert.deepEqual({ ...report.rules }, { ...latin1.rules });
    assert.equal(report.warnings.length, 1);
    assert.match(report.warnings[0] ?? "", /are UTF-8 and were read as such.* 0 broken\.$/);
  });

  it("is detected file by file: tables may differ from rows", async () => {
    const folder = changed((name, bytes) => (name.endsWith("CNAECSV") ? utf8Of(bytes) : bytes));
    const report = await space.import(folder, "utf8.peneira", STRICT);
    assert.deepEqual(accounts(), expected);
    assert.match(report.warnings.join(), /CNAECSV.* is UTF-8 and was read as such/);
  });

  it("is not misdetected for a few sequences of the other encoding", async () => {
    const names = (count: number, name: string): MiniRow[] =>
      Array.from({ length: count }, (_, i) => {
        const root = String(10_000_000 + i);
        return establishment(`${root}000199`, { nome_fantasia: name });
      });
    const odd = establishment(CNPJS[0], { nome_fantasia: "S\u00c3\u00a3O" });
    const latin1 = space.write({ estabelecimentos: [odd, ...names(40, "S\u00c3O")] });
    await space.import(latin1, "utf8.peneira", { threads: 1 });
    const nameOf = (cnpj: string) => accounts().rows.find((row) => row.cnpj === cnpj)?.trade_name;
    assert.equal(nameOf(CNPJS[0]), "S\u00c3\u00a3O", "one name that was typed as UTF-8");
    // These names were cut in the middle of a letter, as happens in columns of fixed length.
    const cut = establishment(CNPJS[0], { nome_fantasia: "PADARIA S\u00c3" });
    const rows = { estabelecimentos: [cut, ...names(40, "S\u00c3\u0083O")] };
    const report = await space.import(space.write(rows), "utf8.peneira", { threads: 1 });
    assert.equal(nameOf(CNPJS[0]), "PADARIA S\ufffd");
    assert.equal(nameOf("10000000000199"), "S\u00c3O");
    assert.match(report.warnings.join(), / 1 broken\./);
  });

  it("is detected by one file with few non-ASCII letters, if none is broken", async () => {
    const names = (count: number, name: string, from = 10_000_000): MiniRow[] =>
      Array.from({ length: count }, (_, i) =>
        establishment(`${from + i}000199`, { nome_fantasia: name }),
      );
    const month = (part: readonly MiniRow[]) => {
      const folder = space.write({ estabelecimentos: part });
      const other = space.write({ estabelecimentos: names(60, "S\u00c3O", 20_000_000) });
      const [, member] = memberNames("estabelecimentos", 0, "D60808");
      const [, second] = memberNames("estabelecimentos", 1, "D60808");
      cpSync(join(other, member), join(folder, second));
      return folder;
    };
    const nameOf = (cnpj: string) => accounts().rows.find((row) => row.cnpj === cnpj)?.trade_name;
    const few = await space.import(month(names(4, "S\u00c3\u0083O")), "utf8.peneira", {
      threads: 1,
    });
    assert.equal(nameOf("10000000000199"), "S\u00c3O");
    assert.equal(nameOf("20000000000199"), "S\u00c3O");
    assert.match(few.warnings.join(), /Y0\.D60808\.ESTABELE is UTF-8 and was read as such/);
    // Three names may share one odd spelling, and half of a file is not conclusive. Both cases only
    // warn.
    for (const [rows, count] of [
      [names(3, "S\u00c3\u0083O"), 3],
      [[...names(70, "S\u00c3\u0083O"), ...names(70, "S\u00c3O", 30_000_000)], 70],
    ] as const) {
      const report = await space.import(month(rows), "utf8.peneira", { threads: 1 });
      assert.equal(nameOf("10000000000199"), "S\u00c3\u0192O", "83 is a letter of Windows-1252");
      const warning = report.warnings.find((text) => text.includes("look like UTF-8")) ?? "none";
      assert.ok(
        warning.startsWith(`${count} characters look like UTF-8 in files of ISO-8859-1`),
        warning,
      );
      assert.match(
        warning,
        new RegExp(`K3241\\.K03200Y0\\.D60808\\.ESTABELE \\(${count}\\)\\. A few`),
      );
    }
  });

  it("is detected by the file if clear, else by its type, else by the month", () => {
    const count = (right: number, broken: number) => ({ right, broken });
    const [utf8, latin1] = [count(900, 3), count(3, 900)];
    assert.equal(isUtf8(count(31, 1), latin1, latin1), true);
    assert.equal(isUtf8(count(1, 31), utf8, utf8), false);
    assert.equal(isUtf8(count(1, 0), latin1, utf8), false);
    assert.equal(isUtf8(count(4, 0), latin1, latin1), true);
    assert.equal(isUtf8(count(4, 1), latin1, latin1), false);
    assert.equal(isUtf8(count(1, 0), count(2, 1), utf8), true);
    assert.equal(isUtf8(count(0, 1), utf8, utf8), false);
    assert.equal(isUtf8(count(0, 0), count(0, 0), count(0, 0)), false);
  });
});

describe("a replacement snapshot", () => {
  it("may have 98 % of the previous accounts, not fewer", () => {
    const held = (previous: number | null, accounts: number, force = false) =>
      checkShrinking({ out: "x.peneira", isReplaced: true, previous, force }, accounts);
    assert.deepEqual(held(1000, 980), []);
    assert.deepEqual(held(null, 0), []);
    assert.throws(() => held(1000, 979), /979 accounts, while the snapshot there has 1,000/);
    assert.match(
      held(1000, 1, true).join(),
      /^1 account, while .* had 1,000\. Replaced with --force/,
    );
  });
});

describe("malformed rows", () => {
  const bad = { raw: '"1";"2"\n' };
  const rows = {
    empresas: [bad, { cnpj_basico: "11222333", razao_social: "A" }],
    estabelecimentos: [establishment(CNPJS[0]), bad, establishment(CNPJS[1])],
    motivos: [{ codigo: "00", descricao: "SEM MOTIVO" }, { raw: '"01";"A";"B"\n' }],
  };

  it("are skipped up to the limit for all files, and counted", async () => {
    const folder = space.write(rows);
    const report = await space.import(folder, "bad.peneira", { skipBadRows: 3, threads: 1 });
    assert.equal(report.accounts, 2);
    assert.equal(report.rules.row_malformed?.count, 3);
    const examples = report.rules.row_malformed?.examples ?? [];
    assert.deepEqual(
      examples.map(({ place, value }) => `${basename(place ?? "")}: ${value}`),
      [
        "K3241.K03200Y0.D60808.EMPRECSV, line 1: 2 columns where 7 belong",
        "K3241.K03200Y0.D60808.ESTABELE, line 2: 2 columns where 30 belong",
        "F.K03200$Z.D60808.MOTICSV, line 2: at least 3 columns where 2 belong",
      ],
    );
  });

  it("abort the import beyond the limit, in one file or in total", async () => {
    const folder = space.write(rows);
    const two = await refusal(space.import(folder, "bad.peneira", { skipBadRows: 2, threads: 1 }));
    assert.match(two, /^3 rows of all files are malformed, and --skip-bad-rows allows 2:/);
    assert.match(two, /EMPRECSV, line 1: 2 columns/);
    assert.ok(!space.files().includes("bad.peneira") || space.bytes("bad.peneira").length > 0);
  });
});
