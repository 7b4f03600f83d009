/**
 * The tools `find_company` and `get_account`. `find_company` takes a partial name or a CNPJ and
 * returns the matching establishments, best first. `get_account` takes a CNPJ and returns all
 * fields of one account that the plan includes.
 * Input: a partial name, or a CNPJ; for get_account, a CNPJ.
 * Invariant: the answers equal those of GET /v1/accounts/suggest and GET /v1/accounts/{cnpj}. A
 * note distinguishes a CNPJ with wrong check digits from one that the registry lacks.
 */
import type { TSchema } from "typebox";
import { AppError, type Mistake } from "../errors.ts";
import { readAccount } from "../http/api/accounts/accounts.ts";
import { SUGGESTED_FIELDS, suggestAccounts } from "../http/api/accounts/suggestions.ts";
import { SCHEMAS } from "../http/api/schemas.ts";
import { calledWith } from "../http/server/routetable.ts";
import type { QueryContext, QueryPart } from "../http/server/service.ts";
import { contactCount, FITS, SUGGEST_LIMITS, type Suggestions } from "../search/finding.ts";
import { refusalText } from "../spec/cnpj/cnpjmistake.ts";
import { contactRefusalText } from "../spec/contacts/contactrefusal.ts";
import { lacksArea } from "../spec/contacts/phones.ts";
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
  VALUES_NOTE,
  withoutDescriptions,
} from "./tool.ts";

const ARGUMENTS = {
  q: {
    type: "string",
    maxLength: SUGGEST_LIMITS.characters,
    description:
      "The name, or the beginning of it, misspelt or not; a CNPJ, or the root of one; a phone " +
      "with its area code; or an e-mail.",
  } as TSchema,
  uf: { type: "string", description: "Only establishments of this state, such as SP." } as TSchema,
  limit: { type: "integer", minimum: 1, maximum: SUGGEST_LIMITS.limit } as TSchema,
};

const { number, ...others } = SCHEMAS.SuggestAnswer.properties;
const [refused, contact] = [
  withoutDescriptions(others.refused),
  withoutDescriptions(others.contact),
];
const contact_refused = withoutDescriptions(others.contact_refused);
const match = { enum: [...FITS] } as unknown as TSchema;
/** Schema of an account without the types of get_account: models read it in every conversation. */
const account = objectSchema(Object.fromEntries(SUGGESTED_FIELDS.map((name) => [name, {}])), []);
const suggestions = {
  type: "array",
  items: objectSchema({ match, account: account as TSchema }, ["match", "account"]),
} as unknown as TSchema;

const DEFINITION = {
  name: "find_company",
  title: "Find a company by its name",
  description:
    "Finds establishments by legal or trade name, also when it is incomplete or misspelt by a " +
    "letter or two, by CNPJ, or by a phone or e-mail that they have. Use it when somebody names " +
    "a company or one of these; read one with get_account then. To select many by words of " +
    `their names use search_accounts. ${VALUES_NOTE}`,
  inputSchema: objectSchema(ARGUMENTS, ["q"]),
  outputSchema: objectSchema(
    { ...SOURCE, suggestions, number, refused, contact, contact_refused },
    [...SOURCE_NAMES, "suggestions", "number", "refused", "contact", "contact_refused"],
  ),
  annotations: { title: "Find a company by its name", ...READING },
};

/** The tool that searches by name. */
export const FIND_TOOL: Tool<QueryContext<QueryPart>> = {
  definition: DEFINITION,
  async run(sent, context) {
    const mistakes = unknownArguments(sent, Object.keys(ARGUMENTS));
    const query = queryOf(sent, mistakes);
    const found = await withArgumentMistakes(mistakes, async () => {
      const call = calledWith(context, { query, header: () => undefined });
      return answeredBy<AnswerSource & Suggestions>(await suggestAccounts(call));
    });
    const { suggestions: fitting, number: typed, refused: why } = found;
    const lines = fitting.map(({ match, account }) => `${match}: ${JSON.stringify(account)}`);
    return {
      text: [sourceLine(found), ...notesOf(found, query.get("q") ?? ""), ...lines].join("\n"),
      structured: {
        ...sourceOf(found),
        suggestions: fitting,
        number: typed,
        refused: why,
        contact: found.contact,
        contact_refused: found.contact_refused,
      } as JsonObject,
      accounts: fitting.length,
    };
  },
};

