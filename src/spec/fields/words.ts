/**
 * Portuguese and English words for codes, booleans, and code prefixes in files for people
 * (`output.labels`); native-index/headers.mjs generates the addon's words from here.
 * Invariant: words consist of letters, blanks, and brackets, so no format must quote or escape
 * them.
 */

/** Languages of labels, in the order of the words. */
export const LABEL_LANGUAGES = ["pt", "en"] as const;

/** Language of the headers and values of a file for people. */
export type LabelLanguage = (typeof LABEL_LANGUAGES)[number];

/** Every word, in Portuguese and in English. */
export const VALUE_WORDS = {
  yes: ["Sim", "Yes"],
  no: ["Não", "No"],
  head_office: ["Matriz", "Head office"],
  branch: ["Filial", "Branch"],
  mobile: ["Celular", "Mobile"],
  landline: ["Fixo", "Landline"],
  status_null: ["Nula", "Null"],
  status_active: ["Ativa", "Active"],
  status_suspended: ["Suspensa", "Suspended"],
  status_unfit: ["Inapta", "Unfit"],
  status_closed: ["Baixada", "Closed"],
  primary: ["Principal", "Primary"],
  secondary: ["Secundária", "Secondary"],
  entered: ["Entrou", "Entered"],
  left: ["Saiu", "Left"],
  changed: ["Mudou", "Changed"],
  size_unknown: ["Não informado", "Not informed"],
  size_micro: ["Microempresa", "Micro"],
  size_small: ["Pequeno porte", "Small"],
  size_other: ["Médio ou grande", "Medium or large"],
  reason: ["Motivo", "Reason"],
  city_code: ["TOM", "TOM"],
  country_code: ["País", "Country"],
} as const satisfies Readonly<Record<string, readonly [pt: string, en: string]>>;

/** A word in a language. */
export function valueWord(name: keyof typeof VALUE_WORDS, language: LabelLanguage): string {
  return VALUE_WORDS[name][LABEL_LANGUAGES.indexOf(language)] as string;
}
