/**
 * Portuguese words of the account view and of the usage view.
 * Invariant: the same keys as the English tables, by their types.
 */
import { duration, number } from "../../app/format.ts";
import type * as English from "../en/account.ts";

/** Words of the account view. */
export const account: typeof English.account = {
  who: "Acesso",
  email: "E-mail",
  role: "Permissão",
  tenant: "Organização",
  plan: "Plano",
  passwordTitle: "Senha",
  passwordLead: "Uma nova senha encerra todas as suas outras sessões.",
  current: "Senha atual",
  next: "Nova senha",
  nextHint: (least) => `Pelo menos ${number(least)} caracteres; de preferência, uma frase só sua.`,
  nextShort: (have, least) => `${number(have)} de pelo menos ${number(least)} caracteres.`,
  nextSame: "É a senha atual.",
  needed: "Preencha este campo.",
  wrongCurrent: "Esta não é a sua senha atual.",
  change: "Alterar senha",
  changed: "Senha alterada. Todas as outras sessões foram encerradas.",
  sessionsTitle: "Sessões",
  sessionsLead: (idleSeconds) =>
    `Onde você está conectado. Uma sessão termina após ${duration(idleSeconds)} sem uso.`,
  here: "Esta sessão",
  elsewhere: "Outra sessão",
  began: (when) => `Início ${when}`,
  used: (when) => `último uso ${when}`,
  everywhere: "Sair de todos os lugares",
  everywhereTitle: "Sair de todos os lugares?",
  everywhereText: "Todas as suas sessões terminam, inclusive esta.",
};

/** Words of the usage view. */
export const usage: typeof English.usage = {
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
    burst: "Pico de consultas por chave",
    concurrent_requests: "Consultas em andamento por chave",
    concurrent_exports: "Exportações ao mesmo tempo",
    queued_exports: "Exportações em espera",
    export_retention: "Exportações ficam guardadas por",
    export_bytes: "Arquivos das exportações",
    saved_bytes: "Buscas salvas e registros de exportações",
    lists: "Listas",
    list_entries: "Itens por lista",
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
