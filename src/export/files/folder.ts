/**
 * The files of exports. What comes in: a data directory. What goes out: the path of each export's
 * file, what lies there, and its removal.
 * Invariant: a path is made of an id, a format and a compression that were checked, never of what a
 * client sent;
 * only names that this program gives are ever removed.
 */
import { strict as assert } from "node:assert";
import { lstatSync, readdirSync, statfsSync, unlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { openDataDir } from "../../store/datadir.ts";
import { COMPRESSED, type ExportKind, extensionOf, FORMATS } from "../formats/format.ts";
import { EXPORT_ID } from "../record.ts";

/** Name of the folder in the data directory. */
const FOLDER = "exports";

/** Finished files, and temporary ones beside them. */
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

  /** Makes the folder where there is none. Throws `CommandError` when others could reach it. */
  constructor(dataDir: string) {
    this.#path = resolve(dataDir, FOLDER);
    openDataDir(this.#path);
  }

  /** Absolute path of an export's file. */
  pathOf(file: StoredFile): string {
    return join(this.#path, this.nameOf(file));
  }

  /** Name of an export's file. */
  nameOf({ id, format, compression }: StoredFile): string {
    const isKnown = format in FORMATS && (compression === null || compression in COMPRESSED);
    assert(EXPORT_ID.test(id) && isKnown, "an export has a checked id, format and compression");
    return `${id}.${extensionOf({ format, compression } as ExportKind)}`;
  }

  /** Size in bytes of a file of ours, or null where there is none. */
  sizeOf(name: string): number | null {
    const found = lstatSync(join(this.#path, name), { throwIfNoEntry: false });
    return found?.isFile() ? found.size : null;
  }

  /** Bytes that are free on its disk for this process; null where the system does not say. */
  freeBytes(): number | null {
    try {
      const { bavail, bsize } = statfsSync(this.#path);
      return bavail * bsize;
    } catch {
      return null;
    }
  }

  /** Names of all files of ours, temporary ones included. */
  names(): string[] {
    return readdirSync(this.#path).filter((name) => OURS.test(name));
  }

  /** Removes a file; that there is none is as good. */
  remove(name: string): void {
    assert(OURS.test(name), "only files of exports are removed");
    try {
      unlinkSync(join(this.#path, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}
