/**
 * How a command explains itself. What comes in: a command and its texts, or an option with the
 * words that it takes. What goes out: the same with what `--help` prints.
 * Invariant: examples stand in one form, which man page and documents can tell from remarks; the
 * words of an option are shown and completed, and checked where all other mistakes are found.
 */
import { type Command, Option } from "commander";

/** The texts of a command. */
export interface CommandText {
  /** A phrase for the list of commands, in small letters without a full stop. */
  readonly summary: string;
  /** Whole sentences. */
  readonly description: string;
  /** Whole sentences below the options. */
  readonly remarks?: string;
  /** What to type; a line that goes on ends in a backslash or a pipe. */
  readonly examples: readonly string[];
}

/** Gives a command its texts. */
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

/** An option that takes one of some words; a wrong one is left to whoever reads it. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).choices(words).argParser((text) => text);
}
