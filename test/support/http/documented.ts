/**
 * Checks answers against the OpenAPI document. A failure names the undocumented part.
 * Invariant: the check is as strict as the document allows. The status must be listed, and every
 * required header must be present. Headers that are not listed are errors. The media type and the
 * JSON body must fit. Rules that the document only describes in words (unknown paths, other
 * methods, HEAD) are checked too.
 */
import assert from "node:assert/strict";
import { Compile } from "typebox/schema";
import { PUBLIC_TABLE, ROUTES } from "../../../src/http/api/routes.ts";
import { publicDocument } from "../../../src/http/api/service/documents.ts";

/** One answer and its request. Names of headers are in lower case. */
export interface SeenAnswer {
  readonly method: string;
  /** The requested address, with or without its query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /**
   * The `Accept` header of the request. Browsers receive a page for an unknown path
   * (`src/http/server/notfoundpage.ts`).
   */
  readonly accept?: string | undefined;
}

interface HeaderObject {
  readonly required?: boolean;
  readonly $ref?: string;
}

interface ResponseObject {
  readonly headers: Readonly<Record<string, HeaderObject>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface OperationObject {
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: object } };
  };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** The document in the form in which this file reads it. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: object & { readonly headers: Readonly<Record<string, HeaderObject>> };
}

/**
 * The document of the tests' servers. It is converted to JSON and parsed again, so that it contains
 * only the members that a server sends.
 */
export const DOCUMENT = JSON.parse(
  JSON.stringify(publicDocument(ROUTES, "0.0.0-test")),
) as Document;

/**
 * The path of a CNPJ that is written with a slash, which makes two path segments. It maps to the
 * documented path.
 */
export const ALIASES: Readonly<Record<string, string>> = {
  "/v1/accounts/{cnpj}/{branch}": "/v1/accounts/{cnpj}",
};

/** Pages for people, which are no operations of the API. */
export const PAGES = [
  "/unsubscribe/{token}",
  "/",
  "/openapi.json",
  "/docs",
  "/docs/",
  "/docs/errors",
  "/llms.txt",
  "/.well-known/security.txt",
];
const PAGE_STATUSES = [200, 302, 304, 308, 404, 422];
/** Additional statuses of the form on a page, if the sent form is too large or compressed. */
const SENT_STATUSES = [413, 415];

/** Headers of HTTP itself (connection and body), which the document does not list. */
const HTTP_HEADERS = [
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
];
const EVERYWHERE = Object.keys(DOCUMENT.components.headers).map((name) => name.toLowerCase());
const LIMITS = ["ratelimit", "ratelimit-policy"];

/** Possible statuses, by error code, for a path or a method that the document does not list. */
const UNLISTED: Readonly<Record<string, number>> = {
  not_found: 404,
  method_not_allowed: 405,
  authentication_required: 401,
  authentication_invalid: 403,
  authentication_disabled: 403,
  invalid_request: 422,
  rate_limited: 429,
};
const UNLISTED_HEADERS = ["allow", "www-authenticate", "retry-after", ...LIMITS];

const PROBLEM = "application/problem+json";
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
const KEY = /pnr_[0-9a-f]{4}/;

/** Mismatches, with places. */
interface SchemaError {
  readonly instancePath: string;
  readonly message: string;
}

/** The validator of a schema, without the inferred type. */
interface SchemaCheck {
  Check(value: unknown): boolean;
  Errors(value: unknown): [boolean, readonly SchemaError[]];
}

/**
 * The schemas of the document are known only at run time, and inferring types for them would cost
 * the compiler seconds.
 */
const compileSchema = Compile as unknown as (schema: object) => SchemaCheck;

const validators = new Map<string, SchemaCheck>();

function validatorOf(name: string, schema: object): SchemaCheck {
  const known = validators.get(name);
  if (known !== undefined) return known;
  const made = compileSchema({ components: DOCUMENT.components, ...schema });
  validators.set(name, made);
  return made;
}

/** Fails unless an answer matches the document. */
export function assertDocumented(seen: SeenAnswer): void {
  const { method, path, status } = seen;
  const found = PUBLIC_TABLE.at(path.replace(/\?.*$/s, ""));
  const route = ALIASES[found?.path ?? ""] ?? found?.path ?? "unknown";
  try {
    if (isLostPage(seen)) return;
    checkEveryAnswer(seen);
    if (found === undefined || !found.methods.has(method)) checkUnlisted(seen);
    else if (PAGES.includes(route)) {
      const statuses = method === "POST" ? [...PAGE_STATUSES, ...SENT_STATUSES] : PAGE_STATUSES;
      assert.ok(statuses.includes(status), "status");
    } else checkListed(seen, route);
  } catch (error) {
    const { message } = error as Error;
    const sent = `${method} ${path.slice(0, 200)} (${route})`;
    const text = `${JSON.stringify(seen.headers)}\n${seen.body.slice(0, 2_000)}`;
    throw new Error(`not as documented: ${message}\n${sent}\n${status} ${text}`);
  }
}

/** True if a JSON body fits the schema of its route, or if the route has no body. */
export function fitsRequest(method: string, route: string, body: unknown): boolean {
  const { requestBody } = DOCUMENT.paths[route]?.[method.toLowerCase()] ?? {};
  if (requestBody === undefined) return true;
  const { schema } = requestBody.content["application/json"];
  return validatorOf(`${method} ${route}`, schema).Check(body);
}

