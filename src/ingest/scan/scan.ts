/**
 * Pass 1 of the import: cleans one member of the dump, and spills it by company root. Input: a
 * member (companies, Simples, or establishments) and the number of partitions. Output: its spill
 * file, its codes, and its irregular values.
 * Invariant: the spill depends only on the member, not on the thread or the order of tasks. The C++
 * addon does the work. Its results and errors equal those of the reference implementation,
 * test/support/ingest/scan.ts.
 */
import { openScan } from "../../../native-index/napi/engine.ts";
import type { NativeScan } from "../../../native-index/napi/import-handles.ts";
import { placeOf, readMember } from "../../dump/archive.ts";
import type { DumpMember } from "../../dump/directory.ts";
import type { TextEncoding } from "../../dump/registrytext.ts";
import { CommandError } from "../../errors.ts";
import type { AllCodes, CodeKind } from "../dictionaries.ts";
import { type SpillFile, spillFileOf } from "../spill.ts";
import { type TallyResult, tallyOf } from "../tally.ts";

/** Inputs of a scan. */
export interface ScanTask {
  readonly member: DumpMember;
  readonly spillPath: string;
  readonly partitions: number;
  readonly slotBytes: number;
  readonly keepCpf: boolean;
  /** Last day that counts as a valid date, in days since 1970-01-01. */
  readonly latestDay: number;
  /** True if texts are decoded as UTF-8 even without a byte-order mark. */
  readonly utf8: boolean;
  /** Max malformed rows of the member; they are skipped and counted. */
  readonly skipBadRows: number;
  /** Counter in shared memory: KiB that all tasks have scanned so far. */
  readonly progress: Int32Array;
}

/** Result of a scan. */
export interface ScanResult {
  readonly spill: SpillFile;
  readonly rowsIn: number;
  readonly rowsKept: number;
  readonly codes: AllCodes;
  /** Number of rows by state and TOM code, for establishments; else empty. */
  readonly places: Uint32Array;
  readonly encoding: TextEncoding;
  readonly tally: TallyResult;
}

/** The decompressed bytes of a member. */
export type DumpPieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Scans a member, read from `pieces` of any size. `portable` avoids optional CPU instructions.
 * @throws CommandError with file, line, and reason if it is damaged.
 */
export async function scanNatively(
  task: ScanTask,
  pieces: DumpPieces = readMember(task.member),
  portable = false,
): Promise<ScanResult> {
  const place = placeOf(task.member);
  const scan = open(task, portable);
  try {
    let rest = 0;
    for await (const piece of pieces) {
      scan.push(piece);
      rest += piece.length;
      Atomics.add(task.progress, 0, rest >> 10);
      rest &= 1023;
    }
    return resultOf(task, place, scan);
  } catch (error) {
    throw refusalOf(place, error);
  } finally {
    scan.close();
  }
}

function open(task: ScanTask, portable: boolean): NativeScan<CodeKind> {
  const { partitions, slotBytes, keepCpf, latestDay, utf8, skipBadRows } = task;
  const type = task.member.type as "empresas" | "simples" | "estabelecimentos";
  const path = task.spillPath;
  const how = { keepCpf, latestDay, utf8, skipBadRows, portable };
  return openScan({ type, path, partitions, slotBytes, ...how });
}

function resultOf(task: ScanTask, place: string, scan: NativeScan<CodeKind>): ScanResult {
  const { rowsIn, rowsKept, codes, places, encoding, ...found } = scan.finish();
  const spill = spillFileOf(task.spillPath, task.partitions, found.extents);
  const tally = tallyOf(place, found, encoding.utf8 ? "utf8" : "windows-1252");
  return { spill, rowsIn, rowsKept, codes, places, encoding, tally };
}

/** Converts the addon's errors about data to messages; returns other errors unchanged. */
function refusalOf(place: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CommandError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "DUMP_REFUSED") return new CommandError(`${place}, ${error.message}`);
  return code === "TOO_LARGE" ? new CommandError(error.message) : error;
}
