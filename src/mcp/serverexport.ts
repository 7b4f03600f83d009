/**
 * The tool `create_export` of a server. Input: filters, format, fields. Output: the state of the
 * export after a short wait, with links to its file.
 * Invariant: the plan's limits and quota apply to the export. It is listed and downloaded like
 * exports of POST /v1/exports. The same call on the same snapshot returns the same export for a
 * day, so a model's retry does not create a second file.
 */
import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import type { TSchema } from "typebox";
import { AppError, type Mistake } from "../errors.ts";
import { LINK_SECONDS, signLink } from "../export/files/links.ts";
import type { ExportRecord } from "../export/record.ts";
import { acceptExport } from "../http/api/exports/changeexport.ts";
import { exportPath, recordJson } from "../http/api/exports/export-record.ts";
import { boundExportSpec } from "../http/api/exports/newexport.ts";
import { readAs } from "../http/api/exports/stored-exports.ts";
import { SCHEMAS } from "../http/api/schemas.ts";
import { noContent } from "../http/server/respond.ts";
import { calledWith } from "../http/server/routetable.ts";
import type { KeyCall, ServicePart } from "../http/server/service.ts";
import { currentSegment } from "../search/segment.ts";
import { type JsonObject, shown } from "../spec/reader.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { wordFor } from "../text/amounts.ts";
import { isWhole, withArgumentMistakes } from "./mistakes.ts";
import { EXPORT_ARGUMENTS, type ExportArguments, readExport } from "./selection.ts";
import {
  FILTERS_NOTE,
  objectSchema,
  SOURCE,
  sentencesOf,
  sourceLine,
  type Tool,
  type ToolAnswer,
  withBody,
} from "./tool.ts";

/** Default and maximum seconds that a call waits for the file. Clients allow tools more. */
const WAIT_SECONDS = 10;
const WAIT_SECONDS_MAX = 30;
/** Id of a tenant's own list, anywhere in a text. */
const LIST_NAME = /\blst_[0-9a-f]{32}\b/g;
const KEY_SHAPE = /^[\x21-\x7e]{1,255}$/;

const OWN_ARGUMENTS = {
  wait_seconds: {
    type: "integer",
    minimum: 0,
    maximum: WAIT_SECONDS_MAX,
    default: WAIT_SECONDS,
    description: "How long to wait for the file.",
  } as TSchema,
  idempotency_key: {
    type: "string",
    minLength: 1,
    maxLength: 255,
    description: "Only to have the very same export made once more; visible ASCII characters.",
  } as TSchema,
};

const { export_id, status, format, compression, row_count, size_bytes, expires_at, sha256 } =
  SCHEMAS.ExportRecord.properties;
const textOrNull = (description: string) =>
  ({ anyOf: [{ type: "string" }, { type: "null" }], description }) as unknown as TSchema;

const OUTPUT = {
  export_id,
  status,
  format,
  compression,
  snapshot: SOURCE.snapshot,
  snapshot_date: SOURCE.snapshot_date,
  provenance: {
    anyOf: [SOURCE.provenance, { type: "null" }],
    description: "Null where the export is one of an earlier snapshot.",
  } as unknown as TSchema,
  row_count,
  size_bytes,
  expires_at,
  record_path: { type: "string", description: "GET it with the API key: the record." } as TSchema,
  download_path: textOrNull("GET it with the API key: leads to the file. Null until done."),
  link: textOrNull("The file without a key, for five minutes. Null until done."),
  repeated: {
    type: "boolean",
    description: "Whether the same call had brought the export about before.",
  } as TSchema,
  sha256,
};

