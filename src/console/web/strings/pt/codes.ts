/**
 * What codes of the registry are called in Portuguese. What comes in: the English table, for its
 * keys. What goes out: names by code.
 * Invariant: filters, charts, table and drawer take the names from here, so that a size or a status
 * is called the same wherever it stands.
 */
import type { codes as English } from "../en/codes.ts";

/** Words of this area. */
export const codes: typeof English = {
  sizes: {
    "00": "Não informado",
    "01": "Microempresa (ME)",
    "03": "Pequeno porte (EPP)",
    "05": "Demais (médio ou grande)",
  },
  statuses: {
    "1": "Nula",
    "2": "Ativa",
    "3": "Suspensa",
    "4": "Inapta",
    "8": "Baixada",
  },
};
