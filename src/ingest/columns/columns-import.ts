/**
 * Imports a file with the documented columns (Arrow without an index, or Parquet). Input: the path,
 * and label and date if the file lacks them. Output: the snapshot under its name, and the report.
 * Invariant: another program may copy the rows of a snapshot to a file, in any order. The import of
 * this file gives the same answers as the snapshot. Scores are computed again.
 */
import { statSync } from "node:fs";
import { basename } from "node:path";
import { getLegalNatures, getMunicipalities } from "@brazilian-utils/brazilian-utils";
import {
  type ColumnBatch,
  readArrowFile,
} from "../../../native-index/format/arrow/arrow-reader.ts";
import { COLUMNS } from "../../../native-index/format/columns.ts";
import {
  isIndexed,
  META_KEY,
  plainMeta,
  readPlainMeta,
} from "../../../native-index/format/snapshot/footer.ts";
import {
  numberTexts,
  type SnapshotMeta,
  type SnapshotMunicipality,
  type SnapshotPlaces,
} from "../../../native-index/format/snapshot/meta.ts";
import { columnsOf, FORMAT_VERSION } from "../../../native-index/format/snapshot/versions.ts";
import manifest from "../../../package.json" with { type: "json" };
import { activityName } from "../../dump/activities.ts";
import { readPlaces } from "../../dump/places.ts";
import { CommandError } from "../../errors.ts";
import { type FileKind, kindOfFile, wrongKindText } from "../../files/filekind.ts";
import { SCORE_VERSION } from "../../search/score.ts";
import { CNAE_NOT_INFORMED } from "../../spec/catalog.ts";
import { UFS } from "../../spec/fields.ts";
import { type Assembled, assemble, type PassTime, timed } from "../assemble.ts";
import { type Debts, spillDebts } from "../debts.ts";
import {
  type AllCodes,
  type AllRemaps,
  buildDictionaries,
  CODE_KINDS,
  codeNames,
  codesInUse,
  type KindDictionaries,
  type KnownCodes,
  metaDictionaries,
  newCounters,
  ordinalsOf,
  remapTable,
} from "../dictionaries.ts";
import type { ImportOptions } from "../dump-import.ts";
import {
  type Population,
  populationWarnings,
  readPopulation,
} from "../places/municipalitytables.ts";
import { checkShrinking, previousAccounts } from "../previous.ts";
import { listWarnings, type PublicLists, provenanceOf, readSanctionLists } from "../publiclists.ts";
import { dayOf, MAIL_PROVIDERS, SLOT_BYTES, unplaced } from "../release-tables.ts";
import { type ImportReport, ruleCounts } from "../report.ts";
import { type SpillFile, SpillWriter } from "../spill.ts";
import { mergeTallies, Tally, type TallyResult } from "../tally.ts";
import { Threads } from "../threads.ts";
import { Workspace } from "../workspace.ts";
import { ColumnRows } from "./column-rows.ts";
import { openParquet } from "./parquet.ts";

/** Bytes of the source file per partition. */
const PARTITION_BYTES = 16 * 2 ** 20;
const PARTITIONS_MAX = 1024;

/**
 * Disk bytes per byte of the file: rows are spilled twice, and Parquet may shrink them to a fifth.
 */
const SPILL_FACTOR = 10;

/**
 * A file's batches. `meta` is the metadata of the snapshot that the file was made from, if the file
 * still contains it.
 */
interface ColumnSource {
  readonly meta: SnapshotMeta | null;
  readonly batches: () => AsyncGenerator<ColumnBatch>;
}

