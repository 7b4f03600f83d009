/**
 * Handlers for lists. Input: names, ids, and CNPJs in JSON and in files. Output: lists as JSON,
 * pages of entries, and the outcome of every line that was sent.
 * Invariant: foreign, unknown, and malformed ids get byte-identical answers. A change is answered
 * once it is durable. No input is dropped silently.
 */

import { AppError, type Mistake } from "../../../errors.ts";
import {
  decodeEntryCursor,
  decodeListCursor,
  encodeEntryCursor,
  encodeListCursor,
  LIST_LIMIT_MAX,
} from "../../../export/listcursor.ts";
import type { BlockVerb } from "../../../lists/blocks.ts";
import {
  type ChangedList,
  type ListLimits,
  type Lists,
  listNotFound,
  readListName,
} from "../../../lists/lists.ts";
import { withAccountDigits } from "../../../lists/membership.ts";
import { Upload } from "../../../lists/upload.ts";
import { rowOf } from "../../../search/clauses.ts";
import { loadedSegment } from "../../../search/segment.ts";
import { EXPORTED, LIST_ID } from "../../../spec/listids.ts";
import type { ListKind, ListRow } from "../../../store/liststore.ts";
import { listNameKey } from "../../../translate/lists/listnames.ts";
import { TimeSlices } from "../../server/background-tasks.ts";
import { type BodyObject, readBody, readPatch } from "../../server/body.ts";
import { queryMistake, readWhole, refuseQueryMistakes } from "../../server/query.ts";
import {
  type EmptyAnswer,
  type HttpAnswer,
  noContent,
  type ShapedAnswer,
} from "../../server/respond.ts";
import type { KeyCall } from "../../server/service.ts";
import { answer, type Shape } from "../typed-answer.ts";
import { fileOf, readZeros } from "./entryfiles.ts";
import { KINDS } from "./lists-schemas.ts";

type ListJson = Shape<"List">;

const LIMIT_DEFAULT = 50;
const ENTRIES_DEFAULT = 1_000;
const MISTAKES_MAX = 50;
/** Maximum entries per page. */
export const ENTRIES_PAGE_MAX = 10_000;

/** `POST /v1/lists`. */
export function createList(call: KeyCall<"lists">): ShapedAnswer<"ListAnswer"> {
  const body = readBody(call.body, ["name", "kind"]);
  const name = readName(body);
  const kind = readKind(body);
  refuse(body.mistakes);
  const { service, identity, plan } = call;
  const row = createNamed(service.lists, identity.tenantId, { name, kind }, plan.limits);
  return answerOf(call, row, { status: 201, headers: { Location: `/v1/lists/${row.id}` } });
}

/** `GET /v1/lists`: the tenant's lists, newest first. */
export function listLists(call: KeyCall<"lists" | "secrets">): ShapedAnswer<"Lists"> {
  const { lists, secrets } = call.service;
  const { tenantId } = call.identity;
  const mistakes: Mistake[] = [];
  const requested = readWhole(call.query, "limit", [1, LIST_LIMIT_MAX], mistakes);
  refuseQueryMistakes(mistakes);
  const cursor = call.query.get("cursor");
  const position =
    cursor === undefined ? null : decodeListCursor(cursor, tenantId, secrets.cursor, "lists");
  const limit = requested ?? position?.limit ?? LIMIT_DEFAULT;
  const rows = lists.page(tenantId, position?.before ?? Number.MAX_SAFE_INTEGER, limit + 1);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const before = last?.sequence;
  const next =
    before === undefined
      ? null
      : encodeListCursor({ before, limit }, tenantId, secrets.cursor, "lists");
  const page = { lists: shown.map(listJson), next_cursor: next, has_more: next !== null };
  if (next === null) return answer("Lists", page);
  const link = `</v1/lists?limit=${limit}&cursor=${next}>; rel="next"`;
  return answer("Lists", page, { headers: { Link: link } });
}

/** `GET /v1/lists/{id}`. */
export function readList(call: KeyCall<"lists">): ShapedAnswer<"ListAnswer"> {
  return answerOf(call, ownList(call));
}

/** `PATCH /v1/lists/{id}`: renames a list. */
export function renameList(call: KeyCall<"lists">): ShapedAnswer<"ListAnswer"> {
  const { id } = ownList(call);
  const body = readPatch(call.body, ["name"]);
  refuse(body.mistakes);
  const name = readName(body);
  refuse(body.mistakes);
  return answerOf(call, renameNamed(call.service.lists, call.identity.tenantId, id, name));
}

/** `DELETE /v1/lists/{id}`. */
export async function deleteList(call: KeyCall<"lists">): Promise<EmptyAnswer> {
  await call.service.lists.remove(call.identity.tenantId, idOf(call));
  return noContent();
}

