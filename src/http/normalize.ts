/**
 * `POST /v1/spec/normalize`. What comes in: a spec that somebody edited. What goes out: its normal
 * form, what that changed, and how many accounts it matches.
 * Invariant: runs nothing but the count; what it accepts is what a search or an export accepts.
 */
import type { Plan } from "../access/plans.ts";
import { AppError } from "../errors.ts";
import { tooBroad } from "../spec/breadth.ts";
import { DEFAULT_FIELDS, EXPORT_FORMATS } from "../spec/fields.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import { isJsonObject } from "../spec/reader.ts";
import { readBody, withBodyMistakes } from "./body.ts";
import { SEARCH_LIMIT_DEFAULT } from "./prepared.ts";
import { type Answer, json } from "./respond.ts";
import { currentSegment, type KeyCall } from "./service.ts";

/** Validates and normalizes a spec of a search or of an export. */
export function normalize({ service, plan, body, requestId }: KeyCall): Answer {
  const segment = currentSegment(service);
  const read = readBody(body, ["spec"]);
  const { spec: input } = read.members;
  refuseLeadQuery(input);
  const { spec, warnings, changes } = withBodyMistakes(read, () =>
    normalizeSpec(input, {
      catalog: segment.catalog,
      ...limitsFor(input, plan),
      fullAllowed: plan.secondaryCnaeFull && service.secondaryCnaeFull,
      allowedFields: plan.fields,
      defaultFields: DEFAULT_FIELDS,
      mode: "either",
    }),
  );
  return json({
    request_id: requestId,
    valid: true,
    spec,
    changes,
    warnings,
    matches: service.engine.countMatches(segment, spec),
    too_broad: tooBroad(spec) !== null,
  });
}

/** An export format in the spec says that it is meant for an export. */
function limitsFor(input: unknown, plan: Plan): { limitDefault: number; limitCap: number } {
  const output = isJsonObject(input) ? input.output : undefined;
  const format = isJsonObject(output) ? output.format : undefined;
  const { search_limit: searchLimit, export_rows: exportRows } = plan.limits;
  return EXPORT_FORMATS.some((known) => known === format)
    ? { limitDefault: exportRows, limitCap: exportRows }
    : { limitDefault: Math.min(SEARCH_LIMIT_DEFAULT, searchLimit), limitCap: searchLimit };
}

function refuseLeadQuery(input: unknown): void {
  if (!isJsonObject(input) || input.kind !== "lead_query") return;
  const detail = "This version reads specs of kind account_query only; lead_query comes later.";
  const errors = [{ pointer: "/spec/kind", code: "unknown_value", detail }];
  throw new AppError("invalid_spec", detail, { errors });
}
