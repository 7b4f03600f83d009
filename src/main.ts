/**
 * Entry point. Input: the arguments of `peneira`.
 * Output: the work of one command, and the exit code: 0 done, 1 failed, 2 wrong usage.
 * Invariant: only the requested command is loaded, so `peneira version` works even if the addon
 * does not load. Every failure is reported by `report`, as text on standard error.
 */
import { Command, CommanderError } from "commander";
import { VERSION } from "./cli/commands/version.ts";
import { isSystemError, refusalMessage, systemErrorText } from "./cli/support/systemerrors.ts";
import { AppError, CommandError } from "./errors.ts";
import { notWritten, storageErrorText } from "./files/storage.ts";
import { limitYoungGeneration } from "./process/heap.ts";
import { stderr, stdout } from "./process/terminal.ts";
import { damagedState, isStateDamage } from "./store/failures.ts";

type Register = (program: Command) => void;

/** Loaders of all commands, in the order of the help. */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  sample: async () => (await import("./cli/commands/sample.ts")).registerSample,
  download: async () => (await import("./cli/commands/download.ts")).registerDownload,
  update: async () => (await import("./cli/commands/update.ts")).registerUpdate,
  import: async () => (await import("./cli/commands/import.ts")).registerImport,
  inspect: async () => (await import("./cli/commands/inspect.ts")).registerInspect,
  verify: async () => (await import("./cli/commands/verify.ts")).registerVerify,
  count: async () => (await import("./cli/commands/count.ts")).registerCount,
  search: async () => (await import("./cli/commands/search.ts")).registerSearch,
  find: async () => (await import("./cli/commands/find.ts")).registerFind,
  account: async () => (await import("./cli/commands/account.ts")).registerAccount,
  districts: async () => (await import("./cli/commands/districts.ts")).registerDistricts,
  diff: async () => (await import("./cli/commands/diff.ts")).registerDiff,
  translate: async () => (await import("./cli/commands/translate.ts")).registerTranslate,
  export: async () => (await import("./cli/commands/export.ts")).registerExport,
  enrich: async () => (await import("./cli/commands/enrich.ts")).registerEnrich,
  mcp: async () => (await import("./cli/commands/mcp.ts")).registerMcp,
  serve: async () => (await import("./cli/commands/serve.ts")).registerServe,
  key: async () => (await import("./cli/commands/access/key.ts")).registerKey,
  tenant: async () => (await import("./cli/commands/access/tenant.ts")).registerTenant,
  plan: async () => (await import("./cli/commands/access/plan.ts")).registerPlan,
  user: async () => (await import("./cli/commands/access/user.ts")).registerUser,
  list: async () => (await import("./cli/commands/list.ts")).registerList,
  notices: async () => (await import("./cli/commands/notices.ts")).registerNotices,
  watch: async () => (await import("./cli/commands/watch.ts")).registerWatch,
  audit: async () => (await import("./cli/commands/access/audit.ts")).registerAudit,
  backup: async () => (await import("./cli/commands/backup.ts")).registerBackup,
  restore: async () => (await import("./cli/commands/restore.ts")).registerRestore,
  state: async () => (await import("./cli/commands/state.ts")).registerState,
  usage: async () => (await import("./cli/commands/access/usage.ts")).registerUsage,
  healthcheck: async () => (await import("./cli/commands/healthcheck.ts")).registerHealthcheck,
  openapi: async () => (await import("./cli/commands/manpage.ts")).registerOpenapi,
  config: async () => (await import("./cli/support/config.ts")).registerConfig,
  completion: async () => (await import("./cli/commands/manpage.ts")).registerCompletion,
  manpage: async () => (await import("./cli/commands/manpage.ts")).registerManpage,
  version: async () => (await import("./cli/commands/version.ts")).registerVersion,
  start: async () => (await import("./cli/commands/start.ts")).registerStart,
};

/** Commands that serve, and so keep their memory small. */
const SERVERS: ReadonlySet<string> = new Set(["serve", "start"]);

/** Commands that describe all commands, so that all must be loaded. */
const ABOUT_ALL: ReadonlySet<string> = new Set(["completion", "manpage"]);

const EXAMPLES = `
From a sample to an answer:
  $ peneira sample --out 2026-10 --establishments 200000 --seed 1
  $ peneira import 2026-10 --out companies.peneira
  $ echo '{"filters": {"geo": {"uf_any_of": ["SP"]}}}' |
      peneira search --snapshot companies.peneira --spec - --limit 10
  $ peneira key create --data-dir state
  $ peneira serve --snapshot companies.peneira --data-dir state

An account is one establishment of a company, with its own CNPJ. Settings come from flags, the
environment (PENEIRA_LISTEN, …), or a JSON file (--config);
\`peneira config\` shows them all. Exit codes: 0 done, 1 failed, 2 wrong usage.`;

