/**
 * A small snapshot for tests of the addon, without Arrow metadata. Input: rows, in any order
 * (`randomRows(seed, count)` of fixture-rows.ts makes some). Output: a file that `openSegment(path,
 * directory)` opens, and the rows by row id.
 * Invariant: the file has "ARROW1", the column buffers, each on a multiple of 64, and the index
 * region, all made by the addon itself; Arrow readers cannot read it.
 *
 *   const fixture = await writeFixture("small.arrow", randomRows(1, 5000));
 *   const segment = openSegment(fixture.path, fixture.directory);
 *   // fixture.rows[id] is the account with that row id; FIXTURE_TABLES[name] are the tables.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { RECORD } from "../../../native-index/builder/record.ts";
import { BATCH_ROWS, COLUMNS, TABLES } from "../../../native-index/format/columns.ts";
import {
  buildIndex,
  type ColumnBuffers,
  createBatch,
  type DirectoryLocation,
  type PreparedSection,
  rankRecords,
} from "../../../native-index/napi/engine.ts";
import { encodeRecords, FIXTURE_NUMBERS, FIXTURE_TABLES, type FixtureRow } from "./fixture-rows.ts";

/** Options of a fixture. The addon does not read the META bytes. */
export interface FixtureOptions {
  readonly threads?: number;
  readonly rowsHeld?: number;
  readonly meta?: Uint8Array;
  readonly progress?: Uint32Array;
}

/** A written fixture. */
export interface Fixture {
  readonly path: string;
  readonly directory: DirectoryLocation;
  /** The accounts by row id. */
  readonly rows: readonly FixtureRow[];
  /** Where the index region begins. */
  readonly regionOffset: number;
}

/** The records of an import in rank order. */
export interface RankedRecords {
  readonly records: Uint8Array;
  readonly starts: Uint32Array;
}

/** Writes the rows as a snapshot to `path`, which is overwritten. */
export async function writeFixture(
  path: string,
  rows: readonly FixtureRow[],
  options: FixtureOptions = {},
): Promise<Fixture> {
  const { records, starts, ranked } = rankedOf(rows);
  const written = writeColumns(path, { records, starts });
  const directory = await buildIndex({
    path,
    regionOffset: written.regionOffset,
    rowCount: rows.length,
    sections: [
      { kind: 1, argument: 0, bytes: options.meta ?? Buffer.from("{}") },
      { kind: 2, argument: 0, bytes: written.columns },
      ...tableSections(),
    ],
    threads: options.threads ?? 2,
    ...(options.rowsHeld === undefined ? {} : { rowsHeld: options.rowsHeld }),
    ...(options.progress === undefined ? {} : { progress: options.progress }),
  });
  return { path, directory, rows: ranked, regionOffset: written.regionOffset };
}

/** Caches ranked rows, because suites write the same rows with several options. */
const known = new WeakMap<
  readonly FixtureRow[],
  RankedRecords & { readonly ranked: FixtureRow[] }
>();

function rankedOf(rows: readonly FixtureRow[]) {
  const before = known.get(rows);
  if (before !== undefined) return before;
  const records = encodeRecords(rows);
  const starts = rankRecords(records, records.length);
  const places = new Map<number, FixtureRow>();
  let at = 0;
  for (const row of rows) {
    places.set(at, row);
    at += records.readUInt32LE(at + RECORD.length);
  }
  const ranked = Array.from(starts, (start) => places.get(start) as FixtureRow);
  known.set(rows, { records, starts, ranked });
  return { records, starts, ranked };
}

/**
 * Writes the columns of ranked records. The result's `columns` are the bytes of the COLUMNS
 * section, which lists the columns.
 */
export function writeColumns(path: string, ranked: RankedRecords) {
  const { records, starts } = ranked;
  const file = openSync(path, "w");
  try {
    let position = writeSync(file, Buffer.from("ARROW1\0\0"));
    const table: bigint[] = [];
    for (let first = 0; first < starts.length; first += BATCH_ROWS) {
      const batch = createBatch(FIXTURE_NUMBERS);
      batch.append(records, starts.subarray(first, first + BATCH_ROWS));
      table.push(BigInt(first), BigInt(batch.rowCount));
      for (const column of batch.finish()) {
        position = writeBuffers(file, position, { column, table });
      }
    }
    const regionOffset = Math.ceil(position / 64) * 64;
    writeSync(file, Buffer.alloc(regionOffset - position), 0, regionOffset - position, position);
    return { regionOffset, columns: encodeColumns(table, starts.length) };
  } finally {
    closeSync(file);
  }
}

interface ColumnPlace {
  readonly column: ColumnBuffers;
  readonly table: bigint[];
}

/** Writes the buffers of a column and records their positions. Returns the new end of the file. */
function writeBuffers(file: number, from: number, { column, table }: ColumnPlace): number {
  let position = from;
  for (const buffer of [column.validity, column.data, column.offsets]) {
    position = Math.ceil(position / 64) * 64;
    const bytes = buffer ?? new Uint8Array(0);
    table.push(bytes.length === 0 ? 0n : BigInt(position), BigInt(bytes.length));
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(file, bytes, done, bytes.length - done, position + done);
    }
    position += bytes.length;
  }
  return position;
}

function encodeColumns(table: readonly bigint[], rowCount: number): Uint8Array {
  const bytes = Buffer.alloc(8 + 8 * table.length);
  bytes.writeUInt32LE(Math.ceil(rowCount / BATCH_ROWS), 0);
  bytes.writeUInt32LE(COLUMNS.length, 4);
  table.forEach((number, i) => {
    bytes.writeBigUInt64LE(number, 8 + 8 * i);
  });
  return bytes;
}

/** Returns the TABLE sections with the strings of FIXTURE_TABLES. */
export function tableSections(): PreparedSection[] {
  return TABLES.map((name, argument) => ({
    kind: 3,
    argument,
    bytes: encodeTable(FIXTURE_TABLES[name]),
  }));
}

/** A string table: u32 count, u32 offsets, bytes. */
export function encodeTable(values: readonly string[]): Uint8Array {
  const texts = values.map((value) => Buffer.from(value));
  const head = Buffer.alloc(4 + 4 * (texts.length + 1));
  head.writeUInt32LE(texts.length, 0);
  let offset = 0;
  texts.forEach((text, i) => {
    offset += text.length;
    head.writeUInt32LE(offset, 4 + 4 * (i + 1));
  });
  return Buffer.concat([head, ...texts]);
}
