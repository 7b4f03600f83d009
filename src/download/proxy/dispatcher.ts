/**
 * The way to an address: straight, through an HTTP proxy (CONNECT), or through SOCKS5.
 * What comes in: a proxy or none. What goes out: `fetch` over connections of that way.
 * Invariant: the only importer of `undici` and `socks`; what a proxy refuses comes out as a
 * `ProxyFault`, told from what the share does, and nothing of the credentials is in it.
 */
import { lookup } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import { SocksClient } from "socks";
import { Agent, buildConnector, type Dispatcher, fetch, ProxyAgent } from "undici";
import type { ProxyServer } from "./rules.ts";

/** As long as undici itself waits for a connection. */
const CONNECT_MS = 10_000;

/** What a proxy did in the place of a connection. */
export class ProxyFault extends Error {
  /** Whether the proxy wants to know who we are, or does not believe it. */
  readonly credentials: boolean;
  /** Whether it may pass: the proxy cannot be reached, or cannot reach the host. */
  readonly passing: boolean;

  constructor(message: string, { credentials = false, passing = false } = {}) {
    super(message);
    this.name = "ProxyFault";
    this.credentials = credentials;
    this.passing = passing;
  }
}

/** Sends requests one way. */
export interface Way {
  readonly fetch: (
    url: URL,
    init: NonNullable<Parameters<typeof fetch>[1]>,
  ) => ReturnType<typeof fetch>;
}

/** Makes the way through a proxy, or the straight one. */
export function wayThrough(proxy: ProxyServer | null): Way {
  const dispatcher = dispatcherOf(proxy);
  return {
    fetch: async (url, init) => {
      try {
        return await fetch(url, { ...init, dispatcher });
      } catch (error) {
        throw proxy?.kind === "http" ? tunnelFault(error, isKnown(proxy)) : error;
      }
    },
  };
}

/** Sorts what an HTTP proxy did from what came through it. */
function tunnelFault(error: unknown, known: boolean): unknown {
  let found = error as NodeJS.ErrnoException & { readonly errors?: readonly Error[] };
  for (let depth = 0; depth < 5; depth++) {
    const inner = found.errors?.[0] ?? found.cause;
    if (!(inner instanceof Error)) break;
    found = inner as NodeJS.ErrnoException;
  }
  const status = Number(/^Proxy response \((\d+)\)/.exec(found.message)?.[1] ?? 0);
  if (status === 407) return new ProxyFault(`${known ? DISBELIEF : QUESTION} (407)`, WHO);
  if (status >= 500) return new ProxyFault(`it has no way to the host (${status})`, PASSING);
  if (status > 0) return new ProxyFault(`it refuses a tunnel to the host (${status})`);
  const words = PROXY_CODES[found.code ?? ""];
  return words === undefined ? error : new ProxyFault(words, PASSING);
}

const WHO = { credentials: true };
const QUESTION = "it wants to know who we are";
const DISBELIEF = "it does not accept the user and password";

function isKnown(proxy: ProxyServer): boolean {
  return proxy.credentials() !== null;
}
const PASSING = { passing: true };

/** Before there is a tunnel only the proxy itself can fail so. */
const PROXY_CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "it refuses the connection",
  ENOTFOUND: "its name was not found (DNS)",
  EAI_AGAIN: "its name could not be looked up (DNS)",
  EHOSTUNREACH: "there is no way to it",
  ENETUNREACH: "there is no network",
  ETIMEDOUT: "no connection to it",
  UND_ERR_CONNECT_TIMEOUT: "no connection to it within 10 s",
};

function dispatcherOf(proxy: ProxyServer | null): Dispatcher {
  if (proxy === null) return new Agent({ connect: { timeout: CONNECT_MS } });
  if (proxy.kind === "socks5") return new Agent({ connect: throughSocks(proxy) });
  const known = proxy.credentials();
  const text = known === null ? null : `${known.user}:${known.password}`;
  return new ProxyAgent({
    uri: proxy.url.href,
    proxyTls: { timeout: CONNECT_MS },
    requestTls: { timeout: CONNECT_MS },
    ...(text === null ? {} : { token: `Basic ${Buffer.from(text, "utf8").toString("base64")}` }),
  });
}

/** Opens connections through SOCKS5; TLS with the host is spoken inside of them. */
function throughSocks(proxy: ProxyServer): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_MS });
  return (options, done) => {
    const { protocol, hostname, port } = options;
    const known = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
    socksSocket(proxy, hostname.replace(/^\[|\]$/g, ""), known).then(
      (socket) => {
        if (protocol === "https:") connect({ ...options, httpSocket: socket }, done);
        else done(null, socket);
      },
      (error: Error) => done(error, null),
    );
  };
}

/** Asks the proxy for a connection to the host. @throws ProxyFault, or the failure of a look-up */
async function socksSocket(proxy: ProxyServer, host: string, port: number): Promise<Socket> {
  const looked = proxy.looksUpHere && isIP(host) === 0;
  const target = looked ? (await lookup(host)).address : host;
  const known = proxy.credentials();
  try {
    const { socket } = await SocksClient.createConnection({
      command: "connect",
      timeout: CONNECT_MS,
      destination: { host: target, port },
      proxy: {
        host: proxy.host,
        port: proxy.port,
        type: 5,
        ...(known === null ? {} : { userId: known.user, password: known.password }),
      },
    });
    return socket.setNoDelay();
  } catch (error) {
    // What was thrown holds the credentials; only its sentence goes on.
    throw socksFault(error instanceof Error ? error.message : "", known !== null);
  }
}

/** Sorts a sentence of the SOCKS client. */
function socksFault(message: string, known: boolean): ProxyFault {
  if (/Authentication failed|no accepted authentication/.test(message)) {
    return new ProxyFault(known ? DISBELIEF : QUESTION, WHO);
  }
  const refused = /rejected connection - (\w+)/.exec(message)?.[1];
  if (refused !== undefined) {
    const words = SOCKS_REPLIES[refused] ?? refused;
    return new ProxyFault(words, { passing: refused !== "NotAllowed" });
  }
  if (/timed out/.test(message)) return new ProxyFault("no answer within 10 s", PASSING);
  const code = /\b(E[A-Z_]{4,})\b/.exec(message)?.[1] ?? "";
  const words = PROXY_CODES[code];
  if (words !== undefined) return new ProxyFault(words, PASSING);
  if (code !== "" || /closed/.test(message))
    return new ProxyFault("it cut the connection", PASSING);
  return new ProxyFault("it does not speak SOCKS5");
}

/** Replies of RFC 1928 as the client names them. */
const SOCKS_REPLIES: Readonly<Record<string, string>> = {
  Failure: "it failed",
  NotAllowed: "its rules do not allow this host",
  NetworkUnreachable: "it has no way to the network",
  HostUnreachable: "it has no way to the host",
  ConnectionRefused: "the host refuses its connection",
  TTLExpired: "it has no way to the host",
};
