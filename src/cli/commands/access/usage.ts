/**
 * `peneira usage`: prints the daily use of tenants, one line per day, tenant, and key.
 * Invariant: the command only reads, and works while a server uses the same directory. The server's
 * last few seconds are not included. Days are UTC days.
 */
import { type Command, InvalidArgumentError } from "commander";
import { tenantNamed } from "../../../access/keyring.ts";
import { USAGE_DAYS } from "../../../access/limits.ts";
import { dayText, systemClock, utcDay } from "../../../process/clock.ts";
import { stderr, stdout } from "../../../process/terminal.ts";
import { KeyStore } from "../../../store/keystore.ts";
import { type NamedUse, UsageStore } from "../../../store/usagestore.ts";
import { DATA_DIR_TEXT } from "../../support/helptext.ts";
import { printTable } from "../../support/print.ts";
import { type DataDirOptions, withDatabase } from "../../support/state.ts";

interface UsageOptions extends DataDirOptions {
  readonly tenant?: string;
  readonly days: number;
  readonly json?: true;
}

const EXAMPLES = `
The counts are all requests with a valid key, the accounts in answers, and the rows of exports on
the day they finished. They are kept for ${USAGE_DAYS} days.

Examples:
  $ peneira usage --data-dir state
  $ peneira usage --data-dir state --tenant acme --days 7 --json`;

const COLUMNS = ["day", "tenant", "key_id", "key_name", "requests", "accounts", "export_rows"];

/** Adds `peneira usage` to the program. */
export function registerUsage(program: Command): void {
  program
    .command("usage")
    .summary("show requests, accounts, and export rows by day, tenant, and key")
    .description("Shows the requests, accounts, and export rows of each day, tenant, and key.")
    .option("--data-dir <dir>", DATA_DIR_TEXT)
    .option("--tenant <name>", "only this tenant")
    .option("--days <n>", `days to show, today included, up to ${USAGE_DAYS}`, days, 30)
    .option("--json", "print one JSON document")
    .addHelpText("after", EXAMPLES)
    .action(show);
}

function show(options: UsageOptions): void {
  const today = utcDay(systemClock.nowMs());
  const from = today - options.days + 1;
  const rows = read(options, from).map((use) => ({
    day: dayText(use.day),
    tenant: use.tenant,
    key_id: use.keyId,
    key_name: use.keyName,
    requests: use.requests,
    accounts: use.accounts,
    export_rows: use.exportRows,
  }));
  if (options.json) {
    const span = { from: dayText(from), to: dayText(today) };
    stdout.data(`${JSON.stringify({ ...span, usage: rows })}\n`);
    return;
  }
  if (rows.length > 0) stdout.print(printTable(rows, COLUMNS));
  else stderr.print(`Nothing was used since ${dayText(from)}.\n`);
}

function read(options: UsageOptions, from: number): NamedUse[] {
  const { tenant } = options;
  return withDatabase(
    options,
    (database) => {
      const tenants = new KeyStore(database).tenants();
      if (tenant !== undefined) tenantNamed(tenants, tenant);
      const uses = new UsageStore(database).since(from);
      return uses.filter((use) => tenant === undefined || use.tenant === tenant);
    },
    "read",
  );
}

function days(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= USAGE_DAYS) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${USAGE_DAYS}.`);
}
