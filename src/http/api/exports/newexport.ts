/**
 * `POST /v1/exports`. Input: a spec, an output, a limit, and an idempotency key. Output: 201 with
 * the export, queued or in its current state.
 * Invariant: all mistakes are found, and the limits of plan and format checked, before the export
 * is queued. A limit above the plan's is lowered, with a warning. No row is read. Matches are
 * counted only if no limit is sent, if the format bounds its rows, or if the plan has a quota. The
 * same bytes with the same key return the same export, even after a snapshot reload.
 */
import { createHash } from "node:crypto";
import { hasQuota } from "../../../access/quota.ts";
import { AppError } from "../../../errors.ts";
import type { AcceptedExport, NewExport } from "../../../export/exporter.ts";
import { FORMATS, refuseTooManyRows } from "../../../export/formats/format.ts";
import type { ExportFormat } from "../../../export/record.ts";
import { faultPoint } from "../../../process/fault.ts";
import type { Segment } from "../../../search/segment.ts";
import { DEFAULT_FIELDS } from "../../../spec/fields.ts";
import {
  appendWarnings,
  type NormalizeContext,
  normalizeSpec,
  tooBroad,
} from "../../../spec/normalize.ts";
import { isJsonObject, SpecReader } from "../../../spec/reader.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { costOf } from "../../server/admission.ts";
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
import { headerMistake } from "../../server/query.ts";
import type { ShapedAnswer } from "../../server/respond.ts";
import type { KeyCall, QueryContext } from "../../server/service.ts";
import { matchesOf, refuseTooBroad } from "../search/search-request.ts";
import { answer } from "../typed-answer.ts";
import { createdJson, exportPath } from "./export-record.ts";

/** Members of an account export's body. */
export const MEMBERS = ["spec", "limit", "output"];
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

interface ReadExport {
  readonly spec: AccountQuerySpec;
  /** True if the client sent a row limit. */
  readonly isLimited: boolean;
}

/** Reads and charges an account export from a parsed body. */
export function readExport(
  task: ReadTask,
  segment: Segment,
  body: BodyObject,
  payer: Pick<QueryContext, "spend">,
): ReadExport {
  const { members } = body;
  payer.spend(costOf({ spec: members.spec }));
  const context = exportContext(task, body);
  const known = { catalog: segment.catalog, listsKnown: task.listsKnown };
  const { spec } = withBodyMistakes(body, () =>
    normalizeSpec(members.spec, { ...context, ...known }),
  );
  return { spec, isLimited: hasLimit(body) };
}

/** Parses and charges an account export. Throws `AppError` with every mistake in it. */
export const EXPORT: Computation<ReadTask, ReadExport> = {
  name: "export",
  run: (task, segment, payer) => readExport(task, segment, readBody(task.body, MEMBERS), payer),
};

/** Queues a new export of accounts. */
export function acceptAccounts(
  call: KeyCall<"engine" | "exporter" | "listed">,
  segment: Segment,
  context: ExportContext,
  read: ReadExport,
): AcceptedExport | Promise<AcceptedExport> {
  const { listed, exporter } = call.service;
  const pins = listed.pins(context.tenantId, read.spec);
  return whenReady(listed.bindTo(pins, segment, read.spec), (bound) => {
    refuseBroad(call, segment, read.spec, bound);
    const { isLimited } = read;
    return whenReady(countRows(call, segment, { spec: bound, isLimited }), ({ rows, matches }) => {
      const spec = isLimited ? read.spec : withCapWarning(read.spec, matches);
      return exporter.create({ ...context, segment, spec, rows, lists: pins });
    });
  });
}

function refuseBroad(
  { service }: QueryContext<"engine">,
  segment: Segment,
  sent: AccountQuerySpec,
  spec: AccountQuerySpec,
): void {
  refuseTooBroad(service.engine, segment, { spec, missing: tooBroad(sent)?.missing ?? null });
}

/**
 * Adds a warning to a spec if the plan's cap cuts off matches, because clients that send no limit
 * expect all matches. Throws `invalid_spec` if the spec's `explain` has no space for the warning.
 */
export function withCapWarning(spec: AccountQuerySpec, matches: number): AccountQuerySpec {
  const { limit } = spec;
  if (matches <= limit) return spec;
  const warning =
    `The file has the first ${limit} of ${matches} matches: no limit was sent, and ${limit} rows ` +
    "are the plan's cap.";
  const reader = new SpecReader();
  const explain = appendWarnings(spec.explain, [warning], "/spec/explain", reader);
  reader.refuse();
  return { ...spec, explain };
}

/** Returns true if the body has a limit, next to the spec or inside it. */
export function hasLimit({ members: { limit, spec } }: BodyObject): boolean {
  return limit !== undefined || (isJsonObject(spec) && spec.limit !== undefined);
}

