/**
 * Defines the routes of the console. A server with a console adds them to the public table.
 * Invariant: every path below /v1/console needs a session, except those that begin one. Only owners
 * may read or change members, keys, and their audit trail. Nothing here is part of the public
 * interface, so its documents do not list it.
 */

import { ROUTES } from "../http/api/routes.ts";
import { prefersPages } from "../http/server/notfoundpage.ts";
import { emptyAnswer, type HttpAnswer, redirectTo } from "../http/server/respond.ts";
import { type Route, RouteTable } from "../http/server/routetable.ts";
import type { Call } from "../http/server/service.ts";
import type { SessionAuth } from "../http/server/session-auth.ts";
import type { Assets } from "./assets.ts";
import { listAudit } from "./audit.ts";
import { CONSOLE_DATA_ROUTES } from "./data-routes.ts";
import { createKey, disableKey, enableKey, listKeys, renameKey, rotateKey } from "./keys.ts";
import {
  changeMember,
  createMember,
  inviteAgain,
  inviteMember,
  listMembers,
  resetPassword,
  uninviteMember,
} from "./members.ts";
import { listSessions, SessionRoutes } from "./session.ts";
import { readPlans, readUsage } from "./usage.ts";

const BASE = "/v1/console";
const SESSION = { access: "session" } as const;
const OWNER = { access: "session", role: "owner" } as const;

/** Builds the public and console routes. */
export function consoleTable(sessionAuth: SessionAuth, assets: Assets): RouteTable {
  const own = [...pages(assets), ...sessionRoutes(sessionAuth), ...MEMBER_ROUTES, ...KEY_ROUTES];
  return new RouteTable([...ROUTES, ...own, ...CONSOLE_DATA_ROUTES], sessionAuth);
}

function pages(assets: Assets): Route[] {
  const page = assets.page.bind(assets);
  const file = assets.file.bind(assets);
  const start = (call: Call) => startFor(call, assets.built);
  return [
    { method: "GET", path: "/", access: "open", query: "any", handle: start },
    { method: "GET", path: "/app", access: "open", query: "any", handle: page },
    { method: "GET", path: "/app/", access: "open", query: "any", handle: redirectTo("/app", 308) },
    { method: "GET", path: "/app/{view}", access: "open", query: "any", handle: page },
    { method: "GET", path: "/app/assets/{file}", access: "open", query: "any", handle: file },
  ];
}

/** Redirects browsers to the console, and programs to the reference. */
function startFor(call: Call, isBuilt: boolean): HttpAnswer {
  const to = isBuilt && prefersPages(call.header("accept")) ? "/app" : "/docs";
  return emptyAnswer({ status: 302, headers: { Location: to, Vary: "Accept" } });
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
  { method: "GET", path: `${BASE}/plans`, ...OWNER, handle: readPlans },
];
