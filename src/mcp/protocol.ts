/**
 * JSON-RPC 2.0 in the Model Context Protocol. Input: a parsed value. Output: a request,
 * notification, or response; any other value is an error.
 * Invariant: this file does not depend on tools or transports, and accepts only conforming
 * messages.
 */
import { isJsonObject, type JsonObject, shown } from "../spec/reader.ts";

/** Supported protocol versions, newest first. */
export const PROTOCOL_VERSIONS = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
] as const;

/** Newest protocol version without a version header, assumed if a client sends none. */
export const VERSION_DEFAULT = "2025-03-26";

/** Versions with batches; later versions removed them. */
const BATCHED: readonly string[] = ["2025-03-26", "2024-11-05", "2024-10-07"];

const BATCH_MAX = 20;

/** Error codes of JSON-RPC, and `refused`, which this server adds. */
export const RPC_CODES = {
  unreadable: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  /**
   * The server cannot answer now, or may not answer this client. `data` is the problem document.
   */
  refused: -32000,
} as const;

/** Id of a request; null in answers if no id could be read. */
type RpcId = string | number | null;

/** An answer. */
export type RpcAnswer = { readonly jsonrpc: "2.0"; readonly id: RpcId } & (
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
);

/** A received message. */
export type RpcMessage =
  | {
      readonly kind: "request";
      readonly id: string | number;
      readonly method: string;
      readonly params: JsonObject;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "response" };

/** Mistake in a message or in its request. */
export class RpcError extends Error {
  readonly code: number;
  readonly id: RpcId;

  constructor(code: number, message: string, id: RpcId = null) {
    super(message);
    this.code = code;
    this.id = id;
  }
}

const REQUEST_MEMBERS = ["jsonrpc", "id", "method", "params"];
const RESPONSE_MEMBERS = ["jsonrpc", "id", "result", "error"];

/** True if a protocol version is supported. */
export function isSupportedVersion(
  version: unknown,
): version is (typeof PROTOCOL_VERSIONS)[number] {
  return PROTOCOL_VERSIONS.some((known) => known === version);
}

function allowsBatches(version: string): boolean {
  return BATCHED.includes(version);
}

/** Parses a message. @throws RpcError (invalid request) if it is invalid. */
export function readMessage(value: unknown): RpcMessage {
  if (!isJsonObject(value)) throw invalid(`A message must be an object, not ${shown(value)}.`);
  const { jsonrpc, id, method, params } = value;
  const known: RpcId = isId(id) ? id : null;
  if (jsonrpc !== "2.0") throw invalid(`jsonrpc must be "2.0", not ${shown(jsonrpc)}.`, known);
  if (id !== undefined && !isId(id)) {
    throw invalid(`id must be a string or a number, not ${shown(id)}.`);
  }
  const isResponse = method === undefined && ("result" in value || "error" in value);
  const members = isResponse ? RESPONSE_MEMBERS : REQUEST_MEMBERS;
  const other = Object.keys(value).find((name) => !members.includes(name));
  if (other !== undefined) throw invalid(`A message has no member ${shown(other)}.`, known);
  if (isResponse) return { kind: "response" };
  if (typeof method !== "string") {
    throw invalid(`method must be a string, not ${shown(method)}.`, known);
  }
  if (params !== undefined && !isJsonObject(params)) {
    throw invalid(`params must be an object, not ${shown(params)}.`, known);
  }
  const request = { method, params: params ?? {} };
  return id === undefined
    ? { kind: "notification", ...request }
    : { kind: "request", id, ...request };
}

/** Returns the unparsed messages of a batch. @throws RpcError if the batch is refused. */
export function readBatch(values: readonly unknown[], version: string): readonly unknown[] {
  if (!allowsBatches(version)) {
    throw invalid(`Version ${version} of the protocol has no batches; send one message at a time.`);
  }
  if (values.length === 0) throw invalid("A batch needs at least one message.");
  if (values.length > BATCH_MAX) throw invalid(`A batch has at most ${BATCH_MAX} messages.`);
  return values;
}

/** Returns the answer for an error. */
export function errorAnswer({ code, message, id }: RpcError): RpcAnswer {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" || (typeof id === "number" && Number.isFinite(id));
}

function invalid(message: string, id: RpcId = null): RpcError {
  return new RpcError(RPC_CODES.invalidRequest, message, id);
}
