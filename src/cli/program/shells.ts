/**
 * Completion scripts for bash, fish, and zsh. Input: the commands, options, and arguments of the
 * program (tree.ts). Output: a script for bash 4 or newer without any package, one for fish 3, and
 * one for zsh. The script for zsh can be sourced, or be a file `_peneira` on the fpath.
 * Invariant: texts of the program are always quoted and never become syntax, and file names with
 * spaces stay one word. A choice is offered only after its command or option, and files only where
 * a file is expected.
 */
import {
  allOf,
  type TreeArgument,
  type TreeCommand,
  type TreeOption,
  type ValueKind,
} from "./tree.ts";

const BODY = `
# The words before the cursor lead to a command; an option in front of the cursor wants its value.
_peneira() {
  local path=peneira wanting='' place=0 ended='' kind='' token i
  local cur=\${COMP_WORDS[COMP_CWORD]}
  local -a words=()
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    token=\${COMP_WORDS[i]}
    if [[ $token == '=' ]]; then
      continue
    elif [[ -n $wanting ]]; then
      wanting=''
    elif [[ $token == -- ]]; then
      ended=1
    elif [[ $token == -* && -z $ended ]]; then
      if _peneira_value "$path $token"; then wanting=$token; fi
    elif _peneira_command "$path $token"; then
      path="$path $token"
      place=0
    else
      place=$((place + 1))
    fi
  done
  kind='' words=()
  [[ $cur == '=' ]] && cur=''
  if [[ -n $wanting ]]; then
    _peneira_value "$path $wanting"
  elif [[ $cur == -* && -z $ended ]]; then
    _peneira_options "$path"
  else
    _peneira_value "$path #$place" || _peneira_value "$path #*"
  fi
  case $kind in
    file) mapfile -t COMPREPLY < <(compgen -f -- "$cur"); compopt -o filenames 2>/dev/null ;;
    folder) mapfile -t COMPREPLY < <(compgen -d -- "$cur"); compopt -o filenames 2>/dev/null ;;
    words)
      for token in "\${words[@]}"; do
        if [[ $token == "$cur"* ]]; then COMPREPLY+=("$(printf '%q' "$token")"); fi
      done
      ;;
  esac
  return 0
}

complete -F _peneira peneira
`;

/** Makes the bash script. */
export function bashScript(tree: TreeCommand): string {
  const commands = allOf(tree);
  const below = commands.slice(1).map(({ path }) => bashQuoted(path.join(" ")));
  return `# bash completion of peneira; made by: peneira completion bash

# Whether words are the path of a command.
_peneira_command() {
  case $1 in
    ${below.join(" | ")}) return 0 ;;
  esac
  return 1
}

# What an option or a place of a command takes: sets kind and words.
_peneira_value() {
  case $1 in
${commands.flatMap(valuesOf).join("\n")}
    *) return 1 ;;
  esac
}

# The options of a command: sets kind and words.
_peneira_options() {
  kind='words'
  case $1 in
${commands.map(optionsOf).join("\n")}
  esac
}
${BODY}`;
}

function valuesOf({ path, options, arguments: places, commands }: TreeCommand): string[] {
  const at = path.join(" ");
  const names = commands.map((one) => one.path.at(-1) as string);
  const group: ValueKind = { kind: "words", words: [...names, "help"] };
  const helped: ValueKind = { kind: "words", words: names };
  return [
    ...options
      .filter(({ value }) => value !== null)
      .flatMap(({ names: all, takes }) => all.map((name) => line(`${at} ${name}`, takes))),
    ...places.map(({ takes, variadic }, i) => line(`${at} #${variadic ? "*" : i}`, takes)),
    ...(commands.length > 0 ? [line(`${at} #0`, group), line(`${at} #1`, helped)] : []),
  ];
}

function optionsOf({ path, options }: TreeCommand): string {
  const names = options.flatMap((option) => option.names).map(bashQuoted);
  return `    ${bashQuoted(path.join(" "))}) words=(${names.join(" ")}) ;;`;
}

function line(key: string, takes: ValueKind): string {
  const words = takes.kind === "words" ? ` words=(${takes.words.map(bashQuoted).join(" ")})` : "";
  return `    ${bashQuoted(key)}) kind='${takes.kind}'${words} ;;`;
}

function bashQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Makes the fish script. */
export function fishScript(tree: TreeCommand): string {
  const commands = allOf(tree);
  const known = commands.slice(1).map(({ path }) => fishQuoted(path.join(" ")));
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
  const place = `__peneira_at ${fishQuoted(path.join(" "))}`;
  const here = `complete -c peneira -n ${fishQuoted(place)}`;
  return [
    ...commands.map((one) => {
      return `${here} -a ${fishQuoted(one.path.at(-1) as string)} -d ${fishQuoted(one.summary)}`;
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
  return `${written.join(" ")}${needs}${kind} -d ${fishQuoted(description)}`;
}

function takesOf(takes: ValueKind): string {
  if (takes.kind === "file") return " -F";
  if (takes.kind === "folder") return " -a '(__fish_complete_directories)'";
  if (takes.kind === "text") return "";
  const words = takes.words.map((word) => word.replace(/[^\w./-]/g, "\\$&"));
  return ` -a ${fishQuoted(words.join(" "))}`;
}

/** Quotes a text for fish. Within single quotes, fish escapes only the quote and the backslash. */
function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** Makes the zsh script. */
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

/** Makes the function of a command that only has subcommands. */
function group({ path, options, commands }: TreeCommand): string {
  const named = commands.map((one) => ({ name: one.path.at(-1) as string, ...one }));
  const rows = named.map(({ name, summary }) => zshQuoted(`${name}:${summary}`));
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

/**
 * A `=` after a long option tells zsh that the value may follow the sign (`--name=value`) or be the
 * next word.
 */
function optionSpecs({ names, description, value, takes }: TreeOption): string[] {
  const text = `[${description.replace(/[\\[\]:]/g, "\\$&")}]`;
  const after = value === null ? "" : `:${withoutSyntax(value)}:${action(takes)}`;
  return names.map((name) => {
    const sign = value !== null && name.startsWith("--") ? "=" : "";
    return zshQuoted(`${name}${sign}${text}${after}`);
  });
}

function placeSpec({ name, required, variadic, takes }: TreeArgument, index: number): string {
  const place = variadic ? "*" : String(index + 1);
  return zshQuoted(
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

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
