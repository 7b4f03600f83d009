/**
 * How an XLSX file is refused. What comes in: its bytes. What goes out: what is said of it, or an
 * empty text where it is read. Invariant: anything but a refusal in words is a failure. Apart
 * because suites of whole and of spoilt files ask for it.
 */
import assert from "node:assert/strict";
import { AppError } from "../../../src/errors.ts";
import { readXlsx } from "../../../src/lists/upload.ts";

/** What a file is refused with; `column` is the wanted one. */
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
