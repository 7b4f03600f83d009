/**
 * Many minimal clients. A third of them send the head of a request byte by byte, a third the body,
 * and a third request the largest page and do not read it.
 * Invariant: the number of clients is constant, because a client that the server closes connects
 * again.
 */
import { connect, type Socket } from "node:net";

/** Its options. */
export interface SlowOptions {
  readonly port: number;
  readonly key: string;
  readonly count: number;
  /** A spec that matches many accounts. */
  readonly spec: unknown;
  /** Names of the requested fields, so many that answers are long. */
  readonly fields: readonly string[];
}

/** Sockets' outcomes. */
export interface SlowCount {
  /** Sockets that the server has closed so far. */
  closed: number;
  /** Number of answers that began, by status. */
  readonly statuses: Record<string, number>;
}

/** Slow clients that are running. */
export interface SlowSockets {
  readonly count: SlowCount;
  close(): void;
}

/** Milliseconds between two bytes of a slow client. */
const BYTE_MS = 500;

const KINDS = ["head", "body", "reader"] as const;

type Kind = (typeof KINDS)[number];

/** Opens the sockets. */
export function openSlowSockets(options: SlowOptions): SlowSockets {
  const sockets = new Set<Socket>();
  const count: SlowCount = { closed: 0, statuses: {} };
  let ended = false;
  const add = (kind: Kind) => {
    const socket = begin(options, kind, count.statuses);
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      if (ended) return;
      count.closed++;
      setTimeout(() => !ended && add(kind), BYTE_MS);
    });
  };
  for (let i = 0; i < options.count; i++) add(KINDS[i % KINDS.length] as Kind);
  const slowly = setInterval(() => {
    for (const socket of sockets) if (socket.listenerCount("slowly") > 0) socket.emit("slowly");
  }, BYTE_MS);
  const close = () => {
    ended = true;
    clearInterval(slowly);
    for (const socket of sockets) socket.destroy();
  };
  return { count, close };
}

function begin(
  { port, key, spec, fields }: SlowOptions,
  kind: Kind,
  statuses: SlowCount["statuses"],
) {
  const socket = connect(port, "127.0.0.1");
  socket.once("data", (bytes) => {
    // Reads the status once, then stops reading.
    socket.pause();
    const status = bytes.toString("latin1", 9, 12);
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (kind !== "reader") socket.resume();
  });
  const body = JSON.stringify({ spec, limit: 50_000, output: { format: "json", fields } });
  const head =
    "POST /v1/accounts/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" +
    `Authorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n`;
  if (kind === "reader") {
    socket.write(`${head}\r\n${body}`);
    return socket;
  }
  const rest = kind === "head" ? "X-Slow: 1\r\n".repeat(90) : body;
  let at = 0;
  socket.write(kind === "head" ? head : `${head}\r\n`);
  socket.on("slowly", () => at < rest.length && socket.write(rest[at++] as string));
  return socket;
}