/** Identity and idempotency data of an export request. */
export type ExportContext = Pick<
  NewExport,
  "tenantId" | "keyId" | "plan" | "idempotencyKey" | "bodyHash"
>;

/** Reads identity and idempotency key. Throws if the key is invalid. */
export function exportContextOf(call: KeyCall): ExportContext {
  const { identity, plan, body } = call;
  const { tenantId, keyId } = identity;
  const idempotencyKey = readIdempotencyKey(call.header("idempotency-key"));
  const bodyHash = createHash("sha256").update(body).digest("hex");
  return { tenantId, keyId, plan, idempotencyKey, bodyHash };
}

/** Returns the export of an equal earlier request, or null. */
export function replayed(
  { service }: KeyCall<"exporter">,
  context: ExportContext,
): AcceptedExport | null {
  return service.exporter.replay(context.tenantId, context.idempotencyKey, context.bodyHash);
}

/** Returns the answer for an export created now or earlier. */
export function created(
  { requestId }: KeyCall,
  accepted: AcceptedExport,
): ShapedAnswer<"CreatedExport"> {
  const { record } = accepted;
  const body = {
    request_id: requestId,
    snapshot: record.snapshot,
    snapshot_date: record.snapshotDate,
    spec: accepted.spec,
    preview_accounts: [],
    export: createdJson(record),
  };
  const replay = accepted.replayed ? { "Idempotent-Replayed": "true" } : {};
  faultPoint("create.before_reply");
  const headers = { Location: exportPath(record), ...replay };
  return answer("CreatedExport", body, { status: 201, headers });
}

/** Returns the idempotency key. An empty header counts as missing. */
function readIdempotencyKey(sent: string | undefined): string {
  if (sent === undefined || sent === "") {
    const detail =
      "Send a header Idempotency-Key with a text of your own, a new one for each new export.";
    const errors = [headerMistake("idempotency-key", "missing", detail)];
    throw new AppError("idempotency_key_required", detail, { errors });
  }
  if (IDEMPOTENCY_KEY.test(sent)) return sent;
  const detail =
    "The header Idempotency-Key must be 1 to 255 visible ASCII characters without blanks.";
  const errors = [headerMistake("idempotency-key", "wrong_format", detail)];
  throw new AppError("invalid_request", detail, { errors });
}

/** Returns the normalization context of an export; notes a missing output as a mistake. */
export function exportContext(
  { plan, secondaryCnaeFull }: Pick<ReadTask, "plan" | "secondaryCnaeFull">,
  { members, mistakes }: BodyObject,
): Omit<NormalizeContext, "catalog"> {
  if (members.output === undefined) {
    const detail = "An output is required; an empty one stands for a csv file.";
    mistakes.push({ pointer: "/output", code: "missing", detail });
  }
  const { export_rows: rows } = plan.limits;
  return {
    limitDefault: rows,
    limitCap: rows,
    fullAllowed: plan.secondaryCnaeFull && secondaryCnaeFull,
    allowedFields: plan.fields,
    defaultFields: DEFAULT_FIELDS,
    mode: "export",
    bodyLimit: members.limit,
    bodyOutput: members.output,
  };
}

/** Returns the export's spec, bound to its lists. Throws like an export request. */
export async function boundExportSpec(
  call: QueryContext<"engine" | ReadPart>,
  segment: Segment,
): Promise<AccountQuerySpec> {
  const { spec } = await readRequest(call, segment, EXPORT);
  const { listed } = call.service;
  const pins = listed?.pins(call.identity.tenantId, spec) ?? [];
  const bound = (await listed?.bindTo(pins, segment, spec)) ?? spec;
  refuseBroad(call, segment, spec, bound);
  return bound;
}

/**
 * Counts rows and matches if they are needed. Otherwise returns 0 for both. They are not needed if
 * the plan has no quota and the client sent a limit below the format's maximum. Throws if the rows
 * exceed that maximum.
 */
function countRows(
  call: KeyCall<"engine">,
  segment: Segment,
  { spec, isLimited }: ReadExport,
): RowCount | Promise<RowCount> {
  // Mode `export` allows no other format.
  const format = spec.output.format as ExportFormat;
  const { rowsMax } = FORMATS[format];
  const bounded = rowsMax !== null && spec.limit > rowsMax;
  if (isLimited && !bounded && !hasQuota(call.plan)) return { rows: 0, matches: 0 };
  return whenReady(matchesOf(call, segment, spec), (matches) => {
    const rows = Math.min(spec.limit, matches);
    if (bounded) refuseTooManyRows(format, rows);
    return { rows, matches };
  });
}

interface RowCount {
  readonly rows: number;
  readonly matches: number;
}
