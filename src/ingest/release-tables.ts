/**
 * Dictionaries, join context, and metadata of an import from a dump. Input: the release's tables,
 * the results of the scans, populations, and public lists. Output: the tables for the join,
 * including the domains of public mail providers, and the snapshot's metadata.
 * Invariant: the order of files or threads has no effect. The providers' domains come from the
 * package `email-providers`, imported only here, and a list of Brazilian ones that it lacks. They
 * are in lower case, without repeats.
 */
import listed from "email-providers/all.json" with { type: "json" };
import { RECORD_NULL } from "../../native-index/builder/record.ts";
import type {
  SnapshotMunicipality,
  SnapshotOrigin,
  SnapshotPlaces,
} from "../../native-index/format/snapshot/meta.ts";
import type { SnapshotMeta } from "../../native-index/format/snapshot/snapshot.ts";
import { FORMAT_VERSION } from "../../native-index/format/snapshot/versions.ts";
import manifest from "../../package.json" with { type: "json" };
import type { DumpMember } from "../dump/directory.ts";
import type { FileType } from "../dump/layout.ts";
import type { Lookups } from "../dump/lookups.ts";
import { SCORE_VERSION } from "../search/score.ts";
import { CNAE_NOT_INFORMED } from "../spec/catalog.ts";
import { UFS } from "../spec/fields.ts";
import { wordFor } from "../text/amounts.ts";
import {
  type AllRemaps,
  buildDictionaries,
  CODE_KINDS,
  type CodeKind,
  codeNames,
  type KindDictionaries,
  type KnownCodes,
  metaDictionaries,
  ordinalsOf,
  padCodes,
  remapTable,
} from "./dictionaries.ts";
import type { JoinContext } from "./join.ts";
import type { CorporatePartners } from "./partners.ts";
import { Municipalities, TOM_ABROAD, TOM_CODES } from "./places/municipalities.ts";
import {
  type CodesByTom,
  type Population,
  populationWarnings,
} from "./places/municipalitytables.ts";
import { municipalityWarnings, type OddMunicipality } from "./places/oddmunicipalities.ts";
import { listWarnings, type PublicLists, provenanceOf } from "./publiclists.ts";
import type { ScanResult } from "./scan/scan.ts";
import { Tally, type TallyResult } from "./tally.ts";

/** Brazilian providers, current and former, that the package lacks. */
const BRAZILIAN = [
  ..."superig veloxmail ibest click21 pop brturbo uai onda sercomtel netsite".split(" "),
  ..."itelefonica brfree netpar supercabo viacabo".split(" "),
].map((name) => `${name}.com.br`);

/** Domains of public mail providers, ascending. */
export const MAIL_PROVIDERS: readonly string[] = [...new Set([...listed, ...BRAZILIAN])].sort();

/** Label and date of the release. */
export interface Release {
  readonly label: string;
  readonly date: string;
}

/** Day number of an ISO date. */
export function dayOf(date: string): number {
  return Math.round(Date.parse(`${date}T00:00:00Z`) / 86_400_000);
}

/** Bytes of the write buffer of each bucket in a spill file. */
export const SLOT_BYTES = 1 << 16;

/** A scan with its member. */
export interface MemberScan extends ScanResult {
  readonly member: DumpMember;
}

interface KnownTables {
  readonly codes: KnownCodes;
  readonly warnings: readonly string[];
}

