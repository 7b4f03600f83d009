/**
 * Proves: if a file of a dump, zipped or not, has content of another kind than its name says, the
 * error names the actual kind and says what to do. Files that operating systems add to a zip or
 * folder are ignored, but a second real member is rejected. The scan of an import, the tables, and
 * `--ceis` report a changed byte in a zip as damage of the zip, not of a row.
 * Does not prove: other damage of zips (archive.test.ts).
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { openDump } from "../../../src/dump/archive.ts";
import { crc32 } from "../../../src/dump/crc32.ts";
import { isOwnEntry } from "../../../src/dump/directory.ts";
import { CommandError } from "../../../src/errors.ts";
import { readSanctions } from "../../../src/ingest/sanctions.ts";
import { establishment, MiniWorkspace } from "../../support/dump/mini.ts";
import { zipOf } from "../../support/files/zip.ts";

const space = new MiniWorkspace();
after(() => space.dispose());

const ONE = "11222333000181";
const HTML = "\n<!DOCTYPE html><html><title>Manutenção</title></html>";

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof CommandError, String((error as Error).stack));
    return error.message;
  }
  assert.fail("nothing was refused");
}

/** Writes a dump of one row. The file of one type is a zip with optional other entries. */
function zipped(mark: string, more: Readonly<Record<string, string>> = {}): [string, string] {
  const folder = space.write({ estabelecimentos: [establishment(ONE)] });
  const member = readdirSync(folder).find((name) => name.includes(mark)) as string;
  const zip = join(folder, `${mark}.zip`);
  const content = readFileSync(join(folder, member));
  writeFileSync(zip, zipOf({ ...more, [member]: content }));
  rmSync(join(folder, member));
  return [folder, zip];
}

