/**
 * Export routes: create, list, read, delete, and download.
 * Invariant: this file has only the route rows. The handlers are in newexport.ts, changeexport.ts,
 * and stored-exports.ts.
 */
import Type from "typebox";
import {
  EXAMPLE_END,
  EXAMPLE_REQUEST,
  EXAMPLE_SOURCE,
  EXAMPLE_SPEC,
  exampleNormalized,
} from "../../openapi/examples.ts";
import type { Parameter } from "../../openapi/operation.ts";
import { type ApiRoute, BODY_ERRORS, route, SNAPSHOT_ERRORS, SPEC_ERRORS } from "../route.ts";
import { createAnyExport } from "./changeexport.ts";
import { EXPORT_STATE_ERRORS } from "./export-record.ts";
import { deleteExport, downloadExport, listExports, readExport } from "./stored-exports.ts";

const EXPORT_ID = "exp_0123456789abcdef0123456789abcdef";

const RECORD = {
  export_id: EXPORT_ID,
  status: "done",
  format: "csv",
  ...EXAMPLE_SOURCE,
  row_count: 1,
  size_bytes: 118,
  expires_at: "2026-11-22T12:00:00.000Z",
  download_url: `/v1/exports/${EXPORT_ID}/download`,
  sha256: "0123456789abcdef".repeat(4),
};
const QUEUED = {
  ...RECORD,
  status: "queued",
  row_count: null,
  size_bytes: null,
  object_key: null,
  expires_at: null,
  download_url: null,
  sha256: undefined,
};

const created = () => ({
  ...{ ...EXAMPLE_REQUEST, ...EXAMPLE_SOURCE, spec: exampleNormalized("export").spec },
  ...{ preview_accounts: [], export: QUEUED },
});

const exportId: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "export_id of the export.",
  schema: Type.String({ pattern: "^exp_[0-9a-f]{32}$" }),
};

/** Routes of exports. */
export const EXPORT_ROUTES: readonly ApiRoute[] = [
  route({
    method: "POST",
    path: "/v1/exports",
    access: "key",
    cost: "lists",
    id: "createExport",
    tag: "exports",
    summary: "Create an export",
    description:
      "Queues a file of all matches and answers at once; no row is read in the request. Sending " +
      "the same request with the same Idempotency-Key again gives the same export. With since " +
      "the file holds what changed since that month instead: csv, xlsx, html and parquet have " +
      "the columns change and changed_fields before the fields, with the values of the newer " +
      "snapshot where the account is in it; lines of jsonl are the changes of POST " +
      "/v1/changes. kinds, watch and " +
      "changed_any_of are known with since only, include_explain is not known with it.",
    parameters: [
      {
        name: "Idempotency-Key",
        in: "header",
        required: true,
        description: "1 to 255 visible ASCII characters of your choice; kept for 24 hours.",
        schema: Type.String({ minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" }),
        example: "bakeries-2026-10",
      },
    ],
    body: {
      schema: "ExportRequest",
      example: { spec: EXAMPLE_SPEC, output: { format: "csv" }, limit: 10_000 },
    },
    answers: {
      201: {
        description: "The export is queued, or is what this key had brought about before.",
        schema: "CreatedExport",
        example: created,
        headers: ["Location"],
        sometimes: ["Idempotent-Replayed"],
      },
    },
    errors: [
      ...BODY_ERRORS,
      ...SPEC_ERRORS,
      "query_too_broad",
      "idempotency_key_required",
      "idempotency_key_reused",
      "plan_not_allowed",
      "quota_exceeded",
      "storage_full",
      "since_not_available",
      "changes_preparing",
      ...SNAPSHOT_ERRORS,
    ],
    handle: createAnyExport,
  }),
  route({
    method: "GET",
    path: "/v1/exports",
    access: "key",
    id: "listExports",
    tag: "exports",
    summary: "List exports",
    description: "The exports of the tenant, newest first.",
    parameters: [
      {
        name: "limit",
        in: "query",
        required: false,
        description: "Exports of a page; with a cursor not more than before.",
        schema: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
      },
      {
        name: "cursor",
        in: "query",
        required: false,
        description: "next_cursor of the page before.",
        schema: Type.String(),
      },
    ],
    answers: {
      200: {
        description: "One page.",
        schema: "ExportList",
        example: () => ({ exports: [RECORD], ...EXAMPLE_END }),
        sometimes: ["Link"],
      },
    },
    errors: ["invalid_cursor", "overloaded"],
    handle: listExports,
  }),
  route({
    method: "GET",
    path: "/v1/exports/{id}",
    access: "key",
    id: "readExport",
    tag: "exports",
    summary: "Read one export",
    description:
      "The record in every state, until it expires. wait holds the answer until the export is " +
      "done or failed; if too many requests of a tenant wait already, it gets 429 rate_limited. " +
      "require=done makes any other state an error.",
    parameters: [
      exportId,
      {
        name: "wait",
        in: "query",
        required: false,
        description: "Longest time to wait for the end, in seconds.",
        schema: Type.Integer({ minimum: 0, maximum: 60, default: 0 }),
      },
      {
        name: "require",
        in: "query",
        required: false,
        description: "With done: 409 unless the export is done.",
        schema: Type.Enum(["done"]),
      },
    ],
    answers: { 200: { description: "The record.", schema: "ExportRecord", example: () => RECORD } },
    errors: EXPORT_STATE_ERRORS,
    handle: readExport,
  }),
  route({
    method: "DELETE",
    path: "/v1/exports/{id}",
    access: "key",
    id: "deleteExport",
    tag: "exports",
    summary: "Cancel or delete an export",
    description: "Ends the rendering, removes the file and the record.",
    parameters: [exportId],
    answers: { 204: { description: "It is gone.", schema: null, types: [] } },
    errors: ["export_not_found", "overloaded"],
    handle: deleteExport,
  }),
  route({
    method: "GET",
    path: "/v1/exports/{id}/download",
    access: "key",
    id: "downloadExport",
    tag: "exports",
    summary: "Get the link of an export's file",
    description: "Redirects to a signed link that needs no key and is valid for five minutes.",
    parameters: [exportId],
    answers: {
      303: { description: "See the file.", schema: null, types: [], headers: ["Location"] },
    },
    errors: EXPORT_STATE_ERRORS,
    handle: downloadExport,
  }),
];
