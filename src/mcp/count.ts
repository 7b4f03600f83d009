/**
 * The tool `count_accounts`. Input: filters and names of facets. Output: the exact count, and
 * facets.
 * Invariant: the numbers equal the answer of POST /v1/accounts/count. Facets list fewer values, and
 * the omitted ones are counted as others, so the sums remain the same.
 */
import type { TSchema } from "typebox";
import { SCHEMAS } from "../http/api/schemas.ts";
import { countAccounts } from "../http/api/search/count.ts";
import type { QueryContext, QueryPart } from "../http/server/service.ts";
import type { Facet } from "../search/facet.ts";
import { FACETS } from "../spec/facets.ts";
import { wordFor } from "../text/amounts.ts";
import { unknownArguments, withArgumentMistakes } from "./mistakes.ts";
import { selectionOf } from "./selection.ts";
import {
  type AnswerSource,
  answeredBy,
  FILTERS_AGAIN,
  FILTERS_NOTE,
  objectSchema,
  READING,
  SOURCE,
  SOURCE_NAMES,
  sentencesOf,
  sourceLine,
  sourceOf,
  type Tool,
  withBody,
} from "./tool.ts";

const FACETS_MAX = 4;
const VALUES_MAX = 15;

const ARGUMENTS = {
  filters: FILTERS_AGAIN,
  facets: {
    type: "array",
    items: { enum: [...FACETS] },
    uniqueItems: true,
    maxItems: FACETS_MAX,
    description: `How the matches spread over the values of at most ${FACETS_MAX} of these.`,
  } as unknown as TSchema,
};

const DEFINITION = {
  name: "count_accounts",
  title: "Count companies",
  description:
    "Counts establishments of Brazilian companies that match filters, exactly and in " +
    "milliseconds, and on request how they spread over states, activities, sizes, years and so " +
    `on. Use it before search_accounts or create_export to see how many there are. ${FILTERS_NOTE}`,
  inputSchema: objectSchema(ARGUMENTS, ["filters"]),
  outputSchema: objectSchema(
    {
      ...SOURCE,
      total: SCHEMAS.CountAnswer.properties.total,
      facets: {
        type: "object",
        propertyNames: { enum: [...FACETS] },
        additionalProperties: SCHEMAS.Facet,
      } as unknown as TSchema,
      warnings: { type: "array", items: { type: "string" } } as unknown as TSchema,
    },
    [...SOURCE_NAMES, "total", "warnings"],
  ),
  annotations: { title: "Count companies", ...READING },
};

/** Members of the handler's answer that this tool uses. */
interface Counted extends AnswerSource {
  readonly spec: { readonly explain: { readonly warnings: readonly unknown[] } };
  readonly total: number;
  readonly facets?: Readonly<Record<string, Facet>>;
}

/** The tool. */
export const COUNT_TOOL: Tool<QueryContext<QueryPart>> = {
  definition: DEFINITION,
  async run(sent, context) {
    const mistakes = unknownArguments(sent, Object.keys(ARGUMENTS));
    const { filters } = selectionOf(sent, mistakes);
    const wanted = sent.facets;
    if (Array.isArray(wanted) && wanted.length > FACETS_MAX) {
      const detail = `Ask for at most ${FACETS_MAX} facets in one call, not ${wanted.length}.`;
      mistakes.push({ pointer: "/facets", code: "too_many", detail });
    }
    if (Array.isArray(wanted) && wanted.some(Array.isArray)) {
      const detail = "Must be names of facets; POST /v1/accounts/count makes tables of two.";
      mistakes.push({ pointer: "/facets", code: "unknown_value", detail });
    }
    const body = { spec: { filters }, ...(wanted === undefined ? {} : { facets: wanted }) };
    const counted = await withArgumentMistakes(mistakes, async () =>
      answeredBy<Counted>(await countAccounts(withBody(context, body))),
    );
    const short = Object.entries(counted.facets ?? {}).map(
      ([name, facet]) => [name, shortFacet(facet)] as const,
    );
    const warnings = sentencesOf(counted.spec.explain.warnings);
    const { total } = counted;
    const lines = [
      `${total} ${wordFor(total, "account matches", "accounts match")}. ${sourceLine(counted)}`,
      ...warnings.map((warning) => `Note: ${warning}`),
      ...short.map(([name, facet]) => facetText(name, facet)),
    ];
    const spread = counted.facets === undefined ? {} : { facets: Object.fromEntries(short) };
    return {
      text: lines.join("\n"),
      structured: { ...sourceOf(counted), total, ...spread, warnings },
      accounts: 0,
    };
  },
};

/** Returns a facet with its most frequent values; the sum is preserved. */
function shortFacet({ values, other, missing }: Facet): Facet {
  const rest = values.slice(VALUES_MAX);
  const counted = rest.reduce((sum, { count }) => sum + count, 0);
  return {
    values: values.slice(0, VALUES_MAX),
    other: { values: other.values + rest.length, count: other.count + counted },
    missing,
  };
}

function facetText(name: string, { values, other, missing }: Facet): string {
  const parts = values.map(({ value, label, count }) => {
    return `${value}${label === undefined ? "" : ` ${JSON.stringify(label)}`} ${count}`;
  });
  if (other.values > 0)
    parts.push(`${other.values} other ${wordFor(other.values, "value")} ${other.count}`);
  if (missing > 0) parts.push(`without value ${missing}`);
  return `${name}: ${parts.join(", ") || "nothing"}`;
}
