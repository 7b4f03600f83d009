/**
 * The process that a crash run kills. Starts the bundle with kill points on a snapshot and a data
 * directory, sends requests, and reports how the process ended.
 * Invariant: the program equals the shipped one except for the kill points, and nothing of it is
 * imported. Processes are ended by their own ids, and the next start waits for the end.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../../support/house/checkout.ts";
import { EXECUTABLE } from "../../support/server/process.ts";
import { SETTINGS_OF_RUN, TENANTS } from "./plan.ts";
import { Gone, must } from "./violation.ts";

const BUNDLE = join(ROOT, ".cache", "crash", "peneira");

/**
 * The killed program and its arguments: the bundle made by `buildVictim`, or the executable in
 * TEST_PRODUCT, such as that of `node build.mjs executable --faults`.
 */
export function victim(args: readonly string[]): [file: string, args: string[]] {
  return EXECUTABLE === null ? [process.execPath, [BUNDLE, ...args]] : [EXECUTABLE, [...args]];
}

/** Maximum milliseconds until a process has an address. A slower one counts as hanging. */
const START_MS_MAX = 60_000;
/**
 * Maximum milliseconds from a lost connection to the end of the process. If the process lives
 * longer, nothing explains the loss, which is then a violation.
 */
const DEATH_MS_MAX = 5_000;
/** Maximum milliseconds for a request. Requests that wait for an export do so for up to 20 s. */
const REQUEST_MS_MAX = 60_000;
/** Maximum number of characters of output that are kept. */
const OUTPUT_MAX = 20_000;

/** How a process ended. */
export interface Death {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** An answer with the times of request and arrival, in milliseconds since the epoch. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** A request. It has the tenant's key, unless the tenant is null. */
export interface RequestOptions {
  readonly method?: string;
  readonly tenant: number | null;
  readonly body?: object;
  /** A body of bytes, with its media type in the headers. */
  readonly file?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Options of a server's start. */
export interface StartOptions {
  readonly snapshot: string;
  readonly dataDir: string;
  readonly keys: readonly string[];
  /** `point:n`, or none. */
  readonly fault?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Bundles the program with its kill points, unless the bundle exists. */
export function buildVictim(): void {
  const build = [join(ROOT, "build.mjs"), "bundle", "--faults"];
  execFileSync(process.execPath, build, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
}

/** Makes the data directory with one key for each tenant. Returns the keys. */
export function makeKeys(dataDir: string): string[] {
  return TENANTS.map(({ name, plan }) => {
    const command = ["key", "create", "--data-dir", dataDir, "--tenant", name, "--plan", plan];
    const text = execFileSync(...victim([...command, "--json"]), {
      encoding: "utf8",
    });
    return (JSON.parse(text) as { key: string }).key;
  });
}

/** A server process. */
export class Server {
  readonly base: string;
  readonly death: Promise<Death>;
  readonly #child: ChildProcess;
  readonly #keys: readonly string[];
  readonly #output: () => string;

  private constructor(child: ChildProcess, base: string, rest: Booting) {
    this.#child = child;
    this.base = base;
    this.death = rest.death;
    this.#keys = rest.keys;
    this.#output = rest.output;
  }

  /** Starts a process. Returns the server when it answers, or how the process ended. */
  static async start(options: StartOptions): Promise<Server | Death> {
    const { snapshot, dataDir, fault } = options;
    const where = ["--snapshot", snapshot, "--data-dir", dataDir, "--listen", "127.0.0.1:0"];
    const { FAULT: _, ...inherited } = process.env;
    const env = { ...inherited, ...SETTINGS_OF_RUN, ...options.env };
    const child = spawn(...victim(["serve", ...where]), {
      env: fault === undefined ? env : { ...env, FAULT: fault },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const booting = watch(child, options.keys);
    const timer = setTimeout(() => child.kill("SIGKILL"), START_MS_MAX);
    const first = await Promise.race([booting.base, booting.death]);
    clearTimeout(timer);
    return typeof first === "string" ? new Server(child, first, booting) : first;
  }

  /** Id of the process. */
  get pid(): number {
    return this.#child.pid as number;
  }

  /** Returns the last part of the process's output. */
  get output(): string {
    return this.#output();
  }

  /** True while the process has not ended. */
  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Ends the process by a signal and waits for its end. */
  async end(signal: NodeJS.Signals): Promise<Death> {
    this.#child.kill(signal);
    return this.death;
  }

  /** Sends a signal without waiting. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /**
   * Sends a request. Throws `Gone` if the process died or was stopped during the request. Throws
   * `Violation` if a live process lost a connection, or if the answer is not excused.
   */
  async request(path: string, options: RequestOptions): Promise<Reply> {
    const { method = "GET", tenant, body, file, headers = {} } = options;
    const sentAt = Date.now();
    const key = tenant === null ? undefined : (this.#keys[tenant] as string);
    try {
      const response = await fetch(this.base + path, {
        method,
        redirect: "manual",
        signal: AbortSignal.timeout(REQUEST_MS_MAX),
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(file === undefined ? {} : { body: new Uint8Array(file) }),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      const { status } = response;
      return { status, headers: response.headers, body: bytes, sentAt, receivedAt: Date.now() };
    } catch (error) {
      throw await this.#explain(error, `${method} ${path}`);
    }
  }

  async #explain(error: unknown, request: string): Promise<Error> {
    const died = await Promise.race([this.death.then(() => true), sleep(DEATH_MS_MAX, false)]);
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    must(
      died,
      "I10",
      `${request} failed (${String(cause)}) though the process lives:\n${this.output}`,
    );
    return new Gone(request);
  }
}

/** A starting process that has no address yet. */
interface Booting {
  readonly base: Promise<string>;
  readonly death: Promise<Death>;
  readonly keys: readonly string[];
  readonly output: () => string;
}

function watch(child: ChildProcess, keys: readonly string[]): Booting {
  let text = "";
  assert(child.stdout !== null && child.stderr !== null);
  const base = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        text = (text + chunk.toString()).slice(-OUTPUT_MAX);
        const line = /^listening on (http:\/\/\S+)$/m.exec(text)?.[1];
        if (line !== undefined) resolve(line);
      });
    }
  });
  const death = new Promise<Death>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  return { base, death, keys, output: () => text };
}
