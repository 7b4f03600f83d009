/**
 * Public routes as rows: address, access, documentation, and handler. Each row becomes an entry of
 * the route table and an operation of the OpenAPI document.
 * Invariant: a row without a summary, a description, answers, or errors does not compile. Neither
 * does a row whose handler answers with another schema (typed-answer.ts). So every answer is
 * documented. An intentionally undocumented route states why.
 */
import Type from "typebox";
import type { Operation, Parameter } from "../openapi/operation.ts";
import { costOf, PER_UNIT } from "../server/admission.ts";
import type { HttpAnswer, ShapedAnswer } from "../server/respond.ts";
import type { PublicRoute, Reply } from "../server/routetable.ts";
import type { KeyCall, ThreadPart } from "../server/service.ts";
import type { SchemaName } from "./schemas.ts";

/** A documented route. */
export type ListedRoute = Operation<SchemaName> & PublicRoute;

/** An undocumented route: a page for people, or another form of a documented path. */
export type UnlistedRoute = PublicRoute & { readonly unlisted: "page" | "spelling" };

/** Any public route. */
export type ApiRoute = ListedRoute | UnlistedRoute;

/** Answers of a row, by status. */
type Answers = ListedRoute["answers"];

/** Schema names of a row's answers. */
type SchemaOf<Row extends Answers> = Row[keyof Row] extends infer One
  ? One extends { readonly schema: infer Name extends SchemaName }
    ? Name
    : never
  : never;

/** True for a row with an answer that is neither JSON nor empty. */
type HasOtherTypes<Row extends Answers> = Row[keyof Row] extends infer One
  ? One extends { readonly types: readonly [] } | { readonly schema: SchemaName }
    ? never
    : true
  : never;

/** Reply type of a row's handler: an answer with one of the row's schemas. */
type ReplyOf<Row extends Answers> = [HasOtherTypes<Row>] extends [never]
  ? ShapedAnswer<SchemaOf<Row>>
  : HttpAnswer;

/** Declaration of a route. */
export type RouteRow<Row extends Answers = Answers> = ListedRoute & {
  /** Cost sentence to append to the description, or undefined if a request costs 1 unit. */
  readonly cost?: keyof typeof COSTS;
  readonly answers: Row;
  readonly handle: (call: never) => Reply<ReplyOf<Row>>;
} & (
    | { readonly anywhere?: never }
    // The handler needs only the services that every thread has.
    | { readonly anywhere: true; readonly handle: (call: KeyCall<ThreadPart>) => Reply }
  );

const { accounts, values, facets, characters, places, bytes } = PER_UNIT;

/** Describes which parts of a query cost units in addition to the page. */
const QUESTION_COST =
  `one more for every ${values} values in lists, every ${facets} facets, every ${characters} ` +
  `characters of a sentence or of names of activities, every ${places} of names of places, and ` +
  `every ${bytes} bytes of the body`;
const COST_MAX = "No request costs more than the key's burst.";

const COSTS = {
  page:
    `Counts as 1 request, and 1 more for every ${accounts} of the limit: 1 for 100, ` +
    `${costOf({ limit: 50_000 })} for 50000; ${QUESTION_COST}. ${COST_MAX}`,
  lists: `Counts as 1 request; ${QUESTION_COST}. ${COST_MAX}`,
} as const;

/** Errors of any request with a body. */
export const BODY_ERRORS = ["payload_too_large", "unsupported_media_type"] as const;

/** Errors of any query to the engine. */
export const SNAPSHOT_ERRORS = ["snapshot_unavailable", "overloaded"] as const;

/** Errors of any request with a spec. */
export const SPEC_ERRORS = [
  "invalid_spec",
  "field_not_allowed",
  "secondary_cnae_mode_not_allowed",
  "list_not_found",
] as const;

/** Errors of a request for a further page. */
export const CURSOR_ERRORS = ["invalid_cursor", "cursor_mismatch", "cursor_expired"] as const;

/** The request header If-None-Match, for routes whose answers have an entity tag. */
export const IF_NONE_MATCH: Parameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "ETag of an earlier answer; 304 when it is still the same.",
  schema: Type.String(),
};

/** Builds the route of a row. The route accepts exactly the documented query parameters. */
export function route<const Row extends Answers>({ cost, ...row }: RouteRow<Row>): ListedRoute {
  const inQuery = (row.parameters ?? []).filter((parameter) => parameter.in === "query");
  const { description } = row;
  return {
    query: inQuery.map(({ name }) => name),
    ...row,
    description: cost === undefined ? description : `${description} ${COSTS[cost]}`,
  };
}

/** Returns an alias of a route with another path. */
export function spelling(path: string, of: PublicRoute): UnlistedRoute {
  return { ...of, path, unlisted: "spelling" };
}

/** Returns the documented routes in order. */
export function listed(routes: readonly ApiRoute[]): readonly ListedRoute[] {
  return routes.filter((one) => !("unlisted" in one)) as readonly ListedRoute[];
}
