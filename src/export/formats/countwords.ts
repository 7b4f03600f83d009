/**
 * Returns the names of facets and of their values, for files of counts. Input: a facet, a value,
 * and a language. Output: the words that the console uses.
 * Invariant: a value without a name is shown as its code.
 */
import { BRANCHES_EN } from "../../spec/branches-en.ts";
import { BRANCHES_PT } from "../../spec/branches-pt.ts";
import type { FacetName } from "../../spec/facets.ts";
import { LABEL_LANGUAGES, type LabelLanguage, valueWord } from "../../spec/fields/words.ts";
import { STATE_NAMES } from "../../spec/states.ts";

/** A text in each language of labels. */
export type LabelTexts = readonly [pt: string, en: string];

const FACET_WORDS: Readonly<Record<FacetName, LabelTexts>> = {
  uf: ["UF", "State"],
  municipality: ["Município", "Municipality"],
  cnae_section: ["Seção CNAE", "CNAE section"],
  cnae_division: ["Divisão CNAE", "CNAE division"],
  cnae_group: ["Grupo CNAE", "CNAE group"],
  cnae_class: ["Classe CNAE", "CNAE class"],
  cnae_subclass: ["Atividade principal", "Primary activity"],
  registration_status: ["Situação", "Status"],
  company_size: ["Porte", "Size"],
  started_year: ["Ano de abertura", "Opening year"],
  legal_nature: ["Natureza jurídica", "Legal nature"],
  simples: ["Simples", "Simples"],
  mei: ["MEI", "MEI"],
  headquarters: ["Matriz ou filial", "Head office or branch"],
  contact: ["Contato", "Contact"],
  started_quarter: ["Trimestre de abertura", "Opening quarter"],
  started_month: ["Mês de abertura", "Opening month"],
  status_year: ["Ano da situação", "Year of the status"],
  status_quarter: ["Trimestre da situação", "Quarter of the status"],
  status_month: ["Mês da situação", "Month of the status"],
};

/** Name of the line of all matches. */
export const TOTAL: LabelTexts = ["Total", "Total"];
const NO_VALUE: LabelTexts = ["Sem informação", "No value"];
const CONTACTS: Readonly<Record<string, LabelTexts>> = {
  none: ["Nenhum", "None"],
  email: ["E-mail", "E-mail"],
  phone: ["Telefone", "Phone"],
  email_and_phone: ["E-mail e telefone", "E-mail and phone"],
};
const STATUSES = [
  null,
  "null",
  "active",
  "suspended",
  "unfit",
  null,
  null,
  null,
  "closed",
] as const;
const SIZES: Readonly<Record<string, "unknown" | "micro" | "small" | "other">> = {
  "00": "unknown",
  "01": "micro",
  "03": "small",
  "05": "other",
};

const ABROAD: LabelTexts = ["Exterior", "Abroad"];
const BRANCHES = { pt: BRANCHES_PT, en: BRANCHES_EN } as const;

/** Returns a text in a language. */
export function inWords(words: LabelTexts, language: LabelLanguage): string {
  return words[LABEL_LANGUAGES.indexOf(language)] as string;
}

/** Returns the name of a facet. */
export function facetWord(name: FacetName, language: LabelLanguage): string {
  return inWords(FACET_WORDS[name], language);
}

/** A value of a facet with its name, if any. Null stands for matches without a value. */
interface NamedValue {
  readonly value: string | number | boolean | null;
  readonly label?: string;
}

/** Returns the name of a value, or "" if it has none. */
export function valueWords(
  name: FacetName,
  { value, label = "" }: NamedValue,
  language: LabelLanguage,
): string {
  if (value === null) return inWords(NO_VALUE, language);
  if (label !== "") return label;
  const code = String(value);
  if (name === "uf") return code === "EX" ? inWords(ABROAD, language) : (STATE_NAMES[code] ?? "");
  if (name === "cnae_section" || name === "cnae_division") return BRANCHES[language][code] ?? "";
  if (name === "contact") return inWords(CONTACTS[code] as LabelTexts, language);
  if (name === "headquarters") return valueWord(value ? "head_office" : "branch", language);
  if (typeof value === "boolean") return valueWord(value ? "yes" : "no", language);
  const status = name === "registration_status" ? STATUSES[Number(value)] : null;
  if (status) return valueWord(`status_${status}`, language);
  const size = name === "company_size" ? SIZES[code] : undefined;
  return size === undefined ? "" : valueWord(`size_${size}`, language);
}
