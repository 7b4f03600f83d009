/**
 * Renders leads. Input: rows of a page, the plan's fields, and a language. Output: a JSON array of
 * accounts for sellers: names, address, activity, contact, size, age, score and its reasons.
 * Invariant: a member exists exactly if the plan allows its source fields. The reasons state the
 * same facts as a search's explanation of the account, and their points add up to its score.
 */
import {
  EXPLAIN_FIELDS,
  type ExplainedRow,
  type Explanation,
  explainer,
} from "../../../search/explain.ts";
import type { Projector } from "../../../search/project.ts";
import type { ScorePart } from "../../../search/score.ts";
import { guarded, type Segment } from "../../../search/segment.ts";
import type { OutputField } from "../../../spec/fields.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { wordFor } from "../../../text/amounts.ts";
import type { Language } from "../../../translate/notes.ts";

/** Output fields copied unchanged to a lead, in this order, if the plan allows them. */
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

/** Derived members, with their source fields: the plan must allow at least one of these. */
export const LEAD_WORDS = {
  phones: ["phone_1", "phone_2"],
  size: ["company_size_code"],
  age: ["started_on"],
  score: ["score"],
  score_reasons: ["score"],
} as const satisfies Readonly<Record<string, readonly OutputField[]>>;

type MadeMember = keyof typeof LEAD_WORDS;

const SOURCE_FIELDS = [...new Set([...LEAD_FIELDS, ...EXPLAIN_FIELDS])];

/** Context shared by the leads of a page. */
interface LeadReading {
  readonly segment: Segment;
  readonly spec: AccountQuerySpec;
  /** Fields that the plan allows. */
  readonly allowed: readonly string[];
  readonly language: Language;
}

type LeadSource = ExplainedRow & Readonly<Record<string, unknown>>;

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

/** Returns a renderer of leads. */
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

const SIZES: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  pt: {
    "00": "porte não informado",
    "01": "microempresa",
    "03": "empresa de pequeno porte",
    "05": "demais portes (média ou grande)",
  },
  en: {
    "00": "size not informed",
    "01": "micro company",
    "03": "small company",
    "05": "other sizes (medium or large)",
  },
};

/** Returns a size in words; null if unknown. */
function sizeInWords(code: string | null, language: Language): string | null {
  return code === null ? null : (SIZES[language][code] ?? null);
}

/** Returns the time between two dates (`YYYY-MM-DD`) in years and months, or null. */
export function ageInWords(from: string | null, to: string, language: Language): string | null {
  if (from === null || from > to) return null;
  const [fromYear, fromMonth, fromDay] = numbersOf(from);
  const [toYear, toMonth, toDay] = numbersOf(to);
  const whole = (toYear - fromYear) * 12 + toMonth - fromMonth - (toDay < fromDay ? 1 : 0);
  const years = counted(Math.floor(whole / 12), WORDS[language].year);
  const months = counted(whole % 12, WORDS[language].month);
  const parts = [years, months].filter((part) => part !== "");
  return parts.length === 0 ? WORDS[language].new : parts.join(WORDS[language].and);
}

const WORDS = {
  pt: {
    year: ["ano", "anos"],
    month: ["mês", "meses"],
    and: " e ",
    new: "menos de um mês",
  },
  en: {
    year: ["year", "years"],
    month: ["month", "months"],
    and: " and ",
    new: "less than a month",
  },
} as const;

function numbersOf(date: string): [number, number, number] {
  return [Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8, 10))];
}

function counted(count: number, [one, more]: readonly [string, string]): string {
  return count === 0 ? "" : `${count} ${wordFor(count, one, more)}`;
}

/** Wording for each part of a score. */
const REASONS: Readonly<Record<Language, Readonly<Record<ScorePart | "sanction", string>>>> = {
  pt: {
    status: "situação cadastral",
    email: "tem e-mail",
    phone: "tem telefone",
    age: "tempo de atividade",
    recency: "abertura recente",
    size: "porte",
    capital: "capital social",
    activity: "atividade informada",
    headquarters: "é a matriz",
    sanction: "sanção em vigor",
  },
  en: {
    status: "registration status",
    email: "has an e-mail address",
    phone: "has a phone",
    age: "time in business",
    recency: "opened recently",
    size: "size",
    capital: "share capital",
    activity: "activity is known",
    headquarters: "is the head office",
    sanction: "sanction in force",
  },
};

/** Returns the non-zero parts of a score, largest first: "tem e-mail: +110". */
function reasonsInWords({ parts }: Explanation, language: Language): string[] {
  return Object.entries(parts)
    .filter(([, points]) => points !== 0)
    .sort(([, one], [, other]) => Math.abs(other) - Math.abs(one))
    .map(([part, points]) => {
      const words = REASONS[language][part as ScorePart | "sanction"];
      return `${words}: ${points > 0 ? "+" : "−"}${Math.abs(points)}`;
    });
}
