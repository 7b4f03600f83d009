/**
 * The one table of routes. What comes in: a method and a raw path. What goes out: the route, or
 * the methods that the path has.
 * Invariant: what is not in the table does not exist; every path under /v1/ needs an API key,
 * known or not, so that nobody without one learns what is there.
 */
import { healthz, readyz } from "./health.ts";
import { normalize } from "./normalize.ts";
import type { Answer } from "./respond.ts";
import { searchAccounts } from "./search.ts";
import type { Call, KeyCall } from "./service.ts";
import { status } from "./status.ts";

/** One line of the table. */
export type Route =
  | {
      readonly method: "GET" | "POST";
      readonly path: string;
      readonly access: "key";
      readonly handle: (call: KeyCall) => Answer;
    }
  | {
      readonly method: "GET" | "POST";
      readonly path: string;
      readonly access: "open";
      readonly handle: (call: Call) => Answer;
    };

/** Every route of the server. */
export const ROUTES: readonly Route[] = [
  { method: "POST", path: "/v1/accounts/search", access: "key", handle: searchAccounts },
  { method: "POST", path: "/v1/spec/normalize", access: "key", handle: normalize },
  { method: "GET", path: "/v1/status", access: "key", handle: status },
  { method: "GET", path: "/healthz", access: "open", handle: healthz },
  { method: "GET", path: "/readyz", access: "open", handle: readyz },
];

const BY_PATH = new Map<string, Map<string, Route>>();
for (const route of ROUTES) {
  const methods = BY_PATH.get(route.path) ?? new Map<string, Route>();
  methods.set(route.method, route);
  if (route.method === "GET") methods.set("HEAD", route);
  BY_PATH.set(route.path, methods);
}

/** The routes of a path by method; undefined for an unknown path. */
export function routesAt(rawPath: string): ReadonlyMap<string, Route> | undefined {
  return BY_PATH.get(rawPath) ?? BY_PATH.get(decoded(rawPath) ?? "");
}

/** True for paths whose every request needs an API key; `/v1/console` has its own sign-in. */
export function needsKey(rawPath: string): boolean {
  const path = decoded(rawPath) ?? rawPath;
  return (path === "/v1" || path.startsWith("/v1/")) && !path.startsWith("/v1/console/");
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
