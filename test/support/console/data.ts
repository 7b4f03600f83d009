/**
 * Starts a server with the console's data routes and users, for the HTTP suites of these routes.
 * Its clients send requests like a browser.
 * Invariant: routes, dispatcher, stores, and plans are the real ones. Only signing in is skipped:
 * the cookie contains the id of a user. Sessions have their own suites.
 */

import type { OpenSession } from "../../../src/access/sessions.ts";
import { CONSOLE_DATA_ROUTES } from "../../../src/console/data-routes.ts";
import { ROUTES } from "../../../src/http/api/routes.ts";
import { RouteTable } from "../../../src/http/server/routetable.ts";
import { SessionAuth } from "../../../src/http/server/session-auth.ts";
import type { TransportName } from "../../../src/http/server/transport/transport.ts";
import { type FakeServer, startFake, TEST_LIMITS } from "../http/fake.ts";

/** An answer whose body was read and parsed. */
export interface TypedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: suites look into answers of many shapes.
  readonly json: any;
}

/** A signed-in user. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly tenantId: string;
  get(path: string, headers?: Record<string, string>): Promise<TypedAnswer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<TypedAnswer>;
  remove(path: string): Promise<TypedAnswer>;
}

/** A server with users. */
export interface ConsoleServer extends FakeServer {
  /** Creates a user. By default, the tenant has the name of its plan. */
  person(plan?: string, tenant?: string): Promise<Person>;
}

const TOKEN = "the-token-of-a-test";
const LIMIT = { limits: { requests_per_second: 1e6, burst: 1e6, concurrent_requests: 1e6 } };

/** Starts a server whose console has its data routes. */
export async function startConsole(
  transport: TransportName,
  parts: Parameters<typeof startFake>[1] = {},
): Promise<ConsoleServer> {
  const open = new Map<string, OpenSession>();
  const sessions = { find: (token: string) => open.get(token) ?? null };
  const sessionAuth = new SessionAuth({ sessions, insecureHttp: false, limit: LIMIT });
  const table = () => new RouteTable([...ROUTES, ...CONSOLE_DATA_ROUTES], sessionAuth);
  const server = await startFake(transport, parts, TEST_LIMITS, table);
  let number = 0;
  const person = async (plan = "enterprise", tenant = plan): Promise<Person> => {
    const email = `person${++number}@example.com`;
    const password = "a password that is long enough";
    const input = { email, tenant: { name: tenant }, password, plan };
    const { user } = await server.service.users.create(input);
    open.set(user.id, sessionOf({ ...user, plan: plan as never }));
    return { ...client(server.base, user.id), id: user.id, email, tenantId: user.tenantId };
  };
  return { ...server, person };
}

function sessionOf(user: OpenSession["user"]): OpenSession {
  const expiresAt = Date.now() + 3_600_000;
  return {
    id: `of-${user.id}`,
    user,
    csrfToken: TOKEN,
    createdAt: 0,
    idleSeconds: 1_800,
    kept: false,
    expiresAt,
  };
}

function client(base: string, id: string) {
  const send = async (path: string, request: RequestInit): Promise<TypedAnswer> => {
    const headers = { Cookie: `peneira_session=${id}`, "X-CSRF-Token": TOKEN, ...request.headers };
    const url = `${base}/v1/console${path}`;
    const answer = await fetch(url, { redirect: "manual", ...request, headers });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const text = bytes.toString();
    const isJson = /json/.test(answer.headers.get("content-type") ?? "") && text !== "";
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      bytes,
      json: isJson ? JSON.parse(text) : null,
    };
  };
  const type = { "Content-Type": "application/json" };
  return {
    get: (path: string, headers = {}) => send(path, { headers }),
    post: (path: string, body: unknown, headers = {}) =>
      send(path, { method: "POST", body: JSON.stringify(body), headers: { ...type, ...headers } }),
    remove: (path: string) => send(path, { method: "DELETE" }),
  };
}

/** Returns the pointers of the mistakes in a problem document. */
export function pointersIn({ json }: TypedAnswer): string[] {
  return (json.errors as { pointer: string }[]).map(({ pointer }) => pointer).sort();
}
