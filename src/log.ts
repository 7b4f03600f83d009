/**
 * The log, and the only importer of pino. What comes in: a level, and what the program has to say.
 * What goes out: one JSON line each on standard output, or one readable line on a terminal.
 * Invariant: no names, e-mails, phones, keys or query text ever get here; of an unknown error only
 * its kind, its code and its place in the program are written, because a message may quote a
 * request.
 */
import { type DestinationStream, type Logger, pino } from "pino";

/** The log of a running server. */
export type Log = Logger;

/** Least important messages that are written. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Makes the log; `destination` is standard output unless a test gives another one. */
export function openLog(level: LogLevel, destination?: DestinationStream): Log {
  const terminal = process.stdout.isTTY ? { write: writeReadable } : pino.destination(1);
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, destination ?? terminal);
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
