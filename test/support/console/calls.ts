/**
 * Lists one valid request to every route of the console, with the expected status for each kind of
 * sender, for a server with a real engine.
 * Invariant: a route without an entry here, or an entry without a route, fails the suites that use
 * the list.
 */
import assert from "node:assert/strict";
import type { ConsoleServer, Person, SentRequest } from "./fake.ts";

/** Objects of a tenant that the requests refer to. */
export interface Targets {
  readonly key: string;
  readonly member: string;
  /** A user who was invited and has not accepted yet. */
  readonly invited: string;
  readonly export: string;
  readonly search: string;
  readonly list: string;
  readonly cnpj: string;
}

/** Expected status for a member, for an owner, and for an owner of another tenant. */
export type Statuses = readonly [member: number, owner: number, stranger: number];

/** An entry of the table. */
export interface ConsoleCall {
  readonly statuses: Statuses;
  /** The query string that follows the path. */
  readonly query?: string;
  readonly body?: (sender: Person | null, targets: Targets) => unknown;
}

const SPEC = { filters: { geo: { uf_any_of: ["SP"] } } };
const OUTPUT = { format: "csv", fields: ["cnpj"] };
const EXPORT = { spec: SPEC, output: OUTPUT };

const ALL: Statuses = [200, 200, 200];
const MADE: Statuses = [201, 201, 201];
const GONE: Statuses = [204, 204, 204];
/** Routes about an object of a tenant; other tenants get 404. */
const OWN: Statuses = [200, 200, 404];
const OWN_GONE: Statuses = [204, 204, 404];
const OWNERS: Statuses = [403, 200, 200];
const OWNERS_MADE: Statuses = [403, 201, 201];
const OWNERS_OWN: Statuses = [403, 200, 404];
/** Owner-only routes about an object that does not exist. */
const OWNERS_NONE: Statuses = [403, 404, 404];

let made = 0;
const fresh = (): string => {
  made++;
  return `made${made}@example.com`;
};

