/**
 * A program that measures the garbage that answering a search leaves.
 * Input: the path of a snapshot, and "cached" or "new" searches. Output, as JSON: bytes on and off
 * the heap per answer, and the number of garbage collections during the count, which must be zero.
 * Invariant: the product's own code does everything (exchange over uWebSockets.js, dispatch, keys,
 * limits, engine, log, metrics). Only the library uWebSockets.js, which uses no memory of the
 * JavaScript heap, is simulated. Needs `--expose-gc` and a young generation that fits all of the
 * garbage (`FLAGS`).
 */
import { constants, PerformanceObserver } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { PUBLIC_TABLE } from "../../../src/http/api/routes.ts";
import { Budget } from "../../../src/http/server/admission.ts";
import { dispatcher } from "../../../src/http/server/dispatch.ts";
import { ResponseCache } from "../../../src/http/server/responsecache.ts";
import { Telemetry } from "../../../src/http/server/telemetry.ts";
import { Sockets } from "../../../src/http/server/transport/sockets.ts";
import { DelayedAnswers } from "../../../src/http/server/transport/transport.ts";
import { UwsConnection } from "../../../src/http/server/transport/uws-connection.ts";
import { UwsExchange } from "../../../src/http/server/transport/uws-exchange.ts";
import { openLog } from "../../../src/process/log.ts";
import { ENGINE } from "../../../src/search/finding.ts";
import { openSegment } from "../../../src/search/segment.ts";
import { startFake, TEST_LIMITS } from "./fake.ts";

/** Node's start flags. */
export const FLAGS = ["--expose-gc", "--min-semi-space-size=64", "--max-semi-space-size=64"];

/** The counts. */
export interface Counted {
  readonly heapBytes: number;
  readonly collections: number;
  readonly bodyBytes: number;
}

const WARMING = 20_000;
/** Number of answers in each round. Garbage is collected before each of the ROUNDS rounds. */
const COUNTED = 200;
const ROUNDS = 10;
/** Requests per turn, fewer than a connection may send in one turn. */
const IN_A_TURN = 10;

/** "cached" repeats a search that the response cache answers, and "new" never repeats one. */
export type Searches = "cached" | "new";

/** Number of different search bodies of equal length. Each new search sends another. */
const BODIES = WARMING + COUNTED * ROUNDS;

/** Returns the body of a search, distinct for each number. */
function bodyOf(number: number): Uint8Array {
  const cents = 10_000_000 + number;
  const filters = { geo: { uf_any_of: ["SP", "RJ", "MG"] }, company: { share_capital_max: cents } };
  return new Uint8Array(Buffer.from(JSON.stringify({ spec: { filters }, limit: 50 })));
}

/** Simulates the library's side of one connection on which a request is always waiting. */
function librarySide(key: string, searches: Searches) {
  // Allocated before the count, because the real library's bytes are not on the heap either.
  const length = searches === "new" ? BODIES : 1;
  const bodies = Array.from({ length }, (_, number) => bodyOf(number));
  const [bytes = new Uint8Array()] = bodies;
  let next = 0;
  const head: readonly (readonly [string, string])[] = [
    ["host", "127.0.0.1:8080"],
    ["authorization", `Bearer ${key}`],
    ["content-type", "application/json"],
    ["content-length", String(bytes.byteLength)],
  ];
  const request = {
    getCaseSensitiveMethod: () => "POST",
    getUrl: () => "/v1/accounts/search",
    getQuery: () => undefined,
    forEach(each: (name: string, value: string) => void) {
      for (const line of head) each(line[0], line[1]);
    },
  };
  // The library sends status 200 if the product sets none.
  const seen = { status: "200 OK", bytes: 0 };
  const response = {
    onAborted() {},
    onData: (handler: (chunk: ArrayBuffer, isLast: boolean) => void) => {
      const body = bodies[next++ % bodies.length] as Uint8Array;
      handler(body.buffer as ArrayBuffer, true);
    },
    writeStatus(status: string) {
      seen.status = status;
    },
    writeHeader() {},
    end(body?: string | Uint8Array) {
      seen.bytes = body?.length ?? 0;
    },
    endWithoutBody() {},
    cork: (write: () => void) => write(),
    close() {},
    tryEnd: (): [boolean, boolean] => [true, true],
    write: () => true,
    onWritable() {},
    pause(): void {},
    resume(): void {},
    getWriteOffset: () => 0,
  };
  return { request, response, seen };
}

/** Runs a garbage collection. The function exists only with `--expose-gc`. */
const { gc: collect } = globalThis as unknown as { readonly gc: () => void };

async function count(snapshot: string, searches: Searches): Promise<Counted> {
  const segment = await openSegment(snapshot);
  const responses = new ResponseCache(searches === "cached" ? 16_777_216 : 0);
  responses.serve(segment);
  const log = openLog("info", { write() {} });
  const engine = ENGINE;
  const parts = { engine, log, telemetry: new Telemetry(log), segment: () => segment, responses };
  const server = await startFake("uws", parts as never);
  const { request, response, seen } = librarySide(server.keys.enterprise, searches);
  const sockets = new Sockets(TEST_LIMITS);
  const seat = sockets.enter("127.0.0.1", () => {});
  if (seat === null) throw new Error("there is room for one connection");
  const connection = new UwsConnection("127.0.0.1", seat, () => {});
  const around = {
    ...{ writeTimeoutMs: 5_000, minReadBytesPerSecond: 16_384, tooSlow() {}, leaving: () => false },
    ...{ bodies: new Budget(4_194_304), held: new DelayedAnswers(), settled() {} },
  };
  const dispatch = dispatcher(server.service, PUBLIC_TABLE);
  const turns = async (times: number) => {
    for (let turn = 0; turn < times / IN_A_TURN; turn++) {
      for (let i = 0; i < IN_A_TURN; i++)
        dispatch(new UwsExchange(response, request, connection, around));
      connection.taken();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await turns(WARMING);
  if (seen.status !== "200 OK") throw new Error(`answered ${seen.status}`);
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) {
      const { flags = 0 } = detail as { readonly flags?: number };
      if ((flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) === 0) collections++;
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    collect();
    const before = process.memoryUsage().heapUsed;
    await turns(COUNTED);
    rounds.push((process.memoryUsage().heapUsed - before) / COUNTED);
  }
  await sleep(50);
  await server.close();
  segment.close();
  return {
    heapBytes: Math.round(Math.min(...rounds)),
    collections,
    bodyBytes: seen.bytes,
  };
}

const [, , snapshot, searches] = process.argv;
if (snapshot !== undefined) {
  process.stdout.write(JSON.stringify(await count(snapshot, searches as Searches)));
}
