/**
 * Proves that the scripts of `peneira completion` complete commands, options, choices, folders, and
 * files with spaces. Bash, zsh, and fish run them as if a person pressed Tab. Bash offers every
 * command and option of the program. A shell that is not installed is skipped with a message.
 * Does not prove: how a shell displays the completions, nor other versions of the shells.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { productCommand } from "../../support/server/process.ts";

const folder = mkdtempSync(path.join(tmpdir(), "peneira-completion-"));
/** A line to complete, the completions that must be offered, and in `not` those that must not. */
interface Case {
  readonly line: string;
  readonly offers: readonly string[];
  readonly not?: readonly string[];
}

const CASES: readonly Case[] = [
  { line: "peneira ver", offers: ["verify", "version"], not: ["serve"] },
  { line: "peneira ", offers: ["sample", "import", "serve", "key", "completion"], not: ["start"] },
  { line: "peneira key r", offers: ["rename", "rotate"], not: ["create", "role"] },
  { line: "peneira export --fo", offers: ["--format", "--force"], not: ["--file"] },
  { line: "peneira export --format ", offers: ["csv", "html", "xlsx", "parquet", "jsonl"] },
  { line: "peneira export --format=j", offers: ["jsonl"], not: ["csv"] },
  { line: "peneira key create --plan g", offers: ["growth"], not: ["free"] },
  { line: "peneira serve --transport ", offers: ["uws", "node"] },
  { line: "peneira completion ", offers: ["bash", "zsh", "fish"] },
  { line: "peneira help ke", offers: ["key"], not: ["verify"] },
  { line: "peneira inspect --json ", offers: ["a file.peneira", "months"] },
  { line: "peneira serve --snapshot a", offers: ["a file.peneira"] },
  { line: "peneira serve --data-dir ", offers: ["months"], not: ["a file.peneira"] },
  { line: "peneira user passwd --email ana@example.com --pass", offers: ["--password-stdin"] },
];

function script(shell: string): string {
  const file = path.join(folder, `completion.${shell}`);
  if (existsSync(file)) return file;
  writeFileSync(file, execFileSync(...productCommand(["completion", shell])));
  return file;
}

function installed(shell: string): false | string {
  const found = spawnSync(shell, ["-c", "exit 0"]).status === 0;
  return found ? false : `${shell} is not installed`;
}

/** Returns the completions without the marks that a shell adds after folders. */
function plain(lines: string): string[] {
  return lines
    .split("\n")
    .map((line) =>
      line
        .replace(/\t.*$/, "")
        .replace(/\/?\r?$/, "")
        .replace(/^--[\w-]+=/, ""),
    )
    .map((line) => line.replaceAll("\\ ", " ").trim())
    .filter((line) => line !== "");
}

function run(shell: string, text: string): string {
  const file = path.join(folder, `ask.${shell}`);
  writeFileSync(file, text);
  const plainly = { bash: ["--norc"], zsh: ["-f"], fish: ["--no-config"] }[shell] ?? [];
  const env = { ...process.env, HOME: folder, TERM: "dumb" };
  const options = { cwd: folder, env, encoding: "utf8", timeout: 120_000 } as const;
  const { status, stdout, stderr } = spawnSync(shell, [...plainly, file], options);
  assert.equal(status, 0, stderr);
  return stdout;
}

/** Runs completions in bash, which splits words as its line editor does, also at `=`. */
function completeInBash(lines: readonly string[]): string[][] {
  const script = lines.map((line) => {
    const words = line.split(/(=)|\s/).filter((word) => word !== undefined);
    const retained = words.filter((word, i) => word !== "" || i === words.length - 1);
    const array = retained.map((word) => `'${word}'`).join(" ");
    return `COMP_WORDS=(${array}); COMP_CWORD=${retained.length - 1}; _peneira; show`;
  });
  const show = `show() { printf '%s\\n' "\${COMPREPLY[@]}"; echo ---; }`;
  return answers(run("bash", `source completion.bash\n${show}\n${script.join("\n")}\n`));
}

