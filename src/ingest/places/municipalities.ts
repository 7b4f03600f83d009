/**
 * Matches the registry's TOM codes with the IBGE's municipalities. Input: the release's table (TOM
 * code, name without state), the IBGE list of the brazilian-utils package, the reviewed exceptions,
 * official codes if any, and the number of rows by state and code. Output: the IBGE code of a
 * (state, TOM code) pair; the municipality of every TOM code; codes not found by name.
 * Invariant: the municipality of an account depends only on its own state and TOM code. It is found
 * by the code's name in the release, else by official codes, else by the nearest spelling among the
 * state's municipalities that have no code yet. In a state, a spelling and a municipality match at
 * most once. If two candidates are equally near, neither matches. All codes that were not found by
 * name alone are reported.
 * The release's table contains no states. To describe a TOM code, its state is derived from the
 * rows that use it and from neighboring codes, because the registry numbered states in blocks,
 * separately for odd and even codes.
 */
import { getMunicipalities } from "@brazilian-utils/brazilian-utils";
import { distance } from "fastest-levenshtein";
import exceptions from "../../../data/municipality-exceptions.json" with { type: "json" };
import type { SnapshotMunicipality } from "../../../native-index/format/snapshot/meta.ts";
import { CommandError } from "../../errors.ts";
import { UFS } from "../../spec/fields.ts";
import type { CodesByTom } from "./municipalitytables.ts";
import type { Finding, OddMunicipality } from "./oddmunicipalities.ts";

/** TOM codes have four digits; counts are indexed by `uf * TOM_CODES + tom`. */
export const TOM_CODES = 10_000;

/** TOM code of "EXTERIOR". */
export const TOM_ABROAD = "9707";

/** Matches ASCII names, about half of all names. They need no Unicode normalization. */
const ASCII = /^[\x20-\x7e]*$/;

/**
 * Returns a name in upper case without diacritics. Each run of characters other than letters and
 * digits becomes a blank.
 */
export function foldPlace(name: string): string {
  const plain = ASCII.test(name) ? name : name.normalize("NFD").replace(/\p{M}/gu, "");
  return plain
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, " ")
    .trim();
}

/** How many neighboring codes are considered on each side. */
const NEIGHBOURS = 20;

/**
 * If official codes contradict more than this share of the names, they belong to another release
 * and are ignored.
 */
const CONTRADICTIONS_MAX = 0.02;

/** Spellings are matched only if at most this share of the municipalities has no code. */
const FREE_MAX = 0.05;

/** The municipalities that a TOM code may mean, at most one per state, and how they were found. */
interface Match {
  readonly places: readonly IbgePlace[];
  readonly how: Finding | "name";
}

const UNMATCHED: Match = { places: [], how: "none" };

/** Matches the registry's municipalities with the IBGE's. */
export class Municipalities {
  private readonly placesByName = new Map<string, IbgePlace[]>();
  private readonly placesByIbge = new Map<string, IbgePlace>();
  private readonly exceptions = new Map<string, IbgePlace>();
  private readonly names: ReadonlyMap<string, string>;
  private readonly codes: CodesByTom;
  private readonly matches = new Map<string, Match>();
  private readonly namesakes = new Map<string, readonly IbgePlace[]>();
  private freePlaces: readonly IbgePlace[] | null = null;
  private spelled: ReadonlyMap<string, readonly IbgePlace[]> | null = null;
  private chosen: Chosen | null = null;

  /**
   * `names` is the release's table, by 4-digit TOM code. The official `codes` are ignored if they
   * contradict too many of the names.
   */
  constructor(names: ReadonlyMap<string, string>, codes: CodesByTom = new Map()) {
    this.names = names;
    for (const { code, name, stateCode } of getMunicipalities()) {
      const folded = foldPlace(name);
      const place = { uf: stateCode, ibge: code, name, folded };
      this.placesByIbge.set(code, place);
      this.placesByName.set(folded, [...(this.placesByName.get(folded) ?? []), place]);
    }
    for (const [tom, { uf, ibge, name }] of Object.entries(exceptions.municipalities)) {
      this.exceptions.set(
        tom,
        this.placesByIbge.get(ibge) ?? { uf, ibge, name, folded: foldPlace(name) },
      );
    }
    this.codes = this.contradicted(codes) > CONTRADICTIONS_MAX ? new Map() : codes;
  }

