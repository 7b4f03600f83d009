/**
 * A running HTTP server. Input: a service, a transport, and an address. Output: its port, and a way
 * to stop.
 * Invariant: the chosen transport is used, or the start fails. A bound port belongs to this
 * process, and answers 503 until there is a handler. On a stop, requests in flight may finish until
 * the deadline. Then sockets are closed.
 */

import { AppError } from "../../errors.ts";
import type { ListenAddress } from "../../settings/settings.ts";
import { dispatcher } from "./dispatch.ts";
import { headersOf, problem } from "./respond.ts";
import type { RouteTable } from "./routetable.ts";
import type { Service } from "./service.ts";
import {
  type Exchange,
  type ExchangeHandler,
  requestIdOf,
  type Transport,
  type TransportLimits,
  type TransportName,
} from "./transport/transport.ts";
import { openNodeTransport } from "./transport/transport-node.ts";
import { openUwsTransport } from "./transport/transport-uws.ts";

/** A server that answers requests. */
export interface RunningServer {
  readonly port: number;
  /** Closes each connection after its next answer. */
  leave(): void;
  /** Stops accepting, finishes requests in flight, and closes every socket. */
  close(deadlineMs: number): Promise<void>;
}

/** A bound port that refuses requests until `answer` is called. */
export interface BoundPort {
  readonly port: number;
  /** Uses this handler from now on. */
  answer(handler: ExchangeHandler): RunningServer;
}

/** Opens a transport. Throws `CommandError` if it cannot be loaded here. */
export function openTransport(name: TransportName, limits: TransportLimits): Promise<Transport> {
  return name === "uws" ? openUwsTransport(limits) : Promise.resolve(openNodeTransport(limits));
}

/**
 * Binds the port before anything else, so that a failed start leaves nothing in the data directory.
 * Throws `CommandError` if the address is unavailable.
 */
export async function bindPort(transport: Transport, address: ListenAddress): Promise<BoundPort> {
  const port = await transport.listen(address, refuseEarly);
  const running: RunningServer = {
    port,
    leave: () => transport.leave(),
    close: (deadlineMs) => transport.close(deadlineMs),
  };
  return {
    port,
    answer: (handler) => {
      transport.answerWith(handler);
      return running;
    },
  };
}

/** Starts answering a table's routes. Throws `CommandError` if the address is not available. */
export async function startServer(
  service: Service,
  transport: Transport,
  address: ListenAddress,
  table: RouteTable,
): Promise<RunningServer> {
  return (await bindPort(transport, address)).answer(dispatcher(service, table));
}

/** Answers a request that arrives before the server is ready. */
export function refuseEarly(exchange: Exchange): void {
  const error = new AppError("snapshot_unavailable", "The server is starting. Ask again soon.", {
    headers: { "Retry-After": "1" },
  });
  const id = requestIdOf(exchange.header("x-request-id"));
  const answer = problem(exchange.framing ?? error, id);
  exchange.send(answer.status, headersOf(answer, id), answer.body);
}
