/**
 * The tool `list_news`, for news about the tenant's saved searches. Input: a search (all if
 * missing), and a limit. Output: the newest notices, with their counts and first accounts.
 * Invariant: the notices are those of GET /v1/notices whose accounts have been counted or that have
 * failed. The accounts are those that a webhook receives.
 */
import type { TSchema } from "typebox";
import type { KeyCall, ServicePart } from "../http/server/service.ts";
import { knownSearch } from "../notices/history.ts";
import { countsOf, isSendable } from "../notices/payload.ts";
import { type JsonObject, shown } from "../spec/reader.ts";
import type { NoticeRow } from "../store/noticestore.ts";
import { isWhole, unknownArguments, withArgumentMistakes } from "./mistakes.ts";
import { objectSchema, READING, type Tool, VALUES_NOTE } from "./tool.ts";

/** Max notices of one call, and the default. */
const LIMIT_MAX = 50;
const LIMIT = 10;
/** Max notices read, because notices that are still being counted are skipped. */
const READ_MAX = 500;

const ARGUMENTS = {
  search: { type: "string", description: "Id of a saved search; all without it." } as TSchema,
  limit: { type: "integer", minimum: 1, maximum: LIMIT_MAX, default: LIMIT } as TSchema,
};

const DEFINITION = {
  name: "list_news",
  title: "News of saved searches",
  description:
    "Lists what the newest months changed for saved searches: entered, left, changed, and the " +
    `first accounts. ${VALUES_NOTE}`,
  inputSchema: objectSchema(ARGUMENTS, []),
  outputSchema: objectSchema({ notices: { type: "array" } as unknown as TSchema }, ["notices"]),
  annotations: { title: "News of saved searches", ...READING },
};

/** The tool. */
export const NEWS_TOOL: Tool<KeyCall<ServicePart>> = {
  definition: DEFINITION,
  async run(sent, context) {
    const mistakes = unknownArguments(sent, Object.keys(ARGUMENTS));
    isWhole(sent, "limit", [1, LIMIT_MAX], mistakes);
    const { search, limit = LIMIT } = sent;
    if (search !== undefined && typeof search !== "string") {
      const detail = `Must be the id of a saved search, not ${shown(search)}.`;
      mistakes.push({ pointer: "/search", code: "wrong_type", detail });
    }
    const notices = await withArgumentMistakes(mistakes, async () =>
      counted(context, search as string | undefined, limit as number),
    );
    const lines = notices.flatMap(linesOf);
    const none = "There is no news yet. A newer month brings it for each search that is saved.";
    return {
      text: [`${notices.length} notices, the newest first.`, ...lines].join("\n"),
      structured: { notices: notices.map(jsonOf) } as unknown as JsonObject,
      accounts: 0,
      ...(notices.length === 0 ? { text: none } : {}),
    };
  },
};

function counted(
  { service, identity }: KeyCall<ServicePart>,
  search: string | undefined,
  limit: number,
): NoticeRow[] {
  const page = { before: Number.MAX_SAFE_INTEGER, limit: READ_MAX };
  const wanted = search === undefined ? page : { ...page, searchId: search };
  if (typeof search === "string") knownSearch(service.searches, identity.tenantId, search);
  const found = service.notices.history.page(identity.tenantId, wanted);
  const rows = found.map(({ row }) => row).filter(isSendable);
  return rows.slice(0, limit);
}

function jsonOf(row: NoticeRow) {
  const { entered, left, changed, changed_fields, first } = countsOf(row) ?? NONE;
  return {
    ...{ notice_id: row.id, search_id: row.searchId, search_name: row.searchName },
    ...{ snapshot: row.snapshot, since: row.since },
    ...{ entered, left, changed, changed_fields, first },
    ...(row.state === "failed" ? { problem: row.failure } : {}),
  };
}

const NONE = { entered: 0, left: 0, changed: 0, changed_fields: {}, first: [] };

function linesOf(row: NoticeRow): string[] {
  const { search_name: name, search_id, snapshot, since, first, ...counts } = jsonOf(row);
  const { entered, left, changed } = counts;
  if (row.state === "failed") {
    const why = JSON.stringify(row.failure);
    return [`${JSON.stringify(name)} (${search_id}), ${snapshot}: not counted: ${why}`];
  }
  const head =
    `${JSON.stringify(name)} (${search_id}), ${snapshot} since ${since}: ` +
    `${entered} entered, ${left} left, ${changed} changed.`;
  return [head, ...first.map((account) => JSON.stringify(account))];
}
