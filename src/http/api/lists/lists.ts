/**
 * List routes: create, rename, fill, empty, read, and delete.
 * Invariant: this file has only the route rows. The handlers are in listanswers.ts and
 * listsearch.ts.
 */
import Type from "typebox";
import { LIST_LIMIT_MAX } from "../../../export/listcursor.ts";
import { EXAMPLE_END, EXAMPLE_REQUEST, EXAMPLE_SPEC } from "../../openapi/examples.ts";
import type { Parameter } from "../../openapi/operation.ts";
import { type ApiRoute, BODY_ERRORS, route, SPEC_ERRORS } from "../route.ts";
import { ENTRY_FILES } from "./entryfiles.ts";
import {
  addEntries,
  createList,
  deleteList,
  ENTRIES_PAGE_MAX,
  listEntries,
  listLists,
  readList,
  removeEntries,
  renameList,
} from "./listanswers.ts";
import { addFromSearch } from "./listsearch.ts";

const LIST_EXAMPLE = {
  id: "lst_0123456789abcdef0123456789abcdef",
  name: "Clientes",
  kind: "accounts",
  entries: 2,
  revision: 1,
  read_only: false,
  created_at: "2026-11-21T12:00:00.000Z",
  changed_at: "2026-11-21T12:05:00.000Z",
};

const answered = () => ({ ...EXAMPLE_REQUEST, list: LIST_EXAMPLE });
const one = { description: "The list.", schema: "ListAnswer", example: answered } as const;

const counted = {
  ...{ repeated: 0, not_in_snapshot: 0, refused_count: 1 },
  refused: [{ line: 3, text: "191", reason: "lost_zeros", offered: "00000000000191" }],
};
const addedExample = () => ({ ...answered(), read: 3, added: 2, already_there: 0, ...counted });
const removedExample = () => ({ ...answered(), read: 3, removed: 1, not_there: 1, ...counted });

const listId: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "id of the list, or exported, which holds what exports have held.",
  schema: Type.String(),
  example: LIST_EXAMPLE.id,
};

const cursor: Parameter = {
  name: "cursor",
  in: "query",
  required: false,
  description: "next_cursor of the page before.",
  schema: Type.String(),
};

function limit(most: number, otherwise: number): Parameter {
  const schema = Type.Integer({ minimum: 1, maximum: most, default: otherwise });
  return { name: "limit", in: "query", required: false, description: "Items in a page.", schema };
}

const fileParameters: readonly Parameter[] = [
  {
    name: "column",
    in: "query",
    required: false,
    description:
      "Files only: header or number of the column, of XLSX its letters too. Without it the " +
      "column whose header is or says cnpj, else the one that holds most of them.",
    schema: Type.String(),
  },
  {
    name: "lost_zeros",
    in: "query",
    required: false,
    description:
      "fill takes numbers whose zeros in front a spreadsheet has lost, where the check digits " +
      "say so; refuse tells what they would be.",
    schema: Type.Enum(["fill", "refuse"]),
  },
];

const LINES =
  "Every spelling of a CNPJ is read, and the 8 characters that name a company, which stand for " +
  "all of its establishments: in JSON, and in a file where the header says cnpj, root or " +
  "company, where there is none, or where column names the column. What is not understood is " +
  "told line by line and changes nothing else. A CSV file is read while it comes, with or " +
  "without a header, with commas, semicolons or tabs; up to 64 MiB and 2,000,000 entries. Of an " +
  "XLSX file, up to 32 MiB, the first sheet that has anything is read; a number counts by all of " +
  "its digits, a date is refused as one.";

const entriesBody = {
  schema: "ListEntriesRequest",
  example: { cnpjs: ["11.222.333/0001-81", "11222333", "191"] },
  orTypes: {
    "text/csv": "text",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "bytes",
  },
} as const;
const STATE_ERRORS = ["list_not_found", "overloaded"] as const;

