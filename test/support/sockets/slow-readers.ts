/**
 * Clients that request much and read little, on raw sockets. Output: what happened to each.
 * Invariant: a socket reads only as much as configured, regardless of how much is pending. Closed
 * sockets are not reopened, and `close` leaves nothing.
 */
import { connect, type Socket } from "node:net";

/** Readers' speeds. */
export interface ReadersOptions {
  readonly port: number;
  /** Returns the request of a reader, given the reader's number. */
  readonly request: (reader: number) => string;
  readonly count: number;
  /** Bytes of each read. The first read happens immediately, so that the status is known. */
  readonly bytes: number;
  /** Milliseconds between two reads. With null, nothing more is read after the first time. */
  readonly everyMs: number | null;
}

/** One reader's outcome. */
export interface Reader {
  /** Status of the answer, or null before it arrives. */
  status: number | null;
  /** Number of bytes that the client has read. */
  taken: number;
  /** Milliseconds from the connection's start to its end, or null while it is open. */
  closedMs: number | null;
}

/** Slow clients that are running. */
export interface SlowReaders {
  readonly readers: readonly Reader[];
  /** Resolves when every reader has a status or was closed. */
  readonly answered: Promise<void>;
  /** Number of answers with a status. */
  with(status: number): number;
  /** Returns the number of connected readers that have begun to receive a page or file. */
  reading(): number;
  close(): void;
}

/** Opens the sockets. */
export function openReaders(options: ReadersOptions): SlowReaders {
  const { count, everyMs } = options;
  const sockets: Socket[] = [];
  const readers: Reader[] = [];
  const answers: Promise<void>[] = [];
  for (let at = 0; at < count; at++) {
    const reader: Reader = { status: null, taken: 0, closedMs: null };
    readers.push(reader);
    answers.push(
      new Promise((resolve) => {
        sockets.push(begin(options, { reader, at, answered: resolve }));
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

/** Starts one client. It reads one buffer full of bytes and then waits for the next read. */
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
