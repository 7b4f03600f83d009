/**
 * Starts a server as a separate process, as a user does. Returns its address, its first key, and
 * functions to end it.
 * Invariant: a server that was started answers. A stopped server has exited with 0, and a killed
 * one is gone.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { join, resolve } from "node:path";
import { ROOT } from "../house/checkout.ts";

/** Path of the bundle, which tests run by default because it starts three times as fast as tsx. */
const PRODUCT = join(ROOT, "dist/bundle/peneira");

const { TEST_PRODUCT } = process.env;

/**
 * Path of an executable to test instead of the bundle. The path in TEST_PRODUCT is relative to the
 * checkout.
 */
export const EXECUTABLE = TEST_PRODUCT === undefined ? null : resolve(ROOT, TEST_PRODUCT);

/**
 * V8's flag for optimizing late, which the suite's process has (test/support/run/command.mjs), is
 * passed to the server.
 */
const V8_FLAGS = process.execArgv.filter((flag) => flag.startsWith("--interrupt-budget="));

let built = false;

/** A running server. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly base: string;
  /** A key of the enterprise plan, or "" if the data directory already had keys. */
  readonly key: string;
  readonly dataDir: string;
  /** The standard error of the server up to its first answer. */
  readonly output: string;
}

/** Start options. */
export interface ServedOptions {
  readonly snapshot: string;
  readonly dataDir: string;
  readonly transport?: string;
  /** Descriptor for the server's log, which is discarded by default. */
  readonly log?: number;
  /** Settings by their variables, such as `PENEIRA_EXPORTS_RETENTION`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Address to listen on; a free port of this machine by default. */
  readonly listen?: string;
  /** Name of the network namespace in which the server starts. */
  readonly network?: string;
  /** Another bundle of the product, such as that of an earlier release. */
  readonly program?: string;
}

/**
 * Returns the program and its arguments that run the product with `args`. The program is the
 * bundle, rebuilt if it differs from the checkout, or the executable of the variable TEST_PRODUCT.
 */
export function productCommand(args: readonly string[]): [file: string, args: string[]] {
  if (EXECUTABLE !== null) return [EXECUTABLE, [...args]];
  if (!built) {
    const build = [join(ROOT, "build.mjs"), "bundle"];
    execFileSync(process.execPath, build, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
    built = true;
  }
  return [process.execPath, [...V8_FLAGS, PRODUCT, ...args]];
}

/**
 * While suites run concurrently, a server may receive no processor time for a while. This setting
 * prevents it from counting as overloaded.
 */
const PATIENT = { PENEIRA_HTTP_OVERLOAD_LAG_MS: "30000" };

/** The transport node has one thread, and rejects a larger number from the environment. */
function threadsOf(transport: string): Readonly<Record<string, string>> {
  return transport === "node" ? { PENEIRA_HTTP_THREADS: "1" } : {};
}

function serveCommand(options: ServedOptions): [file: string, args: string[]] {
  const {
    snapshot,
    dataDir,
    transport = "uws",
    listen = "127.0.0.1:0",
    network,
    program,
  } = options;
  const parameters = ["serve", "--snapshot", snapshot, "--data-dir", dataDir];
  parameters.push("--listen", listen, "--transport", transport);
  const [file, args] =
    program === undefined
      ? productCommand(parameters)
      : [process.execPath, [...V8_FLAGS, program, ...parameters]];
  // `ip` replaces its process by the program, so signals reach the program.
  return network === undefined ? [file, args] : ["ip", ["netns", "exec", network, file, ...args]];
}

/** Starts a server on a free port. Rejects with the server's output if it exits instead. */
export async function startServerProcess(options: ServedOptions): Promise<ServerProcess> {
  const { dataDir, transport = "uws", settings = {} } = options;
  const { log = "ignore" } = options;
  const child = spawn(...serveCommand(options), {
    cwd: ROOT,
    env: { ...process.env, ...PATIENT, ...threadsOf(transport), ...settings },
    stdio: ["ignore", log, "pipe"],
  });
  assert(child.stderr !== null);
  const errors = child.stderr;
  let text = "";
  const base = await new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`the server stopped:\n${text}`)));
    errors.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const line = /^listening on (http:\/\/\S+)$/m.exec(text);
      if (line !== null) resolve(line[1] as string);
    });
  });
  letGo(child);
  return { child, base, key: /pnr_[0-9a-f_]+/.exec(text)?.[0] ?? "", dataDir, output: text };
}

/**
 * Lets the suite end without waiting for its server, and kills the server at the end. Otherwise a
 * suite that fails early would hang or leave the server running.
 */
function letGo(child: ChildProcess): void {
  child.unref();
  (child.stderr as Socket).unref();
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
}

/** Ends a server as an operator does. */
export async function stopServerProcess({ child }: ServerProcess): Promise<void> {
  assert.equal(await ended(child, "SIGTERM"), 0);
}

/** Ends a server immediately, as a crash does. */
export async function killServerProcess({ child }: ServerProcess): Promise<void> {
  await ended(child, "SIGKILL");
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const end = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.ref();
  child.kill(signal);
  return end;
}
