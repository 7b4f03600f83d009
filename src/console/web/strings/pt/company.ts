/**
 * Portuguese words of the page of a company. What comes in: values that are formatted already, and
 * counts. What goes out: text.
 * Invariant: the same keys as the English table, by its type.
 */
import { number } from "../../app/format.ts";
import type { company as English } from "../en/company.ts";

/** Words of this area. */
export const company: typeof English = {
  back: "Voltar à busca",
  print: "Imprimir",
  unknownTitle: "Não está nestes dados",
  unknown: (cnpj) => `Nenhum estabelecimento destes dados tem o CNPJ ${cnpj}.`,
  mistyped: "Os dígitos verificadores não conferem: veja se foi digitado certo.",
  establishments: "Estabelecimentos da empresa",
  establishmentsOf: (count) =>
    count === 1 ? "Único estabelecimento" : `${number(count)} estabelecimentos da empresa`,
  more: (left) => `Mostrar mais (faltam ${left})`,
};
