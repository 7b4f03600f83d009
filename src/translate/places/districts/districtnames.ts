/**
 * Looks up names of districts (bairros) in the served snapshot.
 * Input: a municipality and names as a user spells them. Output: the folded spellings of each name
 * in the municipality's accounts, and the number of accounts.
 * Invariant: a name matches only if the municipality has it, and only as a whole name, folded as in
 * the filter. Only the first word may be spelled differently, because users and the registry
 * abbreviate it in different ways.
 */

import { districtSizes } from "../../../search/districts.ts";
import type { Segment } from "../../../search/segment.ts";
import { foldDistrict } from "../../../spec/districtname.ts";

/** A district of a municipality. */
export interface KnownDistrict {
  /** Folded spellings of the name in accounts, the most frequent first. */
  readonly names: readonly string[];
  /** Number of accounts with one of these spellings. */
  readonly accounts: number;
}

/** First words of district names, and their abbreviations. */
const SPELLINGS: readonly (readonly string[])[] = [
  ["jardim", "jd", "jd.", "jard"],
  ["vila", "vl", "vl."],
  ["parque", "pq", "pq.", "pque"],
  ["conjunto", "conj", "conj.", "cj"],
  ["residencial", "res", "res.", "resid"],
  ["santa", "sta", "sta."],
  ["santo", "sto", "sto."],
  ["nossa senhora", "n s", "n. s.", "n sra", "n. sra."],
];

/** Returns all spellings of a folded name, the name itself first. */
function spellingsOf(name: string): readonly string[] {
  for (const forms of SPELLINGS) {
    const prefix = forms.find((form) => name.startsWith(`${form} `));
    if (prefix === undefined) continue;
    const rest = name.slice(prefix.length);
    return [name, ...forms.filter((form) => form !== prefix).map((form) => `${form}${rest}`)];
  }
  return [name];
}

/** Maximum number of municipalities whose districts one native call reads. */
const MUNICIPALITIES_PER_CALL = 64;

/** Maximum number of names per snapshot for which the municipalities are cached. */
const HOMES_MAX = 256;

type Homes = ReadonlyMap<string, KnownDistrict>;
const cachedHomes = new WeakMap<Segment, Map<string, Homes>>();

function homesOf(segment: Segment): Map<string, Homes> {
  const known = cachedHomes.get(segment) ?? new Map<string, Homes>();
  cachedHomes.set(segment, known);
  return known;
}

/** Looks up the districts of a snapshot. Caches results for the stages of one sentence. */
export class DistrictNames {
  readonly #segment: Segment;
  /** Cached results, by municipality and then by name as written. */
  readonly #cached = new Map<string, Map<string, KnownDistrict | null>>();

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  /** True if the import of this snapshot wrote no districts. */
  get lacking(): boolean {
    return this.#segment.catalog.lacksDistricts === true;
  }

  /**
   * Returns the district of a municipality (IBGE code) for each name as written. The result is null
   * for a name that is not a district there.
   */
  known(ibge: string, names: readonly string[]): readonly (KnownDistrict | null)[] {
    const cached = this.#cached.get(ibge) ?? new Map<string, KnownDistrict | null>();
    this.#cached.set(ibge, cached);
    const unknown = names.filter((name) => !cached.has(name));
    if (unknown.length > 0) {
      const found = this.#knownIn([ibge], this.#formsOf(unknown));
      for (const [i, name] of unknown.entries()) cached.set(name, found[i]?.get(ibge) ?? null);
    }
    return names.map((name) => cached.get(name) ?? null);
  }

  /**
   * Returns the municipalities that have a district, for each name as written. The municipality
   * with the most accounts in the district comes first. A name that is not in the cache requires a
   * scan of all districts.
   */
  among(ibges: Iterable<string>, names: readonly string[]): readonly Homes[] {
    const cached = homesOf(this.#segment);
    const unknown = names.filter((name) => !cached.has(foldDistrict(name)));
    const found = unknown.map(() => new Map<string, KnownDistrict>());
    const forms = this.#formsOf(unknown);
    const all = unknown.length === 0 ? [] : [...ibges];
    for (let from = 0; from < all.length; from += MUNICIPALITIES_PER_CALL) {
      const homes = this.#knownIn(all.slice(from, from + MUNICIPALITIES_PER_CALL), forms);
      for (const [i, some] of homes.entries()) for (const one of some) found[i]?.set(...one);
    }
    const homes = new Map(unknown.map((name, i) => [foldDistrict(name), largestFirst(found[i])]));
    const results = names.map(
      (name) => cached.get(foldDistrict(name)) ?? homes.get(foldDistrict(name)),
    );
    for (const [name, one] of homes) cached.set(name, one);
    for (const name of cached.keys()) if (cached.size > HOMES_MAX) cached.delete(name);
    return results.map((one) => one ?? new Map());
  }

  /**
   * Returns, for each name as written, the municipalities of a few (IBGE codes) that have such a
   * district. All are looked up in one native call per 64 municipalities.
   */
  within(ibges: readonly string[], names: readonly string[]): readonly Homes[] {
    return this.#knownIn(ibges, this.#formsOf(names));
  }

  #formsOf(names: readonly string[]): readonly (readonly string[])[] {
    return names.map((name) => spellingsOf(foldDistrict(name)));
  }

  /**
   * Returns a map for each name: its district in each municipality that has it. An element of
   * `forms` holds all spellings of one name.
   */
  #knownIn(
    ibges: readonly string[],
    forms: readonly (readonly string[])[],
  ): ReadonlyMap<string, KnownDistrict>[] {
    const found = forms.map(() => new Map<string, KnownDistrict>());
    if (this.lacking || forms.length === 0) return found;
    const sizes = districtSizes(this.#segment, ibges, forms.flat());
    let at = 0;
    for (const ibge of ibges) {
      for (const [i, names] of forms.entries()) {
        const own = sizes.subarray(at, at + names.length);
        at += names.length;
        if (own.some((accounts) => accounts > 0)) found[i]?.set(ibge, districtOf(names, own));
      }
    }
    return found;
  }
}

/** Returns the district with these spellings. `sizes` holds the accounts of each spelling. */
function districtOf(names: readonly string[], sizes: Uint32Array): KnownDistrict {
  const spelled = names
    .map((name, i) => ({ name, accounts: sizes[i] ?? 0 }))
    .filter(({ accounts }) => accounts > 0)
    .sort((a, b) => b.accounts - a.accounts);
  const accounts = spelled.reduce((sum, one) => sum + one.accounts, 0);
  return { names: spelled.map(({ name }) => name), accounts };
}

function largestFirst(homes: Homes = new Map()): Homes {
  return new Map([...homes].sort(([, a], [, b]) => b.accounts - a.accounts));
}