/** Imports a file. @throws CommandError that names what is missing or damaged. */
export async function importColumns(options: ImportOptions): Promise<ImportReport> {
  const started = performance.now();
  const times: PassTime[] = [];
  const source = await openColumns(options.source);
  const { label, date } = releaseOf(source, options);
  const population = options.population === undefined ? null : readPopulation(options.population);
  const sanctions = await readSanctionLists(options, date);
  const placed = options.places === undefined ? null : readPlaces(options.places);
  const previous = await previousAccounts(options.out);
  const bytes = statSync(options.source).size;
  const need = { work: bytes / 2, snapshot: bytes / 2, memory: SPILL_FACTOR * bytes };
  const workspace = new Workspace(options.out, need, options.freeBytes);
  const warnings: string[] = [];
  const threads = new Threads(options.threads);
  try {
    const scanned = await timed(times, "read", () =>
      scanColumns(source, options, workspace, sanctions.ceis?.cnpjs ?? null),
    );
    const debts = await debtsOf(options, scanned.partitions, workspace.file("debts"));
    const lists = { ...sanctions, debts };
    warnings.push(...listWarnings(lists));
    const { meta } = source;
    const tables = buildTables({ ...scanned, meta, label, date, population, lists, placed });
    if (population !== null) {
      const { lookups, dictionaries } = tables.meta;
      const { municipality_ibge: codes } = dictionaries;
      warnings.push(...populationWarnings(population, lookups.municipalities, codes));
    }
    if (placed !== null) {
      warnings.push(...unplaced(placed, tables.meta.dictionaries.municipality_ibge));
    }
    const assembled = await assemble({
      out: options.out,
      workspace,
      threads,
      partitions: scanned.partitions,
      context: contextOf(scanned, tables, { date, lists }),
      metaOf: (accounts, numbers) => {
        const { dictionaries, ...meta } = tables.meta;
        const counted = { ...dictionaries, number: numberTexts(numbers) };
        return { ...meta, accounts, dictionaries: counted };
      },
      startStage: options.startStage,
      approve(accounts) {
        const { out, force = false } = options;
        warnings.push(...checkShrinking({ out, isReplaced: true, previous, force }, accounts));
      },
    });
    const seconds = (performance.now() - started) / 1000;
    return reportOf({ options, scanned, assembled, meta: tables.meta, warnings, times, seconds });
  } catch (error) {
    throw workspace.refusalOf(error);
  } finally {
    await threads.close();
    workspace.close();
  }
}

/** Returns the debts, or null if the options name no list of debts. */
async function debtsOf(
  { pgfn, partial = false }: ImportOptions,
  partitions: number,
  spillPath: string,
): Promise<Debts | null> {
  if (pgfn === undefined) return null;
  return spillDebts({ path: pgfn, spillPath, partitions, slotBytes: SLOT_BYTES, partial });
}

/**
 * Returns label and date of the rows. @throws CommandError if they are unknown, or if the options
 * include `--corporate-partners`, which only dumps support.
 */
function releaseOf(
  { meta }: ColumnSource,
  options: ImportOptions,
): { readonly label: string; readonly date: string } {
  if (options.corporatePartners === true) {
    throw new CommandError(
      "--corporate-partners reads the Socios files of a dump; import the folder of the month",
    );
  }
  const label = options.label ?? meta?.label;
  const date = options.date ?? meta?.snapshot_date;
  if (label !== undefined && date !== undefined) return { label, date };
  throw new CommandError(
    `${basename(options.source)} does not say of which release it is: give --label YYYY-MM and ` +
      "--date YYYY-MM-DD to peneira import",
  );
}

/** Opens a file. Its first bytes, not its name, decide how it is read. */
async function openColumns(path: string): Promise<ColumnSource> {
  const kind = kindOfFile(path);
  if (kind?.id === "parquet") {
    const { metadata, batches } = await openParquet(path);
    return { meta: plainMeta(path, metadata.get(META_KEY)), batches };
  }
  if (kind?.id !== "arrow") throw new CommandError(`${path} cannot be imported: ${refused(kind)}`);
  if (isIndexed(path)) {
    throw new CommandError(`${path} is a snapshot already; serve or search it as it is`);
  }
  return { meta: readPlainMeta(path), batches: () => readArrowFile(path) };
}

/** Returns why a file cannot be imported. */
function refused(kind: FileKind | null): string {
  const sources = "an Arrow or Parquet file";
  const folder = "A dump is imported as the folder with all of its zips.";
  if (kind === null) return `it is not ${sources}. ${folder}`;
  const remedy = kind.id === "zip" ? folder : "Make or copy it again.";
  return `${wrongKindText(kind, sources)}. ${remedy}`;
}

