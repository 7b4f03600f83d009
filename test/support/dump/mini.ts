/**
 * Writes small dumps whose rows a test states by column name, and imports them. A dump is a folder
 * with one unzipped member for each file type.
 * Invariant: the bytes are those that the registry would write: ISO-8859-1, every field quoted,
 * lines that end with LF. A `raw` row is written unchanged.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FileType, LAYOUTS, memberNames } from "../../../src/dump/layout.ts";
import { importDump } from "../../../src/ingest/dump-import.ts";
import type { ImportReport } from "../../../src/ingest/report.ts";

/** A row by column name, or a line that is written unchanged. */
export type MiniRow = Readonly<Record<string, string>> | { readonly raw: string };

/** The rows of each file type. A type without rows is written as an empty file. */
export type MiniRows = Readonly<Partial<Record<FileType, readonly MiniRow[]>>>;

/** Code tables for dumps that state none. */
const TABLES: MiniRows = {
  cnaes: [
    { codigo: "4721102", descricao: "Padaria e confeitaria" },
    { codigo: "8888888", descricao: "Atividade não informada" },
  ],
  motivos: [{ codigo: "00", descricao: "SEM MOTIVO" }],
  municipios: [
    { codigo: "7107", descricao: "SAO PAULO" },
    { codigo: "0315", descricao: "SAO LUIZ" },
    { codigo: "1182", descricao: "BOA ESPERANCA DO NORTE" },
    { codigo: "9707", descricao: "EXTERIOR" },
  ],
  naturezas: [{ codigo: "2135", descricao: "Empresário (Individual)" }],
  paises: [{ codigo: "105", descricao: "BRASIL" }],
  qualificacoes: [{ codigo: "50", descricao: "Empresário" }],
};

/** Returns the row of an establishment whose values are all normal, except for `changes`. */
export function establishment(cnpj: string, changes: Record<string, string> = {}): MiniRow {
  const [root, branch, check] = [cnpj.slice(0, 8), cnpj.slice(8, 12), cnpj.slice(12)];
  return {
    cnpj_basico: root,
    cnpj_ordem: branch,
    cnpj_dv: check,
    identificador_matriz_filial: "1",
    situacao_cadastral: "02",
    data_situacao_cadastral: "20200131",
    motivo_situacao_cadastral: "00",
    data_inicio_atividade: "20200131",
    cnae_fiscal_principal: "4721102",
    uf: "SP",
    municipio: "7107",
    ...changes,
  };
}

/** A folder in which dumps are written and imported; `dispose` removes it. */
export class MiniWorkspace {
  readonly folder = mkdtempSync(join(tmpdir(), "peneira-mini-"));
  private count = 0;

  /** Writes a dump and returns its folder. `token` is the date in the names of its members. */
  write(rows: MiniRows, token = "D60808"): string {
    const folder = join(this.folder, `dump-${++this.count}`);
    mkdirSync(folder);
    for (const type of Object.keys(LAYOUTS) as FileType[]) {
      if (type === "socios" && rows.socios === undefined) continue;
      const lines = (rows[type] ?? TABLES[type] ?? []).map((row) => lineOf(type, row));
      const [, member] = memberNames(type, 0, token);
      writeFileSync(join(folder, member), Buffer.from(lines.join(""), "latin1"));
    }
    return folder;
  }

  /** Path of a snapshot in the folder. */
  path(name: string): string {
    return join(this.folder, name);
  }

  /**
   * Imports a dump in small partitions, so that there are several. The import runs with the flag
   * for partial dumps, because a dump has one part of each type, which is often empty. A test may
   * also replace a snapshot by a smaller one.
   */
  import(
    source: string,
    out: string,
    changes: Record<string, unknown> = {},
  ): Promise<ImportReport> {
    return importDump({
      source,
      out: this.path(out),
      label: "2026-08",
      keepCpf: false,
      partial: true,
      force: true,
      threads: 2,
      partitionBytes: 1 << 20,
      startStage: () => ({ update: () => undefined, done: () => undefined }),
      ...changes,
    });
  }

  /** Entries next to the dumps, to detect leftovers. */
  files(): string[] {
    return readdirSync(this.folder).filter((name) => !name.startsWith("dump-"));
  }

  /** Bytes of a snapshot. */
  bytes(name: string): Buffer {
    return readFileSync(this.path(name));
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function lineOf(type: FileType, row: MiniRow): string {
  if ("raw" in row) return row.raw as string;
  const cells = LAYOUTS[type].columns.map((name) => (row as Record<string, string>)[name] ?? "");
  return `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(";")}\n`;
}
