/**
 * Two open snapshots of the same registry, one month apart, and their rows as an independent reader
 * decodes them.
 * Invariant: the same seed makes the same files. Between the months, accounts vanish, appear, and
 * change in any column. The dictionaries differ, so that equal values have different codes, and the
 * ranks differ too.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BATCH_ROWS } from "../../../native-index/format/columns.ts";
import type { DictionaryName, SnapshotMeta } from "../../../native-index/format/snapshot/meta.ts";
import {
  encodeOwners,
  type OwnerPair,
  rootNumber,
} from "../../../native-index/format/snapshot/owners.ts";
import { createSnapshotWriter } from "../../../native-index/format/snapshot/snapshot.ts";
import { FORMAT_VERSION } from "../../../native-index/format/snapshot/versions.ts";
import { createBatch, rankRecords } from "../../../native-index/napi/engine.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { decodeSnapshot } from "../formats/decode.ts";
import {
  encodeRecords,
  FIXTURE_TABLES,
  type FixtureRow,
  randomRows,
  seededRandom,
} from "../native-index/fixture-rows.ts";
import { type TwinRow, withPartnerships } from "../twin.ts";

/** One month. */
export interface Month {
  readonly path: string;
  readonly segment: Segment;
  readonly rows: readonly TwinRow[];
  /** Pairs of a company and a company that it owns. */
  readonly partners: readonly OwnerPair[];
}

/** Both months; `dispose` closes and removes them. */
export interface MonthPair {
  readonly folder: string;
  readonly older: Month;
  readonly newer: Month;
  /** Makes and opens the month after both. The caller must close it. */
  third(): Promise<Month>;
  dispose(): void;
}

/** Options of a pair. */
export interface PairOptions {
  readonly seed: number;
  readonly accounts: number;
  /** The months that were imported with the list of sanctions. */
  readonly sanctions?: "both" | "newer" | "none";
  /** True if some head offices become branches, and vice versa. */
  readonly moved?: boolean;
}

const GONE = 0.06;
const CHANGED = 0.4;
const CODED: Readonly<Partial<Record<keyof FixtureRow, DictionaryName>>> = {
  registration_status_reason: "registration_status_reason",
  cnae_primary: "cnae_primary",
  cnae_secondary: "cnae_primary",
  legal_nature: "legal_nature",
  company_size_code: "company_size_code",
  uf: "uf",
  municipality_ibge: "municipality_ibge",
  municipality_tom: "municipality_tom",
  country_code: "country_code",
  email_shared: "number",
  phone_1_shared: "number",
  phone_2_shared: "number",
  establishments: "number",
};
const DICTIONARIES = [...new Set(Object.values(CODED))];

/** Makes and opens a pair. */
export async function makePair({
  seed,
  accounts,
  sanctions = "both",
  moved = false,
}: PairOptions): Promise<MonthPair> {
  const folder = mkdtempSync(join(tmpdir(), "peneira-pair-"));
  const before = randomRows(seed, accounts);
  const after = nextMonth(before, seed).map((row, i) => (moved ? inTurn(row, i) : row));
  const month = (name: string, rows: readonly FixtureRow[], known: boolean) =>
    writeMonth(join(folder, name), rows, { label: name, known, seed });
  const older = await month("2026-09", before, sanctions === "both");
  const newer = await month("2026-10", after, sanctions !== "none");
  // The third month is made on demand, because most suites need only two.
  const third = () => month("2026-11", nextMonth(after, seed + 100), sanctions !== "none");
  const dispose = () => {
    for (const { segment } of [older, newer]) segment.close();
    rmSync(folder, { recursive: true });
  };
  return { folder, older, newer, third, dispose };
}

/**
 * Turns a head office into a branch, or a branch into a head office, in one row of 40, because few
 * rows change in this way by chance.
 */
function inTurn(row: FixtureRow, i: number): FixtureRow {
  return i % 40 === 11 ? { ...row, headquarters: row.headquarters !== true } : row;
}

/** The next month: some rows removed, some changed in one to four columns, some new. */
function nextMonth(rows: readonly FixtureRow[], seed: number): FixtureRow[] {
  const random = seededRandom(seed + 7);
  const others = randomRows(seed + 1, rows.length);
  const known = new Set(rows.map(({ cnpj }) => cnpj));
  const columns = (Object.keys(rows[0] ?? {}) as (keyof FixtureRow)[]).filter(
    (name) => name !== "cnpj",
  );
  // Few random rows are abroad or sanctioned, so this adds more.
  const abroad = (row: FixtureRow, i: number) =>
    i % 40 === 3 ? { ...row, foreign_city: `LIMA ${i}`, country_code: i % 9 } : row;
  const flipSanction = (row: FixtureRow, i: number) =>
    i % 40 === 7 ? { ...row, sanctioned: row.sanctioned !== true } : row;
  const retained = rows
    .filter(() => random() >= GONE)
    .map(abroad)
    .map(flipSanction);
  const changed = retained.map((row, i) => {
    if (random() >= CHANGED) return row;
    const names = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
      return columns[Math.floor(random() * columns.length)] as keyof FixtureRow;
    });
    const other = others[i] as FixtureRow;
    return { ...row, ...Object.fromEntries(names.map((name) => [name, other[name]])) };
  });
  const fresh = others.filter(({ cnpj }) => !known.has(cnpj) && random() < GONE);
  return [...changed, ...fresh];
}

interface MonthOptions {
  readonly label: string;
  readonly known: boolean;
  readonly seed: number;
}

