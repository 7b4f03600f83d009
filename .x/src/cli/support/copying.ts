/**
 * Runs work that copies many bytes, with progress on standard error.
 * Invariant: SIGINT and SIGTERM end the work in an orderly way: no partial files are left, and the
 * exit code shows the signal.
 */
import { constants } from "node:os";
import { CommandError } from "../../errors.ts";
import { storageErrorText } from "../../files/storage.ts";
import { stderr } from "../../process/terminal.ts";
import { type Progress, progress } from "./progress.ts";

interface Copying {
  readonly onBytes: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** Runs the work; `quiet` disables progress. */
export async function copying<Result>(
  label: string,
  quiet: boolean | undefined,
  work: (parts: Copying) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const onSignal = (signal: "SIGINT" | "SIGTERM") => {
    process.exitCode = 128 + constants.signals[signal];
    controller.abort(new Interrupted());
  };
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  let display: Progress | undefined;
  const onBytes = (done: number, total: number) => {
    if (quiet) return;
    display ??= progress(label, total, stderr, "bytes");
    display.update(done);
  };
  try {
    const result = await work({ onBytes, signal: controller.signal });
    display?.done();
    return result;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw withSystemErrors(label, error);
    stderr.print("\ninterrupted; nothing was left behind\n");
    process.exit();
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
}

/** Converts a full or failing disk to a CommandError, because it is no bug. */
function withSystemErrors(label: string, error: unknown): unknown {
  if (error instanceof CommandError || !(error instanceof Error)) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  const why = storageErrorText(error) ?? `${message}.`;
  return new CommandError(`The ${label} failed: ${why} Nothing was left behind.`, 1, error);
}

class Interrupted extends Error {}
