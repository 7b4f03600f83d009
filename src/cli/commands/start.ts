/**
 * What comes in: a folder that may be empty.
 * What goes out: `npm start`: a demo snapshot if there is none, a running server, its address, how
 * to sign in to the console, an API key and a curl line that answers.
 * Invariant: everything goes through the public commands, so what works here works for a user; a
 * demo is only used when its import has finished, and an interrupted one begins again.
 */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { Command } from "commander";
import { Keyring } from "../../access/keyring.ts";
import { wordFor } from "../../amounts.ts";
import { systemClock } from "../../clock.ts";
import { TRANSPORTS } from "../../settings.ts";
import { openDatabase, type StateDatabase } from "../../store/database.ts";
import { KeyStore } from "../../store/keystore.ts";
import { choice } from "../support/helptext.ts";
import { openUsers } from "../support/state.ts";
import { registerImport } from "./import.ts";
import { registerSample } from "./sample.ts";
import { type ServeOptions, serve } from "./serve.ts";

/** Keys of this name are made by every start, and stopped by the next one. */
const KEY_NAME = "npm start";
/** Tenant of the demo, and who signs in to its console. */
const TENANT = "demo";
const EMAIL = "demo@example.com";
const SEED = "1";
/** The import takes the month of a release from the name of its folder. */
const LABEL = "2026-10";

interface StartOptions extends ServeOptions {
  readonly dir: string;
  readonly accounts: string;
}

/** Adds `peneira start`, the command behind `npm start`; it is not listed in the help. */
export function registerStart(program: Command): void {
  program
    .command("start", { hidden: true })
    .description("make a demo snapshot if there is none, and serve it")
    .option("--dir <folder>", "where the demo lives", ".peneira")
    .option("--accounts <n>", "accounts of a new demo snapshot", "200000")
    .option("--listen <host:port>", "address of the server")
    .addOption(choice("--transport <name>", "what speaks HTTP", TRANSPORTS))
    .action(start);
}

async function start({ dir, accounts, ...flags }: StartOptions): Promise<void> {
  const snapshot = path.join(dir, "demo.peneira");
  const dataDir = path.join(dir, "state");
  mkdirSync(dir, { recursive: true });
  if (!existsSync(snapshot)) await makeDemo(dir, snapshot, accounts);
  // Before the server starts, because a server without keys makes one of its own.
  const entry = await freshEntry(dataDir);
  await serve({ ...flags, snapshot, dataDir }, (url) => {
    process.stderr.write(greeting(url, entry, dataDir));
  });
}

/** Dump and import, as a person would do it; the dump goes away with the demo made. */
async function makeDemo(dir: string, snapshot: string, accounts: string): Promise<void> {
  const dump = path.join(dir, LABEL);
  rmSync(dump, { recursive: true, force: true });
  const companies = wordFor(Number(accounts), "company", "companies");
  process.stderr.write(`making a demo of ${accounts} invented ${companies} in ${dir}\n`);
  const size = ["--establishments", accounts, "--seed", SEED, "--label", LABEL];
  await run(registerSample, ["sample", "--out", dump, ...size]);
  await run(registerImport, ["import", dump, "--out", snapshot]);
  rmSync(dump, { recursive: true, force: true });
}

async function run(register: (program: Command) => void, args: string[]): Promise<void> {
  const program = new Command("peneira").exitOverride();
  register(program);
  await program.parseAsync(args, { from: "user" });
}

/** What a person needs to get in. */
interface Entry {
  readonly key: string;
  readonly password: string;
}

/** What is stored are hashes, which cannot be shown again: every start makes both anew. */
async function freshEntry(dataDir: string): Promise<Entry> {
  const database = openDatabase(dataDir);
  try {
    return { key: freshKey(database), password: await freshPassword(database) };
  } finally {
    database.close();
  }
}

function freshKey(database: StateDatabase): string {
  const keyring = new Keyring(new KeyStore(database), systemClock);
  for (const row of keyring.list()) {
    if (row.name === KEY_NAME && row.state === "active") keyring.disable(row);
  }
  return keyring.create({ tenant: TENANT, plan: "enterprise", name: KEY_NAME }).key;
}

async function freshPassword(database: StateDatabase): Promise<string> {
  const users = openUsers(database);
  const known = users.named(EMAIL);
  if (known === undefined) {
    const made = await users.create({ email: EMAIL, tenant: { name: TENANT } });
    return made.password as string;
  }
  users.enable(known);
  return (await users.setPassword(known)) as string;
}

function greeting(url: string, { key, password }: Entry, dataDir: string): string {
  const spec = {
    filters: {
      industry: { cnae_any_of: ["4781-4/00"] },
      geo: { uf_any_of: ["SP", "MG"] },
      company: { registration_status_any_of: [2] },
    },
  };
  const fields = ["cnpj", "legal_name", "municipality_name", "uf", "started_on", "score"];
  const here = path.relative(".", process.argv[1] ?? "peneira");
  const program = here.includes(path.sep) ? here : `./${here}`;
  const body = JSON.stringify({ spec, limit: 3, output: { format: "json", fields } });
  return `
Peneira is ready at ${url}

Console: ${url}/app
  e-mail    ${EMAIL}
  password  ${password}

API key, valid like the password until the next npm start:
  ${key}
Lasting ones:
  ${program} user create --data-dir ${dataDir} --email you@example.com
  ${program} key create --data-dir ${dataDir} --plan enterprise

Active clothes shops of two states, best first:
  curl -s ${url}/v1/accounts/search -H 'Authorization: Bearer ${key}' \\
    -H 'Content-Type: application/json' -d '${body}'

Ctrl-C stops the server.
`;
}
