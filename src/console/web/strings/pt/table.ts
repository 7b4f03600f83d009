/**
 * Portuguese words of the table, of one account, of the codes, of the company page, and of the
 * commands above the results.
 * Invariant: the same keys as the English tables, by their types and by a test.
 */
import { HEADINGS_PT } from "../../../../spec/fields/headings.ts";
import { number } from "../../app/format.ts";
import type { NamedColumn } from "../../find/table/columnset.ts";
import type * as English from "../en/table.ts";

const columns: Readonly<Record<NamedColumn, string>> = {
  name: "Empresa",
  trade_name: "Nome fantasia",
  cnpj: "CNPJ",
  cnpj_root: "Raiz do CNPJ",
  headquarters: "Unidade",
  opened: "Abertura",
  size: "Porte",
  capital: "Capital social",
  score: "Pontos",
  activity: "Atividade principal",
  cnae: "CNAE",
  secondary: "Outras atividades",
  city: "Cidade",
  population: "População",
  district: "Bairro",
  street: "Logradouro",
  postal_code: "CEP",
  ibge: "IBGE",
  tom: "TOM",
  country: "País",
  email: "E-mail",
  phone: "Telefone",
  second_phone: "Segundo telefone",
  status: "Situação",
  status_since: "Situação desde",
  status_reason: "Motivo",
  legal_nature: "Natureza jurídica",
  simples: "Simples",
  mei: "MEI",
};

const parts: Record<string, string> = {
  status: "Situação cadastral",
  email: "Tem e-mail",
  phone: "Tem telefone",
  age: "Tempo de atividade",
  recency: "Abertura recente",
  size: "Porte da empresa",
  capital: "Capital social",
  activity: "Atividade conhecida",
  headquarters: "É a matriz",
  sanction: "Sanção em vigor",
};

const strategies: Record<string, string> = {
  balanced: "equilibrada",
  contactable: "fáceis de contatar",
  newest: "mais novas primeiro",
  established: "consolidadas primeiro",
};

const matched: Record<string, (value: string) => string> = {
  cnae: (value) => `Atividade principal: ${value}`,
  cnae_secondary: (value) => `Outra atividade: ${value}`,
  text_hint: (value) => `O nome contém “${value}”`,
  uf: (value) => `No estado: ${value}`,
  municipality_ibge: (value) => `Na cidade: ${value}`,
  municipality_tom: (value) => `Na cidade: ${value}`,
  district: (value) => `Bairro: ${value}`,
  postal_code: (value) => `CEP: ${value}`,
  area_code: () => "Um telefone com o DDD procurado",
  registration_status: (value) => `Situação: ${value}`,
  company_size_code: (value) => `Porte: ${value}`,
  legal_nature: (value) => `Natureza jurídica: ${value}`,
  headquarters: () => "É a matriz",
  simples_opt_in: (value) => `Simples Nacional: ${value}`,
  mei_opt_in: (value) => `MEI: ${value}`,
  started_on: (value) => `Aberta em ${value}`,
  share_capital: (value) => `Capital social: ${value}`,
  email: () => "Tem e-mail",
  phone: () => "Tem telefone",
  any_contact: () => "Tem e-mail ou telefone",
  branches: () => "É uma filial",
  mobile: () => "Tem celular",
  landline: () => "Tem telefone fixo",
  establishments: () => "A empresa tem a quantidade pedida de estabelecimentos",
  own_domain: () => "O e-mail é de domínio próprio",
  email_shared: () => "Poucas outras empresas têm o e-mail",
  phone_shared: () => "Poucas outras empresas têm o telefone",
  phone_number: (value) => `O telefone: ${value}`,
  email_address: (value) => `O e-mail: ${value}`,
  status_changed: (value) => `Situação desde ${value}`,
  status_reason: (value) => `Motivo da situação: ${value}`,
  simples_excluded: (value) => `Saiu do Simples em ${value}`,
  mei_excluded: (value) => `Saiu do MEI em ${value}`,
  sanction: () => "Está em uma lista de sanções procurada",
  federal_debt: () => "A dívida ativa é como pedido",
  owned_by: () => "Uma empresa procurada é sócia dela",
  contact_missing: () => "Falta um contato, como pedido",
  lists: () => "Está em uma lista sua",
};

