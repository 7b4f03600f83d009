/**
 * `peneira user`: manages the console users of a data directory. A generated password is printed
 * alone on standard output, messages on standard error; --json prints one document.
 * Invariant: the command works while a server uses the same directory; the server applies the
 * change within a second. A given password is never shown, a generated one only once; if that
 * cannot be shown, nothing changes.
 */

import { isatty } from "node:tty";
import type { Command } from "commander";
import { tenantNamed } from "../../../access/keyring.ts";
import { PLAN_NAMES } from "../../../access/plannames.ts";
import { PLAN_DEFAULT } from "../../../access/plans.ts";
import { ROLES, type User, type Users } from "../../../access/users.ts";
import { AppError, CommandError } from "../../../errors.ts";
import { FileTooLong, readSmallFile, SMALL_FILE_BYTES } from "../../../files/smallfile.ts";
import { stderr, stdout } from "../../../process/terminal.ts";
import { KeyStore } from "../../../store/keystore.ts";
import { didYouMean } from "../../../text/suggest.ts";
import { choice, DATA_DIR_TEXT, explain } from "../../support/helptext.ts";
import { printTable } from "../../support/print.ts";
import {
  type Absent,
  type DataDirOptions,
  openUsers,
  SecretPrint,
  withDatabase,
} from "../../support/state.ts";

interface UserOptions extends DataDirOptions {
  readonly email?: string;
  readonly tenant?: string;
  readonly role?: string;
  readonly plan?: string;
  readonly passwordStdin?: true;
  readonly json?: true;
}

const COLUMNS = ["email", "tenant", "role", "state", "plan", "created_at", "last_seen_at"];

/** Errors caused by the state, not by the syntax of the command. */
const REFUSALS = ["email_taken", "last_owner", "owner_first"];

const EXAMPLES = [
  "peneira user create --data-dir state --email ana@example.com",
  "peneira user create --data-dir state --email rui@example.com --tenant acme --role owner",
  "peneira user passwd --data-dir state --email ana@example.com --password-stdin < password",
  "peneira user role --data-dir state --email rui@example.com --role member",
];

/** Adds `peneira user` with its six commands to the program. */
export function registerUser(program: Command): void {
  const user = explain(program.command("user"), {
    summary: "create, list, and disable users of the console",
    description:
      "Manages the users of the console at /app; a running server applies changes within a second.",
    examples: EXAMPLES,
  });
  creating(user.command("create"));
  common(
    explain(user.command("list"), {
      summary: "list users",
      description: "Lists the users with their tenant, role, and state.",
      examples: ["peneira user list --data-dir state --tenant acme"],
    }),
  )
    .option("--tenant <name>", "only users of this tenant")
    .action(list);
  named(
    explain(user.command("disable"), {
      summary: "disable a user and end all their sessions",
      description: "Disables a user and ends all their sessions.",
      examples: ["peneira user disable --data-dir state --email rui@example.com"],
    }),
  ).action((options: UserOptions) => withUsers(options, disable));
  named(
    explain(user.command("enable"), {
      summary: "enable a disabled user",
      description: "Enables a disabled user; the password stays the same.",
      examples: ["peneira user enable --data-dir state --email rui@example.com"],
    }),
  ).action((options: UserOptions) => withUsers(options, enable));
  givingPassword(
    named(
      explain(user.command("passwd"), {
        summary: "change the password of a user",
        description: "Changes the password of a user and ends all their sessions.",
        examples: [
          "peneira user passwd --data-dir state --email ana@example.com",
          EXAMPLES[2] as string,
        ],
      }),
    ),
  ).action((options: UserOptions) => withUsers(options, passwd));
  named(
    explain(user.command("role"), {
      summary: "change the role of a user",
      description: "Changes the role of a user: owners manage keys and members of their tenant.",
      examples: [EXAMPLES[3] as string],
    }),
  )
    .addOption(choice("--role <role>", "the new role (required)", ROLES).makeOptionMandatory())
    .action((options: UserOptions) => withUsers(options, setRole));
}

function creating(command: Command): void {
  explain(command, {
    summary: "create a user, and its tenant if it does not exist",
    description: "Creates a user of the console, and its tenant if it does not exist.",
    remarks: "Without --password-stdin, a password is generated and printed once.",
    examples: EXAMPLES.slice(0, 2),
  });
  const roleDefault = "default: owner for the first of a tenant, else member";
  const planDefault = `the one it has, else the highest of its keys, else ${PLAN_DEFAULT}`;
  givingPassword(named(command))
    .option("--tenant <name>", "the tenant", "default")
    .addOption(choice("--role <role>", `what the user may do (${roleDefault})`, ROLES))
    .addOption(
      choice("--plan <plan>", `plan of the tenant's console (default: ${planDefault})`, PLAN_NAMES),
    )
    .action((options: UserOptions) => withUsers(options, create, "make"));
}

function common(command: Command): Command {
  return command
    .option("--data-dir <dir>", DATA_DIR_TEXT)
    .option("--json", "print one JSON document");
}

function named(command: Command): Command {
  return common(command).requiredOption("--email <address>", "e-mail of the user (required)");
}

function givingPassword(command: Command): Command {
  return command.option(
    "--password-stdin",
    "read the password from standard input (default: generate and print one)",
  );
}

