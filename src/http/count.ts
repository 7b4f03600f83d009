/**
 * `POST /v1/accounts/count`. What comes in: a spec and the names of facets. What goes out: the
 * exact number of matches and how they spread, without any account.
 * Invariant: the total is that of a search or the number of matches of an export of the same spec;
 * facets are counted over all of them.
 */
import { tooBroad } from "../spec/breadth.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import { readBody, withBodyMistakes } from "./body.ts";
import { refuseTooBroad } from "./breadth.ts";
import { unchanged, weakTag } from "./etag.ts";
import { readFacets } from "./facets.ts";
import { eitherContext } from "./normalize.ts";
import { type Answer, json } from "./respond.ts";
import { currentSegment, type Question, timed } from "./service.ts";

/** Counts the matches of a spec. */
export function countAccounts(call: Question): Answer {
  const { service } = call;
  const startMs = service.clock.monotonicMs();
  const segment = currentSegment(service);
  const body = readBody(call.body, ["spec", "facets"]);
  const names = readFacets(body);
  const { spec } = withBodyMistakes(body, () =>
    normalizeSpec(body.members.spec, eitherContext(call, segment, body.members.spec)),
  );
  refuseTooBroad(service.engine, segment, { spec, missing: tooBroad(spec)?.missing ?? null });
  const tag = weakTag(["count", segment.snapshotId, JSON.stringify(spec), String(names)]);
  const known = unchanged(call, tag);
  if (known !== null) return known;
  const total = timed(call, "count", () => service.engine.countMatches(segment, spec));
  const facets =
    names === null
      ? {}
      : { facets: timed(call, "facets", () => service.engine.facets(segment, spec, names)) };
  const answer = {
    request_id: call.requestId,
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    provenance: segment.provenance,
    spec,
    total,
    ...facets,
    took_ms: Math.round((service.clock.monotonicMs() - startMs) * 1000) / 1000,
  };
  return { ...json(answer), headers: { ETag: tag } };
}
