/**
 * Whether the server lives and whether it can answer. What comes in: the service. What goes out:
 * two small answers for supervisors and load balancers and the metrics, without a key.
 * Invariant: `/healthz` touches nothing that could fail; `/readyz` says 503 exactly when a search
 * would, or when the server is about to stop.
 */
import { AppError } from "../../errors.ts";
import { METRICS_TYPE } from "../../metrics.ts";
import { type Answer, json } from "../server/respond.ts";
import { type Call, currentSegment } from "../server/service.ts";

/** The process is up. */
export function healthz({ service }: Call): Answer {
  return json({ status: "ok", version: service.version, transport: service.transport });
}

/** A snapshot is loaded and requests are welcome. */
export function readyz({ service }: Call): Answer {
  if (service.stopping()) {
    throw new AppError("snapshot_unavailable", "The server is stopping. Ask another one.");
  }
  const segment = currentSegment(service);
  return json({ status: "ready", snapshot: segment.label });
}

/** The metrics for Prometheus, unless they have an address of their own. */
export function metrics({ service }: Call): Answer {
  if (!service.metricsHere) {
    throw new AppError("not_found", "The metrics are answered at an address of their own.");
  }
  return { status: 200, type: METRICS_TYPE, body: service.telemetry.text() };
}
