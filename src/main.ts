#!/usr/bin/env node
/**
 * What comes in: the arguments of `peneira`.
 * What goes out: the work of one command, and the exit code: 0 done, 1 failed, 2 wrong usage.
 * Invariant: commands load their machinery only when they run, so that `--help` is instant; every
 * failure leaves through `report`, as words for a person on standard error.
 */
import { Command, CommanderError } from "commander";
import { registerConfig } from "./cli/config.ts";
import { registerStart } from "./cli/start.ts";
import { registerVersion, VERSION } from "./cli/version.ts";
import { AppError, CommandError } from "./errors.ts";

const program = new Command("peneira")
  .description("Search the registry of all Brazilian companies on your own machine.")
  .version(VERSION, "-V, --version", "print the version; `peneira version` tells more")
  .helpCommand("help [command]", "explain a command")
  .showHelpAfterError("(add --help to see how the command is used)")
  .exitOverride()
  .addHelpText(
    "after",
    `
The way from nothing to an answer:
  $ peneira sample --out dump --establishments 200000 --seed 1
  $ peneira import dump --out companies.peneira
  $ peneira search --snapshot companies.peneira --text "padaria" --limit 10
  $ peneira key create --data-dir state
  $ peneira serve --snapshot companies.peneira --data-dir state

Settings may also stand in the environment (PENEIRA_LISTEN, …) or in a file (--config);
\`peneira config\` shows them. Exit codes: 0 done, 1 failed, 2 wrong usage.`,
  );

registerConfig(program);
registerVersion(program);
registerStart(program);

/** A reader that has seen enough (`| head`) is not a failure. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  process.exit(report(error));
}

/** Says what went wrong and gives the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has already written its message; asking for help or the version is no mistake.
    return error.exitCode === 0 ? 0 : 2;
  }
  if (error instanceof CommandError) {
    process.stderr.write(`peneira: ${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof AppError) {
    const mistakes = error.errors.map(({ pointer, detail }) => `- ${pointer || "/"}: ${detail}\n`);
    process.stderr.write(`peneira: ${error.message}\n${mistakes.join("")}`);
    return 1;
  }
  process.stderr.write(`peneira: ${error instanceof Error ? error.stack : String(error)}\n`);
  return 1;
}
