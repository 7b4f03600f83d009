/**
 * `peneira key`: manages the API keys of a data directory. Standard output has only the new key,
 * and standard error has the messages. With --json, the command prints one document.
 * Invariant: the command works while a server uses the same directory, and the server applies the
 * change within a second. A key is shown only once, when it is created. If it cannot be shown, it
 * is not created.
 */
import { type Command, InvalidArgumentError } from "commander";
import type { CreatedKey, Keyring } from "../../../access/keyring.ts";
import { PLAN_NAMES } from "../../../access/plannames.ts";
import { PLAN_DEFAULT, type PlanName } from "../../../access/plans.ts";
import { DAY_MS, systemClock } from "../../../process/clock.ts";
import { stderr, stdout } from "../../../process/terminal.ts";
import { KeyStore } from "../../../store/keystore.ts";
import type { StateDatabase } from "../../../store/statedatabase.ts";
import {
  type CommandText,
  choice,
  DATA_DIR_TEXT,
  explain,
  planOption,
} from "../../support/helptext.ts";
import { printTable } from "../../support/print.ts";
import { type DataDirOptions, SecretPrint, withKeyring } from "../../support/state.ts";

/** Expiry of a key: milliseconds since 1970, or null for never. */
interface End {
  readonly atMs: number | null;
}

interface KeyOptions extends DataDirOptions {
  readonly tenant?: string;
  readonly plan?: string;
  readonly name?: string;
  readonly overlap?: number;
  readonly expires?: End;
  readonly at?: End;
  readonly to?: string;
  readonly json?: true;
}

const WHEN = "YYYY-MM-DD (through that day, UTC), days such as 90d, now, or never";

const COLUMNS = ["key_id", "tenant", "plan", "state", "expires_at", "last_used_at", "name"];

/** Adds `peneira key` with its eight commands to the program. */
export function registerKey(program: Command): void {
  const key = explain(program.command("key"), {
    summary: "create, list, disable, and replace API keys",
    description: "Manages API keys; a running server applies changes within a second.",
    examples: [
      'peneira key create --data-dir state --tenant acme --plan growth --name "crm sync"',
      "peneira key list --data-dir state",
      "peneira key disable 3f9c01d2a4b6 --data-dir state",
      "peneira key rotate 3f9c01d2a4b6 --data-dir state --overlap 86400",
    ],
  });
  creating(key.command("create"));
  listing(key.command("list"));
  picking(key.command("disable"), DISABLE).action((id: string | undefined, options: KeyOptions) =>
    change(id, options, "disabled"),
  );
  picking(key.command("enable"), ENABLE).action((id: string | undefined, options: KeyOptions) =>
    change(id, options, "enabled"),
  );
  picking(key.command("expire"), EXPIRE)
    .requiredOption("--at <when>", `expiry (required): ${WHEN}`, end)
    .action((id: string | undefined, options: KeyOptions) => expire(id, options));
  picking(key.command("rename"), RENAME)
    .requiredOption("--to <text>", "the new name (required)")
    .action((id: string | undefined, options: KeyOptions) => rename(id, options));
  picking(key.command("update"), UPDATE)
    .addOption(planOption())
    .action((id: string | undefined, options: KeyOptions) => update(id, options));
  picking(key.command("rotate"), ROTATE)
    .option("--overlap <seconds>", "time that the old key remains valid (default: 0)", seconds)
    .option("--expires <when>", `expiry of the new key: ${WHEN} (default: never)`, end)
    .action((id: string | undefined, options: KeyOptions) =>
      withKeyring(options, (keyring, database) =>
        showing("The key was not replaced", options, database, () => rotate(keyring, id, options)),
      ),
    );
}

const DISABLE: CommandText = {
  summary: "disable a key until it is enabled",
  description: "Disables a key until it is enabled again.",
  examples: ["peneira key disable 3f9c01d2a4b6 --data-dir state"],
};
const ENABLE: CommandText = {
  summary: "enable a disabled key",
  description: "Enables a disabled key; an expired key stays expired.",
  examples: ["peneira key enable 3f9c01d2a4b6 --data-dir state"],
};
const EXPIRE: CommandText = {
  summary: "change the expiry of a key",
  description: "Changes or removes the expiry of a key.",
  examples: [
    "peneira key expire 3f9c01d2a4b6 --data-dir state --at 2026-12-31",
    "peneira key expire 3f9c01d2a4b6 --data-dir state --at never",
  ],
};
const RENAME: CommandText = {
  summary: "rename a key",
  description: "Renames a key; nothing else changes.",
  examples: ['peneira key rename 3f9c01d2a4b6 --data-dir state --to "billing"'],
};
const UPDATE: CommandText = {
  summary: "change the plan of a key",
  description: "Changes the plan of a key; a running server applies its limits within a second.",
  examples: ["peneira key update 3f9c01d2a4b6 --data-dir state --plan growth"],
};
const ROTATE: CommandText = {
  summary: "replace a key with a new one of the same plan",
  description:
    "Creates a key with the tenant, plan, and name of an old one. The old one expires now or " +
    "after an overlap.",
  examples: ["peneira key rotate 3f9c01d2a4b6 --data-dir state --overlap 86400"],
};