/** Routes of lists. */
export const LIST_ROUTES: readonly ApiRoute[] = [
  route({
    method: "POST",
    path: "/v1/lists",
    access: "key",
    id: "createList",
    tag: "lists",
    summary: "Create a list",
    description:
      "A set of accounts or companies: customers, companies not to contact, earlier sales.",
    body: { schema: "ListRequest", example: { name: "Clientes", kind: "accounts" } },
    answers: { 201: { ...one, headers: ["Location"] } },
    errors: [...BODY_ERRORS, "invalid_request", "plan_not_allowed", "overloaded"],
    handle: createList,
  }),
  route({
    method: "GET",
    path: "/v1/lists",
    access: "key",
    id: "listLists",
    tag: "lists",
    summary: "List the lists",
    description:
      "The lists of the tenant, newest first. The last one is exported, which every tenant has: " +
      "all accounts that its done exports have held, also those whose files have expired or were " +
      "deleted.",
    parameters: [limit(LIST_LIMIT_MAX, 50), cursor],
    answers: {
      200: {
        description: "One page.",
        schema: "Lists",
        example: () => ({ lists: [LIST_EXAMPLE], ...EXAMPLE_END }),
        sometimes: ["Link"],
      },
    },
    errors: ["invalid_cursor", "overloaded"],
    handle: listLists,
  }),
  route({
    method: "GET",
    path: "/v1/lists/{id}",
    access: "key",
    id: "readList",
    tag: "lists",
    summary: "Read one list",
    description: "What it is called, how many entries it has, and its revision.",
    parameters: [listId],
    answers: { 200: one },
    errors: STATE_ERRORS,
    handle: readList,
  }),
  route({
    method: "PATCH",
    path: "/v1/lists/{id}",
    access: "key",
    id: "renameList",
    tag: "lists",
    summary: "Rename a list",
    description: "The revision stays: the entries are the same.",
    parameters: [listId],
    body: { schema: "ListPatch", example: { name: "Clientes de 2026" } },
    answers: { 200: one },
    errors: [...BODY_ERRORS, ...STATE_ERRORS, "invalid_request"],
    handle: renameList,
  }),
  route({
    method: "DELETE",
    path: "/v1/lists/{id}",
    access: "key",
    id: "deleteList",
    tag: "lists",
    summary: "Delete a list",
    description: "Exports that wait keep what they were created with.",
    parameters: [listId],
    answers: { 204: { description: "It is gone.", schema: null, types: [] } },
    errors: [...STATE_ERRORS, "invalid_request"],
    handle: deleteList,
  }),
  route({
    method: "GET",
    path: "/v1/lists/{id}/entries",
    access: "key",
    id: "listEntries",
    tag: "lists",
    summary: "List the entries of a list",
    description:
      "CNPJs and roots, ascending; also those that the snapshot does not have. An account has " +
      "the check digits that it has in the snapshot, for some have wrong ones; those of others " +
      "are computed.",
    parameters: [listId, limit(ENTRIES_PAGE_MAX, 1_000), cursor],
    answers: {
      200: {
        description: "One page.",
        schema: "ListEntries",
        example: () => ({ revision: 1, entries: ["11222333", "11222333000181"], ...EXAMPLE_END }),
        sometimes: ["Link"],
      },
    },
    errors: [...STATE_ERRORS, "invalid_cursor", "snapshot_unavailable"],
    handle: listEntries,
  }),
  route({
    method: "POST",
    path: "/v1/lists/{id}/entries",
    access: "key",
    sheds: "first",
    id: "addEntries",
    tag: "lists",
    summary: "Add entries to a list",
    description: LINES,
    parameters: [listId, ...fileParameters],
    body: entriesBody,
    pieces: ENTRY_FILES,
    answers: {
      200: { description: "What was added.", schema: "ListChange", example: addedExample },
    },
    errors: [...BODY_ERRORS, ...STATE_ERRORS, "invalid_request", "plan_not_allowed"],
    handle: addEntries,
  }),
  route({
    method: "POST",
    path: "/v1/lists/{id}/entries/remove",
    access: "key",
    sheds: "first",
    id: "removeEntries",
    tag: "lists",
    summary: "Remove entries from a list",
    description: `Takes what adding takes. ${LINES}`,
    parameters: [listId, ...fileParameters],
    body: entriesBody,
    pieces: ENTRY_FILES,
    answers: {
      200: { description: "What was removed.", schema: "ListChange", example: removedExample },
    },
    errors: [...BODY_ERRORS, ...STATE_ERRORS, "invalid_request"],
    handle: removeEntries,
  }),
  route({
    method: "POST",
    path: "/v1/lists/{id}/entries/from-search",
    access: "key",
    sheds: "first",
    cost: "lists",
    id: "addFromSearch",
    tag: "lists",
    summary: "Add all matches of a spec to a list",
    description: "Adds every match; the limit of the spec does not count.",
    parameters: [listId],
    body: { schema: "ListFromSearch", example: { spec: EXAMPLE_SPEC } },
    answers: {
      200: { description: "What was added.", schema: "ListChange", example: addedExample },
    },
    errors: [
      ...BODY_ERRORS,
      ...SPEC_ERRORS,
      ...STATE_ERRORS,
      "invalid_request",
      "query_too_broad",
      "plan_not_allowed",
      "snapshot_unavailable",
    ],
    handle: addFromSearch,
  }),
];
