/**
 * The routes of the public interface. What comes in: nothing. What goes out: the list of them, and
 * the table of a server that has no others.
 * Invariant: everything under /v1/, and /mcp, needs an API key; the console has routes of its own
 * (src/console/routes.ts).
 */

import { type Answer, redirectTo } from "../server/respond.ts";
import { type PublicRoute, RouteTable } from "../server/routetable.ts";
import type { Call } from "../server/service.ts";
import { readAccount } from "./account.ts";
import { createAnyExport } from "./changeexport.ts";
import { CHANGE_PARAMETERS, changesByBody, changesByQuery } from "./changes.ts";
import { countAccounts } from "./count.ts";
import { documents } from "./documents.ts";
import { deleteExport, downloadExport, listExports, readExport } from "./exports.ts";
import { downloadFile } from "./files.ts";
import { healthz, metrics, readyz } from "./health.ts";
import { searchLeads } from "./leads.ts";
import { normalize } from "./normalize.ts";
import { searchAccounts } from "./search.ts";
import { status } from "./status.ts";
import { translateLeads } from "./translate.ts";

const DOCUMENTS = documents(() => ROUTES);

/** Every public route of the server. */
export const ROUTES: readonly PublicRoute[] = [
  {
    method: "POST",
    path: "/v1/accounts/search",
    access: "key",
    sheds: "last",
    handle: searchAccounts,
  },
  {
    method: "POST",
    path: "/v1/accounts/count",
    access: "key",
    sheds: "last",
    handle: countAccounts,
  },
  { method: "GET", path: "/v1/accounts/{cnpj}", access: "key", handle: readAccount },
  // The slash of a punctuated CNPJ makes two segments of it.
  { method: "GET", path: "/v1/accounts/{cnpj}/{branch}", access: "key", handle: readAccount },
  { method: "POST", path: "/v1/leads", access: "key", sheds: "last", handle: searchLeads },
  {
    method: "POST",
    path: "/v1/leads/translate",
    access: "key",
    sheds: "first",
    handle: translateLeads,
  },
  { method: "POST", path: "/v1/spec/normalize", access: "key", handle: normalize },
  {
    method: "GET",
    path: "/v1/changes",
    access: "key",
    query: CHANGE_PARAMETERS,
    sheds: "first",
    handle: changesByQuery,
  },
  { method: "POST", path: "/v1/changes", access: "key", sheds: "first", handle: changesByBody },
  { method: "POST", path: "/v1/exports", access: "key", handle: createAnyExport },
  {
    method: "GET",
    path: "/v1/exports",
    access: "key",
    query: ["limit", "cursor"],
    handle: listExports,
  },
  {
    method: "GET",
    path: "/v1/exports/{id}",
    access: "key",
    query: ["wait", "require"],
    handle: readExport,
  },
  { method: "DELETE", path: "/v1/exports/{id}", access: "key", handle: deleteExport },
  { method: "GET", path: "/v1/exports/{id}/download", access: "key", handle: downloadExport },
  { method: "GET", path: "/v1/status", access: "key", handle: status },
  {
    method: "POST",
    path: "/mcp",
    access: "key",
    sheds: "last",
    handle: (call) => call.service.agents(call),
  },
  { method: "GET", path: "/files/{name}", access: "open", query: "any", handle: downloadFile },
  { method: "GET", path: "/healthz", access: "open", query: "any", handle: healthz },
  { method: "GET", path: "/readyz", access: "open", query: "any", handle: readyz },
  { method: "GET", path: "/metrics", access: "open", query: "any", handle: metrics },
  page("/openapi.json", DOCUMENTS.openapi),
  { method: "GET", path: "/", access: "open", query: "any", handle: redirectTo("/docs", 302) },
  { method: "GET", path: "/docs/", access: "open", query: "any", handle: redirectTo("/docs", 308) },
  page("/docs", DOCUMENTS.reference),
  page("/docs/errors", DOCUMENTS.errors),
  page("/llms.txt", DOCUMENTS.llms),
  page("/.well-known/security.txt", DOCUMENTS.security),
];

function page(path: string, handle: (call: Call) => Answer): PublicRoute {
  return { method: "GET", path, access: "open", sheds: "first", handle };
}

/** The table of a server without a console. */
export const PUBLIC_TABLE = new RouteTable(ROUTES);
