/**
 * Runs the console in a real browser. It starts a server as an operator does, creates users, and
 * opens pages in Chromium. A page with its own browser session is called a visit.
 * Invariant: a visit records every console message, page error, report of the
 * Content-Security-Policy, and request to another server. `quiet` fails if any of these was not
 * expected by the test.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { Keyring } from "../../../src/access/keyring.ts";
import { openUsers } from "../../../src/cli/support/state.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";
import { ROOT } from "../house/checkout.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../sample/snapshot.ts";
import { type ServerProcess, startServerProcess, stopServerProcess } from "../server/process.ts";

/** The path of Chromium on Debian. */
export const CHROMIUM = "/usr/bin/chromium";
/**
 * Milliseconds that a test's step in the page may take. The limit guards against a hang and does
 * not measure speed: a shared machine can stall for 24 s.
 */
const STEP_MS = 120_000;
/** The browser logs this message for every error status, even if the page expects it. */
const STATUS_LINE = /^Failed to load resource: the server responded with a status of (\d+)/;

/** The page may write to the clipboard but not read it, so this script records its writes. */
const NOTE_COPIES = `
  if (navigator.clipboard !== undefined) {
    const write = navigator.clipboard.writeText.bind(navigator.clipboard);
    navigator.clipboard.writeText = (text) => {
      globalThis.lastCopied = text;
      return write(text);
    };
  }`;

/** A user who signs in. */
export interface Person {
  readonly email: string;
  readonly password: string;
}

/** Start options. */
export interface ConsoleOptions {
  readonly accounts?: number;
  readonly seed?: number;
  readonly settings?: Readonly<Record<string, string>>;
  /** Makes another snapshot from the sample, to be served instead of the sample's. */
  readonly snapshot?: (sample: SampleSnapshot) => string;
}

/** A served console. */
export class ServedConsole {
  readonly sample: SampleSnapshot;
  readonly #options: ConsoleOptions;
  server!: ServerProcess;

  private constructor(sample: SampleSnapshot, options: ConsoleOptions) {
    this.sample = sample;
    this.#options = options;
  }

  /** Builds the page if needed, makes a snapshot, and serves it. */
  static async start(options: ConsoleOptions = {}): Promise<ServedConsole> {
    buildConsole();
    const sample = await makeSampleSnapshot(options.accounts ?? 3_000, options.seed ?? 6);
    const served = new ServedConsole(sample, options);
    await served.#serve();
    return served;
  }

  async #serve(): Promise<void> {
    const { snapshot, settings } = this.#options;
    this.server = await startServerProcess({
      snapshot: snapshot?.(this.sample) ?? this.sample.snapshot,
      dataDir: this.dataDir,
      ...(settings === undefined ? {} : { settings }),
    });
  }

  get base(): string {
    return this.server.base;
  }

  get dataDir(): string {
    return join(this.sample.folder, "state");
  }

  /** Creates a user in the data directory, which the running server notices. */
  async user(email: string, role: "owner" | "member" = "owner", tenant = "default") {
    const password = `${email} signs in with this`;
    await this.#withState((database) =>
      openUsers(database).create({ email, tenant: { name: tenant }, role, password }),
    );
    return { email, password } satisfies Person;
  }

  /** Creates an API key of a plan. The tenant's console then has this plan. */
  async key(plan: string, tenant = "default"): Promise<string> {
    return await this.#withState((database) => {
      const keyring = new Keyring(new KeyStore(database), systemClock);
      return keyring.create({ tenant, plan, name: `key of ${plan}` }).key;
    });
  }

  async #withState<Value>(work: (database: StateDatabase) => Value | Promise<Value>) {
    const database = openDatabase(this.dataDir);
    try {
      return await work(database);
    } finally {
      database.close();
    }
  }

  /** Stops the server and starts another one on the same data, at another port. */
  async restart(): Promise<void> {
    await stopServerProcess(this.server);
    await this.#serve();
  }

  async stop(): Promise<void> {
    await stopServerProcess(this.server);
    this.sample.dispose();
  }
}