/** Reads the codes of the release's six tables. */
export function readKnownCodes(lookups: Lookups): KnownTables {
  const warnings: string[] = [];
  const read = (kind: CodeKind, table: ReadonlyMap<string, string>): Map<string, string> => {
    const { codes, odd, corrected } = padCodes(kind, table);
    if (odd.length > 0) {
      const what = wordFor(odd.length, "code that is not a number", "codes that are not numbers");
      warnings.push(`the ${kind} table has ${odd.length} ${what}; left out`);
    }
    if (corrected > 0) {
      const what = wordFor(corrected, "name that is", "names that are");
      warnings.push(`the ${kind} table has ${corrected} ${what} no line of text; made one`);
    }
    return codes;
  };
  const codes = {
    cnae: read("cnae", lookups.cnaes.rows),
    nature: read("nature", lookups.naturezas.rows),
    reason: read("reason", lookups.motivos.rows),
    tom: read("tom", lookups.municipios.rows),
    country: read("country", lookups.paises.rows),
  };
  return { codes, warnings };
}

/** Returns warnings about municipalities that `places` lacks, and about its unknown codes. */
export function unplaced(places: SnapshotPlaces, ibgeCodes: Iterable<string>): string[] {
  const known = new Set(ibgeCodes);
  const placed = new Set(places.municipalities.map(([ibge]) => ibge));
  const lacked = [...known].filter((code) => !placed.has(code)).sort();
  const strange = [...placed].filter((code) => !known.has(code));
  const some = (codes: readonly string[]) =>
    `${codes.slice(0, CODES_SHOWN).join(", ")}${codes.length > CODES_SHOWN ? ", …" : ""}`;
  const words = (count: number) => `${count} ${wordFor(count, "municipality", "municipalities")}`;
  return [
    ...(lacked.length === 0 ? [] : [`the places lack ${words(lacked.length)}: ${some(lacked)}`]),
    ...(strange.length === 0
      ? []
      : [`the places have ${words(strange.length)} that nothing is known of: ${some(strange)}`]),
  ];
}

const CODES_SHOWN = 5;

interface TableSources {
  readonly release: Release;
  readonly known: KnownTables;
  readonly scans: readonly MemberScan[];
  readonly population: Population | null;
  readonly lists: PublicLists;
  readonly partners: CorporatePartners | null;
  readonly origin: SnapshotOrigin | null;
  readonly places: SnapshotPlaces | null;
  /** Official TOM and IBGE codes, from the operator's file or else the preceding snapshot. */
  readonly municipalityCodes?: CodesByTom;
  /** Path of the file of codes that the operator gave. */
  readonly municipalityFile?: string | undefined;
}

/** Dictionaries, join context, and metadata of one import. */
export class ImportTables {
  private readonly sources: TableSources;
  private readonly municipalities: Municipalities;
  private readonly kinds: KindDictionaries;
  private described: readonly SnapshotMunicipality[] | null = null;
  private oddOnes: readonly OddMunicipality[] | null = null;
  private placed: Uint32Array | null = null;

  constructor(sources: TableSources) {
    this.sources = sources;
    const { known, scans, municipalityCodes: official, municipalityFile: file } = sources;
    this.municipalities = new Municipalities(known.codes.tom, official);
    if (file !== undefined && official !== undefined)
      this.municipalities.refuseOtherCodes(file, official);
    const used = scans.map(({ codes }) => codes);
    this.kinds = buildDictionaries(known.codes, this.municipalities.ibgeCodes, used);
  }

  /** Returns the context of the join. */
  context(): JoinContext {
    const { release, lists } = this.sources;
    const { tom, ibge, cnae } = this.kinds;
    const ordinals = CODE_KINDS.map((kind) => [kind, ordinalsOf(this.kinds[kind])] as const);
    const files = (type: FileType) =>
      this.sources.scans
        .filter(({ member }) => member.type === type)
        .map(({ spill, codes }) => ({ spill, remaps: remapsOf(codes, ordinals) }));
    return {
      companies: files("empresas"),
      simples: files("simples").map(({ spill }) => spill),
      establishments: files("estabelecimentos"),
      ibge: this.municipalities.ibgeTable(tom, ibge, RECORD_NULL.u16),
      tomCount: tom.length,
      tomAbroad: tom.indexOf(TOM_ABROAD),
      ufAbroad: UFS.indexOf("EX"),
      cnaeNotInformed: cnae.indexOf(CNAE_NOT_INFORMED),
      sanctioned: lists.ceis?.cnpjs ?? null,
      cnep: lists.cnep?.cnpjs ?? null,
      cepim: lists.cepim?.cnpjs ?? null,
      debts: lists.debts?.spill ?? null,
      snapshotDay: dayOf(release.date),
      slotBytes: SLOT_BYTES,
      providers: new Set(MAIL_PROVIDERS),
    };
  }

