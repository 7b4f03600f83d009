/**
 * The routes of the console. Input: the check of sessions, and the files of the browser's part.
 * Output: the table of a server with a console.
 * Invariant: every path below /v1/console needs a session but those that begin one; changes of
 * members or keys, and the trail of them, are for owners. An answer in the shape of the public
 * interface comes from its own handlers, under the plan of the tenant's console. Nothing here is
 * part of the public interface, so it is not in its documents.
 */
import { readAccount } from "../http/api/accounts/accounts.ts";
import { readCompany } from "../http/api/accounts/companies.ts";
import { suggestAccounts } from "../http/api/accounts/suggestions.ts";
import { changesByBody } from "../http/api/changes/changes.ts";
import { deleteExport, downloadExport } from "../http/api/exports/kept-exports.ts";
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
import { ROUTES } from "../http/api/routes.ts";
import { countAccounts } from "../http/api/search/count.ts";
import { searchPage } from "../http/api/search/search.ts";
import { translateLeads } from "../http/api/spec/translate.ts";
import type { Shedding } from "../http/server/admission.ts";
import { redirectTo } from "../http/server/respond.ts";
import { type Reply, type Route, RouteTable } from "../http/server/routetable.ts";
import type { ServicePart, SessionCall } from "../http/server/service.ts";
import type { SessionAuth } from "../http/server/session-auth.ts";
import type { Assets } from "./assets.ts";
import { listAudit } from "./audit.ts";
import { catalog, suggestDistricts } from "./catalog.ts";
import { explainAccount } from "./explain.ts";
import { explore } from "./explore.ts";
import {
  createConsoleExport,
  estimateExport,
  exportAgain,
  listConsoleExports,
  readConsoleExport,
} from "./exports.ts";
import { createKey, disableKey, enableKey, listKeys, renameKey, rotateKey } from "./keys.ts";
import { listsOfAccounts } from "./lists.ts";
import {
  changeMember,
  createMember,
  inviteAgain,
  inviteMember,
  listMembers,
  resetPassword,
  uninviteMember,
} from "./members.ts";
import {
  changeSearch,
  deleteSearch,
  listSearches,
  readSearch,
  readStatus,
  saveSearch,
} from "./searches.ts";
import { listSessions, SessionRoutes } from "./session.ts";
import { readUsage } from "./usage.ts";

type Handle = (call: SessionCall<ServicePart>) => Reply;

/** The routes of the console's data. */
export const CONSOLE_DATA_ROUTES: readonly Route[] = [
  ask("/translate", translateLeads, "first"),
  ask("/explore", explore, "first"),
  ask("/accounts/search", searchPage),
  ask("/accounts/count", countAccounts),
  ask("/accounts/explain", explainAccount),
  get("/accounts/suggest", suggestAccounts, ["q", "limit", "uf"]),
  get("/accounts/{cnpj}", readAccount),
  get("/companies/{root}", readCompany, ["limit", "cursor"]),
  get("/catalog", catalog),
  get("/districts", suggestDistricts, ["municipality_ibge", "q"]),
  get("/status", readStatus),
  get("/exports", listConsoleExports, ["limit", "cursor"]),
  post("/exports", createConsoleExport),
  ask("/exports/estimate", estimateExport),
  get("/exports/{id}", readConsoleExport, ["wait"]),
  remove("/exports/{id}", deleteExport),
  get("/exports/{id}/download", downloadExport),
  post("/exports/{id}/again", exportAgain),
  ask("/changes", changesByBody, "first"),
  ask("/accounts/lists", listsOfAccounts, "first"),
  get("/lists", listLists, ["limit", "cursor"]),
  post("/lists", createList),
  get("/lists/{id}", readList),
  post("/lists/{id}", renameList),
  remove("/lists/{id}", deleteList),
  get("/lists/{id}/entries", listEntries, ["limit", "cursor"]),
  fill("/lists/{id}/entries", addEntries),
  fill("/lists/{id}/entries/remove", removeEntries),
  ask("/lists/{id}/entries/from-search", addFromSearch, "first"),
  get("/searches", listSearches, ["limit", "cursor"]),
  post("/searches", saveSearch),
  get("/searches/{id}", readSearch),
  post("/searches/{id}", changeSearch),
  remove("/searches/{id}", deleteSearch),
];

function get(path: string, handle: Handle, query: readonly string[] = []): Route {
  return { method: "GET", path: at(path), access: "session", query, handle };
}

function post(path: string, handle: Handle): Route {
  return { method: "POST", path: at(path), access: "session", handle };
}

