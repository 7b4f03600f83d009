/**
 * Finds the first error in a text that may be JSON; reports it with line and column.
 * Invariant: accepts exactly RFC 8259 within the limits below, without duplicate names or
 * `__proto__`. Linear time, no recursion. spec/reader.ts calls it only if a text is wrong.
 */

/** Maximum levels of nested objects and arrays. */
export const JSON_DEPTH_MAX = 32;

/** Maximum number of members in one object. No spec has nearly as many. */
export const JSON_MEMBERS_MAX = 1_000;

/**
 * Maximum number of member names that are compared one by one. More names are compared with a Set.
 */
const LISTED_NAMES_MAX = 16;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const HEX4 = /[0-9a-fA-F]{4}/y;

/** The first error in a text; `message` includes its position. */
export class JsonFault extends Error {
  /** The error, without its position. */
  readonly problem: string;
  /** From 1. */
  readonly line: number;
  /** Column of the error, counted from 1 in UTF-16 units. */
  readonly column: number;
  /** Path to the object that has the error; empty if only the position matters. */
  readonly within: readonly string[];

  constructor(problem: string, [line, column]: readonly [number, number], within: string[]) {
    super(`${problem}, line ${line}, column ${column}`);
    this.name = "JsonFault";
    this.problem = problem;
    this.line = line;
    this.column = column;
    this.within = within;
  }
}

/** An open object or array. */
interface Frame {
  readonly names: string[] | null;
  seen: Set<string> | null;
  count: number;
}

/** Scans a JSON text once, slowly, and throws at the first error. */
export class JsonScanner {
  readonly #text: string;
  readonly #frames: Frame[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Checks the text. Each iteration of the loop reads a value, and the commas and closing brackets
   * after it. @throws JsonFault
   */
  scan(): void {
    do {
      this.#skipBlanks();
      if (!this.#value()) this.#close();
    } while (this.#frames.length > 0);
    this.#skipBlanks();
    if (this.#at < this.#text.length) this.#fail("the document ends before this");
  }

  /** Reads a value. Returns true if it is the opening bracket of a non-empty object or array. */
  #value(): boolean {
    const code = this.#text.charCodeAt(this.#at);
    if (code === 0x7b) return this.#open(0x7d, []);
    if (code === 0x5b) return this.#open(0x5d, null);
    if (code === 0x22) this.#string();
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) this.#match(NUMBER, "a number");
    else this.#match(WORD, "a value");
    return false;
  }

  /** Reads an opening bracket. Returns true if the object or array is not empty. */
  #open(closer: number, names: string[] | null): boolean {
    if (this.#frames.length === JSON_DEPTH_MAX) {
      this.#fail(`objects and arrays may be nested ${JSON_DEPTH_MAX} levels deep`);
    }
    this.#at++;
    this.#skipBlanks();
    if (this.#text.charCodeAt(this.#at) === closer) {
      this.#at++;
      return false;
    }
    this.#frames.push({ names, seen: null, count: 0 });
    if (names !== null) this.#name();
    return true;
  }

  /**
   * Reads commas and closing brackets after a value, up to the next value or the end of the text.
   */
  #close(): void {
    for (let open = this.#frames.length; open > 0; open--) {
      const frame = this.#frames[open - 1] as Frame;
      this.#skipBlanks();
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x2c) {
        this.#at++;
        frame.count++;
        if (frame.names === null) return;
        this.#skipBlanks();
        this.#name();
        return;
      }
      const closer = frame.names === null ? 0x5d : 0x7d;
      if (code !== closer) this.#fail(`expected a comma or ${String.fromCharCode(closer)}`);
      this.#at++;
      this.#frames.pop();
    }
  }

  /** Consumes a member name and its colon. */
  #name(): void {
    const start = this.#at;
    if (this.#text.charCodeAt(start) !== 0x22) this.#fail("expected a member name in quotes");
    const escaped = this.#string();
    const raw = this.#text.slice(start + 1, this.#at - 1);
    const name: string = escaped ? JSON.parse(`"${raw}"`) : raw;
    this.#addName(name, start);
    this.#skipBlanks();
    if (this.#text.charCodeAt(this.#at) !== 0x3a) this.#fail("expected a colon");
    this.#at++;
  }

  /** Refuses a duplicate name, and `__proto__`. */
  #addName(name: string, start: number): void {
    const frame = this.#frames.at(-1);
    const names = frame?.names;
    if (frame === undefined || !names) return;
    const known = frame.seen === null ? names.includes(name) : frame.seen.has(name);
    if (known || name === "__proto__") {
      const within = this.#within();
      this.#at = start;
      const wrong = known ? "occurs twice in its object" : "is not allowed";
      this.#fail(`the member name ${JSON.stringify(name.slice(0, 40))} ${wrong}`, within);
    }
    if (names.length === JSON_MEMBERS_MAX) {
      this.#fail(`an object may have ${JSON_MEMBERS_MAX} members`, this.#within());
    }
    names.push(name);
    if (frame.seen !== null) frame.seen.add(name);
    else if (names.length > LISTED_NAMES_MAX) frame.seen = new Set(names);
  }

  /** Reads a string. Returns true if it has an escape. */
  #string(): boolean {
    const text = this.#text;
    let escaped = false;
    let at = this.#at + 1;
    for (; ; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x22) break;
      if (code === 0x5c) {
        escaped = true;
        at = this.#escape(at);
      } else if (!(code >= 0x20)) {
        this.#at = at;
        const ended = at >= text.length;
        this.#fail(ended ? "the text ends within a string" : "a control character in a string");
      }
    }
    this.#at = at + 1;
    return escaped;
  }

  /** Checks an escape and returns the position of its last character. */
  #escape(at: number): number {
    const letter = this.#text.charAt(at + 1);
    if (letter === "u") {
      HEX4.lastIndex = at + 2;
      if (HEX4.test(this.#text)) return at + 5;
    } else if (letter !== "" && '"\\/bfnrt'.includes(letter)) {
      return at + 1;
    }
    this.#at = at;
    this.#fail("a wrong escape in a string");
  }

  /** Consumes the match of a pattern. */
  #match(pattern: RegExp, wanted: string): void {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) {
      this.#fail(this.#at < this.#text.length ? `expected ${wanted}` : "the text ends too early");
    }
    this.#at = pattern.lastIndex;
  }

  #skipBlanks(): void {
    const text = this.#text;
    let at = this.#at;
    // Returns early if no blank follows. At the end of the text, the code is NaN, which also ends
    // the loop.
    if (text.charCodeAt(at) > 0x20) return;
    for (let code = text.charCodeAt(at); isBlank(code); code = text.charCodeAt(at)) at++;
    this.#at = at;
  }

  /** Returns the path to the innermost open object. */
  #within(): string[] {
    return this.#frames.slice(0, -1).map(({ names, count }) => names?.at(-1) ?? `${count}`);
  }

  /** Throws with the current line and column. */
  #fail(problem: string, within: string[] = []): never {
    throw new JsonFault(problem, lineAndColumn(this.#text, this.#at), within);
  }
}

/** Returns line and column of a position in a text, both from 1. */
export function lineAndColumn(text: string, at: number): [line: number, column: number] {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0 && end < at; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return [line, at - start + 1];
}

/** True for the four blanks of JSON, as bytes or UTF-16 units. */
function isBlank(code: number | undefined): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
