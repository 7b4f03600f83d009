/**
 * `POST /v1/console/accounts/explain`: takes a spec and a CNPJ. Returns the whole account, whether
 * the spec lists it, its score with its parts, and the filters it meets.
 * Invariant: values outside the plan are never shown. No unmet filter is reported as met.
 */
import { absent } from "../http/api/accounts/accounts.ts";
import { answerWith } from "../http/api/search/search.ts";
import { bindLists, readAnySpec } from "../http/api/search/search-request.ts";
import { costOf } from "../http/server/admission.ts";
import {
  type BodyObject,
  type Computation,
  type ReadPart,
  type ReadTask,
  readBody,
  readRequest,
  whenReady,
} from "../http/server/body.ts";
import { type HttpAnswer, unchanged, weakTag } from "../http/server/respond.ts";
import type { Reply } from "../http/server/routetable.ts";
import type { KeyCall } from "../http/server/service.ts";
import { timed } from "../http/server/telemetry.ts";
import { matchesFilters, rowOf } from "../search/clauses.ts";
import type { Explanation } from "../search/explain.ts";
import { explainRows } from "../search/project.ts";
import type { Segment } from "../search/segment.ts";
import { currentSegment } from "../search/segment.ts";
import type { Cnpj } from "../spec/cnpj/cnpj.ts";
import { cnpjMistake } from "../spec/cnpj/cnpjmistake.ts";
import { readCnpjText } from "../spec/cnpj/cnpjspelling.ts";
import { OUTPUT_FIELD_NAMES } from "../spec/fields.ts";
import { shown } from "../spec/reader.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { alone, reasonsOf, setParts } from "./filters.ts";
import { type TypedAnswer, typedAnswer } from "./typedanswer.ts";
import type { ExplainAnswer } from "./web/app/answers.ts";

/** Answers with an account and its match to a spec. */
export function explainAccount(
  call: KeyCall<"clock" | "engine" | "retain" | "segment" | "telemetry" | ReadPart>,
): Reply {
  const segment = currentSegment(call.service);
  return answerWith(call, segment, readRequest(call, segment, EXPLAIN), ({ spec, cnpj }) =>
    whenReady(bindLists(call, segment, spec), (bound) =>
      answerExplained(call, segment, { spec: bound, cnpj }),
    ),
  );
}

function answerExplained(
  call: KeyCall<"clock" | "engine" | "telemetry">,
  segment: Segment,
  { spec, cnpj }: Question,
): HttpAnswer {
  const { service, plan } = call;
  const find = () => service.engine.account(segment, cnpj.cnpj, plan.fields);
  const account = timed(call, "account", find);
  if (account === null) throw absent(segment.label, cnpj.checked);
  const parts = ["explain", segment.snapshotId, JSON.stringify(spec), cnpj.cnpj];
  const tag = weakTag([...parts, plan.fields.join(",")]);
  const known = unchanged(call, tag);
  if (known !== null) return known;
  const answer = {
    request_id: call.requestId,
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    account,
    ...timed(call, "account", () => explanationOf(segment, { spec, cnpj }, plan.fields)),
  };
  return { ...typedAnswer<ExplainAnswer>(answer), headers: { ETag: tag }, accounts: 1 };
}

/** A spec and the account to explain. */
interface Question {
  readonly spec: AccountQuerySpec;
  readonly cnpj: Cnpj;
}

/** Reads and charges a request. Throws `AppError` with every mistake in it. */
export const EXPLAIN: Computation<ReadTask, Question> = {
  name: "explain",
  run(task, segment, payer) {
    const body = readBody(task.body, ["spec", "cnpj"]);
    payer.spend(costOf({ spec: body.members.spec }));
    const cnpj = readNumber(body);
    const { spec } = readAnySpec(task, segment, body);
    // If the request had no cnpj, an error was thrown above.
    return { spec, cnpj: cnpj as Cnpj };
  },
};

function readNumber({ members, mistakes }: BodyObject): Cnpj | null {
  const { cnpj: sent } = members;
  if (typeof sent !== "string" && typeof sent !== "number") {
    const detail = `cnpj must be 14 characters, with or without punctuation, not ${shown(sent)}.`;
    const code = sent === undefined ? "missing" : "invalid_cnpj";
    mistakes.push({ pointer: "/cnpj", code, detail });
    return null;
  }
  const reading = readCnpjText(String(sent));
  if (reading.kind === "cnpj") return reading;
  mistakes.push(cnpjMistake(reading, "/cnpj"));
  return null;
}

function explanationOf(
  segment: Segment,
  { spec, cnpj }: Question,
  allowed: readonly string[],
): Pick<TypedAnswer<ExplainAnswer>, "explain" | "listed"> {
  const row = rowOf(segment, cnpj.cnpj);
  const [explanation] = explainRows(segment, spec, Uint32Array.of(row)) as [Explanation];
  const unmet = setParts(spec.filters).filter(
    (part) => !matchesFilters(segment, alone(spec.filters, part), row),
  );
  const hidden = unmet.flatMap(reasonsOf);
  const matched = Object.entries(explanation.matched)
    .filter(([name]) => !hidden.includes(name))
    .map(([name, value]) => [name, isOffered(name, allowed) ? value : true]);
  const explain = { ...explanation, matched: Object.fromEntries(matched) };
  const listed = matchesFilters(segment, spec.filters, row);
  return { listed, explain: { ...explain, unmet } };
}

/** Maps a filter to the output fields that it reveals, if they are not called like the filter. */
const FIELDS_OF: Readonly<Record<string, readonly string[]>> = {
  cnae: ["cnae_primary", "cnae_secondary"],
  phone_number: ["phone_1", "phone_2"],
  email_address: ["email"],
};

/** True if the plan may show the matching value; otherwise the answer is only `true`. */
function isOffered(name: string, allowed: readonly string[]): boolean {
  const fields = FIELDS_OF[name] ?? [name];
  const known: readonly string[] = OUTPUT_FIELD_NAMES;
  return fields.every((field) => !known.includes(field) || allowed.includes(field));
}
