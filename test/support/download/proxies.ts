/**
 * Local proxies: HTTP with CONNECT, and SOCKS5 (RFC 1928, 1929), which record the requested hosts
 * and credentials.
 * Invariant: bytes pass unchanged; every unknown name is refused, so that nothing leaves the
 * machine.
 */
import { createServer, type Server as HttpServer } from "node:http";
import { type AddressInfo, connect, createServer as createSocket, type Server } from "node:net";
import type { Duplex } from "node:stream";

/** Which clients a proxy accepts, and its faults. */
export interface ProxyOptions {
  /** The required `user:password`. Null accepts every client. */
  readonly user?: string | null;
  /** Status that the proxy answers. With 200 it connects. */
  readonly status?: number;
  /** Bytes from the host after which a connection is closed, one entry per connection. */
  readonly cuts?: number[];
}

/** A running proxy. */
export interface TestProxy {
  /** `HOST:PORT`. */
  readonly host: string;
  /** Requested `HOST:PORT`, in order. */
  readonly requested: readonly string[];
  /** The credentials of each connection, in order, or null if a client sent none. */
  readonly came: readonly (string | null)[];
  readonly stop: () => Promise<void>;
}

/** Matches the host names that the proxy connects to this machine. */
const NAMES = /^(mirror\.test|127\.0\.0\.1|localhost)$/;

/** Starts a proxy that speaks HTTP. */
export async function httpProxy(options: ProxyOptions = {}): Promise<TestProxy> {
  const requested: string[] = [];
  const came: (string | null)[] = [];
  const server = createServer((_, response) => void response.writeHead(400).end());
  server.on("connect", (request, socket: Duplex) => {
    socket.on("error", () => {});
    requested.push(request.url ?? "");
    const header = request.headers["proxy-authorization"] ?? "";
    const user = Buffer.from(header.replace(/^Basic /, ""), "base64").toString();
    came.push(header === "" ? null : user);
    const { user: wanted = null, status = 200 } = options;
    const answer = wanted !== null && user !== wanted ? 407 : status;
    const [host = "", port] = (request.url ?? "").split(":");
    const known = answer === 200 && !NAMES.test(host) ? 502 : answer;
    socket.write(`HTTP/1.1 ${known} X\r\n\r\n`);
    if (known === 200) join(socket, Number(port), options.cuts?.shift());
    else socket.end();
  });
  return running(server, requested, came);
}

/** Starts a proxy that speaks SOCKS5. */
export async function socksProxy(options: ProxyOptions = {}): Promise<TestProxy> {
  const requested: string[] = [];
  const came: (string | null)[] = [];
  const server = createSocket((socket) => {
    socket.on("error", () => {});
    void serveSocks(socket, options, { requested, came }).catch(() => socket.destroy());
  });
  return running(server, requested, came);
}

async function serveSocks(
  socket: Duplex,
  { user = null, status = 0, cuts }: ProxyOptions,
  { requested, came }: { readonly requested: string[]; readonly came: (string | null)[] },
): Promise<void> {
  const read = reader(socket);
  const [, count = 0] = await read(2);
  const methods = await read(count);
  const method = user === null ? 0 : 2;
  socket.write(Buffer.from([5, methods.includes(method) ? method : 255]));
  if (!methods.includes(method)) {
    came.push(null);
    return void socket.end();
  }
  if (user !== null) {
    const [, length = 0] = await read(2);
    const name = (await read(length)).toString();
    const password = (await read((await read(1))[0] ?? 0)).toString();
    came.push(`${name}:${password}`);
    const right = `${name}:${password}` === user;
    socket.write(Buffer.from([1, right ? 0 : 1]));
    if (!right) return void socket.end();
  } else came.push(null);
  const kind = (await read(4))[3];
  const host =
    kind === 1 ? [...(await read(4))].join(".") : (await read((await read(1))[0] ?? 0)).toString();
  const port = (await read(2)).readUInt16BE();
  requested.push(`${host}:${port}`);
  const answer = status === 0 && !NAMES.test(host) ? 4 : status;
  socket.write(Buffer.from([5, answer, 0, 1, 0, 0, 0, 0, 0, 0]));
  if (answer === 0) join(socket, port, cuts?.shift());
  else socket.end();
}

/** Returns a function that waits for a number of bytes and returns them. */
function reader(socket: Duplex): (bytes: number) => Promise<Buffer> {
  return async (bytes) => {
    for (;;) {
      const piece = bytes === 0 ? Buffer.alloc(0) : (socket.read(bytes) as Buffer | null);
      if (piece !== null) return piece;
      await new Promise<void>((done, fail) => {
        socket.once("readable", done);
        socket.once("close", () => fail(new Error("closed")));
      });
    }
  };
}

/** Connects two sockets; cuts the connection after this many bytes of the host. */
function join(socket: Duplex, port: number, cut = Number.POSITIVE_INFINITY): void {
  const other = connect(port, "127.0.0.1");
  let bytes = 0;
  other.on("data", (piece) => {
    bytes += piece.length;
    socket.write(piece);
    if (bytes >= cut) socket.destroy();
  });
  other.on("error", () => socket.destroy()).on("close", () => socket.destroy());
  socket.on("close", () => other.destroy());
  socket.pipe(other);
}

async function running(
  server: Server | HttpServer,
  requested: readonly string[],
  came: readonly (string | null)[],
): Promise<TestProxy> {
  const open = new Set<Duplex>();
  server.on("connection", (socket: Duplex) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    for (const socket of open) socket.destroy();
    await new Promise((done) => server.close(done));
  };
  return { host: `127.0.0.1:${port}`, requested, came, stop };
}
