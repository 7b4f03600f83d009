/**
 * A file of entries of a list, as a command is given it. What comes in: a path, or standard input.
 * What goes out: the entries, and the lines that were not understood.
 * Invariant: whether it is CSV or XLSX its first bytes say, never its name. Apart because reading
 * both is no matter of the command.
 */
import { createReadStream } from "node:fs";
import { AppError, CommandError } from "../../errors.ts";
import { limitText, SMALL_FILE_BYTES } from "../../files/smallfile.ts";
import { CsvUpload, readXlsx, type Upload, XLSX_BYTES_MAX } from "../../lists/upload.ts";
import { reading } from "./systemwords.ts";

/** How a zip begins, and the older workbooks, which the reader refuses in words. */
const WORKBOOKS = [0x504b0304, 0xd0cf11e0];
const SIGN_BYTES = 4;

/** Most bytes of a CSV file, as over HTTP. */
const CSV_BYTES_MAX = SMALL_FILE_BYTES.table;

/** How the file is read. */
interface FileWishes {
  readonly fillZeros: boolean;
  readonly column: string | undefined;
}

/** Reads a file; `-` is standard input. @throws CommandError, also for what it holds. */
export async function readEntryFile(file: string, wishes: FileWishes): Promise<Upload> {
  try {
    return await read(file, wishes);
  } catch (error) {
    // Its only mistake is that of the file as a whole, and says the same.
    if (error instanceof AppError) {
      const message = error.message.replaceAll("column=<header>", "--column <header>");
      throw new CommandError(message, 1, error);
    }
    throw error;
  }
}

async function read(file: string, wishes: FileWishes): Promise<Upload> {
  const { fillZeros, column } = wishes;
  const place = file === "-" ? "Standard input" : file;
  const csv = new CsvUpload(fillZeros, column);
  const pieces: Buffer[] = [];
  let bytes = 0;
  let isBook: boolean | null = null;
  await reading(place, async () => {
    const input = file === "-" ? process.stdin : createReadStream(file);
    for await (const piece of input as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (isBook === false) csv.add(piece);
      else pieces.push(piece);
      if (isBook === null && bytes >= SIGN_BYTES) {
        isBook = WORKBOOKS.includes(Buffer.concat(pieces).readUInt32BE(0));
        if (!isBook) for (const one of pieces.splice(0)) csv.add(one);
      }
      if (isBook === true && bytes > XLSX_BYTES_MAX) throw tooLarge(place);
      if (bytes > CSV_BYTES_MAX) throw tooLong(place);
    }
  });
  if (isBook === true) return readXlsx(Buffer.concat(pieces), wishes);
  for (const one of pieces) csv.add(one);
  return csv.end();
}

function tooLong(place: string): CommandError {
  const most = limitText(CSV_BYTES_MAX);
  return new CommandError(
    `${place} has more than ${most}, the most that is read of a list. ` +
      "Divide it, and add each part.",
  );
}

function tooLarge(place: string): CommandError {
  const most = `${XLSX_BYTES_MAX / 1024 ** 2} MiB`;
  return new CommandError(`${place} has more than ${most}. Save the sheet as CSV, and name that.`);
}
