/**
 * Writes companies to spill files (temporary files) for the join with their establishments.
 * Input: records of an Empresas file.
 * Output: company spill records, little endian, a multiple of 8 long:
 * - 0 u32 length   4 u16 number of the legal nature   6 u8 ordinal of the size   7 zero
 * - 8 f64 root    16 i64 share capital in cents      24 u16 bytes of the name, then the name
 * Invariant: nulls are those of `record.ts`, so that the join copies values unchecked.
 */
import { RECORD_NULL } from "../../../native-index/builder/record.ts";
import { CNPJ_WIDTHS, cleanRoot, isShortPart, partitionOf } from "../../../src/dump/cnpj.ts";
import { removeCpf } from "../../../src/dump/cpf.ts";
import { EMPRESA } from "../../../src/dump/layout.ts";
import { type DumpRecord, RowRefusal } from "../../../src/dump/records.ts";
import { newTextSink } from "../../../src/dump/registrytext.ts";
import { ABSENT, isValue, oddCode } from "../../../src/dump/rules.ts";
import { cleanCapital, cleanCode, fieldText, lacksZeros } from "../../../src/dump/values.ts";
import type { CodeCounter } from "../../../src/ingest/dictionaries.ts";
import type { SpillWriter } from "../../../src/ingest/spill.ts";
import type { Tally } from "../../../src/ingest/tally.ts";
import { cleanText, clearTexts } from "./text.ts";

/** Byte offsets of a company spill record. */
export const COMPANY = {
  length: 0,
  nature: 4,
  size: 6,
  root: 8,
  capital: 16,
  nameLength: 24,
  name: 26,
};

/** Legal nature of sole traders, whose names may end with a CPF. */
const SOLE_TRADER = 2135;

const NATURE_INVALID = oddCode("nature_invalid");
const SIZE_INVALID = oddCode("size_invalid");

/** Inputs of a company scan. With `keepCpf`, the CPF stays in sole traders' names. */
interface CompanyScan {
  readonly writer: SpillWriter;
  readonly partitions: number;
  readonly tally: Tally;
  readonly natures: CodeCounter;
  readonly keepCpf: boolean;
}

/** Returns a function that reads each record and returns true if it keeps the row. */
export function companyScanner(scan: CompanyScan): (record: DumpRecord) => boolean {
  const { writer, tally } = scan;
  const sink = newTextSink();
  return (record) => {
    const root = cleanRoot(record, EMPRESA.root);
    if (!isValue(root)) {
      tally.odd(root, record, EMPRESA.root);
      return false;
    }
    countRoot(record, EMPRESA.root, tally);
    clearTexts(sink);
    const nature = cleanCode(record, EMPRESA.nature, 4, NATURE_INVALID);
    countCode(nature, record, [EMPRESA.nature, 4], tally);
    let name = cleanText(record, EMPRESA.name, sink);
    if (nature === SOLE_TRADER && !scan.keepCpf) {
      const without = removeCpf(sink, name, false);
      if (without !== name) tally.add("cpf_removed", record.line);
      name = without;
    }
    if (name >= RECORD_NULL.stringLength) {
      const reason = `a name of ${name} bytes; a closing quote is missing`;
      throw new RowRefusal(tally.place, record.line, reason);
    }
    tally.texts(sink, record.line);
    const length = (COMPANY.name + name + 7) & ~7;
    const at = writer.reserve(partitionOf(root, scan.partitions), length);
    const { view, bytes } = writer;
    view.setUint32(at + COMPANY.length, length, true);
    const number = isValue(nature) ? scan.natures.numberOf(nature) : RECORD_NULL.u16;
    view.setUint16(at + COMPANY.nature, number, true);
    view.setUint16(at + COMPANY.size, sizeOrdinal(record, tally), true);
    view.setFloat64(at + COMPANY.root, root, true);
    writeWhole(view, at + COMPANY.capital, capitalOf(record, tally));
    view.setUint16(at + COMPANY.nameLength, name === 0 ? RECORD_NULL.stringLength : name, true);
    bytes.set(sink.bytes.subarray(0, name), at + COMPANY.name);
    bytes.fill(0, at + COMPANY.name + name, at + length);
    return true;
  };
}

/** Counts the root of a CNPJ if it lost leading zeros. */
export function countRoot(record: DumpRecord, column: number, tally: Tally): void {
  if (!isShortPart(record, column, CNPJ_WIDTHS.root)) return;
  tally.add("root_zeros", record.line, () => fieldText(record, column));
}

/** Counts a code that is invalid or that lost leading zeros. */
export function countCode(
  answer: number,
  record: DumpRecord,
  [column, width]: readonly [column: number, width: number],
  tally: Tally,
): void {
  tally.odd(answer, record, column);
  if (!isValue(answer) || !lacksZeros(record, column, width)) return;
  tally.add("code_zeros", record.line, () => fieldText(record, column));
}

/** Returns the ordinal of a size in the list 00, 01, 03, 05. Other sizes count as 00. */
function sizeOrdinal(record: DumpRecord, tally: Tally): number {
  const size = cleanCode(record, EMPRESA.size, 2, SIZE_INVALID);
  if (size === ABSENT) return 0;
  const ordinal = SIZES.indexOf(size);
  countCode(ordinal < 0 ? SIZE_INVALID : size, record, [EMPRESA.size, 2], tally);
  return Math.max(0, ordinal);
}

/** The code of each company size, by ordinal. */
export const SIZES: readonly number[] = [0, 1, 3, 5];

function capitalOf(record: DumpRecord, tally: Tally): number {
  const cents = cleanCapital(record, EMPRESA.capital);
  tally.odd(cents, record, EMPRESA.capital);
  return isValue(cents) ? cents : -1;
}

/** Writes an integer from 0 to 2^53 as i64. A negative integer is written as null. */
export function writeWhole(view: DataView, at: number, value: number): void {
  const isNull = value < 0;
  view.setUint32(at, isNull ? 0 : value >>> 0, true);
  view.setUint32(at + 4, isNull ? 0x80000000 : Math.floor(value / 4294967296), true);
}

/** Reads the integer that `writeWhole` wrote, or -1 for null. */
export function readWhole(view: DataView, at: number): number {
  const high = view.getUint32(at + 4, true);
  return high >= 0x80000000 ? -1 : high * 4294967296 + view.getUint32(at, true);
}