/** Returns the arguments as the route's query. */
function queryOf(sent: JsonObject, mistakes: Mistake[]): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  for (const name of ["q", "uf"]) {
    const value = sent[name];
    if (value === undefined) continue;
    if (typeof value === "string") query.set(name, value);
    else if (name === "q" && typeof value === "number") query.set(name, String(value));
    else {
      const detail = `Must be a text, not ${shown(value)}.`;
      mistakes.push({ pointer: `/${name}`, code: "wrong_type", detail });
    }
  }
  if (isWhole(sent, "limit", [1, SUGGEST_LIMITS.limit], mistakes) && sent.limit !== undefined) {
    query.set("limit", String(sent.limit));
  }
  return query;
}

/** Returns notes about a CNPJ, and about an answer without accounts. */
function notesOf(found: Suggestions, text: string): readonly string[] {
  const { number, contact, refused: why, contact_refused: whyNot, suggestions } = found;
  const isWrong = number?.check_digits_right === false;
  const { kind, total = 0 } = contact ?? {};
  const whys = [
    ...(why === null ? [] : [refusalText(why)]),
    ...(whyNot === null ? [] : [contactRefusalText(whyNot)]),
  ];
  return [
    ...(contact !== null && total > suggestions.length
      ? [`${contactCount(contact)}: search_accounts with contact.${kind}_any_of has all.`]
      : []),
    ...(isWrong ? ["The check digits of this CNPJ are wrong: look for a mistyped one."] : []),
    // If the text is written like a phone number, it is meant as one, and the reason about contacts
    // comes first.
    ...(lacksArea(text) ? whys.reverse() : whys),
    ...(contact?.total === 0 ? [`No account has ${contact.value}.`] : []),
    ...(suggestions.length === 0 ? ["Nothing fits."] : []),
  ];
}

/** Maximum length of a text read as a CNPJ. */
const CNPJ_LENGTH_MAX = 64;

const ACCOUNT_ARGUMENTS = {
  cnpj: {
    type: "string",
    description: "14 characters with or without punctuation, such as 11.222.333/0001-81.",
  } as TSchema,
};

/**
 * Only the definition of search_accounts lists the fields, because models read all definitions in
 * every conversation.
 */
const FIELDS = { type: "object", description: "As in search_accounts." } as unknown as TSchema;

const ACCOUNT_DEFINITION = {
  name: "get_account",
  title: "Read one company",
  description:
    "Reads one establishment by its CNPJ: name, status, activities, address, contact, capital, " +
    "score. The first 8 characters of a CNPJ are the company, 0001 behind them is usually its " +
    "head office. Fields are described by search_accounts. To find a company by its name use " +
    "find_company. " +
    VALUES_NOTE,
  inputSchema: objectSchema(ACCOUNT_ARGUMENTS, ["cnpj"]),
  outputSchema: objectSchema({ ...SOURCE, account: FIELDS }, [...SOURCE_NAMES, "account"]),
  annotations: { title: "Read one company", ...READING },
};

/** The tool that reads one account. */
export const ACCOUNT_TOOL: Tool<QueryContext<QueryPart>> = {
  definition: ACCOUNT_DEFINITION,
  async run(sent, context) {
    const mistakes = unknownArguments(sent, Object.keys(ACCOUNT_ARGUMENTS));
    const { cnpj } = sent;
    const read = await withArgumentMistakes(mistakes, () => {
      const params = { cnpj: textOf(cnpj) };
      const call = calledWith(context, { params, header: () => undefined });
      return answeredBy<AnswerSource & { readonly account: JsonObject }>(readAccount(call));
    });
    const { account } = read;
    const known = Object.entries(account).filter(([, value]) => value !== null);
    const lines = known.map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    return {
      text: [sourceLine(read), ...lines].join("\n"),
      structured: { ...sourceOf(read), account },
      accounts: 1,
    };
  },
};

function textOf(cnpj: unknown): string {
  if (Number.isFinite(cnpj)) return String(cnpj);
  if (typeof cnpj === "string" && cnpj.length <= CNPJ_LENGTH_MAX) return cnpj;
  const detail = `Must be a CNPJ as a text, not ${shown(cnpj)}.`;
  const code = cnpj === undefined ? "missing" : "wrong_type";
  throw new AppError("invalid_request", detail, { errors: [{ pointer: "/cnpj", code, detail }] });
}