interface Scanned {
  readonly spill: SpillFile;
  readonly partitions: number;
  readonly codes: AllCodes;
  readonly places: ReadonlyMap<string, string>;
  readonly tally: TallyResult;
  readonly read: number;
  readonly kept: number;
}

async function scanColumns(
  source: ColumnSource,
  options: ImportOptions,
  workspace: Workspace,
  sanctioned: ReadonlySet<string> | null,
): Promise<Scanned> {
  const bytes = statSync(options.source).size;
  const share = Math.ceil(bytes / (options.partitionBytes ?? PARTITION_BYTES));
  const partitions = Math.min(PARTITIONS_MAX, Math.max(1, share));
  const writer = new SpillWriter(workspace.file("columns"), partitions, SLOT_BYTES);
  const tally = new Tally(basename(options.source));
  const counters = newCounters();
  const places = new Map<string, string>();
  const { keepCpf } = options;
  const rows = new ColumnRows({ writer, partitions, tally, counters, sanctioned, keepCpf, places });
  let read = 0;
  let kept = 0;
  for await (const batch of source.batches()) {
    checkColumns(options.source, batch);
    kept += rows.take(batch);
    read += batch.rows;
  }
  const codes = codesInUse(counters);
  return { spill: writer.close(), partitions, codes, places, tally: tally.result(), read, kept };
}

function checkColumns(path: string, batch: ColumnBatch): void {
  const needed = COLUMNS.map(({ name }) => name).filter((name) => !isOptional(name));
  const missing = needed.filter((name) => !batch.names.includes(name));
  if (missing.length === 0) return;
  throw new CommandError(`${path} lacks the columns ${missing.join(", ")}`);
}

/**
 * True for columns that a file may lack: scores, because they are recomputed, and columns that
 * earlier versions did not write.
 */
function isOptional(name: string): boolean {
  return name.startsWith("score") || LATER_COLUMNS.includes(name);
}

const LATER_COLUMNS: readonly string[] = COLUMNS.slice(columnsOf(2).length).map(({ name }) => name);

interface TableSources {
  readonly codes: AllCodes;
  readonly places: ReadonlyMap<string, string>;
  readonly meta: SnapshotMeta | null;
  readonly label: string;
  readonly date: string;
  readonly population: Population | null;
  readonly lists: PublicLists;
  readonly placed: SnapshotPlaces | null;
}

interface Tables {
  readonly kinds: KindDictionaries;
  readonly meta: SnapshotMeta;
}

function buildTables(sources: TableSources): Tables {
  const { codes, meta, label, date, population, lists } = sources;
  const placed = sources.placed ?? meta?.places;
  const known = meta === null ? packageCodes(sources) : metaCodes(meta);
  const municipalities = getMunicipalities().map(({ code }) => code);
  const ibges = meta?.dictionaries.municipality_ibge ?? municipalities;
  const kinds = buildDictionaries(known, ibges, [codes]);
  const old = meta?.provenance;
  return {
    kinds,
    meta: {
      format: FORMAT_VERSION,
      label,
      snapshot_date: date,
      provenance: {
        rfb_snapshot: label,
        ibge_population_year: population?.year ?? old?.ibge_population_year ?? "not_available",
        ...provenanceOf(lists, old),
        partners_snapshot: "not_available",
      },
      ...(meta?.origin === undefined ? {} : { origin: meta.origin }),
      ...(placed === undefined ? {} : { places: placed }),
      ...(meta?.odd_municipalities === undefined
        ? {}
        : { odd_municipalities: meta.odd_municipalities }),
      accounts: 0,
      score_version: SCORE_VERSION,
      created_by: `peneira ${manifest.version}`,
      lookups: {
        cnaes: meta?.lookups.cnaes ?? codeNames(known.cnae),
        legal_natures: meta?.lookups.legal_natures ?? codeNames(known.nature),
        reasons: meta?.lookups.reasons ?? [],
        countries: meta?.lookups.countries ?? [],
        municipalities: municipalitiesOf(sources, kinds.tom),
      },
      dictionaries: metaDictionaries(kinds, new Uint32Array()),
    },
  };
}

