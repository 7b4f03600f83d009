/**
 * The one table of routes. What comes in: a method and a raw path. What goes out: the route, or
 * the methods that the path has, and the values of the path's variable segments.
 * Invariant: what is not in the table does not exist; every path under /v1/ needs an API key,
 * known or not, so that nobody without one learns what is there.
 */
import { readAccount } from "./account.ts";
import { countAccounts } from "./count.ts";
import { documents } from "./documents.ts";
import { deleteExport, downloadExport, listExports, readExport } from "./exports.ts";
import { downloadFile } from "./files.ts";
import { healthz, metrics, readyz } from "./health.ts";
import { searchLeads } from "./leads.ts";
import { createExport } from "./newexport.ts";
import { normalize } from "./normalize.ts";
import { type Answer, redirectTo } from "./respond.ts";
import { searchAccounts } from "./search.ts";
import type { Call, KeyCall } from "./service.ts";
import { status } from "./status.ts";
import { translateLeads } from "./translate.ts";

/**
 * What a handler gives back. Most answer at once, and so in the order of the requests; one that
 * has to wait gives a promise.
 */
export type Reply = Answer | Promise<Answer>;

/** What every line of the table says. */
interface RouteLine {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path; a segment `{name}` stands for any one segment that is not empty. */
  readonly path: string;
  /**
   * Query parameters that the route knows, none where it is missing. With `any` the query is not
   * looked at here: the handler reads `rawQuery` or does not care.
   */
  readonly query?: readonly string[] | "any";
  /** Whether it is refused while the server has too much to do: questions to the engine. */
  readonly sheds?: boolean;
}

/** One line of the table. */
export type Route = RouteLine &
  (
    | { readonly access: "key"; readonly handle: (call: KeyCall) => Reply }
    | { readonly access: "open"; readonly handle: (call: Call) => Reply }
  );

const DOCUMENTS = documents(() => ROUTES);

/** Every route of the server. */
export const ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/accounts/search",
    access: "key",
    sheds: true,
    handle: searchAccounts,
  },
  {
    method: "POST",
    path: "/v1/accounts/count",
    access: "key",
    sheds: true,
    handle: countAccounts,
  },
  { method: "GET", path: "/v1/accounts/{cnpj}", access: "key", handle: readAccount },
  // The slash of a punctuated CNPJ makes two segments of it.
  { method: "GET", path: "/v1/accounts/{cnpj}/{branch}", access: "key", handle: readAccount },
  { method: "POST", path: "/v1/leads", access: "key", sheds: true, handle: searchLeads },
  {
    method: "POST",
    path: "/v1/leads/translate",
    access: "key",
    sheds: true,
    handle: translateLeads,
  },
  { method: "POST", path: "/v1/spec/normalize", access: "key", handle: normalize },
  { method: "POST", path: "/v1/exports", access: "key", handle: createExport },
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
  { method: "GET", path: "/files/{name}", access: "open", query: "any", handle: downloadFile },
  { method: "GET", path: "/healthz", access: "open", query: "any", handle: healthz },
  { method: "GET", path: "/readyz", access: "open", query: "any", handle: readyz },
  { method: "GET", path: "/metrics", access: "open", query: "any", handle: metrics },
  { method: "GET", path: "/openapi.json", access: "open", handle: DOCUMENTS.openapi },
  { method: "GET", path: "/", access: "open", query: "any", handle: redirectTo("/docs", 302) },
  { method: "GET", path: "/docs/", access: "open", query: "any", handle: redirectTo("/docs", 308) },
  { method: "GET", path: "/docs", access: "open", handle: DOCUMENTS.reference },
  { method: "GET", path: "/docs/errors", access: "open", handle: DOCUMENTS.errors },
  { method: "GET", path: "/llms.txt", access: "open", handle: DOCUMENTS.llms },
  {
    method: "GET",
    path: "/.well-known/security.txt",
    access: "open",
    handle: DOCUMENTS.security,
  },
];

/** A path of the table with its routes. */
interface Place {
  readonly path: string;
  readonly segments: readonly string[];
  readonly methods: Map<string, Route>;
}

/** What a requested path leads to. */
export interface Destination {
  /** The path as the table has it, safe to log. */
  readonly path: string;
  /** The routes by method. */
  readonly methods: ReadonlyMap<string, Route>;
  /** Percent-decoded values of the variable segments by name. */
  readonly params: Readonly<Record<string, string>>;
}

const PLACES = new Map<string, Place>();
for (const route of ROUTES) {
  const { path, method } = route;
  const place = PLACES.get(path) ?? { path, segments: path.split("/"), methods: new Map() };
  place.methods.set(method, route);
  if (method === "GET") place.methods.set("HEAD", route);
  PLACES.set(path, place);
}
const VARIABLE = [...PLACES.values()].filter(({ path }) => path.includes("{"));
const NO_PARAMS = {};
/** Where the paths of single accounts begin. */
const ACCOUNT = "/v1/accounts/";

/** What a path leads to; undefined for an unknown path. */
export function routesAt(rawPath: string): Destination | undefined {
  const path = decoded(withBranch(rawPath));
  if (path === null) return undefined;
  const fixed = PLACES.get(path);
  if (fixed !== undefined && !VARIABLE.includes(fixed)) return { ...fixed, params: NO_PARAMS };
  const segments = path.split("/");
  for (const place of VARIABLE) {
    const params = paramsOf(place.segments, segments);
    if (params !== null) return { ...place, params };
  }
  return undefined;
}

/** The values of the variable segments, or null where the path is another one. */
function paramsOf(
  wanted: readonly string[],
  sent: readonly string[],
): Record<string, string> | null {
  if (wanted.length !== sent.length) return null;
  const params: Record<string, string> = {};
  for (const [at, segment] of wanted.entries()) {
    const value = sent[at] as string;
    if (segment.startsWith("{") && value !== "") params[segment.slice(1, -1)] = value;
    else if (segment !== value) return null;
  }
  return params;
}

/** True for paths whose every request needs an API key; `/v1/console` has its own sign-in. */
export function needsKey(rawPath: string): boolean {
  const path = decoded(rawPath) ?? rawPath;
  return (path === "/v1" || path.startsWith("/v1/")) && !path.startsWith("/v1/console/");
}

/**
 * The path of one account with the slash of its CNPJ as itself: programs that write a CNPJ into an
 * address encode it. Everywhere else an encoded slash is no slash.
 */
function withBranch(rawPath: string): string {
  if (!rawPath.startsWith(ACCOUNT) || rawPath.includes("/", ACCOUNT.length)) return rawPath;
  return rawPath.replace(/%2f/i, "/");
}

/** Percent-decodes a path; null when that is not possible without changing its segments. */
function decoded(rawPath: string): string | null {
  if (!rawPath.includes("%")) return rawPath;
  if (/%(2f|5c|00)/i.test(rawPath)) return null;
  try {
    return decodeURIComponent(rawPath);
  } catch {
    return null;
  }
}
