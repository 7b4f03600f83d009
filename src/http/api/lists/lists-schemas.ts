/**
 * JSON Schemas of lists, their entries, and requests and answers about them. Part of the table in
 * schemas.ts.
 */
import Type, { type TSchema } from "typebox";
import { REFUSALS, REFUSED_REPORTED_MAX } from "../../../lists/entries.ts";
import { LIST_ID, LIST_NAME_MAX } from "../../../spec/listids.ts";
import {
  closed,
  count,
  cursor,
  hasMore,
  named,
  orNull,
  requestId,
  text,
} from "../../openapi/schema-parts.ts";

/** Kinds of lists. */
export const KINDS = ["accounts", "companies"] as const;

const name = Type.String({
  minLength: 1,
  maxLength: LIST_NAME_MAX,
  description: "A name of your choice.",
});
const kind = Type.Enum([...KINDS], {
  description: "companies: every CNPJ stands for all establishments of its company.",
});

const list = {
  id: Type.String({
    pattern: LIST_ID.source,
    description: "exported is the list of all accounts that done exports have held.",
  }),
  name,
  kind,
  entries: count("CNPJs and roots that it holds."),
  revision: count("Grows with every change of the entries."),
  read_only: Type.Boolean({ description: "True for exported, which the server keeps." }),
  created_at: Type.String({ format: "date-time" }),
  changed_at: Type.String({ format: "date-time" }),
};

const refused = Type.Object(
  {
    line: Type.Integer({
      minimum: 1,
      description: "Line of the file, or position in the list that was sent.",
    }),
    cell: Type.Optional(text("Name of the cell, of XLSX files only: B7.")),
    text: text("The beginning of it. A CPF in it is ***.***.***-**."),
    reason: Type.Enum(Object.keys(REFUSALS)),
    offered: Type.Optional(text("The CNPJ with the zeros that the number has lost.")),
  },
  closed,
);

/** Schemas of lists by name. */
export const LIST_SCHEMAS = {
  List: Type.Object(list, closed),
  ListRequest: Type.Object({ name, kind: Type.Optional(kind) }, closed),
  ListPatch: Type.Object({ name }, closed),
  ListAnswer: Type.Object({ request_id: requestId, list: named("List") }, closed),
  Lists: Type.Object(
    { lists: Type.Array(named("List")), next_cursor: cursor, has_more: hasMore },
    closed,
  ),
  ListEntries: Type.Object(
    {
      revision: list.revision,
      entries: Type.Array(text("A CNPJ of 14 characters, or the root of a company."), {
        description: "Ascending.",
      }),
      next_cursor: cursor,
      has_more: hasMore,
    },
    closed,
  ),
  ListEntriesRequest: Type.Object(
    {
      cnpjs: Type.Array(Type.Union([Type.String(), Type.Number()]), {
        description: "CNPJs in any spelling, or roots. A number has no zeros in front.",
      }),
    },
    closed,
  ),
  ListFromSearch: Type.Object({ spec: named("SpecInput") }, closed),
  ListChange: Type.Object(
    {
      request_id: requestId,
      list: named("List"),
      sheet: Type.Optional(text("The sheet that was read; of XLSX files only.")),
      other_sheets: Type.Optional(count("Sheets of the XLSX file that were not read.")),
      hidden_sheets: Type.Optional(count("Hidden sheets of it, which are never read.")),
      column: Type.Optional(
        text("The column that was read, of a file with a table: its header, or number or letters."),
      ),
      read: count("CNPJs and roots that were read."),
      added: Type.Optional(count("Entries that the list did not have.")),
      already_there: Type.Optional(count("Entries that the list already had.")),
      removed: Type.Optional(count("Entries that were removed.")),
      not_there: Type.Optional(count("Entries that it did not have.")),
      repeated: count("What was sent more than once, the first time left out."),
      not_in_snapshot: orNull(count("Entries of which the snapshot has no account; kept.")),
      refused_count: count("What was not understood, and is not in the list."),
      refused: Type.Array(refused, {
        maxItems: REFUSED_REPORTED_MAX,
        description: "The first of them.",
      }),
    },
    closed,
  ),
} as const satisfies Readonly<Record<string, TSchema>>;
