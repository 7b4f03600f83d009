/**
 * Clients that ask for much and take little, on raw sockets. What comes in: the bytes of a request,
 * a number, and how much each takes how often. What goes out: how each of them fares.
 * Invariant: a socket takes no more than it was told, whatever waits for it; nothing is opened
 * twice, and `close` leaves nothing behind.
 */
import { connect, type Socket } from "node:net";

/** Who reads how slowly. */
export interface ReadersOptions {
  readonly port: number;
  /** The bytes of the request of each, by its number. */
  readonly request: (reader: number) => string;
  readonly count: number;
  /** Bytes that are taken at a time; the first ones at once, so that the status is known. */
  readonly bytes: number;
  /** Time between two takings in milliseconds; null: nothing after the first one. */
  readonly everyMs: number | null;
}

/** How one of them fares. */
export interface Reader {
  /** Status of the answer; null while there is none. */
  status: number | null;
  /** Bytes that it has taken. */
  taken: number;
  /** When the connection ended, in milliseconds after its beginning; null while it is open. */
  closedMs: number | null;
}

/** The clients while they are there. */
export interface SlowReaders {
  readonly readers: readonly Reader[];
  /** Resolves when every one has a status or was closed. */
  readonly answered: Promise<void>;
  /** How many have an answer of a status. */
  with(status: number): number;
  /** How many have begun to take a page or file and are still connected. */
  reading(): number;
  close(): void;
}

/** Opens the sockets. */
export function openReaders(wish: ReadersOptions): SlowReaders {
  const { count, everyMs } = wish;
  const sockets: Socket[] = [];
  const readers: Reader[] = [];
  const answers: Promise<void>[] = [];
  for (let at = 0; at < count; at++) {
    const reader: Reader = { status: null, taken: 0, closedMs: null };
    readers.push(reader);
    answers.push(
      new Promise((resolve) => {
        sockets.push(begin(wish, { reader, at, answered: resolve }));
      }),
    );
  }
  const timer =
    everyMs === null
      ? undefined
      : setInterval(() => {
          for (const socket of sockets) socket.resume();
        }, everyMs);
  return {
    readers,
    answered: Promise.all(answers).then(() => {}),
    with: (status) => readers.filter((reader) => reader.status === status).length,
    reading: () => readers.filter((one) => one.status === 200 && one.closedMs === null).length,
    close: () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface Begun {
  readonly reader: Reader;
  readonly at: number;
  readonly answered: () => void;
}

/** One client; it takes what fits its buffer and then waits to be told to go on. */
function begin({ port, request, bytes }: ReadersOptions, { reader, at, answered }: Begun): Socket {
  const beganMs = performance.now();
  const onread = {
    buffer: Buffer.alloc(bytes),
    callback: (length: number, buffer: Uint8Array) => {
      const text = Buffer.from(buffer).toString("latin1", 0, Math.min(length, 12));
      if (reader.taken === 0) reader.status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
      reader.taken += length;
      answered();
      return false;
    },
  };
  const socket = connect({ port, host: "127.0.0.1", onread }, () => socket.write(request(at)));
  socket.on("error", () => {});
  socket.on("close", () => {
    reader.closedMs = performance.now() - beganMs;
    answered();
  });
  return socket;
}
