/**
 * Account routes: search, count, and read one account by its CNPJ in any spelling.
 * Invariant: a malformed CNPJ is a request error. A CNPJ absent from the registry gets 404, with a
 * hint if its check digits are wrong.
 */
import Type from "typebox";
import { AppError } from "../../../errors.ts";
import { currentSegment } from "../../../search/segment.ts";
import type { Cnpj } from "../../../spec/cnpj/cnpj.ts";
import { cnpjMistake } from "../../../spec/cnpj/cnpjmistake.ts";
import { readPathCnpj } from "../../../spec/cnpj/cnpjspelling.ts";
import {
  EXAMPLE_ACCOUNT,
  EXAMPLE_END,
  EXAMPLE_FACETS,
  EXAMPLE_HEAD,
  EXAMPLE_SPEC,
  exampleNormalized,
} from "../../openapi/examples.ts";
import { type ShapedAnswer, unchanged, weakTag } from "../../server/respond.ts";
import { RouteTable } from "../../server/routetable.ts";
import type { QueryContext } from "../../server/service.ts";
import { timed } from "../../server/telemetry.ts";
import {
  type ApiRoute,
  BODY_ERRORS,
  CURSOR_ERRORS,
  IF_NONE_MATCH,
  route,
  SNAPSHOT_ERRORS,
  SPEC_ERRORS,
  spelling,
} from "../route.ts";
import { compareAccounts } from "../search/compare.ts";
import { countAccounts } from "../search/count.ts";
import { searchAccounts } from "../search/search.ts";
import { FILE_TYPES } from "../search/search-request.ts";
import { HEALTH_ROUTES } from "../service/health.ts";
import { answer } from "../typed-answer.ts";
import { SUGGEST_ROUTE } from "./suggestions.ts";

const facetOf = (value: string, label?: string) => ({
  values: [{ value, ...(label === undefined ? {} : { label }), count: 1 }],
  other: { values: 0, count: 0 },
  missing: 0,
});
const FACETS_FOUND = {
  uf: facetOf("MG"),
  cnae_subclass: facetOf("5611-2/01", "Restaurantes e similares"),
};
const searchExample = () => ({
  ...{ ...EXAMPLE_HEAD, spec: exampleNormalized("search").spec },
  ...{ accounts: [EXAMPLE_ACCOUNT], ...EXAMPLE_END, total: 1, facets: FACETS_FOUND },
  took_ms: 0.213,
});
const countExample = () => ({
  ...{ ...EXAMPLE_HEAD, spec: exampleNormalized("search").spec },
  ...{ total: 1, facets: FACETS_FOUND, took_ms: 0.118 },
});

const OTHER_SPEC = { filters: { geo: { uf_any_of: ["SP"] } } };
const compareExample = () => ({
  ...EXAMPLE_HEAD,
  ...{ specs: [exampleNormalized("search").spec, exampleNormalized("search").spec] },
  ...{ registry: 40, totals: [1, 20] },
  bases: [1, 2].map(() => ({
    ...{ snapshot: EXAMPLE_HEAD.snapshot, snapshot_date: EXAMPLE_HEAD.snapshot_date },
    ...{ registration_status_any_of: [2], accounts: 40 },
  })),
  facets: {
    uf: {
      values: [
        {
          value: "SP",
          registry: 20,
          counts: [0, 20],
          bases: [20, 20],
          shares: [0, 1],
          index: [0, 200],
        },
        {
          value: "MG",
          registry: 10,
          counts: [1, 0],
          bases: [10, 10],
          shares: [1, 0],
          index: [400, 0],
        },
      ],
      other: { values: 0, counts: [0, 0] },
    },
  },
  took_ms: 0.342,
});

const ONE = route({
  method: "GET",
  path: "/v1/accounts/{cnpj}",
  anywhere: true,
  access: "key",
  id: "readAccount",
  tag: "accounts",
  summary: "Read one account",
  description: "The account of a CNPJ with every field of the plan.",
  parameters: [
    {
      name: "cnpj",
      in: "path",
      required: true,
      description: "14 characters in any spelling that lists read; its slash as it is or encoded.",
      schema: Type.String(),
      example: "11222333000181",
    },
    IF_NONE_MATCH,
  ],
  answers: {
    200: {
      description: "The account.",
      schema: "AccountAnswer",
      example: () => ({ ...EXAMPLE_HEAD, account: EXAMPLE_ACCOUNT }),
      headers: ["ETag"],
    },
    304: { description: "It is unchanged.", schema: null, types: [], headers: ["ETag"] },
  },
  errors: ["not_found", "snapshot_unavailable"],
  handle: readAccount,
});

