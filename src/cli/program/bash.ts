/**
 * Completion for bash. What comes in: the program as data. What goes out: a script for bash 4 or
 * newer, which needs no package beside bash.
 * Invariant: a word of the product never reaches the command line unquoted, and names of files
 * with spaces stay one word.
 */
import { allOf, type TreeCommand, type ValueKind } from "./tree.ts";

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

/** The script. */
export function bashScript(tree: TreeCommand): string {
  const commands = allOf(tree);
  const below = commands.slice(1).map(({ path }) => quote(path.join(" ")));
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
  const names = options.flatMap((option) => option.names).map(quote);
  return `    ${quote(path.join(" "))}) words=(${names.join(" ")}) ;;`;
}

function line(key: string, takes: ValueKind): string {
  const words = takes.kind === "words" ? ` words=(${takes.words.map(quote).join(" ")})` : "";
  return `    ${quote(key)}) kind='${takes.kind}'${words} ;;`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
