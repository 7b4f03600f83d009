/**
 * Proves, with real server processes over uWebSockets.js: three threads answer like one, byte for
 * byte. A key's rate and concurrency limits are exact across threads, and all threads reject a
 * disabled key within 100 ms. Metrics are summed, usage is counted once, and the log has every
 * request once, in order of time. Several threads are rejected with the transport node.
 * Does not prove: shares and failures of threads (contract/http/threads), swaps and stops
 * (e2e/server/swap.test.ts and drain.test.ts, which run with any number of threads).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../../../src/store/database.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  productCommand,
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

const THREADS = "3";
const CONNECTIONS = 16;
/** Burst of a key on the free plan in this suite. It does not refill. */
const BURST = 200;
/** Concurrent requests that a key on the starter plan may have. */
const CONCURRENT = 3;
/** Milliseconds within which all threads must reject a disabled key. */
const REFUSED_MS = 100;

const SETTINGS = {
  PENEIRA_PLANS_FREE_REQUESTS_PER_SECOND: "0.001",
  PENEIRA_PLANS_FREE_BURST: String(BURST),
  PENEIRA_PLANS_FREE_CONCURRENT_REQUESTS: String(CONNECTIONS),
  PENEIRA_PLANS_STARTER_CONCURRENT_REQUESTS: String(CONCURRENT),
  PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "100000",
  PENEIRA_PLANS_ENTERPRISE_BURST: "100000",
};

let sample: SampleSnapshot;
let server: ServerProcess;
let log: string;

