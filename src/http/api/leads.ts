/**
 * `POST /v1/leads`. What comes in: a sentence or a lead query, for a further page with a cursor.
 * What goes out: one page of leads, with the account query that ran.
 * Invariant: the leads are the accounts that a search of the shown spec gives, in its order, of
 * each company the first one unless all establishments are asked for; a sentence that was hardly
 * understood is refused, never run.
 */
import type { Segment } from "../../search/segment.ts";
import type { Steps } from "../../steps.ts";
import type { Answer } from "../server/respond.ts";
import type { Reply } from "../server/routetable.ts";
import type { KeyCall } from "../server/service.ts";
import { leadProjector } from "./lead.ts";
import { prepareLeads } from "./leads-request.ts";
import { answerPage, answerSteps, refuseDear, segmentFor } from "./search.ts";

/** Answers one page of leads. */
export function searchLeads(call: KeyCall): Reply {
  const startMs = call.service.clock.monotonicMs();
  const segment = segmentFor(call);
  return answerSteps(call, segment, leadSteps(call, segment, startMs));
}

function* leadSteps(call: KeyCall, segment: Segment, startMs: number): Steps<Answer> {
  const prepared = yield* prepareLeads(call, segment);
  const { spec, onePerCompany, language, refusal } = prepared;
  refuseDear(call, prepared);
  if (refusal !== null) throw refusal;
  const project = leadProjector({ segment, spec, allowed: call.plan.fields, language });
  const kind = { endpoint: "leads", onePerCompany, project };
  return yield* answerPage(call, { segment, prepared, kind, startMs });
}