/** True if the document lists a file type for a route. */
export function takesFile(method: string, route: string, type: string): boolean {
  const { requestBody } = DOCUMENT.paths[route]?.[method.toLowerCase()] ?? {};
  return requestBody !== undefined && type in requestBody.content;
}

/** True for the HTML page of an unknown path, which only clients that accept HTML receive. */
function isLostPage({ method, path, status, headers, body, accept = "" }: SeenAnswer): boolean {
  const isPage = status === 404 && (headers["content-type"] ?? "").startsWith("text/html");
  if (!isPage || routeOf(path) !== undefined || !/text\/html/i.test(accept)) return false;
  for (const name of EVERYWHERE) assert.ok(headers[name], `the header ${name} is missing`);
  assert.equal(headers.vary, "Accept");
  assert.ok(headers["content-security-policy"]?.startsWith("default-src 'none'"), "the policy");
  if (method !== "HEAD") assert.match(body, /não existe[\s\S]*does not exist/);
  return true;
}

function checkEveryAnswer({ method, path, status, headers, body }: SeenAnswer): void {
  for (const name of EVERYWHERE) assert.ok(headers[name], `the header ${name} is missing`);
  assert.match(headers["x-request-id"] ?? "", REQUEST_ID);
  assert.ok(!KEY.test(body) && !KEY.test(Object.values(headers).join()), "a key is in the answer");
  if (method === "HEAD" || status === 304 || status === 204) assert.equal(body, "");
  if (status < 400 || method === "HEAD") return;
  // An invalid message in the agents' protocol (MCP) is answered with an error of that protocol.
  if (status === 400 && routeOf(path) === "/mcp") return;
  assert.equal(headers["content-type"], PROBLEM);
  const problem = JSON.parse(body) as Record<string, unknown>;
  assert.equal(problem.status, status, "the status of the problem");
  assert.equal(problem.type, `/docs/errors#${problem.code}`);
  assert.equal(problem.request_id, headers["x-request-id"]);
}

function routeOf(path: string): string | undefined {
  return PUBLIC_TABLE.at(path.replace(/\?.*$/s, ""))?.path;
}

function checkUnlisted({ method, status, headers, body }: SeenAnswer): void {
  checkHeaders(headers, UNLISTED_HEADERS);
  // The answer to OPTIONS has no body. It names the path's allowed methods in the header Allow, as
  // an answer with status 405 also does.
  const isOptions = method === "OPTIONS" && status === 204;
  assert.equal("allow" in headers, isOptions || status === 405, "the header Allow");
  if (isOptions) {
    assert.equal(body, "");
    return;
  }
  assert.equal("retry-after" in headers, status === 429, "the header Retry-After");
  assert.ok(Object.values(UNLISTED).includes(status), "status");
  if (method === "HEAD") return;
  assert.equal(UNLISTED[(JSON.parse(body) as { readonly code: string }).code], status, "code");
}

function checkListed({ method, status, headers, body }: SeenAnswer, route: string): void {
  const verb = method === "HEAD" ? "get" : method.toLowerCase();
  const response = DOCUMENT.paths[route]?.[verb]?.responses[String(status)];
  assert.ok(response !== undefined, "status");
  checkDocumentedHeaders(headers, response);
  const { content } = response;
  const [type] = (headers["content-type"] ?? "").split(";");
  if (content === undefined) {
    assert.deepEqual([type, body], ["", ""], "content where none is documented");
    return;
  }
  const { schema } = content[type ?? ""] ?? assert.fail(`the media type ${type}`);
  if (method === "HEAD" || !/json$/.test(type ?? "")) return;
  const value: unknown = JSON.parse(body);
  const validator = validatorOf(`${verb} ${route} ${status}`, schema);
  if (validator.Check(value)) return;
  const [, errors] = validator.Errors(value);
  assert.fail(errors.map((one) => `${one.instancePath} ${one.message}`).join("; "));
}

function checkDocumentedHeaders(
  headers: SeenAnswer["headers"],
  { headers: documented }: ResponseObject,
): void {
  const names = Object.entries(documented).map(([name, object]) => {
    const lower = name.toLowerCase();
    const { required } = object.$ref === undefined ? object : { required: true };
    if (required) assert.ok(headers[lower], `the header ${name} is missing`);
    return lower;
  });
  checkHeaders(headers, names);
}

function checkHeaders(headers: SeenAnswer["headers"], documented: readonly string[]): void {
  const known = [...HTTP_HEADERS, ...EVERYWHERE, ...documented];
  const others = Object.keys(headers).filter((name) => !known.includes(name));
  assert.deepEqual(others, [], "headers that are not documented");
}

/** Checks the answer of a fetch against the document. Its body can still be read. */
export async function documented(method: string, url: string, answer: Response): Promise<Response> {
  const { pathname, search } = new URL(url);
  const headers = Object.fromEntries(answer.headers);
  const body = await answer.clone().text();
  assertDocumented({ method, path: pathname + search, status: answer.status, headers, body });
  return answer;
}

/** Fetches and checks the answer against the document. */
export async function fetchDocumented(url: string, init: RequestInit = {}): Promise<Response> {
  return documented(init.method ?? "GET", url, await fetch(url, init));
}