  /**
   * Throws if an operator's table of codes contradicts too many names of the release. The error
   * contains the table's `path`.
   */
  refuseOtherCodes(path: string, codes: CodesByTom): void {
    const share = this.contradicted(codes);
    if (share <= CONTRADICTIONS_MAX) return;
    throw new CommandError(
      `${path} does not belong to this dump: ${Math.round(100 * share)} % of its codes stand for ` +
        "other municipalities than the names in the dump's table say. Check which one is wrong.",
      2,
    );
  }

  /**
   * Returns the share of official codes that contradict the release. A code contradicts the release
   * if its name there belongs to municipalities other than its official one.
   */
  private contradicted(codes: CodesByTom): number {
    let [compared, other] = [0, 0];
    for (const [tom, ibge] of codes) {
      const places = this.named(tom);
      if (places.length === 0) continue;
      compared++;
      if (!places.some((place) => place.ibge === ibge)) other++;
    }
    return compared === 0 ? 0 : other / compared;
  }

  /** All known IBGE codes, unsorted. */
  get ibgeCodes(): Iterable<string> {
    return this.placesByIbge.keys();
  }

  /** IBGE code of a TOM code in a state; null if that state has no such municipality. */
  ibgeOf(uf: string, tom: string): string | null {
    return this.candidates(tom).find((place) => place.uf === uf)?.ibge ?? null;
  }

  /**
   * Returns IBGE ordinals, indexed by `uf * toms.length + tom`. The entry is `missing` if there is
   * no municipality.
   */
  ibgeTable(toms: readonly string[], ibges: readonly string[], missing: number): Uint16Array {
    const ordinals = new Map(ibges.map((code, ordinal) => [code, ordinal]));
    const table = new Uint16Array(UFS.length * toms.length).fill(missing);
    toms.forEach((tom, column) => {
      for (const { uf, ibge } of this.candidates(tom)) {
        const ordinal = ordinals.get(ibge);
        const row = UFS.indexOf(uf);
        if (ordinal !== undefined && row >= 0) table[row * toms.length + column] = ordinal;
      }
    });
    return table;
  }

  /**
   * Returns a description of every TOM code. `rowCounts` has the number of rows by state and code,
   * as counted in `establishments.ts`. `populations` has the population by IBGE code.
   */
  describe(
    toms: readonly string[],
    rowCounts: Uint32Array,
    populations: ReadonlyMap<string, number>,
  ): SnapshotMunicipality[] {
    const chosen = this.chosenPlaces(toms, rowCounts);
    return toms.map((tom) => {
      const place = chosen.get(tom);
      const name = place?.name ?? this.names.get(tom) ?? "";
      if (place === undefined) return [tom, name, null, tom === TOM_ABROAD ? "EX" : null, null];
      return [tom, name, place.ibge, place.uf, populations.get(place.ibge) ?? null];
    });
  }

  /** Returns the codes in use that were not found by name alone. `rowCounts`: as for `describe`. */
  odd(toms: readonly string[], rowCounts: Uint32Array): OddMunicipality[] {
    const chosen = this.chosenPlaces(toms, rowCounts);
    return toms.flatMap((tom) => {
      const { how } = this.match(tom);
      if (how === "name" || tom === TOM_ABROAD) return [];
      const rows = UFS.map((_, uf) => rowCounts[uf * TOM_CODES + Number(tom)] ?? 0);
      const accounts = rows.reduce((sum, count) => sum + count, 0);
      if (accounts === 0) return [];
      const place = chosen.get(tom) ?? null;
      const taken = place === null ? null : nameOf(place);
      const official = this.official(tom);
      const byCode = how === "contradiction" && official !== undefined ? nameOf(official) : null;
      const name = this.names.get(tom) ?? "";
      return [{ tom, name, how, ibge: place?.ibge ?? null, taken, byCode, accounts }];
    });
  }

  private candidates(tom: string): readonly IbgePlace[] {
    return this.match(tom).places;
  }

  private match(tom: string): Match {
    const known = this.matches.get(tom);
    if (known !== undefined) return known;
    const found = this.find(tom);
    this.matches.set(tom, found);
    return found;
  }