  /**
   * Returns the metadata of a snapshot with this many accounts. Rows store counts as codes;
   * `numbers` has the count of each code, ascending.
   */
  meta(accounts: number, numbers: Uint32Array): SnapshotMeta {
    const { release, known, population, lists, partners, origin, places } = this.sources;
    const { codes } = known;
    return {
      format: FORMAT_VERSION,
      label: release.label,
      snapshot_date: release.date,
      provenance: {
        rfb_snapshot: release.label,
        ibge_population_year: population?.year ?? "not_available",
        ...provenanceOf(lists),
        partners_snapshot: partners?.asOf ?? "not_available",
      },
      ...(origin === null ? {} : { origin }),
      ...(places === null ? {} : { places }),
      ...(this.odd().length === 0
        ? {}
        : { odd_municipalities: this.odd().map(({ tom, name, ibge }) => [tom, name, ibge]) }),
      accounts,
      score_version: SCORE_VERSION,
      created_by: `peneira ${manifest.version}`,
      lookups: {
        cnaes: codeNames(codes.cnae),
        legal_natures: codeNames(codes.nature),
        reasons: codeNames(codes.reason),
        countries: codeNames(codes.country),
        municipalities: this.describe(population),
      },
      dictionaries: metaDictionaries(this.kinds, numbers),
    };
  }

  /** Returns the descriptions of all municipalities, computed once after the scan. */
  private describe(population: Population | null): readonly SnapshotMunicipality[] {
    this.described ??= this.municipalities.describe(
      this.kinds.tom,
      this.places(),
      population?.byIbge ?? new Map(),
    );
    return this.described;
  }

  /** Returns the municipalities that were not found by name alone. The result is cached. */
  odd(): readonly OddMunicipality[] {
    this.oddOnes ??= this.municipalities.odd(this.kinds.tom, this.places());
    return this.oddOnes;
  }

  /** Counts the codes that rows contain but the tables of the release lack. */
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

  /** Returns warnings about dropped sanctions, and about tables that do not match the release. */
  warnings(): string[] {
    const { lists, places, population } = this.sources;
    const { ibgeCodes } = this.municipalities;
    const unfit = places === null ? [] : unplaced(places, ibgeCodes);
    const people =
      population === null
        ? []
        : populationWarnings(population, this.describe(population), ibgeCodes);
    const odd = municipalityWarnings(this.odd());
    return [...odd, ...people, ...unfit, ...listWarnings(lists)];
  }

  /** Returns the number of rows by state and TOM code, over all files. The result is cached. */
  private places(): Uint32Array {
    if (this.placed !== null) return this.placed;
    const sum = new Uint32Array(UFS.length * TOM_CODES);
    for (const { places } of this.sources.scans) {
      for (let i = 0; i < places.length; i++) sum[i] = (sum[i] as number) + (places[i] as number);
    }
    this.placed = sum;
    return sum;
  }
}

/**
 * Returns the arrays that map a scan's provisional numbers to positions in the dictionaries.
 * `ordinals` has the positions for each kind of code.
 */
function remapsOf(
  codes: MemberScan["codes"],
  ordinals: readonly (readonly [CodeKind, ReadonlyMap<string, number>])[],
): AllRemaps {
  const entries = ordinals.map(([kind, of]) => [kind, remapTable(kind, of, codes[kind])]);
  return Object.fromEntries(entries) as AllRemaps;
}
