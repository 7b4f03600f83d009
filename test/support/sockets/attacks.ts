/**
 * Attacks on the sockets of a server, for suites and campaigns. Output: the numbers of answers of
 * each kind.
 * Invariant: each attack is limited, uses loopback addresses only, and is over when it is closed.
 * All of 127.0.0.0/8 is this machine, so one process can use many source addresses.
 */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** The target of an attack, and its source address. */
export interface Target {
  readonly port: number;
  /** An address in 127.0.0.0/8. By default, the system chooses it. */
  readonly from?: string;
}

/** Answers parsed so far on one connection, in order. */
export interface Answers {
  readonly statuses: number[];
  /** Values of X-Request-Id in the answers, in order. */
  readonly ids: string[];
  /** All received bytes, which tests may check further. */
  text: string;
  /** True once the server has closed the connection. */
  closed: boolean;
}

/** Many connections held open. */
export interface StreamLimit {
  readonly sockets: readonly Socket[];
  /** Returns the number of connections that the server has closed so far. */
  readonly closed: () => number;
  close(): void;
}

/** Returns the bytes of a GET request. `lines` are further header lines, each with its line end. */
export function get(path: string, lines = ""): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n${lines}\r\n`;
}

/** Returns `count` pipelined requests. The id of each is its number. */
export function numbered(count: number, path: string, lines = ""): string {
  return Array.from({ length: count }, (_, n) => get(path, `X-Request-Id: n${n}\r\n${lines}`)).join(
    "",
  );
}

/** Returns the same request repeated, with this many bytes at most. */
export function flood(bytes: number, request: string): Buffer {
  return Buffer.from(request.repeat(Math.max(1, Math.floor(bytes / request.length))), "latin1");
}

/** A connection whose errors are ignored. */
export function open({ port, from }: Target): Socket {
  const local = from === undefined ? {} : { localAddress: from };
  const socket = connect({ port, host: "127.0.0.1", ...local });
  socket.on("error", () => {});
  return socket;
}

/** Sends bytes and reads until the close, `enough` answers, or the timeout. */
export async function sendAndRead(
  target: Target,
  bytes: string | Buffer,
  { enough = Number.POSITIVE_INFINITY, waitMs = 5_000 } = {},
): Promise<Answers> {
  const socket = open(target);
  const chunks: Buffer[] = [];
  let closed = false;
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("close", () => {
    closed = true;
  });
  socket.write(bytes);
  const untilMs = performance.now() + waitMs;
  let answers = answersIn(chunks, closed);
  while (!answers.closed && answers.statuses.length < enough && performance.now() < untilMs) {
    await sleep(10);
    answers = answersIn(chunks, closed);
  }
  socket.destroy();
  return answers;
}

function answersIn(chunks: readonly Buffer[], closed: boolean): Answers {
  const text = Buffer.concat(chunks).toString("latin1");
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  const ids = [...text.matchAll(/^X-Request-Id: (.*)\r$/gim)].map(([, id]) => id as string);
  return { statuses, ids, text, closed };
}

/**
 * Opens connections that send `bytes` and are then held open. Resolves when all are connected and
 * have sent. By default, the clients also read, so that they notice when the server closes them.
 */
export async function crowd(
  target: Target,
  count: number,
  { bytes = "", reading = true }: { bytes?: string | Buffer; reading?: boolean } = {},
): Promise<StreamLimit> {
  let closed = 0;
  const sockets = Array.from({ length: count }, () => {
    const socket = open(target);
    if (reading) socket.resume();
    else socket.pause();
    socket.on("close", () => closed++);
    return socket;
  });
  await Promise.all(sockets.map((socket) => begun(socket, bytes)));
  return {
    sockets,
    closed: () => closed,
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Resolves when a connection is open and its bytes are sent, or when it is closed. */
function begun(socket: Socket, bytes: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    socket.once("connect", () => {
      if (bytes.length > 0) socket.write(bytes);
      resolve();
    });
    socket.once("close", () => resolve());
  });
}

/** The outcomes of requests by other clients, each on a separate connection. */
export interface Probes {
  /** Milliseconds until each answer with status 200. */
  readonly tookMs: number[];
  /** Number of requests with any other outcome. */
  failed: number;
}

/** Requests a path repeatedly, on a new connection each, until `done` returns true. */
export async function probe(
  target: Target,
  done: () => boolean,
  { path = "/healthz", limitMs = 20_000, pauseMs = 10 } = {},
): Promise<Probes> {
  const probes: Probes = { tookMs: [], failed: 0 };
  while (!done()) {
    const began = performance.now();
    if (await answered200(target, path, limitMs)) probes.tookMs.push(performance.now() - began);
    else probes.failed++;
    await sleep(pauseMs);
  }
  return probes;
}

function answered200(target: Target, path: string, limitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = open(target);
    const end = (ok: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(ok);
    };
    const timer = setTimeout(() => end(false), limitMs);
    socket.once("data", (chunk) => end(chunk.toString("latin1").startsWith("HTTP/1.1 200 ")));
    socket.once("close", () => end(false));
    socket.write(get(path, "Connection: close\r\n"));
  });
}
