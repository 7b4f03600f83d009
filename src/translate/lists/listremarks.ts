/**
 * Remarks about lists that a sentence names and that became no filter.
 * Invariant: each one says what is wrong and what to do instead.
 */
import { LISTS_MAX } from "../../spec/listids.ts";
import type { Sentences } from "../notes.ts";
import type { NamedList } from "./listnames.ts";

/** The remark where nobody has lists: a command, for one. */
export const BY_HAND: Sentences = {
  pt:
    "Uma frase não conhece as suas listas: escolha a lista no filtro Suas listas, ou " +
    "“Não mostrar o que já exportei”.",
  en:
    "A sentence does not know your lists: choose the list in the filter Your lists, or " +
    "“Leave out what I exported already”.",
};

/** The assumption about several lists. */
export const ANY_OF: Sentences = {
  pt: "Basta estar numa das listas ditas: nenhum filtro exige estar em todas.",
  en: "Being in one of the lists is enough: no filter requires all of them.",
};

/** The remark where the sentence leaves open whether the list is wanted or left out. */
export const UNCLEAR: Sentences = {
  pt: "Dentro ou fora da lista? Escolha no filtro Suas listas.",
  en: "In the list or not? Choose in the filter Your lists.",
};

/** The remark about a name that no list has. */
export const UNKNOWN: Sentences = {
  pt: "Nenhuma lista sua tem esse nome: escolha a lista no filtro Suas listas.",
  en: "You have no list of this name: choose the list in the filter Your lists.",
};

/** The remark about "clientes" where no list has this name. */
export const WHOSE: Sentences = {
  pt:
    "A base não sabe quem já é seu cliente: ponha-os numa lista e diga “fora da lista …”, ou " +
    "escolha no filtro Suas listas.",
  en:
    "The registry does not know who your customers are: put them in a list and write “not in my " +
    "list …”, or choose in the filter Your lists.",
};

/** Lists that a remark names. */
const AMONG_MAX = 10;

/** The remark about "minha lista" of a user who has several. */
export function whichOf(all: readonly NamedList[]): Sentences {
  const names = listed(all.map(({ name }) => `“${name}”`));
  return {
    pt: `Qual das suas ${all.length} listas? Diga o nome dela: ${names}.`,
    en: `Which of your ${all.length} lists? Write its name: ${names}.`,
  };
}

/** The remark about a name behind a list that is a wish of its own as well: "lista X e Santos". */
export function alsoElse(name: string): Sentences {
  return {
    pt: `“${name}” é uma lista sua e também outra coisa: para a lista, diga “lista ${name}”.`,
    en: `“${name}” is a list of yours and something else, too: for the list, write “list ${name}”.`,
  };
}

/** The remark about more lists than a filter takes. */
export function tooMany(count: number): Sentences {
  const more = count - LISTS_MAX;
  return {
    pt: `Uma busca aceita ${LISTS_MAX} listas, com estas são ${count}: tire ${more} da frase.`,
    en: `A search takes ${LISTS_MAX} lists, with these there are ${count}: remove ${more}.`,
  };
}

/** The remark about lists that share a name. */
export function ambiguous(lists: readonly NamedList[]): Sentences {
  const names = listed(lists.map(({ id, name }) => `“${name}” (${id})`));
  return {
    pt:
      `${lists.length} listas suas têm esse nome: ${names}. Escreva o nome exato de uma delas, ` +
      "dê outro nome a uma, ou escolha no filtro Suas listas.",
    en:
      `${lists.length} of your lists have this name: ${names}. Write the exact name of one, ` +
      "rename one, or choose in the filter Your lists.",
  };
}

function listed(names: readonly string[]): string {
  return [...names.slice(0, AMONG_MAX), ...(names.length > AMONG_MAX ? ["…"] : [])].join(", ");
}
