/**
 * JSON Schemas of MCP messages at /mcp; a part of the table in schemas.ts.
 * Invariant: that of the whole table. `tools/list` returns the schemas of the tools.
 */
import Type, { type TSchema } from "typebox";
import { closed, named } from "../../openapi/schema-parts.ts";

const id = Type.Union([Type.String(), Type.Number()]);
const object = Type.Record(Type.String(), Type.Unknown());

/** Schemas by name. */
export const RPC_SCHEMAS = {
  RpcRequest: Type.Object(
    {
      jsonrpc: Type.Literal("2.0"),
      id: Type.Optional(id),
      method: Type.String({
        description: "initialize, ping, tools/list, tools/call, or any other.",
      }),
      params: Type.Optional(object),
    },
    { ...closed, description: "A request, or without id a notification." },
  ),
  RpcResponse: Type.Object(
    {
      jsonrpc: Type.Literal("2.0"),
      id: Type.Optional(id),
      result: Type.Optional(Type.Unknown()),
      error: Type.Optional(Type.Unknown()),
    },
    { ...closed, description: "An answer to the server, which asks nothing: it is passed over." },
  ),
  RpcBody: Type.Union([
    named("RpcRequest"),
    named("RpcResponse"),
    Type.Array(Type.Unknown(), {
      minItems: 1,
      maxItems: 20,
      description: "Several messages; until version 2025-03-26 of the protocol only.",
    }),
  ]),
  RpcAnswer: Type.Object(
    {
      jsonrpc: Type.Literal("2.0"),
      id: Type.Union([id, Type.Null()]),
      result: Type.Optional(object),
      error: Type.Optional(
        Type.Object(
          { code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) },
          closed,
        ),
      ),
    },
    { ...closed, description: "A result or an error." },
  ),
  RpcAnswers: Type.Union([
    named("RpcAnswer"),
    Type.Array(named("RpcAnswer"), { description: "Answers to a batch of messages." }),
  ]),
} as const satisfies Readonly<Record<string, TSchema>>;
