/**
 * What the system refuses, in words. What comes in: an error. What goes out: one line with the
 * place, the reason and the system's own names for both.
 * Invariant: only errors of system calls are put into words; all others are faults of ours, and
 * stay as they are.
 */
import { CommandError } from "../../errors.ts";
import { storageWords } from "../../files/storage.ts";

/** Whether an error is that of a system call: no fault of ours, reported without a stack. */
export function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  const { code, syscall } = Object(error) as NodeJS.ErrnoException;
  return error instanceof Error && typeof code === "string" && typeof syscall === "string";
}

/** `EACCES: permission denied, open 'x'` as `x: permission denied (EACCES at open)`. */
export function systemWords(error: NodeJS.ErrnoException): string {
  const { code, syscall, path, message } = error;
  const told = storageWords(error);
  if (told !== null) return path === undefined ? told : `${path}: ${told}`;
  const why = /^\w+: ([^,]+)/.exec(message)?.[1] ?? message;
  const place = path === undefined ? "" : `${path}: `;
  return `${place}${why} (${code} at ${syscall}).`;
}

/**
 * Does work that writes to a place that a person named, which errors of full disks leave out.
 * @throws CommandError in place of an error of the system; everything else as it is.
 */
export function writing<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  return inWords(`${place} was not written`, work);
}

/** The same for a place that work reads, of which some errors say nothing. */
export function reading<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  return inWords(`${place} was not read`, work);
}

async function inWords<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isOfSystem(error)) throw error;
    throw new CommandError(`${what}: ${systemWords(error)}`, 1, error);
  }
}

/**
 * Returns the message of a refusal. If its cause is the disk's and the message does not give the
 * reason and the mend, they are added.
 */
export function refusalWords({ message, cause }: Error): string {
  const cut = storageWords(cause);
  if (cut === null || message.includes(cut) || /[Mm]ake room/.test(message)) return message;
  return `${message.replace(/\.$/, "")}: ${cut}`;
}
