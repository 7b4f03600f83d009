/**
 * Portuguese texts of lists. Functions take counts, names, and formatted values.
 * Invariant: the type of the English table requires the same keys.
 */
import { number } from "../../app/format.ts";
import type { lists as English } from "../en/lists.ts";

/** Words of this area. */
export const lists: typeof English = {
  exported: "Já exportados",
  button: "Lista",
  addToList: "Adicionar a uma lista",
  nothing: "Nada a adicionar: faça uma busca primeiro.",
  title: "Listas",
  inNone: "Em nenhuma das suas listas.",
  inLists: (names) => `Nas suas listas: ${names}`,
  takenOut: (name) => `Saiu de “${name}”.`,
  throughCompany: "A empresa inteira está nessa lista. Abra a lista para tirá-la.",
  gone: "(excluída)",
  selected: (count) => (count === 1 ? "1 selecionado" : `${number(count)} selecionados`),
  clear: "Limpar seleção",
  copyAll: "Copiar CNPJs",
  selection: "Seleção",
};
