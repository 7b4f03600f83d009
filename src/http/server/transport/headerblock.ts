/**
 * Response headers as text. What comes in: lines that stand in many answers, or a name. What goes
 * out: the lines one by one, or all of them as the value of the first; how a line begins.
 * Invariant: a block holds words of the program only, and values that are none are printable ASCII.
 * uWebSockets.js writes the ends of lines inside of a value as they are, which spares it a call for
 * each header; with a word of a request in it that would be an answer that the request writes.
 */
import { strict as assert } from "node:assert";

/** Name and value of a response header. */
export type HeaderLine = readonly [name: string, value: string];

/** What the value of a header may hold. One transport would send anything else, one would not. */
export const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** Lines that are sent one behind the other. */
export class HeaderBlock {
  readonly lines: readonly HeaderLine[];
  /** Name of the first line. */
  readonly name: string;
  /** Value of the first line, and the other lines behind it. */
  readonly value: string;
  /** All lines, with the end of a line before each. */
  readonly text: string;

  /** Of one line at least. */
  constructor(lines: readonly HeaderLine[]) {
    for (const [name, value] of lines) {
      assert(/^[A-Za-z-]+$/.test(name) && HEADER_VALUE.test(value), `${name} is a plain header`);
    }
    const [first] = lines;
    assert(first !== undefined, "a block has lines");
    this.lines = lines;
    this.name = first[0];
    this.text = lines.map(([name, value]) => startOfLine(name) + value).join("");
    this.value = this.text.slice(startOfLine(first[0]).length);
  }
}

/** How lines begin behind others, by name; names are words of the program. */
const starts = new Map<string, string>();

/** The end of the line before, and the name of a header. */
export function startOfLine(name: string): string {
  let start = starts.get(name);
  if (start === undefined) {
    start = `\r\n${name}: `;
    starts.set(name, start);
  }
  return start;
}
