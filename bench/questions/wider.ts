/**
 * Measures how many bytes of a snapshot certain filters take, by column, flag, and posting list.
 * The filters are the counts of contacts and establishments, own domains, kinds of phones, and
 * districts.
 * Invariant: sizes are read from the file as laid out in format.h, and include each container's
 * directory entry.
 */

import {
  COLUMNS,
  type ColumnName,
  DIMENSIONS,
  FLAG_CODES,
  TABLES,
} from "../../native-index/format/columns.ts";
import { CheckedFile } from "../../native-index/format/snapshot/checked-file.ts";
import { readParts, SECTION, sectionOf } from "../../native-index/format/snapshot/region.ts";
import { openSnapshot } from "../../native-index/format/snapshot/snapshot.ts";

const WIDER: readonly ColumnName[] = [
  ...(["email_shared", "phone_1_shared", "phone_2_shared", "establishments"] as const),
  "email_own_domain",
];
const FLAGS = ["has_mobile", "has_landline", "own_domain", "own_email"] as const;
const FLAG = DIMENSIONS.indexOf("flag");
const [CHUNKS, ARRAY, BITSET] = [5, 1, 2];
const BITSET_BYTES = 8_192;
const ENTRY_BYTES = 12;

/** Returns the bytes by name, largest first. */
export async function widerBytes(path: string): Promise<[name: string, bytes: number][]> {
  const { sections } = await openSnapshot(path);
  const file = new CheckedFile(path);
  const found = new Map<string, number>();
  const add = (name: string, bytes: number) => found.set(name, (found.get(name) ?? 0) + bytes);
  const { offset, length } = sectionOf(file, sections, SECTION.columns);
  for (const [name, bytes] of columnsIn(file.read(offset, length))) add(name, bytes);
  const chunks = sectionOf(file, sections, CHUNKS);
  const ends = file.read(chunks.offset, chunks.length);
  for (let at = 0; at + 16 <= ends.byteLength; at += 8) {
    const from = Number(ends.readBigUInt64LE(at));
    const block = file.read(from, Number(ends.readBigUInt64LE(at + 8)) - from);
    for (const [code, bytes] of flagsIn(block)) {
      const name = FLAGS.find((one) => FLAG_CODES[one] === code);
      if (name !== undefined) add(`flag ${name}`, bytes);
    }
  }
  const numbers = sectionOf(file, sections, SECTION.table, TABLES.indexOf("number"));
  add("table of numbers", numbers.length);
  const districts = readParts(file, sections).find(({ name }) => name.startsWith("DISTRI"));
  add("districts", districts?.length ?? 0);
  return [...found].sort(([, a], [, b]) => b - a);
}

/** Returns the name and bytes of each measured column, once for every batch of rows. */
function columnsIn(section: Buffer): [name: string, bytes: number][] {
  const [batches, columns] = [section.readUInt32LE(0), section.readUInt32LE(4)];
  const found: [string, number][] = [];
  for (let batch = 0; batch < batches; batch++) {
    const entries = 8 + batch * (16 + columns * 48) + 16;
    for (const name of WIDER) {
      const at = entries + COLUMNS.findIndex((column) => column.name === name) * 48;
      const lengths = [8, 24, 40].map((more) => Number(section.readBigUInt64LE(at + more)));
      found.push([name, lengths.reduce((sum, bytes) => sum + bytes, 0)]);
    }
  }
  return found;
}

/** Returns the code and bytes of each flag's container (rows with the flag) in one block. */
function flagsIn(block: Buffer): [code: number, bytes: number][] {
  const directory = 16 + FLAG * 8;
  const [first, count] = [block.readUInt32LE(directory), block.readUInt32LE(directory + 4)];
  return Array.from({ length: count }, (_, entry) => {
    const at = first + entry * ENTRY_BYTES;
    const payload = block.readUInt32LE(at + 4);
    const [rows, type] = [block.readUInt16LE(at + 8) + 1, block.readUInt16LE(at + 10)];
    const runs = 2 + 4 * block.readUInt16LE(payload);
    const bytes = type === ARRAY ? 2 * rows : type === BITSET ? BITSET_BYTES : runs;
    return [block.readUInt32LE(at), ENTRY_BYTES + bytes];
  });
}
