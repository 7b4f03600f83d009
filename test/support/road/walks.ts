/**
 * Traces the path of a request: starts a recording server and reports the files and functions that
 * run for one request, in order.
 * Invariant: a function counts only if it ran in every round. Functions of the server's
 * timers, which also run in every period without requests, do not count. A function must have run
 * by the end of the turn of the event loop in which the answer was sent, so the render of an export
 * never counts. Each round sends a new request, because answers are cached.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { type Recorded, type Recording, startRecording } from "./recordingserver.ts";

/** A request that differs in every round. */
export interface Walk {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly status: number;
  /** Returns the body of a round; undefined if the request has none. */
  readonly body?: (round: number) => unknown;
  /** Number of times that the same body is sent before the recorded request. The default is 0. */
  readonly before?: number;
}

/** The files and functions that run for one request. */
export interface Road {
  /** Files in the order of their first function, each with its functions. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  /** Number of function calls in the last round. */
  readonly calls: number;
}

const ROUNDS = 5;
/** Milliseconds of an idle period, longer than the period of any timer in all rounds. */
const IDLE_MS = 500;
const IDLE_WINDOWS = 6;
/** Maximum number of idle periods until the translator is ready. */
const WARM_WINDOWS_MAX = 60;
/** The function that runs when an answer is sent. */
const ANSWERED = "src/http/server/telemetry.ts:answered";
const ACTIVITIES = ["4781400", "5611201", "4721102", "4771701", "9602501", "4712100", "5611203"];

const spec = (round: number) => ({
  filters: {
    industry: { cnae_any_of: [ACTIVITIES[round % ACTIVITIES.length]] },
    geo: { uf_any_of: ["SP", "MG"] },
    company: { registration_status_any_of: [2] },
  },
});

/** The requests for which a test limits the number of files in their path. */
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
  /** Without a limit, the server also counts the matches. */
  wholeExport: {
    method: "POST",
    path: "/v1/exports",
    status: 201,
    body: (round) => ({ spec: spec(round), output: { format: "csv" } }),
  },
  healthz: { method: "GET", path: "/healthz", status: 200 },
} as const satisfies Readonly<Record<string, Walk>>;

/** The name of a request in WALKS. */
export type WalkName = keyof typeof WALKS;

/** Traces the named paths, all on one server. The bundle must be built. */
export async function walkRoads(names: readonly WalkName[]): Promise<Map<WalkName, Road>> {
  const recording = await startRecording(2_000);
  try {
    const walker = new Walker(recording);
    await walker.idle();
    const roads = new Map<WalkName, Road>();
    for (const name of names) roads.set(name, await walker.walk(WALKS[name]));
    await walker.close();
    return roads;
  } finally {
    recording.dispose();
  }
}

class Walker {
  readonly #recording: Recording;
  /** All requests use one connection, because accepting one is not part of their path. */
  readonly #agent = new Agent({ connections: 1, pipelining: 1 });
  /** Numbers of the functions that timers run. */
  #timers: ReadonlySet<number> = new Set();

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  /**
   * Records the functions that run repeatedly while the server is idle, because they belong to no
   * path. The server prepares its translator when it is idle for the first time, so this function
   * waits until the translator is ready.
   */
  async idle(): Promise<void> {
    let warmed = false;
    for (let window = 0; window < WARM_WINDOWS_MAX; window++) {
      const isWarming = (await this.#window()).some((number) =>
        this.#recording.functions[number]?.startsWith("src/translate/"),
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

  /** Functions that run in an idle window. */
  async #window(): Promise<readonly number[]> {
    await this.#recording.begin();
    await sleep(IDLE_MS);
    return (await this.#recording.end()).ran;
  }

  async walk(walk: Walk): Promise<Road> {
    await this.#rest(walk, await this.#send(walk, ROUNDS));
    let common: readonly number[] | null = null;
    let calls = 0;
    for (let round = 0; round < ROUNDS; round++) {
      for (let i = 0; i < (walk.before ?? 0); i++) await this.#send(walk, round);
      await this.#recording.begin();
      const sent = await this.#send(walk, round);
      const recorded = await this.#recording.end();
      await this.#rest(walk, sent);
      const ran = this.#untilAnswered(recorded);
      common = common === null ? ran : common.filter((number) => ran.includes(number));
      calls = recorded.calls;
    }
    const ran = (common ?? []).filter((number) => !this.#timers.has(number));
    return { files: this.#filesOf(ran), calls };
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  /** Waits until an export is done, so that no later round is recorded during its render. */
  async #rest({ path }: Walk, sent: string): Promise<void> {
    if (path !== "/v1/exports") return;
    const { export: created } = JSON.parse(sent) as { export: { export_id: string } };
    const waiting = { method: "GET", path: `${path}/${created.export_id}?wait=60`, status: 200 };
    await this.#send(waiting as Walk, 0);
    // After a render thread has written to the database, the server reads the key's row again at
    // the next request. This request causes the read, so that no recorded round includes it.
    await this.#send({ ...waiting, path: `${path}?limit=1` } as Walk, 0);
  }

  /** Returns the functions that had run by the end of the turn in which the answer was sent. */
  #untilAnswered({ ran, seenByTurn }: Recorded): readonly number[] {
    const answered = ran.findIndex((number) => this.#recording.functions[number] === ANSWERED);
    assert.ok(answered >= 0, `${ANSWERED} runs for every answer`);
    return ran.slice(
      0,
      seenByTurn.find((seen) => seen > answered),
    );
  }

  #filesOf(ran: readonly number[]): Map<string, string[]> {
    const files = new Map<string, string[]>();
    for (const number of ran) {
      const [file = "", name = ""] = (this.#recording.functions[number] ?? "").split(":");
      files.set(file, [...(files.get(file) ?? []), name]);
    }
    return files;
  }

  async #send({ method, path, status, body }: Walk, round: number): Promise<string> {
    const answer = await request(`${this.#recording.base}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: {
        authorization: `Bearer ${this.#recording.key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(method === "POST" && path === "/v1/exports" ? { "idempotency-key": randomUUID() } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body(round)) }),
    });
    const text = await answer.body.text();
    assert.equal(answer.statusCode, status, text);
    return text;
  }
}
