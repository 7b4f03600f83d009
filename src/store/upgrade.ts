/**
 * What an upgrade of the state leaves behind for the way back. What comes in: a database that is
 * about to be brought to a newer schema. What goes out: a copy of it beside it, and the words for
 * whoever comes with an older program later.
 * Invariant: the copy has its name only when it is whole and durable, which is before the first
 * step of the upgrade; it holds the state as that step finds it, in one file.
 */
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CommandError } from "../errors.ts";
import { stderr } from "../process/terminal.ts";
import { AuditStore } from "./auditstore.ts";
import { openDataFile, syncDirectory } from "./datadir.ts";
import type { StateDatabase } from "./sqlite.ts";

/** Copies of earlier schemas in a data directory. */
const KEPT = /^state\.v(\d+)\.backup$/;

/** Name of the copy that is kept of a state of an earlier schema. */
export function keptFile(version: number): string {
  return `state.v${version}.backup`;
}

/**
 * Keeps what a connection reads as a copy beside the database, and closes the connection. A copy
 * that is there already is of an earlier time, and is replaced.
 */
export function keepBefore(source: StateDatabase, path: string, version: number): void {
  const folder = dirname(path);
  const name = keptFile(version);
  const temporary = join(folder, `${name}.tmp`);
  try {
    rmSync(temporary, { force: true });
    // Made empty first, because SQLite would make it with the mode that the umask leaves.
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

/** Writes an upgrade down, in its own transaction. */
export function noteUpgrade(database: StateDatabase, from: number, to: number): void {
  new AuditStore(database).noteState("state.upgrade", { schema: { from, to } });
}

/** Says on standard error what was done to the state, because there is a way back. */
export function tellUpgrade(path: string, from: number, to: number): void {
  stderr.print(
    `${path} was brought from schema ${from} to ${to}; what it was is kept as ` +
      `${join(dirname(path), keptFile(from))}.\n`,
  );
}

/** The refusal of a state that a newer program has written, with the ways there are. */
export function newerState(path: string, version: number, known: number): CommandError {
  const kept = keptBelow(dirname(path), known);
  const back =
    kept === null
      ? "or name another data directory"
      : `or go back to the state from before its upgrade: stop every server on it, move ` +
        `${basename(path)}, ${basename(path)}-wal and ${basename(path)}-shm out of ` +
        `${dirname(path)} and rename ${kept} to ${basename(path)}; what happened since is lost`;
  return new CommandError(
    `${path} was written by a newer version of Peneira (schema ${version}, this one knows ` +
      `${known}). Nothing was changed. Use that version or a later one, ${back}.`,
  );
}

/** The newest kept copy that a program can open, or null. */
function keptBelow(folder: string, known: number): string | null {
  const versions = readdirSync(folder)
    .map((name) => Number(KEPT.exec(name)?.[1] ?? Number.NaN))
    .filter((version) => version <= known);
  return versions.length === 0 ? null : keptFile(Math.max(...versions));
}

function syncFile(path: string): void {
  const descriptor = openSync(path, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
