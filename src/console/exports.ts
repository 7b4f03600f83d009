/**
 * Shows exports in the console: the public records with creation time, creator, and spec. Also
 * defines a route that repeats an export.
 * Invariant: an expired export is still shown, but its file is not. Links lead below /v1/console. A
 * repeated export has the same spec, output, and uploaded file, on the current snapshot, and is
 * checked like any new request.
 */

import { createHash } from "node:crypto";
import type { SheetFormat } from "../export/enrichment/enrichment.ts";
import type { AcceptedExport } from "../export/exporter.ts";
import type { ExportRecord } from "../export/record.ts";
import { acceptFile } from "../http/api/enrichment/enrichfiles.ts";
import { whenAnyAccepted } from "../http/api/exports/changeexport.ts";
import { createdJson, recordJson } from "../http/api/exports/export-record.ts";
import { exportContextOf } from "../http/api/exports/newexport.ts";
import { idOf, pageOf, readAs } from "../http/api/exports/stored-exports.ts";
import type { ReadPart } from "../http/server/body.ts";
import type { HttpAnswer } from "../http/server/respond.ts";
import { calledWith, type Reply } from "../http/server/routetable.ts";
import type { SessionCall } from "../http/server/service.ts";
import { membersOf, refuseMistakes } from "./bodymembers.ts";
import { type TypedAnswer, typedAnswer } from "./typedanswer.ts";
import { namesOf } from "./usage.ts";
import type { CreatedExport, ExportList, ExportView } from "./web/app/answers.ts";

/** `GET /exports`: the tenant's exports, newest first. */
export function listConsoleExports(
  call: SessionCall<"exporter" | "keyring" | "secrets" | "users">,
): HttpAnswer {
  const { records, next } = pageOf(call);
  const names = namesOf(call);
  const exports = records.map((record) => consoleRecord(call, names, record));
  return typedAnswer<ExportList>({ exports, next_cursor: next, has_more: next !== null });
}

/** `GET /exports/{id}`: one export, even if expired; with `wait`, answers once it has finished. */
export function readConsoleExport(
  call: SessionCall<"clock" | "exporter" | "keyring" | "stopping" | "users" | "waits">,
): Reply {
  const names = namesOf(call);
  return readAs(call, (record) => typedAnswer<ExportView>(consoleRecord(call, names, record)));
}

/** Services that both kinds of export need. */
type MakingCall = SessionCall<
  | "changeLists"
  | "clock"
  | "engine"
  | "exporter"
  | "retain"
  | "keyring"
  | "months"
  | "replaced"
  | "segment"
  | ReadPart
  | "stopping"
  | "telemetry"
  | "users"
>;

/** `POST /exports`, of accounts or, with `since`, of changes. */
export function createConsoleExport(call: MakingCall): Reply {
  return whenAnyAccepted(call, (accepted) => createdAnswer(call, accepted));
}

/** `POST /exports/{id}/again`: the same spec, output, and uploaded file on the current snapshot. */
export function exportAgain(call: MakingCall): Reply {
  const { exporter } = call.service;
  if (exporter.read(call.identity.tenantId, idOf(call)).isEnrichment) return enrichAgain(call);
  const { spec } = exporter.origin(call.identity.tenantId, idOf(call));
  const { since } = exporter.read(call.identity.tenantId, idOf(call));
  refuseMistakes(membersOf(call, []));
  // `explain` is dropped, because it was made for the old snapshot and may be wrong for this one.
  const { explain: _, ...wanted } = spec;
  const changes =
    since === null ? {} : { since: since.snapshot, kinds: since.kinds, watch: since.watch };
  const members = { spec: wanted, output: spec.output, ...changes };
  const body = Buffer.from(JSON.stringify(members));
  return whenAnyAccepted(calledWith(call, { body }), (accepted) => createdAnswer(call, accepted));
}

/** Enriches the same file with the same options, checked like a new request. */
async function enrichAgain(call: MakingCall): Promise<HttpAnswer> {
  const { exporter } = call.service;
  const { tenantId } = call.identity;
  const id = idOf(call);
  refuseMistakes(membersOf(call, []));
  const { fields, labels, title, format } = exporter.origin(tenantId, id).spec.output;
  const context = exportContextOf(call);
  const { file, column, sheet, fillZeros } = await exporter.sentAgain(tenantId, id);
  try {
    const received = await file.end();
    const hash = createHash("sha256").update(`${received.sha256} again ${id}`).digest("hex");
    const reading = { column, sheet, fillZeros };
    const options = { fields, labels, title, format: format as SheetFormat, ...reading };
    const request = { context: { ...context, bodyHash: hash }, options };
    return createdAnswer(call, (await acceptFile(call, received, request)).accepted);
  } finally {
    file.drop();
  }
}

function createdAnswer(
  call: SessionCall<"exporter" | "keyring" | "users">,
  accepted: AcceptedExport,
): HttpAnswer {
  const { record, spec, replayed } = accepted;
  const { object_key: _, ...created } = createdJson(record);
  const names = namesOf(call);
  const answer = {
    request_id: call.requestId,
    snapshot: record.snapshot,
    snapshot_date: record.snapshotDate,
    spec,
    export: { ...created, ...details(call, names, record) },
  };
  const replay = replayed ? { "Idempotent-Replayed": "true" } : {};
  return {
    ...typedAnswer<CreatedExport>(answer, 201),
    headers: { Location: pathOf(record), ...replay },
  };
}

/** Names of keys and e-mails of users, by the id in exports. */
type Names = ReadonlyMap<string, string>;

function consoleRecord(
  call: SessionCall<"exporter">,
  names: Names,
  record: ExportRecord,
): TypedAnswer<ExportView> {
  return { ...recordJson(record), ...details(call, names, record) };
}

/** Fields that the console adds to the public record. */
type Details = Pick<
  ExportView,
  "download_url" | "expired" | "created_at" | "created_by" | "slug" | "spec"
>;

function details(
  { service, identity }: SessionCall<"exporter">,
  names: Names,
  record: ExportRecord,
): TypedAnswer<Details> {
  const { spec, keyId } = service.exporter.origin(identity.tenantId, record.id);
  const ready = record.state === "done" && !record.expired;
  return {
    download_url: ready ? `${pathOf(record)}/download` : null,
    expired: record.expired,
    created_at: new Date(record.createdAtMs).toISOString(),
    created_by: names.get(keyId ?? "") ?? null,
    slug: record.slug,
    spec,
  };
}

function pathOf({ id }: ExportRecord): string {
  return `/v1/console/exports/${id}`;
}
