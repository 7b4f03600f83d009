/**
 * `peneira manpage`, `completion`, and `openapi`, which describe the product to other programs.
 * Input: the program with all its commands. Output, on standard output: `manpage` prints the page
 * peneira(1) in the subset of man(7) that groff and mandoc format alike, or the help of every
 * command as one text. `completion` prints a script with which a shell completes commands, options,
 * choices, and files. `openapi` prints the OpenAPI 3.1 document that a server has at /openapi.json.
 * Invariant: commands, options, and settings come from the program and its tables. The same build
 * gives the same bytes. Texts of the program are escaped, so they cannot contain man(7) commands,
 * and every byte is ASCII.
 */
import { Argument, type Command, Option } from "commander";
import { stdout } from "../../process/terminal.ts";
import { bashScript, fishScript, zshScript } from "../program/shells.ts";
import { allOf, type TreeCommand, type TreeOption, treeOf } from "../program/tree.ts";
import { settingRows } from "../support/config.ts";
import { VERSION } from "./version.ts";

declare const BUILD_DATE: string | undefined;

const PLAN_KEY = /^plans\.([^.]+)\.(.+)$/;

const EXAMPLES = `
Examples:
  $ peneira manpage > peneira.1 && man ./peneira.1
  $ peneira manpage > /usr/local/share/man/man1/peneira.1
  $ peneira manpage --format text | less`;

/** Files that operators see. */
const FILES: readonly (readonly [name: string, text: string])[] = [
  [
    "YYYY-MM.peneira",
    "A snapshot: one Arrow IPC file with the registry of a month and its index. It is only read, " +
      "may be copied, and is checked by `peneira verify`.",
  ],
  [
    "DATA-DIR/state.db",
    "Tenants, keys, users, saved searches, usage and exports, as SQLite. The folder and all that " +
      "is in it must belong to the user who runs the server, and to nobody else.",
  ],
  ["DATA-DIR/secrets.json", "What signs cursors, download links and sessions."],
  ["DATA-DIR/exports/", "Files of finished exports, until they expire."],
];

/** Environment variables that are not settings. */
const VARIABLES: readonly (readonly [name: string, text: string])[] = [
  ["PENEIRA_CONFIG", "JSON file with settings, as `--config`."],
  [
    "NODE_OPTIONS",
    "Options of the built-in Node. They can load other code: do not let strangers set them.",
  ],
];

/** Adds `peneira manpage` to the program. */
export function registerManpage(program: Command): void {
  program
    .command("manpage")
    .summary("print the manual page")
    .description("Prints the manual page peneira(1), or the help of every command as one text.")
    .addOption(
      new Option("--format <format>", "man: for man(1); text: the help of every command")
        .choices(["man", "text"])
        .default("man"),
    )
    .addHelpText("after", EXAMPLES)
    .action(({ format }: { format: "man" | "text" }) => {
      const tree = treeOf(program);
      stdout.data(format === "text" ? helpTexts(tree) : manpage(tree));
    });
}

/** Returns the help of all commands, each preceded by the command line that prints it. */
function helpTexts(tree: TreeCommand): string {
  return allOf(tree)
    .map(({ path, help }) => `$ ${path.join(" ")} --help\n${help.trimEnd()}\n`)
    .join("\n");
}

