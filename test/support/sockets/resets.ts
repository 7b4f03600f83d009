/**
 * Clients that disconnect abruptly. Output: the number of connections that were reset after each
 * byte of a request, or that are held open without sending more.
 * Invariant: a reset is a TCP reset (RST) and not a graceful close. At most `abreast` sockets are
 * open at the same time.
 */
import { METHODS } from "node:http";
import { connect, type Socket } from "node:net";

/** Every method of Node's parser, and an unknown one. */
export const ALL_METHODS: readonly string[] = [...METHODS, "PEEL"];

/** A whole request of a method, as small as possible. */
export function requestOf(method: string): string {
  const target = method === "CONNECT" ? "a:1" : "/healthz";
  return `${method} ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
}

/**
 * Sends the first byte of a request and resets the connection, then the first two bytes, and so on
 * up to all bytes, and then `further` complete requests. Returns the number of connections.
 */
export async function resetAfterEveryByte(
  port: number,
  request: string,
  { further = 0, abreast = 40 }: { readonly further?: number; readonly abreast?: number } = {},
): Promise<number> {
  const cuts = [...request].map((_, at) => at + 1);
  const all = [...cuts, ...Array.from({ length: further }, () => request.length)];
  let made = 0;
  const lane = async () => {
    for (let cut = all.pop(); cut !== undefined; cut = all.pop()) {
      if (await resetAfter(port, request.slice(0, cut))) made++;
    }
  };
  await Promise.all(Array.from({ length: abreast }, lane));
  return made;
}

/** Sends bytes and resets the connection. Returns true if it was established. */
function resetAfter(port: number, bytes: string): Promise<boolean> {
  return new Promise((resolve) => {
    let made = false;
    const socket = connect(port, "127.0.0.1", () => {
      made = true;
      socket.write(bytes, () => socket.resetAndDestroy());
    });
    socket.on("error", () => {});
    socket.once("close", () => resolve(made));
  });
}

/** Opens sockets that send `bytes` and nothing more. Resolves when all are connected or refused. */
export async function holdOpen(port: number, count: number, bytes: string): Promise<Socket[]> {
  const open = () =>
    new Promise<Socket>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        if (bytes !== "") socket.write(bytes);
        resolve(socket);
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve(socket));
    });
  return Promise.all(Array.from({ length: count }, open));
}
