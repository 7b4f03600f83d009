/**
 * `peneira audit`: prints who changed what, newest first, as a table or one JSON document.
 * Invariant: the command only reads, and works while a server uses the same directory. It reports
 * if --limit omits lines. Lines store ids, which never change. A tenant is shown with its current
 * name.
 */
import { type Command, Help, InvalidArgumentError, type Option } from "commander";
import { tenantNamed } from "../../../access/keyring.ts";
import { CommandError } from "../../../errors.ts";
import { stderr, stdout } from "../../../process/terminal.ts";
import {
  AUDIT_ACTION_NAMES,
  AUDIT_ACTIONS,
  type AuditAction,
  type Facts,
} from "../../../store/auditactions.ts";
import { type AuditRow, AuditStore } from "../../../store/auditstore.ts";
import { KeyStore, type TenantRow } from "../../../store/keystore.ts";
import { wordFor } from "../../../text/amounts.ts";
import { didYouMean } from "../../../text/suggest.ts";
import { choice, DATA_DIR_TEXT, explain } from "../../support/helptext.ts";
import { printTable } from "../../support/print.ts";
import { type DataDirOptions, withDatabase } from "../../support/state.ts";

interface AuditOptions extends DataDirOptions {
  readonly tenant?: string;
  readonly since?: number;
  readonly action?: AuditAction;
  readonly limit: number;
  readonly json?: true;
}

const LIMIT_MAX = 1_000_000;

const RENAMES_MAX = 10;

const COLUMNS = ["at", "action", "tenant", "actor", "subject", "facts"];

const REMARKS = `Every change to a tenant, key, user, webhook, or e-mail receiver writes a line, in
the same transaction. A restore and an upgrade of the state do too. The actor is "command" (a
command line on this machine), "server", user:ID, or key:ID. \`peneira user list --json\`
and \`peneira key list\` show the ids. Lines are kept for audit.retention, two years by
default. Lines hold no user names, e-mails, secrets, or addresses. The trail does not record
sign-ins (a failed one is a 401 of /v1/console/session in the log and the metrics),
searches, exports, backups, or settings.

Actions:`;

/** Adds `peneira audit` to the program. */
export function registerAudit(program: Command): void {
  const width = Math.max(...AUDIT_ACTION_NAMES.map((name) => name.length));
  const actions = AUDIT_ACTION_NAMES.map((name) => {
    return `  ${name.padEnd(width)}  ${AUDIT_ACTIONS[name].meaning}`;
  });
  const audit = explain(program.command("audit"), {
    summary: "list changes to tenants, keys, users, and receivers of notices",
    description:
      "Lists changes to tenants, keys, users, receivers of notices, and the state itself, " +
      "newest first.",
    remarks: `${REMARKS}\n${actions.join("\n")}`,
    examples: [
      "peneira audit --data-dir state",
      "peneira audit --data-dir state --tenant acme --since 2026-11-01 --json",
      "peneira audit --data-dir state --action key.create --limit 20",
    ],
  })
    .option("--data-dir <dir>", DATA_DIR_TEXT)
    .option("--tenant <name>", "only lines of this tenant")
    .option("--since <date>", "only lines since this day, YYYY-MM-DD (UTC)", day)
    .addOption(choice("--action <action>", "only lines of this action", AUDIT_ACTION_NAMES))
    .option("--limit <n>", "maximum number of lines", limit, 100)
    .option("--json", "print one JSON document")
    .action(show);
  // The text after the options explains each action, so the description of --action does not.
  audit.configureHelp({ ...audit.configureHelp(), optionDescription: optionText });
}

function optionText(option: Option): string {
  if (option.long !== "--action") return new Help().optionDescription(option);
  return "only lines of this action, one of those below";
}

function show(options: AuditOptions): void {
  refuseUnknown(options.action);
  const { rows, more } = read(options);
  if (more) {
    const { limit: most } = options;
    stderr.print(`only the newest ${most} ${wordFor(most, "line")}; --limit shows more\n`);
  }
  if (options.json) {
    const audit = rows.map((row) => ({ ...lineOf(row), facts: row.facts }));
    stdout.data(`${JSON.stringify({ audit, has_more: more })}\n`);
    return;
  }
  const shown = rows.map((row) => ({ ...lineOf(row), facts: factsText(row.facts) }));
  if (rows.length === 0) stderr.print("No line fits.\n");
  else stdout.print(printTable(shown, COLUMNS, Number.POSITIVE_INFINITY));
}

function read(options: AuditOptions): { readonly rows: AuditRow[]; readonly more: boolean } {
  const { tenant, since, action, limit: most } = options;
  return withDatabase(
    options,
    (database) => {
      const trail = new AuditStore(database);
      const tenants = new KeyStore(database).tenants();
      const tenantId = tenant === undefined ? undefined : idOf(tenant, tenants, trail);
      const wanted = { tenantId, since, action, limit: most + 1 };
      const rows = trail.list(wanted);
      return { rows: rows.slice(0, most), more: rows.length > most };
    },
    "read",
  );
}

/** Returns the id of a tenant. If no tenant has the name, the error lists recent renames. */
function idOf(name: string, tenants: readonly TenantRow[], trail: AuditStore): string {
  try {
    return tenantNamed(tenants, name).id;
  } catch (error) {
    const renames = trail.list({ action: "tenant.rename", limit: RENAMES_MAX });
    if (!(error instanceof CommandError) || renames.length === 0) throw error;
    const periods = renames.map(({ at, tenant }) => {
      return `${tenant} (${new Date(at).toISOString().slice(0, 10)})`;
    });
    const words = `The trail holds no earlier names. Renamed were: ${periods.join(", ")}`;
    throw new CommandError(`${error.message}\n${words}`, error.exitCode, error);
  }
}

function refuseUnknown(action: string | undefined): void {
  const names: readonly string[] = AUDIT_ACTION_NAMES;
  if (action === undefined || names.includes(action)) return;
  const suggested = didYouMean(action, names, ".");
  throw new CommandError(`There is no action ${action}${suggested} See: peneira audit --help`, 2);
}

function lineOf({ sequence, at, action, tenant, tenantId, actor, subject }: AuditRow) {
  const facts = { actor, action, tenant, tenant_id: tenantId, subject };
  return { sequence, at: new Date(at).toISOString(), ...facts };
}

/** Formats facts, for example `plan growth` and `role member -> owner`. */
function factsText(facts: Facts): string {
  const parts = Object.entries(facts).map(([name, fact]) => {
    if (fact === null || typeof fact !== "object") return `${name} ${fact ?? "none"}`;
    return `${name} ${fact.from ?? "none"} -> ${fact.to ?? "none"}`;
  });
  return parts.join(", ");
}

function day(text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  const real = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
  if (real) return at;
  throw new InvalidArgumentError("It must be a day, YYYY-MM-DD.");
}

function limit(text: string): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= LIMIT_MAX) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${LIMIT_MAX}.`);
}
