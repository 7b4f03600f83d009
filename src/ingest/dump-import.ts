/**
 * Imports the folder of a monthly release. Input: the folder, and optionally populations and public
 * lists. Output: the snapshot under its name, and the report.
 * Invariant: all or nothing. Irregular values never stop an import. Damaged or missing files always
 * do, before the output file appears.
 */
import { statSync } from "node:fs";
import type { SnapshotOrigin } from "../../native-index/format/snapshot/meta.ts";
import type { SnapshotMeta } from "../../native-index/format/snapshot/snapshot.ts";
import { type DumpFolder, openDump } from "../dump/archive.ts";
import { readPlaces } from "../dump/places.ts";
import { CommandError } from "../errors.ts";
import { type Assembled, assemble, type PassTime, type StartStage, timed } from "./assemble.ts";
import { type Debts, spillDebts } from "./debts.ts";
import { refuseForeignContent } from "./foreigncontent.ts";
import { type CorporatePartners, readPartners } from "./partners.ts";
import { readMunicipalityCodes, readPopulation } from "./places/municipalitytables.ts";
import { checkShrinking, previousAccounts, previousCodes, previousPlaces } from "./previous.ts";
import { type ListOptions, readSanctionLists } from "./publiclists.ts";
import { dayOf, ImportTables, type Release, readKnownCodes, SLOT_BYTES } from "./release-tables.ts";
import { type ImportReport, type RowCount, ruleCounts } from "./report.ts";
import { type ScannedDump, scanDump, scannedBytes } from "./scan/scanning.ts";
import { mergeTallies } from "./tally.ts";
import { Threads } from "./threads.ts";
import { type FreeBytes, Workspace, type WorkspaceEstimate } from "./workspace.ts";

/**
 * Uncompressed source bytes per partition, in the files of companies, establishments, and Simples.
 */
const PARTITION_BYTES = 32 * 2 ** 20;
const PARTITIONS_MAX = 1024;

/**
 * Estimated bytes of the snapshot per uncompressed source byte. The measured share is 0.99 (72
 * million rows). The estimate is lower, so that an import that fits on the disk is never refused.
 * Temporary files take 0.96 bytes per source byte (2 million rows). They need no extra space,
 * because they are deleted before or while the snapshot grows.
 */
const SNAPSHOT_SHARE = 0.9;
/** Bytes of an empty snapshot; slightly below the measured 3.65 million. */
const SNAPSHOT_BYTES_MIN = 3_500_000;

/** Options of an import. */
export interface ImportOptions extends ListOptions {
  readonly source: string;
  readonly out: string;
  readonly label?: string;
  readonly date?: string;
  readonly population?: string;
  /** File of statistical regions and municipal seats; by default from the preceding snapshot. */
  readonly places?: string;
  /** File of official TOM and IBGE codes; by default they come from the preceding snapshot. */
  readonly municipalities?: string;
  readonly keepCpf: boolean;
  readonly threads: number;
  readonly startStage: StartStage;
  /**
   * If true, imports which companies are partners of other companies. Partners who are persons are
   * never imported.
   */
  readonly corporatePartners?: boolean;
  /** If true, accepts a month with missing parts, or with parts that have no rows. */
  readonly partial?: boolean;
  /** If true, the new snapshot may have far fewer accounts than the one it replaces. */
  readonly force?: boolean;
  /** Path of the preceding month's snapshot, if it is not the output path. */
  readonly replaces?: string;
  /** Max malformed rows that are skipped and counted; none by default. */
  readonly skipBadRows?: number;
  /** Uncompressed bytes of a partition; smaller in tests. */
  readonly partitionBytes?: number;
  /** Returns the free disk bytes of a folder; tests replace it. */
  readonly freeBytes?: FreeBytes;
}

