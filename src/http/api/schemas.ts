/**
 * The shapes of requests and answers. What comes in: nothing. What goes out: JSON Schemas
 * (2020-12) by name, as the components of the OpenAPI document and as the checks of the tests.
 * Invariant: every body that a route reads or answers has its schema here; the lists in them are
 * those of the tables that the code itself reads. The order is that of the documents.
 */
import type { TSchema } from "typebox";
import { SPEC_INPUT_SCHEMA, SPEC_SCHEMA } from "../../spec/schema.ts";
import { ACCOUNT_SCHEMAS, SEARCH_SCHEMAS } from "./accounts/accounts-schemas.ts";
import { FINDING_SCHEMAS } from "./accounts/finding-schemas.ts";
import { CHANGE_SCHEMAS } from "./changes/changes-schemas.ts";
import { EXPORT_SCHEMAS } from "./exports/exports-schemas.ts";
import { LEAD_SCHEMAS } from "./leads/leads-schemas.ts";
import { LIST_SCHEMAS } from "./lists/lists-schemas.ts";
import { SHARED_SCHEMAS } from "./problem-schemas.ts";
import { RPC_SCHEMAS } from "./service/mcp-schemas.ts";
import { HEALTH_SCHEMAS, STATUS_SCHEMAS } from "./service/status-schemas.ts";
import { NORMALIZE_SCHEMAS, TRANSLATE_SCHEMAS } from "./spec/spec-schemas.ts";

/** Every named schema; `Spec` is what comes back, `SpecInput` what may be sent. */
export const SCHEMAS = {
  SpecInput: SPEC_INPUT_SCHEMA,
  Spec: SPEC_SCHEMA,
  ...ACCOUNT_SCHEMAS,
  ...SHARED_SCHEMAS,
  ...SEARCH_SCHEMAS,
  ...FINDING_SCHEMAS,
  ...NORMALIZE_SCHEMAS,
  ...LEAD_SCHEMAS,
  ...CHANGE_SCHEMAS,
  ...TRANSLATE_SCHEMAS,
  ...EXPORT_SCHEMAS,
  ...LIST_SCHEMAS,
  ...STATUS_SCHEMAS,
  ...RPC_SCHEMAS,
  ...HEALTH_SCHEMAS,
} as const satisfies Readonly<Record<string, TSchema>>;

/** Name of a schema. */
export type SchemaName = keyof typeof SCHEMAS;
