/**
 * From the folder of a monthly release to a snapshot file.
 * What comes in: the folder, and optionally populations and sanctions.
 * What goes out: the snapshot under its name, and the report.
 * Invariant: all or nothing. Odd values never stop an import; damaged or missing files always do,
 * before anything stands under the output's name.
 */
import { statSync } from "node:fs";
import { RECORD_NULL } from "../../native-index/record.ts";
import {
  FORMAT_VERSION,
  isIndexed,
  openSnapshot,
  type SnapshotMeta,
} from "../../native-index/snapshot.ts";
import manifest from "../../package.json" with { type: "json" };
import { type DumpFolder, type DumpMember, openDump } from "../dump/archive.ts";
import type { FileType } from "../dump/layout.ts";
import { readLookups } from "../dump/lookups.ts";
import { CommandError } from "../errors.ts";
import { SCORE_VERSION } from "../search/score.ts";
import { CNAE_NOT_INFORMED } from "../spec/catalog.ts";
import { UFS } from "../spec/fields.ts";
import {
  type Assembled,
  assemble,
  type PassTime,
  type StartStage,
  timed,
  watched,
} from "./assemble.ts";
import { type AllRemaps, CODE_KINDS, type CodeKind, remapTable } from "./codes.ts";
import {
  buildDictionaries,
  codeNames,
  type KindDictionaries,
  type KnownCodes,
  metaDictionaries,
  padCodes,
} from "./dictionaries.ts";
import { TOM_CODES } from "./establishments.ts";
import type { JoinContext } from "./join.ts";
import { Municipalities, TOM_ABROAD } from "./municipalities.ts";
import { type Population, readPopulation } from "./population.ts";
import { type ImportReport, type RowCount, ruleCounts } from "./report.ts";
import { readSanctions, type Sanctions } from "./sanctions.ts";
import type { ScanResult } from "./scan.ts";
import { mergeTallies, Tally, type TallyResult } from "./tally.ts";
import { Threads } from "./threads.ts";
import { Workspace } from "./workspace.ts";

/** Uncompressed bytes of a partition of companies, Simples and establishments together. */
const PARTITION_BYTES = 32 * 2 ** 20;
const PARTITIONS_MAX = 1024;

/** Bytes that a bucket of a spill file gathers in memory. */
export const SLOT_BYTES = 1 << 16;

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
    const known = await readKnownCodes(dump);
    const scanning = { dump, options, release, workspace, threads };
    const scans = await timed(times, "scan", () => scanAll(scanning));
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

