/**
 * Portuguese words of the usage view. What comes in: values that are formatted already. What goes
 * out: text.
 * Invariant: the same keys as the English table, by its type.
 */
import type { usage as English } from "../en/usage.ts";

/** Words of this area. */
export const usage: typeof English = {
  title: "Uso",
  intro: (from, to) => `${from} a ${to}`,
  daysBegin: (hour, isEve) =>
    `No seu horário, cada dia e a sua cota começam às ${hour}${isEve ? " da véspera" : ""}.`,
  today: "Hoje",
  requests: "Consultas",
  accounts: "Estabelecimentos consultados",
  exportRows: "Linhas exportadas",
  perDay: (what) => `${what} por dia`,
  quota: "Linhas de exportação que restam hoje",
  quotaOf: (left, all) => `${left} de ${all}`,
  quotaUsed: (share) => `${share} usados`,
  unlimited: "Sem cota diária",
  plan: "Plano",
  limits: "Limites do plano",
  limitNames: {
    search_limit: "Estabelecimentos por página de busca",
    export_rows: "Linhas por exportação",
    export_rows_per_day: "Linhas de exportação por dia",
    requests_per_second: "Consultas por segundo e chave",
    burst: "Consultas de uma vez por chave",
    concurrent_requests: "Consultas em andamento por chave",
    concurrent_exports: "Exportações ao mesmo tempo",
    queued_exports: "Exportações em espera",
    export_retention: "Exportações ficam guardadas por",
    export_bytes: "Arquivos das exportações",
    saved_bytes: "Buscas salvas e registros de exportações",
    secondary_cnae_full: "Atividades secundárias completas",
  },
  noLimit: "sem limite",
  yes: "sim",
  no: "não",
  senders: "Usuários e chaves",
  sendersHint: "Clique em um usuário ou uma chave para esconder ou mostrar",
  unnamedKey: "Chave sem nome",
  goneUser: "Usuário removido",
  others: "Todos os outros",
  othersOf: (count) => `${count} outros`,
  kindKey: "chave",
  kindConsole: "console",
  day: "Dia",
  sum: "Soma",
  whole: (days) => (days === "1" ? "Só hoje" : `Últimos ${days} dias`),
  nothingTitle: "Nenhuma consulta ainda",
  nothing: "As consultas das chaves e das pessoas neste console aparecem aqui, dia a dia.",
  asTable: "Em tabela",
  failed: "Não foi possível carregar o uso.",
};
