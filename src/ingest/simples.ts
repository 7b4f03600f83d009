/**
 * Simples and MEI opt-ins on their way to their companies.
 * What comes in: records of the Simples file.
 * What goes out: spill records of 16 bytes: 0 f64 root, 8 u32 flags (`SIMPLES_FLAGS`), 12 zero.
 * Invariant: `S` is yes; `N`, blank and odd values are no. Dates decide nothing: a flag that they
 * contradict is counted.
 */
import { RECORD_FLAGS } from "../../native-index/builder/record.ts";
import { CNPJ_WIDTHS, cleanRoot } from "../dump/cnpj.ts";
import { SIMPLES } from "../dump/layout.ts";
import type { DumpRecord } from "../dump/records.ts";
import { isValue } from "../dump/rules.ts";
import { cleanDate, cleanFlag, fieldText, lostZeros } from "../dump/values.ts";
import { partitionOf } from "./roots.ts";
import type { SpillWriter } from "./spill.ts";
import type { Tally } from "./tally.ts";

/** Length of a spill record. */
export const SIMPLES_BYTES = 16;

/** What a Simples scan needs. */
interface SimplesScan {
  readonly writer: SpillWriter;
  readonly partitions: number;
  readonly tally: Tally;
  /** Last day that counts as a date. */
  readonly latestDay: number;
}

/** Columns of an opt-in: its flag, and the days since when and until when it holds. */
type OptIn = readonly [flag: number, from: number, until: number];

const OPT_INS: readonly OptIn[] = [
  [SIMPLES.simples, SIMPLES.simplesFrom, SIMPLES.simplesUntil],
  [SIMPLES.mei, SIMPLES.meiFrom, SIMPLES.meiUntil],
];

/** Makes the function that takes each record; it returns whether the row was kept. */
export function simplesScanner(scan: SimplesScan): (record: DumpRecord) => boolean {
  const { writer, tally } = scan;
  return (record) => {
    const root = cleanRoot(record, SIMPLES.root);
    if (!isValue(root)) {
      tally.odd(root, record, SIMPLES.root);
      return false;
    }
    if (lostZeros(record, SIMPLES.root, CNPJ_WIDTHS.root)) {
      tally.add("cnpj_zeros", record.line, () => fieldText(record, SIMPLES.root));
    }
    const [simples, mei] = OPT_INS.map((optIn) => readOptIn(record, optIn, scan));
    const at = writer.reserve(partitionOf(root, scan.partitions), SIMPLES_BYTES);
    const flags = (simples === 1 ? RECORD_FLAGS.simples : 0) | (mei === 1 ? RECORD_FLAGS.mei : 0);
    writer.view.setFloat64(at, root, true);
    writer.view.setUint32(at + 8, flags, true);
    writer.view.setUint32(at + 12, 0, true);
    return true;
  };
}

/**
 * Returns the flag of an opt-in, and counts one that its dates contradict: yes although it ended
 * and did not begin again, or no although it began and did not end.
 */
function readOptIn(record: DumpRecord, [flag, from, until]: OptIn, scan: SimplesScan): number {
  const { tally, latestDay } = scan;
  const said = cleanFlag(record, flag);
  tally.odd(said, record, flag);
  const [begun, ended] = [from, until].map((column) => {
    const day = cleanDate(record, column, latestDay);
    tally.odd(day, record, column);
    return day;
  }) as [number, number];
  const isOver = isValue(ended) && !(isValue(begun) && begun > ended);
  const isOpen = isValue(begun) && !isValue(ended);
  if ((said === 1 && isOver) || (said === 0 && isOpen)) {
    const value = () => [flag, from, until].map((column) => fieldText(record, column)).join("/");
    tally.add("flag_contradiction", record.line, value);
  }
  return said;
}
