/**
 * Defines the console's data routes, and the answers that only the console needs: the catalog,
 * districts of several municipalities, and the lists that contain given accounts.
 * Invariant: every route needs a session. Routes with the public answer format use the public
 * handlers, under the plan of the tenant's console. The catalog contains everything that filters
 * can name. It is built once per snapshot, cached compressed, and the same for every tenant and
 * plan. Districts are those of GET /v1/districts, and `total` counts all matches. No other tenant's
 * lists are read, and nothing is changed.
 */

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Mistake } from "../errors.ts";
import { readAccount } from "../http/api/accounts/accounts.ts";
import { readCompany } from "../http/api/accounts/companies.ts";
import { refuseLacking } from "../http/api/accounts/districts.ts";
import { suggestAccounts } from "../http/api/accounts/suggestions.ts";
import { changesByBody } from "../http/api/changes/changes.ts";
import { enrichFile, FILE_QUERY, SENT_FILES } from "../http/api/enrichment/enrichfiles.ts";
import { deleteExport, downloadExport } from "../http/api/exports/stored-exports.ts";
import { ENTRY_FILES } from "../http/api/lists/entryfiles.ts";
import {
  addEntries,
  createList,
  deleteList,
  listEntries,
  listLists,
  readList,
  removeEntries,
  renameList,
} from "../http/api/lists/listanswers.ts";
import { addFromSearch } from "../http/api/lists/listsearch.ts";
import {
  changeEmail,
  createEmail,
  deleteEmail,
  listEmails,
  testEmail,
} from "../http/api/notices/emailanswers.ts";
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listNotices,
  listWebhooks,
  replayNotices,
  rotateWebhook,
  testWebhook,
} from "../http/api/notices/noticeanswers.ts";
import { compareAnyAccounts } from "../http/api/search/compare.ts";
import { countAnyAccounts } from "../http/api/search/count.ts";
import { searchPage } from "../http/api/search/search.ts";
import {
  changeSearch as changeNoticeOptions,
  readSearch as readNoticeOptions,
} from "../http/api/searches/searchanswers.ts";
import { translateLeads } from "../http/api/spec/translate.ts";
import type { Shedding } from "../http/server/admission.ts";
import { TimeSlices } from "../http/server/background-tasks.ts";
import { computed } from "../http/server/body.ts";
import { queryMistake, refuseQueryMistakes } from "../http/server/query.ts";
import { type HttpAnswer, JSON_TYPE, unchanged, weakTag } from "../http/server/respond.ts";
import type { Reply, Route } from "../http/server/routetable.ts";
import type { KeyCall, ServicePart, SessionCall } from "../http/server/service.ts";
import { holding } from "../lists/membership.ts";
import { districtsOf } from "../search/districts.ts";
import { currentSegment, type Segment } from "../search/segment.ts";
import { catalogLookup } from "../spec/catalog.ts";
import { foldDistrict } from "../spec/districtname.ts";
import { SPEC_LIMITS } from "../spec/limits.ts";
import { acceptedEncoding } from "./assets.ts";
import { membersOf, refuse, refuseMistakes } from "./bodymembers.ts";
import { CATALOG } from "./catalogparts.ts";
import { lookUpAccounts, previewFile } from "./enrichment.ts";
import { estimateExport } from "./estimate.ts";
import { explainAccount } from "./explain.ts";
import { explore } from "./explore.ts";
import {
  createConsoleExport,
  exportAgain,
  listConsoleExports,
  readConsoleExport,
} from "./exports.ts";
import { readOwnership } from "./ownership.ts";
import { readPlaces } from "./places.ts";
import {
  changeSearch,
  deleteSearch,
  listSearches,
  readSearch,
  readStatus,
  saveSearch,
} from "./searches.ts";
import { typedAnswer } from "./typedanswer.ts";
import type { ContainingListsAnswer, DistrictsFound } from "./web/app/listanswers.ts";
import { makeWorkbook } from "./workbook.ts";

type Handle = (call: SessionCall<ServicePart>) => Reply;

