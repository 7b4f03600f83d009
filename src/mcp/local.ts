/**
 * Runs queries without a server. Input: an opened snapshot. Output: a client for the handlers of
 * the HTTP interface, with an unlimited plan and without charges.
 * Invariant: the handlers are the server's, so answers are the same. The secret of this process
 * signs cursors, so they are valid until it ends. Separate from the tools because they work the
 * same way with a server.
 */
import { randomBytes } from "node:crypto";
import { loadPlans, type Plan } from "../access/plans.ts";
import { Budget } from "../http/server/admission.ts";
import { IN_CALL } from "../http/server/body.ts";
import type { QueryContext, QueryPart, QueryServices } from "../http/server/service.ts";
import { systemClock } from "../process/clock.ts";
import { ENGINE } from "../search/finding.ts";
import type { Segment } from "../search/segment.ts";
import { OUTPUT_FIELD_NAMES } from "../spec/fields.ts";
import { SPEC_LIMITS } from "../spec/limits.ts";

/** Returns a function that makes the context of a call. `gone`: the call was cancelled. */
export function localContext(segment: Segment): (gone: () => boolean) => QueryContext<QueryPart> {
  const service: QueryServices = {
    engine: ENGINE,
    compute: IN_CALL,
    clock: systemClock,
    streams: new Budget(1),
    secondaryCnaeFull: true,
    listed: null,
    secrets: { cursor: [randomBytes(32)] },
    overload: { refuse: () => {} },
    telemetry: { engine: () => {} },
    log: { error: () => {} },
    segment: () => segment,
    replaced: () => null,
    retain: () => () => {},
  };
  const plan = openPlan();
  return (gone) => ({
    ...{ service, plan, gone },
    requestId: "local",
    identity: { tenantId: "local" },
    body: new Uint8Array(0),
    params: {},
    header: () => undefined,
    spend: () => {},
  });
}

/** Returns a plan without limits: the owner of the file may read all of it. */
function openPlan(): Plan {
  const { enterprise } = loadPlans();
  const limits = {
    ...enterprise.limits,
    search_limit: SPEC_LIMITS.searchLimitMax,
    export_rows: SPEC_LIMITS.exportLimitMax,
  };
  return { ...enterprise, limits, secondaryCnaeFull: true, fields: OUTPUT_FIELD_NAMES };
}
