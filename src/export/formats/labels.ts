/**
 * Headings of columns for people. Input: the name of an output field, or of a column that
 * `include_explain` or an export of changes adds. Output: a short heading, a sentence, a width.
 * Invariant: names of fields come only from the tables of fields and presets. Headings contain
 * neither quotes nor backslashes, so that they can be used in a style sheet.
 */

import { HEADINGS_PT, SENTENCES_PT } from "../../spec/fields/headings.ts";
import { HEADINGS_EN } from "../../spec/fields/headings-en.ts";
import type { LabelLanguage } from "../../spec/fields/words.ts";
import { OUTPUT_FIELDS, type OutputField } from "../../spec/fields.ts";
import { addedColumns, PRESETS } from "../../spec/presets.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";

/** A column's heading in plain words, with its explanation. */
export interface ColumnLabel {
  readonly heading: string;
  readonly sentence: string;
  /** Width in characters that fits most values; longer values wrap. */
  readonly width: number;
}

/** Output options that affect headings. */
type LabelChoice = Pick<AccountQuerySpec["output"], "labels" | "preset">;

/** Width of explain columns: points, codes, and single words. */
const EXPLAINED_WIDTH = 12;

/** Width of columns with lists and addresses. */
const LONG_WIDTHS: Readonly<Record<string, number>> = {
  changed_fields: 24,
  ...{ address_before: 44, address_after: 44, contact_before: 32, contact_after: 32 },
};

/** Width of columns that layouts add: a few words. */
const ADDED_WIDTH = 22;

/** Heading and sentence of columns that are not fields, by name. */
type Explained = Readonly<Record<string, readonly [heading: string, sentence: string]>>;

const EXPLAINED: Explained = {
  change: ["Change", "Whether the account entered, left or changed."],
  changed_fields: ["Changed fields", "Watched fields whose values differ between the snapshots."],
  status_before: ["Status before", "Registration status in the older snapshot."],
  status_after: ["Status now", "Registration status in the newer snapshot."],
  address_before: ["Address before", "Address in the older snapshot, if it changed."],
  address_after: ["Address now", "Address in the newer snapshot, if it changed."],
  contact_before: ["Contact before", "E-mail and phones in the older snapshot, if they changed."],
  contact_after: ["Contact now", "E-mail and phones in the newer snapshot, if they changed."],
  simples_before: ["Simples before", "Simples Nacional in the older snapshot, if it changed."],
  simples_after: ["Simples now", "Simples Nacional in the newer snapshot, if it changed."],
  mei_before: ["MEI before", "MEI in the older snapshot, if it changed."],
  mei_after: ["MEI now", "MEI in the newer snapshot, if it changed."],
  explain_score: ["Score", "Score of the strategy: the sum of its parts."],
  explain_matched: ["Matched", "Activity that met the filter."],
  explain_matched_as: ["Matched as", "Whether it is the primary or a secondary activity."],
  explain_sanction: ["Points: sanction", "What a sanction in force takes off the score."],
};

const EXPLAINED_PT: Explained = {
  change: ["Mudança", "Se o estabelecimento entrou, saiu ou mudou."],
  changed_fields: ["Campos alterados", "Campos acompanhados cujos valores mudaram."],
  status_before: ["Situação antes", "Situação cadastral na base anterior."],
  status_after: ["Situação agora", "Situação cadastral na base nova."],
  address_before: ["Endereço antes", "Endereço na base anterior, se mudou."],
  address_after: ["Endereço agora", "Endereço na base nova, se mudou."],
  contact_before: ["Contato antes", "E-mail e telefones na base anterior, se mudaram."],
  contact_after: ["Contato agora", "E-mail e telefones na base nova, se mudaram."],
  simples_before: ["Simples antes", "Simples Nacional na base anterior, se mudou."],
  simples_after: ["Simples agora", "Simples Nacional na base nova, se mudou."],
  mei_before: ["MEI antes", "MEI na base anterior, se mudou."],
  mei_after: ["MEI agora", "MEI na base nova, se mudou."],
  explain_score: ["Pontuação calculada", "Pontuação da estratégia: a soma das suas partes."],
  explain_matched: ["Atividade encontrada", "Atividade que atendeu ao filtro."],
  explain_matched_as: ["Encontrada como", "Se é a atividade principal ou uma secundária."],
  explain_sanction: ["Pontos: sanção", "O que uma sanção em vigor tira da pontuação."],
};

const PARTS_PT: Readonly<Record<string, string>> = {
  status: "situação",
  email: "e-mail",
  phone: "telefone",
  age: "tempo de atividade",
  recency: "abertura recente",
  size: "porte",
  capital: "capital",
  activity: "atividade conhecida",
  headquarters: "matriz",
};

/** Returns heading, sentence, and width of a column. */
export function columnLabel(name: string, { labels, preset }: LabelChoice = {}): ColumnLabel {
  const field = OUTPUT_FIELDS.find((row) => row.name === name);
  if (field !== undefined) {
    const { heading, width } = field.shown;
    const sentence = labels === "pt" ? SENTENCES_PT[field.name] : field.description;
    const called = labels === undefined ? heading : headingOf(field.name, labels, preset);
    return { heading: called, sentence, width };
  }
  const added = addedColumns(preset).find((column) => column.name === name);
  if (added !== undefined) {
    const [heading, sentence] = added[labels ?? "en"];
    return { heading, sentence, width: ADDED_WIDTH };
  }
  const part = name.replace("explain_", "");
  const [heading, sentence] = labels === "pt" ? explainedPt(name, part) : explained(name, part);
  return { heading, sentence, width: longWidth(name) ?? EXPLAINED_WIDTH };
}

/** Returns the width of a column of lists or addresses, or undefined for other columns. */
export function longWidth(name: string): number | undefined {
  return LONG_WIDTHS[name];
}

/** Returns the cells of a header: names for programs, or headings for people. */
export function headerCells(names: readonly string[], choice: LabelChoice): readonly string[] {
  return choice.labels === undefined
    ? names
    : names.map((name) => columnLabel(name, choice).heading);
}

function headingOf(
  field: OutputField,
  language: LabelLanguage,
  preset: LabelChoice["preset"],
): string {
  const column = preset && PRESETS[preset].columns.find(([name]) => name === field);
  if (column) return column[language === "pt" ? 1 : 2];
  return (language === "pt" ? HEADINGS_PT : HEADINGS_EN)[field];
}

function explained(name: string, part: string): readonly [heading: string, sentence: string] {
  return EXPLAINED[name] ?? [`Points: ${part}`, `Part of the score for: ${part}.`];
}

function explainedPt(name: string, part: string): readonly [heading: string, sentence: string] {
  const label = PARTS_PT[part] ?? part;
  return EXPLAINED_PT[name] ?? [`Pontos: ${label}`, `Parte da pontuação: ${label}.`];
}