/** `GET /v1/lists/{id}/entries`: ascending, with the check digits of the snapshot. */
export async function listEntries(
  call: KeyCall<"retain" | "lists" | "secrets" | "segment">,
): Promise<ShapedAnswer<"ListEntries">> {
  const { page, headers } = call.service.lists.atOneMoment(() => entriesPage(call));
  const segment = loadedSegment(call.service);
  if (segment === null) return answer("ListEntries", page, { headers });
  const release = call.service.retain(segment);
  try {
    const entries = await withAccountDigits(segment, page.entries);
    return answer("ListEntries", { ...page, entries }, { headers });
  } finally {
    release();
  }
}

function entriesPage(call: KeyCall<"lists" | "secrets">) {
  const row = ownList(call);
  const { lists, secrets } = call.service;
  const mistakes: Mistake[] = [];
  const limit = readWhole(call.query, "limit", [1, ENTRIES_PAGE_MAX], mistakes) ?? ENTRIES_DEFAULT;
  refuseQueryMistakes(mistakes);
  const cursor = call.query.get("cursor");
  const after = cursor === undefined ? -1n : decodeEntryCursor(cursor, row, secrets.cursor);
  const { entries, next } = lists.entries(row, after, limit);
  const page = {
    revision: row.revision,
    entries,
    next_cursor: next === null ? null : encodeEntryCursor(next, row, secrets.cursor),
    has_more: next !== null,
  };
  if (page.next_cursor === null) return { page, headers: {} };
  const path = `/v1/lists/${row.id}/entries`;
  const link = `<${path}?limit=${limit}&cursor=${page.next_cursor}>; rel="next"`;
  return { page, headers: { Link: link } };
}

type ChangeCall = KeyCall<"retain" | "lists" | "segment">;

/** `POST /v1/lists/{id}/entries`. */
export function addEntries(call: ChangeCall): Promise<ShapedAnswer<"ListChange">> {
  return changeEntries(call, "add");
}

/** `POST /v1/lists/{id}/entries/remove`. */
export function removeEntries(call: ChangeCall): Promise<ShapedAnswer<"ListChange">> {
  return changeEntries(call, "remove");
}

async function changeEntries(
  call: ChangeCall,
  verb: BlockVerb,
): Promise<ShapedAnswer<"ListChange">> {
  const { lists } = call.service;
  const upload = await uploadOf(call);
  const row = changeableList(call);
  const segment = loadedSegment(call.service);
  const release = segment === null ? null : call.service.retain(segment);
  try {
    const turns = new TimeSlices();
    const isKnown = (cnpj: string) => segment !== null && rowOf(segment, cnpj) >= 0;
    await upload.takeKnown(isKnown, () => turns.taken());
    const sent = { entries: upload.entries(row.kind === "companies"), verb };
    const changed = await lists.change(row, sent, { limits: call.plan.limits, segment });
    const value = { request_id: call.requestId, ...changeJson(changed, upload, verb) };
    return answer("ListChange", value);
  } finally {
    release?.();
  }
}

/** Reads the upload. A missing list is reported before any file is parsed. */
async function uploadOf(call: KeyCall<"lists">): Promise<Upload> {
  const file = fileOf(call.gathered);
  try {
    changeableList(call);
    return file === null ? readCnpjs(call) : await file.upload();
  } finally {
    file?.drop?.();
  }
}

/** Returns the answer to a change. */
export function changeJson(
  { list, distinct, changed, absent }: ChangedList,
  upload: Pick<Upload, "read" | "refused" | "refusedCount" | "sheet" | "column">,
  verb: BlockVerb,
) {
  const other = distinct - changed;
  const done =
    verb === "add"
      ? { added: changed, already_there: other }
      : { removed: changed, not_there: other };
  const { sheet, column } = upload;
  return {
    list: listJson(list),
    ...(sheet === null ? {} : { sheet: sheet.name, other_sheets: sheet.others }),
    ...(sheet?.hidden === undefined ? {} : { hidden_sheets: sheet.hidden }),
    ...(column === null ? {} : { column }),
    read: upload.read,
    ...done,
    repeated: upload.read - upload.refusedCount - distinct,
    not_in_snapshot: absent,
    refused_count: upload.refusedCount,
    refused: upload.refused,
  };
}

