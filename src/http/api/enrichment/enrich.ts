/**
 * `POST /v1/enrich`. Input: up to 1,000 CNPJs in any spelling, fields, and labels. Output: one
 * result for each CNPJ, in the same order.
 * Invariant: no answer repeats a CPF. Only the accounts found are charged, before the answer is
 * sent. Bodies up to 8 KiB are processed inline, larger ones by the compute thread.
 */

import { NO_ROW } from "../../../../native-index/napi/engine.ts";
import { includesExports } from "../../../access/plans.ts";
import { AppError, type Mistake } from "../../../errors.ts";
import { CnpjBatch, OutcomeTally, statusOf } from "../../../export/enrichment/outcomes.ts";
import { currentSegment, type Segment } from "../../../search/segment.ts";
import { hideCpf, withoutCpfs } from "../../../spec/cnpj/cpf.ts";
import { DEFAULT_FIELDS } from "../../../spec/fields.ts";
import { type NormalizeContext, normalizeSpec } from "../../../spec/normalize.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { EXAMPLE_ACCOUNT, EXAMPLE_REQUEST, EXAMPLE_SOURCE } from "../../openapi/examples.ts";
import { costOf, PER_UNIT } from "../../server/admission.ts";
import {
  type BodyObject,
  type Computation,
  type ReadPart,
  type ReadTask,
  readBody,
  readRequest,
  whenReady,
  withBodyMistakes,
} from "../../server/body.ts";
import type { ShapedAnswer } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { KeyCall, QueryContext } from "../../server/service.ts";
import { type ApiRoute, BODY_ERRORS, route, SNAPSHOT_ERRORS } from "../route.ts";
import { answer, type Shape } from "../typed-answer.ts";
import { CNPJS_MAX } from "./enrich-schemas.ts";

/** A result in JSON: the members that its schema has. */
type EnrichResult = Shape<"EnrichResult">;

/** Results of a request. */
interface Enriched {
  readonly results: readonly EnrichResult[];
  /** Number of accounts found; these are charged. */
  readonly found: number;
}

const MEMBERS = ["cnpjs", "fields", "labels", "lost_zeros"];

/** Reads, charges, and answers a request. Throws `AppError` with every mistake in it. */
export const ENRICH: Computation<ReadTask, Enriched> = {
  name: "enrich",
  run(task, segment, payer) {
    const body = readBody(task.body, MEMBERS);
    const texts = readCnpjs(body);
    const fillZeros = readZeros(body);
    payer.spend(costOf({ cnpjs: texts.length }));
    const { fields, labels } = body.members;
    const output = {
      ...(fields === undefined ? {} : { fields }),
      ...(labels === undefined ? {} : { labels }),
    };
    const spec = readOutput(body, segment, task, { output, at: "" });
    return lookedUp(segment, { texts, fillZeros }, spec.output);
  },
};

/** `POST /v1/enrich`. */
function enrichCnpjs(
  call: KeyCall<"exporter" | "segment" | ReadPart>,
): Reply<ShapedAnswer<"EnrichAnswer">> {
  const { identity, plan, service } = call;
  if (!includesExports(plan)) {
    throw new AppError("plan_not_allowed", `The plan ${plan.name} does not include enrichment.`);
  }
  return whenReady(resultsOf(call), ({ segment, results, found }) => {
    service.exporter.charge({ ...identity, plan }, found);
    const { label: snapshot, snapshotDate } = segment;
    const value = { request_id: call.requestId, snapshot, snapshot_date: snapshotDate, results };
    return answer("EnrichAnswer", value, { accounts: found });
  });
}

/** Returns the results of a request, and the snapshot that they come from. */
export function resultsOf(
  call: QueryContext<"segment" | ReadPart>,
): (Enriched & { readonly segment: Segment }) | Promise<Enriched & { readonly segment: Segment }> {
  const segment = currentSegment(call.service);
  return whenReady(readRequest(call, segment, ENRICH), (enriched) => ({ ...enriched, segment }));
}

function readCnpjs({ members, mistakes }: BodyObject): readonly string[] {
  const { cnpjs } = members;
  if (!Array.isArray(cnpjs) || cnpjs.length === 0 || cnpjs.length > CNPJS_MAX) {
    const most = CNPJS_MAX.toLocaleString("en");
    const detail = `cnpjs must be a list of 1 to ${most} texts or numbers.`;
    const code =
      cnpjs === undefined ? "missing" : Array.isArray(cnpjs) ? "wrong_length" : "wrong_type";
    mistakes.push({ pointer: "/cnpjs", code, detail });
    return [];
  }
  return cnpjs.map((cnpj: unknown, at) => {
    if (typeof cnpj === "string" || Number.isFinite(cnpj)) return String(cnpj);
    const detail = 'Must be a text, such as "11222333000181", or a number.';
    mistakes.push({ pointer: `/cnpjs/${at}`, code: "wrong_type", detail });
    return "";
  });
}

/** Fields and labels as sent, and the pointer of the value that contains them. */
interface SentOutput {
  readonly output: Readonly<Record<string, unknown>>;
  readonly at: string;
}

/** Reads the member `lost_zeros` as the query of a file has it. */
function readZeros({ members, mistakes }: BodyObject): boolean {
  const { lost_zeros: wanted } = members;
  const isKnown = wanted === undefined || wanted === "refuse" || wanted === "fill";
  const detail = "lost_zeros must be fill or refuse.";
  if (!isKnown) mistakes.push({ pointer: "/lost_zeros", code: "unknown_value", detail });
  return wanted === "fill";
}

