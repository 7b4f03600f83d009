/**
 * Connections to an address: direct, through an HTTP proxy (CONNECT), or through SOCKS5. Input: the
 * setting `download.proxy` and the environment. Output: the proxy for an address, or none, and
 * `fetch` over its connections.
 * Invariant: the setting overrides the variables, lower-case variables override upper-case ones,
 * and the scheme's variable overrides ALL_PROXY. NO_PROXY applies to all. Only a proxy's `name` is
 * ever shown; user and password are sent only to the proxy. Only this file imports `undici` and
 * `socks`, at the first use, because most servers connect to nothing. A proxy's refusal throws
 * `ProxyFault`, never an error of the share, without the credentials. NO_PROXY is parsed as curl
 * does, separated by commas or blanks. A name matches itself and its subdomains, an address itself,
 * a network (10.0.0.0/8) its addresses, `*` everything. A port narrows an entry. Any other entry
 * matches nothing.
 */

import { lookup } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction, type Socket } from "node:net";
import type { buildConnector, Dispatcher, fetch, request } from "undici";
import { CommandError } from "../errors.ts";
import { packageOf } from "../process/latepackage.ts";
import { lazy } from "../scheduling/lazy.ts";
import { checkProxy } from "../settings/settingvalue.ts";

/** A proxy. Its credentials are not enumerable, so that no log prints them by accident. */
export interface ProxyServer {
  /** `HOST:PORT`, for display. */
  readonly name: string;
  readonly kind: "http" | "socks5";
  /** Without credentials. */
  readonly url: URL;
  readonly host: string;
  readonly port: number;
  /** True if this machine resolves names instead of the proxy. */
  readonly resolvesLocally: boolean;
  readonly credentials: () => ProxyCredentials | null;
}

/** Credentials for a proxy. */
interface ProxyCredentials {
  readonly user: string;
  readonly password: string;
}

/** Returns the proxy for an address, or null for a direct connection. */
export type ProxyRules = (url: URL) => ProxyServer | null;

/** Uses no proxy. */
export const NO_PROXIES: ProxyRules = () => null;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the rules. @throws CommandError (exit 2) naming the variable, never its value */
export function proxyRules(setting: string | null, environment: Environment): ProxyRules {
  const exempt = variableOf(environment, "NO_PROXY")?.[1] ?? "";
  if (setting === "direct") return NO_PROXIES;
  if (setting !== null) {
    const proxy = readProxy(setting);
    return (url) => (isFolder(url) || bypasses(exempt, url) ? null : proxy);
  }
  const all = fromVariable(environment, "ALL_PROXY");
  const byScheme: Readonly<Record<string, ProxyServer | null>> = {
    "https:": fromVariable(environment, "HTTPS_PROXY") ?? all,
    "http:": fromVariable(environment, "HTTP_PROXY") ?? all,
  };
  // A network's proxy cannot reach this machine itself.
  return (url) => (isHere(url) || bypasses(exempt, url) ? null : (byScheme[url.protocol] ?? null));
}

function isFolder({ protocol }: URL): boolean {
  return protocol === "file:";
}

function isHere({ hostname }: URL): boolean {
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Returns a variable's value, in lower or upper case, and its actual name. */
function variableOf(environment: Environment, name: string): [name: string, value: string] | null {
  for (const written of [name.toLowerCase(), name]) {
    const value = environment[written]?.trim() ?? "";
    if (value !== "") return [written, value];
  }
  return null;
}

function fromVariable(environment: Environment, name: string): ProxyServer | null {
  const [written, value] = variableOf(environment, name) ?? [];
  if (written === undefined || value === undefined) return null;
  const text = value.includes("://") ? value : `http://${value}`;
  const expected = text === "direct" ? null : checkProxy(text);
  if (expected === null) return readProxy(text);
  throw new CommandError(
    `${written} must be ${expected.replace("direct, or ", "")}. ` +
      "Set it right, or download.proxy to direct where no proxy is wanted.",
    2,
  );
}

const PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };
const SOCKS_PORT = 1080;

function readProxy(text: string): ProxyServer {
  const url = new URL(text);
  const [user, password] = [url.username, url.password].map(decodeURIComponent) as [string, string];
  url.username = "";
  url.password = "";
  const { protocol, hostname } = url;
  const port = url.port === "" ? (PORTS[protocol] ?? SOCKS_PORT) : Number(url.port);
  return {
    name: `${hostname}:${port}`,
    kind: protocol.startsWith("socks") ? "socks5" : "http",
    url,
    host: hostname.replace(/^\[|\]$/g, ""),
    port,
    resolvesLocally: protocol === "socks5:",
    credentials: () => (user === "" && password === "" ? null : { user, password }),
  };
}

