/**
 * The routes of the console's data. What comes in: nothing. What goes out: rows for the
 * table of routes.
 * Invariant: every row needs a session; what the public interface answers in the same shape is
 * answered by its own handlers, under the plan of the tenant's console.
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
import { countAccounts } from "../http/api/search/count.ts";
import { searchPage } from "../http/api/search/search.ts";
import { translateLeads } from "../http/api/spec/translate.ts";
import type { Shedding } from "../http/server/admission.ts";
import type { Reply, Route } from "../http/server/routetable.ts";
import type { ServicePart, SessionCall } from "../http/server/service.ts";
import { catalog } from "./catalog.ts";
import { suggestDistricts } from "./districts.ts";
import { estimateExport } from "./estimate.ts";
import { explainAccount } from "./explain.ts";
import { explore } from "./explore.ts";
import {
  createConsoleExport,
  exportAgain,
  listConsoleExports,
  readConsoleExport,
} from "./exports.ts";
import { listsOfAccounts } from "./lists.ts";
import {
  changeSearch,
  deleteSearch,
  listSearches,
  readSearch,
  readStatus,
  saveSearch,
} from "./searches.ts";

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
