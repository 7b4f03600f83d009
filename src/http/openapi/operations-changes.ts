/**
 * What the routes of changes are, for the OpenAPI document; a part of the table in operations.ts.
 * What comes in: nothing. What goes out: the rows by method and path.
 * Invariant: that of the whole table.
 */
import Type from "typebox";
import { CHANGE_KINDS, WATCHABLE_FIELDS } from "../../search/changes.ts";
import { SPEC_LIMITS } from "../../spec/schema.ts";
import { sinceSchema } from "../api/changes-schemas.ts";
import { EXAMPLE_SPEC } from "./examples.ts";
import {
  BODY_ERRORS,
  type Operation,
  PAGE_COST,
  type Parameter,
  SNAPSHOT_ERRORS,
  SPEC_ERRORS,
} from "./operation.ts";

const DESCRIPTION =
  "Compares the served snapshot with an older one in the same folder. entered: accounts that " +
  "match the spec now and did not then. left: those that matched then and do not now. changed: " +
  "those that match in both and differ in a watched field. Ascending by CNPJ, with exact totals. " +
  "Of the spec only the filters count; it may be as broad as you like. before and after hold the " +
  "wanted fields and those that changed. The first question about two snapshots may be answered " +
  "changes_preparing: what differs between them is listed once. Send next_cursor as cursor with " +
  "the same question for the next page; pages go on with the snapshots that they began with.";

const ERRORS = [
  ...SPEC_ERRORS,
  "since_not_available",
  "invalid_cursor",
  "cursor_mismatch",
  "cursor_expired",
  "changes_preparing",
  ...SNAPSHOT_ERRORS,
] as const;

/** A parameter of the query that takes names between commas. */
function names(name: string, known: readonly string[], description: string): Parameter {
  const pattern = `^(${known.join("|")})(,(${known.join("|")}))*$`;
  return {
    ...{ name, in: "query", required: false, description: `${description} Between commas.` },
    schema: known.length > 0 ? Type.String({ pattern }) : Type.String(),
  };
}

const PARAMETERS: readonly Parameter[] = [
  {
    ...{ name: "since", in: "query", required: true },
    description: "Label of an older snapshot, YYYY-MM; GET /v1/status lists them.",
    schema: sinceSchema,
    example: "2026-09",
  },
  {
    ...{ name: "spec", in: "query", required: true },
    description: "The spec as JSON, percent-encoded; {} for all accounts. A long one needs POST.",
    schema: Type.String(),
    example: JSON.stringify({ filters: { geo: { uf_any_of: ["MG"] } } }),
  },
  names("kinds", CHANGE_KINDS, "Which changes are wanted; all where it is missing."),
  names("watch", WATCHABLE_FIELDS, "Fields that make an account changed; all where it is missing."),
  names("fields", [], "Output fields; the default set where it is missing."),
  {
    ...{ name: "limit", in: "query", required: false },
    description: "Changes in a page; 100 where it is missing.",
    schema: Type.Integer({ minimum: 1, maximum: SPEC_LIMITS.searchLimitMax }),
  },
  {
    ...{ name: "cursor", in: "query", required: false },
    description: "next_cursor of the page before.",
    schema: Type.String(),
  },
];

const answers = { 200: { description: "One page.", schema: "ChangesAnswer" } } as const;

/** The operations of changes by `METHOD path`. */
export const CHANGE_OPERATIONS: Readonly<Record<string, Operation>> = {
  "GET /v1/changes": {
    ...{ id: "readChanges", tag: "changes", summary: "What changed since an older month" },
    description: `${DESCRIPTION} ${PAGE_COST}`,
    parameters: PARAMETERS,
    answers,
    errors: ERRORS,
  },
  "POST /v1/changes": {
    ...{ id: "searchChanges", tag: "changes", summary: "What changed, for a spec in a body" },
    description: `The same for specs that are too long for an address. ${DESCRIPTION} ${PAGE_COST}`,
    body: {
      schema: "ChangesRequest",
      example: { since: "2026-09", spec: EXAMPLE_SPEC, watch: ["email"], limit: 50 },
    },
    answers,
    errors: [...BODY_ERRORS, ...ERRORS],
  },
};
