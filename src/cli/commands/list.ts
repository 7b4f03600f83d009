/**
 * `peneira list`: manages the lists of a tenant. Prints messages on standard error, and tables or
 * the entries of a list, one per line, on standard output; --json prints one document.
 * Invariant: the command works while a server uses the same directory. The server applies the
 * change immediately. Lists are read, limited, and changed as over HTTP, with the limits of the
 * plan enterprise. Invalid lines of a file are reported and have no other effect.
 */
import type { Command } from "commander";
import { Keyring } from "../../access/keyring.ts";
import { loadPlans } from "../../access/plans.ts";
import { AppError, CommandError } from "../../errors.ts";
import {
  changeJson,
  createNamed,
  listJson,
  renameNamed,
} from "../../http/api/lists/listanswers.ts";
import { KINDS } from "../../http/api/lists/lists-schemas.ts";
import { openAnySegment } from "../../ingest/columns/boot.ts";
import type { BlockVerb } from "../../lists/blocks.ts";
import { REFUSALS } from "../../lists/entries.ts";
import { type ChangedList, Lists, readListName } from "../../lists/lists.ts";
import { withAccountDigits } from "../../lists/membership.ts";
import type { Upload } from "../../lists/upload.ts";
import { systemClock } from "../../process/clock.ts";
import { stderr, stdout, visibleLine } from "../../process/terminal.ts";
import { rowOf } from "../../search/clauses.ts";
import type { Segment } from "../../search/segment.ts";
import { KeyStore } from "../../store/keystore.ts";
import { type ListRow, ListStore } from "../../store/liststore.ts";
import type { StateDatabase } from "../../store/statedatabase.ts";
import { wordFor } from "../../text/amounts.ts";
import { type CommandText, choice, DATA_DIR_TEXT, explain } from "../support/helptext.ts";
import { readEntryFile } from "../support/inputfiles.ts";
import { printTable } from "../support/print.ts";
import { type Absent, type DataDirOptions, withDatabase } from "../support/state.ts";

interface ListOptions extends DataDirOptions {
  readonly tenant: string;
  readonly kind?: string;
  readonly column?: string;
  readonly fillZeros?: true;
  readonly snapshot?: string;
  readonly json?: true;
}

interface Opened {
  readonly lists: Lists;
  readonly database: StateDatabase;
  readonly tenantId: string;
  readonly options: ListOptions;
}

/** Page sizes for reading lists and entries. */
const LISTS_PAGE = 200;
const ENTRIES_PAGE = 10_000;

const COLUMNS = ["id", "name", "kind", "entries", "revision", "changed_at"];

/** Adds `peneira list` with its eight commands to the program. */
export function registerList(program: Command): void {
  const list = explain(program.command("list"), {
    summary: "create, fill, show, and delete lists of companies",
    description:
      "Manages the lists of a tenant: sets of CNPJs that specs can refer to. A running server " +
      "applies changes immediately.",
    examples: [
      "peneira list create Clientes --data-dir state --tenant acme",
      "peneira list add Clientes clientes.csv --data-dir state --tenant acme",
      "peneira list list --data-dir state --tenant acme",
      "peneira list export exported --data-dir state --tenant acme",
    ],
  });
  common(explain(list.command("create"), CREATE).argument("<name>", "name of the list"))
    .addOption(choice("--kind <kind>", "kind of the entries", KINDS).default("accounts"))
    .action((name: string, options: ListOptions) => withLists(options, (open) => make(open, name)));
  common(explain(list.command("list"), LIST)).action((options: ListOptions) =>
    withLists(options, showAll, "read"),
  );
  named(list.command("show"), SHOW).action((name: string, options: ListOptions) =>
    withLists(options, (open) => show(open, find(open, name)), "read"),
  );
  filling(list.command("add"), ADD).action((name: string, file: string, options: ListOptions) =>
    withLists(options, (open) => change(open, name, file, "add")),
  );
  filling(list.command("remove"), REMOVE).action(
    (name: string, file: string, options: ListOptions) =>
      withLists(options, (open) => change(open, name, file, "remove")),
  );
  common(
    explain(list.command("rename"), RENAME)
      .argument("<list>", "its id or its name")
      .argument("<new-name>", "its new name"),
  ).action((name: string, newName: string, options: ListOptions) =>
    withLists(options, (open) => rename(open, name, newName)),
  );
  named(list.command("delete"), DELETE).action((name: string, options: ListOptions) =>
    withLists(options, (open) => remove(open, name)),
  );
  looking(named(list.command("export"), EXPORT)).action((name: string, options: ListOptions) =>
    withLists(options, (open) => printAtOnce(open, name), "read"),
  );
}

