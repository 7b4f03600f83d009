/**
 * Simples and MEI opt-ins on their way to their companies.
 * What comes in: records of the Simples file.
 * What goes out: spill records of 16 bytes: 0 f64 root, 8 u32 flags (`SIMPLES_FLAGS`), 12 zero.
 * Invariant: `S` is yes; `N`, blank and odd values are no.
 */
import { RECORD_FLAGS } from "../../native-index/builder/record.ts";
import { cleanRoot } from "../dump/cnpj.ts";
import { SIMPLES } from "../dump/layout.ts";
import type { DumpRecord } from "../dump/records.ts";
import { isValue } from "../dump/rules.ts";
import { cleanFlag } from "../dump/values.ts";
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
}

/** Makes the function that takes each record; it returns whether the row was kept. */
export function simplesScanner(scan: SimplesScan): (record: DumpRecord) => boolean {
  const { writer, tally } = scan;
  return (record) => {
    const root = cleanRoot(record, SIMPLES.root);
    if (!isValue(root)) {
      tally.odd(root, record, SIMPLES.root);
      return false;
    }
    const simples = cleanFlag(record, SIMPLES.simples);
    const mei = cleanFlag(record, SIMPLES.mei);
    tally.odd(simples, record, SIMPLES.simples);
    tally.odd(mei, record, SIMPLES.mei);
    const at = writer.reserve(partitionOf(root, scan.partitions), SIMPLES_BYTES);
    const flags = (simples === 1 ? RECORD_FLAGS.simples : 0) | (mei === 1 ? RECORD_FLAGS.mei : 0);
    writer.view.setFloat64(at, root, true);
    writer.view.setUint32(at + 8, flags, true);
    writer.view.setUint32(at + 12, 0, true);
    return true;
  };
}