/** Builds the console unless the build matches the checkout. */
export function buildConsole(): void {
  const build = [join(ROOT, "build.mjs"), "console"];
  execFileSync(process.execPath, build, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
}

/** Chromium, or undefined if it is missing. */
export async function openBrowser(): Promise<Browser | undefined> {
  if (!existsSync(CHROMIUM)) return undefined;
  return await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
}

/** A browser's settings. */
export interface VisitOptions {
  readonly locale?: string;
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** A script that runs in every page before the page's own code. */
  readonly before?: string;
}

/** A private browser session of one user, with one page. */
export class Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly base: string;
  /** Unexpected events. */
  readonly offences: string[] = [];
  /** Method and address of every request. Addresses on the server are shown as paths. */
  readonly requests: string[] = [];
  readonly #expected: RegExp[] = [];

  private constructor(base: string, context: BrowserContext, page: Page) {
    this.base = base;
    this.context = context;
    this.page = page;
  }

  /** Opens an empty page. */
  static async open(browser: Browser, base: string, options: VisitOptions = {}): Promise<Visit> {
    const { locale = "pt-BR", width = 1440, height = 900, dark = false, before } = options;
    const context = await browser.newContext({
      locale,
      viewport: { width, height },
      colorScheme: dark ? "dark" : "light",
      reducedMotion: "reduce",
      acceptDownloads: true,
    });
    context.setDefaultTimeout(STEP_MS);
    await context.grantPermissions(["clipboard-write"], { origin: base });
    await context.addInitScript(NOTE_COPIES);
    if (before !== undefined) await context.addInitScript(before);
    const page = await context.newPage();
    const visit = new Visit(base, context, page);
    visit.#listen();
    return visit;
  }

  #listen(): void {
    const { page, offences } = this;
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) offences.push(message.text());
    });
    page.on("pageerror", (error) => offences.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
      offences.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      const url = request.url();
      if (url.startsWith("data:") || url.startsWith("blob:")) return;
      if (!url.startsWith(`${this.base}/`)) offences.push(`request to ${url}`);
      this.requests.push(`${request.method()} ${url.slice(this.base.length)}`);
    });
  }

  /** Goes to a path of the console. */
  async go(path = "/app"): Promise<void> {
    await this.page.goto(this.base + path, { waitUntil: "load" });
  }

  /** Signs in without the form, as if the user had visited before. The page is not loaded yet. */
  async signedIn({ email, password }: Person): Promise<this> {
    const answer = await this.context.request.post(`${this.base}/v1/console/session`, {
      data: { email, password },
      headers: { origin: this.base, "sec-fetch-site": "same-origin" },
    });
    assert.equal(answer.status(), 200, await answer.text());
    return this;
  }

  /** Requests console routes outside the page, with its cookie. */
  async getJson<Value>(path: string): Promise<Value> {
    const answer = await this.context.request.get(`${this.base}/v1/console${path}`);
    assert.equal(answer.status(), 200, await answer.text());
    return (await answer.json()) as Value;
  }

  /** Sends to the console's routes outside the page, with its cookie and its CSRF token. */
  async send<Value>(path: string, body: object): Promise<Value> {
    const { csrf_token: token = "" } = await this.getJson<{ csrf_token?: string }>("/session");
    const answer = await this.context.request.post(`${this.base}/v1/console${path}`, {
      data: body,
      headers: {
        "x-csrf-token": token,
        origin: this.base,
        "idempotency-key": `beside-${performance.now()}`,
      },
    });
    assert.ok(answer.ok(), await answer.text());
    return (await answer.json()) as Value;
  }

  /** Marks answers with a status, or messages that match a pattern, as expected. */
  expect(...what: (number | RegExp)[]): void {
    for (const one of what) {
      this.#expected.push(typeof one === "number" ? new RegExp(`status of ${one}`) : one);
    }
  }

  /** Fails if anything unexpected happened. */
  quiet(): void {
    const left = this.offences.filter((text) => !this.#expected.some((one) => one.test(text)));
    assert.deepEqual(left, []);
  }

  /** Returns the error statuses of answers that the browser reported, in order. */
  refusals(): number[] {
    return this.offences.flatMap((text) => Number(STATUS_LINE.exec(text)?.[1] ?? []) || []);
  }

  /** Ends the visit. Fails the test if anything unexpected happened. */
  async close(): Promise<void> {
    await this.context.close();
    this.quiet();
  }
}

/** Repeats a check until it passes. After the timeout, throws the error of the last attempt. */
export async function eventually(check: () => Promise<void>, timeoutMs = STEP_MS): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
