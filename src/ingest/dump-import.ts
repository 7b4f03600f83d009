/**
 * From the folder of a monthly release to a snapshot file.
 * What comes in: the folder, and optionally populations and sanctions.
 * What goes out: the snapshot under its name, and the report.
 * Invariant: all or nothing. Odd values never stop an import; damaged or missing files always do,
 * before anything stands under the output's name.
 */
import { statSync } from "node:fs";
import { isIndexed } from "../../native-index/format/footer.ts";
import { openSnapshot, type SnapshotMeta } from "../../native-index/format/snapshot.ts";
import { wordFor } from "../amounts.ts";
import { type DumpFolder, type DumpMember, openDump } from "../dump/archive.ts";
import type { FileType } from "../dump/layout.ts";
import { CommandError } from "../errors.ts";
import {
  type Assembled,
  assemble,
  type PassTime,
  type StartStage,
  timed,
  watched,
} from "./assemble.ts";
import { readPopulation } from "./population.ts";
import {
  dayOf,
  ImportTables,
  type MemberScan,
  type Release,
  readKnownCodes,
  SLOT_BYTES,
} from "./release-tables.ts";
import { type ImportReport, type RowCount, ruleCounts } from "./report.ts";
import { readSanctions } from "./sanctions.ts";
import { mergeTallies } from "./tally.ts";
import { Threads } from "./threads.ts";
import { Workspace } from "./workspace.ts";

/** Uncompressed bytes of a partition of companies, Simples and establishments together. */
const PARTITION_BYTES = 32 * 2 ** 20;
const PARTITIONS_MAX = 1024;

/** Days after the snapshot date on which rows may be dated. */
const DAYS_AFTER = 7;

/** A new snapshot with less than this share of the previous one's accounts is suspicious. */
const SHARE_MIN = 0.98;

/** What an import is told. */
export interface ImportOptions {
  readonly source: string;
  readonly out: string;
  readonly label?: string;
  readonly date?: string;
  readonly population?: string;
  readonly ceis?: string;
  readonly keepCpf: boolean;
  readonly threads: number;
  readonly startStage: StartStage;
  /** Uncompressed bytes of a partition; tests make it small. */
  readonly partitionBytes?: number;
}

/** Imports a dump folder. @throws CommandError naming file, line and reason. */
export async function importDump(options: ImportOptions): Promise<ImportReport> {
  const started = performance.now();
  const times: PassTime[] = [];
  const dump = await openDump(options.source, options.label);
  const release = readRelease(dump, options);
  const population = options.population === undefined ? null : readPopulation(options.population);
  const sanctions =
    options.ceis === undefined ? null : await readSanctions(options.ceis, release.date);
  const previous = await previousAccounts(options.out);
  const workspace = new Workspace(options.out, 2 * scannedBytes(dump));
  const threads = new Threads(options.threads);
  try {
    const scanning = { dump, options, release, workspace, threads };
    const [scans, known] = await timed(times, "scan", () =>
      Promise.all([scanAll(scanning), readKnownCodes(dump)]),
    );
    const tables = new ImportTables({ release, known, scans, population, sanctions });
    const assembled = await assemble({
      out: options.out,
      workspace,
      threads,
      partitions: partitionsOf(dump, options),
      context: tables.context(),
      metaOf: (accounts) => tables.meta(accounts),
      startStage: options.startStage,
    });
    const meta = tables.meta(assembled.accounts);
    const seconds = (performance.now() - started) / 1000;
    const warnings = [...dump.warnings, ...known.warnings, ...tables.warnings()];
    warnings.push(...shrunk(previous, assembled.accounts));
    return reportOf({ options, meta, scans, assembled, tables, warnings, times, seconds });
  } finally {
    await threads.close();
    workspace.close();
  }
}

function readRelease(dump: DumpFolder, options: ImportOptions): Release {
  const problems: string[] = [];
  const label = options.label ?? dump.label;
  const date = options.date ?? dump.date;
  if (label === null) problems.push("the folder's name has no month; give it with --label YYYY-MM");
  if (date === null && label !== null) {
    problems.push("the member names have no date (D60808); give it with --date YYYY-MM-DD");
  }
  if (label === null || date === null) throw new CommandError(problems.join("\n"));
  return { label, date };
}

