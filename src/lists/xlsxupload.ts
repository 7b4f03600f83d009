/**
 * An XLSX file that is sent for a list: its bytes become the entries of its column of CNPJs.
 * Invariant: senders take turns by the bytes that their files unpack to; files that are read at
 * the same time are few, so that tables of texts do not add up; dates are refused as what they
 * are; a file that cannot be read is refused in words, whatever its bytes.
 * Why two queues: a small file never waits until a large one has ended, whoever sent it. Both are
 * then read a chunk at a time, in turns.
 */
import { FairQueue } from "../scheduling/fairqueue.ts";
import { ColumnRefusal } from "./column.ts";
import { Upload, unreadable } from "./upload.ts";
import { XlsxPackage, XlsxRefusal } from "./xlsx/package.ts";
import { readXlsxColumn } from "./xlsx/xlsxcolumn.ts";

/** Bytes of a file, packed as it is. */
export const XLSX_BYTES_MAX = 32 * 1024 * 1024;

const MIB = 1024 * 1024;
/** A file that unpacks to no more is small. */
const SMALL_BYTES = 8 * MIB;
/** What waits: files, and bytes that they unpack to. */
const WAITING = { runningOfOwner: 1, waiting: 128, waitingOfOwner: 16, what: "Workbooks" };
const small = new FairQueue({ ...WAITING, running: 8 });
const large = new FairQueue({
  ...{ ...WAITING, running: 2 },
  ...{ cost: 16_384 * MIB, costOfOwner: 2_048 * MIB },
});

/** How a file is read: as `CsvUpload` takes it; the column may be named by its letters as well. */
interface XlsxWishes {
  readonly fillZeros: boolean;
  readonly column: string | undefined;
}

/**
 * Reads a file when it is its sender's turn. Throws `invalid_request` if it cannot be read,
 * `rate_limited` if too many files of the sender wait, and `overloaded` if too many of all do.
 */
export async function readXlsx(bytes: Buffer, wishes: XlsxWishes, sender = ""): Promise<Upload> {
  try {
    const file = await XlsxPackage.open(bytes);
    const { unpackedBytes } = file;
    const queue = unpackedBytes <= SMALL_BYTES ? small : large;
    return await queue.run(sender, unpackedBytes, () => read(file, wishes));
  } catch (error) {
    const told = error instanceof XlsxRefusal || error instanceof ColumnRefusal;
    throw told ? unreadable("unreadable_xlsx", error.message) : error;
  }
}

async function read(file: XlsxPackage, { fillZeros, column }: XlsxWishes): Promise<Upload> {
  const upload = new Upload(fillZeros);
  upload.sheet = await readXlsxColumn(
    file,
    column,
    ({ row: line, name: cell, text, isDate, takesRoots }) => {
      if (isDate) upload.refuse(text, { line, cell }, { reason: "a_date" });
      else upload.take(text, { line, cell }, takesRoots);
    },
  );
  upload.column = upload.sheet.column;
  return upload;
}
