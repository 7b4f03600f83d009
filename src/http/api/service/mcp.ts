/**
 * The route of MCP messages from agents.
 * Invariant: MCP is another protocol, so only its envelope is described here. The server itself
 * describes its tools (src/mcp/).
 */

import Type from "typebox";
import { EXAMPLE_PROVENANCE, EXAMPLE_SOURCE } from "../../openapi/examples.ts";
import { written } from "../../server/respond.ts";
import { type ApiRoute, BODY_ERRORS, route, SNAPSHOT_ERRORS } from "../route.ts";

const EXAMPLE = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: "count_accounts",
    arguments: {
      filters: { industry: { cnae_any_of: ["5611-2/01"] }, geo: { uf_any_of: ["MG"] } },
    },
  },
};

const refused = () => ({
  ...{ jsonrpc: "2.0", id: null },
  error: { code: -32600, message: 'jsonrpc must be "2.0", not missing.' },
});
const answered = () => ({
  ...{ jsonrpc: "2.0", id: 1 },
  result: {
    content: [{ type: "text", text: "1 accounts match." }],
    structuredContent: {
      ...EXAMPLE_SOURCE,
      provenance: EXAMPLE_PROVENANCE,
      total: 1,
      warnings: [],
    },
  },
});

/** The MCP route. */
export const AGENT_ROUTES: readonly ApiRoute[] = [
  route({
    method: "POST",
    path: "/mcp",
    access: "key",
    sheds: "last",
    id: "sendAgentMessage",
    tag: "service",
    summary: "Call tools over the Model Context Protocol",
    description:
      "A message of the Model Context Protocol (Streamable HTTP, without streams and sessions), " +
      "answered in JSON. Tools: translate, count_accounts, search_accounts, list_districts, " +
      "find_company, get_account, create_export; they do what the routes of these names do, " +
      "under the same plan, and count as 1 request each. Mistakes in the arguments of a tool are " +
      "results with isError; limits, keys and a missing snapshot are problem documents. Pages of " +
      "other sites are refused by their Origin.",
    parameters: [
      {
        name: "MCP-Protocol-Version",
        in: "header",
        required: false,
        description: "Version that initialize agreed on; 2025-03-26 where it is missing.",
        schema: Type.String(),
        example: "2025-11-25",
      },
    ],
    body: { schema: "RpcBody", example: EXAMPLE },
    answers: {
      200: {
        description: "The answer, or those of several messages.",
        schema: "RpcAnswers",
        example: answered,
      },
      202: { description: "A message that is not to be answered.", schema: null, types: [] },
      400: {
        description: "No message of the protocol, or a version that is not spoken.",
        schema: "RpcAnswer",
        example: refused,
      },
    },
    errors: [...BODY_ERRORS, "origin_not_allowed", ...SNAPSHOT_ERRORS],
    handle: async (call) =>
      written<"RpcAnswer" | "RpcAnswers">("RpcAnswers", await call.service.agents(call)),
  }),
];
