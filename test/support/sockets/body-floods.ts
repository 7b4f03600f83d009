/**
 * Clients that send long, endless bodies on raw sockets, and their outcomes.
 * Invariant: their number is constant: an answered or closed client reconnects, as often as
 * configured at most; `close` leaves nothing.
 */
import { connect, type Socket } from "node:net";

/** The senders. */
export interface FloodOptions {
  readonly port: number;
  /** Head of each sender's request; the declared body must be longer than the sent part. */
  readonly head: (sender: number) => string;
  readonly count: number;
  /** Bytes of a body that are sent with the head; `bytes` are sent each time after that. */
  readonly first: number;
  readonly bytes: number;
  readonly everyMs: number;
  /** Maximum bytes of a body that are sent; then the sender waits. */
  readonly most: number;
  /** Delay before answered or closed clients reconnect, in ms; by default they do not. */
  readonly againMs?: number;
}

/** Outcomes. */
export interface Flood {
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Sent body bytes. */
  sent(): number;
  /** Number of connected, unanswered clients. */
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
