/**
 * A route of the public interface as one row: where it lies, who may ask, what it is in words, and
 * the handler that answers. What comes in: a row of a resource. What goes out: the route for the
 * table of routes, which is the operation of the documents too.
 * Invariant: a row without a summary, a description, answers or errors does not compile, nor does
 * one whose handler answers with another schema (answershape.ts), so that nothing is answered that
 * the documents do not know; what is left out of them on purpose says why.
 */
import Type from "typebox";
import type { Operation, Parameter } from "../openapi/operation.ts";
import { costOf, PER_UNIT } from "../server/admission.ts";
import type { HttpAnswer, ShapedAnswer } from "../server/respond.ts";
import type { PublicRoute, Reply } from "../server/routetable.ts";
import type { KeyCall, ThreadPart } from "../server/service.ts";
import type { SchemaName } from "./schemas.ts";

/** A route that the documents describe. */
export type ListedRoute = Operation<SchemaName> & PublicRoute;

/** A route that the documents leave out: a page for people, or another spelling of an address. */
export type UnlistedRoute = PublicRoute & { readonly unlisted: "page" | "spelling" };

/** Any route of the public interface. */
export type ApiRoute = ListedRoute | UnlistedRoute;

/** Answers of a row, by their status. */
type Answers = ListedRoute["answers"];

/** Names of the schemas of a row's answers. */
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

/** What the handler of a row gives back: an answer of a schema that the row names. */
type ReplyOf<Row extends Answers> = [HasOtherTypes<Row>] extends [never]
  ? ShapedAnswer<SchemaOf<Row>>
  : HttpAnswer;

/** What is written down of a route. */
export type RouteRow<Row extends Answers = Answers> = ListedRoute & {
  /** What the description says of its cost at the end; nothing where a request counts as 1. */
  readonly cost?: keyof typeof COSTS;
  readonly answers: Row;
  readonly handle: (call: never) => Reply<ReplyOf<Row>>;
} & (
    | { readonly anywhere?: never }
    // Its handler makes do with the parts that every thread has.
    | { readonly anywhere: true; readonly handle: (call: KeyCall<ThreadPart>) => Reply }
  );

const { accounts, values, facets, characters, places, bytes } = PER_UNIT;

/** What a question costs of the key's rate limit beside its page. */
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

/** What any request with a body can be answered with. */
export const BODY_ERRORS = ["payload_too_large", "unsupported_media_type"] as const;

/** What any question to the engine can be answered with. */
export const SNAPSHOT_ERRORS = ["snapshot_unavailable", "overloaded"] as const;

/** What any request with a spec can be answered with. */
export const SPEC_ERRORS = [
  "invalid_spec",
  "field_not_allowed",
  "secondary_cnae_mode_not_allowed",
  "list_not_found",
] as const;

/** What a further page can be refused with. */
export const CURSOR_ERRORS = ["invalid_cursor", "cursor_mismatch", "cursor_expired"] as const;

/** The condition of every answer that has a tag. */
export const IF_NONE_MATCH: Parameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "ETag of an earlier answer; 304 when it is still the same.",
  schema: Type.String(),
};

/** Makes the route of a row. Its query has the parameters that are described, and no other. */
export function route<const Row extends Answers>({ cost, ...row }: RouteRow<Row>): ListedRoute {
  const inQuery = (row.parameters ?? []).filter((parameter) => parameter.in === "query");
  const { description } = row;
  return {
    query: inQuery.map(({ name }) => name),
    ...row,
    description: cost === undefined ? description : `${description} ${COSTS[cost]}`,
  };
}

/** Another address that is answered as a route is. */
export function spelling(path: string, of: PublicRoute): UnlistedRoute {
  return { ...of, path, unlisted: "spelling" };
}

/** The routes that the documents describe, in their order. */
export function listed(routes: readonly ApiRoute[]): readonly ListedRoute[] {
  return routes.filter((one) => !("unlisted" in one)) as readonly ListedRoute[];
}
