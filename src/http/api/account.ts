/**
 * `GET /v1/accounts/{cnpj}`. What comes in: a CNPJ in any spelling. What goes out: the account with
 * every field of the plan.
 * Invariant: what is no CNPJ is a mistake of the request, and a CNPJ that is not in the registry is
 * 404; of the latter it is said when its check digits are wrong.
 */
import { AppError } from "../../errors.ts";
import { readCnpj } from "../../spec/cnpj.ts";
import { unchanged, weakTag } from "../server/etag.ts";
import { type Answer, json } from "../server/respond.ts";
import { currentSegment, type Question, timed } from "../server/service.ts";

/** Answers one account. */
export function readAccount(call: Question): Answer {
  const { service, plan, params } = call;
  const segment = currentSegment(service);
  // The slash of the punctuated form makes two segments of one CNPJ.
  const sent = params.branch === undefined ? params.cnpj : `${params.cnpj}/${params.branch}`;
  const cnpj = readCnpj(sent ?? "");
  if (cnpj === null) throw malformed();
  const account = timed(call, "account", () =>
    service.engine.account(segment, cnpj.cnpj, plan.fields),
  );
  if (account === null) throw absent(segment.label, cnpj.checked);
  const tag = weakTag(["account", segment.snapshotId, cnpj.cnpj, plan.fields.join(",")]);
  const known = unchanged(call, tag);
  if (known !== null) return known;
  const answer = {
    request_id: call.requestId,
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    provenance: segment.provenance,
    account,
  };
  return { ...json(answer), headers: { ETag: tag }, accounts: 1 };
}

function malformed(): AppError {
  const detail =
    "The path must end with a CNPJ: 14 characters, digits and from 2026 on letters too, with or " +
    "without punctuation, such as 11.222.333/0001-81.";
  const errors = [{ pointer: "/path/cnpj", code: "invalid_cnpj", detail }];
  return new AppError("invalid_request", detail, { errors });
}

/** What is said of a CNPJ that is not in the snapshot; `checked`: its check digits are right. */
export function absent(label: string, checked: boolean): AppError {
  if (checked) {
    return new AppError("not_found", `The snapshot ${label} has no account with this CNPJ.`);
  }
  const detail =
    "No account has this CNPJ, and its check digits are wrong: look for a mistyped one.";
  return new AppError("not_found", detail);
}
