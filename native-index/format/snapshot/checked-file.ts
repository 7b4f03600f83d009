/**
 * Reads an untrusted file.
 * Input: a path, then offsets and lengths from the file itself. Output: bytes, or an error that
 * names the file. Invariant: every range is checked against the file's length before it is read; no
 * descriptor stays open between reads.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { CommandError } from "../../../src/errors.ts";

/** A file read at absolute offsets; every read is checked against its length first. */
export class CheckedFile {
  /** Path as given, for messages. */
  readonly path: string;
  readonly bytes: number;
  /** Start of the Arrow footer, once known. */
  footerOffset = 0;

  /** @throws CommandError if the file does not exist */
  constructor(path: string) {
    this.path = path;
    try {
      const found = statSync(path);
      // Refuses other kinds of files too, because reading a pipe would block.
      if (found.isDirectory()) throw new Error("it is a folder; name a snapshot file in it");
      if (!found.isFile()) throw new Error("it is not a plain file");
      this.bytes = found.size;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === "ENOENT" ? "there is no such file" : message;
      throw new CommandError(`${path}: ${reason}`, 1, error);
    }
  }

  /** Returns a range of bytes. @throws CommandError if it exceeds the file. */
  read(offset: number, length: number): Buffer {
    const fits = Number.isSafeInteger(offset) && offset >= 0 && length >= 0;
    if (!fits || offset > this.bytes - length) this.refuse("it is cut off or damaged");
    const bytes = Buffer.alloc(length);
    const fd = openSync(this.path, "r");
    try {
      let done = 0;
      while (done < length) {
        const count = readSync(fd, bytes, done, length - done, offset + done);
        if (count === 0) this.refuse("it is cut off");
        done += count;
      }
    } finally {
      closeSync(fd);
    }
    return bytes;
  }

  /** Throws a CommandError with the path; `reason` completes the sentence. */
  refuse(reason: string): never {
    throw new CommandError(`${this.path} cannot be opened as a snapshot: ${reason}`);
  }
}
