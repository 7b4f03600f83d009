/**
 * Help texts and options of commands.
 * Invariant: all examples are written in one form, so that the man page and the documents can
 * distinguish them from remarks. The values of an option appear in its help and in shell
 * completions. They are checked together with all other mistakes.
 */
import { type Command, Option } from "commander";
import { PLAN_NAMES } from "../../access/plannames.ts";

/** Text of the flag `--data-dir` of commands that open a state. */
export const DATA_DIR_TEXT = "the server's data directory (default: PENEIRA_DATA_DIR)";

/** The texts of a command. */
export interface CommandText {
  /** A phrase for the list of commands, in lower case without a full stop. */
  readonly summary: string;
  /** Whole sentences. */
  readonly description: string;
  /** Whole sentences below the options. */
  readonly remarks?: string;
  /** Command lines. A continued line ends in a backslash or a pipe. */
  readonly examples: readonly string[];
}

/** Sets the texts of a command. */
export function explain(command: Command, texts: CommandText): Command {
  const { summary, description, remarks, examples } = texts;
  const title = examples.length === 1 ? "Example:" : "Examples:";
  const lines = examples.map((line) => `  $ ${line.replaceAll("\n", "\n    ")}`);
  const after = [remarks, [title, ...lines].join("\n")].filter((part) => part !== undefined);
  return command
    .summary(summary)
    .description(description)
    .addHelpText("after", `\n${after.join("\n\n")}`);
}

/** Makes a mandatory option for the name of a plan. */
export function planOption(): Option {
  const option = new Option("--plan <plan>", "the new plan (required)");
  return option.choices(PLAN_NAMES).makeOptionMandatory();
}

/** Makes an option with fixed values. The reader of the command, not Commander, checks them. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).choices(words).argParser((text) => text);
}
