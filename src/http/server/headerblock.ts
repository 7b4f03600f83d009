/**
 * Response headers that stand in many answers and never change. What comes in: their lines. What
 * goes out: the lines one by one, or all of them as the value of the first.
 * Invariant: constants of the program only. uWebSockets.js writes the ends of lines inside of a
 * value as they are, which spares it a call for each header; with a word of a request in it that
 * would be an answer that the request writes.
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

  constructor(lines: readonly [HeaderLine, ...HeaderLine[]]) {
    for (const [name, value] of lines) {
      assert(/^[A-Za-z-]+$/.test(name) && HEADER_VALUE.test(value), `${name} is a plain header`);
    }
    const [first, ...others] = lines;
    this.lines = lines;
    this.name = first[0];
    this.value = [first[1], ...others.map((line) => line.join(": "))].join("\r\n");
  }
}