function partitionsOf(dump: DumpFolder, options: ImportOptions): number {
  const bytes = scannedBytes(dump);
  const partitions = Math.ceil(bytes / (options.partitionBytes ?? PARTITION_BYTES));
  return Math.min(PARTITIONS_MAX, Math.max(1, partitions));
}

/** Members that pass 1 reads, by type and part. */
function scanned(dump: DumpFolder): DumpMember[] {
  const types: readonly FileType[] = ["empresas", "simples", "estabelecimentos"];
  return dump.members.filter(({ type }) => types.includes(type));
}

function scannedBytes(dump: DumpFolder): number {
  return scanned(dump).reduce((sum, member) => sum + member.bytes, 0);
}

interface Scanning {
  readonly dump: DumpFolder;
  readonly options: ImportOptions;
  readonly release: Release;
  readonly workspace: Workspace;
  readonly threads: Threads;
}

async function scanAll(scanning: Scanning): Promise<MemberScan[]> {
  const { dump, options, release, workspace, threads } = scanning;
  const members = scanned(dump).sort((a, b) => b.bytes - a.bytes);
  const bytes = scannedBytes(dump);
  const stage = options.startStage("scan", Math.round(bytes / 2 ** 20), "MB");
  const progress = new Int32Array(new SharedArrayBuffer(4));
  const tasks = members.map((member, i) => ({
    member,
    spillPath: workspace.file(`${member.type}-${i}`),
    partitions: partitionsOf(dump, options),
    slotBytes: SLOT_BYTES,
    keepCpf: options.keepCpf,
    latestDay: dayOf(release.date) + DAYS_AFTER,
    progress,
  }));
  const step = (): void => stage.update(Atomics.load(progress, 0) / 1024);
  const results = await watched(step, () => threads.run("scan", tasks));
  stage.done();
  const scans = results.map((result, i) => ({ ...result, member: members[i] as DumpMember }));
  return scans.sort((a, b) => orderOf(a.member) - orderOf(b.member));
}

/** Place of a member in the order that decides which of two equal rows is the first. */
function orderOf({ type, part }: DumpMember): number {
  return { empresas: 0, simples: 1000, estabelecimentos: 2000 }[type as "simples"] + (part ?? 0);
}

/** Accounts of the snapshot that the import will replace; null when there is none. */
async function previousAccounts(out: string): Promise<number | null> {
  try {
    return isIndexed(out) ? (await openSnapshot(out)).meta.accounts : null;
  } catch {
    return null;
  }
}

function shrunk(previous: number | null, accounts: number): string[] {
  if (previous === null || accounts >= previous * SHARE_MIN) return [];
  const now = `${accounts} ${wordFor(accounts, "account")}`;
  return [`${now}, while the snapshot replaced had ${previous}; is a part missing?`];
}

interface ReportParts {
  readonly options: ImportOptions;
  readonly meta: SnapshotMeta;
  readonly scans: readonly MemberScan[];
  readonly assembled: Assembled;
  readonly tables: ImportTables;
  readonly warnings: readonly string[];
  readonly times: readonly PassTime[];
  readonly seconds: number;
}

function reportOf(parts: ReportParts): ImportReport {
  const { options, meta, scans, assembled, seconds } = parts;
  const rows: Record<string, RowCount> = {};
  for (const { member, rowsIn, rowsKept } of scans) {
    const sum = rows[member.type] ?? { read: 0, kept: 0 };
    rows[member.type] = { read: sum.read + rowsIn, kept: sum.kept + rowsKept };
  }
  const tallies = [
    ...scans.map(({ tally }) => tally),
    assembled.tally,
    parts.tables.unknownCodes(),
  ];
  return {
    source: options.source,
    out: options.out,
    bytes: statSync(options.out).size,
    label: meta.label,
    snapshot_date: meta.snapshot_date,
    provenance: { ...meta.provenance },
    accounts: assembled.accounts,
    companies: assembled.companies,
    rows,
    rules: ruleCounts(mergeTallies(tallies)),
    warnings: parts.warnings,
    passes: [...parts.times, ...assembled.times],
    seconds,
    accounts_per_second: assembled.accounts / seconds,
  };
}
