/**
 * The change list of two snapshots: one entry for every account that is in only one of them, or
 * differs in a compared column. Input: an older and a newer segment. Output: a file of entries,
 * or that file opened again.
 * Invariant: entries ascend by CNPJ. The same pair gives the same bytes. A list opens only for its
 * own pair, and only if every byte is unchanged.
 *
 * Filters or `watch` can use every compared column. The CNPJ is not compared, because it identifies
 * the account. Scores are not compared, because they change with age in nearly every account.
 * `sanctioned` is compared only if both snapshots had the CEIS list. Values are compared, not
 * codes.
 *
 * File format, little endian. Header: magic "PNRCHANG", u32 version, u32 compared columns (a bit
 * each), u64 entries, u64 fingerprint of the columns, two snapshot ids of up to 64 characters
 * (zero-padded), two u32 row counts. Then u32 CRC-32C of the entries, u32 CRC-32C of all before.
 * Each entry: u32 row in the older snapshot, u32 row in the newer one (2^32 - 1 if absent), u32
 * columns that differ.
 */
import { randomBytes } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, openSync, readSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { COLUMNS, type ColumnName, columnsFingerprint } from "../../native-index/format/columns.ts";
import { writeAllSync } from "../../native-index/format/snapshot/write-all.ts";
import {
  crc32c,
  differences,
  type NativeChanges,
  openChanges,
} from "../../native-index/napi/engine.ts";
import { guarded, type Segment } from "../search/segment.ts";
import type { AbsenceMark } from "../spec/catalog.ts";

/** Version of the file. A list of another version is rebuilt. */
export const CHANGE_LIST_VERSION = 2;

/** Options of `buildChangeList`. */
interface MakeChangeListOptions {
  /** Aborts after the current slice. `buildChangeList` then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called after every slice; `total` is the rows of both snapshots. */
  readonly onProgress?: (done: number, total: number) => void;
}

interface MadeChangeList {
  readonly path: string;
  readonly entries: number;
  readonly bytes: number;
}

/** An opened list with its segments; `close` leaves the segments open. */
export interface ChangeList {
  readonly path: string;
  readonly older: Segment;
  readonly newer: Segment;
  /** Number of entries; positions are 0 to `entries`. */
  readonly entries: number;
  readonly native: NativeChanges;
  close(): void;
}

/** Why a list was refused. It can be rebuilt in each case. */
type ChangeListProblem = "missing" | "damaged" | "other_version" | "other_pair";

/** Thrown if a list cannot be opened. */
export class ChangeListError extends Error {
  readonly problem: ChangeListProblem;

  constructor(problem: ChangeListProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.problem = problem;
  }
}

/** Thrown for segments in the wrong order: the first segment is of a later month. */
export class ChangeOrderError extends Error {}

const MAGIC = "PNRCHANG";
const HEADER_BYTES = 176;
const ID_CHARACTERS = 64;
/** Offset of the numbers after the ids. */
const COUNTS_AT = 160;
const ENTRY_BYTES = 12;
/** Accounts compared in one native call, which takes less than 100 ms and cannot be aborted. */
const SLICE_ACCOUNTS = 1 << 16;

/** Columns that neither filters nor `watch` use. */
const NOT_COMPARED: readonly ColumnName[] = [
  "cnpj",
  "score",
  "score_contactable",
  "score_newest",
  "score_established",
];

/**
 * Columns that share a bit of an entry with other columns, as in changelist.h, because an entry has
 * only 32 bits. Filters only need to know that one of the columns of a bit differs.
 */
const SHARED_BITS: Readonly<Partial<Record<ColumnName, number>>> = {
  email_shared: 29,
  email_own_domain: 29,
  phone_1_shared: 30,
  phone_2_shared: 30,
  establishments: 31,
  simples_excluded_on: 31,
  mei_excluded_on: 31,
  in_cnep: 31,
  in_cepim: 31,
  federal_debt: 31,
  federal_debt_cents: 31,
  federal_debt_fgts: 31,
  federal_debt_social_security: 31,
  federal_debt_other: 31,
};

