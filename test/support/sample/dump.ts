/**
 * Reads a sample folder's rows as strings, by a second simple reader that shares no code with the
 * product: local headers by hand, one inflate, one regular expression.
 * Invariant: row order is that of the parts; rows that the product would reject fail here too.
 */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";

/** One zip of the sample. */
export interface SampleZip {
  readonly zip: string;
  readonly member: string;
  /** The member's text in ISO-8859-1. */
  readonly text: string;
}

/** Reads every zip of the folder, by name. */
export async function readSampleZips(folder: string): Promise<SampleZip[]> {
  const zips: SampleZip[] = [];
  for (const zip of (await readdir(folder)).sort()) {
    const bytes = await readFile(join(folder, zip));
    const name = bytes.readUInt16LE(26);
    const start = 30 + name + bytes.readUInt16LE(28);
    const packed = bytes.readUInt32LE(18);
    const text = inflateRawSync(bytes.subarray(start, start + packed)).toString("latin1");
    zips.push({ zip, member: bytes.toString("latin1", 30, 30 + name), text });
  }
  return zips;
}

/** The rows of all zips whose name starts so, NUL bytes kept. */
export function rowsOf(zips: readonly SampleZip[], name: string): string[][] {
  const rows: string[][] = [];
  for (const { zip, text } of zips) {
    if (!zip.startsWith(name)) continue;
    let row: string[] = [];
    let end = 0;
    for (const match of text.matchAll(/"((?:[^"]|"")*)"(;|\n+|$)/g)) {
      assert.equal(match.index, end, `${zip}: text between fields at ${end}`);
      end += match[0].length;
      row.push((match[1] as string).replaceAll('""', '"'));
      if (match[2] === ";") continue;
      rows.push(row);
      row = [];
    }
    assert.equal(end, text.length, `${zip}: text after the last row`);
  }
  return rows;
}
