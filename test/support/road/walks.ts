/**
 * Walks the road of a request: starts a recording server and reports the files and functions that
 * run for one request, in order.
 * Invariant: a function counts only if it ran in every round, and not in every idle window. This
 * excludes the timers of the server. Each round sends a new request, because answers are cached.
 */
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { ROOT } from "../house/checkout.ts";
import { makeSampleSnapshot } from "../sample/snapshot.ts";

/** A request of which every round sends another one. */
export interface Walk {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly status: number;
  /** Returns the body of a round; undefined if the request has none. */
  readonly body?: (round: number) => unknown;
  /** How often the same body is sent before the recorded time; 0 if it is missing. */
  readonly before?: number;
}

/** The road of a request. */
export interface Road {
  /** Files in the order of their first function, each with its functions. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  /** Calls of functions in the last round. */
  readonly calls: number;
}

const ROUNDS = 5;
/** Longer than the period of every timer that could run in all rounds. */
const IDLE_MS = 500;
const IDLE_WINDOWS = 6;
/** Windows in which the translator must have been made ready. */
const WARM_WINDOWS_MAX = 60;
const ACTIVITIES = ["4781400", "5611201", "4721102", "4771701", "9602501", "4712100", "5611203"];

const spec = (round: number) => ({
  filters: {
    industry: { cnae_any_of: [ACTIVITIES[round % ACTIVITIES.length]] },
    geo: { uf_any_of: ["SP", "MG"] },
    company: { registration_status_any_of: [2] },
  },
});

/** The requests whose roads are held to a number of files. */
export const WALKS = {
  search: {
    method: "POST",
    path: "/v1/accounts/search",
    status: 200,
    body: (round) => ({ spec: spec(round), limit: 10 }),
  },
  again: {
    method: "POST",
    path: "/v1/accounts/search",
    status: 200,
    body: (round) => ({ spec: spec(round), limit: 11 }),
    before: 3,
  },
  count: {
    method: "POST",
    path: "/v1/accounts/count",
    status: 200,
    body: (round) => ({ spec: spec(round) }),
  },
  export: {
    method: "POST",
    path: "/v1/exports",
    status: 201,
    body: (round) => ({ spec: spec(round), output: { format: "csv" }, limit: 100 }),
  },
  /** Without a limit the matches are counted too. */
  wholeExport: {
    method: "POST",
    path: "/v1/exports",
    status: 201,
    body: (round) => ({ spec: spec(round), output: { format: "csv" } }),
  },
  healthz: { method: "GET", path: "/healthz", status: 200 },
} as const satisfies Readonly<Record<string, Walk>>;

/** The name of a walk. */
export type WalkName = keyof typeof WALKS;

// A module of the build, in plain JavaScript.
const { buildRecorder } = (await import("./instrument.mjs" as string)) as {
  buildRecorder(wanted: {
    readonly root: string;
    readonly folder: string;
    readonly product: string;
  }): Promise<{ readonly program: string; readonly functions: readonly string[] }>;
};

/** Walks the named roads, all on one server. The bundle must have been built. */
export async function walkRoads(names: readonly WalkName[]): Promise<Map<WalkName, Road>> {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  // In the checkout, because the program imports its packages.
  const folder = mkdtempSync(join(ROOT, ".cache", "road-"));
  const sample = await makeSampleSnapshot(2_000, 5);
  const product = join(ROOT, "dist", "bundle");
  const { program, functions } = await buildRecorder({ root: ROOT, folder, product });
  const parameters = ["serve", "--snapshot", sample.snapshot, "--data-dir", join(folder, "state")];
  const child = fork(program, [...parameters, "--listen", "127.0.0.1:0"], {
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  try {
    const walker = new Walker(child, functions, await started(child));
    await walker.idle();
    const roads = new Map<WalkName, Road>();
    for (const name of names) roads.set(name, await walker.walk(WALKS[name]));
    await walker.close();
    return roads;
  } finally {
    child.kill("SIGKILL");
    sample.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Started {
  readonly base: string;
  readonly key: string;
}

/** Resolves when the server listens. */
function started(child: ChildProcess): Promise<Started> {
  let text = "";
  return new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error(`the server stopped:\n${text}`)));
    child.stderr?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const base = /^listening on (http:\/\/\S+)$/m.exec(text)?.[1];
      const key = /pnr_[0-9a-f_]+/.exec(text)?.[0];
      if (base !== undefined && key !== undefined) resolve({ base, key });
    });
  });
}

interface Recorded {
  readonly ran: number[];
  readonly calls: number;
}

class Walker {
  readonly #child: ChildProcess;
  readonly #functions: readonly string[];
  readonly #server: Started;
  /** One connection: accepting another one is no part of a request's road. */
  readonly #agent = new Agent({ connections: 1, pipelining: 1 });
  /** Functions that timers run, by number. */
  #timers: ReadonlySet<number> = new Set();

  constructor(child: ChildProcess, functions: readonly string[], server: Started) {
    this.#child = child;
    this.#functions = functions;
    this.#server = server;
  }

  /**
   * Notes what runs again and again while nothing is asked; such functions are no part of a road.
   * The server makes its translator ready when it is first idle, so that is waited for.
   */
  async idle(): Promise<void> {
    let warmed = false;
    for (let window = 0; window < WARM_WINDOWS_MAX; window++) {
      const isWarming = (await this.#window()).some((number) =>
        this.#functions[number]?.startsWith("src/translate/"),
      );
      if (warmed && !isWarming) break;
      warmed ||= isWarming;
    }
    let common = await this.#window();
    for (let window = 1; window < IDLE_WINDOWS; window++) {
      const ran = new Set(await this.#window());
      common = common.filter((number) => ran.has(number));
    }
    this.#timers = new Set(common);
  }

  /** What runs in a while without requests. */
  async #window(): Promise<readonly number[]> {
    await this.#ask("begin");
    await sleep(IDLE_MS);
    return ((await this.#ask("end")) as Recorded).ran;
  }

  async walk(walk: Walk): Promise<Road> {
    await this.#send(walk, ROUNDS);
    let common: readonly number[] | null = null;
    let calls = 0;
    for (let round = 0; round < ROUNDS; round++) {
      for (let i = 0; i < (walk.before ?? 0); i++) await this.#send(walk, round);
      await this.#ask("begin");
      await this.#send(walk, round);
      const recorded = (await this.#ask("end")) as Recorded;
      const ran = new Set(recorded.ran);
      common = common === null ? recorded.ran : common.filter((number) => ran.has(number));
      calls = recorded.calls;
    }
    const ran = (common ?? []).filter((number) => !this.#timers.has(number));
    return { files: this.#filesOf(ran), calls };
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  #filesOf(ran: readonly number[]): Map<string, string[]> {
    const files = new Map<string, string[]>();
    for (const number of ran) {
      const [file = "", name = ""] = (this.#functions[number] ?? "").split(":");
      files.set(file, [...(files.get(file) ?? []), name]);
    }
    return files;
  }

  async #ask(message: string): Promise<unknown> {
    const answer = once(this.#child, "message");
    this.#child.send(message);
    const [value] = await answer;
    return value;
  }

  async #send({ method, path, status, body }: Walk, round: number): Promise<void> {
    const answer = await request(`${this.#server.base}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: {
        authorization: `Bearer ${this.#server.key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(path === "/v1/exports" ? { "idempotency-key": randomUUID() } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body(round)) }),
    });
    const text = await answer.body.text();
    assert.equal(answer.statusCode, status, text);
  }
}