const CREATE: CommandText = {
  summary: "create an empty list",
  description: "Creates an empty list.",
  remarks:
    "In a list of the kind companies, every CNPJ stands for its whole company. A name that\n" +
    "another list has is refused; case, accents, spaces, and punctuation do not count.",
  examples: ["peneira list create Clientes --data-dir state --tenant acme --kind companies"],
};
const LIST: CommandText = {
  summary: "list the lists of a tenant",
  description:
    "Lists the lists of a tenant, newest first. The list `exported` always exists and is last: " +
    "it holds the accounts of all finished exports, and of downloaded files of notices.",
  examples: ["peneira list list --data-dir state --tenant acme --json"],
};
const SHOW: CommandText = {
  summary: "show one list",
  description: "Shows the name, the number of entries, and the revision of a list.",
  examples: ["peneira list show Clientes --data-dir state --tenant acme"],
};
const ADD: CommandText = {
  summary: "add the CNPJs of a file to a list",
  description: "Adds the CNPJs of a column of a CSV or XLSX file to a list.",
  remarks:
    "Every spelling of a CNPJ is read. A line with only the first 8 characters stands for\n" +
    "the whole company. Lines that are not understood are reported and skipped. Some\n" +
    "accounts of the registry have wrong check digits. They are accepted if --snapshot has\n" +
    "them, and refused without it.",
  examples: [
    "peneira list add Clientes clientes.csv --data-dir state --tenant acme",
    "peneira list add Clientes - --column documento --data-dir state --tenant acme < crm.csv",
  ],
};
const REMOVE: CommandText = {
  summary: "remove the CNPJs of a file from a list",
  description: "Removes the CNPJs of a column of a CSV or XLSX file from a list.",
  examples: ["peneira list remove Clientes perdidos.csv --data-dir state --tenant acme"],
};
const RENAME: CommandText = {
  summary: "rename a list",
  description: "Renames a list; its id and its entries do not change.",
  examples: ["peneira list rename Clientes Carteira --data-dir state --tenant acme"],
};
const DELETE: CommandText = {
  summary: "delete a list",
  description: "Deletes a list; waiting exports use its entries as of the request for the export.",
  examples: ["peneira list delete Clientes --data-dir state --tenant acme"],
};
const EXPORT: CommandText = {
  summary: "print the entries of a list",
  description: "Prints the entries of a list, ascending, one per line, below the header cnpj.",
  remarks:
    "An entry of 8 characters stands for a whole company. A list stores no check digits.\n" +
    "With --snapshot, they are taken from the snapshot; the registry has some wrong ones.\n" +
    "Without it, and for accounts that the snapshot lacks, they are computed.",
  examples: [
    "peneira list export exported --data-dir state --tenant acme \\\n" +
      "  --snapshot 2026-10.peneira > exported.csv",
  ],
};

function common(command: Command): Command {
  return command
    .option("--tenant <name>", "tenant of the list", "default")
    .option("--data-dir <dir>", DATA_DIR_TEXT)
    .option("--json", "print one JSON document");
}

function named(command: Command, texts: CommandText): Command {
  return common(explain(command, texts).argument("<list>", "its id or its name"));
}

function looking(command: Command): Command {
  return command.option("--snapshot <file>", "snapshot to take check digits from");
}

function filling(command: Command, texts: CommandText): Command {
  const files = explain(command, texts)
    .argument("<list>", "its id or its name")
    .argument("<file>", "CSV or XLSX file; - reads standard input");
  return looking(common(files))
    .option("--column <name>", "header or number of the column (default: the one with CNPJs)")
    .option("--fill-zeros", "accept numbers that have lost their leading zeros");
}

