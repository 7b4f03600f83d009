/**
 * A file that appears whole or not at all. Input: a path, and bytes in order. Output: the durable
 * file at that path, with its size and SHA-256.
 * Invariant: the path does not change before the whole new file is on disk. A failure at any step
 * closes the descriptor, removes the partial file, and is rethrown unchanged. fsync is never
 * retried, because the kernel forgets pages that it could not write.
 */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname } from "node:path";
import { getSystemErrorMap } from "node:util";
import { openHashedFile } from "../../../native-index/napi/engine.ts";
import { AppError } from "../../errors.ts";
import { faultPoint } from "../../process/fault.ts";

/** Writes the bytes of an opened file in order, and hashes them. */
export interface FileWriter {
  /** Copies the bytes. Throws the system's error if these or earlier bytes cannot be written. */
  write(bytes: Uint8Array): void;
  /** Returns the SHA-256 in hexadecimal after all bytes are written. Throws like `write`. */
  finish(): string;
  /** Stops writing. Never fails, and may be called repeatedly. */
  close(): void;
}

/** System calls of a sink. Tests replace them with failing ones. */
export type DiskCalls = Pick<
  typeof fs,
  "openSync" | "fsyncSync" | "closeSync" | "renameSync" | "unlinkSync"
> & { readonly openWriter: (fd: number) => FileWriter };

const SYSTEM: DiskCalls = { ...fs, openWriter };

interface WrittenFile {
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Bytes between fault points, at which a test may kill the process in the middle of a file. */
const FAULT_BYTES = 1 << 20;

const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = fs.constants;

/** Returns a new name for the temporary file of a path. */
export function temporaryName(path: string): string {
  return `${path}.${randomBytes(8).toString("hex")}.tmp`;
}

/**
 * Writes a file. `fill` passes its bytes to `write`, which copies each chunk before it returns.
 * Another thread hashes and writes them, so a system error may be thrown at a later chunk. No byte
 * beyond `bytesMax` is written.
 * @throws errors of `fill` or the system, and `quota_exceeded` for more than `bytesMax` bytes. The
 * file does not exist then.
 */
export async function writeWhole<Filled>(
  path: string,
  fill: (write: (bytes: Uint8Array) => void) => Promise<Filled>,
  disk: DiskCalls = SYSTEM,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<WrittenFile & { readonly filled: Filled }> {
  return filledBy(new Sink(path, disk, bytesMax), fill);
}

/**
 * Writes a file like `writeWhole`, but never replaces one.
 * @throws EEXIST too, if the path exists when the file is finished.
 */
export function writeNew<Filled>(
  path: string,
  fill: (write: (bytes: Uint8Array) => void) => Promise<Filled>,
): Promise<WrittenFile & { readonly filled: Filled }> {
  const disk = { ...SYSTEM, renameSync: moveToNew };
  return filledBy(new Sink(path, disk, Number.POSITIVE_INFINITY), fill);
}

async function filledBy<Filled>(
  sink: Sink,
  fill: (write: (bytes: Uint8Array) => void) => Promise<Filled>,
): Promise<WrittenFile & { readonly filled: Filled }> {
  try {
    const filled = await fill((bytes) => sink.write(bytes));
    return { filled, ...sink.finish() };
  } catch (error) {
    sink.discard();
    throw error;
  }
}

/** File systems without hard links report one of these codes. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/** Renames a file. @throws EEXIST if the new path exists, which `rename` would replace. */
function moveToNew(from: fs.PathLike, to: fs.PathLike): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if (!NO_LINKS.includes(Object(error).code)) throw error;
    // Between this check and the renaming, the path may still appear.
    const exists = { code: "EEXIST", syscall: "rename" };
    if (fs.existsSync(to)) throw Object.assign(new Error("the file exists"), exists);
    fs.renameSync(from, to);
    return;
  }
  fs.unlinkSync(from);
}

class Sink {
  readonly #path: string;
  readonly #disk: DiskCalls;
  readonly #bytesMax: number;
  /** Current path of the file: first the temporary one, then the final one. */
  #name: string;
  #fd: number | null = null;
  readonly #writer: FileWriter;
  #sizeBytes = 0;

  constructor(path: string, disk: DiskCalls, bytesMax: number) {
    this.#path = path;
    this.#disk = disk;
    this.#bytesMax = bytesMax;
    this.#name = temporaryName(path);
    const fd = disk.openSync(this.#name, O_WRONLY | O_CREAT | O_EXCL, 0o600);
    this.#fd = fd;
    try {
      this.#writer = disk.openWriter(fd);
    } catch (error) {
      this.#remove();
      throw error;
    }
  }

  write(bytes: Uint8Array): void {
    const before = this.#sizeBytes;
    if (before + bytes.byteLength > this.#bytesMax) {
      throw new AppError("quota_exceeded", `The file would have over ${this.#bytesMax} bytes.`);
    }
    this.#writer.write(bytes);
    this.#sizeBytes += bytes.byteLength;
    if (Math.floor(before / FAULT_BYTES) < Math.floor(this.#sizeBytes / FAULT_BYTES)) {
      faultPoint("render.after_write");
    }
  }

  /** Moves the file to its path. After this it survives a power loss. */
  finish(): WrittenFile {
    const sha256 = this.#writer.finish();
    if (this.#sizeBytes > 0) faultPoint("render.after_write");
    faultPoint("render.before_fsync");
    this.#disk.fsyncSync(this.#opened());
    this.#close();
    faultPoint("render.before_rename");
    this.#disk.renameSync(this.#name, this.#path);
    this.#name = this.#path;
    faultPoint("render.after_rename");
    this.#syncFolder();
    faultPoint("render.after_dirsync");
    return { sizeBytes: this.#sizeBytes, sha256 };
  }

  /** Removes the file. Errors are ignored, because they would hide the original failure. */
  discard(): void {
    attempt(() => this.#writer.close());
    this.#remove();
  }

  #remove(): void {
    attempt(() => this.#close());
    attempt(() => this.#disk.unlinkSync(this.#name));
  }

  #opened(): number {
    if (this.#fd === null) throw new Error("the file is closed");
    return this.#fd;
  }

  /** Closes the descriptor. Clears it first, because even a failed close releases it. */
  #close(): void {
    const fd = this.#fd;
    this.#fd = null;
    if (fd !== null) this.#disk.closeSync(fd);
  }

  #syncFolder(): void {
    const folder = this.#disk.openSync(dirname(this.#path), O_RDONLY);
    try {
      this.#disk.fsyncSync(folder);
    } finally {
      this.#disk.closeSync(folder);
    }
  }
}

function attempt(call: () => void): void {
  try {
    call();
  } catch {
    // This error is ignored, because the caller gets the first failure.
  }
}

/** Opens the addon's writer, whose errors are converted to those of Node's own calls. */
function openWriter(fd: number): FileWriter {
  const file = openHashedFile(fd);
  return {
    write: (bytes) => throwFailure(file.write(bytes)),
    finish() {
      const { failure, sha256 } = file.finish();
      throwFailure(failure);
      return Buffer.from(sha256).toString("hex");
    },
    close: () => file.close(),
  };
}

/** Throws the error that Node would throw for a failed write with this errno. 0 means no error. */
function throwFailure(failure: number): void {
  if (failure === 0) return;
  const [code, text] = getSystemErrorMap().get(-failure) ?? ["UNKNOWN", "unknown error"];
  const error = new Error(`${code}: ${text}, write`);
  throw Object.assign(error, { errno: -failure, code, syscall: "write" });
}
