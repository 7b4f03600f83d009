/**
 * Stores the names of places as a tree of words.
 * Input: names with their meanings, and a position in a list of tokens. Output: the longest name
 * at that position.
 * Invariant: names are compared word by word, as written, without accents. Singular and plural
 * differ ("Palma" and "Palmas" are two cities); only small words such as de, da, and do are
 * optional. A lookup takes at most as many steps as the longest name has words. The first lookup of
 * a word inserts all names that begin with the same letters.
 */
import { cachedMatch, type LookupState, tokensOfName, WALK_MAX } from "../words/phrases.ts";
import { foldWord, type Token, tokenize } from "../words/tokens.ts";

import { PlaceVocabulary, SMALL } from "./placevocabulary.ts";

/** A municipality that a name may mean. */
export interface City {
  readonly ibge: string;
  readonly uf: string;
  readonly name: string;
  /** Number of accounts in the snapshot. */
  readonly accounts: number;
  readonly capital: boolean;
}

/** Finds the municipalities of a region. */
export interface CitySource {
  readonly places: PlaceNames;
  citiesOf(uf: string): readonly City[];
  capitalOf(uf: string): City | undefined;
}

/** A named region. */
export interface Region {
  /** Name of the place in answers. */
  readonly name: string;
  /** True if the region is a place inside a municipality. */
  readonly part: boolean;
  /** Returns the municipalities of the region that are in the snapshot. */
  members(source: CitySource): readonly City[];
}

/** A region that a name may mean. */
export interface MeantRegion {
  readonly region: Region;
  /** True if the name means this region unless the context says otherwise. */
  readonly usual: boolean;
}

/** All possible meanings of a name. */
export interface Place {
  /** Abbreviations of the states that the name means. A region has several. */
  readonly states: readonly string[];
  readonly region: boolean;
  readonly cities: readonly City[];
  /** Cities that have this name as a nickname. */
  readonly nicknamed: readonly City[];
  readonly demonymStates: readonly string[];
  readonly demonymCities: readonly City[];
  /** Regions that the name may mean. There are several if the name is ambiguous. */
  readonly regions: readonly MeantRegion[];
  /** States that contain the area. Used if no filter takes the area itself. */
  readonly area: readonly string[];
  /** True for a country other than Brazil, or abroad in general. */
  readonly abroad: boolean;
  /** True for Brazil. */
  readonly here: boolean;
}

/** A name without a meaning. */
const NO_PLACE: Place = {
  ...{ states: [], region: false, cities: [], nicknamed: [] },
  ...{ demonymStates: [], demonymCities: [], regions: [], area: [] },
  ...{ abroad: false, here: false },
};

/** A name found in the tokens from `from` up to, but not including, `to`. */
export interface PlaceMatch {
  readonly from: number;
  readonly to: number;
  /** Number of words in the name, without small words. */
  readonly words: number;
  readonly place: Place;
}

interface Node {
  /** Created when the first word is added after this node, because most nodes end a name. */
  next: Map<string, Node> | null;
  place: Place | undefined;
  /**
   * True if at least one name has a word such as "do" before this word. "Sul Brasil" has none, so
   * "sul do Brasil" is not that name.
   */
  small: boolean;
}

/** Maximum number of consecutive small words. */
const SMALL_MAX = 2;
/** Abbreviated titles, which may have a period. */
const TITLES = new Set("sta sto s pres gov cel sen dr eng mal n sra prof cons des bal".split(" "));

/** A name, with either a function that makes its meaning or the IBGE code of its city. */
export type Named = { readonly name: string } & (
  | { readonly place: () => Partial<Place> }
  | { readonly ibge: string }
);

/** Places by name. */
export class PlaceNames {
  readonly #cityPlace: (ibge: string) => Partial<Place>;
  readonly #root: Node = { next: null, place: undefined, small: false };
  #names: readonly Named[] = [];
  #vocabulary = new PlaceVocabulary([]);
  /** Cached first words of names, by length. Filled only after all names are inserted. */
  readonly #firstWords = new Map<number, readonly string[]>();
  /** Names that are inserted at their first lookup. */
  #waiting = this.#vocabulary.starts();

  /** `cityPlace` returns the meaning of the name of a city, given its IBGE code. */
  constructor(cityPlace: (ibge: string) => Partial<Place> = () => NO_PLACE) {
    this.#cityPlace = cityPlace;
  }

  /** Folded words of all names, each with its spelling in the first name that has it. */
  get vocabulary(): ReadonlyMap<string, string> {
    return this.#vocabulary.all;
  }

  /** True if any name contains a folded word. */
  has(word: string): boolean {
    return this.#first(word) !== undefined || this.#vocabulary.has(word);
  }

  /** Replaces all names and their meanings. The order of the names is kept. */
  take(names: readonly Named[]): void {
    const vocabulary = new PlaceVocabulary(names.map(({ name }) => name));
    this.#waiting = vocabulary.starts();
    this.#vocabulary = vocabulary;
    this.#names = names;
    this.#firstWords.clear();
  }

