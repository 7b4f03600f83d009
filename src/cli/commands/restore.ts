/**
 * `peneira restore`: makes a data directory from a backup.
 * Invariant: nothing is written before the whole backup is checked. Exit code 0 only if the data
 * directory is complete and durable. After a signal or a failure, the data directory does not
 * exist.
 */
import type { Command } from "commander";
import { CommandError } from "../../errors.ts";
import { stderr, stdout } from "../../process/terminal.ts";
import { FILES_ONLY } from "../../store/backup/backup.ts";
import { bytesOf, checkBackup, restoreBackup } from "../../store/backup/restore.ts";
import { wordFor } from "../../text/amounts.ts";
import { configOf } from "../support/config.ts";
import { copying } from "../support/copying.ts";

const EXAMPLES = `
Every file is compared with its SHA-256 first, and all differences are reported. The data directory
must be empty or not exist. The restored server knows the same keys, users, sessions, exports, and
idempotency keys, and the links and cursors of the old server stay valid. Do not run both
servers: their states would differ. A second server may only answer searches (docs/fleet.md).
If the state was in PostgreSQL, run pg_restore first, and start the server with state.url.
Waiting exports are made only when their snapshot is served. A backup of an older version is
restored unchanged, and the first \`peneira serve\` migrates it. A backup of a newer version is
refused.

Examples:
  $ peneira restore backups/2026-11-21 --check
  $ peneira restore backups/2026-11-21 --data-dir state-again
  $ peneira serve --snapshot snapshots/ --data-dir state-again`;

interface RestoreFlags {
  readonly dataDir?: string;
  readonly check?: true;
  readonly json?: true;
}

/** Adds `peneira restore` to the program. */
export function registerRestore(program: Command): void {
  program
    .command("restore")
    .summary("create a data directory from a backup")
    .description("Checks a backup, and then creates a data directory from it.")
    .argument("<dir>", "the backup")
    .option("--data-dir <dir>", "data directory to create (default: PENEIRA_DATA_DIR)")
    .option("--check", "only check the backup")
    .option("--json", "print one JSON document")
    .addHelpText("after", EXAMPLES)
    .action((source: string, flags: RestoreFlags) => restore(source, flags));
}

async function restore(source: string, { dataDir, check, json }: RestoreFlags): Promise<void> {
  const target = check ? null : configOf({ data_dir: dataDir }, undefined).get("data_dir");
  if (check && dataDir !== undefined) {
    throw new CommandError("--check makes no data directory: leave --data-dir out.", 2);
  }
  if (!check && target === null) throw new CommandError("Pass --data-dir DIR too.", 2);
  const manifest = await copying(target === null ? "check" : "restore", json, async (parts) => {
    if (target !== null) return restoreBackup({ source, dataDir: target, ...parts });
    let done = 0;
    return checkBackup(source, (bytes, total) => {
      parts.signal.throwIfAborted();
      done += bytes;
      parts.onBytes(done, total);
    });
  });
  const { made_at, made_by, state_version, exports, files, missing } = manifest;
  const bytes = bytesOf(manifest);
  if (json) {
    const facts = { made_at, made_by, state_version, exports, files: files.length, bytes, missing };
    stdout.data(`${JSON.stringify({ backup: source, data_dir: target, ...facts })}\n`);
    return;
  }
  const many = `${files.length.toLocaleString("en-US")} ${wordFor(files.length, "file")}`;
  const size = `${many}, ${bytes.toLocaleString("en-US")}`;
  if (manifest.version === FILES_ONLY) {
    stderr.print("The state is not in it: restore the dump of the database, and set state.url\n");
  }
  const what = target === null ? `Backup ${source} is intact` : `Restored ${source} to ${target}`;
  stderr.print(`${what}: the state of ${made_at}, ${size} bytes\n`);
  if (!exports || missing.length > 0) {
    stderr.print("files of exports that are not in it are rendered again by the server\n");
  }
}
