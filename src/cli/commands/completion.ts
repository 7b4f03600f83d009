/**
 * `peneira completion`: prints the script with which a shell completes commands, options, choices,
 * and files of `peneira`.
 * Invariant: made from the program itself, so completions always match it.
 */
import { Argument, type Command } from "commander";
import { stdout } from "../../process/terminal.ts";
import { bashScript, fishScript, zshScript } from "../program/shells.ts";
import { type TreeCommand, treeOf } from "../program/tree.ts";

const SHELLS: Readonly<Record<string, (tree: TreeCommand) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

const EXAMPLES = `
The shell reads the script when it starts: put it where it looks for such files, then open a new
terminal. After an update of Peneira make it again.

Examples:
  $ peneira completion bash > ~/.local/share/bash-completion/completions/peneira
  $ peneira completion zsh > ~/.zfunc/_peneira     # with fpath+=(~/.zfunc) before compinit
  $ peneira completion fish > ~/.config/fish/completions/peneira.fish
  $ source <(peneira completion bash)              # for this terminal only`;

/** Adds `peneira completion` to the program. */
export function registerCompletion(program: Command): void {
  program
    .command("completion")
    .summary("print the script that completes commands in a shell")
    .description("Prints a script that makes a shell complete commands, options, and files.")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SHELLS)))
    .addHelpText("after", EXAMPLES)
    .action((shell: string) => {
      stdout.data((SHELLS[shell] as (tree: TreeCommand) => string)(treeOf(program)));
    });
}
