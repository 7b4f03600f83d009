/**
 * Messages for errors of system calls: one line with path, reason, code, and call.
 * Invariant: only errors of system calls are converted. All others are bugs, and stay unchanged.
 */
import { CommandError } from "../../errors.ts";
import { storageErrorText } from "../../files/storage.ts";

/** True for an error of a system call. Such an error is not a bug and needs no stack. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  const { code, syscall } = Object(error) as NodeJS.ErrnoException;
  return error instanceof Error && typeof code === "string" && typeof syscall === "string";
}

/** Formats `EACCES: permission denied, open 'x'` as `x: permission denied (EACCES at open)`. */
export function systemErrorText(error: NodeJS.ErrnoException): string {
  const { code, syscall, path, message } = error;
  const known = storageErrorText(error);
  if (known !== null) return path === undefined ? known : `${path}: ${known}`;
  const why = /^\w+: ([^,]+)/.exec(message)?.[1] ?? message;
  const place = path === undefined ? "" : `${path}: `;
  return `${place}${why} (${code} at ${syscall}).`;
}

/**
 * Runs work that writes to a user's path. Adds the path to errors, because disk-full errors lack
 * it. Other errors stay unchanged.
 * @throws CommandError for a system error
 */
export function withWriteErrors<Result>(
  place: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return withSystemErrors(`${place} was not written`, work);
}

/** Runs work that reads from a user's path. Adds the path to errors, because some lack it. */
export function withReadErrors<Result>(
  place: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return withSystemErrors(`${place} was not read`, work);
}

async function withSystemErrors<Result>(
  what: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new CommandError(`${what}: ${systemErrorText(error)}`, 1, error);
  }
}

/** Returns an error's message, with reason and remedy if a disk error caused it. */
export function refusalMessage({ message, cause }: Error): string {
  const cut = storageErrorText(cause);
  if (cut === null || message.includes(cut) || /[Mm]ake room/.test(message)) return message;
  return `${message.replace(/\.$/, "")}: ${cut}`;
}
