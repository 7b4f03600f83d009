/**
 * The blobs of a database that do not match their checksums.
 * Invariant: reads every blob once and changes nothing.
 */
import { BLOBS, CHECKSUM_FUNCTION } from "./checksums.ts";
import type { StateDatabase } from "./sqlite.ts";

/** Counts the damaged rows of each table, in a sentence each. Earlier schemas have no checksums. */
export function damagedBlobs(database: StateDatabase): string[] {
  return BLOBS.filter(({ table }) => hasChecksums(database, table)).flatMap(({ table, blobs }) => {
    const damaged = database
      .prepare<[], number>(
        `SELECT count(*) FROM ${table}
         WHERE checksum IS NOT ${CHECKSUM_FUNCTION}(${blobs.join(", ")})`,
      )
      .pluck()
      .get();
    return damaged === 0 ? [] : [`rows of ${table} that do not match their checksum: ${damaged}`];
  });
}

function hasChecksums(database: StateDatabase, table: string): boolean {
  return (
    database
      .prepare<[string], number>(
        "SELECT count(*) FROM pragma_table_info(?) WHERE name = 'checksum'",
      )
      .pluck()
      .get(table) === 1
  );
}
