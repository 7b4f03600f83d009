/**
 * Routes for changes between two snapshots: GET with query parameters, or POST with a body.
 * Invariant: query parameters mean the same as members of a body. A mistake is reported where the
 * client sent it.
 */
import Type from "typebox";
import { CHANGE_KINDS, WATCHABLE_FIELDS } from "../../../changes/kinds.ts";
import { AppError, type Mistake } from "../../../errors.ts";
import { CHANGE_GROUPS } from "../../../spec/fields/groups.ts";
import { SPEC_LIMITS } from "../../../spec/limits.ts";
import { parseJson } from "../../../spec/reader.ts";
import {
  EXAMPLE_ACCOUNT,
  EXAMPLE_END,
  EXAMPLE_PROVENANCE,
  EXAMPLE_REQUEST,
  EXAMPLE_SOURCE,
  EXAMPLE_SPEC,
  exampleNormalized,
} from "../../openapi/examples.ts";
import type { Parameter } from "../../openapi/operation.ts";
import { type BodyObject, type ReadPart, readBody } from "../../server/body.ts";
import type { ShapedAnswer } from "../../server/respond.ts";
import type { KeyCall } from "../../server/service.ts";
import {
  type ApiRoute,
  BODY_ERRORS,
  CURSOR_ERRORS,
  route,
  SNAPSHOT_ERRORS,
  SPEC_ERRORS,
} from "../route.ts";
import { CHANGE_MEMBERS } from "./changeoptions.ts";
import { answerChanges } from "./changepage.ts";
import { sinceSchema } from "./changes-schemas.ts";

const DESCRIPTION =
  "Compares the served snapshot with an older one in the same folder. entered: accounts that " +
  "match the spec now and did not then. left: those that matched then and do not now. changed: " +
  "those that match in both and differ in a watched field. Ascending by CNPJ, with exact totals. " +
  "Of the spec only the filters count; it may be as broad as you like. Lists that it names are " +
  "those of now, in both months. before and after hold the " +
  "wanted fields and those that changed. The first question about two snapshots may be answered " +
  "changes_preparing: what differs between them is listed once. Send next_cursor as cursor with " +
  "the same question for the next page; pages go on with the snapshots that they began with.";

/** Errors of a change query without a body. */
export const CHANGES_ERRORS = [
  ...SPEC_ERRORS,
  "since_not_available",
  ...CURSOR_ERRORS,
  "changes_preparing",
  ...SNAPSHOT_ERRORS,
] as const;

/** Query parameter with comma-separated names. */
function names(name: string, known: readonly string[], description: string): Parameter {
  const pattern = `^(${known.join("|")})(,(${known.join("|")}))*$`;
  return {
    ...{ name, in: "query", required: false, description: `${description} Between commas.` },
    schema: known.length > 0 ? Type.String({ pattern }) : Type.String(),
  };
}

