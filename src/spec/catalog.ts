/**
 * Looks up codes in the lists of one snapshot when a spec is normalized: the subclasses of an
 * activity prefix or section, the municipality with an IBGE or TOM code, and the legal natures with
 * a prefix.
 * Invariant: a spelling that matches no known code returns nothing, never a wider set. The code
 * 8888888 ("not informed") matches only as a whole, although its digits begin like division 88.
 */

/** A municipality of the snapshot. */
export interface CatalogMunicipality {
  /** TOM (SIAFI) code, 4 digits. */
  readonly tom: string;
  /** IBGE code, 7 digits; null if abroad or unknown. */
  readonly ibge: string | null;
  /** State; `EX` if abroad; null if unknown. */
  readonly uf: string | null;
  readonly name: string;
}

/** Data of a snapshot for normalization. Immutable; one object per open snapshot. */
export interface Catalog {
  /**
   * Activity codes with 7 digits, ascending: all codes in the dump's table and all codes in use.
   */
  readonly cnaeCodes: readonly string[];
  readonly municipalities: readonly CatalogMunicipality[];
  /**
   * Legal nature codes with 4 digits, ascending: all codes in the dump's table and all codes in
   * use.
   */
  readonly legalNatures: readonly string[];
  /** Set if the snapshot has no counts, because an earlier version imported it. */
  readonly lacksCounts?: true;
  /** Set if the snapshot has no districts because an earlier version imported it. */
  readonly lacksDistricts?: true;
  /** Set if the snapshot has no phones and e-mails because an earlier version imported it. */
  readonly lacksContacts?: true;
  /**
   * Set if the snapshot has no exclusion dates of Simples and MEI because an earlier version
   * imported it.
   */
  readonly lacksExclusions?: true;
  /** Set if a public list was not imported. */
  readonly lacksCeis?: true;
  readonly lacksCnep?: true;
  readonly lacksCepim?: true;
  readonly lacksDebts?: true;
  readonly lacksPartners?: true;
  /** Set if specs compare two months, in which a company may have different owners. */
  readonly comparesMonths?: true;
  /** Reason codes of a status, 2 digits, ascending; undefined if any code is accepted. */
  readonly statusReasons?: readonly string[];
}

/**
 * For each kind of data that a snapshot may lack: the catalog's member that marks its absence, and
 * the import flag that adds it.
 */
const LACKS = {
  counts: { mark: "lacksCounts", flag: null },
  districts: { mark: "lacksDistricts", flag: null },
  contacts: { mark: "lacksContacts", flag: null },
  exclusions: { mark: "lacksExclusions", flag: null },
  ceis: { mark: "lacksCeis", flag: "--ceis" },
  cnep: { mark: "lacksCnep", flag: "--cnep" },
  cepim: { mark: "lacksCepim", flag: "--cepim" },
  debts: { mark: "lacksDebts", flag: "--pgfn" },
  partners: { mark: "lacksPartners", flag: "--corporate-partners" },
} as const satisfies Readonly<
  Record<string, { readonly mark: keyof Catalog; readonly flag: string | null }>
>;

/** A kind of data that a snapshot may lack. */
export type OptionalData = keyof typeof LACKS;

/** Kinds of data that a snapshot may lack. */
export const OPTIONAL_DATA = Object.keys(LACKS) as readonly OptionalData[];

/** The name of a catalog member that marks missing data. */
export type AbsenceMark = (typeof LACKS)[OptionalData]["mark"];

/** Returns the catalog member that marks this kind of data as missing. */
export function absenceMark(what: OptionalData): AbsenceMark {
  return LACKS[what].mark;
}

/**
 * Returns the message for a request that needs data which this version imports but the snapshot's
 * version did not.
 */
export function notCounted(name: string): string {
  return (
    `The snapshot lacks what ${name} asks for: it was imported by an earlier version. Import the ` +
    "dump of its month again with this version, or leave this out."
  );
}