/** The routes of accounts. */
export const ACCOUNT_ROUTES: readonly ApiRoute[] = [
  route({
    method: "POST",
    path: "/v1/accounts/search",
    anywhere: true,
    access: "key",
    sheds: "last",
    cost: "page",
    id: "searchAccounts",
    tag: "accounts",
    summary: "Search accounts",
    description:
      "Answers a page with its exact total. Send next_cursor as cursor with the same spec for " +
      "the next page, without limit and output. The same snapshot, spec and seed give the same " +
      "accounts, whenever and wherever they are asked for.",
    parameters: [IF_NONE_MATCH],
    body: {
      schema: "SearchRequest",
      example: { spec: EXAMPLE_SPEC, limit: 50, facets: EXAMPLE_FACETS },
    },
    answers: {
      200: {
        description: "One page.",
        schema: "SearchAnswer",
        example: searchExample,
        headers: ["ETag"],
      },
      304: { description: "The page is unchanged.", schema: null, types: [], headers: ["ETag"] },
    },
    errors: [
      ...BODY_ERRORS,
      ...SPEC_ERRORS,
      "query_too_broad",
      ...CURSOR_ERRORS,
      ...SNAPSHOT_ERRORS,
    ],
    handle: searchAccounts,
  }),
  route({
    method: "POST",
    path: "/v1/accounts/count",
    anywhere: true,
    access: "key",
    sheds: "last",
    cost: "lists",
    id: "countAccounts",
    tag: "accounts",
    summary: "Count accounts",
    description:
      "The exact number of matches and, on request, how they spread over the values of fields, " +
      "without any account. Takes specs of searches and of exports. A spec without a limit comes " +
      "back with that of a search. A pair of facets is counted as a table. With Accept: text/csv " +
      "or the type of XLSX, the answer is a file with all values and pairs that occur; a pair " +
      "alone is a table with totals.",
    parameters: [IF_NONE_MATCH],
    body: { schema: "CountRequest", example: { spec: EXAMPLE_SPEC, facets: EXAMPLE_FACETS } },
    answers: {
      200: {
        description: "The total.",
        schema: "CountAnswer",
        example: countExample,
        orTypes: FILE_TYPES,
        headers: ["ETag"],
        sometimes: ["Content-Disposition"],
      },
      304: { description: "The total is unchanged.", schema: null, types: [], headers: ["ETag"] },
    },
    errors: [...BODY_ERRORS, ...SPEC_ERRORS, "query_too_broad", ...SNAPSHOT_ERRORS],
    handle: countAccounts,
  }),
  route({
    method: "POST",
    path: "/v1/accounts/compare",
    access: "key",
    sheds: "first",
    cost: "lists",
    id: "compareAccounts",
    tag: "accounts",
    summary: "Compare two to four groups of accounts",
    description:
      "The totals of two to four specs, and of each value of the facets the count and share in " +
      "every group, with an index: 100 if the share is that of the base, 200 if it is twice as " +
      "large. The base is the whole registry, or its accounts with the registration status that " +
      "all specs ask for; bases names it. snapshots counts groups in older months, which " +
      "changes_since of GET /v1/status lists. Each spec counts as a request of its own. With " +
      "Accept: text/csv or the type of XLSX, the answer is a file with every value.",
    body: {
      schema: "CompareRequest",
      example: { specs: [EXAMPLE_SPEC, OTHER_SPEC], facets: ["uf"] },
    },
    answers: {
      200: {
        description: "The comparison.",
        schema: "CompareAnswer",
        example: compareExample,
        orTypes: FILE_TYPES,
        sometimes: ["Content-Disposition"],
      },
    },
    errors: [...BODY_ERRORS, ...SPEC_ERRORS, "query_too_broad", ...SNAPSHOT_ERRORS],
    handle: compareAccounts,
  }),
  SUGGEST_ROUTE,
  ONE,
  // The slash of a punctuated CNPJ splits it into two segments.
  spelling("/v1/accounts/{cnpj}/{branch}", ONE),
];

/** Returns one account. */
export function readAccount(
  call: QueryContext<"clock" | "engine" | "segment" | "telemetry">,
): ShapedAnswer<"AccountAnswer"> {
  const { service, plan, params } = call;
  const segment = currentSegment(service);
  // The slash of the punctuated form splits one CNPJ into two segments.
  const sent = params.branch === undefined ? params.cnpj : `${params.cnpj}/${params.branch}`;
  const cnpj = readPath(sent ?? "");
  const account = timed(call, "account", () =>
    service.engine.account(segment, cnpj.cnpj, plan.fields),
  );
  if (account === null) throw absent(segment.label, cnpj.checked);
  const tag = weakTag(["account", segment.snapshotId, cnpj.cnpj, plan.fields.join(",")]);
  const known = unchanged(call, tag);
  if (known !== null) return known;
  const value = {
    request_id: call.requestId,
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    provenance: segment.provenance,
    account,
  };
  return answer("AccountAnswer", value, { headers: { ETag: tag }, accounts: 1 });
}

function readPath(sent: string): Cnpj {
  const reading = readPathCnpj(sent);
  if (reading.kind === "cnpj") return reading;
  const mistake = cnpjMistake(reading, "/path/cnpj");
  throw new AppError("invalid_request", mistake.detail, { errors: [mistake] });
}

/** Returns the error for a CNPJ without account. `checked`: its check digits are right. */
export function absent(label: string, checked: boolean): AppError {
  if (checked) {
    return new AppError("not_found", `The snapshot ${label} has no account with this CNPJ.`);
  }
  const detail =
    "No account has this CNPJ, and its check digits are wrong: check the number for typos.";
  return new AppError("not_found", detail);
}

/**
 * Routes for threads that own no state: the resources with a route marked `anywhere`. Loading the
 * routes of all resources would take 9 MB more memory in every thread. A request for any other path
 * is forwarded to the owner.
 */
export const THREAD_TABLE = new RouteTable([...ACCOUNT_ROUTES, ...HEALTH_ROUTES]);
