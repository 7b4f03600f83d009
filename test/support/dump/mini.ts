/**
 * A dump written by hand: turns rows by column name into a folder with one unzipped member per file
 * type, and imports it.
 * Invariant: bytes are ISO-8859-1, every field quoted, LF, as the registry writes them; `raw`
 * inserts a line unchanged.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FileType, LAYOUTS, memberNames } from "../../../src/dump/layout.ts";
import { importDump } from "../../../src/ingest/dump-import.ts";
import type { ImportReport } from "../../../src/ingest/report.ts";

/** A row by column name, or a line that is written unchanged. */
export type MiniRow = Readonly<Record<string, string>> | { readonly raw: string };

/** Rows by file type; types without rows are written empty. */
export type MiniRows = Readonly<Partial<Record<FileType, readonly MiniRow[]>>>;

/** Tables of every mini dump unless it has its own. */
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

/** An establishment without odd values, except for `changes`. */
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

  /** Writes a dump and returns its folder; `token` is the date token in the members' names. */
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
   * Imports a dump in small partitions, so that there are several. One part of each type, often
   * empty, is a partial dump, and a test may write a smaller dump over another's.
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