/** True if NO_PROXY lists the host of an address. */
export function bypasses(text: string, url: URL): boolean {
  const host = bare(url.hostname);
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return text
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => entry === "*" || names(entry.toLowerCase(), host, port));
}

/** Normalizes a host for comparison: no brackets, no final dot. */
function bare(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
}

function names(entry: string, host: string, port: string): boolean {
  if (entry.includes("/")) return isIn(entry, host);
  const bracketed = /^\[([0-9a-f:.]+)\](?::(\d+))?$/.exec(entry);
  const plain = isIP(entry) === 6 ? null : /^(.*?)(?::(\d+))?$/.exec(entry);
  const [name = entry, only] = (bracketed ?? plain)?.slice(1) ?? [];
  if (only !== undefined && only !== port) return false;
  if (isIP(host) !== 0 || isIP(name) !== 0) return sameAddress(name, host);
  const tail = name.replace(/^\*?\./, "").replace(/\.$/, "");
  return tail !== "" && (host === tail || host.endsWith(`.${tail}`));
}

function sameAddress(one: string, other: string): boolean {
  return isIP(one) !== 0 && isIn(`${one}/${isIP(one) === 4 ? 32 : 128}`, other);
}

/** True if an address is in a network such as 10.0.0.0/8 or [fd00::]/8. */
function isIn(network: string, host: string): boolean {
  const [address = "", bits = ""] = network.replace(/[[\]]/g, "").split("/");
  const [version, other] = [isIP(address), isIP(host)];
  if (version === 0 || other === 0 || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (version === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), version === 4 ? "ipv4" : "ipv6");
  return list.check(host, other === 4 ? "ipv4" : "ipv6");
}

/** Connection timeout, as in undici. */
const CONNECT_MS = 10_000;

/** A proxy's failure to connect. */
export class ProxyFault extends Error {
  /** True if the proxy lacks or rejects credentials. */
  readonly credentials: boolean;
  /** True if the failure may be temporary: the proxy or the host cannot be reached. */
  readonly passing: boolean;

  constructor(message: string, { credentials = false, passing = false } = {}) {
    super(message);
    this.name = "ProxyFault";
    this.credentials = credentials;
    this.passing = passing;
  }
}

type Undici = Pick<typeof import("undici"), "Agent" | "ProxyAgent" | "buildConnector">;

/** Sends requests over one kind of connection: through one proxy, or directly. */
export interface Fetcher {
  readonly fetch: (
    url: URL,
    init: NonNullable<Parameters<typeof fetch>[1]>,
  ) => ReturnType<typeof fetch>;
}

/** Reusable direct connections to one service. */
export interface Connections {
  /** Sends a request. A streamed body is sent with the length in its Content-Length header. */
  readonly send: (
    url: URL,
    options: Omit<NonNullable<Parameters<typeof request>[1]>, "dispatcher">,
  ) => ReturnType<typeof request>;
  /** Ends all requests. */
  readonly close: () => Promise<void>;
}

/** Opens connections on which every wait ends after `stallMs`. */
export function openConnections(stallMs: number): Connections {
  const { opened, close } = openedLater(({ Agent }) => {
    const waits = { headersTimeout: stallMs, bodyTimeout: stallMs };
    return new Agent({ connect: { timeout: stallMs }, ...waits });
  });
  const send: Connections["send"] = async (url, options) => {
    const { dispatcher, undici } = await opened();
    return undici.request(url, { ...options, dispatcher });
  };
  return { send, close };
}

/** Creates a fetcher for a proxy, or for direct connections. */
export function fetcherThrough(proxy: ProxyServer | null): Fetcher {
  const { opened } = openedLater((undici) => dispatcherOf(proxy, undici));
  return {
    fetch: async (url, init) => {
      const { dispatcher, undici } = await opened();
      try {
        return await undici.fetch(url, { ...init, dispatcher });
      } catch (error) {
        throw proxy?.kind === "http" ? tunnelFault(error, isKnown(proxy)) : error;
      }
    },
  };
}

/** An address with its family. */
export interface KnownAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Allows or refuses connections before they are opened. */
export interface ConnectionGuard {
  /** Resolves to the allowed addresses of `host`. Rejects if a connection is not allowed. */
  addresses(host: string, protocol: string): Promise<readonly KnownAddress[]>;
}

/** Sends requests to the hosts that a guard allows; `close` ends its connections. */
export interface GuardedFetcher extends Fetcher {
  close(): Promise<void>;
}

