/**
 * `/metrics` at its own address. Input: the telemetry and an address. Output: a server with only
 * this path.
 * Invariant: no other path is answered. No key is needed: the operator chooses an address that only
 * monitoring reaches. Separate because it lacks the main server's limits.
 */

import { AppError } from "../../errors.ts";
import { METRICS_TYPE } from "../../process/metrics.ts";
import type { ListenAddress } from "../../settings/settings.ts";
import { problem } from "./respond.ts";
import { bindPort, type RunningServer } from "./server.ts";
import type { Telemetry } from "./telemetry.ts";
import type { Exchange, ExchangeHandler, TransportLimits } from "./transport/transport.ts";
import { openNodeTransport } from "./transport/transport-node.ts";

type Gathering = Pick<Telemetry, "gathered">;

/** Starts the server. Throws `CommandError` if the address is not available. */
export async function startMetricsServer(
  telemetry: Gathering,
  address: ListenAddress,
  limits: TransportLimits,
): Promise<RunningServer> {
  return (await bindPort(openNodeTransport(limits), address)).answer(metricsHandler(telemetry));
}

/** Returns the handler of that server. */
export function metricsHandler(telemetry: Gathering): ExchangeHandler {
  return (exchange) => answer(telemetry, exchange);
}

function answer(telemetry: Gathering, exchange: Exchange): void {
  const { framing } = exchange;
  if (framing !== null) {
    refuse(exchange, framing);
    return;
  }
  if (exchange.path === "/metrics" && (exchange.method === "GET" || exchange.method === "HEAD")) {
    const send = (text: string) => exchange.send(200, [["Content-Type", METRICS_TYPE]], text);
    const text = telemetry.gathered();
    if (text instanceof Promise) void text.then(send, () => exchange.cut());
    else send(text);
    return;
  }
  refuse(exchange, new AppError("not_found", "Only GET /metrics is answered here."));
}

function refuse(exchange: Exchange, error: AppError): void {
  const { status, type, body, headers = {} } = problem(error, "metrics");
  exchange.send(status, [["Content-Type", type], ...Object.entries(headers)], body as string);
}