function readCnpjs(call: Pick<KeyCall, "body" | "query">): Upload {
  const fillZeros = readZeros(call.query);
  if (call.query.has("column")) {
    const detail = "The query parameter column is for files. Leave it out.";
    refuseQueryMistakes([queryMistake("column", "not_with_json", detail)]);
  }
  const body = readBody(call.body, ["cnpjs"]);
  const { cnpjs } = body.members;
  const upload = new Upload(fillZeros);
  const { mistakes } = body;
  if (!Array.isArray(cnpjs)) {
    const detail = "cnpjs must be a list of texts or numbers.";
    mistakes.push({ pointer: "/cnpjs", code: "wrong_type", detail });
  } else {
    cnpjs.forEach((cnpj: unknown, at) => {
      const line = at + 1;
      // A number such as 1e400 is parsed as infinity, so its digits are lost.
      if (typeof cnpj === "string" || Number.isFinite(cnpj)) {
        const text = String(cnpj);
        const isWritten = upload.take(text, { line });
        if (!isWritten) upload.refuse(text, { line }, { reason: "not_a_cnpj" });
      } else if (mistakes.length < MISTAKES_MAX) mistakes.push(noText(at));
    });
  }
  refuse(mistakes);
  return upload;
}

function noText(at: number): Mistake {
  const detail = 'Must be a text, such as "11222333000181", or a number.';
  return { pointer: `/cnpjs/${at}`, code: "wrong_type", detail };
}

function readName(body: BodyObject): string {
  const { name: value } = body.members;
  const read = readListName(typeof value === "string" ? value : "");
  if ("name" in read) return read.name;
  body.mistakes.push({ pointer: "/name", ...read });
  return "";
}

function readKind(body: BodyObject): ListKind {
  const { kind = "accounts" } = body.members;
  const found = KINDS.find((one) => one === kind);
  if (found !== undefined) return found;
  const detail = `kind must be ${KINDS.join(" or ")}.`;
  body.mistakes.push({ pointer: "/kind", code: "unknown_value", detail });
  return "accounts";
}

function refuse(errors: readonly Mistake[]): void {
  const [first] = errors;
  if (first === undefined) return;
  throw new AppError("invalid_request", first.detail, { errors });
}

/** Returns the id in the path. A malformed id is answered as not found. */
function idOf({ params: { id = "" } }: Pick<KeyCall, "params">): string {
  if (LIST_ID.test(id)) return id;
  throw listNotFound();
}

/** Like `ownList`, but also throws `invalid_request` for the list that the server maintains. */
export function changeableList(call: KeyCall<"lists">): ListRow {
  return call.service.lists.own(call.identity.tenantId, idOf(call));
}

/** Returns the list in the path. Throws `list_not_found`, also for another tenant's list. */
function ownList(call: KeyCall<"lists">): ListRow {
  return call.service.lists.find(call.identity.tenantId, idOf(call));
}

function answerOf(
  { requestId }: Pick<KeyCall, "requestId">,
  row: ListRow,
  more?: Pick<HttpAnswer, "status" | "headers">,
): ShapedAnswer<"ListAnswer"> {
  return answer("ListAnswer", { request_id: requestId, list: listJson(row) }, more);
}

/** Returns a list as JSON. */
export function listJson(row: ListRow): ListJson {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    entries: row.entries,
    revision: row.revision,
    read_only: row.id === EXPORTED,
    created_at: new Date(row.createdAt).toISOString(),
    changed_at: new Date(row.changedAt).toISOString(),
  };
}

/** Creates a list. Throws `invalid_request` for a taken name, or the errors of `Lists.create`. */
export function createNamed(
  lists: Lists,
  tenantId: string,
  made: { readonly name: string; readonly kind: ListKind },
  limits: ListLimits,
): ListRow {
  return lists.atomically(() => {
    refuseTaken(lists, tenantId, { name: made.name, own: null });
    return lists.create(tenantId, made, limits);
  });
}

/** Renames a list. Throws `invalid_request` for a taken name, or errors of `Lists.rename`. */
export function renameNamed(lists: Lists, tenantId: string, id: string, name: string): ListRow {
  return lists.atomically(() => {
    lists.own(tenantId, id);
    refuseTaken(lists, tenantId, { name, own: id });
    return lists.rename(tenantId, id, name);
  });
}

/** Throws if a list other than `own` has a name that sentences cannot distinguish from `name`. */
function refuseTaken(
  lists: Lists,
  tenantId: string,
  { name, own }: { readonly name: string; readonly own: string | null },
): void {
  const key = listNameKey(name);
  const taken = lists
    .names(tenantId)
    .find((other) => other.id !== own && listNameKey(other.name) === key);
  if (taken === undefined) return;
  const detail = `There is a list ${taken.name} already: ${taken.id}. Choose another name.`;
  const errors = [{ pointer: "/name", code: "duplicate", detail }];
  throw new AppError("invalid_request", detail, { errors });
}
