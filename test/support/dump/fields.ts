/**
 * Records for the tests of the cleaners, made from field texts (ISO-8859-1).
 * Invariant: the record passes through the real scanner, so offsets are never hand-made.
 */
import assert from "node:assert/strict";
import { type DumpRecord, RecordScanner } from "../../../src/dump/records.ts";

/** A record of these fields; `isUtf8` writes them as UTF-8 after a byte-order mark. */
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
