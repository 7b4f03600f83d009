/**
 * The log, and the only importer of pino. What comes in: a level, and what the program has to say.
 * What goes out: one JSON line each on standard output, or one readable line on a terminal.
 * Invariant: no names, e-mails, phones, keys or query text ever get here; of an unknown error only
 * its kind, its code and its place in the program are written, because a message may quote a
 * request. What the engine says of a snapshot file is known to quote nothing and is written.
 */
import { ftruncateSync, openSync, writeSync } from "node:fs";
import { type DestinationStream, type Logger, pino } from "pino";
import { stderr, stdout } from "./terminal.ts";

/** Text that is collected before it is written, in characters: about 80 lines of requests. */
const COLLECTED_MAX = 16 * 1024;

/** Longest time that a line is kept back, in milliseconds. */
const KEPT_BACK_MS = 200;

/** Takes the lines of a log. */
export type LogDestination = DestinationStream;

/** The log of a running server. */
export type Log = Logger;

/** Least important messages that are written. */
type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Levels of lines that come ready. */
type LineLevel = "debug" | "info";

/** A destination that may want to know the level of each line. */
interface LevelledStream extends DestinationStream {
  readonly [pino.symbols.needsMetadataGsym]?: boolean;
  lastLevel?: number;
}

const ERROR_LEVEL = pino.levels.values.error as number;
const WARN_LEVEL = pino.levels.values.warn as number;

/** A pipe that is full and does not block is tried again after this time. */
const EAGAIN_WAIT_MS = 5;
const WAITED_ON = new Int32Array(new SharedArrayBuffer(4));

/** Makes the log; `destination` is standard output unless a test gives another one. */
export function openLog(level: LogLevel, destination?: DestinationStream): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, destination ?? standardOutput());
}

function standardOutput(): DestinationStream {
  return stdout.isTTY ? { write: writeReadable } : collected(1);
}

/** Queue of the lines of several threads, in the order of their times. */
interface LineQueue {
  appendLine(atMs: number, level: number, text: string): void;
  /** Removes and returns the lines up to a time in milliseconds since 1970. */
  takeLines(upToMs: number): { readonly levels: Uint32Array; readonly texts: readonly string[] };
}

/** How often the lines of threads are written, and how old they are by then, in milliseconds. */
const GATHERED_MS = 50;
const SETTLED_MS = 20;
/** Place of the time in a line, behind the level of two digits. */
const TIME_AT = '{"level":30,"time":"'.length;
const TIME_LENGTH = "2026-01-01T00:00:00.000Z".length;

/** Returns the destination of a thread whose lines another thread writes. */
export function queued(queue: LineQueue): LogDestination {
  return {
    /** Asks pino to say the level of every line. */
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line: string): void {
      const atMs = Date.parse(line.slice(TIME_AT, TIME_AT + TIME_LENGTH));
      queue.appendLine(atMs, this.lastLevel, line);
    },
  } as LogDestination & { lastLevel: number };
}

/** Writes the lines of a queue now and then, and at the end of the process. */
export class GatheredLines {
  readonly #queue: LineQueue;
  readonly #destination: LevelledStream;
  readonly #timer: NodeJS.Timeout;
  readonly #atExit = () => this.#write(Number.POSITIVE_INFINITY);