describe("a file of another kind in a dump", () => {
  const cases: readonly (readonly [RegExp, Buffer])[] = [
    [/it is a web page \(HTML\), not a zip: a server sent .*Download it again/, Buffer.from(HTML)],
    [/it is empty\. Download it again/, Buffer.alloc(0)],
    [/it is nothing but zero bytes, not a zip/, Buffer.alloc(3000)],
    [/it is an archive \(gzip.*, not a zip/, gzipSync("x")],
    [/it is a PDF, not a zip/, Buffer.from("%PDF-1.7\n")],
    [
      /it is not a zip, or it is truncated: it has no directory at its end/,
      Buffer.from("PK\x03\x04"),
    ],
  ];
  for (const [words, bytes] of cases) {
    it(`is named in place of a zip: ${words.source}`, async () => {
      const folder = space.write({ estabelecimentos: [establishment(ONE)] });
      writeFileSync(join(folder, "Simples.zip"), bytes);
      const message = await refusal(openDump(folder, "2026-08"));
      assert.match(message, new RegExp(`Simples\\.zip: ${words.source}`));
    });
  }

  it("is named in place of an unzipped member", async () => {
    const others: readonly (readonly [RegExp, Buffer])[] = [
      [/it is a web page \(HTML\), not a file of the registry/, Buffer.from(HTML)],
      [/it is a zip, not a file of the registry/, zipOf({ a: "x" })],
      [/it is an archive/, gzipSync("x")],
    ];
    for (const [words, bytes] of others) {
      const folder = space.write({ estabelecimentos: [establishment(ONE)] });
      const table = readdirSync(folder).find((name) => name.includes("MUNICCSV")) as string;
      writeFileSync(join(folder, table), bytes);
      const message = await refusal(openDump(folder, "2026-08"));
      assert.match(message, new RegExp(`MUNICCSV: ${words.source}`));
      assert.doesNotMatch(message, /Municipios\.zip is missing/);
    }
  });
});

describe("files added by an operating system", () => {
  it("are distinguished from members by name", () => {
    for (const name of ["a/", "__MACOSX/._A", "a/__MACOSX/b", ".DS_Store", "x/._A", "Thumbs.db"]) {
      assert.equal(isOwnEntry(name), false, name);
    }
    for (const name of ["A.ESTABELE", "2026-08/A.ESTABELE", "_A", "MACOSX", ".csv"]) {
      assert.equal(isOwnEntry(name), true, name);
    }
  });

  it("are ignored in a zip, before and after the member", async () => {
    const more = { "2026-08/": "", "__MACOSX/._K3241.ESTABELE": "x", "2026-08/.DS_Store": "x" };
    for (const entries of [more, Object.fromEntries(Object.entries(more).reverse())]) {
      const [folder, zip] = zipped("ESTABELE", entries);
      const { members } = await openDump(folder, "2026-08", { partial: true });
      const found = members.filter(({ file }) => file === zip).map(({ member }) => member);
      assert.equal(found.length, 1);
      assert.match(found[0] ?? "", /^K3241\..*ESTABELE$/);
      const report = await space.import(folder, "macosx.peneira");
      assert.equal(report.accounts, 1);
    }
  });

  it("are ignored in the folder", async () => {
    const [folder] = zipped("ESTABELE");
    for (const name of ["._Empresas0.zip", "._K3241.K03200Y0.D60808.ESTABELE", ".DS_Store"]) {
      writeFileSync(join(folder, name), "\0\x05\x16\x07");
    }
    const { members } = await openDump(folder, "2026-08", { partial: true });
    assert.deepEqual(
      members.filter(({ file }) => basename(file).startsWith(".")),
      [],
    );
  });

  it("neither hide a second member nor count as one", async () => {
    const [two] = zipped("ESTABELE", { "outro.csv": "x", "__MACOSX/._a": "x" });
    assert.match(
      await refusal(openDump(two, "2026-08")),
      /exactly one member, this one holds more: "outro\.csv" and "K3241\..*ESTABELE"/,
    );
    const folder = space.write({ estabelecimentos: [establishment(ONE)] });
    writeFileSync(join(folder, "Simples.zip"), zipOf({ "__MACOSX/._x": "x", "a/": "" }));
    assert.match(await refusal(openDump(folder, "2026-08")), /Simples\.zip: .*holds none/);
  });
});

/**
 * Returns a zip whose member was changed and compressed again, while the directory still has the
 * checksum of the original.
 */
function changedZip(member: string, content: string, other: string): Buffer {
  assert.equal(content.length, other.length);
  return zipOf({ [member]: other }, { [member]: crc32(Buffer.from(content)) });
}

describe("a changed byte in a zip", () => {
  for (const mark of ["ESTABELE", "EMPRECSV", "MUNICCSV", "SIMPLES"]) {
    it(`is reported as damage of the zip: ${mark}`, async () => {
      const folder = space.write({
        estabelecimentos: [establishment(ONE)],
        empresas: [{ cnpj_basico: ONE.slice(0, 8), razao_social: "A" }],
        simples: [{ cnpj_basico: ONE.slice(0, 8), opcao_pelo_simples: "S" }],
      });
      const member = readdirSync(folder).find((name) => name.includes(mark)) as string;
      const content = readFileSync(join(folder, member), "latin1");
      rmSync(join(folder, member));
      // The first field lacks its closing quote, so the row cannot be parsed.
      const at = content.indexOf('";');
      const other = `${content.slice(0, at)}x${content.slice(at + 1)}`;
      writeFileSync(join(folder, "part.zip"), changedZip(member, content, other));
      for (const skipBadRows of [0, 5]) {
        const message = await refusal(space.import(folder, "x.peneira", { skipBadRows }));
        assert.match(message, /part\.zip \(.*\): the zip is damaged: the checksum \(CRC-32\)/);
        assert.match(message, /Download the file again/);
        assert.doesNotMatch(message, /quote/);
      }
    });
  }

  it("is not assumed for a row that was written that way", async () => {
    const raw = { raw: '"11222333;"0001";"81"\n' };
    const folder = space.write({ estabelecimentos: [raw] });
    const member = readdirSync(folder).find((name) => name.includes("ESTABELE")) as string;
    writeFileSync(
      join(folder, "Estabelecimentos0.zip"),
      zipOf({ [member]: readFileSync(join(folder, member)) }),
    );
    rmSync(join(folder, member));
    assert.match(
      await refusal(space.import(folder, "x.peneira")),
      /line 1: text follows a closing/,
    );
  });
});

describe("a zip of sanctions", () => {
  const NAME = "20260930_CEIS.csv";
  const CSV =
    "TIPO DE PESSOA;CPF OU CNPJ DO SANCIONADO;DATA INÍCIO SANÇÃO;DATA FINAL SANÇÃO\r\n" +
    `"J";"${ONE}";"01/01/2020";""\r\n`;
  const csv = Buffer.from(CSV, "latin1").toString("latin1");
  const read = async (bytes: Buffer, name = "ceis.zip") => {
    const path = space.path(name);
    writeFileSync(path, bytes);
    return readSanctions(path, "2026-10-10");
  };

  it("may contain files added by an operating system, and one CSV", async () => {
    const more = { "__MACOSX/._20260930_CEIS.csv": "x", "LEIAME.txt": "x" };
    const { cnpjs } = await read(zipOf({ ...more, [NAME]: Buffer.from(csv, "latin1") }));
    assert.deepEqual([...cnpjs], [ONE]);
    const two = zipOf({ [NAME]: csv, "20260901_CEIS.csv": csv });
    assert.match(await refusal(read(two)), /20260901_CEIS\.csv/);
    assert.match(
      await refusal(read(zipOf({ "LEIAME.txt": "x" }))),
      /holds no CSV\. Download it again/,
    );
  });

  it("is reported as damaged if a byte was changed", async () => {
    const other = csv.replace(ONE, "11222333000182");
    const message = await refusal(read(changedZip(NAME, csv, other)));
    assert.match(message, /the zip is damaged: the checksum/);
  });

  it("is named by its kind if it is another file", async () => {
    assert.match(await refusal(read(Buffer.from(HTML))), /a web page \(HTML\), not a zip/);
    assert.match(await refusal(read(Buffer.alloc(0))), /it is empty/);
    const packed = await refusal(read(gzipSync(csv), NAME));
    assert.match(packed, /it is an archive \(gzip.*\), not the CSV/);
    // A zip is recognized under any name.
    const { cnpjs } = await read(zipOf({ [NAME]: Buffer.from(csv, "latin1") }), "20260930.csv");
    assert.deepEqual([...cnpjs], [ONE]);
  });
});