const DEFINITION = {
  name: "create_export",
  title: "Export companies to a file",
  description:
    "Makes a file (csv, xlsx, html, parquet, jsonl) of all establishments that match filters, or " +
    "of the first limit of them. Answers with the export's id and, when it is done within " +
    "wait_seconds, with a link to the file, relative to the address of this server; give it to " +
    "the user. Calling again with the same arguments gives the same export, so call again to see " +
    `whether it is done. Count first: exports have quotas. ${FILTERS_NOTE}`,
  inputSchema: objectSchema({ ...EXPORT_ARGUMENTS, ...OWN_ARGUMENTS }, ["filters"]),
  outputSchema: objectSchema(
    OUTPUT,
    Object.keys(OUTPUT).filter((name) => name !== "sha256" && name !== "compression"),
  ),
  annotations: {
    title: "Export companies to a file",
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
};

/** The tool. */
export const SERVER_EXPORT_TOOL: Tool<KeyCall<ServicePart>> = {
  definition: DEFINITION,
  async run(sent, context) {
    const request = readExport(sent, Object.keys(OWN_ARGUMENTS));
    isWhole(sent, "wait_seconds", [0, WAIT_SECONDS_MAX], request.mistakes);
    checkKey(sent, request.mistakes);
    const { wait_seconds: wait = WAIT_SECONDS, idempotency_key: key } = sent;
    const accepted = await withArgumentMistakes(request.mistakes, () =>
      accept(context, request, key),
    );
    assert(accepted !== null, "mistakes are thrown");
    const record = await waited(context, accepted.record, wait as number);
    if (record.expired) throw new AppError("export_expired", "The export has expired.");
    return answerOf(context, { record, repeated: accepted.replayed, spec: accepted.spec });
  },
};

function checkKey({ idempotency_key: key }: JsonObject, mistakes: Mistake[]): void {
  if (key === undefined || (typeof key === "string" && KEY_SHAPE.test(key))) return;
  const detail = `Must be 1 to 255 visible ASCII characters, not ${shown(key)}.`;
  mistakes.push({ pointer: "/idempotency_key", code: "wrong_format", detail });
}

/** Queues the export, or finds an equal one. After a mistake, only checks the body for more. */
async function accept(
  context: KeyCall<ServicePart>,
  { body, mistakes }: ExportArguments,
  key: unknown,
) {
  const call = withBody(context, body);
  const segment = currentSegment(context.service);
  if (mistakes.length > 0) {
    await boundExportSpec(calledWith(call, { spend: () => {} }), segment);
    return null;
  }
  const used = key === undefined ? ownKey(call, segment.snapshotId, body) : String(key);
  const header = (name: string) => (name === "idempotency-key" ? used : undefined);
  return acceptExport(calledWith(call, { header }));
}

/**
 * Returns the idempotency key for a call without one. Equal calls on one snapshot have the same
 * key, until one of the tenant's lists in the call changes. Changes of the list `exported` are
 * ignored, because the export itself changes it.
 */
function ownKey(
  { service, identity, body }: KeyCall<ServicePart>,
  snapshotId: string,
  { spec }: ExportArguments["body"],
): string {
  const named = JSON.stringify(spec).match(LIST_NAME) ?? [];
  const ids = [...new Set(named)].sort();
  const revisions = ids.map((id) => service.lists.seen(identity.tenantId, id)?.revision ?? 0);
  const hash = createHash("sha256").update(`${snapshotId}${revisions}\n`).update(body);
  return `mcp-${hash.digest("hex").slice(0, 40)}`;
}

/** Returns the export once it has ended, or its state after `seconds`. */
async function waited(
  context: KeyCall<ServicePart>,
  now: ExportRecord,
  seconds: number,
): Promise<ExportRecord> {
  if (seconds === 0) return now;
  let record = now;
  const query = new Map([["wait", String(seconds)]]);
  await readAs(calledWith(context, { params: { id: now.id }, query }), (read) => {
    record = read;
    return noContent();
  });
  return record;
}

function answerOf(
  context: KeyCall<ServicePart>,
  {
    record,
    repeated,
    spec,
  }: { readonly record: ExportRecord; readonly repeated: boolean; readonly spec: AccountQuerySpec },
): ToolAnswer {
  const { clock, secrets } = context.service;
  const {
    download_url,
    progress: _,
    rows_written: __,
    error,
    ...shownRecord
  } = recordJson(record) as JsonObject & {
    readonly error?: { readonly code: string; readonly detail: string };
  };
  if (error !== undefined) {
    const remedy = "To have it made again, send an idempotency_key of your own.";
    throw new AppError("EXPORT_FAILED", `${error.detail} ${remedy}`);
  }
  const { label, provenance } = currentSegment(context.service);
  const done = record.state === "done";
  const link = done ? signLink(record, { nowMs: clock.nowMs(), secrets: secrets.link }) : null;
  const structured = {
    ...shownRecord,
    provenance: label === record.snapshot ? provenance : null,
    record_path: exportPath(record),
    download_path: download_url,
    link,
    repeated,
  };
  const { id, format: written, rowCount, sizeBytes, snapshot, snapshotDate } = record;
  const state = done
    ? `${rowCount} ${wordFor(rowCount ?? 0, "row")}, ${sizeBytes} bytes of ${written}. Link, ` +
      `valid for ${LINK_SECONDS} s and relative to this server: ${link}\n` +
      `Later: GET ${download_url} with the API key.`
    : `${written}, ${record.state}. Call again with the same arguments to see whether it is done.`;
  const source = sourceLine({ snapshot, snapshot_date: snapshotDate });
  const notes = sentencesOf(spec.explain.warnings).map((warning) => `Note: ${warning}`);
  const text = [`Export ${id}: ${state}`, source, ...notes].join("\n");
  return { text, structured, accounts: 0 };
}
