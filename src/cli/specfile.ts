/**
 * What commands that take a spec share. What comes in: the path after `--spec`, the text after
 * `--limit`. What goes out: the spec as it was written, the number.
 * Invariant: nothing of a spec is checked here but that it is JSON; the rest is normalization's.
 */
import { readFileSync } from "node:fs";
import { InvalidArgumentError } from "commander";
import { CommandError } from "../errors.ts";
import { parseJson } from "../spec/json.ts";

/** Reads a spec file, `-` being standard input. @throws CommandError (exit 2) without one. */
export function readSpecFile(path: string): unknown {
  try {
    return parseJson(readFileSync(path === "-" ? 0 : path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new CommandError(`There is no spec file ${path}.`, 2, error);
  }
}

/** Reads a whole number from 1. @throws InvalidArgumentError (exit 2) for another text. */
export function positive(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError("It must be a whole number from 1.");
}
