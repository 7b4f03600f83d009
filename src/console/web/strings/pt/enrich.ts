/**
 * Portuguese texts of the view that fills in spreadsheets. Functions take counts and formatted
 * values.
 * Invariant: the type of the English table requires the same keys.
 */
import { number } from "../../app/format.ts";
import type { enrich as English } from "../en/enrich.ts";

/** Words of this area. */
export const enrich: typeof English = {
  title: "Preencher planilha",
  lead:
    "Envie uma planilha com CNPJs e receba a mesma de volta, com situação, nome, contato e o que " +
    "mais você escolher ao lado das suas colunas.",
  drop: "Solte a planilha aqui",
  choose: "Escolher arquivo",
  chooseHint: "Excel (XLSX, até 32 MB) ou CSV (até 512 MB), com até 2 milhões de linhas.",
  paste: "Ou cole os CNPJs",
  pasteHint: "Um por linha, ou algumas colunas copiadas da planilha.",
  pasteMissing: "Cole pelo menos dois CNPJs. Um só, você procura na busca.",
  usePasted: "Preencher",
  another: "Outra planilha",
  pasted: "CNPJs colados",
  reading: "Lendo a planilha…",
  notRead: "Não deu para ler a planilha",
  column: "Coluna dos CNPJs",
  columnHint: "O título da coluna, o número dela (1, 2, 3…) ou, no Excel, a letra.",
  readAgain: "Ler de novo",
  understood: "O que entendemos",
  delimiters: {
    ";": "separado por ponto e vírgula",
    ",": "separado por vírgula",
    "\t": "separado por tabulação",
    "|": "separado por barra",
  } as Readonly<Record<string, string>>,
  sheet: (name) => `aba “${name}”`,
  sheetReasons: {
    first_with_cnpjs: "a primeira com uma coluna de CNPJ",
    after_cover: "depois de uma capa",
    most_cnpjs: "a que tem mais CNPJs",
    only_with_data: "a única visível com dados",
    named: "escolhida por você",
  },
  otherSheets: (count) => `outras abas, não preenchidas: ${number(count)}`,
  hiddenSheets: (count) => `abas ocultas, não preenchidas: ${number(count)}`,
  header: (row) => `títulos na linha ${row}`,
  noHeader: "sem linha de títulos",
  found: "Encontrados",
  absent: "Fora da base",
  refused: "Não são CNPJ",
  blank: "Sem CNPJ",
  fillZeros: (count) =>
    count === 0
      ? "Repor os zeros à esquerda"
      : `Repor os zeros à esquerda de ${count === 1 ? "1 número" : `${number(count)} números`}`,
  fillZerosHint: "O Excel tira os zeros do começo quando lê um CNPJ como número.",
  seeRefused: (count) =>
    count === 1 ? "Ver a linha que não é CNPJ" : `Ver as ${number(count)} linhas que não são CNPJ`,
  first: (shown, rows) =>
    shown === rows ? "Como vai ficar" : `Como vão ficar as ${shown} primeiras linhas`,
  status: { pt: "Resultado da consulta", en: "Look-up", none: "enrichment_status" },
  moreColumns: (count) => `Há mais ${count} colunas suas, que não cabem aqui e ficam no arquivo.`,
  choices: "O que incluir",
  labels: "Títulos e valores",
  labelNames: { pt: "Em português", en: "Em inglês", none: "Como na API" },
  start: (rows) => (rows === "1" ? "Preencher 1 linha" : `Preencher ${rows} linhas`),
  fills: (found) => `${found} com dados. A sua planilha não muda: você baixa uma cópia.`,
  costs: (found, left, hour) =>
    `Usa ${found} linhas da sua cota, uma por CNPJ encontrado. Restam ${left} até as ${hour}.`,
  tooMany: (rows, most) =>
    `São ${rows} linhas, e o seu plano permite ${most} por arquivo. Divida a planilha.`,
  making: "Sua planilha",
  inExports: "Ela também fica em Exportações",
  kind: (name) => (name === "" ? "CNPJs preenchidos" : `Planilha preenchida: ${name}`),
  sentGone:
    "A planilha enviada já foi apagada, junto com o arquivo que expirou. Envie a planilha de novo.",
};
