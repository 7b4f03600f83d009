/**
 * The tool `get_account`. What comes in: a CNPJ. What goes out: everything that the plan shows of
 * the establishment.
 * Invariant: the account is that of GET /v1/accounts/{cnpj}; what is no CNPJ and what is not in the
 * registry are told apart.
 */
import type { TSchema } from "typebox";
import { AppError } from "../errors.ts";
import { readAccount } from "../http/api/accounts/accounts.ts";
import { calledWith } from "../http/server/routetable.ts";
import type { AskedPart, Question } from "../http/server/service.ts";
import { type JsonObject, shown } from "../spec/reader.ts";
import { unknownArguments, withArgumentMistakes } from "./mistakes.ts";
import {
  ACCOUNT_TYPES,
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
} from "./tool.ts";

/** Longest text that is looked at as a CNPJ. */
const CNPJ_LENGTH_MAX = 64;

const ARGUMENTS = {
  cnpj: {
    type: "string",
    description: "14 characters with or without punctuation, such as 11.222.333/0001-81.",
  } as TSchema,
};

const DEFINITION = {
  name: "get_account",
  title: "Read one company",
  description:
    "Reads one establishment by its CNPJ: name, status, activities, address, contact, capital, " +
    "score. The first 8 characters of a CNPJ are the company, 0001 behind them is usually its " +
    "head office. Fields are described by search_accounts. To find a company by its name use " +
    "find_company. " +
    VALUES_NOTE,
  inputSchema: objectSchema(ARGUMENTS, ["cnpj"]),
  outputSchema: objectSchema({ ...SOURCE, account: ACCOUNT_TYPES }, [...SOURCE_NAMES, "account"]),
  annotations: { title: "Read one company", ...READING },
};

/** The tool. */
export const ACCOUNT_TOOL: Tool<Question<AskedPart>> = {
  definition: DEFINITION,
  async run(sent, asker) {
    const mistakes = unknownArguments(sent, Object.keys(ARGUMENTS));
    const { cnpj } = sent;
    const read = await withArgumentMistakes(mistakes, () => {
      const params = { cnpj: textOf(cnpj) };
      const call = calledWith(asker, { params, header: () => undefined });
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
  if (typeof cnpj === "number") return String(cnpj);
  if (typeof cnpj === "string" && cnpj.length <= CNPJ_LENGTH_MAX) return cnpj;
  const detail = `Must be a CNPJ as a text, not ${shown(cnpj)}.`;
  const code = cnpj === undefined ? "missing" : "wrong_type";
  throw new AppError("invalid_request", detail, { errors: [{ pointer: "/cnpj", code, detail }] });
}