/** Opens the users for `work`; converts refusals to command errors with an exit code. */
async function withUsers(
  options: UserOptions,
  work: (users: Users, options: UserOptions) => Promise<void> | void,
  absent: Absent = "refuse",
): Promise<void> {
  try {
    await withDatabase(options, async (database) => work(openUsers(database), options), absent);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const refused = error.errors.every(({ code }) => REFUSALS.includes(code));
    throw new CommandError(error.message, refused ? 1 : 2);
  }
}

async function create(users: Users, options: UserOptions): Promise<void> {
  const { email = "", tenant = "default", role, plan } = options;
  const password = givenPassword(options);
  const wanted = { email, tenant: { name: tenant }, role, plan, password };
  const secret = new SecretPrint("User not created");
  try {
    await users.create({ ...wanted, planOtherwise: PLAN_DEFAULT }, (made) => {
      if (made.planAssumed) {
        stderr.print(`plan ${PLAN_DEFAULT}: the default; --plan takes another\n`);
      }
      showPassword(users, { ...made, verb: "made" }, { options, secret });
    });
  } catch (error) {
    throw secret.undone(error);
  }
}

async function passwd(users: Users, options: UserOptions): Promise<void> {
  const user = pick(users, options);
  const verb = "signed out everywhere; it has a new password";
  const secret = new SecretPrint("The password was not changed");
  try {
    await users.setPassword(user, givenPassword(options), (password) =>
      showPassword(users, { user, password, verb }, { options, secret }),
    );
  } catch (error) {
    throw secret.undone(error);
  }
}

/** Prints a generated password; it cannot be shown again. */
function showPassword(
  users: Users,
  changed: { readonly user: User; readonly password: string | null; readonly verb: string },
  { options, secret }: { readonly options: UserOptions; readonly secret: SecretPrint },
): void {
  const { user, password, verb } = changed;
  if (options.json) {
    const facts = described(users, user);
    if (password === null) print(facts);
    else secret.document({ ...facts, password });
    return;
  }
  const shown = password === null ? "" : " Its password is shown only now:";
  const plan = users.consolePlan(user.tenantId);
  const facts = `${user.role} of tenant ${user.tenant}, plan ${plan}`;
  stderr.print(`user ${user.email} (${facts}) is ${verb}.${shown}\n`);
  if (password !== null) secret.text(password);
}

function disable(users: Users, options: UserOptions): void {
  users.disable(pick(users, options));
  report(users, options);
}

function enable(users: Users, options: UserOptions): void {
  users.enable(pick(users, options));
  report(users, options);
}

function setRole(users: Users, options: UserOptions): void {
  users.setRole(pick(users, options), options.role ?? "");
  report(users, options);
}

function report(users: Users, options: UserOptions): void {
  const user = pick(users, options);
  if (options.json) print(described(users, user));
  else {
    stderr.print(`user ${user.email} is ${user.state}, ${user.role} of tenant ${user.tenant}.\n`);
  }
}

function list(options: UserOptions): void {
  withDatabase(
    options,
    (database) => {
      const { tenant } = options;
      const keys = new KeyStore(database);
      const tenantId = tenant === undefined ? undefined : tenantNamed(keys.tenants(), tenant).id;
      const users = openUsers(database);
      const rows = users.list(tenantId).map((user) => described(users, user));
      if (options.json) {
        print({ users: rows });
        return;
      }
      if (rows.length === 0) stderr.print("There are no users yet: peneira user create\n");
      const shown = rows.map((row) => ({ ...row, last_seen_at: row.last_seen_at ?? "never" }));
      if (rows.length > 0) {
        stdout.print(printTable(shown, COLUMNS, Number.POSITIVE_INFINITY));
      }
    },
    "read",
  );
}

/** Returns the named user. Throws `CommandError` with the nearest name if there is none. */
function pick(users: Users, { email = "" }: UserOptions): User {
  const found = users.named(email);
  if (found !== undefined) return found;
  const all = users.list().map((user) => user.email);
  throw new CommandError(
    `There is no user ${email}${didYouMean(email, all, ".")} See: peneira user list`,
  );
}

function described(users: Users, user: User) {
  return {
    user_id: user.id,
    email: user.email,
    tenant: user.tenant,
    role: user.role,
    state: user.state,
    plan: users.consolePlan(user.tenantId),
    created_at: new Date(user.createdAt).toISOString(),
    last_seen_at: user.lastSeenAt === null ? null : new Date(user.lastSeenAt).toISOString(),
  };
}

/** Returns the password on standard input if --password-stdin is given. */
function givenPassword({ passwordStdin }: UserOptions): string | undefined {
  if (passwordStdin !== true) return undefined;
  if (isatty(0)) {
    throw new CommandError("Send the password to standard input: … --password-stdin < FILE", 2);
  }
  try {
    const bytes = readSmallFile(0, SMALL_FILE_BYTES.secret);
    return bytes.toString("utf8").replace(/\r?\n$/, "");
  } catch (error) {
    if (!(error instanceof FileTooLong)) throw error;
    throw new CommandError(`Standard input is not a password: ${error.message}.`, 2, error);
  }
}

function print(document: object): void {
  stdout.data(`${JSON.stringify(document)}\n`);
}
