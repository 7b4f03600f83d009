/**
 * The files of exports in a data directory.
 * Invariant: a path is built from a checked id, format, and compression, never from client input.
 * Only files with names that this program gives are removed.
 */
import { strict as assert } from "node:assert";
import { lstatSync, readdirSync, statfsSync, unlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { openDataDir } from "../../store/datadir.ts";
import { COMPRESSED, type ExportKind, extensionOf, FORMATS } from "../formats/format.ts";
import { EXPORT_ID } from "../record.ts";

const FOLDER = "exports";

/** Finished files, and their temporary ones. */
const OURS = /^exp_[0-9a-f]{32}\./;

/** The stored values that name an export's file. */
interface StoredFile {
  readonly id: string;
  readonly format: string;
  readonly compression: string | null;
}

/** The folder of a data directory that holds the files of exports. */
export class ExportFolder {
  readonly #path: string;

  /** Makes the folder if it is missing. Throws `CommandError` if other users could reach it. */
  constructor(dataDir: string) {
    this.#path = resolve(dataDir, FOLDER);
    openDataDir(this.#path);
  }

  pathOf(file: StoredFile): string {
    return join(this.#path, this.nameOf(file));
  }

  nameOf({ id, format, compression }: StoredFile): string {
    const isKnown = format in FORMATS && (compression === null || compression in COMPRESSED);
    assert(EXPORT_ID.test(id) && isKnown, "an export has a checked id, format and compression");
    return `${id}.${extensionOf({ format, compression } as ExportKind)}`;
  }

  /** Returns the size in bytes of an export file, or null if it does not exist. */
  sizeOf(name: string): number | null {
    const found = lstatSync(join(this.#path, name), { throwIfNoEntry: false });
    return found?.isFile() ? found.size : null;
  }

  /** Returns the bytes that this process may use on its disk; null if unknown. */
  freeBytes(): number | null {
    try {
      const { bavail, bsize } = statfsSync(this.#path);
      return bavail * bsize;
    } catch {
      return null;
    }
  }

  /** Returns the names of all export files, including temporary ones. */
  names(): string[] {
    return readdirSync(this.#path).filter((name) => OURS.test(name));
  }

  /** Removes a file; does nothing if it does not exist. */
  remove(name: string): void {
    assert(OURS.test(name), "only files of exports are removed");
    try {
      unlinkSync(join(this.#path, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}
