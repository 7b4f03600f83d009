/**
 * Reads the six small tables of a release: code to description, and the encoding.
 * Invariant: codes stay text with leading zeros. If a code is repeated, the first row wins.
 */
import { type DumpFolder, placeOf, readMember, specificReason } from "./archive.ts";
import { LAYOUTS, LOOKUP_TYPES, type LookupType } from "./layout.ts";
import { BadRows, type DumpRecord, RecordScanner } from "./records.ts";
import { BYTE_KINDS, countSequences, KIND_OF_BYTE, type TextEncoding } from "./registrytext.ts";
import { fieldText } from "./values.ts";

/** A dropped row. */
interface LeftOut {
  readonly place: string;
  readonly line: number;
  readonly reason: string;
}

/** A small table. */
interface Lookup {
  /** Code to description. */
  readonly rows: ReadonlyMap<string, string>;
  readonly encoding: TextEncoding;
  readonly leftOut: readonly LeftOut[];
  /** Rows whose name has a character of Windows-1252 that ISO-8859-1 lacks. */
  readonly windows: readonly Omit<LeftOut, "reason">[];
  /** Files of the table, for messages. */
  readonly files: readonly string[];
}

/** All six tables. */
export type Lookups = Readonly<Record<LookupType, Lookup>>;

/** Options. See `ScanTask` in src/ingest/scan/scan.ts. */
interface LookupReading {
  readonly utf8?: boolean;
  readonly skipBadRows?: number;
}

/** Reads all six tables. @throws CommandError like `readMember` and the scanner. */
export async function readLookups(dump: DumpFolder, reading: LookupReading = {}): Promise<Lookups> {
  const tables = {} as Record<LookupType, Lookup>;
  for (const type of LOOKUP_TYPES) tables[type] = await readLookup(dump, type, reading);
  return tables;
}

/** Reads one of the six tables. */
export async function readLookup(
  dump: DumpFolder,
  type: LookupType,
  { utf8 = false, skipBadRows = 0 }: LookupReading,
): Promise<Lookup> {
  const rows = new Map<string, string>();
  const files: string[] = [];
  const leftOut: LeftOut[] = [];
  const windows: Omit<LeftOut, "reason">[] = [];
  let place = "";
  const encoding = { utf8, right: 0, broken: 0 };
  const add = (record: DumpRecord): void => {
    countSequences(record.bytes, record.starts[1] as number, record.ends[1] as number, encoding);
    encoding.utf8 = record.encoding === "utf8";
    const code = fieldText(record, 0);
    if (hasWindows(record, 1)) windows.push({ place, line: record.line });
    if (code !== "" && !rows.has(code)) rows.set(code, fieldText(record, 1));
  };
  for (const member of dump.members) {
    if (member.type !== type) continue;
    const file = placeOf(member);
    place = file;
    const bad = new BadRows(skipBadRows, (line, reason) =>
      leftOut.push({ place: file, line, reason }),
    );
    const scanner = new RecordScanner(place, LAYOUTS[type].columns.length, { bad, utf8 });
    try {
      for await (const chunk of readMember(member)) scanner.push(chunk, add);
      scanner.end(add);
    } catch (error) {
      throw await specificReason(member, error);
    }
    files.push(member.file);
  }
  return { rows, encoding, leftOut, windows, files };
}

/** True if a field has a character of Windows-1252 that ISO-8859-1 lacks. */
function hasWindows({ bytes, starts, ends, encoding }: DumpRecord, column: number): boolean {
  const field = bytes.subarray(starts[column], ends[column]);
  return encoding !== "utf8" && field.some((byte) => KIND_OF_BYTE[byte] === BYTE_KINDS.windows);
}
