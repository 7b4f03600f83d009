/**
 * What each route is, for the OpenAPI document. What comes in: nothing. What goes out: by method
 * and path the words, parameters, bodies, answers and error codes of the route.
 * Invariant: a row here for every row of the table of routes and none beside them; a test holds
 * both, and that what a route answered in the tests is written down here.
 */
import type { TSchema } from "typebox";
import Type from "typebox";
import type { ErrorCode } from "../errors.ts";
import { FORMATS } from "../export/format.ts";
import { EXPORT_FORMATS } from "../spec/fields.ts";
import { EXAMPLE_FACETS, EXAMPLE_SPEC } from "./openapi-examples.ts";
import type { SchemaName } from "./schemas.ts";

/** One parameter of a path, a query or a header. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: TSchema;
  readonly example?: string | number;
}

/** One answer of success; `schema` is null for answers without a JSON body. */
export interface OperationAnswer {
  readonly description: string;
  readonly schema: SchemaName | null;
  /** Media types where it is not JSON; none for no body at all. */
  readonly types?: readonly string[];
  /** Headers beside those that every answer has, and those that only some have. */
  readonly headers?: readonly string[];
  readonly sometimes?: readonly string[];
}

/** One route in words. */
export interface Operation {
  readonly id: string;
  readonly tag: "accounts" | "exports" | "spec" | "service";
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: { readonly schema: SchemaName; readonly example: unknown };
  readonly answers: Readonly<Record<number, OperationAnswer>>;
  readonly errors: readonly ErrorCode[];
}

/** What any request with a body can be answered with. */
const BODY_ERRORS = ["payload_too_large", "unsupported_media_type"] as const;
/** What any question to the engine can be answered with. */
const SNAPSHOT_ERRORS = ["snapshot_unavailable", "overloaded"] as const;
const SPEC_ERRORS = [
  "invalid_spec",
  "field_not_allowed",
  "secondary_cnae_mode_not_allowed",
] as const;
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

const unchanged: Parameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "ETag of an earlier answer; 304 when it is still the same.",
  schema: Type.String(),
};

/** Every operation by `METHOD path`. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "POST /v1/accounts/search": {
    id: "searchAccounts",
    tag: "accounts",
    summary: "Search accounts",
    description:
      "Answers a page with its exact total. Send next_cursor as cursor with the same spec for " +
      "the next page, without limit and output. The same snapshot, spec and seed give the same " +
      "accounts, whenever and wherever they are asked for.",
    parameters: [unchanged],
    body: {
      schema: "SearchRequest",
      example: { spec: EXAMPLE_SPEC, limit: 50, facets: EXAMPLE_FACETS },
    },
    answers: {
      200: { description: "One page.", schema: "SearchAnswer", headers: ["ETag"] },
      304: { description: "The page is unchanged.", schema: null, types: [], headers: ["ETag"] },
    },
    errors: [
      ...BODY_ERRORS,
      ...SPEC_ERRORS,
      "query_too_broad",
      "invalid_cursor",
      "cursor_mismatch",
      "cursor_expired",
      ...SNAPSHOT_ERRORS,
    ],
  },
  "POST /v1/accounts/count": {
    id: "countAccounts",
    tag: "accounts",
    summary: "Count accounts",
    description:
      "The exact number of matches and, on request, how they spread over the values of fields, " +
      "without any account. Takes specs of searches and of exports.",
    parameters: [unchanged],
    body: { schema: "CountRequest", example: { spec: EXAMPLE_SPEC, facets: EXAMPLE_FACETS } },
    answers: {
      200: { description: "The total.", schema: "CountAnswer", headers: ["ETag"] },
      304: { description: "The total is unchanged.", schema: null, types: [], headers: ["ETag"] },
    },
    errors: [...BODY_ERRORS, ...SPEC_ERRORS, "query_too_broad", ...SNAPSHOT_ERRORS],
  },
  "GET /v1/accounts/{cnpj}": {
    id: "readAccount",
    tag: "accounts",
    summary: "Read one account",
    description: "The account of a CNPJ with every field of the plan.",
    parameters: [
      {
        name: "cnpj",
        in: "path",
        required: true,
        description: "14 characters, with or without punctuation, in any case.",
        schema: Type.String(),
        example: "11222333000181",
      },
      unchanged,
    ],
    answers: {
      200: { description: "The account.", schema: "AccountAnswer", headers: ["ETag"] },
      304: { description: "It is unchanged.", schema: null, types: [], headers: ["ETag"] },
    },
    errors: ["not_found", "snapshot_unavailable"],
  },
  "POST /v1/spec/normalize": {
    id: "normalizeSpec",
    tag: "spec",
    summary: "Check and normalize a spec",
    description: "Names every mistake, or gives the normal form, what changed, and the total.",
    body: { schema: "NormalizeRequest", example: { spec: EXAMPLE_SPEC } },
    answers: { 200: { description: "The spec is valid.", schema: "NormalizeAnswer" } },
    errors: [...BODY_ERRORS, ...SPEC_ERRORS, "snapshot_unavailable"],
  },
  "POST /v1/exports": {
    id: "createExport",
    tag: "exports",
    summary: "Create an export",
    description:
      "Queues a file of all matches and answers at once; no row is read in the request. Sending " +
      "the same request with the same Idempotency-Key again gives the same export.",
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
      "done or failed; require=done makes any other state an error.",
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
      ...STATE_ERRORS,
    ],
  },
  "GET /v1/status": {
    id: "status",
    tag: "service",
    summary: "What is loaded and what the plan allows",
    description:
      "Snapshot, plan, limits, use of today, fields, sort fields, and how the score is made.",
    answers: { 200: { description: "The status.", schema: "Status" } },
    errors: ["snapshot_unavailable"],
  },
  "GET /healthz": {
    id: "healthz",
    tag: "service",
    summary: "Whether the process is up",
    description: "Needs no key and touches nothing that could fail.",
    answers: { 200: { description: "It is up.", schema: "Health" } },
    errors: [],
  },
  "GET /readyz": {
    id: "readyz",
    tag: "service",
    summary: "Whether searches are answered",
    description: "Needs no key; 503 without a snapshot or while the server stops.",
    answers: { 200: { description: "They are.", schema: "Health" } },
    errors: ["snapshot_unavailable"],
  },
  "GET /metrics": {
    id: "metrics",
    tag: "service",
    summary: "Metrics for Prometheus",
    description: "Needs no key; 404 where the operator gave the metrics an address of their own.",
    answers: { 200: { description: "The metrics.", schema: null, types: ["text/plain"] } },
    errors: ["not_found"],
  },
};