/** Returns the message for a request that needs data which the snapshot lacks. */
export function notInSnapshot(name: string, what: OptionalData): string {
  const { flag } = LACKS[what];
  if (flag === null) return notCounted(name);
  return (
    `The snapshot lacks what ${name} asks for: it was imported without ${flag}. Import the dump ` +
    "of its month again with it, or leave this out."
  );
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

/** Removes the punctuation of `NNNN-N/NN`. */
export function cnaeDigits(punctuated: string): string {
  return punctuated.slice(0, 4) + punctuated.slice(5, 6) + punctuated.slice(7);
}

/**
 * Returns the section letter of a 7-digit CNAE code. Returns null for 8888888 and unknown
 * divisions.
 */
export function sectionOfCnae(code: string): string | null {
  if (code === CNAE_NOT_INFORMED) return null;
  return SECTION_BY_DIVISION.get(code.slice(0, 2)) ?? null;
}

const SECTION_BY_DIVISION: ReadonlyMap<string, string> = new Map(
  Object.entries(SECTION_DIVISIONS).flatMap(([letter, [first, last]]) =>
    Array.from({ length: last - first + 1 }, (_, i): [string, string] => [
      String(first + i).padStart(2, "0"),
      letter,
    ]),
  ),
);

interface Municipalities {
  readonly byIbge: ReadonlyMap<string, CatalogMunicipality>;
  readonly byTom: ReadonlyMap<string, CatalogMunicipality>;
}

/**
 * Looks up codes in one catalog. Instances come from `catalogLookup`. Each table is built at first
 * use, so that startup does not wait for it.
 */
export class CatalogLookup {
  readonly #catalog: Catalog;
  #cnaeBySpelling: ReadonlyMap<string, readonly string[]> | null = null;
  #municipalities: Municipalities | null = null;
  #naturesByPrefix: ReadonlyMap<string, readonly string[]> | null = null;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** True if the snapshot has the counts of establishments and of shared contacts. */
  get hasCounts(): boolean {
    return !this.lacks("counts");
  }

  /** True if the snapshot lacks data that this version imports. */
  lacks(what: OptionalData): boolean {
    return this.#catalog[LACKS[what].mark] === true;
  }

  /** True if specs are read to compare two months. */
  get comparesMonths(): boolean {
    return this.#catalog.comparesMonths === true;
  }

  /** True if accounts of the snapshot may have this status reason (2 digits). */
  knowsReason(code: string): boolean {
    return this.#catalog.statusReasons?.includes(code) ?? true;
  }

  /**
   * Returns the known subclasses that a value of `cnae_any_of` stands for, punctuated and
   * ascending. Empty if the value is malformed or names no known code.
   */
  cnae(spelling: string): readonly string[] {
    this.#cnaeBySpelling ??= spellingsOf(this.#catalog.cnaeCodes);
    return this.#cnaeBySpelling.get(spelling) ?? NOTHING;
  }

  /** Finds a municipality by 7-digit IBGE code, or by its first 6 digits. */
  municipalityByIbge(code: string): CatalogMunicipality | undefined {
    return this.#byCode().byIbge.get(code);
  }

  municipalityByTom(code: string): CatalogMunicipality | undefined {
    return this.#byCode().byTom.get(code);
  }

  /** Returns the known legal natures that begin with 1 to 4 given digits, ascending. */
  legalNatures(prefix: string): readonly string[] {
    this.#naturesByPrefix ??= prefixesOf(this.#catalog.legalNatures);
    return this.#naturesByPrefix.get(prefix) ?? NOTHING;
  }

  #byCode(): Municipalities {
    this.#municipalities ??= byCodes(this.#catalog.municipalities);
    return this.#municipalities;
  }
}

function spellingsOf(codes: readonly string[]): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const code of codes) {
    const punctuated = punctuateCnae(code);
    append(lists, code, punctuated);
    append(lists, punctuated, punctuated);
    if (code === CNAE_NOT_INFORMED) continue;
    for (let length = 2; length <= 5; length++) append(lists, code.slice(0, length), punctuated);
    const section = sectionOfCnae(code);
    if (section !== null) append(lists, section, punctuated);
  }
  return lists;
}

function byCodes(municipalities: readonly CatalogMunicipality[]): Municipalities {
  const byIbge = new Map<string, CatalogMunicipality>();
  const byTom = new Map<string, CatalogMunicipality>();
  for (const municipality of municipalities) {
    const { tom, ibge } = municipality;
    byTom.set(tom, municipality);
    if (ibge === null) continue;
    byIbge.set(ibge, municipality);
    byIbge.set(ibge.slice(0, 6), municipality);
  }
  return { byIbge, byTom };
}

function prefixesOf(natures: readonly string[]): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const nature of natures) {
    for (let length = 1; length <= 4; length++) append(lists, nature.slice(0, length), nature);
  }
  return lists;
}

const comparing = new WeakMap<Catalog, Catalog>();

/** Returns a copy of a catalog for specs that compare two months. Cached with the catalog. */
export function comparingCatalog(catalog: Catalog): Catalog {
  const known = comparing.get(catalog);
  if (known !== undefined) return known;
  const marked: Catalog = { ...catalog, comparesMonths: true };
  comparing.set(catalog, marked);
  return marked;
}

const lookups = new WeakMap<Catalog, CatalogLookup>();

/** Returns the lookups of a catalog. Cached as long as the catalog lives. */
export function catalogLookup(catalog: Catalog): CatalogLookup {
  let lookup = lookups.get(catalog);
  if (lookup === undefined) {
    lookup = new CatalogLookup(catalog);
    lookups.set(catalog, lookup);
  }
  return lookup;
}

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
