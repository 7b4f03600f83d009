/**
 * Portuguese texts of the list views. Functions take counts, names, and formatted values.
 * Invariant: the type of the English table requires the same keys.
 */
import { number } from "../../app/format.ts";
import type { listViews as English } from "../en/listviews.ts";

const added = (count: string) => (count === "1" ? "1 adicionado" : `${count} adicionados`);

/** Words of this area. */
export const listViews: typeof English = {
  any: "Somente da lista",
  exclude: "Fora da lista",
  choose: "Nome da lista",
  none: "Nenhuma lista com este nome",
  hideExported: "Não mostrar o que já exportei",
  intro:
    "Empresas que você já conhece: clientes, quem não contatar, o que já foi vendido. " +
    "Busque dentro de uma lista ou deixe-a fora da busca.",
  create: "Nova lista",
  name: "Nome",
  nameHint: "Por exemplo: Clientes",
  nameMissing: "Digite um nome.",
  kind: "Cada item é",
  kinds: { accounts: "um estabelecimento", companies: "a empresa inteira" },
  kindHints: {
    accounts: "Só este estabelecimento, sem filiais.",
    companies: "Cada CNPJ vale por todos os estabelecimentos da empresa.",
  },
  empty: "Nenhuma lista ainda",
  emptyHint:
    "Cole os CNPJs dos seus clientes ou envie uma planilha (Excel ou CSV), e deixe-os fora das " +
    "suas buscas.",
  exportedHint: "mantida pelo Peneira: tudo o que você já exportou",
  exportedEmpty: "Nada foi exportado ainda",
  failed: "Não foi possível carregar as listas.",
  entries: (count) => (count === 1 ? "1 item" : `${number(count)} itens`),
  ofCompanies: "empresas inteiras",
  changed: (when) => `alterada ${when}`,
  open: "Abrir",
  openNamed: (name) => `Abrir “${name}”`,
  add: "Adicionar CNPJs",
  addTo: (name) => `Adicionar CNPJs a “${name}”`,
  searchIn: "Buscar só nela",
  searchWithout: "Buscar fora dela",
  rename: "Renomear",
  remove: "Excluir",
  removeTitle: (name) => `Excluir “${name}”?`,
  removeText: "Buscas e links que a usam deixam de funcionar. As empresas continuam no cadastro.",
  removed: "Lista excluída.",
  menu: (name) => `Mais opções de “${name}”`,
  back: "Listas",
  more: "Mostrar mais",
  entriesEmpty: "A lista está vazia",
  removeEntry: (entry) => `Tirar ${entry} da lista`,
  removedEntry: (entry) => `${entry} saiu da lista.`,
  how: "De onde",
  hows: { paste: "Colar", file: "Arquivo" },
  paste: "CNPJs",
  pasteHint: "Um por linha, ou uma coluna copiada da planilha; com ou sem pontuação.",
  pasteMissing: "Cole pelo menos um CNPJ.",
  file: "Arquivo",
  fileHint:
    "XLSX (até 32 MB) ou CSV (até 64 MB), com ou sem cabeçalho; a coluna dos CNPJs é encontrada " +
    "sozinha.",
  sheet: (name, others) => {
    if (others === 0) return `Foi lida a aba “${name}”.`;
    const left = others === 1 ? "a outra não foi" : `outras ${number(others)} não foram`;
    return `Foi lida a aba “${name}”; ${left}.`;
  },
  hidden: (count) =>
    count === 1
      ? "Há 1 aba oculta, que não foi lida."
      : `Há ${number(count)} abas ocultas, que não foram lidas.`,
  column: (name) => `Foi lida a coluna “${name}”.`,
  fileMissing: "Escolha um arquivo.",
  submit: "Adicionar",
  read: "Lidos",
  added: "Adicionados",
  alreadyThere: "Já estavam na lista",
  repeated: "Repetidos",
  notInSnapshot: "Fora dos dados atuais",
  notInSnapshotHint: "O que está fora dos dados atuais fica na lista: um próximo mês pode trazer.",
  refused: "Recusados",
  refusedFirst: (shown, count) => `As primeiras ${shown} de ${count} linhas recusadas.`,
  line: "Linha",
  text: "Texto",
  reason: "Motivo",
  reasons: {
    not_a_cnpj: "É um número, mas não um CNPJ.",
    not_a_number: "São palavras, e nenhum CNPJ.",
    too_long: "Longo demais: um CNPJ tem 14 dígitos. Algum está repetido?",
    too_short: "Faltam caracteres: um CNPJ tem 14.",
    all_zeros: "O número, ou o da filial, só tem zeros. Nenhuma empresa tem este CNPJ.",
    cpf: "É um CPF, o número de uma pessoa. Não foi consultado.",
    wrong_check_digits: "Os dígitos verificadores não conferem: há um dígito errado.",
    lost_zeros: "A planilha tirou os zeros à esquerda.",
    a_date: "É uma data. Formate a célula como texto e digite o CNPJ de novo.",
    several_cnpjs: "São vários CNPJs na mesma célula. Deixe um por célula.",
    unsaved_formula:
      "Fórmula sem resultado salvo: abra e salve o arquivo no programa de planilhas.",
    rounded: "A planilha arredondou o número. Formate a coluna como texto e exporte de novo.",
  },
  meant: (cnpj) => `Com eles: ${cnpj}.`,
  fillZeros: "Repor os zeros e adicionar",
  addMore: "Adicionar mais",
  done: "Pronto",
  addAllTitle: (count) =>
    count === 1
      ? "Adicionar 1 estabelecimento a uma lista"
      : `Adicionar ${number(count)} estabelecimentos a uma lista`,
  which: "A qual lista",
  fresh: "Uma nova lista",
  addedToast: (count, name) => `${added(count)} a “${name}”.`,
  thereToast: (count, there, name) => {
    const others = there === "1" ? "1 já estava lá" : `${there} já estavam lá`;
    return `${added(count)} a “${name}”; ${others}.`;
  },
  takeOut: (name) => `Tirar de “${name}”`,
};
