/**
 * `GET /v1/status`: returns the loaded snapshot, and the limits of the client's plan. It also
 * answers while no snapshot is loaded, because operators need it most then.
 * Invariant: every list is derived from the table that defines it, so it cannot be wrong.
 */

import { PLAN_NAMES } from "../../../access/plannames.ts";
import { loadPlans } from "../../../access/plans.ts";
import { SCORE_VERSION, SCORE_WEIGHTS } from "../../../search/score.ts";
import type { Segment } from "../../../search/segment.ts";
import { loadedSegment } from "../../../search/segment.ts";
import { FACETS } from "../../../spec/facets.ts";
import {
  EXPORT_FORMATS,
  SCORING_STRATEGIES,
  SECONDARY_CNAE_MODES,
  SORT_FIELDS,
} from "../../../spec/fields.ts";
import { EXAMPLE_PROVENANCE, EXAMPLE_REQUEST, EXAMPLE_SOURCE } from "../../openapi/examples.ts";
import type { ShapedAnswer } from "../../server/respond.ts";
import type { KeyCall, Service } from "../../server/service.ts";
import { changesSince } from "../changes/changepair.ts";
import { type ApiRoute, route } from "../route.ts";
import { answer } from "../typed-answer.ts";

/** The status route. */
export const STATUS_ROUTES: readonly ApiRoute[] = [
  route({
    method: "GET",
    path: "/v1/status",
    access: "key",
    id: "status",
    tag: "service",
    summary: "Read the snapshot, the plan, and its limits",
    description:
      "Snapshot, plan, limits, use of today, fields, sort fields, and how the score is made. " +
      "Answered without a snapshot too: what is said of it is null then.",
    answers: { 200: { description: "The status.", schema: "Status", example: example } },
    errors: [],
    handle: status,
  }),
];

function example() {
  const plans = loadPlans();
  const { limits, fields, secondaryCnaeFull } = plans.enterprise;
  return {
    ...{
      ...EXAMPLE_REQUEST,
      status: "ok",
      version: "0.1.0",
      ...EXAMPLE_SOURCE,
      provenance: EXAMPLE_PROVENANCE,
      accounts: 71_000_000,
    },
    verification: {
      pass_seconds: 86_400,
      blocks: 312_500,
      checked_blocks: 140_625,
      passes: 11,
      last_pass_at: "2026-10-22T04:31:07.000Z",
    },
    changes_since: ["2026-09", "2026-08"],
    plan: "enterprise",
    limits: { ...limits, secondary_cnae_full: secondaryCnaeFull },
    field_allowlist: fields,
    field_allowlist_by_plan: Object.fromEntries(
      PLAN_NAMES.map((name) => [name, plans[name].fields]),
    ),
    allowed_sort_fields: SORT_FIELDS,
    scoring_strategies: SCORING_STRATEGIES,
    export_formats: EXPORT_FORMATS,
    secondary_cnae_modes: SECONDARY_CNAE_MODES,
    facets: FACETS,
    usage: {
      today: { requests: 812, accounts: 40_600, export_rows: 25_000 },
      export_rows_left: null,
      export_bytes_kept: 0,
      export_bytes_left: 500_000_000_000,
    },
    score: { version: SCORE_VERSION, weights: SCORE_WEIGHTS },
  };
}

type StatusCall = KeyCall<
  | "months"
  | "plans"
  | "scrubbed"
  | "searches"
  | "secondaryCnaeFull"
  | "segment"
  | "usage"
  | "version"
>;

function status(call: StatusCall): ShapedAnswer<"Status"> {
  return answer("Status", statusOf(call));
}

/** Returns the data of the status answer. */
export function statusOf({ service, requestId, identity, plan }: StatusCall) {
  const segment = loadedSegment(service);
  const byPlan = PLAN_NAMES.map((name) => [name, service.plans[name].fields]);
  const full = plan.secondaryCnaeFull && service.secondaryCnaeFull;
  const { files: retained } = service.searches.storedBytes.of(identity.tenantId);
  const { export_bytes: most } = plan.limits;
  const { requests, accounts, exportRows } = service.usage.today(identity.tenantId);
  return {
    request_id: requestId,
    status: conditionOf(service),
    version: service.version,
    snapshot: segment?.label ?? null,
    snapshot_date: segment?.snapshotDate ?? null,
    provenance: segment?.provenance ?? null,
    accounts: segment?.accounts ?? null,
    verification: segment === null ? null : verification(service, segment),
    changes_since: changesSince(service),
    plan: plan.name,
    limits: { ...plan.limits, secondary_cnae_full: full },
    field_allowlist: plan.fields,
    field_allowlist_by_plan: Object.fromEntries(byPlan),
    allowed_sort_fields: SORT_FIELDS,
    scoring_strategies: SCORING_STRATEGIES,
    export_formats: EXPORT_FORMATS,
    secondary_cnae_modes: SECONDARY_CNAE_MODES,
    facets: FACETS,
    usage: {
      today: { requests, accounts, export_rows: exportRows },
      export_rows_left: service.usage.exportRowsLeft(identity.tenantId, plan),
      export_bytes_kept: retained,
      export_bytes_left: most === 0 ? null : Math.max(0, most - retained),
    },
    score: { version: SCORE_VERSION, weights: SCORE_WEIGHTS },
  };
}

/** Returns why no snapshot can be queried, or "ok". */
function conditionOf(service: Pick<Service, "segment">): "ok" | "no_snapshot" | "snapshot_damaged" {
  if (loadedSegment(service) !== null) return "ok";
  return service.segment() === null ? "no_snapshot" : "snapshot_damaged";
}

/** Returns the progress of the background recheck of the snapshot. */
function verification(service: Pick<Service, "scrubbed">, segment: Segment) {
  const state = service.scrubbed(segment);
  if (state === null) return null;
  const { blocks, checked, passes, lastPassMs, passSeconds } = state;
  return {
    pass_seconds: passSeconds,
    blocks,
    checked_blocks: checked,
    passes,
    last_pass_at: lastPassMs === null ? null : new Date(lastPassMs).toISOString(),
  };
}
