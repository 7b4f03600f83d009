/**
 * Clients that send long, endless bodies on raw sockets. Output: the outcomes.
 * Invariant: the number of clients is constant. After a client has been answered or its connection
 * has closed, it reconnects after the configured delay, if any. `close` destroys all sockets and
 * stops all reconnecting.
 */
import { connect, type Socket } from "node:net";

/** The senders. */
export interface FloodOptions {
  readonly port: number;
  /** Returns the head of a request that declares more body bytes than are sent. */
  readonly head: (sender: number) => string;
  readonly count: number;
  /** Number of body bytes that are sent together with the head. Each later write sends `bytes`. */
  readonly first: number;
  readonly bytes: number;
  readonly everyMs: number;
  /** Maximum number of body bytes that are sent. After that, the sender waits. */
  readonly most: number;
  /** Milliseconds after which answered or closed clients reconnect. By default, they do not. */
  readonly againMs?: number;
}

/** Outcomes. */
export interface Flood {
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Sent body bytes. */
  sent(): number;
  /** Returns the number of clients that are connected and not yet answered. */
  sending(): number;
  close(): void;
}

interface Sender {
  readonly socket: Socket;
  sent: number;
  answered: boolean;
}

/** Opens the sockets. */
export function openFlood(options: FloodOptions): Flood {
  const senders = new Set<Sender>();
  const statuses: Record<string, number> = {};
  let sent = 0;
  let ended = false;
  const send = (sender: Sender, bytes: number) => {
    const length = Math.min(bytes, options.most - sender.sent);
    if (length <= 0 || sender.answered || !sender.socket.writable) return;
    sender.socket.write(" ".repeat(length));
    sender.sent += length;
    sent += length;
  };
  const add = (at: number) => {
    const socket = connect(options.port, "127.0.0.1");
    const sender: Sender = { socket, sent: 0, answered: false };
    senders.add(sender);
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      if (sender.answered) return;
      sender.answered = true;
      const status = bytes.toString("latin1", 9, 12);
      statuses[status] = (statuses[status] ?? 0) + 1;
      socket.destroy();
    });
    socket.on("close", () => {
      senders.delete(sender);
      const { againMs } = options;
      if (!ended && againMs !== undefined) setTimeout(() => !ended && add(at), againMs);
    });
    socket.write(options.head(at));
    send(sender, options.first);
  };
  for (let at = 0; at < options.count; at++) add(at);
  const timer = setInterval(() => {
    for (const sender of senders) send(sender, options.bytes);
  }, options.everyMs);
  return {
    statuses,
    sent: () => sent,
    sending: () => [...senders].filter(({ answered }) => !answered).length,
    close: () => {
      ended = true;
      clearInterval(timer);
      for (const { socket } of senders) socket.destroy();
    },
  };
}
