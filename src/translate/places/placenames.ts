/**
 * Names of places as a tree of words. What comes in: names with what they stand for, and a place in
 * a list of tokens. What goes out: the longest name that begins there.
 * Invariant: names are compared word by word as written, without accents: number counts ("Palma"
 * and "Palmas" are two cities); only de, da, do and their kind may be there or not; a look-up costs
 * at most the number of words of the longest name, and the first one of a beginning what it takes
 * to put the names there that begin so.
 */
import { cachedMatch, type Looked, tokensOfName, WALK_MAX } from "../words/phrases.ts";
import { foldWord, type Token, tokenize } from "../words/tokens.ts";

import { PlaceVocabulary, SMALL } from "./placevocabulary.ts";

/** A municipality that a name may mean. */
export interface City {
  readonly ibge: string;
  readonly uf: string;
  readonly name: string;
  /** Accounts in the snapshot. */
  readonly accounts: number;
  readonly capital: boolean;
}

/** Where the municipalities of a region are looked up. */
export interface CitySource {
  readonly places: PlaceNames;
  citiesOf(uf: string): readonly City[];
  capitalOf(uf: string): City | undefined;
}

/** A region that has a name. */
export interface Region {
  /** The name that it is called by in answers. */
  readonly name: string;
  /** Whether it is only a place inside of a municipality. */
  readonly part: boolean;
  /** Its municipalities; those that the snapshot does not have are left out. */
  members(source: CitySource): readonly City[];
}

/** A region that a name stands for. */
export interface MeantRegion {
  readonly region: Region;
  /** Whether the name means this one where nothing says which. */
  readonly usual: boolean;
}

/** Everything that a name may stand for. */
export interface Place {
  /** States by name; several for a region. */
  readonly states: readonly string[];
  readonly region: boolean;
  readonly cities: readonly City[];
  /** Cities that are also called so. */
  readonly nicknamed: readonly City[];
  readonly demonymStates: readonly string[];
  readonly demonymCities: readonly City[];
  /** Regions as their municipalities; several where the name does not say which. */
  readonly regions: readonly MeantRegion[];
  /** States in which an area lies that no filter knows. */
  readonly area: readonly string[];
  /** A country other than Brazil, or abroad at large. */
  readonly abroad: boolean;
  /** Brazil. */
  readonly here: boolean;
}

/** A name that stands for nothing. */
const NO_PLACE: Place = {
  ...{ states: [], region: false, cities: [], nicknamed: [] },
  ...{ demonymStates: [], demonymCities: [], regions: [], area: [] },
  ...{ abroad: false, here: false },
};

/** A name that was found: tokens from `from` up to, not including, `to`. */
export interface PlaceMatch {
  readonly from: number;
  readonly to: number;
  /** Number of words of the name that tell. */
  readonly words: number;
  readonly place: Place;
}

interface Node {
  /** Made when a first name goes on here: most nodes are the ends of names. */
  next: Map<string, Node> | null;
  place: Place | undefined;
  /** Whether a name has a small word before this one: "Sul Brasil" is not "sul do Brasil". */
  small: boolean;
}

/** Most small words in a row. */
const SMALL_MAX = 2;
/** Shortened titles, after which a point may stand. */
const TITLES = new Set("sta sto s pres gov cel sen dr eng mal n sra prof cons des bal".split(" "));

/** A name with what makes what it stands for, or with the IBGE code of the city it is a name of. */
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
  /** First words of all names by their length, once all names are in place. */
  readonly #firstWords = new Map<number, readonly string[]>();
  /** Names that wait to be looked for. */
  #waiting = this.#vocabulary.starts();

  /** Takes what the name of a city stands for; whatever has no such names need not say it. */
  constructor(cityPlace: (ibge: string) => Partial<Place> = () => NO_PLACE) {
    this.#cityPlace = cityPlace;
  }

  /** Folded words of all names, with how the first name that has one writes it. */
  get vocabulary(): ReadonlyMap<string, string> {
    return this.#vocabulary.all;
  }

  /** Whether a name has a word, folded. */
  has(word: string): boolean {
    return this.#first(word) !== undefined || this.#vocabulary.has(word);
  }

  /** Takes the names with what they stand for, in order. */
  take(names: readonly Named[]): void {
    const vocabulary = new PlaceVocabulary(names.map(({ name }) => name));
    this.#waiting = vocabulary.starts();
    this.#vocabulary = vocabulary;
    this.#names = names;
    this.#firstWords.clear();
  }

  /** Puts every name in place; what is looked for is put there in any case. */
  speedUp(): void {
    for (const at of this.#waiting.rest()) this.put(this.#names[at] as Named);
    void this.vocabulary;
  }

  /** Where names begin with a word. */
  #first(word: string): Node | undefined {
    if (this.#waiting.waits(word)) {
      for (const at of this.#waiting.taken(word)) this.put(this.#names[at] as Named);
    }
    return this.#root.next?.get(word);
  }

  /** Puts a name in place: once, before it is looked for. */
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

  /** The longest name that begins at a token; `usable` says which tokens may take part. */
  longest(
    tokens: readonly Token[],
    from: number,
    usable?: (index: number) => boolean,
  ): PlaceMatch | null {
    return cachedMatch<PlaceMatch>(this, tokens, from, usable);
  }

  /** Walks the names from a token, without the cache of the sentence. */
  walk(
    tokens: readonly Token[],
    from: number,
    usable: (index: number) => boolean,
    looked: Looked,
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
   * Folded words, of a length if one is given, with which a name goes on that begins with the
   * tokens [from, to).
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

  /** First words of names by their length: thousands, of which few are asked for. */
  #firstsOf(length: number): readonly string[] {
    const known = this.#firstWords.get(length);
    if (known !== undefined) return known;
    const words = [...(this.#root.next?.keys() ?? [])].filter((word) => word.length === length);
    this.#firstWords.set(length, words);
    return words;
  }

  /** What a whole name stands for, however it is written; undefined for an unknown one. */
  named(name: string): Place | undefined {
    const words = placeWords(name);
    return words.length === 0 ? undefined : this.#behind(words)?.place;
  }

  /** Where words lead; no words lead to the beginnings of all names. */
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

/** The folded words of a name that tell. */
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
