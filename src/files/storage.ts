/**
 * Why a disk refuses to be written or read.
 * Invariant: only codes that mean the storage are known here; every other error is not the disk's.
 */
import { mkdirSync } from "node:fs";

/** The meaning of a refusal by the disk. */
interface StorageProblem {
  /** True if space or a quota is used up, which freeing space fixes. */
  readonly full: boolean;
  /** Why, as the end of a sentence. */
  readonly why: string;
  /** The remedy, as a sentence. */
  readonly mend: string;
}

const RETRY = "Free some space, then try again.";
const FULL = { full: true, why: "no space is left on the device", mend: RETRY };
const READ_ONLY = {
  full: false,
  why: "the file system is read-only",
  mend: "Make it writable or name another place.",
};
const FAILING = {
  full: false,
  why: "the disk reported an input/output error",
  mend: "Check the disk and the system's log.",
};
const FORBIDDEN = {
  full: false,
  why: "permission denied",
  mend: "Check owner and permissions of the file and its folder.",
};

/** Problems by the code of the system or the first words of that of SQLite. */
const PROBLEMS: readonly (readonly [code: RegExp, problem: StorageProblem])[] = [
  [/^(ENOSPC|SQLITE_FULL)$/, FULL],
  [/^EDQUOT$/, { full: true, why: "the disk quota of this user is used up", mend: RETRY }],
  [
    /^EFBIG$/,
    {
      full: true,
      why: "the file would be larger than the system allows",
      mend: "Raise the limit (ulimit -f), or name another place.",
    },
  ],
  [/^(EROFS|SQLITE_READONLY\w*)$/, READ_ONLY],
  [/^(EIO|SQLITE_IOERR\w*)$/, FAILING],
  [/^(EACCES|EPERM|SQLITE_PERM|SQLITE_CANTOPEN\w*)$/, FORBIDDEN],
];

/** Returns what an error says of the disk; null if it says nothing of it. */
export function storageProblem(error: unknown): StorageProblem | null {
  const { code, syscall } = Object(error) as NodeJS.ErrnoException;
  if (!(error instanceof Error) || typeof code !== "string") return null;
  // An EACCES of another part, such as a socket, is not the disk's.
  if (/^E/.test(code) && /^(listen|bind|connect|kill|spawn)/.test(syscall ?? "")) return null;
  return PROBLEMS.find(([known]) => known.test(code))?.[1] ?? null;
}

/** Returns the first error of a chain of causes that is the disk's; null if none is. */
export function storageCause(error: unknown): NodeJS.ErrnoException | null {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (storageProblem(one) !== null) return one;
  }
  return null;
}

/** Returns why a disk refuses and what to do, to follow a colon; null if it is not the disk's. */
export function storageWords(error: unknown): string | null {
  const cause = storageCause(error);
  const problem = storageProblem(cause);
  if (cause === null || problem === null) return null;
  const at = cause.syscall === undefined ? "" : ` at ${cause.syscall}`;
  return `${problem.why} (${cause.code}${at}). ${problem.mend}`;
}

/**
 * Returns why a folder could not be made. On a read-only file system Node's recursive mkdir reports
 * ENOENT; a plain one reports the reason.
 */
export function folderFailure(path: string, error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") return error;
  try {
    mkdirSync(path);
    return error;
  } catch (reason) {
    return reason;
  }
}

/** Returns the sentence that something was not written; null if it is not the disk's. */
export function notWritten(place: string, error: unknown): string | null {
  const words = storageWords(error);
  return words === null ? null : `${place} was not written: ${words}`;
}
