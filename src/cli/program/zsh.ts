/**
 * Completion for zsh. What comes in: the program as data. What goes out: a script that works both
 * as a file `_peneira` on the fpath and when it is sourced.
 * Invariant: descriptions are the ones of the help; nothing in them is taken as syntax.
 */
import {
  allOf,
  type TreeArgument,
  type TreeCommand,
  type TreeOption,
  type ValueKind,
} from "./tree.ts";

/** The script. */
export function zshScript(tree: TreeCommand): string {
  return `#compdef peneira
# zsh completion of peneira; made by: peneira completion zsh

${allOf(tree).map(functionOf).join("\n")}
if [[ \${funcstack[1]} == _peneira ]]; then
  _peneira "$@"
else
  compdef _peneira peneira
fi
`;
}

function functionOf(command: TreeCommand): string {
  return command.commands.length > 0 ? group(command) : leaf(command);
}

function leaf({ path, options, arguments: places }: TreeCommand): string {
  const specs = [...options.flatMap(optionSpecs), ...places.map(placeSpec)];
  return `${nameOf(path)}() {
  _arguments ${specs.join(" \\\n    ")}
}
`;
}

/** A command that only leads to others. */
function group({ path, options, commands }: TreeCommand): string {
  const named = commands.map((one) => ({ name: one.path.at(-1) as string, ...one }));
  const rows = named.map(({ name, summary }) => quote(`${name}:${summary}`));
  const cases = named.map((one) => `        ${one.name}) ${nameOf(one.path)} ;;`);
  const specs = options.flatMap(optionSpecs);
  return `${nameOf(path)}() {
  local curcontext="$curcontext" state line
  typeset -A opt_args
  _arguments -C ${specs.join(" \\\n    ")} \\
    '1: :->command' '*:: :->rest'
  local -a commands=(
    ${[...rows, "'help:explain a command'"].join("\n    ")}
  )
  case $state in
    command) _describe -t commands command commands ;;
    rest)
      case $words[1] in
${cases.join("\n")}
        help) (( CURRENT == 2 )) && _describe -t commands command commands ;;
      esac
      ;;
  esac
}
`;
}

/** \`--name=` takes its value behind the sign or as the next word. */
function optionSpecs({ names, description, value, takes }: TreeOption): string[] {
  const text = `[${description.replace(/[\\[\]:]/g, "\\$&")}]`;
  const after = value === null ? "" : `:${withoutSyntax(value)}:${action(takes)}`;
  return names.map((name) => {
    const sign = value !== null && name.startsWith("--") ? "=" : "";
    return quote(`${name}${sign}${text}${after}`);
  });
}

function placeSpec({ name, required, variadic, takes }: TreeArgument, index: number): string {
  const place = variadic ? "*" : String(index + 1);
  return quote(
    `${place}:${required || variadic ? "" : ":"}${withoutSyntax(name)}:${action(takes)}`,
  );
}

function action(takes: ValueKind): string {
  if (takes.kind === "file") return "_files";
  if (takes.kind === "folder") return "_files -/";
  if (takes.kind === "text") return " ";
  return `(${takes.words.map((word) => word.replace(/[^\w./-]/g, "\\$&")).join(" ")})`;
}

function nameOf(path: readonly string[]): string {
  return `_${path.join("_")}`;
}

function withoutSyntax(text: string): string {
  return text.replace(/[\\:]/g, "\\$&");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
