/**
 * The program as data: its visible commands with options, arguments, texts, and value kinds.
 * Invariant: no command is listed by name, so completion and man page include every registered
 * command, option, and choice.
 */
import type { EventEmitter } from "node:events";
import type { Argument, Command, Option } from "commander";

/** Kind of a value. */
export type ValueKind =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "file" }
  | { readonly kind: "folder" }
  | { readonly kind: "text" };

/** An option with its description. */
export interface TreeOption {
  readonly flags: string;
  /** All spellings: `-h`, `--help`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Name of the option's value, or null if it has no value. */
  readonly value: string | null;
  readonly takes: ValueKind;
  readonly mandatory: boolean;
  /** The default in words, or null if there is none. */
  readonly fallback: string | null;
}

/** A positional argument. */
export interface TreeArgument {
  readonly name: string;
  readonly description: string;
  readonly takes: ValueKind;
  readonly required: boolean;
  readonly variadic: boolean;
}

/** A command with its subcommands. */
export interface TreeCommand {
  /** The words that call the command, beginning with the program. */
  readonly path: readonly string[];
  /** Usage after the path: `[options] <file>`. */
  readonly usage: string;
  readonly summary: string;
  readonly description: string;
  readonly options: readonly TreeOption[];
  readonly arguments: readonly TreeArgument[];
  readonly commands: readonly TreeCommand[];
  /** Text after the list of options: remarks, then examples. */
  readonly after: string;
  /** Output of `--help`, for a terminal of 80 columns. */
  readonly help: string;
}

/** Placeholders for files and for folders; `<path>` may be either. */
const FILE = /^(file|path|csv|json|zip|source|old|new|snapshot)$/i;
const FOLDER = /^(dir|folder)$/i;

const HELP_COLUMNS = 80;

/** Reads a program, or one of its commands. */
export function treeOf(command: Command, parents: readonly string[] = []): TreeCommand {
  const path = [...parents, command.name()];
  const format = command.createHelp();
  const visible = format.visibleCommands(command).filter((one) => one.name() !== "help");
  return {
    path,
    usage: command.usage(),
    summary: command.summary() || command.description(),
    description: command.description(),
    options: format.visibleOptions(command).map(optionOf),
    arguments: command.registeredArguments.map(argumentOf),
    commands: visible.map((one) => treeOf(one, path)),
    after: afterOf(command),
    help: helpOf(command),
  };
}

/** Returns a command and its descendants, parents first. */
export function allOf(tree: TreeCommand): TreeCommand[] {
  return [tree, ...tree.commands.flatMap(allOf)];
}

function optionOf(option: Option): TreeOption {
  const { flags, description, argChoices, mandatory } = option;
  const value = /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1]?.replace(/\.{3}$/, "") ?? null;
  const names = [option.short, option.long].filter((name) => name !== undefined);
  const shown = option.defaultValueDescription ?? option.defaultValue;
  const fallback = value === null || shown === undefined ? null : String(shown);
  const takes = kindOf(value ?? "", argChoices);
  return { flags, names, description, value, takes, mandatory, fallback };
}

function argumentOf(argument: Argument): TreeArgument {
  const { description, required, variadic, argChoices } = argument;
  const name = argument.name();
  return { name, description, takes: kindOf(name, argChoices), required, variadic };
}

function kindOf(name: string, choices: readonly string[] | undefined): ValueKind {
  if (choices !== undefined) return { kind: "words", words: choices };
  return { kind: FILE.test(name) ? "file" : FOLDER.test(name) ? "folder" : "text" };
}

/** Returns the text after the options. Commander stores it as a listener. */
function afterOf(command: Command): string {
  const emitter = command as unknown as EventEmitter;
  return written(command, (write) => emitter.emit("afterHelp", { error: false, command, write }));
}

function helpOf(command: Command): string {
  return written(command, () => command.outputHelp());
}

/** Captures a command's output for people. */
function written(command: Command, act: (write: (text: string) => void) => void): string {
  let text = "";
  const writeOut = (part: string) => {
    text += part;
  };
  const before = command.configureOutput();
  command.configureOutput({
    writeOut,
    getOutHelpWidth: () => HELP_COLUMNS,
    getOutHasColors: () => false,
  });
  act(writeOut);
  command.configureOutput(before);
  return text;
}