/** Words of the table and of one account. */
export const table: typeof English.table = {
  title: "Resultados",
  fields: HEADINGS_PT,
  columns,
  parts,
  strategies,
  matched,
  groups: {
    company: "Empresa",
    activity: "Atividade",
    place: "Local",
    contact: "Contato",
    register: "Cadastro",
  },
  values: {
    yes: "Sim",
    no: "Não",
    unknown: "não consta",
    nameless: "Sem nome no cadastro",
    mei: "MEI",
    mobile: "Celular",
    landline: "Fixo",
    headOffice: "Matriz",
    branch: "Filial",
    sanctioned: "Sancionada",
    email: "tem e-mail",
    phone: "tem telefone",
    others: (first: string, more: number) => `${first} e mais ${more}`,
  },
  grid: {
    label: "Estabelecimentos encontrados",
    help: "Use as setas para navegar. Enter abre a empresa. Espaço seleciona. C copia o CNPJ.",
    sortUp: (column: string) => `${column}: ordenar de forma crescente`,
    sortDown: (column: string) => `${column}: ordenar de forma decrescente`,
    sortUsual: (column: string) => `${column}: voltar à ordem padrão`,
    loading: "Carregando a lista…",
    loadingMore: "Carregando mais…",
    all: (count: string) => `Fim da lista: ${count}`,
    one: "Fim da lista: um estabelecimento",
    full: (count: string, total: string) =>
      `A tabela termina aqui, em ${count} de ${total}. Uma exportação traz todos.`,
    failed: "Não foi possível carregar o resto da lista.",
    failedFirst: "Não foi possível carregar a lista.",
    retry: "Tentar de novo",
    restarted: (snapshot: string) => `Chegaram dados novos (${snapshot}): a lista recomeçou.`,
    understood: "OK",
  },
  chooser: {
    button: "Colunas",
    title: "Colunas da tabela",
    intro: "Marque o que mostrar e ponha em ordem. A empresa vem sempre primeiro.",
    shown: "Mostradas, em ordem",
    up: (column: string) => `Mover ${column} para cima`,
    down: (column: string) => `Mover ${column} para baixo`,
    hide: (column: string) => `Ocultar ${column}`,
    moved: (column: string, place: number, of: number) => `${column}: posição ${place} de ${of}`,
    fixed: "sempre primeiro",
    reset: "Restaurar colunas padrão",
    done: "Concluir",
    noContact: "Seu plano não inclui e-mails e telefones; por isso não há essas colunas.",
    noOthers: (names: string) => `Fora do seu plano: ${names}.`,
  },
  drawer: {
    page: "Abrir a página",
    previous: "Empresa anterior",
    next: "Próxima empresa",
    place: (place: string, total: string) => `${place} de ${total}`,
    loading: "Carregando a empresa…",
    failed: "Não foi possível carregar esta empresa.",
    copy: (what: string) => `Copiar: ${what}`,
    sanctioned: "Há uma sanção em vigor contra esta empresa (CEIS).",
    contact: "Contato",
    noContact: "O cadastro não tem e-mail nem telefone.",
    contactNotInPlan: "E-mails e telefones não fazem parte do seu plano.",
    activities: "Atividades",
    secondary: "Outras",
    address: "Endereço",
    copyAddress: "Copiar o endereço",
    map: "Ver no mapa",
    registry: "Ver na Receita Federal",
    partners: "Sócios que são pessoas não fazem parte desta base; a Receita Federal os mostra.",
    company: "Empresa",
    sharedBy: (count: string) => `o mesmo: ${count} empresas`,
    since: (status: string, day: string) => `${status} desde ${day}`,
    population: (count: string) => `${count} habitantes`,
    reason: (word: string) => `motivo: ${word}`,
    why: "Por que está na lista",
    notListed: "Esta empresa não atende aos filtros atuais.",
    score: (strategy: string) => `Pontuação ${strategy}`,
    noFilters: "A busca não tem filtros.",
    snapshot: (snapshot: string, day: string) => `Dados de ${snapshot}, de ${day}`,
  },
  printed: {
    sentence: "Busca",
    filters: "Filtros",
    data: "Dados de",
    at: "Impresso em",
    some: (rows: string, total: string) =>
      `Os primeiros ${rows} de ${total} estabelecimentos. Para ter todos, exporte a lista.`,
    all: (total: string) => `Total: ${total}.`,
  },
  code: {
    button: "Código",
    title: "Esta consulta como código",
    tabs: { curl: "curl", spec: "Spec (JSON)", cli: "Linha de comando" },
    curl: "Ponha sua chave de API na variável PENEIRA_KEY; chaves são criadas em “Chaves”.",
    spec: "A consulta como arquivo, para a API, para exportações e para a linha de comando.",
    cli: "Sem servidor, sobre o arquivo do snapshot.",
    search: "Buscar",
    export: "Tudo em um arquivo",
    copy: "Copiar",
  },
};

/** Words of the company page. */
export const company: typeof English.company = {
  back: "Voltar à busca",
  print: "Imprimir",
  unknownTitle: "Não está nestes dados",
  unknown: (cnpj) => `Nenhum estabelecimento destes dados tem o CNPJ ${cnpj}.`,
  mistyped: "Os dígitos verificadores não conferem: veja se foi digitado certo.",
  establishments: "Estabelecimentos da empresa",
  establishmentsOf: (count) =>
    count === 1 ? "Único estabelecimento" : `${number(count)} estabelecimentos da empresa`,
  more: (left) => `Mostrar mais (faltam ${left})`,
};

/** Words of the commands above the results: save and export. */
export const commands: typeof English.commands = {
  button: "Exportar",
  buttonNothing: "Ainda não há o que exportar.",
  buttonBroad:
    "Informe antes atividade, lugar, lista, telefone ou e-mail: busca tão ampla não é exportada.",
  buttonEmpty: "Nenhum estabelecimento encontrado; não há o que exportar.",
  everything: "Todos os estabelecimentos",
  secondary: "também atividades secundárias",
  saveNothing: "Busque algo antes: ainda não há o que salvar.",
  saveButton: "Avisar-me todo mês",
  saveName: "Nome",
  saveNameMissing: "Dê um nome à busca.",
  save: "Salvar",
  savedToast: (name) => `Salva: ${name}`,
  savedOpenList: "Ver buscas salvas",
  cancel: "Cancelar",
};

/**
 * Names of the codes of the registry. Filters, charts, table, and drawer use them, so each code has
 * one name everywhere.
 */
export const codes: typeof English.codes = {
  sizes: {
    "00": "Não informado",
    "01": "Microempresa (ME)",
    "03": "Pequeno porte (EPP)",
    "05": "Médio ou grande",
  },
  statuses: {
    "1": "Nula",
    "2": "Ativa",
    "3": "Suspensa",
    "4": "Inapta",
    "8": "Baixada",
  },
};