// A reader that stops early, as in `peneira search … | head`, is not a failure.
stdout.onError((error) => {
  if (error.code === "EPIPE") process.exit(0);
  const reason = notWritten("Standard output", error);
  process.exit(report(reason === null ? error : new CommandError(reason, 1, error)));
});

// Messages that cannot be written are dropped; the exit code still reports the result.
stderr.onError(() => undefined);

// Without this listener, Node would print the raw error message. A server replaces it by another
// handler.
process.on("uncaughtException", (error) => {
  if (process.listenerCount("uncaughtException") === 1) process.exit(report(error));
});

void run(process.argv.slice(2));

/** A function, because the executable is a CommonJS script, which has no top-level `await`. */
async function run(given: readonly string[]): Promise<void> {
  // `--version` and `version` print the same, because bug reports start with this output.
  const named = /^(-V|--version)$/.test(given[0] ?? "") ? ["version", ...given.slice(1)] : given;
  const args = requestedHelp(named) ?? named;
  // Before the command is loaded, which would make the young generation grow.
  if (SERVERS.has(args[0] ?? "")) limitYoungGeneration();
  try {
    await (await makeProgram(args)).parseAsync(args, { from: "user" });
  } catch (error) {
    const code = report(error);
    // Does not exit if the code is 0, because the help may still be unwritten. If writing it fails,
    // the handler above exits with 1.
    if (code !== 0) process.exit(code);
  }
}

/**
 * Rewrites other requests for a command's help, such as `help search`, to `search --help`. Returns
 * null if the arguments request no help. Commander itself takes `--help` for the value of a
 * preceding option. For an unknown command, it shows the general help without naming the command.
 */
function requestedHelp(args: readonly string[]): readonly string[] | null {
  const [first, ...words] = args;
  const commandArgs = first === "help" ? words : args;
  const [command] = commandArgs;
  if (command === undefined || command.startsWith("-")) return null;
  // Commander gets only the unknown command, so it reports that the command does not exist.
  if (!Object.hasOwn(COMMANDS, command)) return [command];
  if (first === "help") return [...words, "--help"];
  const end = args.indexOf("--");
  const options = end === -1 ? args : args.slice(0, end);
  if (!options.some((one) => one === "--help" || one === "-h")) return null;
  const from = options.findIndex((one) => one.startsWith("-"));
  return [...options.slice(0, from), "--help"];
}

/** Returns the program with the requested command, or with all commands if the help needs them. */
async function makeProgram(args: readonly string[]): Promise<Command> {
  const program = new Command("peneira")
    .description("Search the registry of all Brazilian companies on your own machine.")
    .version(VERSION, "-V, --version", "print the versions; same as `peneira version`")
    .showHelpAfterError("(add --help for the usage)")
    .addHelpText("after", EXAMPLES)
    .configureOutput({
      writeOut: (text) => stdout.print(text),
      writeErr: (text) => stderr.print(text),
    })
    .exitOverride();
  const wanted = args[0] === "help" ? args[1] : args[0];
  const alone = wanted !== undefined && Object.hasOwn(COMMANDS, wanted) && !ABOUT_ALL.has(wanted);
  const load = alone ? COMMANDS[wanted] : null;
  const loaders = load ? [load] : Object.values(COMMANDS);
  for (const register of await Promise.all(loaders.map((one) => one()))) register(program);
  return program;
}

function report(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has already written its message. The exit code is 0 after a request for help or
    // version, and 2 after a mistake.
    return error.exitCode === 0 ? 0 : 2;
  }
  if (error instanceof CommandError) {
    stderr.print(`peneira: ${refusalMessage(error)}\n`);
    return error.exitCode;
  }
  const disk = storageErrorText(error);
  if (disk !== null && (!isSystemError(error) || error.path === undefined)) {
    stderr.print(`peneira: The disk refused: ${disk}\n`);
    return 1;
  }
  if (error instanceof AppError) {
    stderr.print(`peneira: ${mistakeWords(error)}\n`);
    return 1;
  }
  if (isStateDamage(error)) return report(damagedState("The state", [], error));
  if (isSystemError(error)) return report(new CommandError(systemErrorText(error), 1, error));
  stderr.print(`peneira: ${error instanceof Error ? error.stack : String(error)}\n`);
  return 1;
}

/** Returns an error's text with each mistake once. (`message` repeats the first of several.) */
function mistakeWords({ message, errors }: AppError): string {
  const count = /There are (\d+) mistakes; see errors\.$/.exec(message)?.[1];
  const withoutDescriptions = errors.filter(
    ({ detail }) => count !== undefined || !message.includes(detail),
  );
  const title = count === undefined ? message : `There are ${count} mistakes:`;
  const lines = withoutDescriptions.map(({ pointer, detail }) => `- ${pointer || "/"}: ${detail}`);
  // An error lists only the first mistakes, so the rest are counted.
  const more = Number(count ?? 0) - withoutDescriptions.length;
  return [title, ...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}
