/**
 * Proves, with three threads that accept connections and a server in this process that answers
 * them: of 16 keep-alive connections, each thread has five or six. A killed or failed thread is
 * replaced. Its connections and its requests in flight end, and those of other threads continue.
 * Does not prove: the answers of threads (e2e/server/threads.test.ts).
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { type FakeServer, openThreadedFake } from "../../../support/http/fake.ts";

const THREADS = 3;
const CONNECTIONS = 16;

let server: FakeServer;
/** Started threads, the youngest last. */
let workers: Worker[] = [];
const note = (worker: Worker) => workers.push(worker);

/** A keep-alive connection whose requests are sent in sequence. */
class PersistentConnection {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  #text = "";
  #notify: () => void = () => {};

  constructor(port: number) {
    this.socket = connect(port, "127.0.0.1");
    this.closed = once(this.socket, "close");
    this.socket.on("error", () => {});
    this.socket.on("data", (chunk) => {
      this.#text += chunk.toString();
      this.#notify();
    });
  }

  /** Returns the status of one answer, or 0 if the connection ends. */
  async send(path = "/healthz"): Promise<number> {
    this.#text = "";
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const answered = new Promise<void>((resolve) => {
      this.#notify = () => {
        if (/\r\n\r\n.*\}/s.test(this.#text)) resolve();
      };
    });
    await Promise.race([answered, this.closed]);
    return Number(/^HTTP\/1.1 (\d+)/.exec(this.#text)?.[1] ?? 0);
  }
}

let connections: PersistentConnection[] = [];

async function connected(count: number): Promise<PersistentConnection[]> {
  const made = Array.from({ length: count }, () => new PersistentConnection(server.port));
  for (const one of made) assert.equal(await one.send(), 200);
  return made;
}

/** Returns how many connections each thread has accepted, by the thread's number. */
async function taken(): Promise<Map<string, number>> {
  const text = await (await fetch(`${server.base}/metrics`)).text();
  const found = text.matchAll(/^peneira_thread_connections_total\{thread="(\d+)"\} (\d+)$/gm);
  return new Map([...found].map(([, thread, count]) => [thread as string, Number(count)]));
}

before(() => process.on("worker", note));
after(() => process.off("worker", note));
beforeEach(async () => {
  workers = [];
  server = await openThreadedFake(THREADS);
});
afterEach(async () => {
  for (const { socket } of connections) socket.destroy();
  connections = [];
  await server.close();
});

describe("threads that accept connections", () => {
  it("get an equal share of them, plus or minus one", async () => {
    const first = await taken();
    connections = await connected(CONNECTIONS);
    const last = await taken();
    const shares = [...last].map(([thread, count]) => count - (first.get(thread) ?? 0));
    assert.equal(shares.length, THREADS);
    assert(Math.max(...shares) - Math.min(...shares) <= 1, String(shares));
    assert.equal(
      shares.reduce((sum, share) => sum + share, 0),
      CONNECTIONS,
    );
  });

  for (const [how, end] of [
    ["is killed", (worker: Worker) => void worker.terminate()],
    // No thread understands this message, so it throws.
    ["fails", (worker: Worker) => worker.postMessage(null)],
  ] as const) {
    it(`replace one that ${how}, and end no other thread's connection`, async () => {
      connections = await connected(CONNECTIONS);
      const before = await taken();
      end(workers[1] as Worker);
      await once(workers[1] as Worker, "exit");
      const statuses = await Promise.all(connections.map((one) => one.send()));
      const lost = statuses.filter((status) => status === 0).length;
      assert.equal(statuses.filter((status) => status === 200).length, CONNECTIONS - lost);
      assert(lost === 5 || lost === 6, `${lost} connections ended`);
      for (let tries = 0; ; tries++) {
        assert(tries < 500, "each thread, the new one too, takes connections");
        connections.push(...(await connected(THREADS)));
        const later = await taken();
        if ([...later].every(([thread, count]) => count > (before.get(thread) ?? 0))) break;
        await sleep(20);
      }
      assert.equal(workers.length, THREADS + 1);
    });
  }
});
