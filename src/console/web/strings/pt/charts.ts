/**
 * Portuguese texts of charts and overview.
 * Invariant: the type of the English table requires the same keys.
 */
import { BRANCHES_PT } from "../../../../spec/branches-pt.ts";
import type * as English from "../en/charts.ts";

/** Words of this area. */
export const charts: typeof English.charts = {
  title: "Como o resultado se divide",
  more: "Mais gráficos",
  fewer: "Menos gráficos",
  numbersOf: (chart) => `Números: ${chart}`,
  numbers: ["Ver todos os valores", "Copiar tabela", "Baixar CSV", "Baixar Excel (XLSX)"],
  onMap: "Ver no mapa",
  timeHeads: {
    year: "Abertura",
    closedIn: "Baixa",
    count: "Estabelecimentos",
    share: "Parte do total",
  },
  asTable: (chart) => `${chart} em tabela`,
  table: "Tabela",
  nothing: "Não há resultado para dividir.",
  count: "Estabelecimentos",
  share: "%",
  total: "Total",
  others: (values) => `${values} outros`,
  othersOne: "1 outro",
  missing: "Não informado",
  notCounted: "Fora do filtro; clique para incluir",
  only: "só este",
  onlyThis: (name) => `Só ${name}`,
  of: (count, share) => `${count} · ${share}`,
  named: (name, count, share) => `${name}: ${count} estabelecimentos, ${share}`,

  states: "Estados",
  state: "Estado",
  mapShort: "Clique nos estados para filtrar.",
  mapOf: "Mapa do Brasil por estado",
  abroad: "Exterior",
  map: "Mapa",
  outlines: "© ",
  outlinesBy: "MapSVG",
  outlinesChanged: " (adaptado), ",
  legend: "Estabelecimentos por estado",
  from: (least, most) => `${least}–${most}`,
  atLeast: (least) => `≥ ${least}`,

  activities: "Atividades",
  activity: "Atividade",
  beginning: (words) => `“…” está no lugar de “${words}”.`,
  divisions: "Ramos",
  branches: BRANCHES_PT,

  sizes: "Porte",
  size: "Porte",
  sizesShort: { "01": "Micro (ME)", "03": "Pequeno (EPP)" },

  years: "Ano de abertura",
  year: "Ano",
  before: (year) => `Antes de ${year}`,
  yearsHint: "Arraste ou clique em uma década.",
  yearsFrom: "Desde o ano",
  yearsTo: "Até o ano",
  interval: (from, to) => (from === to ? from : `${from}–${to}`),
  decade: (year) => `Década de ${year}`,
  yearsAll: "Todos os anos",

  contact: "Contato",
  contactParts: "Estabelecimentos pelos contatos que têm",
  contactNames: {
    email_and_phone: "E-mail e telefone",
    email: "Só e-mail",
    phone: "Só telefone",
    none: "Nenhum",
  },
  reaches: { email: "Com e-mail", phone: "Com telefone", any: "Com algum dos dois" },

  status: "Situação cadastral",
  statusOne: "Situação",

  optIns: "Regimes",
  optIn: "Regime",
  simples: "Simples Nacional",
  mei: "MEI",
  yes: "Optante",
  no: "Não optante",

  municipalities: "Municípios",
  municipality: "Município",

  overview: {
    title: "O cadastro inteiro",
    accounts: "estabelecimentos no cadastro",
    snapshot: (month, day) => `Base de ${month}, dados de ${day}`,
    start: "Pergunte com as suas palavras ou clique em qualquer item abaixo.",
    failed: "Não foi possível contar o cadastro.",
    sections: "O que fazem",
    section: "Seção",
  },
};
