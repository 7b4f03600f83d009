/**
 * The tool `look_up_cnpjs`, for many CNPJs in one call. Input: up to 200 CNPJs in any spelling, and
 * fields. Output: one result for each, in the same order.
 * Invariant: the results equal the answer of POST /v1/enrich. Before it answers, a server charges
 * the tenant for the accounts found.
 */

import type { TSchema } from "typebox";
import type { Mistake } from "../errors.ts";
import { resultsOf } from "../http/api/enrichment/enrich.ts";
import { SCHEMAS } from "../http/api/schemas.ts";
import type { KeyCall, QueryContext, QueryPart } from "../http/server/service.ts";
import type { JsonObject } from "../spec/reader.ts";
import { wordFor } from "../text/amounts.ts";
import { unknownArguments, withArgumentMistakes } from "./mistakes.ts";
import {
  objectSchema,
  READING,
  SOURCE,
  sourceLine,
  type Tool,
  VALUES_NOTE,
  withBody,
  withoutDescriptions,
} from "./tool.ts";

/** Maximum number of CNPJs in one call. A model would not read more results. */
const CNPJS_MAX = 200;

const { cnpjs } = SCHEMAS.EnrichRequest.properties;
/** Only search_accounts lists the fields: models read all definitions in every conversation. */
const ARGUMENTS = {
  cnpjs: { ...withoutDescriptions(cnpjs), maxItems: CNPJS_MAX } as TSchema,
  fields: {
    ...{ type: "array", items: { type: "string" }, description: "As in search_accounts." },
  } as TSchema,
};

const result = { type: "object" } as TSchema;

const DEFINITION = {
  name: "look_up_cnpjs",
  title: "Look up many CNPJs",
  description:
    `Reads up to ${CNPJS_MAX} CNPJs, one result for each: input, status (found, head_office of a ` +
    `root, not_in_snapshot, not_a_cnpj), cnpj, account, reason. ${VALUES_NOTE}`,
  inputSchema: objectSchema(ARGUMENTS, ["cnpjs"]),
  outputSchema: objectSchema(
    {
      snapshot: withoutDescriptions(SOURCE.snapshot),
      snapshot_date: withoutDescriptions(SOURCE.snapshot_date),
      results: { type: "array", items: result } as unknown as TSchema,
    },
    ["snapshot", "snapshot_date", "results"],
  ),
  annotations: { title: "Look up many CNPJs", ...READING },
};

/** Returns the mistake if the number of CNPJs is wrong, else null. */
function mistakeIn(cnpjs: unknown): Mistake | null {
  const pointer = "/cnpjs";
  if (!Array.isArray(cnpjs) || cnpjs.length === 0) {
    const detail = `cnpjs must be a list of 1 to ${CNPJS_MAX} texts or numbers.`;
    return { pointer, code: cnpjs === undefined ? "missing" : "wrong_type", detail };
  }
  if (cnpjs.length <= CNPJS_MAX) return null;
  const detail = `Send at most ${CNPJS_MAX} CNPJs a call, not ${cnpjs.length}.`;
  return { pointer, code: "too_many", detail };
}

/** Makes the tool; it calls `charge` with the number of accounts found. */
function lookUpTool<Context extends QueryContext<QueryPart>>(
  charge: (context: Context, rows: number) => void,
): Tool<Context> {
  return {
    definition: DEFINITION,
    async run(sent, context) {
      const mistakes = unknownArguments(sent, Object.keys(ARGUMENTS));
      const mistake = mistakeIn(sent.cnpjs);
      if (mistake !== null) mistakes.push(mistake);
      const { fields = [] } = sent;
      // If there are too many CNPJs, one harmless CNPJ replaces them. The handler has a larger
      // maximum, and its error would mention that number.
      const cnpjs = mistake === null ? sent.cnpjs : ["0"];
      const found = await withArgumentMistakes(mistakes, async () => {
        const read = await resultsOf(withBody(context, { cnpjs, fields }));
        charge(context, read.found);
        return read;
      });
      const { segment, results } = found;
      const source = { snapshot: segment.label, snapshot_date: segment.snapshotDate };
      const count = `${found.found} of ${results.length} ${wordFor(results.length, "CNPJ")}`;
      const lines = results.map((one) => JSON.stringify(one));
      return {
        text: [`${count} found. ${sourceLine(source)}`, ...lines].join("\n"),
        structured: { ...source, results } as unknown as JsonObject,
        accounts: found.found,
      };
    },
  };
}

/** The tool of a process without a server: nothing is charged. */
export const LOOK_UP_TOOL: Tool<QueryContext<QueryPart>> = lookUpTool(() => {});

/** The tool of a server. */
export const SERVER_LOOK_UP_TOOL: Tool<KeyCall<QueryPart | "exporter">> = lookUpTool(
  ({ service, identity, plan }, rows) => service.exporter.charge({ ...identity, plan }, rows),
);
