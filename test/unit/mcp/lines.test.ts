/**
 * Proves that an MCP conversation over lines of text reads every line, however the input is cut
 * into chunks. It answers each request once and nothing else, and continues after an invalid
 * message. Long requests do not delay short ones and can be canceled. The conversation ends when
 * all requests are answered.
 * Does not prove the answers of the real tools (e2e/server/mcp.test.ts), because the tools here are
 * simulated.
 */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { AppError } from "../../../src/errors.ts";
import type { QueryContext } from "../../../src/http/server/service.ts";
import { Agent } from "../../../src/mcp/agent.ts";
import { Conversation, LINE_BYTES_MAX } from "../../../src/mcp/lines.ts";
import { objectSchema, READING, type Tool } from "../../../src/mcp/tool.ts";

/** A tool with a minimal answer. */
function tool(name: string, run: Tool<QueryContext>["run"]): Tool<QueryContext> {
  const schema = objectSchema({}, []);
  const definition = { name, title: name, description: name, annotations: READING };
  return { definition: { ...definition, inputSchema: schema, outputSchema: schema }, run };
}

const NOTHING = { text: "nothing", structured: {}, accounts: 0 };

/** Records how each call of the slow tool ends: "cancelled" or "done". */
const ends: string[] = [];
const TOOLS = [
  tool("quick", () => NOTHING),
  tool("slow", async (_, { gone }) => {
    for (let turns = 0; turns < 200 && !gone(); turns++) await sleep(5);
    ends.push(gone() ? "cancelled" : "done");
    return NOTHING;
  }),
  tool("bug", () => {
    throw new TypeError("a bug");
  }),
  tool("none", () => {
    throw new AppError("snapshot_unavailable", "There is no snapshot.");
  }),
];

/** The members of an answer that the tests check. */
interface Reply {
  readonly id?: unknown;
  readonly error?: { readonly code: number };
}

interface Talk {
  readonly answers: readonly Reply[];
  readonly failures: unknown[];
}

/** Sends chunks, and returns all answers. */
async function talk(chunks: readonly (string | Buffer)[], pauseMs = 0): Promise<Talk> {
  const input = new PassThrough();
  const output = new PassThrough();
  const failures: unknown[] = [];
  const conversation = new Conversation({
    agent: new Agent(TOOLS, "0"),
    context: (gone) => ({ gone }) as never,
    output,
    failed: (error) => failures.push(error),
  });
  let text = "";
  output.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const over = conversation.run(input);
  for (const chunk of chunks) {
    input.write(chunk);
    if (pauseMs > 0) await sleep(pauseMs);
  }
  input.end();
  await over;
  await sleep(0);
  assert.ok(text === "" || text.endsWith("\n"));
  const lines = text.split("\n").slice(0, -1);
  return { answers: lines.map((line) => JSON.parse(line) as Reply), failures };
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const frame = (id: unknown, method: string, params?: object) =>
  line({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
const calling = (id: unknown, name: string) => frame(id, "tools/call", { name });
const note = (method: string, params: object) => line({ jsonrpc: "2.0", method, params });
const idsOf = ({ answers }: Talk) => answers.map(({ id }) => id);
const codesOf = ({ answers }: Talk) => answers.map(({ error }) => error?.code);

describe("a conversation over lines", () => {
  it("splits lines for any cuts", async () => {
    const text = `${frame("é\u2028", "ping") + frame(2, "ping")}\r\n \n${frame(3, "ping").trim()}`;
    const bytes = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, at) => bytes.subarray(places[at], end));
        assert.deepEqual(idsOf(await talk(chunks)), ["é\u2028", 2, 3]);
      }),
      { numRuns: 50 },
    );
  });

  it("continues after an invalid message", async () => {
    const lines = ["{\n", "[]\n", "7\n", '{"a":1,"a":2}\n', "\u0000\n", Buffer.from([0xff, 0x0a])];
    const replies = await talk([...lines, frame(1, "ping"), frame(2, "nope"), calling(3, "nope")]);
    assert.deepEqual(codesOf(replies), [
      ...[-32700, -32600, -32600, -32700, -32700, -32700],
      ...[undefined, -32601, -32602],
    ]);
    assert.deepEqual(replies.failures, []);
  });

  it("answers a too long line with an error, and buffers none of it", async () => {
    const part = Buffer.alloc(1_048_576, "x");
    const parts = Array.from({ length: LINE_BYTES_MAX / part.length }, () => part);
    const replies = await talk([...parts, "x\n", frame(1, "ping"), ...parts, "x"]);
    assert.deepEqual(codesOf(replies), [-32700, undefined, -32700]);
  });

  it("accepts batches until a version without them is negotiated", async () => {
    const batch = `[${frame(1, "ping")},${note("x", {})},3]\n`.replaceAll(/\n(?!$)/g, "");
    const before = await talk([batch]);
    assert.equal((before.answers[0] as unknown as unknown[]).length, 2);
    for (const [protocolVersion, code] of [
      ["2025-06-18", -32600],
      ["2025-03-26", undefined],
    ]) {
      const replies = await talk([frame(0, "initialize", { protocolVersion }), batch], 5);
      assert.equal(codesOf(replies)[1], code);
    }
    assert.deepEqual((await talk([`[${note("x", {}).trim()}]\n`])).answers, []);
  });

  it("delays no answer, and answers all earlier requests at the end", async () => {
    ends.length = 0;
    const replies = await talk([calling("long", "slow"), calling(1, "quick"), frame(2, "ping")]);
    assert.deepEqual(idsOf(replies), [1, 2, "long"]);
    assert.deepEqual(ends, ["done"]);
  });

  it("does not answer a canceled request, and ends it", async () => {
    ends.length = 0;
    const cancel = (requestId: unknown) => note("notifications/cancelled", { requestId });
    const lines = [calling("a", "slow"), cancel("b"), cancel("a"), cancel({}), frame(1, "ping")];
    assert.deepEqual(idsOf(await talk(lines, 5)), [1]);
    assert.deepEqual(ends, ["cancelled"]);
  });

  it("reports internal errors to people, and to the agent that one occurred", async () => {
    const replies = await talk([calling(1, "bug"), calling(2, "none"), calling(3, "quick")]);
    assert.deepEqual(codesOf(replies), [-32603, -32000, undefined]);
    assert.ok(!JSON.stringify(replies.answers).includes("a bug"));
    assert.deepEqual(replies.failures.map(String), ["TypeError: a bug"]);
  });

  it("ends immediately on empty input", async () => {
    assert.deepEqual((await talk([])).answers, []);
  });
});
