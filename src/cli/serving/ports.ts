/**
 * Determines how many threads answer requests, and binds the ports: the main port, and a metrics
 * port if it has an address. Input: the settings, the number of processors, and the max open files.
 * Invariant: either all ports are bound, or the start fails and none stays bound. Ports are bound
 * before any state is created, so a failed start leaves nothing. An impossible number of threads is
 * refused with a message. More threads than processors cause a warning.
 */
import { availableParallelism } from "node:os";
import { CommandError } from "../../errors.ts";
import { type BoundPort, bindPort } from "../../http/server/server.ts";
import type { Transport, TransportLimits } from "../../http/server/transport/transport.ts";
import { openNodeTransport } from "../../http/server/transport/transport-node.ts";
import { openFilesMax } from "../../process/system.ts";
import type { Config } from "../../settings/config.ts";
import { type ListenAddress, listenText, parseListen } from "../../settings/settings.ts";
import { wordFor } from "../../text/amounts.ts";

/**
 * Returns the number of threads that answer requests. Throws `CommandError` if the settings require
 * several and the transport supports only one.
 */
export function threadsOf(config: Config, processors = availableParallelism()): number {
  const wanted = config.get("http.threads");
  if (config.get("transport") === "uws") return wanted ?? Math.max(1, processors - 1);
  if (wanted === null || wanted === 1) return 1;
  throw new CommandError(
    `http.threads is ${wanted}, and the transport node answers on one thread: Node hands no ` +
      "connection from one thread to another. Set http.threads to 1, or transport to uws.",
    2,
  );
}

/** Returns a warning if there are more threads than processors. The excess only uses memory. */
export function threadWarnings(config: Config, processors = availableParallelism()): string[] {
  const threads = config.get("http.threads") ?? 1;
  if (threads <= processors) return [];
  return [
    `http.threads is ${threads}, and there are ${processors} processors: more threads than ` +
      "processors answer no faster, take memory, and make the start longer.",
  ];
}

/** The bound ports. */
export interface Ports {
  /** Address of the server for a browser. */
  readonly url: string;
  readonly main: BoundPort;
  /** Null if the main port serves the metrics. */
  readonly metrics: BoundPort | null;
}

/** Binds the ports. @throws CommandError if an address is wrong or unavailable */
export async function bindPorts(config: Config, transport: Transport): Promise<Ports> {
  const address = addressOf(config, "listen");
  const wanted = config.get("metrics.listen") === null ? null : addressOf(config, "metrics.listen");
  const main = await bindPort(transport, address);
  const url = `http://${listenText({ ...address, port: main.port })}`;
  if (wanted === null) return { url, main, metrics: null };
  try {
    return { url, main, metrics: await bindMetrics(wanted, limitsOf(config)) };
  } catch (error) {
    await transport.close(0);
    throw error;
  }
}

/** Binds the metrics port. Errors name the setting of the metrics, not of the server. */
async function bindMetrics(address: ListenAddress, limits: TransportLimits): Promise<BoundPort> {
  const transport = openNodeTransport(limits);
  try {
    return await bindPort(transport, address);
  } catch (error) {
    await transport.close(0);
    throw new CommandError(
      `Cannot listen at ${listenText(address)} for the metrics. Another process may use ` +
        "that port, or the address is not one of this machine: choose another for metrics.listen.",
      1,
      error,
    );
  }
}

/** File descriptors reserved for everything but connections, such as snapshots and uploads. */
export const OWN_DESCRIPTORS = 96;
/** Descriptors of each answering thread, without its connections. */
const THREAD_DESCRIPTORS = 10;
/** Lowest value that the setting allows. */
const SOCKETS_LEAST = 16;

/**
 * Returns the max connections: the setting, or fewer if the open-files limit is lower. Throws
 * `CommandError` if too few are left to accept connections reliably.
 */
export function socketsOf(config: Config, openFiles = openFilesMax()): number {
  const wanted = config.get("http.sockets_max");
  if (openFiles === null) return wanted;
  const own = ownDescriptors(config);
  if (openFiles < own + SOCKETS_LEAST) {
    const threads = threadsOf(config);
    throw new CommandError(
      `This process may open ${openFiles} files, and a server with ${threads} ` +
        `${wordFor(threads, "thread")} needs ${own + SOCKETS_LEAST} at least. Raise its limit ` +
        `(ulimit -n, LimitNOFILE of systemd)${threads > 1 ? ", or lower http.threads" : ""}.`,
      1,
    );
  }
  return Math.min(wanted, openFiles - own);
}

function ownDescriptors(config: Config): number {
  const threads = threadsOf(config);
  return OWN_DESCRIPTORS + (threads === 1 ? 0 : THREAD_DESCRIPTORS * threads);
}

/** Returns a warning if the system allows fewer connections than the setting. */
export function descriptorWarnings(config: Config, openFiles = openFilesMax()): string[] {
  const wanted = config.get("http.sockets_max");
  const sockets = socketsOf(config, openFiles);
  if (sockets === wanted) return [];
  return [
    `http.sockets_max is ${wanted}, and this process may open ${openFiles} files: ` +
      `${sockets} connections are let in at once. Raise its limit to ` +
      `${wanted + ownDescriptors(config)} ` +
      "(ulimit -n, LimitNOFILE of systemd), or lower the setting.",
  ];
}

/** Limits of the transports. */
export function limitsOf(config: Config): TransportLimits {
  return {
    headBytesMax: config.get("http.headers_max_bytes"),
    headersTimeoutMs: config.get("http.headers_timeout_ms"),
    requestTimeoutMs: config.get("http.request_timeout_ms"),
    idleTimeoutMs: config.get("http.idle_timeout_ms"),
    writeTimeoutMs: config.get("http.write_timeout_ms"),
    minReadBytesPerSecond: config.get("http.write_pace_bytes"),
    bodiesBytesMax: config.get("http.bodies_max_bytes"),
    socketsMax: socketsOf(config),
    socketsPerAddress: config.get("http.sockets_per_address"),
    trustedProxies: config.get("http.trusted_proxies"),
    senderShareMax: config.get("http.share_max"),
  };
}

function addressOf(config: Config, key: "listen" | "metrics.listen"): ListenAddress {
  const address = parseListen(config.get(key) ?? "");
  if (address === null) throw new CommandError(`${key} must be HOST:PORT.`, 2);
  return address;
}