/** Returns the mask of a column in the bits of a list's entries. */
export function columnBit(name: ColumnName): number {
  const bit = SHARED_BITS[name] ?? columnNumber(name);
  return (1 << bit) >>> 0;
}

/** True if a column shares its bit, so that an entry does not show whether this column differs. */
export function sharesBit(name: ColumnName): boolean {
  return SHARED_BITS[name] !== undefined;
}

/** True if both snapshots have the data of a column. */
export function bothHave(name: ColumnName, older: Segment, newer: Segment): boolean {
  const mark = LIST_MARKS[name];
  return mark === undefined || (!older.catalog[mark] && !newer.catalog[mark]);
}

/**
 * Columns whose data a snapshot may lack. Each has the name of the catalog member that is true if
 * the data is missing. If only one of two snapshots lacked the data, a comparison of the column
 * would list all accounts.
 */
const LIST_MARKS: Readonly<Partial<Record<ColumnName, AbsenceMark>>> = {
  sanctioned: "lacksCeis",
  simples_excluded_on: "lacksExclusions",
  mei_excluded_on: "lacksExclusions",
  in_cnep: "lacksCnep",
  in_cepim: "lacksCepim",
  federal_debt: "lacksDebts",
  federal_debt_cents: "lacksDebts",
  federal_debt_fgts: "lacksDebts",
  federal_debt_social_security: "lacksDebts",
  federal_debt_other: "lacksDebts",
};

/** The columns compared between two snapshots. */
function comparedColumns(older: Segment, newer: Segment): ColumnName[] {
  const names: ColumnName[] = COLUMNS.map(({ name }) => name);
  return names.filter((name) => !NOT_COMPARED.includes(name) && bothHave(name, older, newer));
}

/** Returns the number of a column. */
export function columnNumber(name: ColumnName): number {
  return COLUMNS.findIndex((column) => column.name === name);
}

/** Returns the file name of a pair's list. */
export function changeListName(older: Segment, newer: Segment): string {
  return `${older.snapshotId}-${newer.snapshotId}.changes`;
}

/** Refuses a pair in the wrong order. @throws ChangeOrderError */
export function refuseWrongOrder(older: Segment, newer: Segment): void {
  if (older.snapshotDate <= newer.snapshotDate) return;
  throw new ChangeOrderError(
    `${older.label} (${older.snapshotDate}) is newer than ${newer.label} ` +
      `(${newer.snapshotDate}); name the older snapshot first`,
  );
}

/**
 * Makes the change list of two snapshots. The file appears complete or not at all, and memory does
 * not grow with the number of accounts. Each slice of accounts blocks the thread, and between
 * slices the function yields to the event loop.
 * @throws ChangeOrderError, the abort's reason, the system's error, or `AppError`
 * `snapshot_unavailable` if a snapshot is damaged.
 */
export async function buildChangeList(
  older: Segment,
  newer: Segment,
  path: string,
  options: MakeChangeListOptions = {},
): Promise<MadeChangeList> {
  refuseWrongOrder(older, newer);
  const temporary = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  const fd = openSync(temporary, "wx", 0o600);
  let open = true;
  try {
    const { entries, sum } = await writeEntries(fd, older, newer, options);
    writeAllSync(fd, headerOf(older, newer, { entries, sum }), 0);
    fsyncSync(fd);
    closeSync(fd);
    open = false;
    renameSync(temporary, path);
    syncFolder(dirname(path));
    return { path, entries, bytes: HEADER_BYTES + entries * ENTRY_BYTES };
  } catch (error) {
    if (open) closeSync(fd);
    rmSync(temporary, { force: true });
    throw error;
  }
}

interface Entries {
  readonly entries: number;
  readonly sum: number;
}

