/**
 * `GET /v1/accounts/suggest`: accounts whose name or CNPJ matches a partly typed text, best first.
 * Invariant: a value out of range is an error, never silently lowered. A text that cannot be
 * searched is an error. The text never appears in a log.
 */
import Type from "typebox";
import type { Mistake } from "../../../errors.ts";
import { mistakeIn, SUGGEST_LIMITS, type SuggestRequest } from "../../../search/finding.ts";
import type { Segment } from "../../../search/segment.ts";
import { currentSegment } from "../../../search/segment.ts";
import type { OutputField } from "../../../spec/fields.ts";
import { STATE_NAMES } from "../../../spec/states.ts";
import { plainText } from "../../../spec/typedtext.ts";
import { EXAMPLE_ACCOUNT, EXAMPLE_HEAD } from "../../openapi/examples.ts";
import { costOf } from "../../server/admission.ts";
import { queryMistake, readWhole, refuseQueryMistakes } from "../../server/query.ts";
import { type ShapedAnswer, unchanged, weakTag } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { QueryContext } from "../../server/service.ts";
import { IF_NONE_MATCH, type ListedRoute, route, SNAPSHOT_ERRORS } from "../route.ts";
import { tookMs } from "../search/page-answer.ts";
import { withRetainedSegment } from "../search/search.ts";
import { answer } from "../typed-answer.ts";

/** Fields of a suggestion that distinguish accounts of the same name, if the plan includes them. */
export const SUGGESTED_FIELDS = [
  ...["cnpj", "legal_name", "trade_name", "headquarters", "registration_status"],
  ...["cnae_primary", "uf", "municipality_ibge", "municipality_name"],
];
const STATES = [...Object.keys(STATE_NAMES), "EX"].sort();
const { characters, words, limit: limitMax, limitDefault } = SUGGEST_LIMITS;

type SuggestPart = "clock" | "engine" | "retain" | "segment" | "telemetry";
type SuggestCall = QueryContext<SuggestPart> & { readonly query: ReadonlyMap<string, string> };

/** The route. */
export const SUGGEST_ROUTE: ListedRoute = route({
  method: "GET",
  path: "/v1/accounts/suggest",
  access: "key",
  sheds: "last",
  id: "suggestAccounts",
  tag: "accounts",
  summary: "Find accounts by name as it is typed",
  description:
    "Accounts whose legal or trade name fits what was typed so far. Every word has to be a word " +
    "of the names, or begin one (the last word, and any of 3 letters or more), or be one edit " +
    "away from one (4 to 7 letters) or two (8 and more), with two edits in all at most; an edit " +
    "puts in, takes out or replaces a letter (Levenshtein), and accents and case do not count. " +
    "First come accounts with a name that begins with all of the text, then those with all " +
    "words, with beginnings of words, with one edit, with two; within each of these by rank. " +
    "Names that begin with the text are looked for among the first 4,096 accounts, by rank, that " +
    "hold all words but the last whole, and the last whole or as a beginning. A text that is a " +
    "CNPJ or the root of one finds it, in any spelling and whatever uf says. A text that is a " +
    "phone with its area code or an e-mail finds the accounts that have it, by rank, if the plan " +
    "offers phones or e-mails; contact then says how many they are. contact_refused says why a " +
    "phone or an e-mail was not looked up. Counts as 1 request.",
  parameters: [
    {
      name: "q",
      in: "query",
      required: true,
      description: `What was typed: at most ${characters} characters and ${words} words.`,
      schema: Type.String({ minLength: 1, maxLength: characters }),
      example: "cantina inventada",
    },
    {
      name: "limit",
      in: "query",
      required: false,
      description: "Accounts wanted.",
      schema: Type.Integer({ minimum: 1, maximum: limitMax, default: limitDefault }),
    },
    {
      name: "uf",
      in: "query",
      required: false,
      description: "Only accounts of this state, in any case; EX is abroad.",
      schema: Type.String({ pattern: "^[A-Za-z]{2}$" }),
    },
    IF_NONE_MATCH,
  ],
  answers: {
    200: {
      description: "What fits, best first.",
      schema: "SuggestAnswer",
      example: () => ({
        ...EXAMPLE_HEAD,
        suggestions: [{ match: "name_start", account: EXAMPLE_ACCOUNT }],
        number: null,
        refused: null,
        contact: null,
        contact_refused: null,
        took_ms: 0.842,
      }),
      headers: ["ETag"],
    },
    304: { description: "It is unchanged.", schema: null, types: [], headers: ["ETag"] },
  },
  errors: SNAPSHOT_ERRORS,
  handle: suggestAccounts,
});

/** Returns accounts matching a text. */
export function suggestAccounts(call: SuggestCall): Reply<ShapedAnswer<"SuggestAnswer">> {
  const startMs = call.service.clock.monotonicMs();
  const segment = currentSegment(call.service);
  const fields = SUGGESTED_FIELDS.filter((name) =>
    (call.plan.fields as readonly string[]).includes(name),
  );
  const offers = (name: OutputField) => call.plan.fields.includes(name);
  const contacts = { phone: offers("phone_1") && offers("phone_2"), email: offers("email") };
  const request = { ...readSuggest(call.query), fields, contacts };
  call.spend(costOf({}));
  const { text, uf, limit } = request;
  const parts = [
    segment.snapshotId,
    text,
    uf ?? "",
    String(limit),
    fields.join(),
    JSON.stringify(contacts),
  ];
  const tag = weakTag(["suggest", ...parts]);
  const known = unchanged(call, tag);
  if (known !== null) return known;
  return withRetainedSegment(call, segment, answerFound(call, { segment, request, tag, startMs }));
}

async function answerFound(
  call: SuggestCall,
  input: {
    readonly segment: Segment;
    readonly request: SuggestRequest;
    readonly tag: string;
    readonly startMs: number;
  },
): Promise<ShapedAnswer<"SuggestAnswer">> {
  const { clock, engine, telemetry } = call.service;
  const { segment, request, tag, startMs } = input;
  const found = await engine.suggest(segment, request, call.identity.tenantId);
  telemetry.engine("suggest", clock.monotonicMs() - startMs);
  const value = {
    request_id: call.requestId,
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    provenance: segment.provenance,
    ...found,
    took_ms: tookMs(clock, startMs),
  };
  const more = { headers: { ETag: tag }, accounts: found.suggestions.length };
  return answer("SuggestAnswer", value, more);
}

function readSuggest(
  query: ReadonlyMap<string, string>,
): Omit<SuggestRequest, "fields" | "contacts"> {
  const mistakes: Mistake[] = [];
  const typed = query.get("q");
  const text = typed === undefined ? undefined : plainText(typed);
  const mistake = text === undefined ? "Send q, what was typed." : mistakeIn(text);
  if (mistake !== null) {
    mistakes.push(queryMistake("q", text === undefined ? "missing" : "not_searchable", mistake));
  }
  const limit = readWhole(query, "limit", [1, limitMax], mistakes) ?? limitDefault;
  const uf = query.get("uf")?.toUpperCase() ?? null;
  if (uf !== null && !STATES.includes(uf)) {
    const detail = `The query parameter uf must be one of ${STATES.join(", ")}.`;
    mistakes.push(queryMistake("uf", "unknown_uf", detail));
  }
  refuseQueryMistakes(mistakes);
  return { text: text ?? "", uf, limit };
}
