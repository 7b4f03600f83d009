/**
 * English words of the page of a company. What comes in: values that are formatted already, and
 * counts. What goes out: text.
 * Invariant: the Portuguese table has the same keys.
 */
import { number } from "../../app/format.ts";

/** Words of this area. */
export const company = {
  back: "To the search",
  print: "Print",
  unknownTitle: "Not in this data",
  unknown: (cnpj: string) => `No establishment of this data has the CNPJ ${cnpj}.`,
  mistyped: "Its check digits are wrong: look whether it was typed right.",
  establishments: "Establishments of the company",
  establishmentsOf: (count: number) =>
    count === 1 ? "The only establishment" : `${number(count)} establishments of the company`,
  more: (left: string) => `Show more (${left} left)`,
};