/** Every route below /v1/console. The routes in `OPEN` answer all senders alike. */
export const CONSOLE_CALLS: Readonly<Record<string, ConsoleCall>> = {
  "GET /session": { statuses: ALL },
  "POST /session": {
    statuses: ALL,
    body: (sender) => ({ email: sender?.email, password: sender?.password }),
  },
  "POST /session/link": { statuses: ALL, body: (sender) => ({ token: sender?.link() }) },
  "POST /invitation": { statuses: ALL, body: (sender) => ({ token: sender?.invitation() }) },
  "POST /invitation/accept": {
    statuses: ALL,
    body: (sender) => ({ token: sender?.invitation(), password: "nine lamps on a river" }),
  },
  "DELETE /session": { statuses: GONE },
  "GET /sessions": { statuses: ALL },
  "DELETE /sessions": { statuses: GONE },
  "POST /password": {
    statuses: ALL,
    body: (sender) => ({
      current_password: sender?.password,
      new_password: "nine lamps on a river",
    }),
  },
  "GET /members": { statuses: OWNERS },
  "POST /members": { statuses: OWNERS_MADE, body: () => ({ email: fresh(), role: "member" }) },
  "POST /members/{id}": { statuses: OWNERS_OWN, body: () => ({ role: "owner" }) },
  "POST /members/{id}/password": { statuses: OWNERS_OWN, body: () => ({}) },
  "POST /invitations": { statuses: OWNERS_MADE, body: () => ({ email: fresh() }) },
  "POST /members/{id}/invitation": { statuses: [403, 200, 404], body: () => ({}) },
  "DELETE /members/{id}/invitation": { statuses: [403, 204, 404] },
  "GET /audit": { statuses: OWNERS },
  "GET /keys": { statuses: ALL },
  "POST /keys": { statuses: OWNERS_MADE, body: () => ({ name: "crm" }) },
  "POST /keys/{id}": { statuses: OWNERS_OWN, body: () => ({ name: "other" }) },
  "POST /keys/{id}/disable": { statuses: OWNERS_OWN, body: () => ({}) },
  "POST /keys/{id}/enable": { statuses: OWNERS_OWN, body: () => ({}) },
  "POST /keys/{id}/rotate": { statuses: [403, 201, 404], body: () => ({}) },
  "GET /usage": { statuses: ALL },
  "GET /plans": { statuses: OWNERS },
  "POST /translate": { statuses: ALL, body: () => ({ query_text: "padarias em São Paulo" }) },
  "POST /explore": { statuses: ALL, body: () => ({ spec: SPEC, facets: ["uf"] }) },
  "POST /accounts/search": { statuses: ALL, body: () => ({ spec: SPEC, limit: 5 }) },
  "POST /accounts/count": { statuses: ALL, body: () => ({ spec: SPEC }) },
  "POST /accounts/compare": { statuses: ALL, body: () => ({ specs: [SPEC, SPEC] }) },
  "POST /accounts/explain": {
    statuses: ALL,
    body: (_, { cnpj }) => ({ spec: SPEC, cnpj }),
  },
  "POST /accounts/look-up": {
    statuses: ALL,
    body: (_, { cnpj }) => ({ cnpjs: [cnpj], fields: ["legal_name"] }),
  },
  "GET /accounts/suggest": { statuses: ALL, query: "?q=cantina" },
  "GET /accounts/{cnpj}": { statuses: ALL },
  "GET /companies/{root}": { statuses: ALL },
  "GET /companies/{root}/ownership": { statuses: ALL },
  "GET /catalog": { statuses: ALL },
  "GET /places": { statuses: ALL, query: "?uf=SP" },
  "GET /districts": { statuses: ALL, query: "?municipality_ibge=3550308,3304557&q=centro" },
  "GET /status": { statuses: ALL },
  "GET /exports": { statuses: ALL },
  "POST /exports": { statuses: MADE, body: () => EXPORT },
  "POST /exports/estimate": { statuses: ALL, body: () => EXPORT },
  "GET /exports/{id}": { statuses: OWN },
  "DELETE /exports/{id}": { statuses: OWN_GONE },
  "GET /exports/{id}/download": { statuses: [409, 409, 404] },
  "POST /exports/{id}/again": { statuses: [201, 201, 404], body: () => ({}) },
  // These routes accept files and no JSON.
  "POST /enrich/preview": { statuses: [415, 415, 415], body: () => ({}) },
  "POST /enrich/files": { statuses: [415, 415, 415], body: () => ({}) },
  "POST /changes": { statuses: [422, 422, 422], body: () => ({ since: "2026-09", spec: SPEC }) },
  "POST /workbook": {
    statuses: ALL,
    body: () => ({ head: ["UF"], lines: [["SP"]], facts: [["Filtros", "SP"]] }),
  },
  "POST /accounts/lists": { statuses: ALL, body: (_, { cnpj }) => ({ cnpjs: [cnpj] }) },
  "GET /lists": { statuses: ALL },
  "POST /lists": { statuses: MADE, body: () => ({ name: "mine" }) },
  "GET /lists/{id}": { statuses: OWN },
  "POST /lists/{id}": { statuses: OWN, body: () => ({ name: "other" }) },
  "DELETE /lists/{id}": { statuses: OWN_GONE },
  "GET /lists/{id}/entries": { statuses: OWN },
  "POST /lists/{id}/entries": { statuses: OWN, body: (_, { cnpj }) => ({ cnpjs: [cnpj] }) },
  "POST /lists/{id}/entries/remove": {
    statuses: OWN,
    body: (_, { cnpj }) => ({ cnpjs: [cnpj] }),
  },
  "POST /lists/{id}/entries/from-search": { statuses: OWN, body: () => ({ spec: SPEC }) },
  "GET /searches": { statuses: ALL },
  "POST /searches": { statuses: MADE, body: () => ({ name: "mine", spec: SPEC }) },
  "GET /searches/{id}": { statuses: OWN },
  "POST /searches/{id}": { statuses: OWN, body: () => ({ name: "other" }) },
  "DELETE /searches/{id}": { statuses: OWN_GONE },
  "GET /searches/{id}/notices": { statuses: OWN },
  "POST /searches/{id}/notices": { statuses: OWN, body: () => ({ only_changes: true }) },
  "GET /notices": { statuses: ALL },
  "POST /notices/{id}/replay": { statuses: [404, 404, 404], body: () => ({}) },
  "GET /webhooks": { statuses: ALL },
  "POST /webhooks": { statuses: OWNERS_MADE, body: () => ({ url: "https://example.com/" }) },
  "POST /webhooks/{id}": { statuses: OWNERS_NONE, body: () => ({ enabled: false }) },
  "DELETE /webhooks/{id}": { statuses: OWNERS_NONE },
  "POST /webhooks/{id}/rotate": { statuses: OWNERS_NONE, body: () => ({}) },
  "POST /webhooks/{id}/test": { statuses: OWNERS_NONE, body: () => ({}) },
  "GET /emails": { statuses: ALL },
  "POST /emails": { statuses: OWNERS_MADE, body: () => ({ address: "ana@example.com" }) },
  "POST /emails/{id}": { statuses: OWNERS_NONE, body: () => ({ enabled: false }) },
  "DELETE /emails/{id}": { statuses: OWNERS_NONE },
  "POST /emails/{id}/test": { statuses: OWNERS_NONE, body: () => ({}) },
};

