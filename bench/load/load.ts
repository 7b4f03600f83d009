/**
 * A load generator for HTTP/1.1 over plain sockets. Input: a request as bytes, a number of
 * connections, and an optional rate. Output: requests per second and latencies.
 * Invariant: with a rate, requests are due at fixed times (open loop). A latency counts from the
 * due time, so that a stalled server is charged for the requests it delayed. Without a rate, each
 * connection sends again after its answer (closed loop). Every answer is read to its end and its
 * status is checked.
 */
import { connect, type Socket } from "node:net";

/** Parameters of a load. */
export interface Load {
  readonly port: number;
  /** The whole request. */
  readonly request: Buffer;
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second of the open loop; absent for the closed one. */
  readonly rate?: number;
  /** Expected statuses. */
  readonly statuses: readonly number[];
}

/** Results of a load. Latencies are in microseconds. */
export interface LoadResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly requests: number;
}

/** A keep-alive connection with at most one request in flight. */
class Connection {
  readonly #port: number;
  #socket: Socket | null = null;
  readonly #statuses: readonly number[];
  #parts: Buffer[] = [];
  #length = 0;
  #wanted = -1;
  #done: (() => void) | null = null;
  #failed: (error: Error) => void;

  constructor(port: number, statuses: readonly number[], failed: (error: Error) => void) {
    this.#port = port;
    this.#statuses = statuses;
    this.#failed = failed;
    this.#open();
  }

  /** Opens a connection. Called again when the server has closed an idle one. */
  #open(): Socket {
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true });
    this.#socket = socket;
    socket.on("data", (bytes: Buffer) => {
      if (this.#done !== null) this.#read(bytes);
    });
    socket.on("error", (error) => {
      if (this.#done !== null) this.#failed(error);
    });
    socket.on("close", () => {
      if (this.#done !== null) this.#failed(new Error("the server closed a connection"));
      this.#socket = null;
    });
    return socket;
  }

  send(request: Buffer, done: () => void): void {
    this.#done = done;
    this.#parts = [];
    this.#length = 0;
    this.#wanted = -1;
    (this.#socket ?? this.#open()).write(request);
  }

  close(): void {
    this.#done = null;
    this.#socket?.destroy();
  }

  #read(bytes: Buffer): void {
    this.#length += bytes.byteLength;
    if (this.#wanted < 0) {
      this.#parts.push(bytes);
      this.#readHead(this.#parts.length === 1 ? bytes : Buffer.concat(this.#parts));
    }
    if (this.#wanted < 0 || this.#length < this.#wanted) return;
    const done = this.#done;
    this.#done = null;
    done?.();
  }

  #readHead(bytes: Buffer): void {
    const end = bytes.indexOf("\r\n\r\n");
    if (end < 0) return;
    const head = bytes.toString("latin1", 0, end);
    const status = Number(head.slice(9, 12));
    if (!this.#statuses.includes(status)) {
      this.#failed(new Error(`unexpected answer: ${bytes.toString("utf8", 0, 600)}`));
      return;
    }
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    this.#wanted = end + 4 + (status === 304 ? 0 : Number(length?.[1] ?? 0));
  }
}

/** Runs a load to its end. Rejects on an unexpected answer. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const times: number[] = [];
  let failed: (error: Error) => void = () => {};
  const failure = new Promise<never>((_, reject) => {
    failed = reject;
  });
  const connections = Array.from(
    { length: load.connections },
    () => new Connection(load.port, load.statuses, (error) => failed(error)),
  );
  const started = performance.now();
  const run =
    load.rate === undefined
      ? closedLoop(load, connections, times)
      : openLoop(load, connections, times);
  try {
    await Promise.race([run, failure]);
  } finally {
    for (const connection of connections) connection.close();
  }
  const seconds = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(share * (times.length - 1))] as number;
  const requests = times.length;
  return { perSecond: requests / seconds, p50: at(0.5), p99: at(0.99), max: at(1), requests };
}

async function closedLoop(
  { request, seconds }: Load,
  connections: readonly Connection[],
  times: number[],
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  const one = (connection: Connection) =>
    new Promise<void>((resolve) => {
      const send = () => {
        const sent = performance.now();
        if (sent >= end) return resolve();
        connection.send(request, () => {
          times.push((performance.now() - sent) * 1000);
          send();
        });
      };
      send();
    });
  await Promise.all(connections.map(one));
}

async function openLoop(
  { request, seconds, rate = 1 }: Load,
  connections: readonly Connection[],
  times: number[],
): Promise<void> {
  const free = [...connections];
  const due: number[] = [];
  const start = performance.now();
  const total = Math.floor(seconds * rate);
  let planned = 0;
  let answered = 0;
  await new Promise<void>((resolve) => {
    const sendDue = () => {
      while (due.length > 0 && free.length > 0) {
        const at = due.shift() as number;
        // Connections are used in turn. The server closes a connection that is unused for too long.
        const connection = free.shift() as Connection;
        connection.send(request, () => {
          times.push((performance.now() - at) * 1000);
          answered++;
          free.push(connection);
          if (answered === total) resolve();
          else sendDue();
        });
      }
    };
    const plan = () => {
      const now = performance.now();
      for (; planned < total; planned++) {
        const at = start + (planned * 1000) / rate;
        if (at > now) break;
        due.push(at);
      }
      sendDue();
      if (planned >= total) return;
      // Timers are late by up to 1 ms, so the last 2 ms are spent in a busy loop.
      const aheadMs = start + (planned * 1000) / rate - performance.now();
      if (aheadMs > 2) setTimeout(plan, aheadMs - 2);
      else setImmediate(plan);
    };
    plan();
  });
}
