/**
 * Questions without a server. What comes in: an opened snapshot. What goes out: who asks, as the
 * handlers of the HTTP interface want to know it: under a plan without limits, free of charge.
 * Invariant: the handlers, and so the answers, are those of a server; cursors live as long as the
 * process, because the secret that signs them does. Apart because tools are the same with a server
 * and without.
 */
import { randomBytes } from "node:crypto";
import { loadPlans, type Plan } from "../access/plans.ts";
import { Budget } from "../http/server/admission.ts";
import { IN_CALL } from "../http/server/body.ts";
import type { AskedPart, AskedService, Question } from "../http/server/service.ts";
import { systemClock } from "../process/clock.ts";
import { ENGINE } from "../search/finding.ts";
import type { Segment } from "../search/segment.ts";
import { OUTPUT_FIELD_NAMES } from "../spec/fields.ts";
import { SPEC_LIMITS } from "../spec/limits.ts";

/** Makes the questions of one process; `gone` says whether one was cancelled. */
export function localAsker(segment: Segment): (gone: () => boolean) => Question<AskedPart> {
  const service: AskedService = {
    engine: ENGINE,
    compute: IN_CALL,
    clock: systemClock,
    streams: new Budget(1),
    secondaryCnaeFull: true,
    listed: null,
    secrets: { cursor: [randomBytes(32)] },
    pressure: { refuse: () => {} },
    telemetry: { engine: () => {} },
    log: { error: () => {} },
    segment: () => segment,
    replaced: () => null,
    hold: () => () => {},
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

/** Who has the file may read all of it. */
function openPlan(): Plan {
  const { enterprise } = loadPlans();
  const limits = {
    ...enterprise.limits,
    search_limit: SPEC_LIMITS.searchLimitMax,
    export_rows: SPEC_LIMITS.exportLimitMax,
  };
  return { ...enterprise, limits, secondaryCnaeFull: true, fields: OUTPUT_FIELD_NAMES };
}
