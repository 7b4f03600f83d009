/**
 * `POST /v1/lists/{id}/entries/from-search`: adds the matches of a spec to a list. Input: a spec.
 * Output: the matches that the list did not contain before.
 * Invariant: all matches come from one snapshot. A search with more matches than a list may hold is
 * refused before any row is read. Separate from the other handlers because only this one queries
 * the engine.
 */
import { AppError } from "../../../errors.ts";
import { matchClauses } from "../../../search/plan.ts";
import type { Segment } from "../../../search/segment.ts";
import { currentSegment } from "../../../search/segment.ts";
import { tooBroad } from "../../../spec/normalize.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { costOf } from "../../server/admission.ts";
import {
  type Computation,
  type ReadPart,
  type ReadTask,
  readBody,
  readRequest,
} from "../../server/body.ts";
import type { ShapedAnswer } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { KeyCall } from "../../server/service.ts";
import { answerWith } from "../search/search.ts";
import { bindLists, readAnySpec, refuseTooBroad } from "../search/search-request.ts";
import { answer } from "../typed-answer.ts";
import { changeableList, changeJson } from "./listanswers.ts";

type ListSearchCall = KeyCall<"engine" | "retain" | "lists" | "segment" | "telemetry" | ReadPart>;

/** Parses and charges the spec that selects a list's new entries. */
export const ADD_FROM_SEARCH: Computation<ReadTask, { readonly spec: AccountQuerySpec }> = {
  name: "addFromSearch",
  run(task, segment, payer) {
    const body = readBody(task.body, ["spec"]);
    payer.spend(costOf({ spec: body.members.spec }));
    return { spec: readAnySpec(task, segment, body).spec };
  },
};

/** Adds the matches. */
export function addFromSearch(call: ListSearchCall): Reply<ShapedAnswer<"ListChange">> {
  const segment = currentSegment(call.service);
  const row = changeableList(call);
  const read = readRequest(call, segment, ADD_FROM_SEARCH);
  return answerWith(call, segment, read, ({ spec }) => add(call, segment, row, spec));
}

async function add(
  call: ListSearchCall,
  segment: Segment,
  row: ReturnType<typeof changeableList>,
  spec: AccountQuerySpec,
): Promise<ShapedAnswer<"ListChange">> {
  const bound = await bindLists(call, segment, spec);
  const { engine, lists } = call.service;
  refuseTooBroad(engine, segment, { spec: bound, missing: tooBroad(spec)?.missing ?? null });
  const matches = engine.countMatches(segment, bound);
  const most = call.plan.limits.list_entries;
  if (matches > most) {
    const detail = `${matches} accounts match; a list of the plan has up to ${most} entries.`;
    throw new AppError("plan_not_allowed", detail);
  }
  const companies = row.kind === "companies";
  const entries = await segment.native.matchEntriesAsync(matchClauses(segment, bound), companies);
  const { limits } = call.plan;
  const changed = await lists.change(row, { entries: [entries], verb: "add" }, { limits, segment });
  const outcome = {
    read: changed.distinct,
    refused: [],
    refusedCount: 0,
    sheet: null,
    column: null,
  };
  return answer("ListChange", {
    request_id: call.requestId,
    ...changeJson(changed, outcome, "add"),
  });
}
