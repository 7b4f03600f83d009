/**
 * Names of districts (bairros) in the served snapshot.
 * Input: a municipality and names in user spelling. Output: the folded spellings in its accounts
 * and the number of accounts.
 * Invariant: only names of that municipality match, as whole names folded as in the filter. Only
 * the first word may differ in spelling, because users and the registry abbreviate it differently.
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

/** Municipalities whose districts are read in one native call. */
const MUNICIPALITIES_PER_CALL = 64;

/** Max names per snapshot whose municipalities are cached. */
const HOMES_MAX = 256;

type Homes = ReadonlyMap<string, KnownDistrict>;
const cachedHomes = new WeakMap<Segment, Map<string, Homes>>();

function homesOf(segment: Segment): Map<string, Homes> {
  const known = cachedHomes.get(segment) ?? new Map<string, Homes>();
  cachedHomes.set(segment, known);
  return known;
}

/** The districts of a snapshot, cached for one sentence, because its stages repeat lookups. */
export class DistrictNames {
  readonly #segment: Segment;
  /** Results by municipality and by name as written. */
  readonly #asked = new Map<string, Map<string, KnownDistrict | null>>();

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  /** True if the snapshot's import wrote no districts. */
  get lacking(): boolean {
    return this.#segment.catalog.lacksDistricts === true;
  }

  /** Returns the district of a municipality (IBGE code) for each name as written, or null. */
  known(ibge: string, names: readonly string[]): readonly (KnownDistrict | null)[] {
    const cached = this.#asked.get(ibge) ?? new Map<string, KnownDistrict | null>();
    this.#asked.set(ibge, cached);
    const unknown = names.filter((name) => !cached.has(name));
    if (unknown.length > 0) {
      const found = this.#knownIn([ibge], this.#formsOf(unknown));
      for (const [i, name] of unknown.entries()) cached.set(name, found[i]?.get(ibge) ?? null);
    }
    return names.map((name) => cached.get(name) ?? null);
  }

  /**
   * Returns for each name, as written, the municipalities with such a district, those with the most
   * accounts first. Scans all districts for names that are not in the cache.
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

  #formsOf(names: readonly string[]): readonly (readonly string[])[] {
    return names.map((name) => spellingsOf(foldDistrict(name)));
  }

  /** Finds districts by name: for each name, with all its spellings, a map by municipality. */
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

/** Returns the district with these spellings; `sizes` has the accounts for each. */
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
