/**
 * A running HTTP server. What comes in: a service, a transport and an address. What goes out: the
 * port it listens at, and the way to stop it.
 * Invariant: the chosen transport is used or the start fails; stopping lets requests in flight
 * finish within the deadline before sockets are closed.
 */

import type { ListenAddress } from "../../settings/settings.ts";
import { dispatcher } from "./dispatch.ts";
import type { RouteTable } from "./routetable.ts";
import type { Service } from "./service.ts";
import type { Transport, TransportLimits, TransportName } from "./transport/transport.ts";
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

/** Opens a transport. Throws `CommandError` when it cannot be loaded here. */
export function openTransport(name: TransportName, limits: TransportLimits): Promise<Transport> {
  return name === "uws" ? openUwsTransport(limits) : Promise.resolve(openNodeTransport(limits));
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
  const port = await transport.listen(address, dispatcher(service, table));
  return {
    port,
    leave: () => transport.leave(),
    close: (deadlineMs) => transport.close(deadlineMs),
  };
}