/** Query parameters of a change query. */
export const CHANGES_PARAMETERS: readonly Parameter[] = [
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
  names("changed_any_of", CHANGE_GROUPS, "Groups of fields, one of which differs."),
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

const EARLIER = { snapshot: "2026-09", snapshot_date: "2026-09-12" };
const CHANGE = {
  cnpj: EXAMPLE_ACCOUNT.cnpj,
  change: "changed",
  changed_fields: ["email"],
  before: { ...EXAMPLE_ACCOUNT, email: "cantina@velho.example" },
  after: { ...EXAMPLE_ACCOUNT, email: "contato@cantina-inventada.example" },
};
const example = () => ({
  ...{ ...EXAMPLE_REQUEST, since: EARLIER, until: EXAMPLE_SOURCE },
  ...{ spec: exampleNormalized("search").spec, kinds: [...CHANGE_KINDS], watch: ["email"] },
  ...{ totals: { entered: 12, left: 5, changed: 1 }, count: 1, changes: [CHANGE], ...EXAMPLE_END },
  ...{ warnings: [], provenance: EXAMPLE_PROVENANCE, took_ms: 0.874 },
});

/** Answers to a query for changes. */
export const CHANGES_ANSWERS = {
  200: { description: "One page.", schema: "ChangesAnswer", example },
} as const;

const MEMBERS = [...CHANGE_MEMBERS, "spec", "output", "limit", "cursor"];

/** Query parameters, in the order in which errors list them. */
const QUERY = [...CHANGE_MEMBERS, "spec", "fields", "limit", "cursor"];

/** Routes of changes. */
export const CHANGE_ROUTES: readonly ApiRoute[] = [
  route({
    method: "GET",
    path: "/v1/changes",
    access: "key",
    query: QUERY,
    sheds: "first",
    cost: "page",
    ...{ id: "readChanges", tag: "changes", summary: "List changes since an older month" },
    description: DESCRIPTION,
    parameters: CHANGES_PARAMETERS,
    answers: CHANGES_ANSWERS,
    errors: CHANGES_ERRORS,
    handle: changesByQuery,
  }),
  route({
    method: "POST",
    path: "/v1/changes",
    access: "key",
    sheds: "first",
    cost: "page",
    ...{ id: "searchChanges", tag: "changes", summary: "List changes, with the spec in a body" },
    description: `The same for specs that are too long for an address. ${DESCRIPTION}`,
    body: {
      schema: "ChangesRequest",
      example: { since: "2026-09", spec: EXAMPLE_SPEC, watch: ["email"], limit: 50 },
    },
    answers: CHANGES_ANSWERS,
    errors: [...BODY_ERRORS, ...CHANGES_ERRORS],
    handle: changesByBody,
  }),
];

/** Answers a query sent in a body. */
export function changesByBody(
  call: KeyCall<
    | "changeLists"
    | "clock"
    | "retain"
    | ReadPart
    | "log"
    | "months"
    | "replaced"
    | "secrets"
    | "segment"
    | "stopping"
    | "streams"
    | "telemetry"
  >,
): Promise<ShapedAnswer<"ChangesAnswer">> {
  return answerChanges(call, readBody(call.body, MEMBERS));
}

async function changesByQuery(
  call: KeyCall<
    | "changeLists"
    | "clock"
    | "retain"
    | ReadPart
    | "log"
    | "months"
    | "replaced"
    | "secrets"
    | "segment"
    | "stopping"
    | "streams"
    | "telemetry"
  >,
): Promise<ShapedAnswer<"ChangesAnswer">> {
  try {
    return await answerChanges(call, bodyOf(call.query));
  } catch (error) {
    throw error instanceof AppError ? placedInQuery(error) : error;
  }
}

/** Converts query parameters to the members of a body. */
function bodyOf(query: ReadonlyMap<string, string>): BodyObject {
  const mistakes: Mistake[] = [];
  const names = (name: string) => query.get(name)?.split(",");
  const limit = query.get("limit");
  const fields = names("fields");
  const members = {
    since: query.get("since"),
    spec: readSpec(query.get("spec"), mistakes),
    kinds: names("kinds"),
    watch: names("watch"),
    changed_any_of: names("changed_any_of"),
    limit: limit !== undefined && /^\d{1,9}$/.test(limit) ? Number(limit) : limit,
    cursor: query.get("cursor"),
    ...(fields === undefined ? {} : { output: { fields } }),
  };
  return { members, mistakes };
}

function readSpec(text: string | undefined, mistakes: Mistake[]): unknown {
  if (text === undefined) return undefined;
  try {
    return parseJson(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const detail = error.message.replace("The body is", "The spec is");
    mistakes.push({ pointer: "/spec", code: "invalid_json", detail });
    return {};
  }
}

/** Returns the same error with pointers to the query parameters. */
export function placedInQuery({
  code,
  message,
  errors,
  members,
  headers,
  cause,
}: AppError): AppError {
  const placed = errors.map((mistake) => ({ ...mistake, pointer: inQuery(mistake.pointer) }));
  const [first] = errors;
  const at = (pointer: string) => `At ${pointer}:`;
  const words =
    first === undefined
      ? message
      : message.replace(at(first.pointer), () => at(inQuery(first.pointer)));
  return new AppError(code, words, { errors: placed, members, headers, cause });
}

function inQuery(pointer: string): string {
  const place = pointer.replace(/^\/output\/fields/, "/fields");
  return /^\/(since|spec|kinds|watch|changed_any_of|fields|limit|cursor)(\/|$)/.test(place)
    ? `/query${place}`
    : pointer;
}