/** Routes that need no session. */
export const OPEN = [
  "GET /session",
  "POST /session",
  "POST /session/link",
  "POST /invitation",
  "POST /invitation/accept",
];

const BASE = "/v1/console";

/** Returns the server's routes below /v1/console, in the form of the table's keys. */
export function consoleRoutes({ table }: ConsoleServer): string[] {
  return table.routes
    .filter(({ path }) => path.startsWith(`${BASE}/`))
    .map(({ method, path }) => `${method} ${path.slice(BASE.length)}`);
}

/** Returns the request of an entry as a user would send it. */
export function requestFor(route: string, targets: Targets, sender: Person | null): SentRequest {
  const [method = "", template = ""] = route.split(" ");
  const [, kind = ""] = template.split("/");
  const ids: Readonly<Record<string, string>> = {
    keys: targets.key,
    members: template.endsWith("/invitation") ? targets.invited : targets.member,
    exports: targets.export,
    searches: targets.search,
    lists: targets.list,
    webhooks: "whk_none",
    emails: "eml_none",
    notices: "ntc_none",
  };
  made++;
  const { cnpj } = targets;
  const call = CONSOLE_CALLS[route];
  const filled = template
    .replace("{id}", ids[kind] ?? "")
    .replace("{cnpj}", cnpj)
    .replace("{root}", cnpj.slice(0, 8));
  const path = BASE + filled + (call?.query ?? "");
  const body = call?.body?.(sender, targets);
  const headers = { ...sender?.headers, "idempotency-key": `key-${made}` };
  return { method, path, headers, ...(body === undefined ? {} : { body }) };
}

/** Creates one object of each kind in an owner's tenant. */
export async function makeTargets(server: ConsoleServer, owner: Person): Promise<Targets> {
  const { keyring } = server.service;
  const { tenant, headers } = owner;
  const { keyId } = keyring.create({ tenant, plan: "scale", name: "target" });
  const member = await server.person(tenant, "member");
  const { tenantId } = owner;
  const input = { email: fresh(), tenantId, role: "member" } as const;
  const { user: invited } = server.service.users.invite(input);
  const post = async (path: string, body: unknown) => {
    made++;
    const sent = { ...headers, "idempotency-key": `target-${made}` };
    const got = await server.send({ method: "POST", path: BASE + path, headers: sent, body });
    assert.ok(got.status < 300, got.text);
    return JSON.parse(got.text);
  };
  const found = await post("/accounts/search", { spec: SPEC, limit: 1 });
  const exported = await post("/exports", EXPORT);
  const list = await post("/lists", { name: "target" });
  const saved = await post("/searches", { name: "target", spec: SPEC });
  return {
    key: keyId,
    member: member.id,
    invited: invited.id,
    export: exported.export.export_id,
    search: saved.search.id,
    list: list.list.id,
    cnpj: found.accounts[0].cnpj,
  };
}
