/**
 * Reasons why a disk refuses a read or write.
 * Invariant: only codes about storage are listed. Every other error has another cause.
 */
import { mkdirSync } from "node:fs";

interface StorageProblem {
  /** True if space or a quota is used up, so freeing space helps. */
  readonly full: boolean;
  /** Reason, as the end of a sentence. */
  readonly why: string;
  /** The remedy, as a sentence. */
  readonly fix: string;
}

const RETRY = "Free some space, then try again.";
const FULL = { full: true, why: "no space is left on the device", fix: RETRY };
const READ_ONLY = {
  full: false,
  why: "the file system is read-only",
  fix: "Make it writable or name another place.",
};
const FAILING = {
  full: false,
  why: "the disk reported an input/output error",
  fix: "Check the disk and the system's log.",
};
const FORBIDDEN = {
  full: false,
  why: "permission denied",
  fix: "Check owner and permissions of the file and its folder.",
};

/** Disk problems by system error code, or by the first words of an SQLite error code. */
const PROBLEMS: readonly (readonly [code: RegExp, problem: StorageProblem])[] = [
  [/^(ENOSPC|SQLITE_FULL)$/, FULL],
  [/^EDQUOT$/, { full: true, why: "the disk quota of this user is used up", fix: RETRY }],
  [
    /^EFBIG$/,
    {
      full: true,
      why: "the file would be larger than the system allows",
      fix: "Raise the limit (ulimit -f), or name another place.",
    },
  ],
  [/^(EROFS|SQLITE_READONLY\w*)$/, READ_ONLY],
  [/^(EIO|SQLITE_IOERR\w*)$/, FAILING],
  [/^(EACCES|EPERM|SQLITE_PERM|SQLITE_CANTOPEN\w*)$/, FORBIDDEN],
];

/** Returns the disk problem of an error, or null if it is none. */
export function storageProblem(error: unknown): StorageProblem | null {
  const { code, syscall } = Object(error) as NodeJS.ErrnoException;
  if (!(error instanceof Error) || typeof code !== "string") return null;
  // Errors of sockets and processes, such as EACCES, are not disk errors.
  if (/^E/.test(code) && /^(listen|bind|connect|kill|spawn)/.test(syscall ?? "")) return null;
  return PROBLEMS.find(([known]) => known.test(code))?.[1] ?? null;
}

/** Returns the first disk error in a chain of causes, or null. */
export function storageCause(error: unknown): NodeJS.ErrnoException | null {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (storageProblem(one) !== null) return one;
  }
  return null;
}

/** Returns the reason and the remedy as the text after a colon, or null for other errors. */
export function storageErrorText(error: unknown): string | null {
  const cause = storageCause(error);
  const problem = storageProblem(cause);
  if (cause === null || problem === null) return null;
  const at = cause.syscall === undefined ? "" : ` at ${cause.syscall}`;
  return `${problem.why} (${cause.code}${at}). ${problem.fix}`;
}

/** Returns the error of a plain mkdir, because a recursive one hides a read-only disk. */
export function folderFailure(path: string, error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") return error;
  try {
    mkdirSync(path);
    return error;
  } catch (reason) {
    return reason;
  }
}

/** Returns a sentence about a failed write, or null if it is no disk error. */
export function notWritten(place: string, error: unknown): string | null {
  const words = storageErrorText(error);
  return words === null ? null : `${place} was not written: ${words}`;
}
