/**
 * An XLSX file that somebody sends for a list. What comes in: its bytes. What goes out: the entries
 * of its column of CNPJs, and the cells that were not understood.
 * Invariant: one file is read at a time, so that tables of texts do not add up; dates are refused
 * as what they are; a file that cannot be read is refused in words, whatever its bytes.
 */
import { ColumnRefusal } from "./column.ts";
import { Upload, unreadable } from "./upload.ts";
import { XlsxRefusal } from "./xlsx/refusal.ts";
import { readXlsxColumn } from "./xlsx/xlsxcolumn.ts";

/** Bytes of a file, packed as it is. */
export const XLSX_BYTES_MAX = 32 * 1024 * 1024;

/** How a file is read: as `CsvUpload` takes it; the column may be named by its letters as well. */
interface XlsxWishes {
  readonly fillZeros: boolean;
  readonly column: string | undefined;
}

/** Settles when the file before is read. */
let before: Promise<unknown> = Promise.resolve();

/** Reads a file. Throws `invalid_request` where it cannot be read. */
export function readXlsx(bytes: Buffer, wishes: XlsxWishes): Promise<Upload> {
  const reading = before.then(() => read(bytes, wishes));
  before = reading.catch(() => undefined);
  return reading;
}

async function read(bytes: Buffer, { fillZeros, column }: XlsxWishes): Promise<Upload> {
  const upload = new Upload(fillZeros);
  try {
    upload.sheet = await readXlsxColumn(
      bytes,
      column,
      ({ row: line, name: cell, text, isDate, takesRoots }) => {
        if (isDate) upload.refuse(text, { line, cell }, { reason: "a_date" });
        else upload.take(text, { line, cell }, takesRoots);
      },
    );
    upload.column = upload.sheet.column;
    return upload;
  } catch (error) {
    const told = error instanceof XlsxRefusal || error instanceof ColumnRefusal;
    throw told ? unreadable("unreadable_xlsx", error.message) : error;
  }
}