function manpage(tree: TreeCommand): string {
  const date = typeof BUILD_DATE === "string" ? BUILD_DATE : "not bundled";
  const [intro = "", examples = ""] = splitExamples(tree.after);
  return [
    `.\\" Made by: peneira manpage\n.TH PENEIRA 1 "${date}" "Peneira ${VERSION}" "User Commands"\n`,
    ".SH NAME\n",
    `peneira \\- ${roffText(lowerFirst(tree.description).replace(/\.$/, ""))}\n`,
    `.SH SYNOPSIS\n${bold("peneira")} ${italic("command")} [${italic("options")}]\n`,
    `.SH DESCRIPTION\n${roffText(ABOUT)}\n${paragraphs(intro)}`,
    `.SH OPTIONS\n${tree.options.map(optionText).join("")}`,
    ".SH COMMANDS\n",
    ...allOf(tree).slice(1).map(commandText),
    ".SH EXIT STATUS\n",
    term(bold("0"), "Done."),
    term(bold("1"), "Failed; standard error says why."),
    term(bold("2"), "Wrong usage, or a setting that is not valid; nothing was done."),
    `.SH SETTINGS\n${roffText(SETTINGS_ABOUT)}\n`,
    ...settingTexts(),
    `.SH ENVIRONMENT\n${roffText(VARIABLES_ABOUT)}\n`,
    ...VARIABLES.map(([name, text]) => term(bold(name), roffText(text))),
    ".SH FILES\n",
    ...FILES.map(([name, text]) => term(italic(name), roffText(text))),
    `.SH EXAMPLES\n${paragraphs(examples).replace(/^\.PP\n/, "")}`,
  ].join("");
}

const ABOUT =
  "Peneira turns the monthly release of the registry of all Brazilian companies into one file, a " +
  "snapshot, and searches it exactly: from the command line, over HTTP, in a console for people, " +
  "and for agents that speak the Model Context Protocol. It needs no database and no network.";

const SETTINGS_ABOUT =
  "A setting is a flag of some commands, a variable of the environment, or a key of the JSON " +
  "file that `--config` names; flags go before variables before the file before the defaults. " +
  "`peneira config` shows what holds and where it comes from. An unknown key is an error.";

const VARIABLES_ABOUT =
  "Each setting has a variable, which stands with it above: its key in upper case with _ between " +
  "the words. These are not settings:";

function commandText(command: TreeCommand): string {
  const { path, usage, description, options, arguments: places, commands, after } = command;
  const own = options.filter(({ names }) => !names.includes("--help"));
  return [
    `.SS ${bold(path.join(" "))} ${usageText(usage)}\n`,
    `${roffText(description)}\n`,
    ...places
      .filter((place) => place.description !== "")
      .map((place) => term(italic(place.name), roffText(place.description + choices(place)))),
    ...own.map(optionText),
    commands.length === 0 ? paragraphs(after) : "",
  ].join("");
}

function usageText(usage: string): string {
  return usage
    .split(" ")
    .map((word) => word.replace(/[\w-]+/g, (name) => italic(name)))
    .join(" ");
}

function optionText(option: TreeOption): string {
  const { names, value, description, mandatory, fallback } = option;
  const title = names.map((name) => bold(name)).join(", ");
  const given = value === null ? "" : ` ${italic(value)}`;
  const notes = [
    ...(mandatory ? ["required"] : []),
    ...(fallback === null ? [] : [`default: ${fallback}`]),
  ];
  const noted = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
  return term(`${title}${given}`, roffText(`${description}${choices(option)}${noted}`));
}

function choices({ takes }: Pick<TreeOption, "takes">): string {
  return takes.kind === "words" ? `: ${takes.words.join(" ")}` : "";
}

/** Returns the settings. A plan setting appears once, with the default of every plan. */
function settingTexts(): string[] {
  const rows = settingRows();
  const single = rows.filter(({ key }) => !PLAN_KEY.test(key));
  const limits = new Set(rows.flatMap(({ key }) => PLAN_KEY.exec(key)?.[2] ?? []));
  return [
    ...single.map(({ key, variable, fallback, meaning }) => {
      return term(
        `${bold(key)} (${fallbackText(fallback)})`,
        `${bold(variable)}\n.br\n${roffText(meaning)}`,
      );
    }),
    ...[...limits].map((limit) => {
      const own = rows.filter(({ key }) => PLAN_KEY.exec(key)?.[2] === limit);
      const plans = own.map(({ key, fallback }) => {
        return `${PLAN_KEY.exec(key)?.[1]} ${fallback.includes(",") ? "a list" : fallback}`;
      });
      const meaning = (own[0]?.meaning ?? "").replace(/^Plan \w+: /, "");
      const text = `${meaning} Defaults: ${plans.join(", ")}.`;
      return term(
        `${bold("plans.")}${italic("plan")}${bold(`.${limit}`)}`,
        roffText(upperFirst(text)),
      );
    }),
  ];
}

