/**
 * What the route of agents is, for the OpenAPI document; a part of the table in operations.ts.
 * What comes in: nothing. What goes out: the row by method and path.
 * Invariant: that of the whole table. The protocol is another one than that of the other routes, so
 * only its envelope is described here; the server tells its tools itself.
 */
import Type from "typebox";
import { BODY_ERRORS, type Operation, SNAPSHOT_ERRORS } from "./operation.ts";

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

/** The operation of agents by `METHOD path`. */
export const AGENT_OPERATIONS: Readonly<Record<string, Operation>> = {
  "POST /mcp": {
    id: "sendAgentMessage",
    tag: "service",
    summary: "Model Context Protocol for agents",
    description:
      "A message of the Model Context Protocol (Streamable HTTP, without streams and sessions), " +
      "answered in JSON. Tools: translate, count_accounts, search_accounts, get_account, " +
      "create_export; they do what the routes of these names do, under the same plan, and count " +
      "as 1 request each. Mistakes in the arguments of a tool are results with isError; limits, " +
      "keys and a missing snapshot are problem documents. Pages of other sites are refused by " +
      "their Origin.",
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
      200: { description: "The answer, or those of several messages.", schema: "RpcAnswers" },
      202: { description: "A message that is not to be answered.", schema: null, types: [] },
      400: {
        description: "No message of the protocol, or a version that is not spoken.",
        schema: "RpcAnswer",
      },
    },
    errors: [...BODY_ERRORS, "origin_not_allowed", ...SNAPSHOT_ERRORS],
  },
};
