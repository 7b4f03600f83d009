/**
 * Why a workbook is not read. What comes in: the place and what is wrong there. What goes out: an
 * error that says both, and the mend.
 * Invariant: whatever the bytes are, reading them ends with texts or with this error. Apart because
 * every part of the reader throws it.
 */

/** What mends a workbook that no program should have written. */
const SAVE_ANEW = "Open it in a spreadsheet program and save it anew as XLSX.";

/** What mends a workbook that is too large. */
export const SAVE_LESS = "Keep only the column of CNPJs, or save the sheet as CSV, and send that.";

/** A workbook that cannot be read. */
export class XlsxRefusal extends Error {
  /** `place` is the part, the sheet or the cell; the mend is to save it anew if nothing is said. */
  constructor(place: string, wrong: string, mend = SAVE_ANEW) {
    super(`${place}: ${wrong}. ${mend}`);
  }
}
