/**
 * The tool `search_accounts`. Input: filters, an order, fields, a limit, a cursor. Output: a page
 * of accounts small enough for a model, its exact total, and the next cursor.
 * Invariant: accounts, total, and order equal the answer of POST /v1/accounts/search. An answer
 * never exceeds its byte limit: if necessary, it holds fewer accounts than requested and states
 * this, and its cursor continues after them.
 */
import type { TSchema } from "typebox";
import { SCHEMAS } from "../http/api/schemas.ts";
import { searchPage } from "../http/api/search/search.ts";
import type { QueryContext, QueryPart } from "../http/server/service.ts";
import type { OutputField } from "../spec/fields.ts";
import type { JsonObject } from "../spec/reader.ts";
import { OUTPUT_INPUT_SCHEMA } from "../spec/schema.ts";
import { wordFor } from "../text/amounts.ts";
import { isWhole, unknownArguments, withArgumentMistakes } from "./mistakes.ts";
import { selectionOf } from "./selection.ts";
import {
  ACCOUNT,
  type AnswerSource,
  answeredBy,
  FILTERS_NOTE,
  objectSchema,
  READING,
  SELECTION,
  SOURCE,
  SOURCE_NAMES,
  sentencesOf,
  sourceLine,
  sourceOf,
  type Tool,
  type ToolAnswer,
  VALUES_NOTE,
  withBody,
} from "./tool.ts";

const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 50;
/** Maximum bytes of an answer as JSON: some 6,000 tokens. */
const ANSWER_BYTES_MAX = 22_000;

/** Default fields: enough to identify a company. */
const LEAN_FIELDS: readonly OutputField[] = [
  "cnpj",
  "legal_name",
  "trade_name",
  "cnae_primary_description",
  "municipality_name",
  "uf",
];

const ARGUMENTS = {
  ...SELECTION,
  fields: {
    ...OUTPUT_INPUT_SCHEMA.properties.fields,
    description: `Fields of each account, in this order; ${LEAN_FIELDS.join(", ")} if missing.`,
  } as TSchema,
  limit: {
    type: "integer",
    minimum: 1,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
    description: "Most accounts of this answer.",
  } as TSchema,
  cursor: {
    type: "string",
    description: "next_cursor of the answer before, with otherwise the same arguments.",
  } as TSchema,
};

const { total, next_cursor } = SCHEMAS.SearchAnswer.properties;

const DEFINITION = {
  name: "search_accounts",
  title: "Search companies",
  description:
    "Lists establishments of Brazilian companies that match filters, best first, with the exact " +
    `total. ${FILTERS_NOTE} Answers are small: ${LIMIT_DEFAULT} accounts unless limit says more ` +
    `(at most ${LIMIT_MAX}, fewer where their fields are long). For numbers alone call ` +
    "count_accounts, for all of many matches create_export. Sort e.g. " +
    '[{"field":"share_capital","direction":"desc"}]; without sort the best-scored come first. ' +
    `Fields such as email and phone_1 have to be asked for. ${VALUES_NOTE}`,
  inputSchema: objectSchema(ARGUMENTS, ["filters"]),
  outputSchema: objectSchema(
    {
      ...SOURCE,
      total,
      count: { type: "integer", minimum: 0, description: "Accounts in this answer." } as TSchema,
      accounts: { type: "array", items: ACCOUNT, maxItems: LIMIT_MAX } as unknown as TSchema,
      next_cursor,
      warnings: { type: "array", items: { type: "string" } } as unknown as TSchema,
    },
    [...SOURCE_NAMES, "total", "count", "accounts", "next_cursor", "warnings"],
  ),
  annotations: { title: "Search companies", ...READING },
};

/** Members of the handler's answer that this tool uses. */
interface Page extends AnswerSource {
  readonly spec: { readonly explain: { readonly warnings: readonly unknown[] } };
  readonly accounts: readonly JsonObject[];
  readonly total: number;
  readonly next_cursor: string | null;
}

