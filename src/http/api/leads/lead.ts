/**
 * What a lead is. What comes in: rows of a page, what the plan allows, and a language. What goes
 * out: the text of a JSON array with what a seller needs of each account: names, address, activity,
 * contact, size, age, score and its reasons.
 * Invariant: a member is there exactly when the plan allows the fields that it is made of; the
 * reasons are those of the explanation that a search gives of the same account.
 */
import {
  EXPLAIN_FIELDS,
  type ExplainedRow,
  type Explanation,
  explainer,
} from "../../../search/explain.ts";
import type { Projector } from "../../../search/project.ts";
import { guarded, type Segment } from "../../../search/segment.ts";
import type { OutputField } from "../../../spec/fields.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import type { Language } from "../../../translate/notes.ts";
import { ageInWords, reasonsInWords, sizeInWords } from "./leadwords.ts";

/** Output fields that a lead has as they are, in this order, where the plan allows them. */
export const LEAD_FIELDS = [
  "cnpj",
  "cnpj_root",
  "legal_name",
  "trade_name",
  "headquarters",
  "registration_status",
  "cnae_primary",
  "cnae_primary_description",
  "street",
  "street_number",
  "address_complement",
  "district",
  "postal_code",
  "municipality_name",
  "municipality_ibge",
  "uf",
  "email",
  "company_size_code",
  "share_capital",
  "simples_opt_in",
  "mei_opt_in",
  "started_on",
] as const satisfies readonly OutputField[];

/** Members that are made of fields, with the fields of which the plan must allow one. */
export const LEAD_WORDS = {
  phones: ["phone_1", "phone_2"],
  size: ["company_size_code"],
  age: ["started_on"],
  score: ["score"],
  score_reasons: ["score"],
} as const satisfies Readonly<Record<string, readonly OutputField[]>>;

type MadeMember = keyof typeof LEAD_WORDS;

/** Everything that a lead is made of. */
const SOURCE_FIELDS = [...new Set([...LEAD_FIELDS, ...EXPLAIN_FIELDS])];

/** What the leads of a page have in common. */
interface LeadReading {
  readonly segment: Segment;
  readonly spec: AccountQuerySpec;
  /** Fields that the plan allows. */
  readonly allowed: readonly string[];
  readonly language: Language;
}

/** An account as rendered. */
type LeadSource = ExplainedRow & Readonly<Record<string, unknown>>;

/** What made members are made from. */
interface LeadFacts {
  readonly account: LeadSource;
  readonly explanation: Explanation;
  readonly context: LeadReading;
}

const MAKERS: Readonly<Record<MadeMember, (facts: LeadFacts) => unknown>> = {
  phones: ({ account, context }) =>
    LEAD_WORDS.phones
      .filter((field) => context.allowed.includes(field) && account[field] !== null)
      .map((field) => account[field]),
  size: ({ account, context }) => sizeInWords(account.company_size_code, context.language),
  age: ({ account, context: { segment, language } }) =>
    ageInWords(account.started_on, segment.snapshotDate, language),
  score: ({ explanation }) => explanation.score,
  score_reasons: ({ explanation, context }) => reasonsInWords(explanation, context.language),
};

/** Makes what renders rows as leads. */
export function leadProjector(context: LeadReading): Projector {
  const { segment, spec, allowed } = context;
  const explain = explainer(segment, spec);
  const fields = LEAD_FIELDS.filter((name) => allowed.includes(name));
  const made = (Object.keys(LEAD_WORDS) as MadeMember[]).filter((name) =>
    LEAD_WORDS[name].some((field) => allowed.includes(field)),
  );
  const makers = made.map((name) => [name, MAKERS[name]] as const);
  return (rows) => {
    const text = guarded(() => segment.native.renderJson(rows, SOURCE_FIELDS));
    const accounts = JSON.parse(Buffer.from(text).toString()) as LeadSource[];
    const leads = accounts.map((account) => {
      const lead: Record<string, unknown> = {};
      for (const name of fields) lead[name] = account[name];
      const facts = { account, explanation: explain(account), context };
      for (const [name, make] of makers) lead[name] = make(facts);
      return lead;
    });
    return Buffer.from(JSON.stringify(leads));
  };
}