/** One answer. */
interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** A kept connection. */
class PersistentConnection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  send(key: string, path: string, body?: unknown, method = "POST"): Promise<Answer> {
    const text = body === undefined ? "" : JSON.stringify(body);
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const options = { agent: this.#agent, method: body === undefined ? "GET" : method, headers };
    return new Promise((resolve, reject) => {
      const requested = request(`${this.#base}${path}`, options, (response) => {
        let answered = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          answered += chunk;
        });
        response.on("end", () => {
          const { statusCode: status = 0, headers: got } = response;
          resolve({ status, headers: got, text: answered });
        });
      });
      requested.on("error", reject);
      requested.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function command(args: readonly string[]): string {
  const [file, parameters] = productCommand([...args, "--data-dir", server.dataDir]);
  const { status, stdout, stderr } = spawnSync(file, parameters, { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout;
}

function keyOf(plan: string): { readonly key: string; readonly id: string } {
  const text = command(["key", "create", "--tenant", `of-${plan}`, "--plan", plan]);
  const key = /pnr_[0-9a-f_]+/.exec(text)?.[0] ?? "";
  return { key, id: key.split("_")[1] ?? "" };
}

function connectionsTo({ base }: ServerProcess): PersistentConnection[] {
  return Array.from({ length: CONNECTIONS }, () => new PersistentConnection(base));
}

const SEARCH = { spec: { filters: { geo: { uf_any_of: ["SP", "MG"] } }, limit: 5 } };

/** Removes the differences that two answers to the same query always have. */
function withoutMoment(text: string): string {
  return text
    .replace(/"request_id":"[^"]*"/g, "")
    .replace(/"took_ms":[0-9.e-]+/g, "")
    .replace(/"next_cursor":"[^"]*"/g, '"next_cursor":"…"');
}

/** Sends requests of every kind. The receiving thread answers some and forwards others. */
async function questions(base: string, key: string): Promise<string[]> {
  const answers: string[] = [];
  const connections = Array.from({ length: 5 }, () => new PersistentConnection(base));
  let requested = 0;
  const send = async (path: string, body?: unknown): Promise<Answer> => {
    const one = connections[requested++ % connections.length] as PersistentConnection;
    const answer = await one.send(key, path, body);
    answers.push(`${path} ${answer.status} ${withoutMoment(answer.text)}`);
    return answer;
  };
  let cursor: string | null = null;
  for (let page = 0; page < 12; page++) {
    const body: object = cursor === null ? SEARCH : { ...SEARCH, cursor };
    const { text } = await send("/v1/accounts/search", body);
    const found = JSON.parse(text) as { next_cursor: string | null; accounts: { cnpj: string }[] };
    cursor = found.next_cursor;
    if (page === 0) await send(`/v1/accounts/${found.accounts[0]?.cnpj}`);
  }
  await send("/v1/accounts/search", { spec: { filters: {}, limit: 2_000 } });
  await send("/v1/accounts/count", { spec: SEARCH.spec, facets: ["uf", "cnae_division"] });
  await send("/v1/accounts/count", { spec: SEARCH.spec, facets: ["uf", ["uf", "mei"]] });
  await send("/v1/accounts/search", { spec: { filters: { geo: { uf_any_of: ["XX"] } } } });
  await send("/v1/accounts/00000000000000");
  await send("/v1/spec/normalize", { spec: SEARCH.spec, for: "search" });
  await send("/v1/leads/translate", { text: "padarias em Minas Gerais com e-mail" });
  await send("/v1/nothing");
  await send("/openapi.json");
  for (const one of connections) one.close();
  return answers;
}

async function started(name: string, threads: string, file?: number): Promise<ServerProcess> {
  return startServerProcess({
    snapshot: sample.snapshot,
    dataDir: join(sample.folder, `state-${name}`),
    settings: { ...SETTINGS, PENEIRA_HTTP_THREADS: threads },
    ...(file === undefined ? {} : { log: file }),
  });
}

before(async () => {
  sample = await makeSampleSnapshot(2_000, 5);
  log = join(sample.folder, "threads.log");
  const file = openSync(log, "w");
  server = await started("threads", THREADS, file);
  closeSync(file);
});
after(async () => {
  await stopServerProcess(server);
  sample.dispose();
});

describe("three threads", () => {
  it("answer like one thread", async () => {
    const alone = await started("alone", "1");
    try {
      const wanted = await questions(alone.base, alone.key);
      assert.deepEqual(await questions(server.base, server.key), wanted);
    } finally {
      await stopServerProcess(alone);
    }
  });

  it("answer a search in a list, which the owner of the lists serves", async () => {
    const connections = connectionsTo(server);
    const [first] = connections as [PersistentConnection];
    const { key } = server;
    const [account] = JSON.parse(
      (await first.send(key, "/v1/accounts/search", SEARCH)).text,
    ).accounts;
    const { list } = JSON.parse(
      (await first.send(key, "/v1/lists", { name: "Clientes", kind: "accounts" })).text,
    );
    await first.send(key, `/v1/lists/${list.id}/entries`, { cnpjs: [account.cnpj] });
    const spec = { filters: { ...SEARCH.spec.filters, lists: { any_of: [list.id] } } };
    for (const one of connections) {
      const { status, text } = await one.send(key, "/v1/accounts/search", { spec });
      assert.equal(status, 200, text);
      assert.equal(JSON.parse(text).total, 1);
    }
    for (const one of connections) one.close();
  });

  it("spend a key's units exactly, on whichever threads its requests arrive", async () => {
    const { key } = keyOf("free");
    const connections = connectionsTo(server);
    const paths = ["/v1/accounts/count", "/v1/accounts/search", "/v1/spec/normalize"];
    const each = Math.ceil((2 * BURST) / CONNECTIONS);
    const statuses = await Promise.all(
      connections.map(async (one, lane) => {
        const got: number[] = [];
        for (let i = 0; i < each; i++) {
          const path = paths[(lane + i) % paths.length] as string;
          const body = path.includes("normalize") ? { ...SEARCH, for: "search" } : SEARCH;
          got.push((await one.send(key, path, { spec: body.spec })).status);
        }
        return got;
      }),
    );
    const all = statuses.flat();
    assert.equal(all.filter((status) => status === 429).length, all.length - BURST);
    for (const one of connections) one.close();
  });

  it("enforce a key's limit of requests in flight across all threads", async () => {
    const { key } = keyOf("starter");
    const connections = connectionsTo(server);
    // A request counts as in flight until its body has arrived.
    const waiting = connections
      .slice(0, CONCURRENT)
      .map((one) => ({ one, over: halfABody(server.base, key) }));
    for (let tries = 0; ; tries++) {
      const { status } = await (connections[4] as PersistentConnection).send(key, "/v1/status");
      if (status === 429) break;
      assert(tries < 500, "the requests are under way");
      await sleep(10);
    }
    for (const one of connections.slice(CONCURRENT)) {
      assert.equal((await one.send(key, "/v1/accounts/count", SEARCH)).status, 429);
    }
    for (const { over } of waiting) (await over)();
    for (let tries = 0; ; tries++) {
      const { status } = await (connections[5] as PersistentConnection).send(
        key,
        "/v1/accounts/count",
        SEARCH,
      );
      if (status === 200) break;
      assert(tries < 500, "the requests are over");
      await sleep(10);
    }
    for (const one of connections) one.close();
  });

  it(`reject a disabled key within ${REFUSED_MS} ms`, async () => {
    const { key, id } = keyOf("growth");
    const connections = connectionsTo(server);
    for (const one of connections) {
      assert.equal((await one.send(key, "/v1/accounts/count", SEARCH)).status, 200);
      assert.equal((await one.send(key, "/v1/status")).status, 200);
    }
    // Changes the state as another process would, without the time to start one.
    const database = openDatabase(server.dataDir);
    new KeyStore(database).setDisabled(id, 1);
    database.close();
    await sleep(REFUSED_MS);
    for (const one of connections) {
      assert.equal((await one.send(key, "/v1/accounts/count", SEARCH)).status, 403);
      // This request is answered by the thread that owns the state.
      assert.equal((await one.send(key, "/v1/status")).status, 403);
      one.close();
    }
  });

  it("count every request once, in metrics, usage, and the log", async () => {
    const { key } = keyOf("scale");
    const connections = connectionsTo(server);
    const ids: string[] = [];
    const count = 20 * CONNECTIONS;
    await Promise.all(
      connections.map(async (one, lane) => {
        for (let i = 0; i < count / CONNECTIONS; i++) {
          const path = (lane + i) % 4 === 0 ? "/v1/status" : "/v1/accounts/search";
          const body = path === "/v1/status" ? undefined : SEARCH;
          const { headers, status } = await one.send(key, path, body);
          assert.equal(status, 200);
          ids.push(String(headers["x-request-id"]));
        }
      }),
    );
    const one = connections[0] as PersistentConnection;
    const metrics = (await one.send("", "/metrics")).text;
    const counted = [...metrics.matchAll(/^peneira_requests_total\{.*plan="scale"\} (\d+)$/gm)];
    assert.equal(
      counted.reduce((sum, [, number]) => sum + Number(number), 0),
      count,
    );
    const { usage } = JSON.parse((await one.send(key, "/v1/status")).text);
    assert.equal(usage.today.requests, count);
    for (let tries = 0; linesOf(log, ids[0] as string) === 0; tries++) {
      assert(tries < 500, "the log is written");
      await sleep(10);
    }
    await sleep(500);
    for (const id of ids) assert.equal(linesOf(log, id), 1);
    const lines = readFileSync(log, "utf8").trimEnd().split("\n");
    const times = lines.map((line) => String((JSON.parse(line) as { time: string }).time));
    assert.deepEqual(times, [...times].sort());
    for (const each of connections) each.close();
  });

  it("are rejected with the transport node", () => {
    const [file, parameters] = productCommand([
      ...["serve", "--snapshot", sample.snapshot, "--data-dir", join(sample.folder, "none")],
      ...["--transport", "node", "--listen", "127.0.0.1:0"],
    ]);
    const env = { ...process.env, PENEIRA_HTTP_THREADS: "2" };
    const { status, stderr } = spawnSync(file, parameters, { encoding: "utf8", env });
    assert.equal(status, 2);
    assert.match(stderr, /http\.threads is 2, and the transport node answers on one thread/);
  });
});

/** Begins a request and does not send its body. Resolves with a function that abandons it. */
function halfABody(base: string, key: string): Promise<() => void> {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": "100",
  };
  const requested = request(`${base}/v1/accounts/count`, { method: "POST", headers });
  requested.on("error", () => {});
  return new Promise((resolve) => {
    requested.write("{", () => resolve(() => void requested.destroy()));
  });
}

function linesOf(file: string, id: string): number {
  return readFileSync(file, "utf8").split(`"request_id":"${id}"`).length - 1;
}
