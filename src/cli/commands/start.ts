/**
 * `npm start`: makes a demo snapshot if there is none, and serves it. Prints the address, a
 * link that signs in to the console, an API key, and a working curl command. Requests are not
 * printed.
 * Invariant: the demo uses only commands that users have too. A demo snapshot is used only if its
 * import finished. An interrupted import starts over.
 */
import { existsSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { Command } from "commander";
import { CommandError } from "../../errors.ts";
import { makeFolders } from "../../files/newfolder.ts";
import { fileOfLog } from "../../process/log.ts";
import { stderr } from "../../process/terminal.ts";
import { TRANSPORTS } from "../../settings/settings.ts";
import { wordFor } from "../../text/amounts.ts";
import { claimDemo, demoEntry, EMAIL, type Entry, noteRunning } from "../serving/demo.ts";
import { choice } from "../support/helptext.ts";
import { registerImport } from "./import.ts";
import { registerSample } from "./sample.ts";
import { type ServeOptions, serve } from "./serve.ts";

const SEED = "1";
/** Name of the demo's release folder. The import derives the month from it. */
const LABEL = "2026-10";
/** Max bytes of the request log before it starts over. */
const LOG_BYTES_MAX = 64 * 1024 * 1024;

/** Parts of the demo that build.mjs makes separately, in parallel with its other steps. */
const PARTS = ["dump", "snapshot"] as const;

interface StartOptions extends ServeOptions {
  readonly dir: string;
  readonly accounts: string;
  readonly only?: (typeof PARTS)[number];
}

/** Adds `peneira start`, the command of `npm start`. The help does not list it. */
export function registerStart(program: Command): void {
  program
    .command("start", { hidden: true })
    .description("make a demo snapshot if there is none, and serve it")
    .option("--dir <folder>", "where the demo lives", ".peneira")
    .option("--accounts <n>", "accounts of a new demo snapshot", "200000")
    .option("--listen <host:port>", "address of the server")
    .addOption(choice("--transport <name>", "HTTP implementation", TRANSPORTS))
    .addOption(choice("--only <part>", "make this part of the demo, and end", PARTS))
    .action(start);
}

async function start({ dir, accounts, only, ...flags }: StartOptions): Promise<void> {
  refuseOwnPlaces();
  const demo = { dump: path.join(dir, LABEL), snapshot: path.join(dir, "demo.peneira") };
  makeFolders(dir);
  if (existsSync(demo.snapshot) && !statSync(demo.snapshot).isFile()) {
    throw new CommandError(
      `${demo.snapshot} is not a file. Move it away; the next start makes another demo.`,
    );
  }
  if (only === "dump") return makeDump(demo.dump, accounts);
  if (only === "snapshot") return makeSnapshot(demo);
  if (!existsSync(demo.snapshot)) {
    await makeDump(demo.dump, accounts);
    await makeSnapshot(demo);
  }
  const dataDir = path.join(dir, "state");
  const log = path.join(dir, "requests.log");
  // The key and password are made before the server starts, because a server without keys would
  // create a key itself. The lock is exclusive, because concurrent starts would disable each
  // other's keys, and is held until the server ends.
  const claimed = await claimDemo(dir, dataDir);
  const entry = await demoEntry(dataDir, path.join(dir, "entry.json"));
  const served = { ...flags, snapshot: demo.snapshot, dataDir };
  await serve(served, {
    claimed,
    logTo: fileOfLog(log, LOG_BYTES_MAX),
    onReady(url, { sessions }) {
      noteRunning(dir, url);
      const link = `${url}/app#signin=${sessions.linkFor(entry.userId)}`;
      stderr.print(greeting({ url, link, dataDir, log, ...entry }));
    },
  });
}

/** Refuses environment variables that name paths, because the demo has its own paths. */
function refuseOwnPlaces(): void {
  const named = ["PENEIRA_SNAPSHOT", "PENEIRA_DATA_DIR"].filter((name) => process.env[name]);
  if (named.length === 0) return;
  const words = `${named.join(" and ")} would be ignored: this serves a demo of its own.`;
  throw new CommandError(`${words} Use peneira serve, or take them out of the environment.`, 2);
}

/** Makes the dump with a public command. First removes the remains of an interrupted run. */
async function makeDump(dump: string, accounts: string): Promise<void> {
  rmSync(dump, { recursive: true, force: true });
  const companies = wordFor(Number(accounts), "company", "companies");
  const dir = path.dirname(dump);
  stderr.print(`making a demo of ${accounts} invented ${companies} in ${dir}\n`);
  const size = ["--establishments", accounts, "--seed", SEED, "--label", LABEL];
  await run(registerSample, ["sample", "--out", dump, ...size]);
}

async function makeSnapshot(demo: { readonly dump: string; readonly snapshot: string }) {
  await run(registerImport, ["import", demo.dump, "--out", demo.snapshot]);
  rmSync(demo.dump, { recursive: true, force: true });
}

async function run(register: (program: Command) => void, args: string[]): Promise<void> {
  const program = new Command("peneira").exitOverride();
  register(program);
  await program.parseAsync(args, { from: "user" });
}

interface Started extends Entry {
  readonly url: string;
  readonly link: string;
  readonly dataDir: string;
  readonly log: string;
}

function greeting({ url, link, key, password, dataDir, log }: Started): string {
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

Console, signed in (once, within ten minutes):
  ${link}
Console: ${url}/app
  e-mail    ${EMAIL}
  password  ${password ?? "the one that you have set"}

API key:
  export KEY=${key}
Active clothes shops of two states, best first:
  curl -s ${url}/v1/accounts/search -H 'Authorization: Bearer ${key}' \\
    -H 'Content-Type: application/json' -d '${body}'

Key and password stay the same in this checkout. Others:
  ${program} user create --data-dir ${dataDir} --email you@example.com
  ${program} key create --data-dir ${dataDir} --plan enterprise
Requests are logged to ${log}.
Ctrl-C stops the server.
`;
}
