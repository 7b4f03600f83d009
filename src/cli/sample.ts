/**
 * What comes in: `peneira sample` with its flags.
 * What goes out: a synthetic dump in a new folder, and a summary.
 * Invariant: every wrong flag is named in one message before anything is written (exit 2).
 */
import type { Command } from "commander";
import { ESTABLISHMENTS_MAX, type SampleOptions, writeSample } from "../dump/sample/release.ts";
import { CommandError } from "../errors.ts";
import { progress } from "./progress.ts";

const DEFAULT_LABEL = "2026-10";
const DEFAULT_SEED = "1";

/** Adds `peneira sample` to the program. */
export function registerSample(program: Command): void {
  program
    .command("sample")
    .description("write a synthetic dump in the layout of the registry's monthly release")
    .requiredOption("--out <dir>", "new folder for the 37 zips")
    .requiredOption("--establishments <n>", "number of establishments (accounts)")
    .option("--seed <s>", "whole number; the same arguments give the same bytes", DEFAULT_SEED)
    .option("--label <YYYY-MM>", "month of the release", DEFAULT_LABEL)
    .action(async (flags: SampleFlags) => runSample(flags));
}

/** The flags as commander gives them. */
export interface SampleFlags {
  readonly out: string;
  readonly establishments: string;
  readonly seed: string;
  readonly label: string;
}

/** Checks the flags. @throws CommandError (exit 2) that names every wrong one. */
export function readSampleFlags(flags: SampleFlags): SampleOptions {
  const problems: string[] = [];
  const establishments = readInteger(flags.establishments);
  if (establishments === null || establishments < 1 || establishments > ESTABLISHMENTS_MAX) {
    problems.push(
      `--establishments must be a whole number from 1 to ${ESTABLISHMENTS_MAX}, ` +
        `not "${flags.establishments}"`,
    );
  }
  const seed = readInteger(flags.seed);
  if (seed === null) {
    problems.push(`--seed must be a whole number from 0 to 2^53 - 1, not "${flags.seed}"`);
  }
  if (!/^20[0-9]{2}-(0[1-9]|1[0-2])$/.test(flags.label)) {
    problems.push(`--label must be a month of this century as YYYY-MM, not "${flags.label}"`);
  }
  if (flags.out.trim() === "") problems.push("--out must name a folder");
  if (problems.length > 0) throw new CommandError(problems.join("\n"), 2);
  return {
    folder: flags.out,
    establishments: establishments as number,
    seed: seed as number,
    label: flags.label,
  };
}

function readInteger(text: string): number | null {
  const value = /^[0-9][0-9_]*$/.test(text) ? Number(text.replaceAll("_", "")) : Number.NaN;
  return Number.isSafeInteger(value) ? value : null;
}

/** Runs the command. */
export async function runSample(flags: SampleFlags): Promise<void> {
  const options = readSampleFlags(flags);
  let display: ReturnType<typeof progress> | null = null;
  const onProgress = (done: number, total: number): void => {
    display ??= progress("sample", total);
    display.update(done);
    if (done === total) display.done();
  };
  const summary = await writeSample({ ...options, onProgress });
  const { establishments, companies, token } = summary;
  process.stderr.write(
    `${options.folder}: ${establishments.toLocaleString("en-US")} establishments of ` +
      `${companies.toLocaleString("en-US")} companies, 37 zips, release ${token}\n`,
  );
}
