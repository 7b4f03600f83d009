/**
 * The official client of the Model Context Protocol in the tests, connected to a server or a
 * command, with checks of the tools' answers.
 * Invariant: the client has read the tools' definitions, so it validates every structured answer
 * against the schema of its tool.
 */
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { fetchDocumented } from "../http/documented.ts";
import type { FakeServer } from "../http/fake.ts";

/** Maximum bytes of a tool's answer, as sent: some 7,000 tokens. */
export const RESULT_BYTES_MAX = 25_000;

/** A tool's answer. */
export interface ToolResult {
  readonly text: string;
  /** The structured answer. It is empty for an error. */
  readonly structured: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** A client that is connected. */
export interface Connected {
  readonly client: Client;
  readonly tools: Awaited<ReturnType<Client["listTools"]>>["tools"];
  call(name: string, sent: object): Promise<ToolResult>;
  close(): Promise<void>;
}

/** Connects over the given transport, and reads the definitions of the tools. */
export async function connected(transport: unknown): Promise<Connected> {
  const client = new Client({ name: "peneira-test", version: "1.0.0" });
  await client.connect(transport as Transport);
  const { tools } = await client.listTools();
  return {
    client,
    tools,
    call: async (name, sent) => {
      const result = await client.callTool({ name, arguments: { ...sent } });
      return readResult(result as Readonly<Record<string, unknown>>);
    },
    close: () => client.close(),
  };
}

/** Connects to a server with a key. */
export function connectedTo(base: string, key: string): Promise<Connected> {
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  return connected(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }));
}

/** Parses the result of a call, and checks the rules that every result must obey. */
export function readResult(result: Readonly<Record<string, unknown>>): ToolResult {
  const bytes = Buffer.byteLength(JSON.stringify(result));
  assert.ok(bytes <= RESULT_BYTES_MAX, `an answer of ${bytes} bytes`);
  const [content, ...others] = result.content as { readonly type: string; readonly text: string }[];
  assert.ok(content?.type === "text" && others.length === 0, JSON.stringify(result));
  assert.ok(content.text.length > 0);
  const isError = result.isError === true;
  assert.equal(result.structuredContent === undefined, isError, content.text);
  const structured = (result.structuredContent ?? {}) as ToolResult["structured"];
  return { text: content.text, structured, isError };
}

/** Returns the rows in a tool's text: lines that are JSON arrays, field names first. */
export function rowsOf(text: string): unknown[][] {
  const lines = text.split("\n").filter((line) => line.startsWith("["));
  return lines.map((line) => JSON.parse(line) as unknown[]);
}

/** An answer over HTTP. */
export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: never;
}

/** Sends a body to /mcp with a key, and checks the answer against the document. */
export async function post(
  server: FakeServer,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Posted> {
  const answer = await fetchDocumented(`${server.base}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${server.keys.enterprise}`,
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  const json = (/^[[{]/.test(text) ? JSON.parse(text) : null) as never;
  return { status: answer.status, headers: answer.headers, text, json };
}
