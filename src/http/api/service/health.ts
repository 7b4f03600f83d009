/**
 * Health probes for supervisors and load balancers, without a key: liveness, readiness, and
 * metrics.
 * Invariant: `/healthz` uses nothing that could fail. `/readyz` returns 503 exactly if a search
 * would, or if the server is about to stop.
 */

import { AppError } from "../../../errors.ts";
import { METRICS_TYPE } from "../../../process/metrics.ts";
import { currentSegment } from "../../../search/segment.ts";
import type { ShapedAnswer } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { Call } from "../../server/service.ts";
import { type ApiRoute, route } from "../route.ts";
import { answer } from "../typed-answer.ts";

const example = () => ({ status: "ok", version: "0.1.0", transport: "uws" });
const readyExample = () => ({ status: "ready", snapshot: "2026-10" });

/** Routes of probes and metrics. */
export const HEALTH_ROUTES: readonly ApiRoute[] = [
  route({
    method: "GET",
    path: "/healthz",
    anywhere: true,
    access: "open",
    query: "any",
    id: "healthz",
    tag: "service",
    summary: "Check that the process runs",
    description: "Needs no key and touches nothing that could fail.",
    answers: { 200: { description: "It is up.", schema: "Health", example: example } },
    errors: [],
    handle: healthz,
  }),
  route({
    method: "GET",
    path: "/readyz",
    anywhere: true,
    access: "open",
    query: "any",
    id: "readyz",
    tag: "service",
    summary: "Check that searches are answered",
    description:
      "Needs no key; 503 without a snapshot or while the server stops. degraded: searches are " +
      "answered, but the store with the files of exports does not answer.",
    answers: { 200: { description: "They are.", schema: "Readiness", example: readyExample } },
    errors: ["snapshot_unavailable"],
    handle: readyz,
  }),
  route({
    method: "GET",
    path: "/metrics",
    access: "open",
    query: "any",
    id: "metrics",
    tag: "service",
    summary: "Read metrics for Prometheus",
    description: "Needs no key; 404 where the operator gave the metrics an address of their own.",
    answers: { 200: { description: "The metrics.", schema: null, types: ["text/plain"] } },
    errors: ["not_found"],
    handle: metrics,
  }),
];

function healthz({ service }: Call<"transport" | "version">): ShapedAnswer<"Health"> {
  return answer("Health", { status: "ok", version: service.version, transport: service.transport });
}

function readyz({
  service,
}: Call<"segment" | "stopping" | "behind" | "degraded">): ShapedAnswer<"Readiness"> {
  if (service.stopping()) {
    throw new AppError("snapshot_unavailable", "The server is stopping. Ask another one.");
  }
  if (service.behind()) {
    const detail = "The other servers serve a snapshot that this one lacks. Ask another one.";
    throw new AppError("snapshot_unavailable", detail);
  }
  const segment = currentSegment(service);
  const status = service.degraded() ? "degraded" : "ready";
  return answer("Readiness", { status, snapshot: segment.label });
}

/** Returns the metrics for Prometheus, unless they have their own address. */
function metrics({ service }: Call<"metricsHere" | "telemetry">): Reply {
  if (!service.metricsHere) {
    throw new AppError("not_found", "The metrics are answered at an address of their own.");
  }
  const text = service.telemetry.gathered();
  const answerOf = (body: string) => ({ status: 200, type: METRICS_TYPE, body });
  return text instanceof Promise ? text.then(answerOf) : answerOf(text);
}
