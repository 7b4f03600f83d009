/**
 * `peneira tenant`: manages the tenants of a data directory. Prints messages on standard error,
 * lists on standard output; --json prints one document.
 * Invariant: the command works while a server uses the same directory. The server applies the
 * change within a second. A tenant is never deleted, because its exports and counts belong to it.
 */
import type { Command } from "commander";
import type { PlanName } from "../../../access/plans.ts";
import { stderr, stdout } from "../../../process/terminal.ts";
import { wordFor } from "../../../text/amounts.ts";
import { type CommandText, DATA_DIR_TEXT, explain, planOption } from "../../support/helptext.ts";
import { printTable } from "../../support/print.ts";
import { type DataDirOptions, openUsers, withKeyring } from "../../support/state.ts";

interface TenantOptions extends DataDirOptions {
  readonly json?: true;
  readonly plan?: string;
}

const COLUMNS = ["tenant", "plan", "state", "keys", "created_at"];

/** Adds `peneira tenant` with its six commands to the program. */
export function registerTenant(program: Command): void {
  const tenant = explain(program.command("tenant"), {
    summary: "create, list, rename, and disable tenants",
    description: "Manages tenants; a running server applies changes within a second.",
    examples: [
      "peneira tenant list --data-dir state",
      "peneira tenant disable acme --data-dir state",
      'peneira tenant rename acme "Acme Ltda" --data-dir state',
    ],
  });
  common(named(tenant.command("create"), CREATE)).action((name: string, options: TenantOptions) => {
    withKeyring(options, (keyring) => report(keyring.createTenant(name), options), "make");
  });
  common(
    explain(tenant.command("list"), {
      summary: "list tenants with their plan and the number of their keys",
      description:
        "Lists the tenants with the plan of their console, their state, and the number of their " +
        "keys. A key may have another plan: see peneira key list.",
      examples: ["peneira tenant list --data-dir state --json"],
    }),
  ).action(list);
  common(named(tenant.command("rename"), RENAME).argument("<new-name>", "its new name")).action(
    (name: string, newName: string, options: TenantOptions) => rename(name, newName, options),
  );
  common(named(tenant.command("update"), UPDATE))
    .addOption(planOption())
    .action((name: string, options: TenantOptions) => update(name, options));
  common(named(tenant.command("disable"), DISABLE)).action((name: string, options: TenantOptions) =>
    change(name, options, true),
  );
  common(named(tenant.command("enable"), ENABLE)).action((name: string, options: TenantOptions) =>
    change(name, options, false),
  );
}

const UPDATE: CommandText = {
  summary: "change the plan of a tenant",
  description:
    "Changes the plan of a tenant's console and of all its keys, including keys with other plans.",
  examples: ["peneira tenant update acme --plan growth --data-dir state"],
};
const CREATE: CommandText = {
  summary: "create a tenant without a key",
  description: "Creates a tenant without a key; `peneira key create` creates both.",
  examples: ["peneira tenant create acme --data-dir state"],
};
const RENAME: CommandText = {
  summary: "rename a tenant",
  description: "Renames a tenant; its keys, exports, and counts do not change.",
  examples: ['peneira tenant rename acme "Acme Ltda" --data-dir state'],
};
const DISABLE: CommandText = {
  summary: "disable every key, session, and link of a tenant",
  description: "Disables every key, session, and download link of a tenant until it is enabled.",
  examples: ["peneira tenant disable acme --data-dir state"],
};
const ENABLE: CommandText = {
  summary: "enable a disabled tenant",
  description: "Enables a disabled tenant. Keys that were disabled individually stay disabled.",
  examples: ["peneira tenant enable acme --data-dir state"],
};

function named(command: Command, texts: CommandText): Command {
  return explain(command, texts).argument("<name>", "the tenant");
}

function rename(name: string, newName: string, options: TenantOptions): void {
  withKeyring(options, (keyring) => {
    const renamed = keyring.renameTenant(name, newName);
    if (options.json) report(renamed, options);
    else stderr.print(`tenant ${name} is now ${newName}; it is ${renamed.state}.\n`);
  });
}

function update(name: string, options: TenantOptions): void {
  withKeyring(options, (keyring) => {
    const plan = options.plan as PlanName;
    const keys = keyring.setTenantPlan(name, plan);
    if (options.json)
      stdout.data(`${JSON.stringify({ tenant: name, plan, keys_changed: keys })}\n`);
    else {
      const changed = `${keys.length} ${wordFor(keys.length, "key")} changed`;
      stderr.print(`tenant ${name} has plan ${plan}; ${changed}.\n`);
    }
  });
}

function common(command: Command): Command {
  return command
    .option("--data-dir <dir>", DATA_DIR_TEXT)
    .option("--json", "print one JSON document");
}

function change(name: string, options: TenantOptions, disabled: boolean): void {
  withKeyring(options, (keyring) => {
    keyring.setTenantDisabled(name, disabled);
    report({ tenant: name, state: disabled ? "disabled" : "active" }, options);
  });
}

function report(
  tenant: { readonly tenant: string; readonly state: string },
  options: TenantOptions,
) {
  if (options.json) stdout.data(`${JSON.stringify(tenant)}\n`);
  else stderr.print(`tenant ${tenant.tenant} is ${tenant.state}.\n`);
}

function list(options: TenantOptions): void {
  withKeyring(
    options,
    (keyring, database) => {
      const users = openUsers(database);
      const tenants = keyring.tenants().map(({ id, name, keys, createdAt, disabledAt }) => ({
        tenant: name,
        plan: users.consolePlan(id),
        state: disabledAt === null ? "active" : "disabled",
        keys,
        created_at: new Date(createdAt).toISOString(),
      }));
      if (options.json) {
        stdout.data(`${JSON.stringify({ tenants })}\n`);
        return;
      }
      if (tenants.length === 0) stderr.print("There are no tenants yet: peneira key create\n");
      else stdout.print(printTable(tenants, COLUMNS, Number.POSITIVE_INFINITY));
    },
    "read",
  );
}