function completeInFish(lines: readonly string[]): string[][] {
  const script = lines.map((line) => `complete -C '${line}'; echo ---`);
  return answers(run("fish", `source completion.fish\n${script.join("\n")}\n`));
}

/**
 * Runs completions in zsh. It completes only in its line editor, so a second zsh runs in a
 * pseudoterminal; its compadd, which ends every completion, reports the matches.
 */
function completeInZsh(lines: readonly string[]): string[][] {
  writeFileSync(path.join(folder, "inner.zsh"), ZSH_INNER);
  const script = lines.map((line) => `ask '${line}'`);
  return answers(run("zsh", `${ZSH}\n${script.join("\n")}\nexit 0\n`));
}

const ZSH_INNER = `
PROMPT= RPROMPT= PS2=
unset zle_bracketed_paste
setopt no_beep no_prompt_cr no_prompt_sp
autoload -Uz compinit
compinit -u -D
source completion.zsh
zstyle ':completion:*' insert-tab false
compadd () {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return $?; fi
  local -a hits
  builtin compadd -A hits "$@"
  (( $#hits )) && print -rl -- \${hits/#/@@}
  builtin compadd "$@"
}
tell () { _main_complete; print -r -- @@---; compstate[insert]='' compstate[list]='' }
zle -C tell complete-word tell
bindkey '^I' tell
bindkey '^X' kill-whole-line
print -r -- @@"READY"
`;

const ZSH = `
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner 'stty -echo; source inner.zsh'
local text
while zpty -r inner text; do [[ $text == *@@READY* ]] && break; done
ask () {
  zpty -w -n inner "$1"$'\\t'
  while zpty -r inner text; do
    text=\${text%%$'\\r'#$'\\n'}
    [[ $text == *@@---* ]] && break
    [[ $text == *@@* ]] && print -r -- \${text##*@@}
  done
  print -- ---
  zpty -w -n inner $'\\x18'
}
`;

function answers(stdout: string): string[][] {
  return stdout.split(/^---$/m).slice(0, -1).map(plain);
}

function check(found: readonly string[][]): void {
  assert.equal(found.length, CASES.length);
  for (const [i, { line, offers, not = [] }] of CASES.entries()) {
    const offered = found[i] as string[];
    for (const word of offers) assert.ok(offered.includes(word), `${line}: ${word} of ${offered}`);
    for (const word of not) assert.ok(!offered.includes(word), `${line}: not ${word}`);
  }
}

before(() => {
  mkdirSync(path.join(folder, "months"));
  writeFileSync(path.join(folder, "a file.peneira"), "");
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe("peneira completion", () => {
  const lines = CASES.map(({ line }) => line);

  it("completes in bash", { skip: installed("bash") }, () => {
    script("bash");
    check(completeInBash(lines));
  });

  it("completes in zsh", { skip: installed("zsh") }, () => {
    script("zsh");
    check(completeInZsh(lines));
  });

  it("completes in fish", { skip: installed("fish") }, () => {
    script("fish");
    check(completeInFish(lines));
  });

  it("offers in bash every command and option of the help", () => {
    script("bash");
    const args = productCommand(["manpage", "--format", "text"]);
    const text = execFileSync(...args, { encoding: "utf8" });
    const parts = text.split(/^\$ (peneira.*) --help$/m).slice(1);
    const named = parts.flatMap((help, i) => {
      if (i % 2 === 0) return [];
      const options = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name);
      const below = /^Commands:\n([\s\S]*?)(\n\n|$)/m.exec(help)?.[1] ?? "";
      const commands = [...below.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name);
      return [{ at: parts[i - 1] as string, options, commands }];
    });
    assert.ok(named.length > 30, "the help was read");
    const found = completeInBash(named.flatMap(({ at }) => [`${at} --`, `${at} `]));
    for (const [i, { at, options, commands }] of named.entries()) {
      for (const name of options)
        assert.ok(found[2 * i]?.includes(name as string), `${at} ${name}`);
      for (const name of commands) {
        assert.ok(found[2 * i + 1]?.includes(name as string), `${at} ${name}`);
      }
    }
  });
});
