/**
 * Standard output and standard error; the only file of the product that writes to them. Invariant:
 * no text can move the cursor, change colors, or reverse a terminal's reading order. Every control
 * and bidirectional character is shown as its JSON escape, such as `\u001b`. Text for people is
 * always escaped, because a pipe often ends at a terminal. Text for programs remains exact in pipes
 * and files. On a terminal it is escaped, which does not change the meaning of JSON.
 */
import { writeSync } from "node:fs";
import { Writable } from "node:stream";

/** C0, DEL, C1 (except tabs and line endings), bidirectional controls, Unicode line separators. */
const HIDDEN = /(?!\t|\n|\r\n)\p{Cc}|[\p{Bidi_Control}\u2028\u2029]/gu;
/** Characters escaped within a line: `HIDDEN`, and tabs and line endings, which would break it. */
const HIDDEN_IN_LINE = /\p{Cc}|[\p{Bidi_Control}\u2028\u2029]/gu;

/** Escapes characters that a terminal would interpret; keeps line breaks. */
export function visible(text: string): string {
  return text.replace(HIDDEN, escaped);
}

/** Like `visible`, for one line or cell: also escapes line ends and tabs. */
export function visibleLine(text: string): string {
  return text.replace(HIDDEN_IN_LINE, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Max number of waits for a full pipe, and the length of each in milliseconds. */
const FULL_PIPE = { tries: 1_000, ms: 5 };

/** One of the two output streams. */
class Output {
  readonly #stream: () => NodeJS.WriteStream;
  readonly #fd: number;

  constructor(stream: () => NodeJS.WriteStream, fd: number) {
    this.#stream = stream;
    this.#fd = fd;
  }

  get isTTY(): boolean {
    return this.#stream().isTTY === true;
  }

  /** Writes text for people. */
  print(text: string): void {
    this.#stream().write(visible(text));
  }

  /**
   * Writes text for programs, in whole lines. The bytes are exact, except on a terminal, where
   * special characters are escaped.
   */
  data(text: string | Uint8Array): void {
    if (!this.isTTY) this.#stream().write(text);
    else this.print(typeof text === "string" ? text : Buffer.from(text).toString());
  }

  /** Like `print`, but synchronous. @throws Error of the system */
  printNow(text: string): void {
    writeAll(this.#fd, Buffer.from(visible(text)));
  }

  /** Like `data`, but synchronous. @throws Error of the system */
  dataNow(text: string): void {
    if (this.isTTY) this.printNow(text);
    else writeAll(this.#fd, Buffer.from(text));
  }

  /** Returns a stream that writes lines like `data`. */
  writable(): Writable {
    if (!this.isTTY) return this.#stream();
    return new Writable({
      write: (line: Uint8Array, _, done) => {
        this.data(line);
        done();
      },
    });
  }

  /** Overwrites the current line of the terminal. */
  redraw(text: string): void {
    this.#stream().write(`\r\x1b[2K${visible(text)}`);
  }

  /** Calls `onError` if writing to the stream fails. */
  onError(onError: (error: NodeJS.ErrnoException) => void): void {
    this.#stream().on("error", onError);
  }
}

/** Writes all bytes; waits a limited time for a full pipe. */
function writeAll(fd: number, bytes: Uint8Array): void {
  let tries = 0;
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      if (++tries > FULL_PIPE.tries) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE.ms);
    }
  }
}

/** Standard output: the answer of a command. */
export const stdout = new Output(() => process.stdout, 1);

/** Standard error: messages for people. */
export const stderr = new Output(() => process.stderr, 2);
