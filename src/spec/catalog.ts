/**
 * What comes in: the code lists of one snapshot. What goes out: lookups that normalization needs:
 * activity prefix or section to subclasses, municipality by IBGE or TOM code, legal nature prefix
 * to natures.
 * Invariant: a spelling that names no known code yields nothing, never a wider set; the code
 * 8888888 ("not informed") is only ever matched whole, although its digits begin like division 88.
 */

/** A municipality as the snapshot knows it. */
export interface CatalogMunicipality {
  /** TOM (SIAFI) code, 4 digits. */
  readonly tom: string;
  /** IBGE code, 7 digits; null abroad or where unknown. */
  readonly ibge: string | null;
  /** State; `EX` abroad; null where unknown. */
  readonly uf: string | null;
  readonly name: string;
}

/** What normalization must know about a snapshot. Immutable; one object per open snapshot. */
export interface Catalog {
  /** 7 digits, ascending: the dump's table and every code in use. */
  readonly cnaeCodes: readonly string[];
  readonly municipalities: readonly CatalogMunicipality[];
  /** 4 digits, ascending: the dump's table and every code in use. */
  readonly legalNatures: readonly string[];
}

/** First and last division (2 digits) of each section of CNAE 2.3 (IBGE). */
const SECTION_DIVISIONS: Readonly<Record<string, readonly [number, number]>> = {
  A: [1, 3],
  B: [5, 9],
  C: [10, 33],
  D: [35, 35],
  E: [36, 39],
  F: [41, 43],
  G: [45, 47],
  H: [49, 53],
  I: [55, 56],
  J: [58, 63],
  K: [64, 66],
  L: [68, 68],
  M: [69, 75],
  N: [77, 82],
  O: [84, 84],
  P: [85, 85],
  Q: [86, 88],
  R: [90, 93],
  S: [94, 96],
  T: [97, 97],
  U: [99, 99],
};

/** CNAE code of an account whose activity is not informed; it belongs to no division. */
export const CNAE_NOT_INFORMED = "8888888";

const NOTHING: readonly string[] = [];

/** Writes a 7-digit CNAE code as `NNNN-N/NN`. */
export function punctuateCnae(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4, 5)}/${code.slice(5)}`;
}

/** Takes the punctuation out of `NNNN-N/NN`. */
export function cnaeDigits(punctuated: string): string {
  return punctuated.slice(0, 4) + punctuated.slice(5, 6) + punctuated.slice(7);
}

/** Section letter of a 7-digit CNAE code; null for 8888888 and unknown divisions. */
export function sectionOfCnae(code: string): string | null {
  if (code === CNAE_NOT_INFORMED) return null;
  const division = Number(code.slice(0, 2));
  for (const [letter, [first, last]] of Object.entries(SECTION_DIVISIONS)) {
    if (division >= first && division <= last) return letter;
  }
  return null;
}

/** Lookups over one catalog; made once per catalog by `catalogLookup`. */
export class CatalogLookup {
  readonly #cnaeBySpelling = new Map<string, string[]>();
  readonly #municipalityByIbge = new Map<string, CatalogMunicipality>();
  readonly #municipalityByTom = new Map<string, CatalogMunicipality>();
  readonly #naturesByPrefix = new Map<string, string[]>();

  constructor(catalog: Catalog) {
    for (const code of catalog.cnaeCodes) this.#addCnae(code);
    for (const municipality of catalog.municipalities) this.#addMunicipality(municipality);
    for (const nature of catalog.legalNatures) {
      for (let length = 1; length <= 4; length++) {
        append(this.#naturesByPrefix, nature.slice(0, length), nature);
      }
    }
  }

  /**
   * Known subclasses, punctuated and ascending, that a spelling of `cnae_any_of` stands for;
   * empty when the spelling is wrong or names no known code.
   */
  cnae(spelling: string): readonly string[] {
    return this.#cnaeBySpelling.get(spelling) ?? NOTHING;
  }

  /** Municipality of a 7-digit IBGE code or of its first 6 digits. */
  municipalityByIbge(code: string): CatalogMunicipality | undefined {
    return this.#municipalityByIbge.get(code);
  }

  /** Municipality of a 4-digit TOM code. */
  municipalityByTom(code: string): CatalogMunicipality | undefined {
    return this.#municipalityByTom.get(code);
  }

  /** Known legal natures, ascending, that begin with 1 to 4 digits. */
  legalNatures(prefix: string): readonly string[] {
    return this.#naturesByPrefix.get(prefix) ?? NOTHING;
  }

  #addCnae(code: string): void {
    const punctuated = punctuateCnae(code);
    append(this.#cnaeBySpelling, code, punctuated);
    append(this.#cnaeBySpelling, punctuated, punctuated);
    if (code === CNAE_NOT_INFORMED) return;
    for (let length = 2; length <= 5; length++) {
      append(this.#cnaeBySpelling, code.slice(0, length), punctuated);
    }
    const section = sectionOfCnae(code);
    if (section !== null) append(this.#cnaeBySpelling, section, punctuated);
  }

  #addMunicipality(municipality: CatalogMunicipality): void {
    this.#municipalityByTom.set(municipality.tom, municipality);
    if (municipality.ibge === null) return;
    this.#municipalityByIbge.set(municipality.ibge, municipality);
    this.#municipalityByIbge.set(municipality.ibge.slice(0, 6), municipality);
  }
}

const lookups = new WeakMap<Catalog, CatalogLookup>();

/** Lookups of a catalog, computed on first use and kept as long as the catalog lives. */
export function catalogLookup(catalog: Catalog): CatalogLookup {
  let lookup = lookups.get(catalog);
  if (lookup === undefined) {
    lookup = new CatalogLookup(catalog);
    lookups.set(catalog, lookup);
  }
  return lookup;
}

/** Adds a value to the list under a key. */
function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