/** Reads fields and labels as exports do: as the output of an empty spec. */
export function readOutput(
  body: BodyObject,
  segment: Segment,
  { plan }: Pick<ReadTask, "plan">,
  { output, at }: SentOutput,
): AccountQuerySpec {
  const context: NormalizeContext = {
    ...{ catalog: segment.catalog, allowedFields: plan.fields, defaultFields: DEFAULT_FIELDS },
    ...{ limitDefault: 1, limitCap: 1, bodyLimit: undefined, fullAllowed: false },
    mode: "export",
    bodyOutput: { format: "csv", ...output },
  };
  return withBodyMistakes(body, () => placedAt(at, () => normalizeSpec({}, context).spec));
}

/** Corrects the pointers of mistakes: here, fields and labels are not members of `output`. */
function placedAt<Value>(at: string, normalize: () => Value): Value {
  try {
    return normalize();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const moved = (mistake: Mistake) => ({
      ...mistake,
      pointer: mistake.pointer.replace(/^\/output/, at),
    });
    throw new AppError(error.code, error.message, { errors: error.errors.map(moved) });
  }
}

/** Looks up texts, all in one native call. */
function lookedUp(
  { native }: Segment,
  { texts, fillZeros }: { readonly texts: readonly string[]; readonly fillZeros: boolean },
  { fields, labels }: AccountQuerySpec["output"],
): Enriched {
  const batch = new CnpjBatch(texts.length, { takesRoots: true, fillZeros });
  const offered = texts.map((text) => batch.add(text));
  const shape = { format: "jsonl", extra: [], delimiter: ",", firstNumber: 1, labels } as const;
  const named = fields.includes("cnpj") ? fields : ["cnpj" as const, ...fields];
  const { rows, text } = native.lookUp(batch.keys, { ...shape, fields: named });
  batch.settle(rows);
  const lines = Buffer.from(text).toString().split("\n");
  let line = 0;
  const tally = new OutcomeTally();
  const results = texts.map((sent, at): EnrichResult => {
    const hasRow = batch.rows[at] !== NO_ROW;
    const account = hasRow ? (JSON.parse(lines[line++] as string) as AccountJson) : null;
    tally.count(batch.outcomes[at] as number);
    return resultOf(batch, at, { sent, account, offered: offered[at], named: fields });
  });
  return { results, found: tally.found };
}

type AccountJson = Record<string, unknown> & { readonly cnpj: string };

interface ResultParts {
  readonly sent: string;
  readonly account: AccountJson | null;
  readonly offered: string | undefined;
  /** The fields that were requested. */
  readonly named: readonly string[];
}

function resultOf(
  batch: CnpjBatch,
  at: number,
  { sent, account, offered, named }: ResultParts,
): EnrichResult {
  const outcome = batch.outcome(at);
  // An empty cell is not a CNPJ.
  const { status, reason } = statusOf(outcome === "blank" ? "not_a_cnpj" : outcome);
  const cnpj = account === null ? batch.cnpj(at) : account.cnpj.replace(/[./-]/g, "");
  const own = account === null || named.includes("cnpj") ? account : withoutCnpj(account);
  return {
    input: reason === "cpf" ? hideCpf(sent) : withoutCpfs(sent),
    ...{ status, cnpj: reason === null ? cnpj : null, account: own, reason },
    ...(offered === undefined ? {} : reason === null ? RESTORED : { offered }),
  };
}

const RESTORED = { zeros_restored: true } as const;

function withoutCnpj({ cnpj: _, ...account }: AccountJson): Record<string, unknown> {
  return account;
}

const RESULTS = [
  {
    ...{ input: "11.222.333/0001-81", status: "found", cnpj: "11222333000181" },
    ...{ account: EXAMPLE_ACCOUNT, reason: null },
  },
  {
    ...{ input: "***.***.***-**", status: "not_a_cnpj", cnpj: null },
    ...{ account: null, reason: "cpf" },
  },
] as const;

/** The route that enriches CNPJs sent as JSON. */
export const ENRICH_ROUTE: ApiRoute = route({
  method: "POST",
  path: "/v1/enrich",
  access: "key",
  sheds: "last",
  id: "enrichCnpjs",
  tag: "accounts",
  summary: "Look up many CNPJs",
  description:
    "Answers up to 1,000 CNPJs in their order, one result for each: found, head_office (a root " +
    "was sent), not_in_snapshot, or not_a_cnpj with the reason. Every spelling is read. An " +
    "account that the registry has with wrong check digits is found. Counts as 1 request, and 1 " +
    `more for every ${PER_UNIT.cnpjs} CNPJs: ${costOf({ cnpjs: CNPJS_MAX })} for 1,000. Accounts ` +
    "that are found are charged against the quota of export rows; all others cost nothing. A CPF " +
    "is never repeated.",
  body: {
    schema: "EnrichRequest",
    example: { cnpjs: ["11.222.333/0001-81", "123.456.789-09"], fields: [], labels: null },
  },
  answers: {
    200: {
      description: "One result for each CNPJ.",
      schema: "EnrichAnswer",
      example: () => ({ ...EXAMPLE_REQUEST, ...EXAMPLE_SOURCE, results: RESULTS }),
    },
  },
  errors: [
    ...BODY_ERRORS,
    ...(["invalid_request", "invalid_spec", "field_not_allowed"] as const),
    ...(["plan_not_allowed", "quota_exceeded"] as const),
    ...SNAPSHOT_ERRORS,
  ],
  handle: enrichCnpjs,
});
