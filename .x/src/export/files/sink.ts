/**
 * A file that appears whole or not at all. Input: a path, and bytes in order. Output: the durable
 * file at that path, with its size and SHA-256.
 * Invariant: the path holds nothing of the new file before all of it is on disk. A failure at any
 * step closes the descriptor, removes the partial file, and is rethrown unchanged. fsync is never
 * retried, because the kernel forgets pages that it could not write.
 */
import { createHash, randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname } from "node:path";
import { startWriteback } from "../../../native-index/napi/engine.ts";
import { AppError } from "../../errors.ts";
import { faultPoint } from "../../process/fault.ts";

/** System calls of a sink; tests replace them with failing ones. */
export type DiskCalls = Pick<
  typeof fs,
  "openSync" | "writeSync" | "fsyncSync" | "closeSync" | "renameSync" | "unlinkSync"
> & {
  /** Starts writing buffered bytes to the disk. Never fails, and may have no effect. */
  readonly startWriteback: (fd: number, from: number, length: number) => unknown;
};

const SYSTEM: DiskCalls = { ...fs, startWriteback };

interface WrittenFile {
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Bytes of one write: large enough that the calls cost little compared with the copy. */
const CHUNK_BYTES = 1 << 20;

/**
 * Bytes after which writeback starts, while the next bytes are made. Otherwise fsync would wait for
 * all bytes.
 */
export const FLUSH_BYTES = 16 << 20;

const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = fs.constants;

/** Returns a new name for the temporary file of a path. */
export function temporaryName(path: string): string {
  return `${path}.${randomBytes(8).toString("hex")}.tmp`;
}

/**
 * Writes a file. `fill` passes its bytes to `write`, which copies or writes each chunk before it
 * returns. No byte beyond `bytesMax` is written.
 * @throws any error of `fill` or the system, and `quota_exceeded` if there are more bytes than
 * that; the file does not exist then.
 */
export async function writeWhole<Filled>(
  path: string,
  fill: (write: (bytes: Uint8Array) => void) => Promise<Filled>,
  disk: DiskCalls = SYSTEM,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<WrittenFile & { readonly filled: Filled }> {
  const sink = new Sink(path, disk, bytesMax);
  try {
    const filled = await fill((bytes) => sink.write(bytes));
    return { filled, ...sink.finish() };
  } catch (error) {
    sink.discard();
    throw error;
  }
}

class Sink {
  readonly #path: string;
  readonly #disk: DiskCalls;
  readonly #bytesMax: number;
  readonly #hash = createHash("sha256");
  readonly #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  /** Current location of the file: first the temporary name, then the path. */
  #name: string;
  #fd: number | null;
  #held = 0;
  #sizeBytes = 0;
  /** Bytes for which writeback was started. */
  #startedBytes = 0;

  constructor(path: string, disk: DiskCalls, bytesMax: number) {
    this.#path = path;
    this.#disk = disk;
    this.#bytesMax = bytesMax;
    this.#name = temporaryName(path);
    this.#fd = disk.openSync(this.#name, O_WRONLY | O_CREAT | O_EXCL, 0o600);
  }

  write(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.byteLength; ) {
      const whole = this.#held === 0 && bytes.byteLength - from >= CHUNK_BYTES;
      const end = Math.min(bytes.byteLength, from + CHUNK_BYTES - this.#held);
      const part = bytes.subarray(from, end);
      from = end;
      if (whole) {
        this.#put(part);
        continue;
      }
      this.#chunk.set(part, this.#held);
      this.#held += part.byteLength;
      if (this.#held === CHUNK_BYTES) this.#flush();
    }
  }

  /** Moves the file to its path; after this it survives a power loss. */
  finish(): WrittenFile {
    this.#flush();
    faultPoint("render.before_fsync");
    this.#disk.fsyncSync(this.#opened());
    this.#close();
    faultPoint("render.before_rename");
    this.#disk.renameSync(this.#name, this.#path);
    this.#name = this.#path;
    faultPoint("render.after_rename");
    this.#syncFolder();
    faultPoint("render.after_dirsync");
    return { sizeBytes: this.#sizeBytes, sha256: this.#hash.digest("hex") };
  }

  /** Frees the space; errors are ignored, because they would hide the original failure. */
  discard(): void {
    attempt(() => this.#close());
    attempt(() => this.#disk.unlinkSync(this.#name));
  }

  #flush(): void {
    if (this.#held > 0) this.#put(this.#chunk.subarray(0, this.#held));
    this.#held = 0;
  }

  /** The kernel may accept fewer bytes than it is offered. */
  #put(bytes: Uint8Array): void {
    if (this.#sizeBytes + bytes.byteLength > this.#bytesMax) {
      throw new AppError("quota_exceeded", `The file would have over ${this.#bytesMax} bytes.`);
    }
    this.#hash.update(bytes);
    for (let done = 0; done < bytes.byteLength; ) {
      done += this.#disk.writeSync(this.#opened(), bytes, done, bytes.byteLength - done);
    }
    this.#sizeBytes += bytes.byteLength;
    if (this.#sizeBytes - this.#startedBytes >= FLUSH_BYTES) this.#startWriteback();
    faultPoint("render.after_write");
  }

  #startWriteback(): void {
    const length = this.#sizeBytes - this.#startedBytes;
    this.#disk.startWriteback(this.#opened(), this.#startedBytes, length);
    this.#startedBytes = this.#sizeBytes;
  }

  #opened(): number {
    if (this.#fd === null) throw new Error("the file is closed");
    return this.#fd;
  }

  /** Clears the descriptor first, because even a failed close releases it. */
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
    // Ignored: the caller gets the first failure.
  }
}
