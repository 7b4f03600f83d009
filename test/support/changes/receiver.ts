/**
 * A webhook receiver on a loopback address. It records requests and answers them as the suite
 * specifies.
 * Invariant: it verifies no signatures. Suites do so with the public libraries.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** A recorded request. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

/** A function that answers a request. */
export type Behaviour = (received: Received, response: ServerResponse) => void;

/** A running receiver. */
export interface Receiver {
  readonly url: string;
  readonly got: Received[];
  /** Highest number of requests open at the same time. */
  readonly most: () => number;
  answer: Behaviour;
  /** Resolves when this many requests have arrived. */
  until(count: number, waitMs?: number): Promise<void>;
  close(): Promise<void>;
}

/** Answers 204. */
export const ACCEPTED: Behaviour = (_, response) => {
  response.writeHead(204).end();
};

/** Returns a behavior that answers with this status and these headers. */
export function status(code: number, headers: Record<string, string> = {}): Behaviour {
  return (_, response) => {
    response.writeHead(code, headers).end("no");
  };
}

/** Starts a receiver; `host` is a loopback address. */
export async function startReceiver(
  answer: Behaviour = ACCEPTED,
  host = "127.0.0.1",
): Promise<Receiver> {
  const got: Received[] = [];
  let open = 0;
  let most = 0;
  const receiver = { answer };
  const server: Server = createServer((request, response) => {
    open++;
    most = Math.max(most, open);
    response.once("close", () => open--);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { url = "", headers } = request;
      const body = Buffer.concat(chunks).toString();
      const received = { path: url, headers, body, atMs: Date.now() };
      got.push(received);
      receiver.answer(received, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `http://${host}:${port}/hook`,
    got,
    most: () => most,
    async until(count: number, waitMs = 20_000) {
      for (const end = Date.now() + waitMs; got.length < count; ) {
        if (Date.now() > end) throw new Error(`${got.length} of ${count} requests came`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
