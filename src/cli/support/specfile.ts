/**
 * What commands that take a spec share. What comes in: what stands after `--spec`, `--text` and
 * `--limit`. What goes out: the spec as it was written or as the sentence means it, the number.
 * Invariant: nothing of a spec is checked here but that it is JSON; the rest is normalization's.
 */
import { InvalidArgumentError } from "commander";
import { AppError, CommandError } from "../../errors.ts";
import { insteadOf, kindOf } from "../../files/filekind.ts";
import { FileTooLong, readSmallFile, SMALL_FILE_BYTES } from "../../files/smallfile.ts";
import { stderr } from "../../process/terminal.ts";
import type { Segment } from "../../search/segment.ts";
import { parseJson } from "../../spec/reader.ts";
import { TEXT_MAX } from "../../spec/schema.ts";
import { isUncertain } from "../../translate/confidence.ts";
import type { Note } from "../../translate/notes.ts";
import { translate } from "../../translate/translate.ts";
import { isOfSystem } from "./systemwords.ts";

/** Reads a spec file, `-` being standard input. @throws CommandError (exit 2) without one. */
export function readSpecFile(path: string): unknown {
  const place = path === "-" ? "Standard input" : path;
  try {
    const bytes = readSmallFile(path === "-" ? 0 : path, SMALL_FILE_BYTES.spec);
    const kind = kindOf(bytes);
    if (kind === null) return parseJson(withoutMark(bytes));
    throw new CommandError(`${place}: ${insteadOf(kind, "a spec in JSON (UTF-8)")}.`, 2);
  } catch (error) {
    if (error instanceof FileTooLong) {
      throw new CommandError(`${place} is no spec: ${error.message}. Check the path.`, 2, error);
    }
    // Its words are those of a request: a body is what a client sends.
    if (error instanceof AppError) {
      throw new CommandError(error.message.replace(/^The body /, `${place} `), 1, error);
    }
    if (!isOfSystem(error)) throw error;
    if (error.code === "ENOENT") throw new CommandError(`There is no spec file ${path}.`, 2, error);
    throw new CommandError(`${place} is no spec file that can be read (${error.code}).`, 2, error);
  }
}

/** Some editors begin a file with the byte-order mark of UTF-8, which JSON does not have. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(Buffer.from("\ufeff")) ? bytes.subarray(3) : bytes;
}

/** Where a spec comes from: a file, or a sentence. */
interface SpecSource {
  readonly spec?: string;
  readonly text?: string;
}

/**
 * Gives what makes the spec once the snapshot is open; a file is read at once, so that a wrong path
 * is found before any work. @throws CommandError (exit 2) unless there is exactly one source.
 */
export function specSource({ spec, text }: SpecSource): (segment: Segment) => unknown {
  if ((spec === undefined) === (text === undefined)) {
    throw new CommandError("Say either --spec FILE or --text SENTENCE.", 2);
  }
  if (text === undefined) {
    const input = readSpecFile(spec as string);
    return () => input;
  }
  refuseText(text);
  return (segment) => translated(text, segment);
}

/** Refuses a text that no sentence is. @throws CommandError (exit 2) */
export function refuseText(text: string): void {
  if (text.trim() !== "" && text.length <= TEXT_MAX) return;
  throw new CommandError(`The sentence must have 1 to ${TEXT_MAX} characters.`, 2);
}

/**
 * A spec of a sentence; what was assumed and left out is said on standard error.
 * @throws CommandError (exit 1) with the spec where too little was understood to work with it.
 */
function translated(text: string, segment: Segment): unknown {
  const { explain, ...spec } = translate(text, segment).spec;
  const { assumptions, warnings, unmapped_constraints: unmapped } = explain;
  const say = (title: string, notes: readonly Note[]) => {
    for (const { words, detail } of notes) {
      stderr.print(`${title}: ${words === undefined ? "" : `"${words}": `}${detail}\n`);
    }
  };
  say("assumed", assumptions);
  say("warning", warnings);
  say("not mapped", unmapped);
  if (!isUncertain(explain.confidence)) return spec;
  throw new CommandError(
    `The sentence was not understood well enough (confidence ${explain.confidence}). ` +
      "As far as it was, its spec is this; check it, mend it and search with --spec:\n" +
      JSON.stringify(spec, null, 2),
  );
}

/** Reads a whole number from 1. @throws InvalidArgumentError (exit 2) for another text. */
export function positive(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError("It must be a whole number from 1.");
}
