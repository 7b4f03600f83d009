/**
 * `POST /v1/leads`. What comes in: a sentence or a lead query, for a further page with a cursor.
 * What goes out: one page of leads, with the account query that ran.
 * Invariant: the leads are the accounts that a search of the shown spec gives, in its order, of
 * each company the first one unless all establishments are asked for; a sentence that was hardly
 * understood is refused, never run.
 */
import { searchCost } from "../access/ratelimit.ts";
import { leadProjector } from "./lead.ts";
import { prepareLeads } from "./preparedleads.ts";
import type { Answer } from "./respond.ts";
import { answerPage, segmentFor } from "./search.ts";
import type { KeyCall } from "./service.ts";

/** Answers one page of leads. */
export function searchLeads(call: KeyCall): Answer | Promise<Answer> {
  const { service, plan } = call;
  const startMs = service.clock.monotonicMs();
  const segment = segmentFor(call);
  const prepared = prepareLeads(call.body, segment, plan);
  const { spec, onePerCompany, language, refusal } = prepared;
  call.spend(searchCost(spec.limit));
  if (refusal !== null) throw refusal;
  const project = leadProjector({ segment, spec, allowed: plan.fields, language });
  const kind = { endpoint: "leads", onePerCompany, project };
  return answerPage(call, { segment, prepared, kind, startMs });
}
