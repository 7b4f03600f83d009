/**
 * Portuguese texts of a saved search's news. Functions take formatted values and counts.
 * Invariant: the type of the English table requires the same keys.
 */
import { number } from "../../app/format.ts";
import type { news as English } from "../en/news.ts";

const counted = (label: string) => (count: number) => `${label} (${number(count)})`;

/** Words of this area. */
export const news: typeof English = {
  title: "Novidades",
  back: "Buscas salvas",
  since: "Desde",
  notSince: (month) =>
    `Este servidor já não tem ${month}, quando a busca foi vista pela última vez.`,
  kind: "O que mostrar",
  kinds: { entered: "Novos", left: "Saíram", changed: "Mudaram" },
  kindsOf: { entered: counted("Novos"), left: counted("Saíram"), changed: counted("Mudaram") },
  none: {
    entered: (month) => `Nenhum estabelecimento entrou desde ${month}.`,
    left: (month) => `Nenhum estabelecimento saiu desde ${month}.`,
    changed: (month) => `Nenhum estabelecimento mudou desde ${month}.`,
  },
  what: "O que mudou",
  groups: {
    status: "Situação",
    address: "Endereço",
    contact: "Contato",
    simples: "Simples",
    mei: "MEI",
  },
  noneOfGroups: (month) => `Nada disso mudou desde ${month}.`,
  isNew: "Novo no cadastro",
  isGone: "Não está mais no cadastro",
  more: (left) => `Mostrar mais (faltam ${left})`,
  preparing: "Comparando os dois meses. Isso é feito uma vez só.",
  failed: "Não foi possível carregar as novidades.",
  exportKind: {
    entered: "Exportar os novos",
    left: "Exportar os que saíram",
    changed: "Exportar os que mudaram",
  },
  fileOf: {
    entered: (name) => `Novos de ${name}`,
    left: (name) => `Saíram de ${name}`,
    changed: (name) => `Mudaram em ${name}`,
  },
  fileOfAll: (name) => `Novidades de ${name}`,
  exporting: "A exportação está a caminho.",
  seen: "Marcar como visto para toda a equipe",
  seenUntil: (month) => `Visto pela equipe até ${month}.`,
  seenToast: "Marcado como visto para a equipe: as novidades contam a partir de agora.",
  oneMonth: "Ainda só há um mês aqui",
  oneMonthHint: "As novidades aparecem quando o próximo mês for publicado e carregado.",
};
