/**
 * Proves: a file's kind is recognized by its first bytes, and plain text has no kind. Every reader
 * of a user's file (inputs of an import, snapshots, specs, config files, backups) names the kind if
 * it receives a file of another kind. JSON with a byte order mark is parsed.
 * Does not prove in detail the messages for zips and members of a dump (unit/dump/foreign.test.ts),
 * for list files (unit/lists/otherfiles.test.ts), and for tables (unit/dump/tables.test.ts).
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { Command } from "commander";
import { openSnapshot } from "../../../native-index/format/snapshot/snapshot.ts";
import { registerImport } from "../../../src/cli/commands/import.ts";
import { readSpecFile } from "../../../src/cli/support/inputfiles.ts";
import { CommandError } from "../../../src/errors.ts";
import { kindOf, kindOfFile, wrongKindText } from "../../../src/files/filekind.ts";
import { importColumns } from "../../../src/ingest/columns/columns-import.ts";
import { loadConfig } from "../../../src/settings/config.ts";
import { checkBackup } from "../../../src/store/backup/restore.ts";
import { establishment, MiniWorkspace } from "../../support/dump/mini.ts";
import { zipOf } from "../../support/files/zip.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-kinds-"));
const space = new MiniWorkspace();
after(() => {
  rmSync(folder, { recursive: true, force: true });
  space.dispose();
});

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function refusal(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof CommandError, String((error as Error).stack));
    return error.message;
  }
  assert.fail("nothing was refused");
}

const latin = (text: string) => Buffer.from(text, "latin1");
const TEXT = "cnpj;nome\n11222333000181;PADARIA SÃO JOÃO\n";
const HTML = "\n<!DOCTYPE html><title>503</title>";

/** Files of other kinds, each with the words that must name its kind. */
const OTHERS: readonly (readonly [words: RegExp, bytes: Buffer])[] = [
  [/it is empty\b/, Buffer.alloc(0)],
  [/it is a web page \(HTML\), not /, latin(HTML)],
  [/it is an archive \(gzip, .*\), not /, gzipSync(TEXT)],
  [/it is an archive \(gzip, zstd, .*\), not /, latin("(\u00b5/\u00fd\u0000X")],
  [/it is a PDF, not /, latin("%PDF-1.7\n")],
  [/it is a workbook \(XLSX\), not /, zipOf({ "[Content_Types].xml": "x" })],
  [/it is nothing but zero bytes, not /, Buffer.alloc(600)],
  [/it is text in UTF-16, not /, Buffer.from(TEXT, "utf16le")],
  [/it is a database \(SQLite\), not /, latin("SQLite format 3\0")],
];

describe("the kind of a file", () => {
  it("is recognized by its first bytes", () => {
    const cases: readonly (readonly [string, string | Buffer])[] = [
      ["empty", ""],
      ["html", "<HTML>"],
      ["html", "\u00ef\u00bb\u00bf \r\n<!-- a --><html lang=pt>"],
      ["xml", '<?xml version="1.0"?>'],
      ["zip", zipOf({ "K3241.ESTABELE": "x" })],
      ["zip", zipOf({})],
      ["xlsx", zipOf({ "xl/workbook.xml": "x" })],
      ["ods", zipOf({ mimetype: "application/vnd.oasis.opendocument.spreadsheet" })],
      ["archive", "7z\u00bc\u00af'\u001c"],
      ["xls", Buffer.from("d0cf11e0a1b11ae1", "hex")],
      ["parquet", "PAR1"],
      ["arrow", "ARROW1\0\0"],
      ["utf16", Buffer.from("\ufeffa", "utf16le")],
      ["utf16", Buffer.from("11222333", "utf16le").swap16()],
      ["utf16", Buffer.from("código;é\n1;2\n", "utf16le")],
      ["zeros", Buffer.alloc(5)],
    ];
    for (const [id, content] of cases) {
      const bytes = typeof content === "string" ? latin(content) : content;
      assert.equal(kindOf(bytes)?.id, id, JSON.stringify(content.toString("latin1").slice(0, 20)));
      assert.equal(kindOfFile(write("any", bytes))?.id, id);
    }
  });

  it("is never recognized in text, for any content", () => {
    const texts = [TEXT, "<a;b>\n", "{}", "1", "\ufeffa,b", "a\0b\0\0c;d;e;f;g;h;i", "\x1a", " "];
    for (const text of texts) assert.equal(kindOf(Buffer.from(text)), null, JSON.stringify(text));
  });

  it("is a phrase that fits a sentence", () => {
    const words = (bytes: Buffer) => {
      const kind = kindOf(bytes);
      return kind === null ? "" : wrongKindText(kind, "a list");
    };
    assert.equal(words(latin("%PDF-1.7")), "it is a PDF, not a list");
    assert.equal(words(Buffer.alloc(0)), "it is empty");
  });
});

describe("names a file of another kind", () => {
  const readers: readonly (readonly [name: string, read: (path: string) => unknown])[] = [
    ["x.peneira", openSnapshot],
    ["x.parquet", (path) => space.import(path, "no.peneira").catch(() => columns(path))],
    ["x.arrow", columns],
    ["spec.json", readSpecFile],
    ["config.json", (file) => loadConfig({ file })],
    ["backup", checkBackup],
    ["manifest.json", (path) => checkBackup(join(path, ".."))],
  ];

  function columns(source: string) {
    const startStage = () => ({ update: () => undefined, done: () => undefined });
    return importColumns({
      source,
      out: join(folder, "no"),
      keepCpf: false,
      threads: 1,
      startStage,
    });
  }

  for (const [name, read] of readers) {
    it(`in place of ${name}`, async () => {
      for (const [words, bytes] of OTHERS) {
        mkdirSync(join(folder, "place"), { recursive: true });
        const message = await refusal(() => read(write(join("place", name), bytes)));
        assert.match(message, words, name);
        assert.match(message, new RegExp(name.replace(".", "\\.")));
      }
    });
  }

  it("in every file input of an import", async () => {
    const program = new Command();
    registerImport(program);
    const inputs = program.commands[0]?.options.filter(({ flags }) => {
      return /<(csv|file)>/.test(flags) && !flags.startsWith("--out");
    });
    const names = inputs?.map(({ long }) => String(long).slice(2)) ?? [];
    const lists = ["ceis", "cepim", "cnep"];
    const others = ["municipalities", "places", "population"];
    assert.deepEqual([...names].sort(), [...lists, ...others]);
    const source = space.write({ estabelecimentos: [establishment("11222333000181")] });
    for (const name of names) {
      for (const [words, bytes] of OTHERS) {
        const path = write("20260930_CEIS.csv", bytes);
        const message = await refusal(() => space.import(source, "no.peneira", { [name]: path }));
        // Readers that accept zips open the zip instead of naming its kind.
        const isZipped = lists.includes(name) && /XLSX/.test(words.source);
        assert.match(message, isZipped ? /20260930_CEIS\.csv/ : words, name);
      }
    }
  });

  it("except JSON after a byte-order mark, which is read", () => {
    assert.deepEqual(readSpecFile(write("marked.json", '\ufeff{"a": 1}')), { a: 1 });
    const file = write("config.json", '\ufeff{"log": {"level": "warn"}}');
    assert.equal(loadConfig({ file }).get("log.level"), "warn");
  });
});