/** The tool. */
export const SEARCH_TOOL: Tool<QueryContext<QueryPart>> = {
  definition: DEFINITION,
  async run(sent, context) {
    const { body, mistakes } = readSearch(sent, context.plan.fields);
    const wanted = await withArgumentMistakes(mistakes, () => pageOf(context, body));
    const answer = answerOf(wanted);
    if (bytesOf(answer) <= ANSWER_BYTES_MAX) return answer;
    const fitting = await pageOf(context, withLimit(body, rowsThatFit(wanted)));
    const note =
      `Only ${fitting.accounts.length} of the wanted ${wanted.accounts.length} accounts ` +
      `${wordFor(fitting.accounts.length, "fits", "fit")} into ` +
      "an answer; take fewer fields, or go on with next_cursor.";
    return answerOf(fitting, [note]);
  },
};

type Body = {
  readonly spec: { readonly limit: unknown; readonly [name: string]: unknown };
  readonly cursor?: unknown;
};

/** Builds the body of a search. Limit and fields are in its spec, where a cursor allows them. */
function readSearch(sent: JsonObject, allowed: readonly string[]) {
  const mistakes = unknownArguments(sent, Object.keys(ARGUMENTS));
  const { fields, limit = LIMIT_DEFAULT, cursor } = sent;
  const inBounds = !Number.isInteger(limit) || isWhole(sent, "limit", [1, LIMIT_MAX], mistakes);
  const none = fields === undefined || (Array.isArray(fields) && fields.length === 0);
  const output = { fields: none ? LEAN_FIELDS.filter((name) => allowed.includes(name)) : fields };
  const spec = { ...selectionOf(sent, mistakes), output, limit: inBounds ? limit : LIMIT_DEFAULT };
  const body: Body = { spec, ...(cursor === undefined ? {} : { cursor }) };
  return { body, mistakes };
}

function withLimit(body: Body, limit: number): Body {
  return { ...body, spec: { ...body.spec, limit } };
}

async function pageOf(context: QueryContext<QueryPart>, body: Body): Promise<Page> {
  return answeredBy<Page>(await searchPage(withBody(context, body)));
}

/** Returns the number of accounts that fit, once in the text and once in the values. */
function rowsThatFit(page: Page): number {
  const { accounts } = page;
  const around = bytesOf(answerOf({ ...page, accounts: [] }));
  // Space for the note about omitted accounts.
  let left = ANSWER_BYTES_MAX - around - 300;
  let rows = 0;
  for (const account of accounts) {
    left -= Buffer.byteLength(JSON.stringify(account)) + 1;
    left -= Buffer.byteLength(JSON.stringify(rowText(account))) + 2;
    if (left < 0) break;
    rows++;
  }
  return Math.max(rows, 1);
}

function answerOf(page: Page, notes: readonly string[] = []): ToolAnswer {
  const { accounts, total: matches, next_cursor: next, spec } = page;
  const warnings = [...sentencesOf(spec.explain.warnings), ...notes];
  const [first] = accounts;
  const lines = [
    `${matches} ${wordFor(matches, "account matches", "accounts match")}, ` +
      `${accounts.length} of them here. ${sourceLine(page)}`,
    ...warnings.map((warning) => `Note: ${warning}`),
    ...(first === undefined ? [] : [JSON.stringify(Object.keys(first))]),
    ...accounts.map(rowText),
    ...(next === null ? [] : [`More: the same arguments with "cursor": "${next}".`]),
  ];
  const counted = { total: matches, count: accounts.length, accounts };
  return {
    text: lines.join("\n"),
    structured: { ...sourceOf(page), ...counted, next_cursor: next, warnings },
    accounts: accounts.length,
  };
}

/** Returns the values in field order as JSON, so that none looks like other text. */
function rowText(account: JsonObject): string {
  return JSON.stringify(Object.values(account));
}

function bytesOf({ text, structured }: ToolAnswer): number {
  return Buffer.byteLength(JSON.stringify({ text, structured }));
}
