/**
 * Portuguese texts of the dialog with all numbers of a chart, of the comparison of two groups, of
 * cross tables, and of plans.
 * Invariant: the types of the English tables require the same keys.
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
  openedOf: (statuses) =>
    statuses === ""
      ? "Contadas em qualquer situação de hoje."
      : `Contadas só as que hoje têm a situação ${statuses}.`,
  closedOf: (status) =>
    `Contadas as que hoje têm a situação ${status}; o filtro de situação da busca não vale aqui.`,
  period: "Por",
  periods: { year: "Ano", quarter: "Trimestre", month: "Mês" },
};

/** Words of the comparison and of cross tables. */
export const compare: typeof English.compare = {
  title: "Comparar dois grupos",
  crossTitle: "Tabela cruzada",
  mode: "Modo",
  modeGroups: "Dois grupos",
  modeCross: "Tabela cruzada",
  shareLink: "Copiar link",
  group: "Busca",
  groupNamed: (at) => `Grupo ${at}`,
  edit: "Editar na busca",
  state: "Estado",
  mei: "MEI",
  onlyMei: "Só MEI",
  noMei: "Sem MEI",
  opened: "Abertura em",
  otherDays: "Outros dias",
  saved: "Busca salva",
  choose: "Escolha…",
  any: "Qualquer",
  sentence: "Ou descreva o grupo",
  use: "Usar",
  suggest: "Escolha com o que comparar.",
  chooseSecond: "Os números aparecem quando os dois grupos estiverem escolhidos.",
  meiAndNot: "MEI e os demais",
  monthBefore: "Abertas neste mês e no anterior",
  registry: "Todo o cadastro",
  by: "Comparar por",
  rows: "Linhas",
  columns: "Colunas",
  sameFacets: "Escolha dois campos diferentes.",
  share: "Parte",
  index: "Índice",
  indexHint: (base) => `Índice: 100 é a mesma parte que em: ${base}; 200 é o dobro.`,
  base: (statuses, month) =>
    `Todo o cadastro${month && ` de ${month}`}${statuses && `, situação ${statuses}`}`,
  presentIn: "Presentes em",
  presentBefore: (now, before) => `Esta busca em ${now} e em ${before}`,
  oneMonth: (now) =>
    `O servidor só tem a base de ${now}: as aberturas são comparadas pela data de abertura.`,
  chart: "Parte de cada grupo",
  table: "Comparação em tabela",
  fileHasAll: "Os arquivos têm todas as linhas e colunas.",
  crossOf: (rows, columns) => `${rows} × ${columns}`,
  units: ["Matriz", "Filial"],
  facetNames: {
    uf: "Estado",
    municipality: "Município",
    cnae_section: "Seção da atividade",
    cnae_division: "Ramo",
    cnae_group: "Grupo da atividade",
    cnae_class: "Classe da atividade",
    cnae_subclass: "Atividade principal",
    registration_status: "Situação",
    company_size: "Porte",
    started_year: "Ano de abertura",
    legal_nature: "Natureza jurídica",
    simples: "Simples Nacional",
    mei: "MEI",
    headquarters: "Matriz ou filial",
    contact: "Contato",
    started_quarter: "Trimestre de abertura",
    started_month: "Mês de abertura",
    status_year: "Ano da situação",
    status_quarter: "Trimestre da situação",
    status_month: "Mês da situação",
  },
};

/** Words of the plans. */
export const plans: typeof English.plans = {
  title: "Planos",
  lead: "O que cada plano permite, quanto já foi usado e quais chaves têm cada um.",
  used: "Uso",
  what: "O quê",
  month: "Neste mês",
  perDay: "Limite por dia",
  seeUsage: "Ver o uso por dia e origem",
  limit: "Limite",
  table: "Limites dos planos",
  current: "o seu",
  fields: "Campos por empresa",
  keys: "Chaves ativas",
  define:
    "Os cinco nomes são fixos. Um plano próprio é um deles com os seus limites, " +
    "que quem administra o servidor define no arquivo de configuração:",
  default: (value) => `padrão: ${value}`,
  change: "Quem administra o servidor troca o plano de uma chave:",
  names: {
    free: "Gratuito",
    starter: "Inicial",
    growth: "Crescimento",
    scale: "Escala",
    enterprise: "Empresarial",
  },
};

/** Words of the map of a state. */
export const stateMap: typeof English.stateMap = {
  title: (state) => `Municípios: ${state}`,
  state: "Estado",
  measure: "Tons",
  count: "Estabelecimentos",
  rate: "Por 10 mil habitantes",
  municipality: "Município",
  legend: "Tons: cada um tem cerca de um quinto dos municípios com estabelecimentos",
  shade: (from, to, places) =>
    `${from === to ? from : `${from} a ${to}`} ` +
    `(${number(places)} ${places === 1 ? "município" : "municípios"})`,
  named: (name, count, rate) =>
    `${name}: ${count} ${count === "1" ? "estabelecimento" : "estabelecimentos"}, ` +
    `${rate} por 10 mil habitantes`,
  table: (title) => `${title} em tabela`,
  areas: "As áreas são traçadas em torno das sedes (GeoNames, CC BY 4.0); não são as divisas.",
  population: (year) => `População: IBGE ${year}.`,
  noPopulation: "Esta base não traz a população.",
};
