/**
 * `peneira sample`: writes a synthetic dump to a new folder, and prints a summary.
 * Invariant: every wrong flag is named in one message before anything is written (exit 2).
 */
import { constants } from "node:os";
import type { Command } from "commander";
import { monthsBetween } from "../../dump/sample/dates.ts";
import { ESTABLISHMENTS_MAX, type SampleOptions, writeSample } from "../../dump/sample/release.ts";
import { CommandError } from "../../errors.ts";
import { stderr } from "../../process/terminal.ts";
import { wordFor } from "../../text/amounts.ts";
import { progress } from "../support/progress.ts";
import { withWriteErrors } from "../support/systemerrors.ts";

const DEFAULT_LABEL = "2026-10";
const DEFAULT_SEED = "1";

const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Max months from the first release to a later one. */
const MONTHS_MAX = 60;

const EXAMPLES = `
The companies are invented. --establishments and --seed identify the sample. With --since, the
command writes the same sample as of a later month; it does not read the earlier folder. Below ten
companies, some of the ten parts have no rows, and the month can be imported only with --partial.

Examples:
  $ peneira sample --out 2026-10 --establishments 200000 --seed 1
  $ peneira sample --out 2026-09 --establishments 20000 --label 2026-09
  $ peneira sample --out 2026-10 --establishments 20000 --label 2026-10 --since 2026-09`;

/** Adds `peneira sample` to the program. */
export function registerSample(program: Command): void {
  program
    .command("sample")
    .summary("write a synthetic dump in the layout of the registry's monthly release")
    .description("Writes a synthetic dump in the exact layout of the registry's monthly release.")
    .requiredOption("--out <dir>", "folder to create for the 37 zips (required)")
    .requiredOption("--establishments <n>", "number of establishments (required)")
    .option("--seed <s>", "whole number; the same arguments give the same bytes", DEFAULT_SEED)
    .option("--label <YYYY-MM>", "month of the release", DEFAULT_LABEL)
    .option("--since <YYYY-MM>", "write the release that follows the sample of this earlier month")
    .addHelpText("after", EXAMPLES)
    .action(async (flags: SampleFlags) => runSample(flags));
}

/** The flags as parsed by commander. */
export interface SampleFlags {
  readonly out: string;
  readonly establishments: string;
  readonly seed: string;
  readonly label: string;
  readonly since?: string;
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
  problems.push(...monthProblems(flags));
  if (flags.out.trim() === "") problems.push("--out must name a folder");
  if (problems.length > 0) throw new CommandError(problems.join("\n"), 2);
  return {
    folder: flags.out,
    establishments: establishments as number,
    seed: seed as number,
    label: flags.label,
    ...(flags.since === undefined ? {} : { since: flags.since }),
  };
}

function monthProblems({ label, since }: SampleFlags): string[] {
  const problems: string[] = [];
  for (const [flag, month] of Object.entries({ label, since })) {
    if (month === undefined || /^20[0-9]{2}-(0[1-9]|1[0-2])$/.test(month)) continue;
    problems.push(`--${flag} must be a month of this century as YYYY-MM, not "${month}"`);
  }
  if (problems.length > 0 || since === undefined) return problems;
  const months = monthsBetween(since, label).length;
  if (months >= 1 && months <= MONTHS_MAX) return problems;
  return [`--since must be 1 to ${MONTHS_MAX} months before --label (${label}), not ${since}`];
}

function readInteger(text: string): number | null {
  const value = /^[0-9][0-9_]*$/.test(text) ? Number(text.replaceAll("_", "")) : Number.NaN;
  return Number.isSafeInteger(value) ? value : null;
}

/** Runs the command. */
export async function runSample(flags: SampleFlags): Promise<void> {
  const options = readSampleFlags(flags);
  const onSignal = (signal: NodeJS.Signals): void => {
    stderr.print(`\npeneira: ${signal} ended the sample; ${options.folder} was not written\n`);
    // The partial folder is removed when the process exits.
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ENDING) process.once(signal, onSignal);
  try {
    await withWriteErrors(options.folder, () => drawn(options));
  } finally {
    for (const signal of ENDING) process.off(signal, onSignal);
  }
}

async function drawn(options: SampleOptions): Promise<void> {
  let display: ReturnType<typeof progress> | undefined;
  const onProgress = (done: number, total: number): void => {
    display ??= progress("sample", total);
    display.update(done);
  };
  const summary = await writeSample({ ...options, onProgress });
  display?.done();
  const { establishments, companies, token } = summary;
  stderr.print(
    `${options.folder}: ${establishments.toLocaleString("en-US")} ` +
      `${wordFor(establishments, "establishment")} of ` +
      `${companies.toLocaleString("en-US")} ${wordFor(companies, "company", "companies")}, ` +
      `37 zips, release ${token}\n`,
  );
}
