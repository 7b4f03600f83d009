/**
 * Routes of saved searches: create, list, read, change, delete, and list the changes of one.
 * Invariant: this file has only the route rows. The handlers are in searchanswers.ts.
 */
import Type from "typebox";
import { FEED_LANGUAGES } from "../../../notices/feed.ts";
import {
  EXAMPLE_END,
  EXAMPLE_REQUEST,
  EXAMPLE_SPEC,
  exampleNormalized,
} from "../../openapi/examples.ts";
import type { Parameter } from "../../openapi/operation.ts";
import { CHANGES_ANSWERS, CHANGES_ERRORS, CHANGES_PARAMETERS } from "../changes/changes.ts";
import { EXAMPLE_NOTICE } from "../notices/notice-examples.ts";
import { type ApiRoute, BODY_ERRORS, route, SNAPSHOT_ERRORS, SPEC_ERRORS } from "../route.ts";
import {
  changeSearch,
  createSearch,
  deleteSearch,
  listSearches,
  readFeed,
  readSearch,
  searchChanges,
} from "./searchanswers.ts";

const ENTRY = {
  id: EXAMPLE_NOTICE.search_id,
  name: EXAMPLE_NOTICE.search_name,
  saved: { snapshot: "2026-10", total: 1_204 },
  created_at: "2026-10-21T12:00:00.000Z",
  paused: false,
  last_notice: EXAMPLE_NOTICE,
};
const example = () => ({
  ...EXAMPLE_REQUEST,
  search: {
    ...{ ...ENTRY, spec: exampleNormalized("search").spec, watch: null, only_changes: false },
    ...{ export: { output: { format: "xlsx" }, kinds: ["entered"] }, feed: null },
    rolling_days: false,
  },
});
const one = { description: "The search.", schema: "SavedSearchAnswer", example } as const;

const searchId: Parameter = {
  ...{ name: "id", in: "path", required: true },
  description: "id of the saved search.",
  schema: Type.String(),
  example: ENTRY.id,
};

const OPTIONS =
  "A new month makes a notice for each saved search; see GET /v1/notices. A search whose spec " +
  "has lists.any_of alone watches that list. watch names the fields that make an account " +
  "changed. export makes a file with each notice, like POST /v1/exports with since. feed makes " +
  "an Atom feed at a secret address.";

const WRITE_ERRORS = [
  ...BODY_ERRORS,
  ...SPEC_ERRORS,
  ...SNAPSHOT_ERRORS,
  "invalid_request",
  "quota_exceeded",
] as const;

/** Routes of saved searches. */
export const SEARCH_ROUTES: readonly ApiRoute[] = [
  route({
    method: "POST",
    path: "/v1/searches",
    access: "key",
    cost: "lists",
    ...{ id: "createSearch", tag: "notices", summary: "Save a search" },
    description: `Counts the spec and saves it under a name, for the console too. ${OPTIONS}`,
    body: {
      schema: "SavedSearchRequest",
      example: { name: ENTRY.name, spec: EXAMPLE_SPEC, only_changes: true },
    },
    answers: { 201: { ...one, headers: ["Location"] } },
    errors: WRITE_ERRORS,
    handle: createSearch,
  }),
  route({
    method: "GET",
    path: "/v1/searches",
    access: "key",
    ...{ id: "listSearches", tag: "notices", summary: "List the saved searches" },
    description: "Newest first, also those of the console, without their specs.",
    parameters: [
      {
        ...{ name: "limit", in: "query", required: false, description: "Searches in a page." },
        schema: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
      },
      {
        ...{ name: "cursor", in: "query", required: false },
        description: "next_cursor of the page before.",
        schema: Type.String(),
      },
    ],
    answers: {
      200: {
        description: "One page.",
        schema: "SavedSearches",
        example: () => ({ searches: [ENTRY], ...EXAMPLE_END }),
        sometimes: ["Link"],
      },
    },
    errors: ["invalid_cursor", "overloaded"],
    handle: listSearches,
  }),
  route({
    method: "GET",
    path: "/v1/searches/{id}",
    access: "key",
    ...{ id: "readSearch", tag: "notices", summary: "Read one saved search" },
    description: "With its spec, the options of its notices, and the newest of these.",
    parameters: [searchId],
    answers: { 200: one },
    errors: ["not_found", "overloaded"],
    handle: readSearch,
  }),
  route({
    method: "PATCH",
    path: "/v1/searches/{id}",
    access: "key",
    cost: "lists",
    ...{ id: "changeSearch", tag: "notices", summary: "Change a saved search" },
    description: `Only the members that are sent change; a new spec is counted. ${OPTIONS}`,
    parameters: [searchId],
    body: { schema: "SavedSearchPatch", example: { name: "Cantinas de Minas", feed: true } },
    answers: { 200: one },
    errors: ["not_found", ...WRITE_ERRORS],
    handle: changeSearch,
  }),
  route({
    method: "DELETE",
    path: "/v1/searches/{id}",
    access: "key",
    ...{ id: "deleteSearch", tag: "notices", summary: "Delete a saved search" },
    description: "Its notices go with it, also those that were not delivered yet.",
    parameters: [searchId],
    answers: { 204: { description: "It is gone.", schema: null, types: [] } },
    errors: ["not_found", "overloaded"],
    handle: deleteSearch,
  }),
  route({
    method: "GET",
    path: "/v1/searches/{id}/changes",
    access: "key",
    sheds: "first",
    cost: "page",
    ...{ id: "readSearchChanges", tag: "notices", summary: "List the changes of a saved search" },
    description:
      "As GET /v1/changes for the spec of the search. Without since, from the month of its last " +
      "count if that is older than the served one, else from the month before.",
    parameters: [
      searchId,
      ...CHANGES_PARAMETERS.filter(({ name }) => name !== "spec").map((one) => {
        return one.name === "since" ? { ...one, required: false } : one;
      }),
    ],
    answers: CHANGES_ANSWERS,
    errors: ["not_found", ...CHANGES_ERRORS],
    handle: searchChanges,
  }),
  route({
    method: "GET",
    path: "/feeds/{name}",
    access: "open",
    ...{ id: "readFeed", tag: "notices", summary: "Read the Atom feed of a saved search" },
    description:
      "Needs the secret address and no key. An entry for each notice, with its counts and the " +
      "names of the first companies.",
    parameters: [
      {
        ...{ name: "name", in: "path", required: true, description: "The secret, and .atom." },
        schema: Type.String(),
      },
      {
        ...{ name: "lang", in: "query", required: false, description: "Language of the entries." },
        schema: Type.Enum([...FEED_LANGUAGES], { default: "pt" }),
      },
    ],
    answers: {
      200: { description: "The feed.", schema: null, types: ["application/atom+xml"] },
    },
    errors: ["not_found", "overloaded"],
    handle: readFeed,
  }),
];
