/**
 * The files of finished exports on the local disk.
 * Invariant: the render has already renamed a file to its final name, so nothing is moved or
 * copied. A file whose type or size differs is never opened.
 */
import { close, constants, fstat, open } from "node:fs";
import { promisify } from "node:util";
import type {
  ExportFiles,
  FinishedFile,
  OpenedFile,
  RecordedFile,
  StoredFile,
} from "./exportfiles.ts";
import type { ExportFolder } from "./folder.ts";

const openFile = promisify(open);
const statFile = promisify(fstat);
const closeFile = promisify(close);

/** Flags that open a file but refuse a symlink in its place. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW;

/** Stores the files in the folder in which they are rendered. */
export class DiskFiles implements ExportFiles {
  readonly sent = null;
  readonly #folder: ExportFolder;

  constructor(folder: ExportFolder) {
    this.#folder = folder;
  }

  /** Nothing to do, because the render has already renamed the file to its final name. */
  put(): Promise<void> {
    return Promise.resolve();
  }

  settle(): void {}

  isLost(file: RecordedFile): boolean {
    return this.#folder.sizeOf(this.#folder.nameOf(file)) !== file.sizeBytes;
  }

  open(file: FinishedFile): Promise<OpenedFile> {
    return openLocal(this.#folder.pathOf(file), file.sizeBytes);
  }

  abandon(file: StoredFile): void {
    this.#folder.remove(this.#folder.nameOf(file));
  }

  remove(file: RecordedFile): void {
    this.#folder.remove(this.#folder.nameOf(file));
  }

  start(): void {}

  state(): null {
    return null;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Opens a local file, and checks its type and size. A different file counts as missing. */
export async function openLocal(path: string, sizeBytes: number): Promise<OpenedFile> {
  const descriptor = await openFile(path, OPEN_FLAGS);
  try {
    const found = await statFile(descriptor);
    if (!found.isFile() || found.size !== sizeBytes) {
      const words = "the file of an export has another size than its record says";
      throw Object.assign(new Error(words), { code: "ENOENT" });
    }
  } catch (error) {
    await closeFile(descriptor);
    throw error;
  }
  return { kind: "disk", descriptor };
}
