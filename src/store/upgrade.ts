/**
 * Recovery from a schema upgrade. Input: a database that is about to be upgraded. Output: a copy
 * next to it, and messages for users of an older program.
 * Invariant: the copy contains the state before the upgrade, in one file. It gets its name only
 * when it is complete and durable, before the first step of the upgrade.
 */
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CommandError } from "../errors.ts";
import { stderr } from "../process/terminal.ts";
import { AuditStore } from "./auditstore.ts";
import { openDataFile, syncDirectory } from "./datadir.ts";
import type { SqliteDatabase } from "./sqlite.ts";

/** Copies of earlier schemas in a data directory. */
const BACKUP = /^state\.v(\d+)\.backup$/;

/** Returns the name of the copy of an earlier schema. */
export function previousFile(version: number): string {
  return `state.v${version}.backup`;
}

/** Copies a state next to its database, replacing an older copy; then closes the connection. */
export function copyBeforeUpgrade(source: SqliteDatabase, path: string, version: number): void {
  const folder = dirname(path);
  const name = previousFile(version);
  const temporary = join(folder, `${name}.tmp`);
  try {
    rmSync(temporary, { force: true });
    // The file is created before it is filled, because SQLite would create it with the mode that
    // the umask permits.
    openDataFile(folder, `${name}.tmp`);
    source.prepare("VACUUM INTO ?").run(temporary);
    syncFile(temporary);
    renameSync(temporary, join(folder, name));
    syncDirectory(folder);
  } catch (error) {
    rmSync(temporary, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      `${path} has the earlier schema ${version}, and no copy of it can be kept before it is ` +
        `brought to this one: ${why}. It was left as it is; check the free space of ${folder}.`,
      1,
      error,
    );
  } finally {
    source.close();
  }
}

/** Records an upgrade in the audit trail, inside the transaction of the upgrade. */
export function noteUpgrade(database: SqliteDatabase, from: number, to: number): void {
  new AuditStore(database).noteState("state.upgrade", { schema: { from, to } });
}

/** Reports an upgrade on standard error, because the operator can undo it. */
export function printUpgrade(path: string, from: number, to: number): void {
  stderr.print(
    `${path} was brought from schema ${from} to ${to}; what it was is kept as ` +
      `${join(dirname(path), previousFile(from))}.\n`,
  );
}

/** Returns the error for a state of a newer program, with the remedies. */
export function newerState(path: string, version: number, known: number): CommandError {
  const backup = backupBelow(dirname(path), known);
  const back =
    backup === null
      ? "or name another data directory"
      : `or go back to the state from before its upgrade: stop every server on it, move ` +
        `${basename(path)}, ${basename(path)}-wal and ${basename(path)}-shm out of ` +
        `${dirname(path)} and rename ${backup} to ${basename(path)}; what happened since is lost`;
  return new CommandError(
    `${path} was written by a newer version of Peneira (schema ${version}, this one knows ` +
      `${known}). Nothing was changed. Use that version or a later one, ${back}.`,
  );
}

/** Returns the newest copy that a program can open, or null. */
function backupBelow(folder: string, known: number): string | null {
  const versions = readdirSync(folder)
    .map((name) => Number(BACKUP.exec(name)?.[1] ?? Number.NaN))
    .filter((version) => version <= known);
  return versions.length === 0 ? null : previousFile(Math.max(...versions));
}

/** Makes the content of a file durable. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
