/**
 * Writes a file that is run. What comes in: its name and bytes. What goes out: the file, whole.
 * Invariant: threads of one process and other processes may write the same name at once; each
 * finds it whole, whoever was last. Apart because tests write files without the executable.
 */
import { randomBytes } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { CommandError } from "../errors.ts";
import { NAME_ANOTHER } from "./cachefolder.ts";

/** Nobody changes what is run, not even by mistake. */
const FILE_MODE = 0o500;

/**
 * Writes a file of its own beside it and renames that.
 * @throws CommandError where the folder takes no such file
 */
export function writePart(file: string, bytes: Uint8Array): void {
  // Threads share a process id, so it would not keep them apart.
  const fresh = `${file}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    writeFileSync(fresh, bytes, { mode: FILE_MODE, flag: "wx" });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    const reason = (error as Error).message;
    throw new CommandError(`${file} cannot be written: ${reason}. ${NAME_ANOTHER}`, 1, error);
  }
}
