/**
 * The slow reference implementation of labels (`output.labels`), in both directions: converts a
 * field's value to its text in a language, and back.
 * Invariant: uses nothing of the addon or of the product's tables except the texts of
 * reasons, which are too many to write twice. The rules are written independently from
 * native-index/render/rows.h and docs/exports.md.
 */
import { REASONS_PT } from "../../../src/spec/fields/reasons.ts";
import { REASONS_EN } from "../../../src/spec/fields/reasons-en.ts";

/** Language of labels. */
export type Language = "pt" | "en";

const WORDS: Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>> = {
  headquarters: { true: ["Matriz", "Head office"], false: ["Filial", "Branch"] },
  registration_status: {
    1: ["Nula", "Null"],
    2: ["Ativa", "Active"],
    3: ["Suspensa", "Suspended"],
    4: ["Inapta", "Unfit"],
    8: ["Baixada", "Closed"],
  },
  company_size_code: {
    "00": ["Não informado", "Not informed"],
    "01": ["Microempresa", "Micro"],
    "03": ["Pequeno porte", "Small"],
    "05": ["Médio ou grande", "Medium or large"],
  },
};
const YES_NO = { true: ["Sim", "Yes"], false: ["Não", "No"] } as const;
const PHONE_KINDS = { mobile: ["Celular", "Mobile"], landline: ["Fixo", "Landline"] } as const;
const FLAGS = [
  ...["simples_opt_in", "mei_opt_in", "sanctioned", "email_own_domain", "in_cnep", "in_cepim"],
  ...["federal_debt", "federal_debt_fgts", "federal_debt_social_security", "federal_debt_other"],
];
for (const field of FLAGS) {
  (WORDS as Record<string, unknown>)[field] = YES_NO;
}
for (const field of ["phone_1_kind", "phone_2_kind"]) {
  (WORDS as Record<string, unknown>)[field] = PHONE_KINDS;
}

for (const [code, word] of Object.entries(REASONS_PT)) {
  const words = (WORDS.registration_status_reason ?? {}) as Record<
    string,
    readonly [string, string]
  >;
  words[code] = [word, REASONS_EN[code as keyof typeof REASONS_PT]];
  (WORDS as Record<string, unknown>).registration_status_reason = words;
}
/** Words that precede a code for which there is no text. */
const BEFORE: Readonly<Record<string, readonly [string, string]>> = {
  registration_status_reason: ["Motivo ", "Reason "],
  municipality_tom: ["TOM ", "TOM "],
  country_code: ["País ", "Country "],
};

const DATES = [
  ...["started_on", "registration_status_date", "simples_excluded_on", "mei_excluded_on"],
];
const PHONES = ["phone_1", "phone_2"];

/** Returns the text of a value, or undefined if the value stays unchanged. */
export function labelledTwin(
  field: string,
  value: unknown,
  language: Language,
): string | undefined {
  if (value === null) return undefined;
  const text = String(value);
  const word = WORDS[field]?.[text];
  if (word !== undefined) return word[language === "pt" ? 0 : 1];
  const before = BEFORE[field];
  if (before !== undefined) return before[language === "pt" ? 0 : 1] + text;
  if (field === "cnpj") {
    return text.replace(/^(..)(...)(...)(....)(..)$/, "$1.$2.$3/$4-$5");
  }
  if (field === "cnpj_root") return text.replace(/^(..)(...)(...)$/, "$1.$2.$3");
  if (field === "cnae_primary") return activity(text);
  if (field === "cnae_secondary") return (value as string[]).map(activity).join(", ");
  if (field === "legal_nature") return text.replace(/^(...)(.)$/, "$1-$2");
  if (field === "postal_code") return text.replace(/^(\d\d)(\d{3})(\d{3})$/, "$1.$2-$3");
  if (DATES.includes(field)) return text.replace(/^(?!0000)(\d{4})-(\d\d)-(\d\d)$/, "$3/$2/$1");
  if (PHONES.includes(field)) return phone(text);
  if (field === "share_capital" || field === "federal_debt_total") {
    const amount = Number(value).toFixed(2);
    return language === "pt" ? amount.replace(".", ",") : amount;
  }
  return undefined;
}

/** Inserts thousands separators into a number. */
export function groupedTwin(text: string, language: Language): string {
  const [whole = "", ...decimals] = text.split(language === "pt" ? "," : ".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, language === "pt" ? "." : ",");
  return [grouped, ...decimals].join(language === "pt" ? "," : ".");
}

function activity(code: string): string {
  return code.replace(/^(\d{4})(\d)(\d\d)$/, "$1-$2/$3");
}

function phone(text: string): string {
  const found = /^\+55([1-9][1-9]|[2-9]0)(\d{3,5})(\d{4})$/.exec(text);
  if (found === null) return text.replace(/^(\+\d{1,2})/, "$1 ");
  return `(${found[1]}) ${found[2]}-${found[3]}`;
}

/** Returns the value that a cell's text stands for, as in a search, or null for no text. */
export function readLabelled(field: string, text: string, language: Language): unknown {
  if (field === "cnae_secondary") {
    return text === "" ? [] : text.split(", ").map((code) => code.replace(/[-/]/g, ""));
  }
  if (text === "") return null;
  const before = BEFORE[field]?.[language === "pt" ? 0 : 1];
  if (before !== undefined && text.startsWith(before)) return text.slice(before.length);
  const words = WORDS[field];
  if (words !== undefined) {
    const found = Object.entries(words).find(
      ([, word]) => word[language === "pt" ? 0 : 1] === text,
    );
    const value = found?.[0] ?? text;
    if (value === "true" || value === "false") return value === "true";
    return field === "registration_status" ? Number(value) : value;
  }
  if (["cnpj", "cnpj_root", "cnae_primary", "legal_nature", "postal_code"].includes(field)) {
    return text.replace(/[./-]/g, "");
  }
  if (DATES.includes(field)) return text.replace(/^(\d\d)\/(\d\d)\/(\d{4})$/, "$3-$2-$1");
  if (PHONES.includes(field)) {
    return text.startsWith("(") ? `+55${text.replace(/\D/g, "")}` : text.replace(" ", "");
  }
  if (field === "share_capital" || field === "federal_debt_total") {
    return Number(language === "pt" ? text.replaceAll(".", "").replace(",", ".") : text);
  }
  return text;
}
