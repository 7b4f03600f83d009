/**
 * The tool `translate`. Input: a sentence. Output: filters and order for other tools, assumptions,
 * constraints that no filter can express, and other meanings of words.
 * Invariant: the filters mean the same as the spec of POST /v1/leads/translate, in the shortest
 * form; no search runs.
 */
import type { TSchema } from "typebox";
import { SCHEMAS } from "../http/api/schemas.ts";
import { translateLeads } from "../http/api/spec/translate.ts";
import type { QueryContext, QueryPart } from "../http/server/service.ts";
import type { Segment } from "../search/segment.ts";
import { currentSegment } from "../search/segment.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { wordFor } from "../text/amounts.ts";
import { isUncertain, UNCERTAIN_BELOW } from "../translate/confidence.ts";
import type { CountedDoubt, Suggestion } from "../translate/suggestions.ts";
import type { Part } from "../translate/translate.ts";
import { unknownArguments, withArgumentMistakes } from "./mistakes.ts";
import { shortSelection } from "./selection.ts";
import {
  answeredBy,
  objectSchema,
  READING,
  type SELECTION,
  SOURCE_DESCRIBED,
  SOURCE_NAMES,
  sentencesOf,
  sourceLine,
  type Tool,
  type ToolAnswer,
  withBody,
} from "./tool.ts";

const NOTES_MAX = 15;
const ACTIVITIES_MAX = 6;
const SUGGESTIONS_MAX = 6;

const ARGUMENTS = {
  query_text: {
    ...SCHEMAS.TranslateRequest.properties.query_text,
    description: "What is wanted, in a sentence.",
  } as TSchema,
};

const notes = (description: string) =>
  ({ type: "array", items: { type: "string" }, description }) as unknown as TSchema;

/** Returns the schema of an argument. Its description only refers to search_accounts. */
const argument = (name: keyof typeof SELECTION) =>
  ({ type: "object", description: `As ${name} of search_accounts.` }) as unknown as TSchema;

const { words, activities } = SCHEMAS.TranslateAnswer.properties.suggestions.items.properties;
const suggestion = {
  type: "object",
  properties: { words, activities },
  required: ["words", "activities"],
  additionalProperties: false,
};

const DEFINITION = {
  name: "translate",
  title: "Sentence to filters",
  description:
    "Turns a Portuguese, English, or Spanish sentence into filters (and a sort, if it has " +
    "one) for search_accounts, count_accounts, and create_export, with their codes. Searches " +
    "nothing. Call it first if a code is unknown. Example: " +
    '{"query_text":"padarias em Campinas abertas desde 2020, com e-mail, exceto MEI"}. Read ' +
    "assumptions and unmapped_constraints first. Below a confidence of " +
    `${UNCERTAIN_BELOW}, correct the filters.`,
  inputSchema: objectSchema(ARGUMENTS, ["query_text"]),
  outputSchema: objectSchema(
    {
      ...SOURCE_DESCRIBED,
      filters: argument("filters"),
      sort: { type: "array", description: "Likewise; missing for the best first." } as TSchema,
      scoring: argument("scoring"),
      wanted: {
        type: "integer",
        minimum: 1,
        description: "Accounts that the sentence asks for.",
      } as TSchema,
      matches: SCHEMAS.TranslateAnswer.properties.matches,
      confidence: SCHEMAS.TranslateAnswer.properties.explain.properties.confidence,
      assumptions: notes("Assumed."),
      warnings: notes("To check."),
      unmapped_constraints: notes("Conditions without a filter."),
      doubts: notes("Sentences with another reading."),
      suggestions: {
        type: "array",
        items: suggestion,
        description: "Words with several activities.",
      } as unknown as TSchema,
    },
    [
      ...[...SOURCE_NAMES, "filters", "matches", "confidence", "assumptions", "warnings"],
      ...["unmapped_constraints", "suggestions", "doubts"],
    ],
  ),
  annotations: { title: "Sentence to filters", ...READING },
};

/** Members of the handler's answer that this tool uses. */
interface Translated {
  readonly snapshot: string;
  readonly snapshot_date: string;
  readonly spec: AccountQuerySpec;
  readonly parts: readonly Part[];
  readonly matches: number;
  readonly suggestions: readonly Suggestion[];
  readonly doubts: readonly CountedDoubt[];
}

/** The tool. */
export const TRANSLATE_TOOL: Tool<QueryContext<QueryPart>> = {
  definition: DEFINITION,
  async run(sent, context) {
    const mistakes = unknownArguments(sent, Object.keys(ARGUMENTS));
    const body = sent.query_text === undefined ? {} : { query_text: sent.query_text };
    return withArgumentMistakes(mistakes, async () => {
      const translated = answeredBy<Translated>(await translateLeads(withBody(context, body)));
      return answerOf(translated, currentSegment(context.service));
    });
  },
};

function answerOf(translated: Translated, { catalog, provenance }: Segment): ToolAnswer {
  const { snapshot, snapshot_date, spec, parts, matches } = translated;
  const source = { snapshot, snapshot_date, provenance };
  const { confidence, assumptions, warnings, unmapped_constraints: unmapped } = spec.explain;
  const selection = shortSelection(spec, catalog);
  const limited = parts.some(({ role }) => role === "limit");
  const structured = {
    ...source,
    ...selection,
    ...(limited ? { wanted: spec.limit } : {}),
    matches,
    confidence,
    assumptions: textsOf(assumptions),
    warnings: textsOf(warnings),
    unmapped_constraints: textsOf(unmapped),
    suggestions: shortSuggestions(translated.suggestions),
    doubts: translated.doubts.map(
      (one) => `${one.detail} "${one.query_text}" matches ${one.matches}.`,
    ),
  };
  const lines = [
    `${JSON.stringify(selection)} matches ${matches} ` +
      `${wordFor(matches, "account")}. ${sourceLine(source)}`,
    `Confidence ${confidence}${isUncertain(confidence) ? ": check the filters before use" : ""}.`,
    ...(limited ? [`Wanted: ${spec.limit} ${wordFor(spec.limit, "account")}.`] : []),
    ...structured.assumptions.map((note) => `Assumed: ${note}`),
    ...structured.warnings.map((note) => `Warning: ${note}`),
    ...structured.unmapped_constraints.map((note) => `Not expressed: ${note}`),
    ...structured.doubts.map((note) => `Doubtful: ${note}`),
    ...structured.suggestions.map(suggestionText),
  ];
  return { text: lines.join("\n"), structured, accounts: 0 };
}

/** Returns the first notes and the number of others. */
function textsOf(list: readonly unknown[]): string[] {
  const sentences = sentencesOf(list.slice(0, NOTES_MAX));
  const more = list.length - sentences.length;
  return more > 0 ? [...sentences, `… and ${more} more of this kind.`] : sentences;
}

function shortSuggestions(suggestions: readonly Suggestion[]) {
  return suggestions.slice(0, SUGGESTIONS_MAX).map(({ words: phrase, activities: matched }) => ({
    words: phrase,
    activities: matched.slice(0, ACTIVITIES_MAX),
  }));
}

function suggestionText({
  words: phrase,
  activities: matched,
}: Pick<Suggestion, "words" | "activities">) {
  const codes = matched.map(
    ({ code, description, matches }) => `${code} ${description} (${matches})`,
  );
  return `"${phrase}" may mean: ${codes.join("; ")}`;
}
