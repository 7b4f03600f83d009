/**
 * `POST /v1/lists/{id}/entries/from-search`. What comes in: a spec. What goes out: what of its
 * matches the list did not have.
 * Invariant: the matches are those of the served snapshot at one moment; more of them than a list
 * may have are refused before any is read. Apart because it alone of lists asks the engine.
 */
import { AppError } from "../../../errors.ts";
import { type Steps, waited } from "../../../scheduling/steps.ts";
import { matchClauses } from "../../../search/plan.ts";
import type { Segment } from "../../../search/segment.ts";
import { tooBroad } from "../../../spec/breadth.ts";
import { normalizingSteps } from "../../../spec/normalize.ts";
import { readBody, withBodyMistakesIn } from "../../server/body.ts";
import { costOf } from "../../server/cost.ts";
import type { ShapedAnswer } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import { currentSegment, type KeyCall } from "../../server/service.ts";
import { answer } from "../answershape.ts";
import { answerSteps } from "../search/search.ts";
import { boundSteps, refuseTooBroad } from "../search/search-request.ts";
import { eitherContext } from "../spec/normalize.ts";
import { changeableList, changeJson } from "./listanswers.ts";

type Asked = KeyCall<
  "engine" | "hold" | "listed" | "lists" | "secondaryCnaeFull" | "segment" | "telemetry"
>;

/** Answers with what was added. */
export function addFromSearch(call: Asked): Reply<ShapedAnswer<"ListChange">> {
  const segment = currentSegment(call.service);
  return answerSteps(call, segment, addingSteps(call, segment));
}

function* addingSteps(call: Asked, segment: Segment): Steps<ShapedAnswer<"ListChange">> {
  const row = changeableList(call);
  const body = readBody(call.body, ["spec"]);
  const { spec: sent } = body.members;
  call.spend(costOf({ spec: sent }));
  const { spec } = yield* withBodyMistakesIn(body, () =>
    normalizingSteps(sent, { ...eitherContext(call, segment, sent), listsKnown: true }),
  );
  const bound = yield* boundSteps(call, segment, spec);
  const { engine, lists } = call.service;
  refuseTooBroad(engine, segment, { spec: bound, missing: tooBroad(spec)?.missing ?? null });
  const matches = engine.countMatches(segment, bound);
  const most = call.plan.limits.list_entries;
  if (matches > most) {
    const detail = `${matches} accounts match; a list of the plan has up to ${most} entries.`;
    throw new AppError("plan_not_allowed", detail);
  }
  const companies = row.kind === "companies";
  const clauses = matchClauses(segment, bound);
  const entries = yield* waited(segment.native.matchEntriesAside(clauses, companies));
  const { limits } = call.plan;
  const change = lists.change(row, { entries: [entries], verb: "add" }, { limits, segment });
  const changed = yield* waited(change);
  const read = { read: changed.distinct, refused: [], refusedCount: 0, sheet: null, column: null };
  return answer("ListChange", { request_id: call.requestId, ...changeJson(changed, read, "add") });
}
