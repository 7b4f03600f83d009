/**
 * Proves: the scan of a CSV file finds the same records, cells of CNPJs, widths, and lines as a
 * parser that reads single characters. The files consist of random quotation marks, delimiters, and
 * ends of lines, in chunks of any size. An empty cell has no digits, even after a cell with digits.
 * A record may continue from one piece of a file to the next.
 * Does not prove: the cells that enrichment appends (contract/export/enrichment).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { CsvRecords, readCsvBytes } from "../../../src/export/enrichment/csvbytes.ts";
import { slowRecords } from "../../support/export/sent-files.ts";
import { type Rng, seededRng } from "../../support/spec/random.ts";

const CNPJ = "11222333000181";
const MASKED = "11.222.333/0001-81";
const PARTS = [
  ...[CNPJ, MASKED, `"${CNPJ}"`, `"${MASKED}"`, "11222333000081", "1122233300018x", "112223330001"],
  ...[";", ";", ";", ";", "\r\n", "\r\n", "\n", "\r", '"', '""', "", " ", "\u00e9", "x"],
  ...["a text that is longer than one vector of bytes", "-".repeat(63), "/".repeat(130)],
];

let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "peneira-records-"));
});
after(() => rmSync(folder, { recursive: true }));

/** Returns a random text of one-byte characters. A quotation mark may lack its closing one. */
function randomText(rng: Rng): string {
  const count = 1 + Math.floor(rng() * 60);
  return Array.from({ length: count }, () => PARTS[Math.floor(rng() * PARTS.length)]).join("");
}

/**
 * Reference implementation: returns the CNPJ in a raw cell, or null if the cell is not one that the
 * fast scan may read.
 */
function slowCnpj(cell: string): string | null {
  const bare = /^".*"$/s.test(cell) && cell.length > 1 ? cell.slice(1, -1) : cell;
  const isPlain = /^\d{14}$/.test(bare);
  if (!isPlain && !/^\d\d\.\d{3}\.\d{3}\/\d{4}-\d\d$/.test(bare)) return null;
  const digits = bare.replace(/\D/g, "");
  return digits.slice(8, 12) === "0000" ? null : digits;
}

/** Returns the cells of a record as they are written in the file. */
function rawCells(raw: string): string[] {
  const cells = [""];
  let quoted = false;
  for (const sign of raw) {
    if (sign === '"') quoted = !quoted;
    if (sign === ";" && !quoted) cells.push("");
    else cells[cells.length - 1] += sign;
  }
  return cells;
}

/** Returns the records that a scan of chunks finds, each with its text and the CNPJ in column 1. */
function scanned(text: string, chunk: number): { raw: string; cnpj: string | null }[] {
  const bytes = Buffer.from(text, "latin1");
  const scanner = new CsvRecords({ delimiter: ";", column: 1 });
  const found: { raw: string; cnpj: string | null }[] = [];
  let from = 0;
  for (let end = Math.min(chunk, bytes.length); ; end = Math.min(end + chunk, bytes.length)) {
    const isLast = end === bytes.length;
    const part = bytes.subarray(from, end);
    for (let at = 0; ; at = scanner.next) {
      const count = scanner.scan(part, at, isLast);
      if (count === 0) break;
      const odd = new Set(scanner.oddCells().map(({ record }) => record));
      for (let record = 0; record < count; record++) {
        const raw = part.toString("latin1", ...scanner.bounds(record));
        found.push({ raw, cnpj: odd.has(record) ? null : scanner.digits(record) || null });
      }
    }
    from += scanner.next;
    if (isLast) return found;
  }
}

describe("records of a CSV file", () => {
  it("are those of a slow reader, in chunks of any size", () => {
    for (let seed = 0; seed < 80; seed++) {
      const rng = seededRng(seed);
      const text = randomText(rng);
      const isOpen = (text.split('"').length - 1) % 2 === 1;
      const chunk = 1 + Math.floor(rng() * text.length);
      if (isOpen) {
        assert.throws(() => scanned(text, chunk), /has no end/, `file ${seed}`);
        continue;
      }
      const expected = slowRecords(text, ";").map(({ raw }) => ({
        raw,
        cnpj: slowCnpj(rawCells(raw)[1] ?? ""),
      }));
      assert.deepEqual(scanned(text, chunk), expected, `file ${seed}`);
    }
  });

  it("have no digits of an earlier scan", () => {
    const scanner = new CsvRecords({ delimiter: ";", column: 0 });
    const bytes = Buffer.from(`${CNPJ};a\n`);
    scanner.scan(bytes, 0, false);
    assert.equal(scanner.digits(0), CNPJ);
    scanner.scan(Buffer.from(";b\n"), 0, true);
    assert.equal(scanner.digits(0), "");
  });

  it("come from a file in pieces, after its mark and before its end mark", async () => {
    const path = join(folder, "sent.csv");
    const body = Array.from({ length: 900 }, (_, at) => `${at};${CNPJ}\n`).join("");
    for (const [mark, tail] of [
      ["", ""],
      ["\ufeff", "\u001a\u001a"],
    ] as const) {
      writeFileSync(path, mark + body + tail);
      const size = Buffer.byteLength(mark + body + tail);
      for (const readBytes of [4_096, 5_000, size - 1, size, size + 1]) {
        let text = "";
        let last: string | null = null;
        for await (const piece of readCsvBytes(path, { readBytes })) {
          assert.equal(last, null, "one piece is the last");
          piece.used = piece.isLast ? piece.bytes.length : piece.bytes.lastIndexOf(0x0a) + 1;
          text += Buffer.from(piece.bytes.subarray(0, piece.used)).toString();
          assert.equal(Buffer.from(piece.mark).toString(), mark);
          if (piece.isLast) last = Buffer.from(piece.tail).toString();
        }
        assert.deepEqual([text, last], [body, tail]);
      }
    }
  });

  it("are refused if the file becomes shorter or longer while it is read", async () => {
    const path = join(folder, "changing.csv");
    const body = Buffer.alloc(20_000, "1;x\n");
    const changed = /had 20,000 bytes and changed while it was read\. Try again/;
    for (const size of [15_000, 19_999, 20_004]) {
      writeFileSync(path, body);
      const read = async () => {
        for await (const piece of readCsvBytes(path, { readBytes: 4_096 })) {
          piece.used = piece.bytes.length;
          truncateSync(path, size);
        }
      };
      await assert.rejects(read, changed, `${size} bytes`);
    }
    const again = async () => {
      for await (const piece of readCsvBytes(path, { bytes: 20_000 })) piece.used = 0;
    };
    await assert.rejects(again, changed, "a later pass");
  });
});
