/**
 * Completion for fish. What comes in: the program as data. What goes out: a script for fish 3.
 * Invariant: a line is offered exactly where the words before the cursor lead to its command; files
 * are offered only where a file is taken.
 */
import { allOf, type TreeCommand, type TreeOption, type ValueKind } from "./tree.ts";

/** The script. */
export function fishScript(tree: TreeCommand): string {
  const commands = allOf(tree);
  const known = commands.slice(1).map(({ path }) => quote(path.join(" ")));
  return `# fish completion of peneira; made by: peneira completion fish

set -g __peneira_commands ${known.join(" \\\n    ")}

# Whether the words before the cursor lead to a command.
function __peneira_at
    set -l path peneira
    for word in (commandline -opc)[2..-1]
        if contains -- "$path $word" $__peneira_commands
            set path "$path $word"
        end
    end
    test "$path" = "$argv[1]"
end

complete -c peneira -f
${commands.flatMap(linesOf).join("\n")}
`;
}

function linesOf({ path, options, arguments: places, commands }: TreeCommand): string[] {
  const here = `complete -c peneira -n ${quote(`__peneira_at ${quote(path.join(" "))}`)}`;
  return [
    ...commands.map((one) => {
      return `${here} -a ${quote(one.path.at(-1) as string)} -d ${quote(one.summary)}`;
    }),
    ...(commands.length > 0 ? [`${here} -a help -d 'explain a command'`] : []),
    ...places.map(({ takes }) => `${here}${takesOf(takes)}`),
    ...options.map((option) => `${here} ${optionOf(option)}`),
  ];
}

function optionOf({ names, description, value, takes }: TreeOption): string {
  const written = names.map((name) => {
    return name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
  });
  const needs = value === null ? "" : takes.kind === "file" ? " -r" : " -x";
  const kind = value === null ? "" : takesOf(takes);
  return `${written.join(" ")}${needs}${kind} -d ${quote(description)}`;
}

function takesOf(takes: ValueKind): string {
  if (takes.kind === "file") return " -F";
  if (takes.kind === "folder") return " -a '(__fish_complete_directories)'";
  if (takes.kind === "text") return "";
  return ` -a ${quote(takes.words.map((word) => word.replace(/[^\w./-]/g, "\\$&")).join(" "))}`;
}

/** Between single quotes fish knows only these two escapes. */
function quote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
