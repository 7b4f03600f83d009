/**
 * Builds the OpenAPI 3.1 document from the server's operations, schemas, and version.
 * Invariant: operations are the rows of the server's route table, so the document matches the
 * server. The same rows always produce the same bytes.
 */

import type { TSchema } from "typebox";
import { errorCodesOf, headerComponents, responsesOf } from "./answers.ts";
import { problemExample } from "./error-notes.ts";
import type { Operation } from "./operation.ts";

type Json = Readonly<Record<string, unknown>>;

const DESCRIPTION = `Exact search over the registry of all Brazilian companies, and exports of it.

Every answer states the snapshot it comes from. Every error is a problem document (RFC 9457) with a
stable code, and lists every mistake of the request. Nothing is dropped, clamped, or guessed
silently.

For every route: a path that is not listed is answered \`404\` \`not_found\` (below \`/v1/\`
only to known keys), another method \`405\` \`method_not_allowed\` with \`Allow\`, and \`HEAD\` is
answered as \`GET\` is, without the body. Unknown query parameters, and a repeated
\`Authorization\`, \`Content-Type\`, or another decisive header, are \`422\` \`invalid_request\`.
\`errors\` names the place of each mistake: a pointer into the body, or \`/query/<parameter>\`,
\`/path/<variable>\`, \`/header/<name>\` for mistakes outside of it. \`/\` redirects to \`/docs\`.

A malformed HTTP/1.1 request never reaches an operation: \`400\` (unreadable), \`408\` (not sent in
time), \`431\` (head too large), \`505\` (another version), and the connection is closed. The
document of such an answer has the type \`about:blank\` and no \`code\`. If the parser of
uWebSockets.js refuses a request, the answer has one line of HTML instead, and no \`X-Request-Id\`.
The two transports differ in some cases. A repeated \`Host\` is \`400\` with \`uws\` and \`422\`
with \`node\`. A repeated \`Content-Length\` and an invalid method are \`422\` and \`400\`. A path
with bytes that should be percent-encoded is \`404\` and \`400\`. A target in absolute form is read
by \`node\`, and is \`505\` with \`uws\`; proxies turn it into a path. With \`uws\` the answer to a
body in chunks ends the connection. \`OPTIONS\` at a known path is \`204\` with \`Allow\`, and needs
no key.`;

const TAGS = [
  { name: "accounts", description: "Search, count, read; leads." },
  { name: "changes", description: "Accounts that entered, left, or changed between snapshots." },
  { name: "exports", description: "All rows of an answer as a file." },
  { name: "lists", description: "Sets of accounts and companies of your own." },
  { name: "notices", description: "Saved searches, and what is new, delivered." },
  { name: "spec", description: "Checks and normal forms of filters." },
  { name: "service", description: "State of the server." },
];

/** Builds the document. */
export function openApiDocument(
  operations: readonly Operation[],
  schemas: Readonly<Record<string, TSchema>>,
  { version, webhooks }: { readonly version: string; readonly webhooks: Json },
): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const methods = paths[operation.path] ?? {};
    paths[operation.path] = methods;
    methods[operation.method.toLowerCase()] = operationObject(operation);
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
    webhooks,
    components: {
      schemas,
      headers: headerComponents(),
      examples: errorExamples(operations),
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "An API key, pnr_…" },
      },
    },
  };
}

function operationObject(operation: Operation): Json {
  const { id, tag, summary, description, access, parameters, body } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(access === "open" ? { security: [] } : {}),
    ...(parameters === undefined ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: bodyObject(body) }),
    responses: responsesOf(operation),
  };
}

function bodyObject({ schema, example, orTypes = {} }: NonNullable<Operation["body"]>): Json {
  const json =
    schema === null
      ? {}
      : { "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, example } };
  const others = Object.entries(orTypes).map(([type, is]) => {
    const format = is === "bytes" ? { format: "binary" } : {};
    return [type, { schema: { type: "string", ...format } }];
  });
  const content = { ...json, ...Object.fromEntries(others) };
  return { required: true, content };
}

function errorExamples(operations: readonly Operation[]): Json {
  const codes = operations.flatMap((operation) => errorCodesOf(operation, operation.access));
  return Object.fromEntries(
    [...new Set(codes)].sort().map((code) => [code, { value: problemExample(code) }]),
  );
}
