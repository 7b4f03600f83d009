/**
 * The tool `list_districts`. Input: a municipality, and the beginning of a name. Output: the
 * matching districts, and the number of establishments in each.
 * Invariant: districts and numbers equal the answer of GET /v1/districts.
 */
import type { TSchema } from "typebox";
import type { Mistake } from "../errors.ts";
import { listDistricts } from "../http/api/accounts/districts.ts";
import { calledWith } from "../http/server/routetable.ts";
import type { QueryContext, QueryPart } from "../http/server/service.ts";
import { DISTRICT_LIMITS, type DistrictList } from "../search/districts.ts";
import { type JsonObject, shown } from "../spec/reader.ts";
import { isWhole, unknownArguments, withArgumentMistakes } from "./mistakes.ts";
import {
  type AnswerSource,
  answeredBy,
  objectSchema,
  READING,
  SOURCE,
  SOURCE_NAMES,
  sourceLine,
  sourceOf,
  type Tool,
} from "./tool.ts";

const ARGUMENTS = {
  municipality_ibge: { type: "string", description: "Its IBGE code." } as TSchema,
  q: { type: "string", description: "Beginnings of words; all without it." } as TSchema,
  limit: { type: "integer", minimum: 1, maximum: DISTRICT_LIMITS.limit } as TSchema,
};

const districts = {
  type: "array",
  items: objectSchema({ name: {} as TSchema, accounts: {} as TSchema }, []),
} as unknown as TSchema;

const DEFINITION = {
  name: "list_districts",
  title: "Districts of a municipality",
  description:
    "Lists the districts (bairros) that establishments of a municipality name, the largest " +
    "first, for geo.district_any_of. People type them, so that one district may have several " +
    "spellings: use all that are meant.",
  inputSchema: objectSchema(ARGUMENTS, ["municipality_ibge"]),
  outputSchema: objectSchema({ ...SOURCE, total: {} as TSchema, districts }, [
    ...SOURCE_NAMES,
    "total",
    "districts",
  ]),
  annotations: { title: "Districts of a municipality", ...READING },
};

/** Members of the handler's answer that this tool uses. */
interface Listed extends AnswerSource, DistrictList {
  readonly municipality_name: string;
}

/** The tool. */
export const DISTRICTS_TOOL: Tool<QueryContext<QueryPart>> = {
  definition: DEFINITION,
  async run(sent, context) {
    const mistakes = unknownArguments(sent, Object.keys(ARGUMENTS));
    const query = queryOf(sent, mistakes);
    const listed = await withArgumentMistakes(mistakes, async () => {
      const call = calledWith(context, { query, header: () => undefined });
      return answeredBy<Listed>(listDistricts(call));
    });
    const { districts: found, total, municipality_name: city } = listed;
    const lines = found.map(({ name, accounts }) => `${JSON.stringify(name)}: ${accounts}`);
    const head = `${total} districts of ${city} fit, ${found.length} of them here.`;
    return {
      text: [`${head} ${sourceLine(listed)}`, ...lines].join("\n"),
      structured: { ...sourceOf(listed), total, districts: found } as JsonObject,
      accounts: 0,
    };
  },
};

/** Returns the arguments as the route's query. */
function queryOf(sent: JsonObject, mistakes: Mistake[]): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  for (const name of ["municipality_ibge", "q"]) {
    const value = sent[name];
    if (value === undefined) continue;
    if (typeof value === "string") query.set(name, value);
    else {
      const detail = `Must be a text, not ${shown(value)}.`;
      mistakes.push({ pointer: `/${name}`, code: "wrong_type", detail });
    }
  }
  if (isWhole(sent, "limit", [1, DISTRICT_LIMITS.limit], mistakes) && sent.limit !== undefined) {
    query.set("limit", String(sent.limit));
  }
  return query;
}
