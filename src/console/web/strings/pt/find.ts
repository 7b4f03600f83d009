/**
 * Portuguese texts of the find view: the sentence, the filters, the pickers, and the guidance.
 * Invariant: the type of the English table requires the same keys.
 */
import { list, month, number } from "../../app/format.ts";
import type { find as English, FilterWords } from "../en/find.ts";

const headquarters = "Somente matriz";
const email = "Tem e-mail";
const phone = "Tem telefone";
const anyContact = "Tem e-mail ou telefone";

const filterTexts: FilterWords = {
  cnae: (names) => names,
  cnae_exclude: (names) => `exceto ${names}`,
  cnae_secondary: (names) => `também ${names}`,
  text_hints: (words) => `nome com ${words}`,
  uf: (names) => names,
  municipality: (names) => names,
  district: (names) => `bairro ${names}`,
  postal_code: (codes) => `CEP ${codes}`,
  area_code: (codes) => `DDD ${codes}`,
  registration_status: (names) => `situação ${names}`,
  company_size: (names) => `porte ${names}`,
  legal_nature: (names) => names,
  headquarters: () => headquarters,
  branches: () => "só filiais",
  establishments: (span) =>
    span === "1" ? "1 estabelecimento ativo" : `${span} estabelecimentos ativos`,
  simples: (_, wanted) => (wanted ? "optante do Simples" : "fora do Simples"),
  mei: (_, wanted) => (wanted ? "MEI" : "não MEI"),
  started: (span) => span,
  share_capital: (span) => span,
  email: () => email,
  phone: () => phone,
  any_contact: () => anyContact,
  mobile: () => "tem celular",
  landline: () => "tem telefone fixo",
  own_domain: () => "e-mail em domínio próprio",
  email_shared: (count) =>
    count === "1" ? "e-mail só desta empresa" : `e-mail de no máximo ${count} empresas`,
  phone_shared: (count) =>
    count === "1" ? "telefone só desta empresa" : `telefone de no máximo ${count} empresas`,
  phone_number: (phones) => `telefone ${phones}`,
  email_address: (addresses) => `e-mail ${addresses}`,
  status_changed: (span) => `situação ${span}`,
  status_reason: (codes) => `motivo ${codes}`,
  simples_excluded: (span) => `saíram do Simples ${span}`,
  mei_excluded: (span) => `saíram do MEI ${span}`,
  sanction: (names) => `no ${names}`,
  federal_debt: (_, wanted) => (wanted ? "com dívida ativa" : "sem dívida ativa"),
  federal_debt_total: (span) => span,
  federal_debt_kind: (kinds) => `dívida: ${kinds}`,
  owned_by: (roots) => `com a sócia ${roots}`,
  owned_companies: (span) => (span === "1" ? "sócia de 1 empresa" : `sócia de ${span} empresas`),
  owner_companies: (span) => (span === "1" ? "1 empresa sócia" : `${span} empresas sócias`),
  contact_missing: (kinds) => kinds,
  lists: (names) => `na lista ${names}`,
  lists_exclude: (names) => `fora da lista ${names}`,
};

