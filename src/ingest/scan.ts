/**
 * Pass 1 of the import: one member of the dump, cleaned and spilled by company root.
 * What comes in: a member (companies, Simples or establishments) and the number of partitions.
 * What goes out: its spill file, the codes it uses, and what was odd about it.
 * Invariant: the spill depends on the member alone, not on the thread or the order of tasks.
 */
import { type DumpMember, placeOf, readMember } from "../dump/archive.ts";
import { LAYOUTS } from "../dump/layout.ts";
import { type DumpRecord, RecordScanner } from "../dump/records.ts";
import { UFS } from "../spec/fields.ts";
import { type AllCodes, type AllCounters, codesInUse, newCounters } from "./codes.ts";
import { companyScanner } from "./companies.ts";
import { EstablishmentScanner, TOM_CODES } from "./establishments.ts";
import { simplesScanner } from "./simples.ts";
import { type SpillFile, SpillWriter } from "./spill.ts";
import { Tally, type TallyResult } from "./tally.ts";

/** What one scan is told. */
export interface ScanTask {
  readonly member: DumpMember;
  readonly spillPath: string;
  readonly partitions: number;
  readonly slotBytes: number;
  readonly keepCpf: boolean;
  /** Last day that counts as a date, in days since 1970-01-01. */
  readonly latestDay: number;
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
  readonly tally: TallyResult;
}

/** Scans one member. @throws CommandError with file, line and reason when it is damaged. */
export async function scanMember(task: ScanTask): Promise<ScanResult> {
  const { member, partitions } = task;
  const place = placeOf(member);
  const writer = new SpillWriter(task.spillPath, partitions, task.slotBytes);
  const tally = new Tally(place);
  const counters = newCounters();
  const isPlaced = member.type === "estabelecimentos";
  const places = new Uint32Array(isPlaced ? UFS.length * TOM_CODES : 0);
  const take = takerOf(task, { writer, tally, counters, places });
  let rowsKept = 0;
  const onRecord = (record: DumpRecord): void => {
    if (take(record)) rowsKept++;
  };
  const scanner = new RecordScanner(place, LAYOUTS[member.type].columns.length);
  let rest = 0;
  for await (const chunk of readMember(member)) {
    scanner.push(chunk, onRecord);
    rest += chunk.length;
    Atomics.add(task.progress, 0, rest >> 10);
    rest &= 1023;
  }
  scanner.end(onRecord);
  const spill = writer.close();
  const codes = codesInUse(counters);
  return { spill, rowsIn: scanner.count, rowsKept, codes, places, tally: tally.result() };
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
  if (type === "simples") return simplesScanner({ ...collectors, partitions });
  const scanner = new EstablishmentScanner({ ...collectors, partitions, latestDay });
  return (record) => scanner.take(record);
}
