/**
 * Responses of an operation in the OpenAPI document. Input: an operation and whether it needs a
 * key. Output: its responses by status, each with headers, schema, and examples.
 * Invariant: every header is documented, and required if every answer of the status has it. The
 * codes of a status come from the error table.
 */
import { strict as assert } from "node:assert";
import { ERROR_CODES, type ErrorCode } from "../../errors.ts";
import type { Access, Operation, OperationAnswer } from "./operation.ts";

type Json = Readonly<Record<string, unknown>>;

/** Errors of any request with a key. */
const KEY_ERRORS: readonly ErrorCode[] = [
  "authentication_required",
  "authentication_invalid",
  "authentication_disabled",
  "rate_limited",
];

/** Errors of any request: repeated headers, unknown parameters, and internal errors. */
const ANY_ERRORS: readonly ErrorCode[] = [
  "invalid_request",
  "internal_error",
  "state_damaged",
  "storage_full",
  "storage_unavailable",
];

/** Errors that occur before the client is identified. */
const UNKNOWN_SENDER: readonly ErrorCode[] = KEY_ERRORS.filter((code) => code !== "rate_limited");

/** Descriptions of headers that every answer has. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  "X-Request-Id":
    "Id of the request; your own one is kept where it has 1 to 64 letters, digits, dots, hyphens " +
    "and underscores.",
  "X-Content-Type-Options": "nosniff.",
  "Cache-Control": "no-store, except for the documents of the server.",
  "Referrer-Policy": "no-referrer.",
  "Content-Security-Policy": "Nothing may be loaded by what is answered.",
};

/** Descriptions of all other headers. */
const HEADERS: Readonly<Record<string, string>> = {
  ETag: "Stands for the content; send it as If-None-Match.",
  Location: "Where it is.",
  Link: "The next page, with rel=next; where there is one.",
  "Idempotent-Replayed": "true when the key had brought the export about before.",
  "Retry-After": "Seconds to wait.",
  "RateLimit-Policy": "The limit of the key; where the key is known.",
  RateLimit: "What is left of it.",
  "Accept-Ranges": "bytes.",
  "Content-Range": "Which bytes these are, and how many there are.",
  "Content-Disposition": "Name of the file.",
  "WWW-Authenticate": "Bearer.",
};

/** Returns the headers of every answer as components. */
export function headerComponents(): Json {
  return Object.fromEntries(
    Object.entries(EVERYWHERE).map(([name, description]) => [
      name,
      { description, required: true, schema: { type: "string" } },
    ]),
  );
}

/** Returns every error code of an operation, each once. */
export function errorCodesOf(operation: Operation, access: Access): readonly ErrorCode[] {
  const known = access === "key" ? KEY_ERRORS : [];
  return [...new Set([...known, ...operation.errors, ...ANY_ERRORS])];
}

/** Returns the responses of an operation by status. */
export function responsesOf(operation: Operation): Json {
  const { access } = operation;
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(operation, access)) {
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
    ...bad.map(([status, codes]) => [String(status), problemObject(status, codes, access)]),
  ]);
}

function answerObject(answer: OperationAnswer, access: Access): Json {
  const { description, headers = [], sometimes } = answer;
  const types = answer.schema === null ? answer.types : ["application/json"];
  const limits = access === "key" ? ["RateLimit-Policy", "RateLimit"] : [];
  const files = answer.schema === null ? [] : (answer.orTypes ?? []);
  const content = Object.fromEntries([
    ...types.map((type) => [type, contentObject(answer)]),
    ...files.map((type) => [type, { schema: {} }]),
  ]);
  return {
    description,
    headers: headerObjects([...limits, ...headers], sometimes),
    ...(types.length === 0 ? {} : { content }),
  };
}

/** Returns the content of an answer. A file has no schema, because it may hold any bytes. */
function contentObject(answer: OperationAnswer): Json {
  if (answer.schema === null) return { schema: {} };
  const schema = { $ref: `#/components/schemas/${answer.schema}` };
  // The conversion drops undefined members, as JSON does in real answers.
  return { schema, example: JSON.parse(JSON.stringify(answer.example())) };
}

function problemObject(status: number, codes: readonly ErrorCode[], access: Access): Json {
  const known = access === "key" && codes.some((code) => !UNKNOWN_SENDER.includes(code));
  const limits = known ? ["RateLimit-Policy", "RateLimit"] : [];
  const lines = codes.map((code) => `- \`${code}\`: ${ERROR_CODES[code].title}.`);
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  const schema = {
    allOf: [{ $ref: "#/components/schemas/Problem" }],
    properties: { code: { enum: codes } },
  };
  return {
    description: lines.join("\n"),
    headers: headerObjects(HEADERS_OF[status] ?? [], [...(SOMETIMES_OF[status] ?? []), ...limits]),
    content: {
      "application/problem+json": { schema, examples: Object.fromEntries(examples) },
    },
  };
}

/** Extra headers, by status, that only error responses carry. */
const HEADERS_OF: Readonly<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  416: ["Accept-Ranges", "Content-Range"],
  429: ["Retry-After"],
  503: ["Retry-After"],
  507: ["Retry-After"],
};
const SOMETIMES_OF: Readonly<Record<number, readonly string[]>> = { 409: ["Retry-After"] };

/**
 * Returns header objects. Headers of all answers and those in `always` are required. Those in
 * `sometimes` are optional.
 */
function headerObjects(always: readonly string[], sometimes: readonly string[] = []): Json {
  const shared = Object.keys(EVERYWHERE).map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]);
  const own = [...always, ...sometimes].map((name) => {
    const description = HEADERS[name];
    assert(description !== undefined, `the header ${name} is not described`);
    return [name, { description, required: always.includes(name), schema: { type: "string" } }];
  });
  return Object.fromEntries([...shared, ...own]);
}
