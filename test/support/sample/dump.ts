/**
 * Reads the rows of a sample folder as strings. This second, simple reader shares no code with the
 * product: it reads local headers by hand, inflates once, and splits with one regular expression.
 * Invariant: the rows are in the order of the parts. A row that the product would reject fails here
 * too.
 */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";

/** One zip of the sample. */
export interface SampleZip {
  readonly zip: string;
  readonly member: string;
  /** The text of the zip's member, in ISO-8859-1. */
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

/** Returns the rows of all zips whose name begins with `name`. NUL bytes are kept. */
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