  private find(tom: string): Match {
    if (tom === TOM_ABROAD) return UNMATCHED;
    const named = this.named(tom);
    const official = this.official(tom);
    if (official !== undefined && !named.includes(official))
      return this.byCode(tom, named, official);
    if (named.length > 0) return { places: named, how: "name" };
    const near = this.spellings().get(tom) ?? [];
    return near.length > 0 ? { places: near, how: "spelling" } : UNMATCHED;
  }

  /**
   * Resolves a code whose name and official municipality differ. The name wins if a municipality of
   * the official state has this name and belongs to no other code. Otherwise the official
   * municipality replaces the one found by name in its state.
   */
  private byCode(tom: string, named: readonly IbgePlace[], official: IbgePlace): Match {
    const other = named.find(({ uf }) => uf === official.uf);
    if (other === undefined || this.belongsToOther(tom, other)) {
      return { places: [official, ...named.filter((place) => place !== other)], how: "code" };
    }
    return { places: named, how: "contradiction" };
  }

  private belongsToOther(tom: string, place: IbgePlace): boolean {
    return [...this.names.keys()].some(
      (code) => code !== tom && this.official(code) === place && this.named(code).includes(place),
    );
  }

  /** Returns the municipalities with the name of a code, or the reviewed exception. */
  private named(tom: string): readonly IbgePlace[] {
    const known = this.namesakes.get(tom);
    if (known !== undefined) return known;
    const found = this.findNamed(tom);
    this.namesakes.set(tom, found);
    return found;
  }

  private findNamed(tom: string): readonly IbgePlace[] {
    const name = foldPlace(this.names.get(tom) ?? "");
    const exception = this.exceptions.get(tom);
    const reviewed = (exceptions.municipalities as Exceptions)[tom]?.name;
    if (exception !== undefined && foldPlace(reviewed ?? "") === name) return [exception];
    return this.placesByName.get(name) ?? [];
  }

  private official(tom: string): IbgePlace | undefined {
    return this.placesByIbge.get(this.codes.get(tom) ?? "") ?? this.exceptions.get(tom);
  }

  /**
   * Returns the municipalities found by spelling, for codes that have neither a known name nor an
   * official municipality. The result is cached.
   */
  private spellings(): ReadonlyMap<string, readonly IbgePlace[]> {
    if (this.spelled !== null) return this.spelled;
    const free = this.free();
    const unknown = [...this.names].flatMap(([tom, name]) => {
      const isKnown = this.named(tom).length > 0 || this.official(tom) !== undefined;
      return isKnown ? [] : [[tom, foldPlace(name)] as const];
    });
    const isWhole = free.length <= FREE_MAX * this.placesByIbge.size;
    this.spelled = isWhole ? spelledPlaces(unknown, free) : new Map();
    return this.spelled;
  }

  /**
   * Returns the municipalities that no code of the release matches, neither by name nor by official
   * codes. The result is cached.
   */
  private free(): readonly IbgePlace[] {
    if (this.freePlaces !== null) return this.freePlaces;
    const codes = new Map<string, number>();
    const count = (key: string): void => void codes.set(key, (codes.get(key) ?? 0) + 1);
    for (const tom of this.names.keys()) {
      const named = this.named(tom);
      const [place] = named.length > 0 ? named : [this.official(tom)];
      if (place !== undefined) count(named.length > 1 ? place.folded : place.ibge);
    }
    this.freePlaces = [...this.placesByIbge.values()].filter(({ ibge, folded }) => {
      const same = this.placesByName.get(folded)?.length ?? 0;
      return !codes.has(ibge) && (codes.get(folded) ?? 0) < same;
    });
    return this.freePlaces;
  }

  /** Returns the result of `chooseStates`, cached until it is called for other tables. */
  private chosenPlaces(
    toms: readonly string[],
    rowCounts: Uint32Array,
  ): ReadonlyMap<string, IbgePlace> {
    if (this.chosen?.toms !== toms || this.chosen.rowCounts !== rowCounts) {
      this.chosen = { toms, rowCounts, places: this.chooseStates(toms, rowCounts) };
    }
    return this.chosen.places;
  }

