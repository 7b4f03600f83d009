/**
 * Checks that an XLSX file is rejected properly. Output: the message of the rejection, or an empty
 * string if the file is accepted.
 * Invariant: any other failure fails the test.
 * Separate from the suites because those of valid and of corrupt files both use it.
 */
import assert from "node:assert/strict";
import { AppError } from "../../../src/errors.ts";
import { readXlsx } from "../../../src/lists/upload.ts";

/** Returns the message with which a file is rejected. `column` is the requested column. */
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