/** Label and date of the release. */
interface Release {
  readonly label: string;
  readonly date: string;
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

/** Day number of an ISO date. */
export function dayOf(date: string): number {
  return Math.round(Date.parse(`${date}T00:00:00Z`) / 86_400_000);
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

/** A scan with the member it read. */
interface MemberScan extends ScanResult {
  readonly member: DumpMember;
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

interface KnownTables {
  readonly codes: KnownCodes;
  readonly warnings: readonly string[];
}

async function readKnownCodes(dump: DumpFolder): Promise<KnownTables> {
  const lookups = await readLookups(dump);
  const warnings: string[] = [];
  const read = (kind: CodeKind, table: ReadonlyMap<string, string>): Map<string, string> => {
    const { codes, odd } = padCodes(kind, table);
    if (odd.length > 0) {
      warnings.push(`the ${kind} table has ${odd.length} codes that are no numbers; left out`);
    }
    return codes;
  };
  const codes = {
    cnae: read("cnae", lookups.cnaes),
    nature: read("nature", lookups.naturezas),
    reason: read("reason", lookups.motivos),
    tom: read("tom", lookups.municipios),
    country: read("country", lookups.paises),
  };
  return { codes, warnings };
}

interface TableSources {
  readonly release: Release;
  readonly known: KnownTables;
  readonly scans: readonly MemberScan[];
  readonly population: Population | null;
  readonly sanctions: Sanctions | null;
}

/** Dictionaries, join context and metadata of one import. */
class ImportTables {
  private readonly sources: TableSources;
  private readonly municipalities: Municipalities;
  private readonly kinds: KindDictionaries;

  constructor(sources: TableSources) {
    this.sources = sources;
    const { known, scans } = sources;
    this.municipalities = new Municipalities(known.codes.tom);
    const used = scans.map(({ codes }) => codes);
    this.kinds = buildDictionaries(known.codes, this.municipalities.ibgeCodes, used);
  }

  context(): JoinContext {
    const { release, sanctions } = this.sources;
    const { tom, ibge, cnae } = this.kinds;
    const files = (type: FileType) =>
      this.sources.scans
        .filter(({ member }) => member.type === type)
        .map((scan) => ({ spill: scan.spill, remaps: this.remaps(scan) }));
    return {
      companies: files("empresas"),
      simples: files("simples").map(({ spill }) => spill),
      establishments: files("estabelecimentos"),
      ibge: this.municipalities.ibgeTable(tom, ibge, RECORD_NULL.u16),
      tomCount: tom.length,
      tomAbroad: tom.indexOf(TOM_ABROAD),
      ufAbroad: UFS.indexOf("EX"),
      cnaeNotInformed: cnae.indexOf(CNAE_NOT_INFORMED),
      sanctioned: sanctions?.cnpjs ?? null,
      snapshotDay: dayOf(release.date),
      slotBytes: SLOT_BYTES,
    };
  }

  meta(accounts: number): SnapshotMeta {
    const { release, known, population, sanctions } = this.sources;
    const { codes } = known;
    return {
      format: FORMAT_VERSION,
      label: release.label,
      snapshot_date: release.date,
      provenance: {
        rfb_snapshot: release.label,
        ibge_population_year: population?.year ?? "not_available",
        ceis_as_of_date: sanctions?.asOf ?? "not_available",
      },
      accounts,
      score_version: SCORE_VERSION,
      created_by: `peneira ${manifest.version}`,
      lookups: {
        cnaes: codeNames(codes.cnae),
        legal_natures: codeNames(codes.nature),
        reasons: codeNames(codes.reason),
        countries: codeNames(codes.country),
        municipalities: this.municipalities.describe(
          this.kinds.tom,
          this.places(),
          population?.byIbge ?? new Map(),
        ),
      },
      dictionaries: metaDictionaries(this.kinds),
    };
  }

  /** Codes in use that their tables lack. */
  unknownCodes(): TallyResult {
    const tally = new Tally("");
    const rules = {
      cnae: "cnae_unknown",
      nature: "nature_unknown",
      reason: "reason_unknown",
      country: "country_unknown",
    } as const;
    for (const [kind, rule] of Object.entries(rules) as [keyof typeof rules, "cnae_unknown"][]) {
      const known = this.sources.known.codes[kind];
      for (const scan of this.sources.scans) {
        const { codes, counts } = scan.codes[kind];
        codes.forEach((code, i) => {
          const text = this.kinds[kind].find((known) => Number(known) === code) ?? String(code);
          if (!known.has(text)) tally.add(rule, 0, () => text, counts[i] as number);
        });
      }
    }
    return tally.result();
  }

  warnings(): string[] {
    const { sanctions } = this.sources;
    if (sanctions === null || sanctions.counts.withoutCnpj === 0) return [];
    return [`${sanctions.counts.withoutCnpj} sanctioned companies have no 14-digit CNPJ; left out`];
  }

  private remaps(scan: MemberScan): AllRemaps {
    const entries = CODE_KINDS.map((kind) => {
      return [kind, remapTable(kind, this.kinds[kind], scan.codes[kind])];
    });
    return Object.fromEntries(entries) as AllRemaps;
  }

  private places(): Uint32Array {
    const sum = new Uint32Array(UFS.length * TOM_CODES);
    for (const { places } of this.sources.scans) {
      places.forEach((rows, i) => {
        sum[i] = (sum[i] as number) + rows;
      });
    }
    return sum;
  }
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
  return [`${accounts} accounts, while the snapshot replaced had ${previous}; is a part missing?`];
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
