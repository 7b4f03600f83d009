/**
 * The words with which a file describes its spec, in tables by language.
 * Invariant: both languages have the same meaning. Files for programs use the English words.
 * Separate because describe.ts, which has the rules, would be twice as long.
 */

import { REASONS_PT } from "../../spec/fields/reasons.ts";
import { REASONS_EN } from "../../spec/fields/reasons-en.ts";
import type { LabelLanguage } from "../../spec/fields/words.ts";
import type { COMPANY_SIZE_CODES, REGISTRATION_STATUSES, SortField } from "../../spec/fields.ts";
import type { DEBT_KINDS, MISSING_CONTACTS } from "../../spec/filters/wider.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";

type Mode = AccountQuerySpec["filters"]["industry"]["secondary_cnae_mode"];

/** All words for specs except the names of filters. */
export interface DescribeWords {
  /** Locale of numbers. */
  readonly locale: string;
  readonly statuses: Readonly<Record<(typeof REGISTRATION_STATUSES)[number], string>>;
  readonly sizes: Readonly<Record<(typeof COMPANY_SIZE_CODES)[number], string>>;
  readonly modes: Readonly<Record<Mode, string>>;
  /** Name of a sort field, with words for ascending and descending order. */
  readonly sorts: Readonly<Record<SortField, readonly [name: string, asc: string, desc: string]>>;
  readonly strategies: Readonly<Record<string, string>>;
  readonly abroad: string;
  readonly headOffices: string;
  readonly branches: string;
  readonly inIt: string;
  readonly notInIt: string;
  readonly startedOn: (day: string) => string;
  readonly day: (iso: string) => string;
  readonly known: string;
  readonly thenBy: string;
  readonly order: string;
  readonly score: string;
  readonly seed: string;
  readonly limit: string;
  readonly atMost: (count: string, one: boolean) => string;
  readonly changes: string;
  readonly watched: string;
  readonly byCnpj: string;
  readonly yes: string;
  readonly no: string;
  readonly missing: Readonly<Record<(typeof MISSING_CONTACTS)[number], string>>;
  readonly debts: Readonly<Record<(typeof DEBT_KINDS)[number], string>>;
  /** Returns the name of a status reason, or null if it has none. */
  readonly reason: (code: string) => string | null;
}

const EN: DescribeWords = {
  locale: "en-US",
  statuses: { 1: "null", 2: "active", 3: "suspended", 4: "unfit", 8: "closed" },
  sizes: { "00": "not informed", "01": "micro company", "03": "small company", "05": "other" },
  modes: {
    off: "by the primary activity alone",
    fallback: "by the primary activity; secondary ones fill up to the limit",
    full: "by the primary or a secondary activity",
  },
  sorts: {
    score: ["score", "lowest first", "highest first"],
    started_on: ["start of the activity", "oldest first", "newest first"],
    share_capital: ["share capital", "lowest first", "highest first"],
    legal_name: ["legal name", "A to Z", "Z to A"],
    cnpj: ["CNPJ", "ascending", "descending"],
    company_size: ["company size", "smallest code first", "largest code first"],
    municipality_population: ["population of the municipality", "smallest first", "largest first"],
  },
  strategies: { random: "none: drawn by lot" },
  abroad: "abroad",
  headOffices: "head offices alone",
  branches: "branches alone",
  inIt: "in it",
  notInIt: "known not to be in it",
  startedOn: (day) => `on ${day} or later`,
  day: (iso) => iso,
  known: "known",
  thenBy: "; then ",
  order: "Order",
  score: "Score",
  seed: "Seed",
  limit: "Limit",
  atMost: (count, one) => `at most ${count} ${one ? "account" : "accounts"}`,
  changes: "Changes",
  watched: "Watched fields",
  byCnpj: "CNPJ, ascending",
  yes: "yes",
  no: "no",
  missing: {
    email: "no e-mail",
    phone: "no phone",
    mobile: "no mobile phone",
    any: "neither e-mail nor phone",
  },
  debts: { fgts: "FGTS", social_security: "social security", other: "other" },
  reason: (code) => REASONS_EN[code as keyof typeof REASONS_EN] ?? null,
};

const PT: DescribeWords = {
  locale: "pt-BR",
  statuses: { 1: "nula", 2: "ativa", 3: "suspensa", 4: "inapta", 8: "baixada" },
  sizes: {
    "00": "não informado",
    "01": "microempresa",
    "03": "pequeno porte",
    "05": "médio ou grande",
  },
  modes: {
    off: "só pela atividade principal",
    fallback: "pela atividade principal; as secundárias completam até o limite",
    full: "pela atividade principal ou por uma secundária",
  },
  sorts: {
    score: ["pontuação", "menor primeiro", "maior primeiro"],
    started_on: ["abertura", "mais antigas primeiro", "mais novas primeiro"],
    share_capital: ["capital social", "menor primeiro", "maior primeiro"],
    legal_name: ["razão social", "de A a Z", "de Z a A"],
    cnpj: ["CNPJ", "crescente", "decrescente"],
    company_size: ["porte", "menor código primeiro", "maior código primeiro"],
    municipality_population: ["população do município", "menor primeiro", "maior primeiro"],
  },
  strategies: {
    random: "nenhuma: sorteio",
    balanced: "equilibrada",
    contactable: "fáceis de contatar",
    newest: "mais novas",
    established: "consolidadas",
  },
  abroad: "exterior",
  headOffices: "somente matrizes",
  branches: "somente filiais",
  inIt: "sim",
  notInIt: "não optante",
  startedOn: (day) => `em ${day} ou depois`,
  day: (iso) => iso.split("-").reverse().join("/"),
  known: "informado",
  thenBy: "; depois ",
  order: "Ordem",
  score: "Pontuação",
  seed: "Semente do sorteio",
  limit: "Limite",
  atMost: (count, one) => `no máximo ${count} ${one ? "estabelecimento" : "estabelecimentos"}`,
  changes: "Mudanças",
  watched: "Campos acompanhados",
  byCnpj: "CNPJ, crescente",
  yes: "sim",
  no: "não",
  missing: {
    email: "sem e-mail",
    phone: "sem telefone",
    mobile: "sem celular",
    any: "sem e-mail e sem telefone",
  },
  debts: { fgts: "FGTS", social_security: "previdenciária", other: "não previdenciária" },
  reason: (code) => REASONS_PT[code as keyof typeof REASONS_PT] ?? null,
};

/** Returns the words of a language. Files for programs use English. */
export function describeWords(language: LabelLanguage | undefined): DescribeWords {
  return language === "pt" ? PT : EN;
}
