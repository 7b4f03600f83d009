/**
 * What each route of exports is, for the OpenAPI document; a part of the table in operations.ts.
 * What comes in: nothing. What goes out: the rows by method and path.
 * Invariant: that of the whole table.
 */
import Type from "typebox";
import { FORMATS } from "../../export/format.ts";
import { EXPORT_FORMATS } from "../../spec/fields.ts";
import { EXAMPLE_SPEC } from "./examples.ts";
import {
  BODY_ERRORS,
  LISTS_COST,
  type Operation,
  type Parameter,
  SNAPSHOT_ERRORS,
  SPEC_ERRORS,
  unchanged,
} from "./operation.ts";

const STATE_ERRORS = [
  "export_not_found",
  "EXPORT_NOT_READY",
  "EXPORT_FAILED",
  "export_expired",
  "overloaded",
] as const;

/** Media types of the files, without their parameters. */
const FILE_TYPES = EXPORT_FORMATS.map((format) => {
  const [type = ""] = FORMATS[format].contentType.split(";");
  return type;
});

const exportId: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "export_id of the export.",
  schema: Type.String({ pattern: "^exp_[0-9a-f]{32}$" }),
};

/** The operations of exports by `METHOD path`. */
export const EXPORT_OPERATIONS: Readonly<Record<string, Operation>> = {
  "POST /v1/exports": {
    id: "createExport",
    tag: "exports",
    summary: "Create an export",
    description:
      "Queues a file of all matches and answers at once; no row is read in the request. Sending " +
      "the same request with the same Idempotency-Key again gives the same export. With since " +
      "the file holds what changed since that month instead: csv, xlsx, html and parquet have " +
      "the columns change and changed_fields before the fields, with the values of the newer " +
      "snapshot where the account is in it; lines of jsonl are the changes of POST " +
      "/v1/changes. kinds and " +
      `watch are known with since only, include_explain is not known with it. ${LISTS_COST}`,
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
  },
  "GET /v1/exports": {
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
    answers: { 200: { description: "One page.", schema: "ExportList", sometimes: ["Link"] } },
    errors: ["invalid_cursor", "overloaded"],
  },
  "GET /v1/exports/{id}": {
    id: "readExport",
    tag: "exports",
    summary: "Read one export",
    description:
      "The record in every state, until it expires. wait holds the answer until the export is " +
      "done or failed; where too many requests of a tenant wait already it is 429 rate_limited. " +
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
    answers: { 200: { description: "The record.", schema: "ExportRecord" } },
    errors: STATE_ERRORS,
  },
  "DELETE /v1/exports/{id}": {
    id: "deleteExport",
    tag: "exports",
    summary: "Cancel or delete an export",
    description: "Ends the rendering, removes the file and the record.",
    parameters: [exportId],
    answers: { 204: { description: "It is gone.", schema: null, types: [] } },
    errors: ["export_not_found", "overloaded"],
  },
  "GET /v1/exports/{id}/download": {
    id: "downloadExport",
    tag: "exports",
    summary: "Get the link of an export's file",
    description: "Redirects to a signed link that needs no key and is valid for five minutes.",
    parameters: [exportId],
    answers: {
      303: { description: "See the file.", schema: null, types: [], headers: ["Location"] },
    },
    errors: STATE_ERRORS,
  },
  "GET /files/{name}": {
    id: "readFile",
    tag: "exports",
    summary: "Read the file of an export",
    description: "Needs a signed link and no key. Understands Range, If-Range and If-None-Match.",
    parameters: [
      {
        name: "name",
        in: "path",
        required: true,
        description: "Name of the file.",
        schema: Type.String(),
      },
      {
        name: "expires",
        in: "query",
        required: true,
        description: "Seconds since 1970; comes first.",
        schema: Type.Integer(),
      },
      {
        name: "signature",
        in: "query",
        required: true,
        description: "Comes second.",
        schema: Type.String(),
      },
      {
        name: "Range",
        in: "header",
        required: false,
        description: "One range of bytes; with several the whole file is sent.",
        schema: Type.String(),
      },
      {
        name: "If-Range",
        in: "header",
        required: false,
        description: "ETag of an earlier answer; the whole file is sent when it has changed.",
        schema: Type.String(),
      },
      unchanged,
    ],
    answers: {
      200: {
        description: "The file.",
        schema: null,
        types: FILE_TYPES,
        headers: ["ETag", "Accept-Ranges", "Content-Disposition"],
      },
      206: {
        description: "The wanted bytes of it.",
        schema: null,
        types: FILE_TYPES,
        headers: ["ETag", "Accept-Ranges", "Content-Range", "Content-Disposition"],
      },
      304: { description: "The file is unchanged.", schema: null, types: [], headers: ["ETag"] },
    },
    errors: [
      "link_invalid",
      "link_expired",
      "authentication_disabled",
      "range_not_satisfiable",
      "rate_limited",
      ...STATE_ERRORS,
    ],
  },
};
