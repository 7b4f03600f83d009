/**
 * The list of what a backup holds. What comes in: the files with size and SHA-256, the moment, the
 * versions. What goes out: the text of `manifest.json`, and what such a text says.
 * Invariant: the text carries its own checksum and is read only as it was written, so that every
 * changed byte of it is found; no path in it leads out of the backup; it holds no secret.
 */
import { createHash } from "node:crypto";
import { CommandError } from "../../errors.ts";
import type { FileFacts } from "./newfolder.ts";

/** Name of the manifest in a backup. */
export const MANIFEST_FILE = "manifest.json";

/** Version of the form of a backup. One of a newer form is refused. */
export const BACKUP_VERSION = 1;

/** A file of a backup; `path` is relative to it, with `/`. */
export interface BackupFile extends FileFacts {
  readonly path: string;
}

/** A done export whose file could not be copied. It is rendered again after a restore. */
export interface MissingFile {
  readonly export_id: string;
  readonly reason: "lost" | "damaged";
}

/** What a backup holds. */
export interface Manifest {
  readonly format: "peneira backup";
  readonly version: number;
  /** The moment that everything in it is of. */
  readonly made_at: string;
  /** Version of the program that made it. */
  readonly made_by: string;
  /** Schema of the state in it. */
  readonly state_version: number;
  /** False where the files of exports were left out on purpose. */
  readonly exports: boolean;
  readonly files: readonly BackupFile[];
  readonly missing: readonly MissingFile[];
}

/** Every path that a backup may hold. */
const PATH = /^(?:state\.db|secrets\.json|exports\/exp_[0-9a-f]{32}\.[a-z]{1,10})$/;

/** The text of a manifest. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, null, 2)}\n`;
}

/** Reads a manifest. Throws `CommandError` that names `path`. */
export function parseManifest(text: string, path: string): Manifest {
  const { checksum, ...manifest } = parse(text, path);
  if (manifest.format !== "peneira backup") {
    throw new CommandError(`${path} is not the manifest of a backup of Peneira.`);
  }
  if (typeof manifest.version === "number" && manifest.version > BACKUP_VERSION) {
    throw new CommandError(
      `${path} is of a newer version of Peneira (backup format ${manifest.version}, this one ` +
        `reads ${BACKUP_VERSION}). Restore it with that version or a later one.`,
    );
  }
  const whole = manifest as unknown as Manifest;
  if (checksum !== checksumOf(whole) || text !== manifestText(whole)) {
    throw new CommandError(`${path} is damaged: it does not have its own checksum.`);
  }
  const foreign = whole.files.find((file) => !PATH.test(file.path));
  if (foreign !== undefined) {
    throw new CommandError(`${path} lists ${JSON.stringify(foreign.path)}, which no backup holds.`);
  }
  return whole;
}

function parse(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Readonly<Record<string, unknown>>;
    }
  } catch {
    // The words below are the same for whatever is wrong with it.
  }
  throw new CommandError(`${path} is damaged: it is not a JSON object.`);
}

function checksumOf(manifest: Manifest): string {
  return createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
}
