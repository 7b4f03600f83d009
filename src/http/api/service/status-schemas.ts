/**
 * JSON Schemas of the server's status. Part of the table in schemas.ts.
 * Invariant: every list of values is derived from the table that defines it.
 */
import Type, { type TSchema } from "typebox";
import { PLAN_NAMES } from "../../../access/plannames.ts";
import { FACETS } from "../../../spec/facets.ts";
import {
  EXPORT_FORMATS,
  OUTPUT_FIELD_NAMES,
  SCORING_STRATEGIES,
  SECONDARY_CNAE_MODES,
  SORT_FIELDS,
} from "../../../spec/fields.ts";
import {
  closed,
  count,
  label,
  named,
  orNull,
  requestId,
  source,
} from "../../openapi/schema-parts.ts";

const planLimits = Type.Record(Type.String(), Type.Union([Type.Number(), Type.Boolean()]), {
  description:
    "Numbers of the plan, and whether secondary_cnae_mode full may be used. An " +
    "export_rows_per_day of 0 sets no quota.",
});
/** Progress of rechecking the snapshot. */
const verification = Type.Object(
  {
    pass_seconds: count(
      "Seconds in which every block is checked again; 0: only touched files are.",
    ),
    blocks: count("Blocks of 64 KiB in the snapshot."),
    checked_blocks: count("Blocks that this pass has checked."),
    passes: count("Whole passes since the snapshot was opened."),
    last_pass_at: orNull(Type.String({ format: "date-time" })),
  },
  closed,
);

const usage = Type.Object(
  {
    today: Type.Object(
      {
        requests: count("Requests of all keys of the tenant, this one not yet counted."),
        accounts: count("Accounts in their answers."),
        export_rows: count("Rows of exports that were done today."),
      },
      closed,
    ),
    export_rows_left: orNull(
      count("Rows that exports may still be created for today; null where there is no quota."),
    ),
    export_bytes_kept: count("Bytes of the files of exports that are kept now."),
    export_bytes_left: orNull(
      count("Bytes that files of exports may still have; null where there is no bound."),
    ),
  },
  { ...closed, description: "Use by the tenant; today begins at midnight UTC." },
);
const fieldList = Type.Array(Type.Enum([...OUTPUT_FIELD_NAMES]));

/** Schema of the status by name. */
export const STATUS_SCHEMAS = {
  Status: Type.Object(
    {
      request_id: requestId,
      status: Type.Enum(["ok", "no_snapshot", "snapshot_damaged"]),
      version: Type.String(),
      snapshot: orNull(source.snapshot),
      snapshot_date: orNull(source.snapshot_date),
      provenance: orNull(named("Provenance")),
      accounts: orNull(count("Accounts in the snapshot.")),
      verification: orNull(verification),
      changes_since: Type.Array(label, {
        description: "Older snapshots that since of /v1/changes may name, the newest first.",
      }),
      plan: Type.Enum([...PLAN_NAMES]),
      limits: planLimits,
      field_allowlist: fieldList,
      field_allowlist_by_plan: Type.Record(Type.Enum([...PLAN_NAMES]), fieldList),
      allowed_sort_fields: Type.Array(Type.Enum([...SORT_FIELDS])),
      scoring_strategies: Type.Array(Type.Enum([...SCORING_STRATEGIES])),
      export_formats: Type.Array(Type.Enum([...EXPORT_FORMATS])),
      secondary_cnae_modes: Type.Array(Type.Enum([...SECONDARY_CNAE_MODES])),
      facets: Type.Array(Type.Enum([...FACETS])),
      usage,
      score: Type.Object({
        version: Type.Integer(),
        weights: Type.Record(Type.String(), Type.Record(Type.String(), Type.Integer())),
      }),
    },
    closed,
  ),
} as const satisfies Readonly<Record<string, TSchema>>;

/** Schemas of probes by name. */
export const HEALTH_SCHEMAS = {
  Health: Type.Object(
    {
      status: Type.Enum(["ok"]),
      version: Type.String(),
      transport: Type.Enum(["uws", "node"]),
    },
    closed,
  ),
  Readiness: Type.Object({ status: Type.Enum(["ready", "degraded"]), snapshot: label }, closed),
} as const satisfies Readonly<Record<string, TSchema>>;

const id = Type.Union([Type.String(), Type.Number()]);
const object = Type.Record(Type.String(), Type.Unknown());

/** The schemas by name. */
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