function creating(command: Command): void {
  explain(command, {
    summary: "create a key, and its tenant if it does not exist",
    description:
      "Creates an API key, and its tenant if it does not exist, and prints the key once.",
    examples: [
      'peneira key create --data-dir state --tenant acme --plan growth --name "crm sync"',
      "peneira key create --data-dir state --tenant acme --expires 90d",
    ],
  });
  const planDefault = `default: the plan that all keys of the tenant share, else ${PLAN_DEFAULT}`;
  common(command, 'the tenant (default: "default")', "purpose of the key")
    .addOption(choice("--plan <plan>", `limits of the key (${planDefault})`, PLAN_NAMES))
    .option("--expires <when>", `expiry: ${WHEN} (default: never)`, end)
    .action((options: KeyOptions) =>
      withKeyring(
        options,
        (keyring, database) =>
          showing("No key was made", options, database, () => create(keyring, options)),
        "make",
      ),
    );
}

function listing(command: Command): void {
  explain(command, {
    summary: "list keys; their secrets are not stored",
    description:
      "Lists keys with tenant, plan, state, expiry, and last use, but not the keys themselves.",
    examples: [
      "peneira key list --data-dir state",
      "peneira key list --data-dir state --tenant acme --json",
    ],
  });
  common(command, "only keys of this tenant", "only keys of this name").action(
    (options: KeyOptions) => withKeyring(options, (keyring) => list(keyring, options), "read"),
  );
}

function common(command: Command, tenant: string, name: string): Command {
  return command
    .option("--data-dir <dir>", DATA_DIR_TEXT)
    .option("--tenant <name>", tenant)
    .option("--name <text>", name)
    .option("--json", "print one JSON document");
}

function picking(command: Command, texts: CommandText): Command {
  const argued = explain(command, texts).argument(
    "[key]",
    "id of the key, or the whole key (default: the only one that matches --tenant and --name)",
  );
  const alone = "without an id; only one key may match";
  return common(argued, `find the key by tenant ${alone}`, `find the key by name ${alone}`);
}

function create(keyring: Keyring, options: KeyOptions): NewKey {
  const { tenant = "default", name = "" } = options;
  const { plan, why } = planFor(keyring, tenant, options.plan);
  const expiresAt = options.expires?.atMs ?? undefined;
  const created = keyring.create({ tenant, plan, name, expiresAt });
  if (why !== null) stderr.print(`plan ${plan}: ${why}; --plan takes another\n`);
  return { created, more: {} };
}

/** Returns the plan of a new key. If --plan is missing, also returns the reason for the plan. */
function planFor(keyring: Keyring, tenant: string, wanted: string | undefined) {
  if (wanted !== undefined) return { plan: wanted, why: null };
  const working = keyring.list().filter((row) => {
    return row.tenant === tenant && (row.state === "active" || row.state === "tenant_disabled");
  });
  const plans = [...new Set(working.map((row) => row.plan))];
  if (plans.length === 1) {
    return { plan: plans[0] as string, why: `the keys of tenant ${tenant} have it` };
  }
  const several = `, because the keys of tenant ${tenant} have several (${plans.join(", ")})`;
  return { plan: PLAN_DEFAULT, why: `the default${plans.length > 1 ? several : ""}` };
}

function rotate(keyring: Keyring, id: string | undefined, options: KeyOptions): NewKey {
  const old = keyring.pick({ id, tenant: options.tenant, name: options.name });
  const overlapMs = (options.overlap ?? 0) * 1000;
  const created = keyring.rotate(old, overlapMs, options.expires?.atMs ?? undefined);
  const end = new Date(created.oldExpiresAt).toISOString();
  return { created, more: { replaces: old.id, old_expires_at: end } };
}

/** A new key, with additional fields for `--json`. */
interface NewKey {
  readonly created: CreatedKey;
  readonly more: Readonly<Record<string, string>>;
}

/** Creates and prints a key in one transaction. If it cannot be printed, it is not created. */
function showing(
  undone: string,
  options: KeyOptions,
  database: StateDatabase,
  make: () => NewKey,
): void {
  const secret = new SecretPrint(undone);
  try {
    new KeyStore(database).atomically(() => showNew(make(), options, secret));
  } catch (error) {
    throw secret.undone(error);
  }
}

