/**
 * Makes records from the texts of their fields (ISO-8859-1), for the tests of the functions that
 * clean fields.
 * Invariant: each record passes through the real scanner, so no test writes offsets by hand.
 */
import assert from "node:assert/strict";
import { type DumpRecord, RecordScanner } from "../../../src/dump/records.ts";

/** Returns a record of these fields. `isUtf8` marks the file as UTF-8 by a byte order mark. */
export function recordOf(fields: readonly string[], isUtf8 = false): DumpRecord {
  const text = fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(";");
  const scanner = new RecordScanner("test", fields.length);
  let found: DumpRecord | null = null;
  const take = (record: DumpRecord): void => {
    found = record;
  };
  scanner.push(Buffer.from(isUtf8 ? `\u{feff}${text}` : text, isUtf8 ? "utf8" : "latin1"), take);
  scanner.end(take);
  assert.ok(found);
  return found;
}