/** Returns the codes in a snapshot's metadata. */
function metaCodes(meta: SnapshotMeta): KnownCodes {
  const list = (codes: readonly string[]): Map<string, string> =>
    new Map(codes.map((c) => [c, ""]));
  const { dictionaries } = meta;
  return {
    cnae: list(dictionaries.cnae_primary),
    nature: list(dictionaries.legal_nature),
    reason: list(dictionaries.registration_status_reason),
    tom: list(dictionaries.municipality_tom),
    country: list(dictionaries.country_code),
  };
}

/** Returns the codes and names known without a dump: the codes in use and the legal natures. */
function packageCodes({ codes }: TableSources): KnownCodes {
  const cnae = new Map<string, string>();
  for (const code of codes.cnae.codes) {
    const text = String(code).padStart(7, "0");
    cnae.set(text, activityName(text) ?? "");
  }
  const nature = new Map(
    Object.entries(getLegalNatures()).map(([code, name]) => [code, String(name)]),
  );
  return { cnae, nature, reason: new Map(), tom: new Map(), country: new Map() };
}

function municipalitiesOf(sources: TableSources, toms: readonly string[]): SnapshotMunicipality[] {
  const { meta, places, population } = sources;
  const known = new Map(meta?.lookups.municipalities.map((row) => [row[0], row]));
  const byIbge = new Map(getMunicipalities().map((place) => [place.code, place]));
  return toms.map((tom) => {
    const row = known.get(tom);
    const place = byIbge.get(row?.[2] ?? places.get(tom) ?? "");
    const people = population?.byIbge.get(place?.code ?? "");
    if (row !== undefined) return [tom, row[1], row[2], row[3], people ?? row[4]];
    return [tom, place?.name ?? "", place?.code ?? null, place?.stateCode ?? null, people ?? null];
  });
}

function contextOf(
  scanned: Scanned,
  { kinds }: Tables,
  { date, lists }: { readonly date: string; readonly lists: PublicLists },
) {
  const remaps = Object.fromEntries(
    CODE_KINDS.map((kind) => [
      kind,
      remapTable(kind, ordinalsOf(kinds[kind]), scanned.codes[kind]),
    ]),
  ) as AllRemaps;
  return {
    companies: null,
    simples: [],
    establishments: [{ spill: scanned.spill, remaps }],
    ibge: new Uint16Array(0),
    tomCount: 0,
    tomAbroad: -1,
    ufAbroad: UFS.indexOf("EX"),
    cnaeNotInformed: kinds.cnae.indexOf(CNAE_NOT_INFORMED),
    sanctioned: null,
    cnep: lists.cnep?.cnpjs ?? null,
    cepim: lists.cepim?.cnpjs ?? null,
    debts: lists.debts?.spill ?? null,
    snapshotDay: dayOf(date),
    slotBytes: SLOT_BYTES,
    providers: new Set(MAIL_PROVIDERS),
  };
}

interface ReportParts {
  readonly options: ImportOptions;
  readonly scanned: Scanned;
  readonly assembled: Assembled;
  readonly meta: SnapshotMeta;
  readonly warnings: readonly string[];
  readonly times: readonly PassTime[];
  readonly seconds: number;
}

function reportOf({
  options,
  scanned,
  assembled,
  meta,
  warnings,
  times,
  seconds,
}: ReportParts): ImportReport {
  return {
    source: options.source,
    out: options.out,
    bytes: statSync(options.out).size,
    label: meta.label,
    snapshot_date: meta.snapshot_date,
    provenance: { ...meta.provenance },
    accounts: assembled.accounts,
    companies: null,
    rows: { rows: { read: scanned.read, kept: scanned.kept } },
    rules: ruleCounts(mergeTallies([scanned.tally, assembled.tally])),
    warnings,
    odd_municipalities: [],
    passes: [...times, ...assembled.times],
    seconds,
    accounts_per_second: assembled.accounts / seconds,
  };
}