/** The routes of the console's data. */
export const CONSOLE_DATA_ROUTES: readonly Route[] = [
  postQuery("/translate", translateLeads, "first"),
  postQuery("/explore", explore, "first"),
  postQuery("/accounts/search", searchPage),
  postQuery("/accounts/count", countAnyAccounts, "first"),
  postQuery("/accounts/compare", compareAnyAccounts, "first"),
  postQuery("/accounts/explain", explainAccount),
  postQuery("/accounts/look-up", lookUpAccounts),
  get("/accounts/suggest", suggestAccounts, ["q", "limit", "uf"]),
  get("/accounts/{cnpj}", readAccount),
  get("/companies/{root}", readCompany, ["limit", "cursor"]),
  get("/companies/{root}/ownership", readOwnership),
  get("/catalog", catalog),
  get("/places", readPlaces, ["uf"]),
  get("/districts", suggestDistricts, ["municipality_ibge", "q"]),
  get("/status", readStatus),
  get("/exports", listConsoleExports, ["limit", "cursor"]),
  post("/exports", createConsoleExport),
  postQuery("/exports/estimate", estimateExport),
  get("/exports/{id}", readConsoleExport, ["wait"]),
  remove("/exports/{id}", deleteExport),
  get("/exports/{id}/download", downloadExport),
  post("/exports/{id}/again", exportAgain),
  sendFile("/enrich/preview", previewFile, ["labels", "column", "lost_zeros"]),
  sendFile("/enrich/files", enrichFile, FILE_QUERY),
  postQuery("/changes", changesByBody, "first"),
  postQuery("/accounts/lists", listsOfAccounts, "first"),
  postQuery("/workbook", makeWorkbook, "first"),
  get("/lists", listLists, ["limit", "cursor"]),
  post("/lists", createList),
  get("/lists/{id}", readList),
  post("/lists/{id}", renameList),
  remove("/lists/{id}", deleteList),
  get("/lists/{id}/entries", listEntries, ["limit", "cursor"]),
  fill("/lists/{id}/entries", addEntries),
  fill("/lists/{id}/entries/remove", removeEntries),
  postQuery("/lists/{id}/entries/from-search", addFromSearch, "first"),
  get("/searches", listSearches, ["limit", "cursor"]),
  post("/searches", saveSearch),
  get("/searches/{id}", readSearch),
  post("/searches/{id}", changeSearch),
  remove("/searches/{id}", deleteSearch),
  get("/searches/{id}/notices", readNoticeOptions),
  post("/searches/{id}/notices", changeNoticeOptions),
  get("/notices", listNotices, ["search", "limit", "cursor"]),
  post("/notices/{id}/replay", replayNotices),
  get("/webhooks", listWebhooks, ["limit", "cursor"]),
  owned(post("/webhooks", createWebhook)),
  owned(post("/webhooks/{id}", changeWebhook)),
  owned(remove("/webhooks/{id}", deleteWebhook)),
  owned(post("/webhooks/{id}/rotate", rotateWebhook)),
  owned(postQuery("/webhooks/{id}/test", testWebhook, "first")),
  get("/emails", listEmails, ["limit", "cursor"]),
  owned(post("/emails", createEmail)),
  owned(post("/emails/{id}", changeEmail)),
  owned(remove("/emails/{id}", deleteEmail)),
  owned(postQuery("/emails/{id}/test", testEmail, "first")),
];

/** Limits a route to owners, because webhooks and e-mails send data to other servers. */
function owned(row: Route): Route {
  return { ...(row as Extract<Route, { readonly access: "session" }>), role: "owner" };
}

function get(path: string, handle: Handle, query: readonly string[] = []): Route {
  return { method: "GET", path: at(path), access: "session", query, handle };
}

function post(path: string, handle: Handle): Route {
  return { method: "POST", path: at(path), access: "session", handle };
}

/** Defines a route for a query. `sheds`: an overloaded server refuses it first or last. */
function postQuery(path: string, handle: Handle, sheds: Shedding = "last"): Route {
  return { method: "POST", path: at(path), access: "session", sheds, handle };
}

/** Defines a route that reads list entries, as JSON or as a file. */
function fill(path: string, handle: Handle): Route {
  const query = ["column", "lost_zeros"];
  return { ...postQuery(path, handle, "first"), query, pieces: ENTRY_FILES };
}

/** Defines a route that reads a spreadsheet. */
function sendFile(path: string, handle: Handle, query: readonly string[]): Route {
  return { ...postQuery(path, handle, "first"), query, pieces: SENT_FILES, filesOnly: true };
}

function remove(path: string, handle: Handle): Route {
  return { method: "DELETE", path: at(path), access: "session", handle };
}

function at(path: string): string {
  return `/v1/console${path}`;
}

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Level 9 takes a fifth of level 11's time, and its output is 6% larger (measured). */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Part of the ETag. Increase it when the format of the catalog changes. */
const SHAPE = "4";