/** A question to the engine, which is refused while there is too much to do. */
function ask(path: string, handle: Handle, sheds: Shedding = "last"): Route {
  return { method: "POST", path: at(path), access: "session", sheds, handle };
}

/** A route that takes entries of lists, as JSON or as a file. */
function fill(path: string, handle: Handle): Route {
  const query = ["column", "lost_zeros"];
  return { ...ask(path, handle, "first"), query, pieces: ENTRY_FILES };
}

function remove(path: string, handle: Handle): Route {
  return { method: "DELETE", path: at(path), access: "session", handle };
}

function at(path: string): string {
  return `/v1/console${path}`;
}

const BASE = "/v1/console";
const SESSION = { access: "session" } as const;
const OWNER = { access: "session", role: "owner" } as const;

/** The public routes and those of the console. */
export function consoleTable(sessionAuth: SessionAuth, assets: Assets): RouteTable {
  const own = [...pages(assets), ...sessionRoutes(sessionAuth), ...MEMBER_ROUTES, ...KEY_ROUTES];
  return new RouteTable([...ROUTES, ...own, ...CONSOLE_DATA_ROUTES], sessionAuth);
}

function pages(assets: Assets): Route[] {
  const page = assets.page.bind(assets);
  const file = assets.file.bind(assets);
  return [
    { method: "GET", path: "/app", access: "open", query: "any", handle: page },
    { method: "GET", path: "/app/", access: "open", query: "any", handle: redirectTo("/app", 308) },
    { method: "GET", path: "/app/{view}", access: "open", query: "any", handle: page },
    { method: "GET", path: "/app/assets/{file}", access: "open", query: "any", handle: file },
  ];
}

function sessionRoutes(sessionAuth: SessionAuth): Route[] {
  const { read, signIn, signInByLink, ...own } = new SessionRoutes(sessionAuth);
  const { signOut, signOutEverywhere, changePassword, readInvitation, acceptInvitation } = own;
  const invitation = `${BASE}/invitation`;
  const session = `${BASE}/session`;
  const sessions = `${BASE}/sessions`;
  return [
    { method: "GET", path: session, access: "open", handle: read },
    { method: "POST", path: session, access: "open", sheds: "last", handle: signIn },
    { method: "POST", path: `${session}/link`, access: "open", handle: signInByLink },
    { method: "POST", path: invitation, access: "open", handle: readInvitation },
    {
      method: "POST",
      path: `${invitation}/accept`,
      access: "open",
      sheds: "last",
      handle: acceptInvitation,
    },
    { method: "DELETE", path: session, ...SESSION, handle: signOut },
    { method: "GET", path: sessions, ...SESSION, handle: listSessions },
    { method: "DELETE", path: sessions, ...SESSION, handle: signOutEverywhere },
    { method: "POST", path: `${BASE}/password`, ...SESSION, handle: changePassword },
  ];
}

const MEMBERS = `${BASE}/members`;
const MEMBER_ROUTES: readonly Route[] = [
  { method: "GET", path: MEMBERS, ...OWNER, handle: listMembers },
  { method: "POST", path: MEMBERS, ...OWNER, handle: createMember },
  { method: "POST", path: `${MEMBERS}/{id}`, ...OWNER, handle: changeMember },
  { method: "POST", path: `${MEMBERS}/{id}/password`, ...OWNER, handle: resetPassword },
  { method: "POST", path: `${BASE}/invitations`, ...OWNER, handle: inviteMember },
  { method: "POST", path: `${MEMBERS}/{id}/invitation`, ...OWNER, handle: inviteAgain },
  { method: "DELETE", path: `${MEMBERS}/{id}/invitation`, ...OWNER, handle: uninviteMember },
  { method: "GET", path: `${BASE}/audit`, ...OWNER, query: ["limit", "cursor"], handle: listAudit },
];

const KEYS = `${BASE}/keys`;
const KEY_ROUTES: readonly Route[] = [
  { method: "GET", path: KEYS, ...SESSION, handle: listKeys },
  { method: "POST", path: KEYS, ...OWNER, handle: createKey },
  { method: "POST", path: `${KEYS}/{id}`, ...OWNER, handle: renameKey },
  { method: "POST", path: `${KEYS}/{id}/disable`, ...OWNER, handle: disableKey },
  { method: "POST", path: `${KEYS}/{id}/enable`, ...OWNER, handle: enableKey },
  { method: "POST", path: `${KEYS}/{id}/rotate`, ...OWNER, handle: rotateKey },
  { method: "GET", path: `${BASE}/usage`, ...SESSION, query: ["days"], handle: readUsage },
];