/** Creates a direct fetcher that connects only to addresses that a guard returns. */
export function guardedFetcher(guard: ConnectionGuard, timeoutMs: number): GuardedFetcher {
  const { opened, close } = openedLater(({ Agent, buildConnector }) => {
    const connect: buildConnector.connector = (options, done) => {
      guard.addresses(options.hostname, options.protocol).then(
        // Nothing is looked up for an IP literal, because the guard has decided on the literal
        // itself.
        (known) =>
          buildConnector({ timeout: timeoutMs, lookup: lookupOf(known) } as object)(options, done),
        (error: Error) => done(error, null),
      );
    };
    return new Agent({ connect, pipelining: 1, keepAliveTimeout: KEEP_ALIVE_MS });
  });
  const send: Fetcher["fetch"] = async (url, init) => {
    const { dispatcher, undici } = await opened();
    return undici.fetch(url, { ...init, dispatcher });
  };
  return { fetch: send, close };
}

/** Makes a dispatcher at the first use. `close` ends its connections, if it was made. */
function openedLater(make: (undici: Undici) => Dispatcher) {
  let isOpened = false;
  const opened = lazy(async () => {
    isOpened = true;
    const undici = packageOf(await import("undici"));
    return { undici, dispatcher: make(undici) };
  });
  const close = async () => {
    if (isOpened) await (await opened()).dispatcher.destroy();
  };
  return { opened, close };
}

/** Time that an idle connection to a receiver stays open, in milliseconds. */
const KEEP_ALIVE_MS = 4_000;

/** Returns a `lookup` function for one host, which supports both kinds of callback. */
function lookupOf(known: readonly KnownAddress[]): LookupFunction {
  return (_host, { all, family }, done) => {
    const fit = known.filter((one) =>
      family !== 4 && family !== 6 ? true : one.family === family,
    );
    const [first] = fit;
    if (first === undefined) done(new Error("no address of this family"), "", 4);
    else if (all === true) done(null, [...fit]);
    else done(null, first.address, first.family);
  };
}

/** Distinguishes an HTTP proxy's failures from those of the host. */
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

/** Error codes that only the proxy can cause before there is a tunnel. */
const PROXY_CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "it refuses the connection",
  ENOTFOUND: "its name was not found (DNS)",
  EAI_AGAIN: "its name could not be looked up (DNS)",
  EHOSTUNREACH: "there is no way to it",
  ENETUNREACH: "there is no network",
  ETIMEDOUT: "no connection to it",
  UND_ERR_CONNECT_TIMEOUT: "no connection to it within 10 s",
};

function dispatcherOf(proxy: ProxyServer | null, undici: Undici): Dispatcher {
  const { Agent, ProxyAgent } = undici;
  if (proxy === null) return new Agent({ connect: { timeout: CONNECT_MS } });
  if (proxy.kind === "socks5") return new Agent({ connect: throughSocks(proxy, undici) });
  const known = proxy.credentials();
  const text = known === null ? null : `${known.user}:${known.password}`;
  return new ProxyAgent({
    uri: proxy.url.href,
    proxyTls: { timeout: CONNECT_MS },
    requestTls: { timeout: CONNECT_MS },
    ...(text === null ? {} : { token: `Basic ${Buffer.from(text, "utf8").toString("base64")}` }),
  });
}

/** Opens connections through SOCKS5, with TLS to the host inside. */
function throughSocks(proxy: ProxyServer, { buildConnector }: Undici): buildConnector.connector {
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

/** Opens a connection to the host through the proxy. @throws ProxyFault, or a look-up error */
async function socksSocket(proxy: ProxyServer, host: string, port: number): Promise<Socket> {
  const looked = proxy.resolvesLocally && isIP(host) === 0;
  const target = looked ? (await lookup(host)).address : host;
  const known = proxy.credentials();
  const { SocksClient } = packageOf(await import("socks"));
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
    // The error contains the credentials. Only its message is passed on.
    throw socksFault(error instanceof Error ? error.message : "", known !== null);
  }
}

/** Classifies a message of the SOCKS client. */
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

/** Reply names of the SOCKS library (RFC 1928), with their messages. */
const SOCKS_REPLIES: Readonly<Record<string, string>> = {
  Failure: "it failed",
  NotAllowed: "its rules do not allow this host",
  NetworkUnreachable: "it has no way to the network",
  HostUnreachable: "it has no way to the host",
  ConnectionRefused: "the host refuses its connection",
  TTLExpired: "it has no way to the host",
};