  /** Assigns each code at most one municipality, each only once, in the order of the evidence. */
  private chooseStates(toms: readonly string[], rowCounts: Uint32Array): Map<string, IbgePlace> {
    const certain = toms.flatMap((tom) => {
      const [place, other] = this.candidates(tom);
      return place === undefined || other !== undefined ? [] : { code: Number(tom), uf: place.uf };
    });
    const pairs: { tom: string; place: IbgePlace; evidence: number }[] = [];
    for (const tom of toms) {
      const candidates = this.candidates(tom);
      for (const place of candidates) {
        const rows = rowCounts[UFS.indexOf(place.uf) * TOM_CODES + Number(tom)] ?? 0;
        const isCertain = candidates.length === 1;
        const evidence = isCertain
          ? Infinity
          : rows * 1000 + likeness(Number(tom), place.uf, certain);
        pairs.push({ tom, place, evidence });
      }
    }
    pairs.sort((a, b) => b.evidence - a.evidence || (a.tom < b.tom ? -1 : 1));
    const chosen = new Map<string, IbgePlace>();
    const taken = new Set<string>();
    for (const { tom, place } of pairs) {
      if (chosen.has(tom) || taken.has(place.ibge)) continue;
      chosen.set(tom, place);
      taken.add(place.ibge);
    }
    return chosen;
  }
}

interface Chosen {
  readonly toms: readonly string[];
  readonly rowCounts: Uint32Array;
  readonly places: ReadonlyMap<string, IbgePlace>;
}

/** A code with only one possible municipality. */
interface CertainCode {
  readonly code: number;
  readonly uf: string | undefined;
}

/** Returns how strongly the neighbors of a code suggest a state. `certain` is sorted by code. */
function likeness(code: number, uf: string, certain: readonly CertainCode[]): number {
  const low = firstFrom(certain, code);
  let sum = 0;
  for (const near of certain.slice(Math.max(0, low - NEIGHBOURS), low + NEIGHBOURS)) {
    const distance = Math.abs(near.code - code);
    if (distance % 2 === 0 && near.uf === uf) sum += 1 / (1 + distance);
  }
  return sum;
}

/** The position of the first code that is not below `code`. */
function firstFrom(certain: readonly CertainCode[], code: number): number {
  let low = 0;
  for (let high = certain.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((certain[middle] as CertainCode).code < code) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The reviewed exceptions, by TOM code. */
type Exceptions = Readonly<Partial<Record<string, { readonly name: string }>>>;

function nameOf({ name, uf }: IbgePlace): string {
  return `${name}/${uf}`;
}

interface IbgePlace {
  readonly uf: string;
  readonly ibge: string;
  readonly name: string;
  /** Name as returned by `foldPlace`, for comparisons. */
  readonly folded: string;
}

/** A matching name may differ by one edit (edit distance) for each of this many characters. */
const CHARACTERS_PER_EDIT = 5;

/** Returns municipalities with similar names, by code. `unknown`: codes and folded names. */
function spelledPlaces(
  unknown: readonly (readonly [tom: string, name: string])[],
  free: readonly IbgePlace[],
): ReadonlyMap<string, readonly IbgePlace[]> {
  const best = new Map<IbgePlace, { readonly toms: readonly string[]; readonly edits: number }>();
  for (const [tom, name] of unknown) {
    for (const { place, edits } of nearest(name, free)) {
      const known = best.get(place);
      if (known !== undefined && known.edits < edits) continue;
      best.set(place, { toms: known?.edits === edits ? [...known.toms, tom] : [tom], edits });
    }
  }
  const spelled = new Map<string, IbgePlace[]>();
  for (const [place, { toms }] of best) {
    const [tom, second] = toms;
    if (tom === undefined || second !== undefined) continue;
    spelled.set(tom, [...(spelled.get(tom) ?? []), place]);
  }
  return spelled;
}

/** Returns the nearest free municipality in each state; none if two are equally near. */
function nearest(name: string, free: readonly IbgePlace[]) {
  const most = Math.floor(name.length / CHARACTERS_PER_EDIT);
  if (most === 0) return [];
  return UFS.flatMap((uf) => {
    const near = free
      .filter((place) => place.uf === uf)
      .map((place) => ({ place, edits: distance(name, place.folded) }))
      .sort((a, b) => a.edits - b.edits);
    const [first, second] = near;
    if (first === undefined || first.edits > most) return [];
    return second?.edits === first.edits ? [] : [first];
  });
}
