/**
 * What comes in: the six small tables of a release.
 * What goes out: one map per table from code to description.
 * Invariant: codes stay text with their leading zeros; of a doubled code the first row stays.
 * Apart because it knows the dump and its reader only the snapshot.
 */
import { type DumpFolder, placeOf, readMember } from "./archive.ts";
import { LAYOUTS, LOOKUP_TYPES, type LookupType } from "./layout.ts";
import { type DumpRecord, RecordScanner } from "./records.ts";
import { fieldText } from "./values.ts";

/** Code to description, for each of the six tables. */
type Lookups = Readonly<Record<LookupType, ReadonlyMap<string, string>>>;

/** Reads all six tables. @throws CommandError as `readMember` and the scanner do. */
export async function readLookups(dump: DumpFolder): Promise<Lookups> {
  const tables = {} as Record<LookupType, ReadonlyMap<string, string>>;
  for (const type of LOOKUP_TYPES) tables[type] = await readTable(dump, type);
  return tables;
}

async function readTable(dump: DumpFolder, type: LookupType): Promise<Map<string, string>> {
  const table = new Map<string, string>();
  const add = (record: DumpRecord): void => {
    const code = fieldText(record, 0);
    if (code !== "" && !table.has(code)) table.set(code, fieldText(record, 1));
  };
  for (const member of dump.members) {
    if (member.type !== type) continue;
    const scanner = new RecordScanner(placeOf(member), LAYOUTS[type].columns.length);
    for await (const chunk of readMember(member)) scanner.push(chunk, add);
    scanner.end(add);
  }
  return table;
}
