/**
 * Writes the rows of the Simples file to spill files, for the join with their companies.
 * Input: records of the Simples file.
 * Output: spill records of 24 bytes: 0 f64 root, 8 u32 flags (`SIMPLES_FLAGS`), 12 and 16 i32 days
 * of exclusion from Simples and MEI, 20 zero.
 * Invariant: `S` means yes; `N`, blank, and odd values mean no. Dates that contradict a flag are
 * counted and do not change it. An invalid exclusion date becomes null.
 */
import { RECORD_FLAGS, RECORD_NULL } from "../../../native-index/builder/record.ts";
import { cleanRoot, partitionOf } from "../../../src/dump/cnpj.ts";
import { SIMPLES } from "../../../src/dump/layout.ts";
import type { DumpRecord } from "../../../src/dump/records.ts";
import { ABSENT, isValue } from "../../../src/dump/rules.ts";
import { cleanDate, cleanFlag, fieldText } from "../../../src/dump/values.ts";
import type { SpillWriter } from "../../../src/ingest/spill.ts";
import type { Tally } from "../../../src/ingest/tally.ts";
import { countRoot } from "./companies.ts";

/** Number of bytes of a spill record. */
export const SIMPLES_BYTES = 24;

/** Inputs of a Simples scan. */
interface SimplesScan {
  readonly writer: SpillWriter;
  readonly partitions: number;
  readonly tally: Tally;
  /** Latest day that is accepted as a date. */
  readonly latestDay: number;
}

/** The columns of an option (Simples or MEI): its flag, its first day, and its last day. */
type OptionColumns = readonly [flag: number, from: number, until: number];

const OPTIONS: Readonly<Record<"simples" | "mei", OptionColumns>> = {
  simples: [SIMPLES.simples, SIMPLES.simplesFrom, SIMPLES.simplesUntil],
  mei: [SIMPLES.mei, SIMPLES.meiFrom, SIMPLES.meiUntil],
};

/** Returns a function that reads each record and returns true if it keeps the row. */
export function simplesScanner(scan: SimplesScan): (record: DumpRecord) => boolean {
  const { writer, tally } = scan;
  return (record) => {
    const root = cleanRoot(record, SIMPLES.root);
    if (!isValue(root)) {
      tally.odd(root, record, SIMPLES.root);
      return false;
    }
    countRoot(record, SIMPLES.root, tally);
    const simples = readFlag(record, OPTIONS.simples, scan);
    const mei = readFlag(record, OPTIONS.mei, scan);
    const at = writer.reserve(partitionOf(root, scan.partitions), SIMPLES_BYTES);
    const flags = (simples === 1 ? RECORD_FLAGS.simples : 0) | (mei === 1 ? RECORD_FLAGS.mei : 0);
    writer.view.setFloat64(at, root, true);
    writer.view.setUint32(at + 8, flags, true);
    writer.view.setInt32(at + 12, untilOf(record, SIMPLES.simplesUntil, scan), true);
    writer.view.setInt32(at + 16, untilOf(record, SIMPLES.meiUntil, scan), true);
    writer.view.setUint32(at + 20, 0, true);
    return true;
  };
}

function untilOf(record: DumpRecord, column: number, { latestDay }: SimplesScan): number {
  const day = cleanDate(record, column, latestDay);
  return isValue(day) ? day : RECORD_NULL.days;
}

/**
 * Reads a flag, and counts it if its dates contradict it. An invalid date is no contradiction. A
 * first day after the last day is none either, because the company may have joined again.
 */
function readFlag(
  record: DumpRecord,
  columns: OptionColumns,
  { tally, latestDay }: SimplesScan,
): number {
  const [column, fromColumn, untilColumn] = columns;
  const flag = cleanFlag(record, column);
  tally.odd(flag, record, column);
  if (!isValue(flag)) return flag;
  const from = cleanDate(record, fromColumn, latestDay);
  const until = cleanDate(record, untilColumn, latestDay);
  const isExcluded = isValue(until) && !(isValue(from) && from > until);
  const isOpen = isValue(from) && until === ABSENT;
  const value = (): string => columns.map((one) => fieldText(record, one)).join("/");
  if (flag === 1 && isExcluded) tally.add("flag_excluded", record.line, value);
  if (flag === 0 && isOpen) tally.add("flag_not_excluded", record.line, value);
  return flag;
}