function withLists<Result>(
  options: ListOptions,
  work: (open: Opened) => Result,
  absent: Absent = "refuse",
): Result {
  const opened = (database: StateDatabase) => {
    const { id: tenantId } = new Keyring(new KeyStore(database), systemClock).tenant(
      options.tenant,
    );
    const lists = new Lists(new ListStore(database), systemClock);
    return work({ lists, database, tenantId, options });
  };
  return withDatabase(options, opened, absent);
}

async function withSnapshot(
  { snapshot }: ListOptions,
  work: (segment: Segment | null) => Promise<void>,
): Promise<void> {
  const segment = snapshot === undefined ? null : await openAnySegment(snapshot);
  try {
    await work(segment);
  } finally {
    segment?.close();
  }
}

function limits() {
  return loadPlans().enterprise.limits;
}

function all({ lists, tenantId }: Opened): ListRow[] {
  const rows: ListRow[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = lists.page(tenantId, before, LISTS_PAGE);
    rows.push(...page);
    if (page.length < LISTS_PAGE) return rows;
    before = (page.at(-1) as ListRow).sequence;
  }
}

/** Finds a list by id or name. Lists of old versions may share a name, but never an id. */
function find(open: Opened, wanted: string): ListRow {
  const byId = open.lists.seen(open.tenantId, wanted);
  if (byId !== undefined) return byId;
  const found = all(open).filter(({ name }) => name === wanted);
  const [first, second] = found;
  if (first === undefined) {
    const { tenant } = open.options;
    const see = `peneira list list --tenant ${tenant}`;
    throw new CommandError(`Tenant ${tenant} has no list ${wanted}. See: ${see}`);
  }
  if (second === undefined) return first;
  const ids = found.map(({ id }) => id).join(", ");
  throw new CommandError(`${found.length} lists are called ${wanted}: ${ids}. Name an id.`, 2);
}

function make(open: Opened, given: string): void {
  const { lists, tenantId, options } = open;
  const kind = KINDS.find((one) => one === options.kind);
  if (kind === undefined) throw new CommandError(`--kind must be ${KINDS.join(" or ")}.`, 2);
  const name = nameOf(given);
  const row = withoutPlace(() => createNamed(lists, tenantId, { name, kind }, limits()));
  report(row, options, "was made");
}

/** Runs a change. Converts API errors, whose JSON pointers mean nothing on a command line. */
function withoutPlace(change: () => ListRow): ListRow {
  try {
    return change();
  } catch (error) {
    throw error instanceof AppError ? new CommandError(error.message) : error;
  }
}

function nameOf(given: string): string {
  const read = readListName(given);
  if ("name" in read) return read.name;
  throw new CommandError(read.detail, 2);
}

function rename(open: Opened, wanted: string, newName: string): void {
  const { id } = find(open, wanted);
  const name = nameOf(newName);
  const row = withoutPlace(() => renameNamed(open.lists, open.tenantId, id, name));
  report(row, open.options, `was called ${wanted} before`);
}

async function remove(open: Opened, wanted: string): Promise<void> {
  const row = find(open, wanted);
  await open.lists.remove(open.tenantId, row.id);
  if (open.options.json) print({ id: row.id, deleted: true });
  else stderr.print(`list ${row.name} (${row.id}) is deleted.\n`);
}

function report(row: ListRow, { json }: ListOptions, what: string): void {
  if (json) print({ list: listJson(row) });
  else stderr.print(`list ${row.name} (${row.id}) ${what}.\n`);
}

function showAll(open: Opened): void {
  const lists = all(open).map(listJson);
  if (open.options.json) print({ lists });
  else stdout.print(printTable(lists, COLUMNS, Number.POSITIVE_INFINITY));
}

function show({ options }: Opened, row: ListRow): void {
  const list = listJson(row);
  if (options.json) {
    print({ list });
    return;
  }
  const members = Object.entries(list);
  const width = Math.max(...members.map(([name]) => name.length));
  for (const [name, value] of members) {
    stdout.print(`${name.padEnd(width)}  ${visibleLine(String(value))}\n`);
  }
}