  /** Inserts every name now, instead of at its first lookup. */
  speedUp(): void {
    for (const at of this.#waiting.rest()) this.put(this.#names[at] as Named);
    void this.vocabulary;
  }

  /**
   * Returns the node of a first word. Before that, inserts the names that may begin with this word.
   */
  #first(word: string): Node | undefined {
    if (this.#waiting.waits(word)) {
      for (const at of this.#waiting.taken(word)) this.put(this.#names[at] as Named);
    }
    return this.#root.next?.get(word);
  }

  /** Inserts a name. Called once for each name, before the name's first lookup. */
  protected put(named: Named): void {
    let node = this.#root;
    let small = false;
    for (const { kind, folded: word } of tokensOfName(named.name)) {
      if (kind !== "word") continue;
      if (SMALL.has(word)) {
        small = true;
        continue;
      }
      node.next ??= new Map();
      let next = node.next.get(word);
      if (next === undefined) {
        next = { next: null, place: undefined, small };
        node.next.set(word, next);
      }
      next.small ||= small;
      small = false;
      node = next;
    }
    const place = "place" in named ? named.place() : this.#cityPlace(named.ibge);
    const added = { ...NO_PLACE, ...place };
    node.place = node.place === undefined ? added : joined(node.place, added);
  }

  /** Returns the longest name that begins at a token and uses only tokens that are `usable`. */
  longest(
    tokens: readonly Token[],
    from: number,
    usable?: (index: number) => boolean,
  ): PlaceMatch | null {
    return cachedMatch<PlaceMatch>(this, tokens, from, usable);
  }

  /** Returns the longest name that begins at a token, without using the sentence's cache. */
  walk(
    tokens: readonly Token[],
    from: number,
    usable: (index: number) => boolean,
    looked: LookupState,
  ): PlaceMatch | null {
    const end = Math.min(tokens.length, from + WALK_MAX);
    let node: Node | undefined;
    let found: PlaceMatch | null = null;
    let words = 0;
    let small = 0;
    let at = from;
    for (; at < end && usable(at); at++) {
      const { kind, text, folded } = tokens[at] as Token;
      if (at > from && text === "." && TITLES.has((tokens[at - 1] as Token).folded)) continue;
      if (kind !== "word") break;
      if (SMALL.has(folded)) {
        if (at === from || ++small > SMALL_MAX) break;
        continue;
      }
      node = words === 0 ? this.#first(folded) : node?.next?.get(folded);
      if (node === undefined || (small > 0 && !node.small)) break;
      small = 0;
      words++;
      if (node.place !== undefined) found = { from, to: at + 1, words, place: node.place };
    }
    looked.at = Math.min(at, end - 1);
    return found;
  }

  /**
   * Returns the folded words that may follow the tokens [from, to) in a name that begins with them.
   * If a length is given, returns only words of that length.
   */
  continuations(
    tokens: readonly Token[],
    from: number,
    to: number,
    length?: number,
  ): readonly string[] {
    const words: string[] = [];
    for (let at = from; at < to; at++) {
      const { folded } = tokens[at] as Token;
      if (!SMALL.has(folded)) words.push(folded);
    }
    const node = this.#behind(words);
    if (words.length === 0 && length !== undefined) return this.#firstsOf(length);
    const all = [...(node?.next?.keys() ?? [])];
    return length === undefined ? all : all.filter((word) => word.length === length);
  }

  /** Returns the first words of names of this length. Cached, because there are thousands. */
  #firstsOf(length: number): readonly string[] {
    const known = this.#firstWords.get(length);
    if (known !== undefined) return known;
    const words = [...(this.#root.next?.keys() ?? [])].filter((word) => word.length === length);
    this.#firstWords.set(length, words);
    return words;
  }

  /** Returns the meaning of a whole name in any spelling, or undefined. */
  named(name: string): Place | undefined {
    const words = placeWords(name);
    return words.length === 0 ? undefined : this.#behind(words)?.place;
  }

  /**
   * Returns the node reached from the root by the given words, or undefined. Without words, inserts
   * all names and returns the root.
   */
  #behind([first, ...others]: readonly string[]): Node | undefined {
    if (first === undefined) {
      this.speedUp();
      return this.#root;
    }
    let node = this.#first(first);
    for (const word of others) node = node?.next?.get(word);
    return node;
  }
}

/** Returns the significant words of a name, folded. */
export function placeWords(name: string): string[] {
  const words = allWords(name).map(foldWord);
  return words.filter((word) => !SMALL.has(word));
}

function allWords(name: string): string[] {
  const words = tokenize(name).filter(({ kind }) => kind === "word");
  return words.map(({ text }) => text);
}

function joined(old: Place, added: Place): Place {
  const cities = (one: readonly City[], other: readonly City[]) => [
    ...one,
    ...other.filter(({ ibge }) => !one.some((city) => city.ibge === ibge)),
  ];
  return {
    states: [...new Set([...old.states, ...added.states])],
    region: old.region || added.region,
    cities: cities(old.cities, added.cities),
    nicknamed: cities(old.nicknamed, added.nicknamed),
    demonymStates: [...new Set([...old.demonymStates, ...added.demonymStates])],
    demonymCities: cities(old.demonymCities, added.demonymCities),
    regions: [
      ...old.regions,
      ...added.regions.filter(({ region }) => !old.regions.some((one) => one.region === region)),
    ],
    area: [...new Set([...old.area, ...added.area])],
    abroad: old.abroad || added.abroad,
    here: old.here || added.here,
  };
}