function fallbackText(fallback: string): string {
  return fallback === "null" ? "not set" : bold(fallback.replace(/^"|"$/g, ""));
}

/** Splits the text after the options into remarks and examples. */
function splitExamples(after: string): [string, string] {
  const blocks = after.trim().split(/\n\n+/);
  const shows = (block: string) => /^ {2}\$ /m.test(block);
  return [blocks.filter((block) => !shows(block)).join("\n\n"), blocks.filter(shows).join("\n\n")];
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Escapes a text, and sets parts between back quotes in bold. */
function roffText(text: string): string {
  const parts = text.split("`").map((part, i) => (i % 2 === 1 ? bold(part) : escaped(part)));
  return guarded(parts.join(""));
}

/** Formats text to type literally. */
function bold(text: string): string {
  return `\\fB${literal(text)}\\fR`;
}

/** Formats a placeholder. */
function italic(text: string): string {
  return `\\fI${literal(text)}\\fR`;
}

/** Formats a term with its explanation. */
function term(title: string, text: string): string {
  return `.TP\n${guarded(title)}\n${text}\n`;
}

/** Fills paragraphs, except for examples, which are lines that begin with two spaces. */
function paragraphs(text: string): string {
  return text
    .trim()
    .split(/\n\n+/)
    .flatMap(blocksOf)
    .map(({ code, lines }) => (code ? example(lines) : `.PP\n${roffText(lines.join(" "))}\n`))
    .join("");
}

interface Block {
  readonly code: boolean;
  readonly lines: string[];
}

/** Groups adjacent lines of one kind. */
function blocksOf(paragraph: string): Block[] {
  const blocks: Block[] = [];
  for (const line of paragraph.split("\n")) {
    const code = line.startsWith("  ");
    const last = blocks.at(-1);
    if (last?.code === code) last.lines.push(code ? line.slice(2) : line);
    else blocks.push({ code, lines: [code ? line.slice(2) : line] });
  }
  return blocks;
}

function example(lines: readonly string[]): string {
  const text = lines.map((line) => `${guarded(literal(line))}\n`).join("");
  return `.sp\n.RS 4\n.nf\n${text}.fi\n.RE\n`;
}

function escaped(text: string): string {
  return [...text.replaceAll("\\", "\\e")].map(ascii).join("");
}

/** Keeps typed hyphens intact when text is copied from the page. */
function literal(text: string): string {
  return escaped(text).replaceAll("-", "\\-").replaceAll("'", "\\(aq").replaceAll("`", "\\(ga");
}

function ascii(sign: string): string {
  const code = sign.codePointAt(0) as number;
  if (code < 128) return sign;
  return `\\[u${code.toString(16).toUpperCase().padStart(4, "0")}]`;
}

/** Escapes a dot or quote at the start of a line, where man(7) would read it as a command. */
function guarded(line: string): string {
  return /^[.']/.test(line) ? `\\&${line}` : line;
}

/** Script generator of each shell. */
const SHELLS: Readonly<Record<string, (tree: TreeCommand) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

const COMPLETION_EXAMPLES = `
Put the script where your shell looks for such files, then open a new terminal. After an update
of Peneira, run this command again.

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
    .addHelpText("after", COMPLETION_EXAMPLES)
    .action((shell: string) => {
      stdout.data((SHELLS[shell] as (tree: TreeCommand) => string)(treeOf(program)));
    });
}

/** Adds `peneira openapi` to the program. */
export function registerOpenapi(program: Command): void {
  program
    .command("openapi")
    .summary("print the OpenAPI document")
    .description("Prints the OpenAPI 3.1 document of the HTTP interface.")
    .addHelpText("after", "\nExample:\n  $ peneira openapi > openapi.json")
    .action(async () => {
      // Loaded here, because the other commands of this file do not need the routes.
      const { ROUTES } = await import("../../http/api/routes.ts");
      const { publicDocument } = await import("../../http/api/service/documents.ts");
      stdout.data(`${JSON.stringify(publicDocument(ROUTES, VERSION), null, 2)}\n`);
    });
}