/** Imports a dump folder. @throws CommandError naming file, line, and reason. */
export async function importDump(options: ImportOptions): Promise<ImportReport> {
  const started = performance.now();
  const times: PassTime[] = [];
  const { partial = false, skipBadRows = 0, out } = options;
  const dump = await openDump(options.source, options.label, options);
  const release = readRelease(dump, options);
  const population = options.population === undefined ? null : readPopulation(options.population);
  const sanctions = await readSanctionLists(options, release.date);
  const places =
    options.places === undefined
      ? await previousPlaces(options.replaces)
      : readPlaces(options.places);
  const replaced = options.replaces ?? out;
  const { municipalities: municipalityFile } = options;
  const municipalityCodes =
    municipalityFile === undefined
      ? await previousCodes(replaced)
      : readMunicipalityCodes(municipalityFile);
  const previous = await previousAccounts(replaced);
  const bytes = scannedBytes(dump);
  const workspace = new Workspace(out, estimateOf(bytes), options.freeBytes);
  const threads = new Threads(options.threads);
  try {
    const partitions = partitionsOf(bytes, options);
    const { debts, partners } = await readExtras(
      dump,
      { ...options, release },
      { times, partitions, spillPath: workspace.file("debts") },
    );
    const lists = { ...sanctions, debts };
    const scanning = { ...options, dump, release, workspace, threads, partitions };
    const scanned = await timed(times, "scan", () =>
      scanDump({ ...scanning, partial, skipBadRows }),
    );
    const known = readKnownCodes(scanned.lookups);
    const { scans, lookups } = scanned;
    if (!partial) refuseForeignContent(dump.folder, scans, { lookups, known: known.codes });
    const origin = originOf(dump, scanned);
    const tables = new ImportTables({
      ...{ release, known, scans, population, lists, partners, origin, places },
      ...{ municipalityCodes, municipalityFile },
    });
    const warnings = [...dump.warnings, ...scanned.warnings, ...known.warnings];
    warnings.push(...tables.warnings(), ...(partners?.warnings ?? []));
    const assembled = await assemble({
      ...{ out, workspace, threads, partitions, startStage: options.startStage },
      context: tables.context(),
      owners: partners?.part ?? null,
      metaOf: (accounts, numbers) => tables.meta(accounts, numbers),
      approve(accounts) {
        const { force = false } = options;
        warnings.push(
          ...checkShrinking(
            { out: replaced, isReplaced: replaced === out, previous, force },
            accounts,
          ),
        );
      },
    });
    const { meta } = assembled;
    const seconds = (performance.now() - started) / 1000;
    return reportOf({ options, meta, scanned, assembled, tables, warnings, times, seconds });
  } catch (error) {
    throw workspace.refusalOf(error);
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

/** A partner's date is valid up to this many days after the release, as in the scan. */
const DAYS_AFTER = 7;

interface Extras {
  readonly debts: Debts | null;
  readonly partners: CorporatePartners | null;
}

/** Reads the debts, and the companies that are partners, if requested. */
async function readExtras(
  { folder, members }: DumpFolder,
  options: ImportOptions & { readonly release: Release },
  pass: {
    readonly times: PassTime[];
    readonly partitions: number;
    readonly spillPath: string;
  },
): Promise<Extras> {
  const { release, partial = false, skipBadRows = 0, startStage, pgfn } = options;
  const { times, partitions, spillPath } = pass;
  const latestDay = dayOf(release.date) + DAYS_AFTER;
  const spill = { partitions, spillPath, slotBytes: SLOT_BYTES, partial };
  const files = { folder, members, label: release.label, latestDay };
  const how = { partial, skipBadRows, startStage };
  return {
    debts:
      pgfn === undefined
        ? null
        : await timed(times, "debts", () => spillDebts({ path: pgfn, ...spill })),
    partners:
      options.corporatePartners === true
        ? await timed(times, "partners", () => readPartners({ ...files, ...how }))
        : null,
  };
}

/** Returns the metadata about the source files; null if there is none. */
function originOf(dump: DumpFolder, scanned: ScannedDump): SnapshotOrigin | null {
  const { host } = dump;
  const { rowsLeftOut: rows_left_out } = scanned;
  const partial = dump.partial || scanned.partial;
  const isRecorded = host !== null || partial || rows_left_out > 0;
  return isRecorded ? { host, partial, rows_left_out } : null;
}

function partitionsOf(bytes: number, options: ImportOptions): number {
  const partitions = Math.ceil(bytes / (options.partitionBytes ?? PARTITION_BYTES));
  return Math.min(PARTITIONS_MAX, Math.max(1, partitions));
}

function estimateOf(bytes: number): WorkspaceEstimate {
  const snapshot = SNAPSHOT_BYTES_MIN + SNAPSHOT_SHARE * bytes;
  return { work: 0, snapshot, memory: 2 * bytes };
}

interface ReportParts {
  readonly options: ImportOptions;
  readonly meta: SnapshotMeta;
  readonly scanned: ScannedDump;
  readonly assembled: Assembled;
  readonly tables: ImportTables;
  readonly warnings: readonly string[];
  readonly times: readonly PassTime[];
  readonly seconds: number;
}

function reportOf(parts: ReportParts): ImportReport {
  const { options, meta, assembled, seconds } = parts;
  const { scans, tally } = parts.scanned;
  const rows: Record<string, RowCount> = {};
  for (const { member, rowsIn, rowsKept } of scans) {
    const sum = rows[member.type] ?? { read: 0, kept: 0 };
    rows[member.type] = { read: sum.read + rowsIn, kept: sum.kept + rowsKept };
  }
  const tallies = [
    ...scans.map((scan) => scan.tally),
    tally,
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
    odd_municipalities: parts.tables.odd(),
    passes: [...parts.times, ...assembled.times],
    seconds,
    accounts_per_second: assembled.accounts / seconds,
  };
}
