/**
 * Writes public lists like their publishers, with invented rows: CEIS, CNEP, and CEPIM of the
 * Portal da Transparência, and the debts of PGFN.
 * Invariant: headers, encodings, separators, and quoting are those of the published files. Every
 * name and document is invented.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipOf } from "../files/zip.ts";

/** A row of a list of sanctions. */
export interface SanctionRow {
  readonly document: string;
  readonly type?: "J" | "F";
  /** DD/MM/AAAA. */
  readonly start?: string;
  readonly end?: string;
}

/** Writes a list of sanctions; returns its path. */
export function writeSanctions(
  folder: string,
  list: "ceis" | "cnep" | "cepim",
  rows: readonly SanctionRow[],
): string {
  const quoted = (cells: readonly string[]) => cells.map((cell) => `"${cell}"`).join(";");
  const dated = ["CADASTRO", "TIPO DE PESSOA", "CPF OU CNPJ DO SANCIONADO"];
  const days = ["DATA INÍCIO SANÇÃO", "DATA FINAL SANÇÃO"];
  const cepim = ["CNPJ ENTIDADE", "NOME ENTIDADE", "NÚMERO CONVÊNIO", "MOTIVO DO IMPEDIMENTO"];
  const header = list === "cepim" ? cepim : [...dated, ...fine(list, "VALOR DA MULTA"), ...days];
  const lines = rows.map(({ document, type = "J", start = "01/01/2020", end = "" }) =>
    list === "cepim"
      ? [document, "ENTIDADE INVENTADA", "123456", "OMISSÃO"]
      : [list.toUpperCase(), type, document, ...fine(list, "1.000,00"), start, end],
  );
  const path = join(folder, `20260801_${list.toUpperCase()}.csv`);
  const text = [header, ...lines].map((cells) => `${quoted(cells)}\r\n`).join("");
  writeFileSync(path, Buffer.from(text, "latin1"));
  return path;
}

function fine(list: string, cell: string): string[] {
  return list === "cnep" ? [cell] : [];
}

/** A row of the debts: the document as it is published, and the amount as text. */
export interface DebtRow {
  readonly document: string;
  readonly amount: string;
  readonly role?: string;
  readonly name?: string;
}

/** The three lists of debts, each with its columns in the published order. */
const DEBTS = {
  fgts: {
    ...{ zip: "Dados_abertos_FGTS.zip", member: "FGTS" },
    header:
      "CPF_CNPJ;TIPO_PESSOA;TIPO_DEVEDOR;NOME_DEVEDOR;UF_DEVEDOR;UNIDADE_RESPONSAVEL;" +
      "ENTIDADE_RESPONSAVEL;UNIDADE_INSCRICAO;NUMERO_INSCRICAO;TIPO_SITUACAO_INSCRICAO;" +
      "SITUACAO_INSCRICAO;RECEITA_PRINCIPAL;DATA_INSCRICAO;INDICADOR_AJUIZADO;VALOR_CONSOLIDADO",
  },
  social: {
    ...{ zip: "Dados_abertos_Previdenciario.zip", member: "PREV" },
    header:
      "CPF_CNPJ;TIPO_PESSOA;TIPO_DEVEDOR;NOME_DEVEDOR;UF_DEVEDOR;UNIDADE_RESPONSAVEL;" +
      "NUMERO_INSCRICAO;TIPO_SITUACAO_INSCRICAO;SITUACAO_INSCRICAO;TIPO_CREDITO;" +
      "DATA_INSCRICAO;INDICADOR_AJUIZADO;VALOR_CONSOLIDADO",
  },
  other: {
    ...{ zip: "Dados_abertos_Nao_Previdenciario.zip", member: "SIDA" },
    header:
      "CPF_CNPJ;TIPO_PESSOA;TIPO_DEVEDOR;NOME_DEVEDOR;UF_DEVEDOR;UNIDADE_RESPONSAVEL;" +
      "NUMERO_INSCRICAO;TIPO_SITUACAO_INSCRICAO;SITUACAO_INSCRICAO;RECEITA_PRINCIPAL;" +
      "DATA_INSCRICAO;INDICADOR_AJUIZADO;VALOR_CONSOLIDADO",
  },
} as const;

/** Rows by kind of debt. */
export type DebtRows = Readonly<Partial<Record<keyof typeof DEBTS, readonly DebtRow[]>>>;

/** Writes the zips of a quarter, without empty kinds of debt, and returns their folder. */
export function writeDebts(folder: string, rows: DebtRows, month = "202606"): string {
  mkdirSync(folder, { recursive: true });
  for (const [kind, { zip, member, header }] of Object.entries(DEBTS)) {
    const list = rows[kind as keyof typeof DEBTS];
    if (list === undefined) continue;
    // PGFN publishes the list of other debts in several members.
    const parts = kind === "other" ? [list.slice(0, 1), list.slice(1)] : [list];
    const files = parts.map((part, i) => {
      const text = [header, ...part.map((row) => lineOf(row, header))].join("\n");
      return [
        `arquivo_lai_${member}_${i + 1}_${month}.csv`,
        Buffer.from(`${text}\n`, "latin1"),
      ] as const;
    });
    writeFileSync(join(folder, zip), zipOf(Object.fromEntries(files)));
  }
  return folder;
}

function lineOf(row: DebtRow, header: string): string {
  const { document, amount, role = "PRINCIPAL", name = "EMPRESA INVENTADA LTDA" } = row;
  const cells: Readonly<Record<string, string>> = {
    CPF_CNPJ: document,
    TIPO_PESSOA: document.length > 15 ? "Pessoa jurídica" : "Pessoa física",
    TIPO_DEVEDOR: role,
    NOME_DEVEDOR: name,
    UF_DEVEDOR: "SP",
    DATA_INSCRICAO: "03/04/2025",
    VALOR_CONSOLIDADO: amount,
  };
  return header
    .split(";")
    .map((column) => cells[column] ?? "X")
    .join(";");
}
