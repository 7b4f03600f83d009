/**
 * Which lists accounts are in, as the console shows it beside them. What comes in: CNPJs of rows on
 * the screen. What goes out: the tenant's lists that hold any of them, each with those it holds.
 * Invariant: another tenant's list is never looked at; nothing is changed. Apart because the table
 * of routes names answers, and this is one.
 */
import { Turns } from "../http/server/background-tasks.ts";
import type { HttpAnswer } from "../http/server/respond.ts";
import type { Reply } from "../http/server/routetable.ts";
import type { KeyCall } from "../http/server/service.ts";
import { holding } from "../lists/membership.ts";
import { answered } from "./answered.ts";
import { membersOf, refuse, refuseMistakes } from "./bodymembers.ts";
import type { HoldingAnswer } from "./web/app/listanswers.ts";

/** Accounts of one question: more than a screen shows. */
const CNPJS_MAX = 200;

/** `POST /accounts/lists` with `{cnpjs}`: which lists they are in. */
export function listsOfAccounts(call: KeyCall<"lists">): Reply {
  const body = membersOf(call, ["cnpjs"]);
  const { cnpjs } = body.members;
  const texts: string[] = Array.isArray(cnpjs)
    ? cnpjs.filter((one: unknown) => typeof one === "string")
    : [];
  const fits = Array.isArray(cnpjs) && texts.length === cnpjs.length && texts.length <= CNPJS_MAX;
  if (!fits) refuse(body, "cnpjs", `cnpjs must be a list of up to ${CNPJS_MAX} texts.`);
  refuseMistakes(body);
  return answerHolding(call, texts);
}

async function answerHolding(
  call: KeyCall<"lists">,
  cnpjs: readonly string[],
): Promise<HttpAnswer> {
  const { lists } = call.service;
  const turns = new Turns();
  const held = await holding(lists, call.identity.tenantId, cnpjs, () => turns.taken());
  return answered<HoldingAnswer>({
    request_id: call.requestId,
    lists: held.map(({ list: { id, name }, cnpjs: own }) => ({ id, name, cnpjs: own })),
  });
}
