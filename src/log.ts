/**
 * The log, and the only importer of pino. What comes in: a level, and what the program has to say.
 * What goes out: one JSON line each on standard output, or one readable line on a terminal.
 * Invariant: no names, e-mails, phones, keys or query text ever get here; of an unknown error only
 * its kind, its code and its place in the program are written, because a message may quote a
 * request.
 */
import { type DestinationStream, type Logger, pino } from "pino";

/** Text that is collected before it is written, in bytes: a line per request costs no write. */
const COLLECTED_BYTES = 8 * 1024;

/** Longest time that a line is kept back, in milliseconds. */
const KEPT_BACK_MS = 200;

/** The log of a running server. */
export type Log = Logger;

/** Least important messages that are written. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

const ERROR_LEVEL = pino.levels.values.error as number;

/** Makes the log; `destination` is standard output unless a test gives another one. */
export function openLog(level: LogLevel, destination?: DestinationStream): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const stream = process.stdout.isTTY ? { write: writeReadable } : collected(1);
  return pino(options, destination ?? stream);
}

/**
 * Writes to a descriptor, many lines at a time: when enough have come, after a moment, at once with
 * a line of an error, and before the process ends, for whatever reason but a kill (pino sees to
 * that). Writes never wait for the reader.
 */
export function collected(fd: number): DestinationStream {
  const stream = pino.destination({ fd, sync: false, minLength: COLLECTED_BYTES });
  let awaited = false;
  const onTime = () => {
    awaited = false;
    stream.flush();
  };
  const lines = {
    /** Asks pino to say the level of every line. */
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line: string): void {
      stream.write(line);
      if (lines.lastLevel >= ERROR_LEVEL) stream.flush();
      if (awaited) return;
      awaited = true;
      setTimeout(onTime, KEPT_BACK_MS).unref();
    },
  };
  return lines;
}

/** What may be written about an error without quoting what a client sent. */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = (error as NodeJS.ErrnoException).code;
  const place = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return {
    error: error.name,
    ...(code === undefined ? {} : { error_code: code }),
    place: place.slice(0, 8).map((line) => line.trim()),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}

/** Turns a line of JSON into one for people. */
function writeReadable(line: string): void {
  const { level, time, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const name = pino.levels.labels[Number(level)] ?? "log";
  const details = Object.entries(rest).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const clock = String(time).slice(11, 19);
  process.stdout.write(`${clock} ${name.padEnd(5)} ${[msg, ...details].join(" ")}\n`);
}