/** Words of this area. */
export const find: typeof English = {
  title: "Buscar estabelecimentos",
  skip: "Ir para os resultados",

  prompt: "Quem você procura?",
  promptPlaceholder: (example) =>
    example === null ? "CNPJ, nome ou uma frase" : `CNPJ, nome, ou: ${example}`,
  promptSubmit: "Buscar",
  promptClear: "Limpar a frase e todos os filtros",
  promptKey: "Aperte / para escrever aqui",
  promptFailed: "Não foi possível ler a frase",

  examplesTitle: "Por exemplo",
  offered: "Estabelecimentos com este nome ou número",
  unknownRoot: (root) => `Nenhuma empresa destes dados tem a raiz de CNPJ ${root}.`,
  lostZeros: (count) =>
    count === 1 ? "Faltava um zero no começo:" : `Faltavam ${count} zeros no começo:`,
  refusals: {
    too_long: "O número é longo demais: um CNPJ tem 14 dígitos. Algum está repetido?",
    rounded:
      "A planilha arredondou o número, e os últimos dígitos se perderam. Formate a coluna como " +
      "texto e copie de novo.",
    all_zeros: "O número, ou o da filial, só tem zeros: nenhuma empresa tem este CNPJ.",
    cpf: "Isto é um CPF, o número de uma pessoa. Ele não foi consultado. Digite o CNPJ.",
  },
  contactRefusals: {
    field_not_allowed: (kind) =>
      kind === "phone"
        ? "O seu plano não inclui telefones, por isso não é possível consultar um."
        : "O seu plano não inclui e-mails, por isso não é possível consultar um.",
    not_in_snapshot: () =>
      "Uma versão anterior importou estes dados, e não é possível consultar telefones e e-mails. " +
      "Peça a quem opera o serviço para importá-los de novo.",
    missing_area_code: () => "Se isto é um telefone, falta o DDD: escreva 11 98765-4321.",
    unknown_area_code: () =>
      "Se isto é um telefone, ele não começa com um DDD do Brasil: escreva 11 98765-4321.",
    foreign_number: () =>
      "Este é um número de outro país. Só é possível consultar telefones do Brasil (+55).",
    several_contacts: () =>
      "Escreva um telefone ou e-mail de cada vez, ou uma frase: quem tem o telefone 11 98765-4321.",
    too_short: () => "Se isto é um telefone, faltam dígitos: escreva 11 98765-4321.",
    too_long: () => "Se isto é um telefone, há dígitos demais: escreva 11 98765-4321.",
    email_blank: () => "Se isto é um e-mail, há um espaço nele: escreva nome@exemplo.com.",
    email_character: () =>
      "Se isto é um e-mail, há nele uma vírgula, um acento ou outro sinal errado: escreva " +
      "nome@exemplo.com.",
    email_domain: () =>
      "Se isto é um e-mail, o domínio depois do @ não está completo: escreva nome@exemplo.com.",
  },
  digitMissing: "Falta um dígito: um CNPJ tem 14 e este tem 13.",
  notUnderstood: "Não entendi",
  notUnderstoodText:
    "Escreva um CNPJ, o nome de uma empresa, ou o que procura e onde: a atividade e o lugar.",
  similarNames: "Procura uma destas empresas?",
  searchAsName: (text) => `Buscar “${text}” no nome`,
  searchAnyway: "Buscar só com o que entendi",
  inTheName: (text) => `Buscar “${text}” no nome`,

  meaning: "Como entendi sua busca",
  meaningEdited: "Os filtros foram alterados e já não são os da frase",
  meaningRestore: "Voltar ao que a frase diz",
  meaningMore: (remarks) =>
    remarks === 0
      ? "Como entendi"
      : `Como entendi: ${number(remarks)} ${remarks === 1 ? "observação" : "observações"}`,
  meaningFewer: "Ocultar como entendi",
  legend: "Cores da frase",
  roles: {
    activity: "Atividade",
    place: "Lugar",
    time: "Data",
    company: "Empresa e ordem",
    contact: "Contato",
    unmapped: "Não entendido",
  },
  becameNothing: "Não usei na busca",
  becameRows: (rows) => `As primeiras ${number(rows)}: informe esse número ao exportar`,
  assumed: "Considerei",
  warned: "Atenção",
  unmapped: "Não usei na busca",
  dismiss: "Ocultar estas observações",
  uncertain: "Entendi só parte da frase. Confira os filtros antes de usar o resultado.",
  mayMean: {
    all: (text) => `“${text}” inclui`,
    one: (text) => `“${text}” pode ser`,
    others: (text) => `“${text}” pode ser também`,
    none: (text) => `“${text}” não está no catálogo. O mais próximo é`,
  },
  mayMeanMore: (count) => `mais ${number(count)}`,
  mayMeanFewer: "Menos",

  filters: "Filtros",
  filtersButton: (count) => (count === 0 ? "Filtros" : `Filtros (${number(count)})`),
  filtersActive: (count) =>
    count === 0 ? "Nenhum filtro" : count === 1 ? "1 filtro" : `${number(count)} filtros`,
  filtersShow: (total) => `Ver ${total}`,
  clearAll: "Limpar tudo",
  clearGroup: (group) => `Limpar: ${group}`,
  groups: {
    activity: "Atividade",
    place: "Lugar",
    company: "Empresa",
    opened: "Data de abertura",
    capital: "Capital e natureza jurídica",
    contact: "Contato",
    record: "Histórico, dívidas e sócias",
    name: "Palavras no nome",
    lists: "Suas listas",
    order: "Ordem",
  },

  activities: "Atividades",
  activitiesPlaceholder: "Nome, código CNAE ou ramo",
  activitiesNothing: "Nenhuma atividade tem essas palavras ou esse código",
  activitiesOf: (count) => (count === 1 ? "1 atividade" : `${number(count)} atividades`),
  activitiesUnder: (code) => `Todas de ${code}`,
  activitiesExcluded: "Exceto estas atividades",
  activitiesExcludedAdd: "Excluir atividades",
  term: (word) => `também “${word}”`,
  catalogFailed: "Não foi possível carregar as listas de atividades e lugares.",
  catalogLoading: "Carregando as listas…",
  showAll: (count) => `Mostrar tudo (${number(count)})`,
  showFewer: "Mostrar menos",

  states: "Estados",
  abroad: "Exterior",
  municipalities: "Municípios",
  municipalitiesPlaceholder: "Nome, ou Jaú + 30 km",
  municipalitiesNothing: "Nenhum município tem esse nome",
  district: "Bairro",
  municipalitiesOutside: (names, states) =>
    `Fora dos estados escolhidos (${list(states)}), por isso nada é encontrado em: ${list(names)}.`,
  municipalitiesOutsideFix: "Incluir os estados deles",
  postal: "CEP",
  postalHint: "Inteiro ou só o começo: 01310, 30140-071",
  postalWrong: (text) => `“${text}” não é CEP: informe de 1 a 8 dígitos.`,
  area: "DDD",
  areaHint: "De qualquer um dos telefones: 11, 31",
  areaWrong: (text) => `“${text}” não é DDD: informe dois dígitos, de 11 a 99.`,

  status: "Situação cadastral",
  size: "Porte",
  headquarters,
  branches: "Somente filiais",
  chain: "Estabelecimentos ativos da empresa",
  chains: { any: "Qualquer", one: "Um", few: "2 a 9", many: "10 ou mais" },
  chainSpan: {
    from: (least) => `${least} ou mais`,
    to: (most) => `até ${most}`,
    between: (least, most) => `${least} a ${most}`,
  },
  chainOther: "Outro",
  chainMin: "No mínimo",
  chainMax: "No máximo",
  chainWrong: "Informe um número inteiro, a partir de 1.",
  chainOrder: "Este número é menor que o mínimo.",
  simples: "Simples Nacional",
  mei: "MEI",
  any: "Todas",
  yes: "Sim",
  no: "Não",

  missing: "Falta um destes",
  openedFrom: "De",
  openedTo: "Até",
  openedPresets: "Períodos usuais",
  openedLastMonths: (months) => `últimos ${months} meses`,
  openedLastYears: (years) => `últimos ${years} anos`,
  openedOlder: (years) => `há mais de ${years} anos`,
  dayForm: "dd/mm/aaaa",
  openedWrong: "Informe um ano, um mês (01/2020) ou uma data, a partir de 1800.",
  openedOrder: "Esta data é anterior à data inicial.",

  capitalMin: "De R$",
  capitalMax: "Até R$",
  capitalWrong: "Informe um valor em reais, como 250.000 ou 1.500,50.",
  capitalTooMuch: "Informe um valor de até 90 trilhões.",
  capitalOrder: "Este valor é menor que o inicial.",
  nature: "Natureza jurídica",
  naturePlaceholder: "Nome ou código",
  natureNothing: "Nenhuma natureza jurídica tem essas palavras ou esse código",

  email,
  phone,
  anyContact,
  mobile: "Tem celular",
  landline: "Tem telefone fixo",
  ownDomain: "E-mail em domínio próprio",
  ownEmail: "E-mail só desta empresa",
  ownPhone: "Telefone só desta empresa",
  thisPhone: "Este telefone",
  thisEmail: "Este e-mail",
  likeThis: (example: string) => `Escreva assim: ${example}`,

  names: "Palavras no nome",
  namesHint:
    "Cada entrada é uma alternativa; todas as suas palavras devem estar na razão social " +
    "ou no nome fantasia.",
  namesWrong: "Informe pelo menos uma letra ou um dígito.",
  namesLong: "No máximo 80 caracteres.",
  namesMany: "No máximo 20 entradas.",
  add: "Incluir",

  strategy: "Classificação",
  strategies: {
    balanced: "Equilibrada",
    contactable: "Fáceis de contatar",
    newest: "Mais novas primeiro",
    established: "Consolidadas primeiro",
    random: "Amostra aleatória",
  },
  strategyHints: {
    balanced: "Empresas ativas, com contato e há mais tempo no mercado vêm primeiro.",
    contactable: "E-mail e telefone pesam mais.",
    newest: "As abertas por último vêm primeiro.",
    established: "Idade, capital e porte pesam mais.",
    random: "A mesma semente dá a mesma amostra.",
  },
  seed: "Semente",
  seedHint: "Ordena as de mesma pontuação; mesma semente, mesma ordem.",
  seedWrong: "Informe um número inteiro a partir de 0.",
  seedDraw: "Sortear outra semente",
  sortBy: "Ordenar por",
  sortThen: "Depois por",
  sortAdd: "Incluir critério",
  sortRemove: (field) => `Tirar ${field}`,
  sortFields: {
    score: "Classificação",
    started_on: "Data de abertura",
    share_capital: "Capital social",
    legal_name: "Razão social",
    cnpj: "CNPJ",
    company_size: "Porte",
    municipality_population: "População do município",
  },
  ascending: (field) => `${field}: crescente; inverter`,
  descending: (field) => `${field}: decrescente; inverter`,

  total: (total) => (total === 1 ? "estabelecimento" : "estabelecimentos"),
  counting: "Contando…",
  announce: (total) =>
    total === 1 ? "1 estabelecimento encontrado" : `${number(total)} estabelecimentos encontrados`,
  took: (time) => `contados em ${time}`,
  snapshotOf: (label) => `dados de ${month(label)}`,
  ranked: (strategy) => `Ordem: ${strategy.toLocaleLowerCase("pt-BR")}`,
  orderedBy: (order) => `por ${order}`,
  charts: "Gráficos",

  compare: "Comparar",
  share: "Copiar link",
  shared: "Link copiado. Ele abre esta busca, sobre os mesmos dados.",
  shareLong: (length) =>
    `Link copiado. Ele tem ${number(length)} caracteres; alguns programas o cortam.`,
  linkTroubleTitle: "Parte deste link não foi entendida",
  linkTroubles: {
    unknown_key: (key, value) => `“${key}=${value}” não existe aqui.`,
    repeated: (key, value) => `“${key}” aparece duas vezes; “${value}” ficou de fora.`,
    unknown: (key, value) => `“${value}” não é um valor de “${key}” nestes dados.`,
    broken: (key, value) => `“${key}=${value}” não pode ser lido.`,
  },
  newMonth: (month) => `Agora com dados de ${month}.`,
  linkMonthTitle: "Dados mais recentes que os do link",
  linkMonth: (linked, served) =>
    `O link foi feito com os dados de ${month(linked)}; você está vendo os de ${month(served)}.`,
  understood: "Entendi",

  broadTitle: "Informe uma atividade ou um lugar",
  broadText:
    "Para que a lista seja útil, a busca pede um dos dois, uma lista, um telefone ou um e-mail.",
  broadStates: "Estados com mais estabelecimentos",
  broadActivities: "Atividades mais frequentes",
  noneTitle: "Nenhum estabelecimento atende a todos estes filtros",
  noneText: "Tirando um deles, você encontra:",
  noneHopeless: "Tirar um só filtro não basta. Tire vários ou recomece.",
  without: (filter) => `sem “${filter}”`,
  failedTitle: "Não foi possível contar os estabelecimentos",
  invalidTitle: "Alguns filtros precisam de correção",
  invalidText: "Veja os campos marcados.",

  filterTexts,
  described: {
    more: (first, count) => `${first} e mais ${number(count)}`,
    daysSince: (date) => `desde ${date}`,
    daysUntil: (date) => `até ${date}`,
    daysBetween: (from, to) => `de ${from} a ${to}`,
    missing: {
      email: "sem e-mail",
      phone: "sem telefone",
      mobile: "sem celular",
      any: "sem contato",
    },
    owners: (roots, depth) => (depth === 1 ? roots : `${roots}, até ${depth} passos`),
    sanctions: { ceis: "CEIS", cnep: "CNEP", cepim: "CEPIM" },
    debts: { fgts: "FGTS", social_security: "previdência", other: "outras" },
    since: (date) => `abertas desde ${date}`,
    until: (date) => `abertas até ${date}`,
    between: (from, to) => `abertas de ${from} a ${to}`,
    capitalFrom: (amount) => `capital a partir de ${amount}`,
    capitalTo: (amount) => `capital até ${amount}`,
    debtFrom: (amount) => `dívida ativa a partir de ${amount}`,
    debtTo: (amount) => `dívida ativa até ${amount}`,
    debtBetween: (from, to) => `dívida ativa de ${from} a ${to}`,
    capitalBetween: (from, to) => `capital de ${from} a ${to}`,
  },

  mistakes: {
    unknown_cnae: "Nenhuma atividade destes dados tem esse código.",
    unknown_municipality: "Nenhum município destes dados tem esse código.",
    unknown_legal_nature: "Nenhuma natureza jurídica destes dados tem esse código.",
    wrong_date: "Data inválida.",
    contradiction: "Os dois juntos não deixam nenhum estabelecimento: tire um.",
    unknown_reason: "Nenhuma situação destes dados tem esse motivo.",
    not_in_snapshot: "Estes dados foram importados sem isso.",
    empty_interval: "O fim deve ser depois do começo.",
    out_of_range: "Fora do intervalo aceito.",
    too_many: "Itens demais.",
  },
};
