/**
 * Work that copies many bytes, in front of a person. What comes in: the work. What goes out: its
 * result, with progress on standard error.
 * Invariant: SIGINT and SIGTERM end the work in order, so that nothing half done is left, and the
 * exit code tells which of them it was.
 */
import { constants } from "node:os";
import { CommandError } from "../../errors.ts";
import { storageWords } from "../../files/storage.ts";
import { stderr } from "../../process/terminal.ts";
import { type Progress, progress } from "./progress.ts";

/** What the work is given. */
interface Copying {
  readonly onBytes: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** Runs the work; `quiet` shows no progress. */
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
    if (!(error instanceof Interrupted)) throw inWords(label, error);
    stderr.print("\ninterrupted; nothing was left behind\n");
    process.exit();
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
}

/** A full or failing disk is no mistake of the program. */
function inWords(label: string, error: unknown): unknown {
  if (error instanceof CommandError || !(error instanceof Error)) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  const why = storageWords(error) ?? `${message}.`;
  return new CommandError(`The ${label} failed: ${why} Nothing was left behind.`, 1, error);
}

/** Why the work was ended. */
class Interrupted extends Error {}
