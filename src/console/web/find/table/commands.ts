/**
 * The query as commands: a curl line, the spec as JSON, and lines for the command `peneira`.
 * Invariant: a POSIX shell passes every argument unchanged, including quotes. Commands never
 * contain a key, only the name of its variable.
 */
import type { Spec } from "../../app/answers.ts";

/** The query from which commands are written. */
export interface WrittenQuery {
  readonly spec: Spec;
  /** Scheme, host, port. */
  readonly origin: string;
  /** The snapshot's label, as in its file name. */
  readonly snapshot: string;
  readonly fields: readonly string[];
}

const COMMAND_ROWS = 100;
/** Marks the end of a here-document. No line of formatted JSON consists of this word alone. */
const END = "SPEC";
const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Quotes an argument of a shell command if it has special characters. */
export function shellWord(text: string): string {
  return PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the spec as a file. */
export function specJson(query: WrittenQuery): string {
  return printed(written(query));
}

/** Searches over HTTP. */
export function curlCommand(query: WrittenQuery): string {
  const body = printed({ spec: written(query), limit: COMMAND_ROWS });
  return [
    `curl -sS ${shellWord(`${query.origin}/v1/accounts/search`)}`,
    `-H "Authorization: Bearer $PENEIRA_KEY"`,
    `-H ${shellWord("Content-Type: application/json")}`,
    `--data-raw ${shellWord(body)}`,
  ].join(" \\\n  ");
}

/** Returns a local search. */
export function searchCommand(query: WrittenQuery): string {
  const { snapshot } = query;
  const words = ["search", "--snapshot", `${snapshot}.peneira`, "--spec", "-"];
  return fed([...words, "--limit", String(COMMAND_ROWS)], query);
}

/** Returns the command that exports all matches from a local snapshot. */
export function exportCommand(query: WrittenQuery): string {
  const { snapshot } = query;
  const words = ["export", "--snapshot", `${snapshot}.peneira`, "--spec", "-"];
  return fed([...words, "--out", `peneira-${snapshot}.csv`], query);
}

/** Returns a `peneira` command that reads the spec from a here-document. */
function fed(words: readonly string[], query: WrittenQuery): string {
  const command = ["peneira", ...words.map(shellWord)].join(" ");
  return `${command} <<'${END}'\n${specJson(query)}\n${END}`;
}

/**
 * Returns the spec as commands contain it. The translator's remarks are removed, and so is the
 * limit, because the commands have their own.
 */
function written({ spec, fields }: WrittenQuery): object {
  const { explain: _, limit: __, output: ___, ...query } = spec;
  return { ...query, output: { fields: [...fields] } };
}

/** Maximum width of a list's lines. */
const COLUMNS_MAX = 88;

/** Formats JSON with one member per line. Lists of plain values are wrapped like text. */
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

/** Wraps items to a width. A wider item has its own line. */
function wrapped(items: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last === undefined || last.length + item.length + 3 > width) lines.push(item);
    else lines[lines.length - 1] = `${last}, ${item}`;
  }
  return lines;
}
