/**
 * `peneira backup`: copies a data directory to a new place, even while a server uses it.
 * Invariant: the exit code is 0 only if the backup is complete, verified, and durable. After a
 * signal or a failure, the target does not exist.
 */
import type { Command } from "commander";
import { CommandError } from "../../errors.ts";
import { systemClock } from "../../process/clock.ts";
import { stderr, stdout } from "../../process/terminal.ts";
import { type MissingFile, makeBackup } from "../../store/backup/backup.ts";
import { bytesOf } from "../../store/backup/restore.ts";
import {
  rememberedAddress,
  type StateAddress,
  shownAddress,
} from "../../store/postgres/address.ts";
import { wordFor } from "../../text/amounts.ts";
import { configOf } from "../support/config.ts";
import { copying } from "../support/copying.ts";
import { DATA_DIR_TEXT } from "../support/helptext.ts";
import { VERSION } from "./version.ts";

const EXAMPLES = `
A backup holds the whole state as of one moment: keys, users, lists, saved searches, webhooks,
the audit trail, and the secrets that sign links and cursors. It also holds the files of exports,
and uploaded files of unfinished enrichments. The server keeps running. Protect a backup like the
data directory: it grants the same access. It does not hold snapshots, which can be imported again,
or the settings.
--no-exports leaves out the files of exports. It includes all uploaded files instead, so that the
server can render enrichments again. After a restore, the server renders the files of exports again,
with the same bytes, if their snapshot is served.
manifest.json lists every file with its SHA-256; \`peneira restore DIR --check\` compares them all.
If the state is in PostgreSQL, run pg_dump first (docs/fleet.md). DIR then gets the rest of the data
directory: files, and a copy of the secrets. Files on a store (files.url) stay there.
A killed backup leaves only a hidden folder, which the next backup removes.

Examples:
  $ peneira backup backups/2026-11-21 --data-dir state
  $ peneira backup "backups/$(date +%F)" --data-dir state --no-exports --json
  $ peneira restore backups/2026-11-21 --data-dir state-again`;

interface BackupFlags {
  readonly dataDir?: string;
  readonly exports: boolean;
  readonly json?: true;
}

const REASONS: Readonly<Record<MissingFile["reason"], string>> = {
  lost: "is not in the data directory",
  damaged: "is not the file that was rendered",
};

/** Adds `peneira backup` to the program. */
export function registerBackup(program: Command): void {
  program
    .command("backup")
    .summary("copy the state of a running server")
    .description("Copies the state of a server as of one moment, while the server runs.")
    .argument("<dir>", "folder for the backup; it must be empty or not exist")
    .option("--data-dir <dir>", DATA_DIR_TEXT)
    .option("--no-exports", "leave out the files of exports")
    .option("--json", "print one JSON document")
    .addHelpText("after", EXAMPLES)
    .action((target: string, flags: BackupFlags) => backup(target, flags));
}

async function backup(target: string, { dataDir, exports, json }: BackupFlags): Promise<void> {
  const config = configOf({ data_dir: dataDir }, undefined);
  const path = config.get("data_dir");
  if (path === null) throw new CommandError("Pass --data-dir DIR too.", 2);
  const { manifest, heldMs } = await copying("backup", json, (progress) =>
    makeBackup({
      ...{ dataDir: path, target, exports, madeBy: VERSION },
      stored: config.get("files.url") !== null,
      nowMs: () => systemClock.nowMs(),
      ...progress,
    }),
  );
  const { made_at, state_version, files, missing } = manifest;
  for (const { export_id, reason } of missing) {
    const words = `the file of ${export_id} ${REASONS[reason]}, so it is not in the backup`;
    stderr.print(`warning: ${words}; a restored server renders it again\n`);
  }
  const bytes = bytesOf(manifest);
  const server = rememberedAddress(path);
  if (server !== null) printTools(server);
  if (json) {
    const held_ms = Math.round(heldMs * 10) / 10;
    const counts = { state_version, files: files.length, bytes, missing, writers_held_ms: held_ms };
    stdout.data(`${JSON.stringify({ backup: target, made_at, ...counts })}\n`);
    return;
  }
  const many = `${files.length.toLocaleString("en-US")} ${wordFor(files.length, "file")}`;
  const size = `${many}, ${bytes.toLocaleString("en-US")}`;
  const what = server === null ? "the state" : "the data directory, without the state,";
  stderr.print(`${target} is ${what} of ${made_at}: ${size} bytes\n`);
}

/** Prints how to save a state in PostgreSQL. The password is not shown. */
function printTools(address: StateAddress): void {
  stderr.print(
    `The state is in ${shownAddress(address)} and not in this backup. Save it with the tools of ` +
      `the database, before the files:\n` +
      `  pg_dump --format=custom --schema=${address.schema} --file=state.dump DATABASE\n`,
  );
}
