/**
 * `peneira tenant`: the tenants of a data directory. What comes in: a wish. What goes out: words on
 * standard error, lists on standard output; with --json one document.
 * Invariant: works while a server runs on the same directory, which follows within a second; a
 * tenant is never deleted, for its exports and counts belong to it.
 */
import type { Command } from "commander";
import { type DataDirOptions, withKeyring } from "./state.ts";

interface TenantOptions extends DataDirOptions {
  readonly json?: true;
}

const EXAMPLES = `
Examples:
  $ peneira tenant list --data-dir state
  $ peneira tenant disable acme --data-dir state
  $ peneira tenant rename acme "Acme Ltda" --data-dir state`;

/** Adds `peneira tenant` with its five commands to the program. */
export function registerTenant(program: Command): void {
  const tenant = program
    .command("tenant")
    .summary("make, list, rename and stop tenants")
    .description("Manages tenants; a running server follows within a second.")
    .addHelpText("after", EXAMPLES);
  common(tenant.command("create <name>").description("make a tenant without any key")).action(
    (name: string, options: TenantOptions) => {
      withKeyring(options, (keyring) => say(keyring.createTenant(name), options), "make");
    },
  );
  common(tenant.command("list").description("list tenants with their keys counted")).action(list);
  common(
    tenant.command("rename <name> <new-name>").description("give a tenant another name"),
  ).action((name: string, newName: string, options: TenantOptions) => {
    withKeyring(options, (keyring) => {
      const renamed = keyring.renameTenant(name, newName);
      if (options.json) say(renamed, options);
      else process.stderr.write(`tenant ${name} is now ${newName}; it is ${renamed.state}.\n`);
    });
  });
  common(
    tenant.command("disable <name>").description("stop every key and link of a tenant"),
  ).action((name: string, options: TenantOptions) => change(name, options, true));
  common(tenant.command("enable <name>").description("let a disabled tenant work again")).action(
    (name: string, options: TenantOptions) => change(name, options, false),
  );
}

function common(command: Command): Command {
  return command
    .option("--data-dir <dir>", "the server's data directory")
    .option("--json", "print one JSON document");
}

function change(name: string, options: TenantOptions, disabled: boolean): void {
  withKeyring(options, (keyring) => {
    keyring.setTenantDisabled(name, disabled);
    say({ tenant: name, state: disabled ? "disabled" : "active" }, options);
  });
}

function say(tenant: { readonly tenant: string; readonly state: string }, options: TenantOptions) {
  if (options.json) process.stdout.write(`${JSON.stringify(tenant)}\n`);
  else process.stderr.write(`tenant ${tenant.tenant} is ${tenant.state}.\n`);
}

function list(options: TenantOptions): void {
  withKeyring(options, (keyring) => {
    const tenants = keyring.tenants().map(({ name, keys, createdAt, disabledAt }) => ({
      tenant: name,
      state: disabledAt === null ? "active" : "disabled",
      keys,
      created_at: new Date(createdAt).toISOString(),
    }));
    if (options.json) {
      process.stdout.write(`${JSON.stringify({ tenants })}\n`);
      return;
    }
    for (const { tenant, state, keys } of tenants) {
      process.stdout.write(`${tenant}  ${state}  ${keys} ${keys === 1 ? "key" : "keys"}\n`);
    }
    if (tenants.length === 0) process.stderr.write("There are no tenants yet.\n");
  });
}
