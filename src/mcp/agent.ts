/**
 * Answers agents over any connection. Input: one message and its sender. Output: its answer, if
 * needed.
 * Invariant: never throws. A mistake in a tool's arguments is a result that the model can read and
 * correct; a protocol mistake is a JSON-RPC error; an unavoidable failure is returned as a refusal.
 */
import { AppError } from "../errors.ts";
import { isJsonObject, type JsonObject, shown } from "../spec/reader.ts";
import { failureText } from "./mistakes.ts";
import {
  errorAnswer,
  isSupportedVersion,
  PROTOCOL_VERSIONS,
  RPC_CODES,
  type RpcAnswer,
  RpcError,
  type RpcMessage,
  readMessage,
} from "./protocol.ts";
import { INSTRUCTIONS, type Tool } from "./tool.ts";

/** An answer, with data for the transport that sends it. */
export interface AgentReply {
  /** Null for notifications and responses. */
  readonly answer: RpcAnswer | null;
  /** Number of accounts in the answer, for usage counts. */
  readonly accounts: number;
  /** The failure that prevented an answer (a refusal or an internal error), if any. */
  readonly failure: unknown;
}

type Request = Extract<RpcMessage, { kind: "request" }>;

/** Result of a parsed request. */
type Outcome = { readonly result: JsonObject; readonly accounts?: number };

/** Answers messages with a set of tools. */
export class Agent<Context> {
  readonly #tools: ReadonlyMap<string, Tool<Context>>;
  readonly #version: string;

  constructor(tools: readonly Tool<Context>[], version: string) {
    this.#tools = new Map(tools.map((tool) => [tool.definition.name, tool]));
    this.#version = version;
  }

  /** Answers one value. The value need not be a valid message. */
  async answer(value: unknown, context: Context): Promise<AgentReply> {
    let id: string | number | null = null;
    try {
      const message = readMessage(value);
      if (message.kind !== "request") return reply(null);
      id = message.id;
      const { result, accounts = 0 } = await this.#carryOut(message, context);
      return reply({ jsonrpc: "2.0", id, result }, accounts);
    } catch (error) {
      if (error instanceof RpcError) {
        return reply(errorAnswer(new RpcError(error.code, error.message, id ?? error.id)));
      }
      return { answer: refusal(error, id), accounts: 0, failure: error };
    }
  }

  #carryOut({ method, params }: Request, context: Context): Outcome | Promise<Outcome> {
    switch (method) {
      case "initialize":
        return { result: this.#introduction(params) };
      case "ping":
        return { result: {} };
      case "tools/list":
        return { result: this.#list(params) };
      case "tools/call":
        return this.#call(params, context);
      default:
        throw new RpcError(RPC_CODES.unknownMethod, `There is no method ${shown(method)}.`);
    }
  }

  /** Returns the client's protocol version if it is supported, else the newest. */
  #introduction({ protocolVersion: wanted }: JsonObject): JsonObject {
    if (typeof wanted !== "string") {
      const detail = `protocolVersion must be a string, not ${shown(wanted)}.`;
      throw new RpcError(RPC_CODES.invalidParams, detail);
    }
    return {
      protocolVersion: isSupportedVersion(wanted) ? wanted : PROTOCOL_VERSIONS[0],
      capabilities: { tools: { listChanged: false } },
      serverInfo: { name: "peneira", title: "Peneira", version: this.#version },
      instructions: INSTRUCTIONS,
    };
  }

  #list({ cursor }: JsonObject): JsonObject {
    if (cursor !== undefined) {
      const detail = "All tools are in one answer; leave the cursor out.";
      throw new RpcError(RPC_CODES.invalidParams, detail);
    }
    return { tools: [...this.#tools.values()].map(({ definition }) => definition) };
  }

  async #call({ name, arguments: sent = {} }: JsonObject, context: Context): Promise<Outcome> {
    const tool = typeof name === "string" ? this.#tools.get(name) : undefined;
    if (tool === undefined) {
      const known = [...this.#tools.keys()].join(", ");
      const detail = `There is no tool ${shown(name)}; there are ${known}.`;
      throw new RpcError(RPC_CODES.invalidParams, detail);
    }
    if (!isJsonObject(sent)) {
      const detail = `arguments must be an object, not ${shown(sent)}.`;
      throw new RpcError(RPC_CODES.invalidParams, detail);
    }
    try {
      const { text, structured, accounts } = await tool.run(sent, context);
      const content = [{ type: "text", text }];
      return { result: { content, structuredContent: structured }, accounts };
    } catch (error) {
      if (!(error instanceof AppError) || !isFixable(error)) throw error;
      const content = [{ type: "text", text: failureText(error) }];
      return { result: { content, isError: true } };
    }
  }
}

/** True if another call could succeed. False if the same call may succeed later. */
function isFixable({ code, status }: AppError): boolean {
  return [404, 409, 410, 422].includes(status) || code === "quota_exceeded";
}

function reply(answer: RpcAnswer | null, accounts = 0): AgentReply {
  return { answer, accounts, failure: null };
}

/** Returns a failure as a JSON-RPC error; details of unknown errors are hidden. */
function refusal(error: unknown, id: string | number | null): RpcAnswer {
  if (error instanceof AppError && error.code !== "internal_error") {
    const { code, message, headers } = error;
    const wait = headers["Retry-After"];
    const data = { code, ...(wait === undefined ? {} : { retry_after_seconds: Number(wait) }) };
    return { jsonrpc: "2.0", id, error: { code: RPC_CODES.refused, message, data } };
  }
  const message = "The server failed; this is a mistake of ours.";
  return { jsonrpc: "2.0", id, error: { code: RPC_CODES.internal, message } };
}