/** The encoded catalog. */
interface Packed {
  readonly identity: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

const packed = new WeakMap<Segment, Promise<Packed>>();

/** Answers with the current catalog. */
function catalog(call: KeyCall<"compute" | "retain" | "segment" | "version">): Reply {
  const { service } = call;
  const segment = currentSegment(service);
  const tag = weakTag(["catalog", SHAPE, service.version, segment.snapshotId]);
  const headers = { ETag: tag, "Cache-Control": "private, no-cache", Vary: "Accept-Encoding" };
  const known = unchanged(call, tag);
  if (known !== null) return { ...known, headers };
  const accepted = call.header("accept-encoding") ?? "";
  return packedOf(call, segment).then((found) => answerOf(found, accepted, headers));
}

function answerOf(found: Packed, accepted: string, headers: Readonly<Record<string, string>>) {
  const coding = acceptedEncoding(accepted, ["br", "gzip", "identity"]);
  const answer: HttpAnswer = { status: 200, type: JSON_TYPE, body: found[coding], headers };
  if (coding === "identity") return answer;
  return { ...answer, headers: { ...headers, "Content-Encoding": coding } };
}

/** Returns the cached catalog, or builds it. Failures are not cached. */
function packedOf(call: KeyCall<"compute" | "retain">, segment: Segment): Promise<Packed> {
  const known = packed.get(segment);
  if (known !== undefined) return known;
  const release = call.service.retain(segment);
  const made = pack(call, segment).finally(release);
  packed.set(segment, made);
  made.catch(() => packed.delete(segment));
  return made;
}

async function pack(call: KeyCall<"compute">, segment: Segment): Promise<Packed> {
  const identity = Buffer.from(await computed(call, CATALOG, null, { segment }));
  return { identity, br: await brotli(identity, BROTLI), gzip: await gzipped(identity) };
}

const CITIES_MAX = 10;
/** Maximum districts. */
const LIMIT = 40;

/** Answers with the districts whose names match `q`, in several municipalities. */
function suggestDistricts(
  call: KeyCall<"segment"> & { readonly query: ReadonlyMap<string, string> },
): Reply {
  const segment = currentSegment(call.service);
  const lookup = catalogLookup(segment.catalog);
  const typed = call.query.get("q") ?? "";
  const codes = (call.query.get("municipality_ibge") ?? "").split(",");
  const mistakes: Mistake[] = [];
  const cities = codes.flatMap((code) => lookup.municipalityByIbge(code)?.ibge ?? []);
  if (cities.length < codes.length || codes.length > CITIES_MAX) {
    const detail = `municipality_ibge must be up to ${CITIES_MAX} IBGE codes with commas between.`;
    mistakes.push(queryMistake("municipality_ibge", "unknown_municipality", detail));
  }
  if (typed.length > SPEC_LIMITS.stringLengthMax) {
    const detail = `The query parameter q may have ${SPEC_LIMITS.stringLengthMax} characters.`;
    mistakes.push(queryMistake("q", "too_long", detail));
  }
  refuseQueryMistakes(mistakes);
  refuseLacking(lookup);
  call.spend(1);
  const found = [...new Set(cities)].map((ibge) => ({
    ibge,
    list: districtsOf(segment, { ibge, typed, limit: LIMIT }),
  }));
  const begin = foldDistrict(typed);
  const rank = (name: string) => Number(!foldDistrict(name).startsWith(begin));
  const districts = found
    .flatMap(({ ibge, list }) => {
      return list.districts.map((one) => ({ municipality_ibge: ibge, ...one }));
    })
    .sort((a, b) => rank(a.name) - rank(b.name) || b.accounts - a.accounts)
    .slice(0, LIMIT);
  return typedAnswer<DistrictsFound>({
    request_id: call.requestId,
    districts,
    total: found.reduce((sum, { list }) => sum + list.total, 0),
  });
}

/** Max CNPJs per request; a screen shows fewer. */
const CNPJS_MAX = 200;

/** `POST /accounts/lists` with `{cnpjs}`: answers with the lists that contain these CNPJs. */
function listsOfAccounts(call: KeyCall<"lists">): Reply {
  const body = membersOf(call, ["cnpjs"]);
  const { cnpjs } = body.members;
  const texts: string[] = Array.isArray(cnpjs)
    ? cnpjs.filter((one: unknown) => typeof one === "string")
    : [];
  const fits = Array.isArray(cnpjs) && texts.length === cnpjs.length && texts.length <= CNPJS_MAX;
  if (!fits) refuse(body, "cnpjs", `cnpjs must be a list of up to ${CNPJS_MAX} texts.`);
  refuseMistakes(body);
  return answerHolding(call, texts);
}

async function answerHolding(
  call: KeyCall<"lists">,
  cnpjs: readonly string[],
): Promise<HttpAnswer> {
  const { lists } = call.service;
  const turns = new TimeSlices();
  const held = await holding(lists, call.identity.tenantId, cnpjs, () => turns.taken());
  return typedAnswer<ContainingListsAnswer>({
    request_id: call.requestId,
    lists: held.map(({ list: { id, name }, cnpjs: own }) => ({ id, name, cnpjs: own })),
  });
}
