/**
 * Pass 1 of the import in TypeScript: one member of the dump, cleaned and spilled by company root.
 * The twin of `native-scan.ts`, which imports take.
 * What comes in: a member (companies, Simples or establishments) and the number of partitions.
 * What goes out: its spill file, the codes it uses, and what was odd about it.
 * Invariant: the spill depends on the member alone, not on the thread or the order of tasks.
 */
import { placeOf, readMember } from "../../dump/archive.ts";
import { BadRows } from "../../dump/badrows.ts";
import type { TextEncoding } from "../../dump/encoding.ts";
import { LAYOUTS } from "../../dump/layout.ts";
import type { DumpMember } from "../../dump/member.ts";
import { type DumpRecord, RecordScanner } from "../../dump/records.ts";
import { UFS } from "../../spec/fields.ts";
import { type AllCodes, type AllCounters, codesInUse, newCounters } from "../codes.ts";
import { type SpillFile, SpillWriter } from "../spill.ts";
import { Tally, type TallyResult } from "../tally.ts";
import { companyScanner } from "./companies.ts";
import { EstablishmentScanner, TOM_CODES } from "./establishments.ts";
import { simplesScanner } from "./simples.ts";

/** What one scan is told. */
export interface ScanTask {
  readonly member: DumpMember;
  readonly spillPath: string;
  readonly partitions: number;
  readonly slotBytes: number;
  readonly keepCpf: boolean;
  /** Last day that counts as a date, in days since 1970-01-01. */
  readonly latestDay: number;
  /** Reads texts as UTF-8 whether or not the file has its mark. */
  readonly utf8: boolean;
  /** Malformed rows of the member that are left out and counted before one is refused. */
  readonly skipBadRows: number;
  /** Shared counter: KiB scanned so far, of all tasks together. */
  readonly progress: Int32Array;
}

/** What one scan found. */
export interface ScanResult {
  readonly spill: SpillFile;
  readonly rowsIn: number;
  readonly rowsKept: number;
  readonly codes: AllCodes;
  /** Rows per state and TOM code (`establishments.ts`); empty for the other types. */
  readonly places: Uint32Array;
  readonly encoding: TextEncoding;
  readonly tally: TallyResult;
}

/** The decompressed bytes of a member. */
export type DumpPieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Scans one member. @throws CommandError with file, line and reason when it is damaged. */
export async function scanHere(
  task: ScanTask,
  pieces: DumpPieces = readMember(task.member),
): Promise<ScanResult> {
  const { member, partitions } = task;
  const place = placeOf(member);
  const writer = new SpillWriter(task.spillPath, partitions, task.slotBytes);
  const tally = new Tally(place);
  const counters = newCounters();
  const isPlaced = member.type === "estabelecimentos";
  const places = new Uint32Array(isPlaced ? UFS.length * TOM_CODES : 0);
  const take = takerOf(task, { writer, tally, counters, places });
  const bad = new BadRows(task.skipBadRows, (line, reason) =>
    tally.add("row_malformed", line, () => reason),
  );
  const scanner = new RecordScanner(place, LAYOUTS[member.type].columns.length, {
    bad,
    utf8: task.utf8,
  });
  try {
    const rowsKept = await feed({ scanner, bad, pieces, take, progress: task.progress });
    const { record, count: rowsIn } = scanner;
    const encoding = { utf8: record.encoding === "utf8", ...record.sequences };
    const found = { codes: codesInUse(counters), places, encoding, tally: tally.result() };
    return { spill: writer.close(), rowsIn, rowsKept, ...found };
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

interface Feeding {
  readonly scanner: RecordScanner;
  readonly bad: BadRows;
  readonly pieces: DumpPieces;
  readonly take: (record: DumpRecord) => boolean;
  readonly progress: Int32Array;
}

/** Scans all pieces; gives how many rows were kept. */
async function feed({ scanner, bad, pieces, take, progress }: Feeding): Promise<number> {
  let rowsKept = 0;
  const onRecord = (record: DumpRecord): void => {
    try {
      if (take(record)) rowsKept++;
    } catch (error) {
      bad.leaveOut(error);
    }
  };
  let rest = 0;
  for await (const piece of pieces) {
    scanner.push(piece, onRecord);
    rest += piece.length;
    Atomics.add(progress, 0, rest >> 10);
    rest &= 1023;
  }
  scanner.end(onRecord);
  return rowsKept;
}

interface Collectors {
  readonly writer: SpillWriter;
  readonly tally: Tally;
  readonly counters: AllCounters;
  readonly places: Uint32Array;
}

function takerOf(task: ScanTask, collectors: Collectors): (record: DumpRecord) => boolean {
  const { partitions, keepCpf, latestDay } = task;
  const { type } = task.member;
  if (type === "empresas") {
    return companyScanner({
      ...collectors,
      partitions,
      keepCpf,
      natures: collectors.counters.nature,
    });
  }
  if (type === "simples") return simplesScanner({ ...collectors, partitions, latestDay });
  const scanner = new EstablishmentScanner({ ...collectors, partitions, latestDay, keepCpf });
  return (record) => scanner.take(record);
}
