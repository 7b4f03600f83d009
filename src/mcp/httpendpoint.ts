/**
 * `POST /mcp`: agents over HTTP. Input: one protocol message or several, with an API key. Output:
 * the answer as JSON, or 202 if there is none.
 * Invariant: stateless between requests, so any server with the same state answers the next one.
 * Authentication and limits are those of every other route; refusals that the protocol cannot
 * express (limits, no snapshot) are problem documents, as in those routes.
 */
import { AppError } from "../errors.ts";
import { TimeSlices } from "../http/server/background-tasks.ts";
import { type HttpAnswer, JSON_TYPE } from "../http/server/respond.ts";
import type { KeyCall, ServicePart } from "../http/server/service.ts";
import { isJsonObject, parseJson, shown } from "../spec/reader.ts";
import { Agent, type AgentReply } from "./agent.ts";
import { COUNT_TOOL } from "./count.ts";
import { DISTRICTS_TOOL } from "./districts.ts";
import { ACCOUNT_TOOL, FIND_TOOL } from "./find.ts";
import { SERVER_LOOK_UP_TOOL } from "./lookup.ts";
import { NEWS_TOOL } from "./news.ts";
import {
  errorAnswer,
  isSupportedVersion,
  PROTOCOL_VERSIONS,
  RPC_CODES,
  RpcError,
  readBatch,
  VERSION_DEFAULT,
} from "./protocol.ts";
import { SEARCH_TOOL } from "./search.ts";
import { SERVER_EXPORT_TOOL } from "./serverexport.ts";
import { TRANSLATE_TOOL } from "./translate.ts";

/** Tools for every agent over any connection. */
export const READING_TOOLS = [
  TRANSLATE_TOOL,
  COUNT_TOOL,
  SEARCH_TOOL,
  DISTRICTS_TOOL,
  FIND_TOOL,
  ACCOUNT_TOOL,
] as const;

/** Returns the route's handler; `version` is the product's. */
export function agentEndpoint(
  version: string,
): (call: KeyCall<ServicePart>) => Promise<HttpAnswer> {
  const agent = new Agent<KeyCall<ServicePart>>(
    [...READING_TOOLS, SERVER_LOOK_UP_TOOL, NEWS_TOOL, SERVER_EXPORT_TOOL],
    version,
  );
  return async (call) => {
    refusePages(call);
    try {
      const value = readBody(call.body);
      const spoken = versionOf(call, value);
      if (!Array.isArray(value)) return answered(await agent.answer(value, call));
      return await answerBatch(agent, call, readBatch(value, spoken));
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return { status: 400, type: JSON_TYPE, body: JSON.stringify(errorAnswer(error)) };
    }
  };
}

/** Returns the answer to a message: status 400 if it is invalid, a refusal as a problem. */
function answered({ answer, accounts, failure }: AgentReply): HttpAnswer {
  if (failure !== null) throw failure;
  if (answer === null) return { status: 202, type: "", body: "" };
  const wrong = "error" in answer && answer.error.code === RPC_CODES.invalidRequest;
  return { status: wrong ? 400 : 200, type: JSON_TYPE, body: JSON.stringify(answer), accounts };
}

/** Answers a batch at the cost of its single messages. A refusal affects only its message. */
async function answerBatch(
  agent: Agent<KeyCall<ServicePart>>,
  call: KeyCall<ServicePart>,
  messages: readonly unknown[],
): Promise<HttpAnswer> {
  call.spend(messages.length);
  const answers: unknown[] = [];
  let accounts = 0;
  const turns = new TimeSlices();
  for (const message of messages) {
    // Lets other requests run before each message, because a message may take as long as a request.
    await turns.taken();
    const reply = await agent.answer(message, call);
    if (reply.failure !== null && !(reply.failure instanceof AppError)) throw reply.failure;
    if (reply.answer !== null) answers.push(reply.answer);
    accounts += reply.accounts;
  }
  if (answers.length === 0) return { status: 202, type: "", body: "" };
  return { status: 200, type: JSON_TYPE, body: JSON.stringify(answers), accounts };
}

function readBody(body: Uint8Array): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new RpcError(RPC_CODES.unreadable, error.message);
  }
}

/** Returns the version in the header, which `initialize` lacks: it only negotiates one. */
function versionOf(call: KeyCall, value: unknown): string {
  const version = call.header("mcp-protocol-version") ?? VERSION_DEFAULT;
  if (isSupportedVersion(version)) return version;
  if (isJsonObject(value) && value.method === "initialize") return PROTOCOL_VERSIONS[0];
  const detail =
    `The header MCP-Protocol-Version must be one of ${PROTOCOL_VERSIONS.join(", ")}, not ` +
    `${shown(version)}.`;
  throw new RpcError(RPC_CODES.invalidRequest, detail);
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/**
 * Throws `origin_not_allowed` for requests from pages of foreign sites. After DNS rebinding, such a
 * page has the same host as the request. A page of the same host is therefore trusted only over
 * HTTPS and under names of this machine, where rebinding is impossible. Pages in
 * `http.cors_origins` are also trusted.
 */
function refusePages(call: KeyCall<"cors">): void {
  const origin = call.header("origin");
  if (origin === undefined || call.service.cors?.allows(origin) === true) return;
  const [, scheme, host] = /^(https?):\/\/([^/?#@\s]+)$/i.exec(origin) ?? [];
  const own = host !== undefined && host.toLowerCase() === call.header("host")?.toLowerCase();
  if (own && (scheme?.toLowerCase() === "https" || LOOPBACK.test(host))) return;
  throw new AppError(
    "origin_not_allowed",
    "This address is for programs, not for pages of other sites. Send no Origin header.",
  );
}
