/**
 * `POST /v1/exports`. What comes in: a spec, an output, a limit, and the key that makes repeating
 * the request safe. What goes out: 201 with the export, queued or as it is by now.
 * Invariant: nothing is queued that could not be rendered as asked: every mistake, every limit of
 * plan and format is found here, and nothing is lowered but the limit, with a warning. No row is
 * read; matches are counted where a format bounds its rows or the plan has a quota. The very same
 * bytes with the same key give the same export, whatever snapshot is served by now.
 */
import { createHash } from "node:crypto";
import { hasQuota } from "../access/quota.ts";
import { AppError } from "../errors.ts";
import type { AcceptedExport } from "../export/exporter.ts";
import { FORMATS, refuseTooManyRows } from "../export/format.ts";
import type { ExportFormat } from "../export/record.ts";
import { faultPoint } from "../fault.ts";
import type { Segment } from "../search/segment.ts";
import { tooBroad } from "../spec/breadth.ts";
import { DEFAULT_FIELDS } from "../spec/fields.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { readBody, withBodyMistakes } from "./body.ts";
import { refuseTooBroad } from "./breadth.ts";
import { createdJson, exportPath } from "./export-record.ts";
import { headerMistake } from "./query.ts";
import { type Answer, json } from "./respond.ts";
import { currentSegment, type KeyCall } from "./service.ts";

const MEMBERS = ["spec", "limit", "output"];
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Answers with the export that a request brings about. */
export function createExport(call: KeyCall): Answer {
  return created(call, acceptExport(call));
}

/** Queues an export, or finds the one that the same request queued before. */
export function acceptExport(call: KeyCall): AcceptedExport {
  const { exporter } = call.service;
  const { tenantId, keyId } = call.identity;
  const key = readIdempotencyKey(call.header("idempotency-key"));
  const bodyHash = createHash("sha256").update(call.body).digest("hex");
  const before = exporter.replay(tenantId, key, bodyHash);
  if (before !== null) return before;
  const checked = check(call);
  const wanted = { tenantId, keyId, plan: call.plan, idempotencyKey: key, bodyHash, ...checked };
  return exporter.create(wanted);
}

/** What is wanted, and how many rows that is. */
function check(call: KeyCall) {
  const segment = currentSegment(call.service);
  const spec = readExportSpec(call, segment);
  return { segment, spec, rows: countRows(call, segment, spec) };
}

function created({ requestId }: KeyCall, accepted: AcceptedExport): Answer {
  const { record, replayed } = accepted;
  const body = {
    request_id: requestId,
    snapshot: record.snapshot,
    snapshot_date: record.snapshotDate,
    spec: accepted.spec,
    preview_accounts: [],
    export: createdJson(record),
  };
  const replay = replayed ? { "Idempotent-Replayed": "true" } : {};
  faultPoint("create.before_reply");
  return { ...json(body, 201), headers: { Location: exportPath(record), ...replay } };
}

/** An empty header says as little as a missing one. */
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

/** Reads what is to be exported; throws every mistake, and refuses what is too broad. */
export function readExportSpec(call: KeyCall, segment: Segment): AccountQuerySpec {
  const { service, plan, body: bytes } = call;
  const body = readBody(bytes, MEMBERS);
  const { members, mistakes } = body;
  if (members.output === undefined) {
    const detail = "An output is required; an empty one stands for a csv file.";
    mistakes.push({ pointer: "/output", code: "missing", detail });
  }
  const { export_rows: rows } = plan.limits;
  const { spec } = withBodyMistakes(body, () =>
    normalizeSpec(members.spec, {
      catalog: segment.catalog,
      limitDefault: rows,
      limitCap: rows,
      fullAllowed: plan.secondaryCnaeFull && service.secondaryCnaeFull,
      allowedFields: plan.fields,
      defaultFields: DEFAULT_FIELDS,
      mode: "export",
      bodyLimit: members.limit,
      bodyOutput: members.output,
    }),
  );
  refuseTooBroad(service.engine, segment, { spec, missing: tooBroad(spec)?.missing ?? null });
  return spec;
}

/**
 * Counts rows where somebody needs to know, else it is 0. Refuses what the format cannot hold; a
 * limit below its bound needs no count.
 */
function countRows({ service, plan }: KeyCall, segment: Segment, spec: AccountQuerySpec): number {
  // The mode `export` lets no other format through.
  const format = spec.output.format as ExportFormat;
  const { rowsMax } = FORMATS[format];
  const bounded = rowsMax !== null && spec.limit > rowsMax;
  if (!bounded && !hasQuota(plan)) return 0;
  const rows = Math.min(spec.limit, service.engine.countMatches(segment, spec));
  if (bounded) refuseTooManyRows(format, rows);
  return rows;
}
