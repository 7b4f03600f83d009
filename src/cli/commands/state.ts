/**
 * `peneira state copy`: moves a state between a data directory and PostgreSQL.
 * Invariant: exit code 0 only if every row was compared and the copy is durable. The database
 * password is a setting, so that it never appears in a process list.
 */
import type { Command } from "commander";
import { CommandError } from "../../errors.ts";
import { stderr, stdout } from "../../process/terminal.ts";
import { shownAddress, stateAddress } from "../../store/postgres/address.ts";
import type { OnRows } from "../../store/statecopy/copyrows.ts";
import type { CopyReport } from "../../store/statecopy/statecopy.ts";
import { configOf } from "../support/config.ts";
import { explain } from "../support/helptext.ts";
import { type Progress, progress } from "../support/progress.ts";

/** The argument that denotes the database in `state.url`. */
const POSTGRES = "postgres";

const NOTES = `
One argument is a data directory, and the other is the word ${POSTGRES}: the database in the
setting state.url (PENEIRA_STATE_URL_FILE names a file with the address). The copy has everything:
keys, users, sessions, exports, lists, searches, notices, the audit trail, and the secrets that sign
links and cursors. Files of exports are not part of it: keep the same data directory, or the server
renders them again.
First stop all servers that use either state. The target must have no state. All rows are written
in one transaction, and read back and compared before it commits. If the command fails or is
killed, the target stays unused; run it again.
From then on, the data directory uses the copy. After a copy to ${POSTGRES}, start the server with
state.url; after a copy back, without it. The old state stays: as state.db.copied in the data
directory, or as its schema in the database.

Examples:
  $ export PENEIRA_STATE_URL_FILE=/run/secrets/state-url
  $ peneira state copy state ${POSTGRES}
  $ peneira state copy ${POSTGRES} state`;

/** Adds `peneira state` to the program. */
export function registerState(program: Command): void {
  const state = explain(program.command("state"), {
    summary: "move the state to PostgreSQL, or back",
    description:
      "Copies the state between a data directory and PostgreSQL, and switches to the copy.",
    examples: [`peneira state copy state ${POSTGRES}`],
  });
  state
    .command("copy")
    .summary("copy a state, compare every row, and use the copy from then on")
    .description("Copies a state, compares every row, and makes the data directory use the copy.")
    .argument("<from>", `data directory with the state, or ${POSTGRES}`)
    .argument("<to>", `${POSTGRES}, or a data directory`)
    .option("--json", "print one JSON document")
    .addHelpText("after", NOTES)
    .action((from: string, to: string, flags: { readonly json?: true }) => copy(from, to, flags));
}

async function copy(from: string, to: string, { json }: { readonly json?: true }): Promise<void> {
  const url = configOf({}, undefined).get("state.url");
  const toServer = to === POSTGRES;
  if ((from === POSTGRES) === toServer) throw wrongPlaces(toServer);
  if (url === null) {
    throw new CommandError(
      `${POSTGRES} is the database in state.url, which is not set. Set PENEIRA_STATE_URL_FILE.`,
      2,
    );
  }
  const { copyToDataDir, copyToPostgres } = await import("../../store/statecopy/statecopy.ts");
  const [copied, compared] = [new Display("copy", json), new Display("compare", json)];
  const dataDir = toServer ? from : to;
  const options = { dataDir, url, onCopied: copied.update, onCompared: compared.update };
  const report = toServer ? copyToPostgres(options) : copyToDataDir(options);
  copied.end();
  compared.end();
  const place = toServer ? shownAddress(stateAddress(url)) : to;
  if (json) printDocument(report, place);
  else printReport(report, place);
}

function wrongPlaces(toServer: boolean): CommandError {
  const tool = toServer ? "pg_dump and pg_restore" : "peneira backup and peneira restore";
  return new CommandError(
    `Name a data directory and the word ${POSTGRES}, in the direction of the copy. ` +
      `To copy ${toServer ? "one database" : "one data directory"} to another, use ${tool}.`,
    2,
  );
}

/** Shows the progress of a pass, or nothing if `isQuiet` is true. */
class Display {
  readonly #label: string;
  readonly #isQuiet: boolean;
  #progress: Progress | null = null;

  constructor(label: string, isQuiet: true | undefined) {
    this.#label = label;
    this.#isQuiet = isQuiet === true;
  }

  readonly update: OnRows = (done, total) => {
    if (this.#isQuiet) return;
    this.#progress ??= progress(this.#label, total);
    if (done < total) this.#progress.update(done);
    else this.end();
  };

  end(): void {
    if (this.#progress === null || this.#isDone) return;
    this.#isDone = true;
    this.#progress.done();
  }

  #isDone = false;
}

function printDocument({ tables, copied, left }: CopyReport, place: string): void {
  stdout.data(`${JSON.stringify({ to: place, copied, left, tables })}\n`);
}

function printReport({ tables, copied, left }: CopyReport, place: string): void {
  const width = Math.max(...tables.map(({ table }) => table.length));
  for (const { table, rows, sha256 } of tables) {
    const count = rows.toLocaleString("en-US").padStart(12);
    stderr.print(`${table.padEnd(width)} ${count} rows  sha256 ${sha256}\n`);
  }
  const words = copied
    ? "The state is copied, and every row is equal"
    : "The state was copied by an earlier run, and every row is equal";
  stderr.print(`${words}. It is in ${place}; the old one stays as ${left}.\n`);
}
