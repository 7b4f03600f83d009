/**
 * How an XLSX file is rejected: returns the message, or an empty text if it is accepted. Invariant:
 * any failure other than a readable rejection fails. Separate because suites of valid and of
 * corrupt files use it.
 */
import assert from "node:assert/strict";
import { AppError } from "../../../src/errors.ts";
import { readXlsx } from "../../../src/lists/upload.ts";

/** The rejection of a file; `column` is the wanted one. */
export async function unreadableXlsx(file: Buffer, column?: string): Promise<string> {
  try {
    await readXlsx(file, { fillZeros: false, column });
  } catch (error) {
    assert(error instanceof AppError, String(error));
    assert.equal(error.code, "invalid_request");
    assert.equal(error.errors[0]?.code, "unreadable_xlsx");
    return error.message;
  }
  return "";
}