async function change(open: Opened, wanted: string, file: string, verb: BlockVerb): Promise<void> {
  const { id, kind } = find(open, wanted);
  const { lists, tenantId, options } = open;
  // A list that cannot be changed is refused before a long file is read.
  lists.own(tenantId, id);
  const { fillZeros = false, column } = options;
  await withSnapshot(options, async (segment) => {
    const upload = await readEntryFile(file, { fillZeros, column });
    const isKnown = (cnpj: string) => segment !== null && rowOf(segment, cnpj) >= 0;
    await upload.takeKnown(isKnown, () => undefined);
    const entries = upload.entries(kind === "companies");
    const bounds = { limits: limits(), segment };
    const changed = await lists.change({ tenantId, id }, { entries, verb }, bounds);
    if (options.json) print(changeJson(changed, upload, verb));
    else printChange(changed, upload, verb);
  });
}

const KNOWN_BY_SNAPSHOT =
  "Some accounts of the registry have wrong check digits: --snapshot takes those of accounts " +
  "that it has\n";

function printChange(change: ChangedList, upload: Upload, verb: BlockVerb): void {
  const { list, changed, distinct, absent } = change;
  const [done, other] = verb === "add" ? ["added", "there already"] : ["removed", "not there"];
  const { read, refused, refusedCount, sheet, column } = upload;
  const repeated = read - refusedCount - distinct;
  const twice = repeated > 0 ? `${repeated} repeated, ` : "";
  const elsewhere = absent ? `${absent} not in the snapshot, ` : "";
  for (const { line, cell, text, reason, offered } of refused) {
    const zeros = offered === undefined ? "" : ` (${offered}; --fill-zeros takes these)`;
    const why = offered === undefined ? REFUSALS[reason] : "A number that has lost its zeros";
    stderr.print(`${cell ?? `line ${line}`}: ${JSON.stringify(text)}: ${why}${zeros}\n`);
  }
  if (refusedCount > refused.length) {
    stderr.print(`… and ${refusedCount - refused.length} more\n`);
  }
  const isMistyped = refused.some(({ reason }) => reason === "wrong_check_digits");
  if (isMistyped && absent === null) stderr.print(KNOWN_BY_SNAPSHOT);
  if (sheet !== null) {
    const others = sheet.others === 0 ? "" : `; the others, ${sheet.others}, were not read`;
    const unseen = sheet.hidden === undefined ? "" : `; hidden, and not read: ${sheet.hidden}`;
    stderr.print(`sheet ${JSON.stringify(sheet.name)} was read${others}${unseen}\n`);
  }
  if (column !== null) stderr.print(`column ${JSON.stringify(column)} was read\n`);
  stderr.print(
    `list ${list.name}: ${read} read, ${changed} ${done}, ${distinct - changed} ${other}, ` +
      `${twice}${elsewhere}${refusedCount} not understood; it has ${list.entries} ` +
      `${wordFor(list.entries, "entry", "entries")} now.\n`,
  );
}

/** Prints a consistent set of entries, even while a server changes the list. */
async function printAtOnce(open: Opened, wanted: string): Promise<void> {
  const { database, options } = open;
  await withSnapshot(options, async (segment) => {
    database.exec("BEGIN");
    try {
      await printEntries(open, find(open, wanted), segment);
    } finally {
      if (database.inTransaction) database.exec("ROLLBACK");
    }
  });
}

async function printEntries(
  { lists, options }: Opened,
  row: ListRow,
  segment: Segment | null,
): Promise<void> {
  if (!options.json) stdout.print("cnpj\n");
  const all: string[] = [];
  for (let after: bigint | null = -1n; after !== null; ) {
    const page = lists.entries(row, after, ENTRIES_PAGE);
    const { entries: computed } = page;
    const entries = segment === null ? computed : await withAccountDigits(segment, computed);
    if (options.json) all.push(...entries);
    else stdout.data(entries.map((entry) => `${entry}\n`).join(""));
    after = page.next;
  }
  if (options.json) print({ list: listJson(row), entries: all });
}

function print(document: object): void {
  stdout.data(`${JSON.stringify(document)}\n`);
}
