/**
 * A query as commands. What comes in: a normalized spec, the address of the service, the name of
 * the snapshot. What goes out: a curl line, the spec as JSON, lines for the command `peneira`.
 * Invariant: a POSIX shell hands every word of a name on as it was written, quotes and all; no key
 * is ever in a command, only the name of the variable that holds it.
 */
import type { Spec } from "../../app/answers.ts";

/** What a query is written down from. */
export interface WrittenQuery {
  readonly spec: Spec;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Label of the snapshot, which its file is named after. */
  readonly snapshot: string;
  readonly fields: readonly string[];
}

/** Accounts that the search commands ask for. */
const COMMAND_ROWS = 100;
/** No line of printed JSON is this word alone, so it ends the text that a command reads. */
const END = "SPEC";
const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** One word of a shell command: as it is where nothing in it is special, else in quotes. */
export function shellWord(text: string): string {
  return PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The spec as somebody would keep it in a file. */
export function specJson(query: WrittenQuery): string {
  return printed(written(query));
}

/** The search over HTTP. */
export function curlCommand(query: WrittenQuery): string {
  const body = printed({ spec: written(query), limit: COMMAND_ROWS });
  return [
    `curl -sS ${shellWord(`${query.origin}/v1/accounts/search`)}`,
    `-H "Authorization: Bearer $PENEIRA_KEY"`,
    `-H ${shellWord("Content-Type: application/json")}`,
    `--data-raw ${shellWord(body)}`,
  ].join(" \\\n  ");
}

/** The search without a server. */
export function searchCommand(query: WrittenQuery): string {
  const { snapshot } = query;
  const words = ["search", "--snapshot", `${snapshot}.peneira`, "--spec", "-"];
  return fed([...words, "--limit", String(COMMAND_ROWS)], query);
}

/** All matches into a file, without a server. */
export function exportCommand(query: WrittenQuery): string {
  const { snapshot } = query;
  const words = ["export", "--snapshot", `${snapshot}.peneira`, "--spec", "-"];
  return fed([...words, "--out", `peneira-${snapshot}.csv`], query);
}

/** A command of `peneira` that reads the spec from what follows it. */
function fed(words: readonly string[], query: WrittenQuery): string {
  const command = ["peneira", ...words.map(shellWord)].join(" ");
  return `${command} <<'${END}'\n${specJson(query)}\n${END}`;
}

/** The spec without what a translator said and without a page size, which the commands give. */
function written({ spec, fields }: WrittenQuery): object {
  const { explain: _, limit: __, output: ___, ...query } = spec;
  return { ...query, output: { fields: [...fields] } };
}

/** Columns that a list of values is broken at. */
const COLUMNS_MAX = 88;

/** JSON as people read it: members on lines of their own, lists of values as lines of text. */
function printed(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const list = Array.isArray(value);
  const items = list
    ? value.map((item) => printed(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${printed(item, inner)}`);
  const [open, close] = list ? "[]" : "{}";
  if (items.length === 0) return `${open}${close}`;
  const whole = `${open}${items.join(", ")}${close}`;
  const flat = !whole.includes("\n") && inner.length + whole.length <= COLUMNS_MAX;
  if (list && flat) return whole;
  const plain = list && value.every((item) => typeof item !== "object");
  const lines = plain ? wrapped(items, COLUMNS_MAX - inner.length) : items;
  return `${open}\n${lines.map((line) => inner + line).join(",\n")}\n${indent}${close}`;
}

/** Joins items to lines of a width; an item that is wider has a line of its own. */
function wrapped(items: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last === undefined || last.length + item.length + 3 > width) lines.push(item);
    else lines[lines.length - 1] = `${last}, ${item}`;
  }
  return lines;
}
