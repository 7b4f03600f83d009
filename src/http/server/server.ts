/**
 * A running HTTP server. What comes in: a service, a transport and an address. What goes out: the
 * port it listens at, and the way to stop it.
 * Invariant: the chosen transport is used or the start fails; a port that is bound belongs to this
 * process, and refuses requests with 503 until there is a handler; stopping lets requests in flight
 * finish within the deadline before sockets are closed.
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
  /** From now on every answer tells its client that the connection ends with it. */
  leave(): void;
  /** Stops accepting, finishes what is in flight, closes every socket. */
  close(deadlineMs: number): Promise<void>;
}

/** A port of this process whose requests are refused until `answer` is called. */
export interface BoundPort {
  readonly port: number;
  /** Answers requests with this handler from now on. */
  answer(handler: ExchangeHandler): RunningServer;
}

/** Opens a transport. Throws `CommandError` when it cannot be loaded here. */
export function openTransport(name: TransportName, limits: TransportLimits): Promise<Transport> {
  return name === "uws" ? openUwsTransport(limits) : Promise.resolve(openNodeTransport(limits));
}

/**
 * Takes the port before there is anything to answer with, so that a start that cannot have it has
 * made nothing yet. Throws `CommandError` when the address cannot be had.
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

/**
 * Starts to answer requests to the routes of a table. Throws `CommandError` when the address cannot
 * be had.
 */
export async function startServer(
  service: Service,
  transport: Transport,
  address: ListenAddress,
  table: RouteTable,
): Promise<RunningServer> {
  return (await bindPort(transport, address)).answer(dispatcher(service, table));
}

/** Answers a request that came before the server was ready. */
export function refuseEarly(exchange: Exchange): void {
  const error = new AppError("snapshot_unavailable", "The server is starting. Ask again soon.", {
    headers: { "Retry-After": "1" },
  });
  const id = requestIdOf(exchange.header("x-request-id"));
  const answer = problem(exchange.framing ?? error, id);
  exchange.send(answer.status, headersOf(answer, id), answer.body);
}
