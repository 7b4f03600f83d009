/**
 * Portuguese words of the dialog of all numbers, of the comparison of two groups, of cross tables,
 * and of plans.
 * Invariant: the same keys as the English tables, by their types.
 */
import { number } from "../../app/format.ts";
import type * as English from "../en/compare.ts";

/** Words of the dialog of all numbers. */
export const numbers: typeof English.numbers = {
  failed: "Não deu para contar os números.",
  copy: "Copiar tabela",
  search: "Procurar nos valores",
  lines: (lines) => (lines === 1 ? "1 linha" : `${number(lines)} linhas`),
  more: (lines) => `Mostrar mais ${number(lines)}`,
  event: "O quê",
  events: { opened: "Aberturas", closed: "Baixas" },
  period: "Por",
  periods: { year: "Ano", quarter: "Trimestre", month: "Mês" },
};