async function writeMonth(
  path: string,
  rows: readonly FixtureRow[],
  options: MonthOptions,
): Promise<Month> {
  const dictionaries = dictionariesOf(
    rows,
    seededRandom(options.seed + Number(options.known) + 31),
  );
  const coded = rows.map((row) => recoded(row, dictionaries, options.known));
  const writer = createSnapshotWriter(path, metaOf(coded.length, dictionaries, options));
  const numbers = Uint32Array.from(dictionaries.number, Number);
  const records = encodeRecords(coded, numbers);
  const starts = rankRecords(records, records.length);
  for (let first = 0; first < starts.length; first += BATCH_ROWS) {
    const batch = createBatch(numbers);
    batch.append(records, starts.subarray(first, first + BATCH_ROWS));
    await writer.writeBatch(batch.rowCount, batch.finish());
  }
  const partners = partnersOf(rows);
  await writer.finish({ threads: 1, owners: options.known ? encodeOwners(partners) : null });
  const { rows: decoded } = decodeSnapshot(path);
  const counted = options.known ? withPartnerships(decoded, partners) : decoded;
  return { path, segment: await openSegment(path), rows: counted, partners };
}

/**
 * Returns owners and owned companies. Groups of five own each other in a cycle, and the first
 * company also owns every seventh.
 */
function partnersOf(rows: readonly FixtureRow[]): OwnerPair[] {
  const roots = [...new Set(rows.map(({ cnpj }) => rootNumber(cnpj.slice(0, 8))))];
  roots.sort((a, b) => a - b);
  const facts = { since: 18_000, qualification: 22 };
  return roots.flatMap((owner, i): OwnerPair[] => {
    const next = roots[i % 5 === 4 ? i - 4 : i + 1];
    const hub = roots[0] as number;
    return [
      ...(next === undefined ? [] : [{ owner, owned: next, ...facts }]),
      ...(i > 0 && i % 7 === 0 ? [{ owner: hub, owned: owner, ...facts, since: null }] : []),
    ];
  });
}

type Dictionaries = Readonly<Record<DictionaryName, readonly string[]>>;

/** Keeps the values in use and a random part of the others, so that codes differ between months. */
function dictionariesOf(rows: readonly FixtureRow[], random: () => number): Dictionaries {
  const entries = DICTIONARIES.map((name) => {
    const used = new Set(rows.flatMap((row) => codesOf(row, name)));
    return [name, FIXTURE_TABLES[name].filter((_, code) => used.has(code) || random() < 0.3)];
  });
  return Object.fromEntries(entries) as Dictionaries;
}

function codesOf(row: FixtureRow, dictionary: DictionaryName): number[] {
  return Object.entries(CODED).flatMap(([column, name]) => {
    if (name !== dictionary) return [];
    const value = row[column as keyof FixtureRow] as number | readonly number[] | null;
    return value === null ? [] : typeof value === "number" ? [value] : [...value];
  });
}

function recoded(row: FixtureRow, dictionaries: Dictionaries, known: boolean): FixtureRow {
  const codes = Object.entries(CODED).map(([column, name]) => {
    const value = row[column as keyof FixtureRow] as number | readonly number[] | null;
    const code = (old: number) => dictionaries[name].indexOf(FIXTURE_TABLES[name][old] as string);
    const fresh = value === null ? null : typeof value === "number" ? code(value) : value.map(code);
    return [column, fresh];
  });
  return {
    ...row,
    ...Object.fromEntries(codes),
    // Specs have no registration status 0.
    registration_status: row.registration_status || null,
    ...(known ? { sanctioned: row.sanctioned ?? false } : { sanctioned: null }),
    ...(known ? knownLists(row) : UNKNOWN_LISTS),
  };
}

function knownLists(row: FixtureRow) {
  return {
    in_cnep: row.in_cnep ?? false,
    in_cepim: row.in_cepim ?? false,
    federal_debt: row.federal_debt ?? false,
    federal_debt_fgts: row.federal_debt_fgts ?? false,
    federal_debt_social_security: row.federal_debt_social_security ?? false,
    federal_debt_other: row.federal_debt_other ?? false,
  };
}

const UNKNOWN_LISTS = {
  in_cnep: null,
  in_cepim: null,
  federal_debt: null,
  federal_debt_cents: null,
  federal_debt_fgts: null,
  federal_debt_social_security: null,
  federal_debt_other: null,
};

function metaOf(accounts: number, dictionaries: Dictionaries, options: MonthOptions): SnapshotMeta {
  const named = (codes: readonly string[]) => codes.map((code) => [code, `Nome ${code}`] as const);
  const { municipality_tom: toms, municipality_ibge: ibges } = FIXTURE_TABLES;
  return {
    format: FORMAT_VERSION,
    label: options.label,
    snapshot_date: `${options.label}-12`,
    provenance: {
      rfb_snapshot: options.label,
      ibge_population_year: "2025",
      ceis_as_of_date: options.known ? `${options.label}-10` : "not_available",
      ...(options.known
        ? {
            cnep_as_of_date: `${options.label}-10`,
            cepim_as_of_date: `${options.label}-10`,
            pgfn_as_of_month: "2026-06",
            partners_snapshot: options.label,
          }
        : {}),
    },
    accounts,
    score_version: 1,
    created_by: "test",
    lookups: {
      cnaes: named(dictionaries.cnae_primary),
      legal_natures: named(dictionaries.legal_nature),
      reasons: named(dictionaries.registration_status_reason),
      countries: named(dictionaries.country_code),
      municipalities: toms.map((tom, i) => [tom, `Cidade ${tom}`, ibges[i] ?? null, "SP", i * 100]),
    },
    dictionaries,
  };
}
