/**
 * Starts a real server with all routes of the console. Hashing a password costs almost nothing, and
 * answers are returned as they were received over the socket.
 * Invariant: every request has exactly the given headers, so that a missing Origin or a foreign
 * Host is really sent. Each request has its own connection.
 */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Limited } from "../../../src/access/limits.ts";
import { Assets } from "../../../src/console/assets.ts";
import { consoleTable } from "../../../src/console/routes.ts";
import type { RouteTable } from "../../../src/http/server/routetable.ts";
import type { Service } from "../../../src/http/server/service.ts";
import { SessionAuth } from "../../../src/http/server/session-auth.ts";
import type { TransportName } from "../../../src/http/server/transport/transport.ts";
import type { Role } from "../../../src/store/userstore.ts";
import { type FakeServer, sendRaw, startFake, TEST_LIMITS } from "../http/fake.ts";

/** Limits that no suite reaches. */
const UNHURRIED: Limited = {
  limits: { requests_per_second: 1e6, burst: 1e6, concurrent_requests: 1e6 },
};

/** Options of a test. */
export interface ConsoleOptions {
  readonly insecureHttp?: boolean;
  /** Rate limit for the requests of a user. By default, there is none. */
  readonly limit?: Limited;
  /** Folder of the built console. By default, the folder does not exist. */
  readonly folder?: string;
  readonly parts?: Parameters<typeof startFake>[1];
}

/** A request; `host` defaults to the server's address. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further header lines, sent unchanged. */
  readonly lines?: readonly string[];
  readonly body?: unknown;
}

/** An answer; names of headers in lower case. */
export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, one character per byte. */
  readonly text: string;
  json(): Record<string, never>;
}

/** A user with a session. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly tenant: string;
  readonly tenantId: string;
  /**
   * The session cookie, for connections over loopback. `headers` are the headers that a request
   * needs to change data.
   */
  readonly cookie: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A token that signs them in once. */
  readonly link: () => string;
  /** A token for another user of the tenant to choose a first password. */
  readonly invitation: () => string;
}

/** A server with a console. */
export interface ConsoleServer extends FakeServer {
  readonly table: RouteTable;
  send(request: SentRequest): Promise<ConsoleAnswer>;
  /** Makes a user of a tenant, with a session. */
  person(tenant: string, role: Role): Promise<Person>;
  /** Another session of a user. */
  again(person: Person): Promise<Person>;
}

/** A folder that does not exist. */
const NO_CONSOLE = join(tmpdir(), "peneira-no-console-here");

let people = 0;

/** Starts a server; `close` ends it. */
export async function startConsole(
  transport: TransportName,
  options: ConsoleOptions = {},
): Promise<ConsoleServer> {
  const { insecureHttp = false, limit = UNHURRIED, parts = {} } = options;
  let table: RouteTable | undefined;
  const server = await startFake(transport, parts, TEST_LIMITS, (service) => {
    const sessionAuth = new SessionAuth({ sessions: service.sessions, insecureHttp, limit });
    table = consoleTable(sessionAuth, new Assets(options.folder ?? NO_CONSOLE, sessionAuth));
    return table;
  });
  const again = (person: Person) => entered(server.service, person);
  return {
    ...server,
    table: table as unknown as RouteTable,
    send: (one) => send(server.port, one),
    again,
    person: async (tenant, role) => {
      people++;
      const email = `person${people}@example.com`;
      const { users } = server.service;
      const { user, password } = await users.create({ email, tenant: { name: tenant }, role });
      const { id, tenantId } = user;
      const known = { id, email, tenant, tenantId, password: password as string };
      const link = () => server.service.sessions.linkFor(id);
      const invitation = () => {
        people++;
        const options = {
          email: `invited${people}@example.com`,
          tenantId,
          role: "member",
        } as const;
        return users.invite(options).token;
      };
      return again({ ...known, cookie: "", headers: {}, link, invitation });
    },
  };
}

/** Opens a session as signing in does. Each session comes from another address. */
async function entered({ sessions }: Service, person: Person): Promise<Person> {
  people++;
  const address = `192.0.2.${people}`;
  const { token, session } = await sessions.signIn(person.email, person.password, address);
  const cookie = `peneira_session=${token}`;
  return { ...person, cookie, headers: { cookie, "x-csrf-token": session.csrfToken } };
}

async function send(port: number, { method, path, headers = {}, lines = [], body }: SentRequest) {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const bytes = Buffer.from(text);
  const sent = new Map([["host", `127.0.0.1:${port}`], ...Object.entries(headers)]);
  if (body !== undefined) {
    if (!sent.has("content-type")) sent.set("content-type", "application/json");
    sent.set("content-length", String(bytes.length));
  }
  const all = [...sent].map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${path} HTTP/1.1`, "Connection: close", ...all, ...lines];
  const raw = Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), bytes]);
  return gotFrom((await sendRaw(port, raw, 10_000)).text);
}

function gotFrom(text: string): ConsoleAnswer {
  const end = text.indexOf("\r\n\r\n");
  assert.ok(end > 0, `no answer: ${text}`);
  const headers: Record<string, string> = {};
  for (const line of text.slice(0, end).split("\r\n").slice(1)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    assert.ok(headers[name] === undefined, `the header ${name} is there twice`);
    headers[name] = line.slice(colon + 1).trim();
  }
  const body = text.slice(end + 4);
  const json = () => JSON.parse(Buffer.from(body, "latin1").toString()) as Record<string, never>;
  return { status: Number(text.slice(9, 12)), headers, text: body, json };
}

/** Returns all data of a tenant that a request could change. */
export function stateOf({ service, exporter }: FakeServer, tenantId: string): unknown {
  const keys = service.keyring.list().filter((key) => key.tenantId === tenantId);
  const users = service.users.list(tenantId);
  return {
    keys: keys.map(({ lastUsedAt: _, ...key }) => ({ ...key, hash: key.hash.toString("hex") })),
    users: users.map(({ lastSeenAt: _, ...user }) => user),
    sessions: users.map(({ id }) => service.sessions.list(id).map((session) => session.id)),
    searches: service.searches.list(tenantId, 1_000),
    audit: service.audit.page(tenantId, { limit: 1_000 }).rows,
    exports: exporter.list(tenantId, { limit: 200, before: null }).records,
  };
}