async function writeEntries(
  fd: number,
  older: Segment,
  newer: Segment,
  { signal, onProgress }: MakeChangeListOptions,
): Promise<Entries> {
  const columns = Uint32Array.from(comparedColumns(older, newer), columnNumber);
  const total = older.accounts + newer.accounts;
  let place = { older: 0, newer: 0 };
  let position = HEADER_BYTES;
  let sum = 0;
  onProgress?.(0, total);
  while (place.older < older.accounts || place.newer < newer.accounts) {
    signal?.throwIfAborted();
    const request = { ...place, columns, accounts: SLICE_ACCOUNTS };
    const slice = guarded(() => differences(older.native, newer.native, request));
    writeAllSync(fd, slice.entries, position);
    position += slice.entries.byteLength;
    sum = crc32c(slice.entries, sum);
    place = slice;
    onProgress?.(place.older + place.newer, total);
    await nextTurn();
  }
  signal?.throwIfAborted();
  return { entries: (position - HEADER_BYTES) / ENTRY_BYTES, sum };
}

/** Returns the header of a pair's list. Apart from the checksums, it identifies the list. */
function headerOf(older: Segment, newer: Segment, { entries, sum }: Entries): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 0, "latin1");
  header.writeUInt32LE(CHANGE_LIST_VERSION, 8);
  const bits = comparedColumns(older, newer).reduce((mask, name) => mask | columnBit(name), 0);
  header.writeUInt32LE(bits >>> 0, 12);
  header.writeBigUInt64LE(BigInt(entries), 16);
  header.writeBigUInt64LE(columnsFingerprint(), 24);
  header.write(older.snapshotId, 32, ID_CHARACTERS, "latin1");
  header.write(newer.snapshotId, 32 + ID_CHARACTERS, ID_CHARACTERS, "latin1");
  header.writeUInt32LE(older.accounts, COUNTS_AT);
  header.writeUInt32LE(newer.accounts, COUNTS_AT + 4);
  header.writeUInt32LE(sum, COUNTS_AT + 8);
  header.writeUInt32LE(crc32c(header.subarray(0, COUNTS_AT + 12)), COUNTS_AT + 12);
  return header;
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Opens a list for its pair. Reads all of it once, for its checksum. @throws ChangeListError */
export function openChangeList(path: string, older: Segment, newer: Segment): ChangeList {
  const { entries, sum } = readHeader(path, older, newer);
  const native = openEntries(path, { entries, sum });
  return { path, older, newer, entries, native, close: () => native.close() };
}

function openEntries(path: string, { entries, sum }: Entries): NativeChanges {
  try {
    return openChanges(path, { offset: HEADER_BYTES, count: entries, crc32c: sum });
  } catch (error) {
    throw new ChangeListError("damaged", `${path}: ${(error as Error).message}`, error);
  }
}

function readHeader(path: string, older: Segment, newer: Segment): Entries {
  const { header, bytes } = readStart(path);
  const refuse = (problem: ChangeListProblem, why: string) => {
    throw new ChangeListError(problem, `${path} is not the change list of this pair: ${why}`);
  };
  if (header.length < HEADER_BYTES) return refuse("damaged", "it is cut off");
  if (header.toString("latin1", 0, 8) !== MAGIC) return refuse("damaged", "it is another file");
  if (header.readUInt32LE(8) !== CHANGE_LIST_VERSION) {
    return refuse("other_version", "it is of another version of the program");
  }
  if (header.readUInt32LE(COUNTS_AT + 12) !== crc32c(header.subarray(0, COUNTS_AT + 12))) {
    return refuse("damaged", "its header has another checksum");
  }
  const found = {
    entries: Number(header.readBigUInt64LE(16)),
    sum: header.readUInt32LE(COUNTS_AT + 8),
  };
  if (!header.equals(headerOf(older, newer, found))) {
    const same = header.readBigUInt64LE(24) === columnsFingerprint();
    return refuse(same ? "other_pair" : "other_version", "it was made of other snapshots");
  }
  if (bytes !== HEADER_BYTES + found.entries * ENTRY_BYTES) {
    return refuse("damaged", `it has ${bytes} bytes for ${found.entries} entries`);
  }
  return found;
}

function readStart(path: string): { header: Buffer; bytes: number } {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    throw new ChangeListError("missing", `There is no change list ${path}.`, error);
  }
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const read = readSync(fd, header, 0, HEADER_BYTES, 0);
    return { header: header.subarray(0, read), bytes: fstatSync(fd).size };
  } finally {
    closeSync(fd);
  }
}