/** Prints a new key. It cannot be shown again. */
function showNew({ created, more }: NewKey, options: KeyOptions, secret: SecretPrint): void {
  const { key, keyId: key_id, tenant, plan, name } = created;
  const expires_at = time(created.expiresAt ?? null);
  if (options.json) {
    secret.document({ key, key_id, tenant, plan, name, expires_at, ...more });
    return;
  }
  const ends = expires_at === null ? "" : `, until ${expires_at}`;
  const replaced = more.replaces ? `; ${more.replaces} ends at ${more.old_expires_at}` : "";
  stderr.print(
    `key ${key_id} for tenant ${tenant}, plan ${plan}${ends}${replaced}. It is shown only now:\n`,
  );
  secret.text(key);
}

function list(keyring: Keyring, options: KeyOptions): void {
  if (options.tenant !== undefined) keyring.tenant(options.tenant);
  const rows = keyring.list().filter((row) => {
    const fits = options.tenant === undefined || row.tenant === options.tenant;
    return fits && (options.name === undefined || row.name === options.name);
  });
  const keys = rows.map((row) => ({
    key_id: row.id,
    tenant: row.tenant,
    plan: row.plan,
    name: row.name,
    state: row.state,
    created_at: time(row.createdAt),
    expires_at: time(row.expiresAt),
    disabled_at: time(row.disabledAt),
    last_used_at: time(row.lastUsedAt),
  }));
  if (options.json) {
    print({ keys });
    return;
  }
  if (keys.length === 0) {
    const wanted = options.tenant !== undefined || options.name !== undefined;
    stderr.print(wanted ? "No key fits.\n" : "There are no keys yet: peneira key create\n");
    return;
  }
  const shown = keys.map((key) => ({
    ...key,
    expires_at: key.expires_at ?? "never",
    last_used_at: key.last_used_at ?? "never",
  }));
  stdout.print(printTable(shown, COLUMNS, Number.POSITIVE_INFINITY));
}

function change(id: string | undefined, options: KeyOptions, to: "disabled" | "enabled"): void {
  withKeyring(options, (keyring) => {
    const row = keyring.pick({ id, tenant: options.tenant, name: options.name });
    if (to === "disabled") keyring.disable(row);
    else keyring.enable(row);
    if (options.json) print({ key_id: row.id, tenant: row.tenant, plan: row.plan, state: to });
    else stderr.print(`key ${row.id} of tenant ${row.tenant} is ${to}.\n`);
  });
}

function expire(id: string | undefined, options: KeyOptions): void {
  withKeyring(options, (keyring) => {
    const row = keyring.pick({ id, tenant: options.tenant, name: options.name });
    const atMs = options.at?.atMs ?? null;
    keyring.expire(row, atMs);
    const expires_at = time(atMs);
    if (options.json) print({ key_id: row.id, tenant: row.tenant, plan: row.plan, expires_at });
    else stderr.print(`key ${row.id} of tenant ${row.tenant} ends: ${expires_at ?? "never"}.\n`);
  });
}

function rename(id: string | undefined, options: KeyOptions): void {
  withKeyring(options, (keyring) => {
    const row = keyring.pick({ id, tenant: options.tenant, name: options.name });
    const name = options.to ?? "";
    keyring.rename(row, name);
    if (options.json) print({ key_id: row.id, tenant: row.tenant, plan: row.plan, name });
    else stderr.print(`key ${row.id} of tenant ${row.tenant} is called ${name}.\n`);
  });
}

function update(id: string | undefined, options: KeyOptions): void {
  withKeyring(options, (keyring) => {
    const row = keyring.pick({ id, tenant: options.tenant, name: options.name });
    const plan = options.plan as PlanName;
    keyring.setPlan(row, plan);
    if (options.json) print({ key_id: row.id, tenant: row.tenant, plan, plan_before: row.plan });
    else stderr.print(`key ${row.id} of tenant ${row.tenant} has plan ${plan}.\n`);
  });
}

function print(document: object): void {
  stdout.data(`${JSON.stringify(document)}\n`);
}

function time(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}

function seconds(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError("It must be a whole number of seconds from 0.");
}

/** Parses an expiry. A date includes the whole day, as users expect. */
function end(text: string): End {
  const nowMs = systemClock.nowMs();
  if (text === "never") return { atMs: null };
  if (text === "now") return { atMs: nowMs };
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1];
  if (days !== undefined) return { atMs: nowMs + Number(days) * DAY_MS };
  const dayMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  const real = !Number.isNaN(dayMs) && new Date(dayMs).toISOString().startsWith(text);
  if (real && dayMs + DAY_MS > nowMs) return { atMs: dayMs + DAY_MS };
  const problem = real ? "It is a day of the past." : "It is neither a date nor a number of days.";
  throw new InvalidArgumentError(`${problem} Say ${WHEN}.`);
}
