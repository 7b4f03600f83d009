/**
 * The OpenAPI 3.1 document. What comes in: the routes of the server and its version. What goes
 * out: a document with every operation, code, header and example.
 * Invariant: it is made from the table of routes, the operations and the schemas that the tests
 * hold answers against, so that it cannot say what the server does not do; the same routes give
 * the same document, byte for byte.
 */
import { strict as assert } from "node:assert";
import { ERROR_CODES, type ErrorCode } from "../errors.ts";
import { OPERATIONS, type Operation, type OperationAnswer } from "./operations.ts";
import { SCHEMAS } from "./schemas.ts";

/** What the document needs to know of a route. */
export interface DocumentedRoute {
  readonly method: string;
  readonly path: string;
  readonly access: "key" | "open";
}

type Json = Readonly<Record<string, unknown>>;

/** Errors that any request with a key can be answered with. */
const KEY_ERRORS: readonly ErrorCode[] = [
  "authentication_required",
  "authentication_invalid",
  "authentication_disabled",
  "rate_limited",
];

/** What headers mean, wherever they stand. */
const HEADERS: Readonly<Record<string, string>> = {
  "X-Request-Id": "Id of the request; your own one is kept.",
  ETag: "Stands for the content; send it as If-None-Match.",
  Location: "Where it is.",
  Link: "The next page, with rel=next.",
  "Idempotent-Replayed": "true when the key had brought the export about before.",
  "Retry-After": "Seconds to wait.",
  "RateLimit-Policy": "The limit of the key.",
  RateLimit: "What is left of it.",
  "Accept-Ranges": "bytes.",
  "Content-Range": "Which bytes these are.",
  "Content-Disposition": "Name of the file.",
  "WWW-Authenticate": "Bearer.",
  Allow: "Methods of the path.",
};

const DESCRIPTION = `Exact search over the registry of all Brazilian companies, and exports of it.

Every answer states the snapshot it comes from. Every error is a problem document (RFC 9457) with a
stable code, and lists every mistake of the request. Nothing is dropped, clamped or guessed in
silence.`;

const TAGS = [
  { name: "accounts", description: "Search, count, read." },
  { name: "exports", description: "All rows of an answer as a file." },
  { name: "spec", description: "Filters, checked and put into their normal form." },
  { name: "service", description: "State of the server." },
];

/** Makes the document. */
export function openApiDocument(routes: readonly DocumentedRoute[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const operation = OPERATIONS[`${route.method} ${route.path}`];
    assert(operation !== undefined, `${route.method} ${route.path} is not documented`);
    paths[route.path] ??= {};
    (paths[route.path] as Record<string, Json>)[route.method.toLowerCase()] = operationObject(
      operation,
      route.access,
    );
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Peneira",
      version,
      description: DESCRIPTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "This server." }],
    security: [{ key: [] }],
    tags: TAGS,
    paths,
    components: {
      schemas: SCHEMAS,
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "An API key, pnr_…" },
      },
    },
  };
}

function operationObject(operation: Operation, access: DocumentedRoute["access"]): Json {
  const { id, tag, summary, description, parameters, body } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(access === "open" ? { security: [] } : {}),
    ...(parameters === undefined ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: bodyObject(body) }),
    responses: responses(operation, access),
  };
}

function bodyObject({ schema, example }: NonNullable<Operation["body"]>): Json {
  return {
    required: true,
    content: { "application/json": { schema: reference(schema), example } },
  };
}

function responses(operation: Operation, access: DocumentedRoute["access"]): Json {
  const codes = [
    ...(access === "key" ? KEY_ERRORS : []),
    ...operation.errors,
    "internal_error" as const,
  ];
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const good = Object.entries(operation.answers).map(([status, answer]) => [
    status,
    answerObject(answer, access),
  ]);
  const bad = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries([
    ...good,
    ...bad.map(([status, names]) => [String(status), problemObject(status, names)]),
  ]);
}

function answerObject(answer: OperationAnswer, access: DocumentedRoute["access"]): Json {
  const { description, schema, type = "application/json", headers = [] } = answer;
  const limits = access === "key" ? ["RateLimit-Policy", "RateLimit"] : [];
  return {
    description,
    headers: headerObjects(["X-Request-Id", ...limits, ...headers]),
    ...(type === null ? {} : { content: { [type]: contentObject(schema) } }),
  };
}

/** A file has no schema: any bytes. */
function contentObject(schema: OperationAnswer["schema"]): Json {
  return schema === null ? { schema: {} } : { schema: reference(schema) };
}

function problemObject(status: number, codes: readonly ErrorCode[]): Json {
  const waits = status === 429 || status === 503 ? ["Retry-After"] : [];
  const asks = status === 401 ? ["WWW-Authenticate"] : [];
  const lines = codes.map((code) => `- \`${code}\`: ${ERROR_CODES[code].title}.`);
  return {
    description: lines.join("\n"),
    headers: headerObjects(["X-Request-Id", ...waits, ...asks]),
    content: { "application/problem+json": { schema: reference("Problem") } },
  };
}

function headerObjects(names: readonly string[]): Json {
  return Object.fromEntries(
    names.map((name) => {
      const description = HEADERS[name];
      assert(description !== undefined, `the header ${name} is not described`);
      return [name, { description, schema: { type: "string" } }];
    }),
  );
}

function reference(name: keyof typeof SCHEMAS): Json {
  return { $ref: `#/components/schemas/${name}` };
}
