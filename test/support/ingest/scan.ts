/**
 * The reference implementation of the scan (src/ingest/scan/scan.ts), in plain TypeScript. It
 * cleans one member of the dump and writes its rows to a spill file (a temporary file), divided by
 * company root.
 * Input: a member (companies, Simples, or establishments) and the number of partitions.
 * Output: its spill file, its codes, and its irregular values.
 * Invariant: the spill file depends on the member alone, not on the thread or the order of tasks.
 */
import { placeOf, readMember } from "../../../src/dump/archive.ts";
import { LAYOUTS } from "../../../src/dump/layout.ts";
import { BadRows, type DumpRecord, RecordScanner } from "../../../src/dump/records.ts";
import { type AllCounters, codesInUse, newCounters } from "../../../src/ingest/dictionaries.ts";
import { TOM_CODES } from "../../../src/ingest/places/municipalities.ts";
import type { DumpPieces, ScanResult, ScanTask } from "../../../src/ingest/scan/scan.ts";
import { SpillWriter } from "../../../src/ingest/spill.ts";
import { Tally } from "../../../src/ingest/tally.ts";
import { UFS } from "../../../src/spec/fields.ts";
import { companyScanner } from "./companies.ts";
import { EstablishmentScanner } from "./establishments.ts";
import { simplesScanner } from "./simples.ts";

/** Scans one member. @throws CommandError with file, line, and reason if it is damaged. */
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

/** Scans all pieces. Returns the number of rows that were kept. */
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