  constructor(queue: LineQueue, destination: LogDestination = standardOutput()) {
    this.#queue = queue;
    this.#destination = destination;
    this.#timer = setInterval(() => this.#write(Date.now() - SETTLED_MS), GATHERED_MS).unref();
    // Before the destination writes what it has collected.
    process.prependOnceListener("exit", this.#atExit);
  }

  /** Writes all lines; none come any more. */
  close(): void {
    clearInterval(this.#timer);
    process.off("exit", this.#atExit);
    this.#write(Number.POSITIVE_INFINITY);
  }

  #write(upToMs: number): void {
    const { levels, texts } = this.#queue.takeLines(upToMs);
    const wantsLevel = this.#destination[pino.symbols.needsMetadataGsym] === true;
    for (let at = 0; at < texts.length; at++) {
      if (wantsLevel) this.#destination.lastLevel = levels[at] as number;
      this.#destination.write(texts[at] as string);
    }
  }
}

/** How the line began that was written last, up to its second: many lines fall into one. */
let lastStart = { second: Number.NaN, level: 0, text: "" };
/** And up to its millisecond: where many lines are written, some fall into one. */
const lastBegun = { atMs: Number.NaN, level: 0, text: "" };

/** Three digits of milliseconds, and what follows them. */
const MILLISECONDS = Array.from({ length: 1_000 }, (_, ms) => {
  return `${String(ms).padStart(3, "0")}Z",`;
});

function startOf(level: number): string {
  const atMs = Date.now();
  if (lastBegun.atMs === atMs && lastBegun.level === level) return lastBegun.text;
  const second = Math.floor(atMs / 1_000);
  if (lastStart.second !== second || lastStart.level !== level) {
    const upToSecond = new Date(atMs).toISOString().slice(0, -"000Z".length);
    lastStart = { second, level, text: `{"level":${level},"time":"${upToSecond}` };
  }
  lastBegun.atMs = atMs;
  lastBegun.level = level;
  lastBegun.text = lastStart.text + (MILLISECONDS[atMs - 1_000 * second] as string);
  return lastBegun.text;
}

/** How it ended: mostly with the same words. */
let lastEnd = { message: "", text: "" };

function endOf(message: string): string {
  if (lastEnd.message !== message || lastEnd.text === "") {
    lastEnd = { message, text: `,"msg":"${message}"}\n` };
  }
  return lastEnd.text;
}

/**
 * Writes a line whose members are JSON text already, `"name":value` with commas between them, in
 * the bytes that the log itself would make of an object; for lines that come with every request.
 * The level must be enabled.
 */
export function writeMembers(log: Log, level: LineLevel, members: string, message: string): void {
  const stream = (log as unknown as { readonly [pino.symbols.streamSym]: LevelledStream })[
    pino.symbols.streamSym
  ];
  const number = pino.levels.values[level] as number;
  if (stream[pino.symbols.needsMetadataGsym] === true) stream.lastLevel = number;
  stream.write(startOf(number) + members + endOf(message));
}

/**
 * Writes to a descriptor, many lines at a time: when enough have come, after a moment, at once with
 * a line of an error, and when the process ends for whatever reason but a kill. Measured, writing
 * takes 0.9 µs of processor a line, and 3.4 µs with a write for each or with pino's own buffers.
 */
export function collected(fd: number): DestinationStream {
  let text = "";
  let awaited = false;
  const writeOut = () => {
    const bytes = Buffer.from(text);
    text = "";
    writeWhole(fd, bytes);
  };
  const onTime = () => {
    awaited = false;
    writeOut();
  };
  const lines = {
    /** Asks pino to say the level of every line. */
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line: string): void {
      text += line;
      if (text.length >= COLLECTED_MAX || lines.lastLevel >= ERROR_LEVEL) writeOut();
      if (awaited) return;
      awaited = true;
      setTimeout(onTime, KEPT_BACK_MS).unref();
    },
  };
  process.once("exit", writeOut);
  return lines;
}

/**
 * Writes all of it; a reader that is slow is waited for. What cannot be written (a full disk, a
 * reader that has gone) is lost, because a log must not end the server.
 */
function writeWhole(fd: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      Atomics.wait(WAITED_ON, 0, 0, EAGAIN_WAIT_MS);
    }
  }
}

/**
 * Codes of errors of the engine about a snapshot file: their messages name blocks, sections, rows
 * and checksums, and never a value of a row.
 */
const SAYS_WHY = /^SNAPSHOT_(?:DAMAGED|VERSION|UNREADABLE)$/;

/** What may be written about an error without quoting what a client sent. */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = (error as NodeJS.ErrnoException).code;
  const place = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return {
    error: error.name,
    ...(code === undefined ? {} : { error_code: code }),
    ...(code !== undefined && SAYS_WHY.test(code) ? { why: error.message } : {}),
    // What a thread of the engine throws has no place in the program.
    ...(place.length === 0 ? {} : { place: place.slice(0, 8).map((line) => line.trim()) }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}

/**
 * Writes to a file, which begins anew here and whenever it has `bytesMax`; warnings and errors are
 * written to standard error as well, for people.
 */
export function fileOfLog(path: string, bytesMax: number): LogDestination {
  const fd = openSync(path, "a", 0o600);
  ftruncateSync(fd);
  const file = collected(fd) as LogDestination & { lastLevel: number };
  let written = 0;
  return {
    /** Asks pino to say the level of every line. */
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line: string): void {
      written += Buffer.byteLength(line);
      if (written > bytesMax) {
        ftruncateSync(fd);
        written = 0;
      }
      file.lastLevel = this.lastLevel;
      file.write(line);
      if (this.lastLevel >= WARN_LEVEL) stderr.print(readable(line));
    },
  } as LogDestination & { lastLevel: number };
}

/** Turns a line of JSON into one for people. */
function writeReadable(line: string): void {
  stdout.print(readable(line));
}

function readable(line: string): string {
  const { level, time, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const name = pino.levels.labels[Number(level)] ?? "log";
  const details = Object.entries(rest).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const clock = String(time).slice(11, 19);
  return `${clock} ${name.padEnd(5)} ${[msg, ...details].join(" ")}\n`;
}
