/**
 * The files that commands read: a spec, or the entries of a list. Input: the values of `--spec`,
 * `--text`, and `--limit`; a path, or standard input. Output: the spec (read from a file, or
 * translated from the sentence of `--text`) and the limit; the entries, and the invalid lines.
 * Invariant: only the JSON syntax of a spec is checked here. Normalization checks the rest. The
 * first bytes of a file of entries determine whether it is CSV or XLSX, never its name.
 */

import { createReadStream } from "node:fs";
import { InvalidArgumentError } from "commander";
import { AppError, CommandError } from "../../errors.ts";
import { kindOf, wrongKindText } from "../../files/filekind.ts";
import { FileTooLong, limitText, readSmallFile, SMALL_FILE_BYTES } from "../../files/smallfile.ts";
import { CsvUpload, readXlsx, type Upload, XLSX_BYTES_MAX } from "../../lists/upload.ts";
import { stderr } from "../../process/terminal.ts";
import type { Segment } from "../../search/segment.ts";
import { parseJson } from "../../spec/reader.ts";
import { TEXT_MAX } from "../../spec/schema.ts";
import { isUncertain } from "../../translate/confidence.ts";
import type { Note } from "../../translate/notes.ts";
import { translate } from "../../translate/translate.ts";
import { isSystemError, withReadErrors } from "./systemerrors.ts";

/** Reads a spec file; `-` is standard input. @throws CommandError (exit 2) if it is missing. */
export function readSpecFile(path: string): unknown {
  const place = path === "-" ? "Standard input" : path;
  try {
    const bytes = readSmallFile(path === "-" ? 0 : path, SMALL_FILE_BYTES.spec);
    const kind = kindOf(bytes);
    if (kind === null) return parseJson(withoutMark(bytes));
    throw new CommandError(`${place}: ${wrongKindText(kind, "a spec in JSON (UTF-8)")}.`, 2);
  } catch (error) {
    if (error instanceof FileTooLong) {
      throw new CommandError(`${place} is not a spec: ${error.message}. Check the path.`, 2, error);
    }
    // "The body" means a request's body. The message is reworded for a file.
    if (error instanceof AppError) {
      throw new CommandError(error.message.replace(/^The body /, `${place} `), 1, error);
    }
    if (!isSystemError(error)) throw error;
    if (error.code === "ENOENT") throw new CommandError(`There is no spec file ${path}.`, 2, error);
    throw new CommandError(`${place} is not a readable spec file (${error.code}).`, 2, error);
  }
}

/** Some editors begin a file with a UTF-8 byte order mark, which JSON does not allow. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(Buffer.from("\ufeff")) ? bytes.subarray(3) : bytes;
}

interface SpecSource {
  readonly spec?: string;
  readonly text?: string;
}

/**
 * Returns a function that makes the spec from the open snapshot. A file is read immediately, so a
 * wrong path fails before any work. @throws CommandError (exit 2) unless exactly one source is
 * given.
 */
export function specSource({ spec, text }: SpecSource): (segment: Segment) => unknown {
  if ((spec === undefined) === (text === undefined)) {
    throw new CommandError("Pass either --spec FILE or --text SENTENCE.", 2);
  }
  if (text === undefined) {
    const input = readSpecFile(spec as string);
    return () => input;
  }
  refuseText(text);
  return (segment) => translated(text, segment);
}

/** Refuses a text that is empty or too long. @throws CommandError (exit 2) */
export function refuseText(text: string): void {
  if (text.trim() !== "" && text.length <= TEXT_MAX) return;
  throw new CommandError(`The sentence must have 1 to ${TEXT_MAX} characters.`, 2);
}

/**
 * Translates a sentence to a spec. Prints assumptions and omissions on standard error. @throws
 * CommandError (exit 1) with the spec if too little was understood.
 */
function translated(text: string, segment: Segment): unknown {
  const { explain, ...spec } = translate(text, segment).spec;
  const { assumptions, warnings, unmapped_constraints: unmapped } = explain;
  const report = (title: string, notes: readonly Note[]) => {
    for (const { words, detail } of notes) {
      stderr.print(`${title}: ${words === undefined ? "" : `"${words}": `}${detail}\n`);
    }
  };
  report("assumed", assumptions);
  report("warning", warnings);
  report("not mapped", unmapped);
  if (!isUncertain(explain.confidence)) return spec;
  throw new CommandError(
    `The sentence was not understood well enough (confidence ${explain.confidence}). ` +
      "This is its spec so far. Check it, correct it, and search with --spec:\n" +
      JSON.stringify(spec, null, 2),
  );
}

/** Reads a positive whole number. @throws InvalidArgumentError (exit 2) */
export function positive(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError("It must be a whole number from 1.");
}

/**
 * The first four bytes of a zip file, such as an XLSX workbook, and of an older workbook (XLS). The
 * reader refuses the older ones with a message.
 */
const WORKBOOKS = [0x504b0304, 0xd0cf11e0];
const SIGN_BYTES = 4;

/** Max bytes of a CSV file, the same as for an upload over HTTP. */
const CSV_BYTES_MAX = SMALL_FILE_BYTES.table;

interface FileOptions {
  readonly fillZeros: boolean;
  readonly column: string | undefined;
}

/** Reads a file; `-` is standard input. @throws CommandError, also for invalid content. */
export async function readEntryFile(file: string, options: FileOptions): Promise<Upload> {
  try {
    return await read(file, options);
  } catch (error) {
    // The only AppError of the reader concerns the whole file. Its message already names the file.
    if (error instanceof AppError) {
      const message = error.message.replaceAll("column=<header>", "--column <header>");
      throw new CommandError(message, 1, error);
    }
    throw error;
  }
}

async function read(file: string, options: FileOptions): Promise<Upload> {
  const { fillZeros, column } = options;
  const place = file === "-" ? "Standard input" : file;
  const csv = new CsvUpload(fillZeros, column);
  const pieces: Buffer[] = [];
  let bytes = 0;
  let isBook: boolean | null = null;
  await withReadErrors(place, async () => {
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
  if (isBook === true) return readXlsx(Buffer.concat(pieces), options);
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
