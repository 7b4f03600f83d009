/**
 * Whether the server lives and whether it can answer. What comes in: the service. What goes out:
 * two small answers for supervisors and load balancers, without a key.
 * Invariant: `/healthz` touches nothing that could fail; `/readyz` says 503 exactly when a search
 * would, or when the server is about to stop.
 */
import { AppError } from "../errors.ts";
import { type Answer, json } from "./respond.ts";
import { type Call, currentSegment } from "./service.ts";

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
