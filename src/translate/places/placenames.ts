/**
 * Names of places as a tree of words. What comes in: names with what they stand for, and a place in
 * a list of tokens. What goes out: the longest name that begins there.
 * Invariant: names are compared word by word as written, without accents: number counts ("Palma"
 * and "Palmas" are two cities); only de, da, do and their kind may be there or not; a look-up costs
 * at most the number of words of the longest name.
 */
import { tokensOfName } from "../words/phrases.ts";
import { foldWord, type Token, tokenize } from "../words/tokens.ts";

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
export const NO_PLACE: Place = {
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

/** Words that names have and lose: "Santa Bárbara d'Oeste", "Santa Bárbara do Oeste". */
const SMALL = new Set("de da do das dos d".split(" "));
/** Most of them in a row. */
const SMALL_MAX = 2;
/** Shortened titles, after which a point may stand. */
const TITLES = new Set("sta sto s pres gov cel sen dr eng mal n sra prof cons des bal".split(" "));

/** Places by name. */
export class PlaceNames {
  readonly #root: Node = { next: null, place: undefined, small: false };
  /** Folded words of all names, with how the first name that has one writes it. */
  readonly vocabulary = new Map<string, string>();

  /** Adds what a name stands for to what it stands for already. */
  add(name: string, added: Place): void {
    let node = this.#root;
    let small = false;
    for (const { kind, text, folded: word } of tokensOfName(name)) {
      if (kind !== "word") continue;
      if (SMALL.has(word)) {
        small = true;
        continue;
      }
      if (!this.vocabulary.has(word)) this.vocabulary.set(word, text);
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
    node.place = node.place === undefined ? added : joined(node.place, added);
  }

  /** The longest name that begins at a token; `usable` says which tokens may take part. */
  longest(
    tokens: readonly Token[],
    from: number,
    usable: (index: number) => boolean = () => true,
  ): PlaceMatch | null {
    let node: Node | undefined = this.#root;
    let found: PlaceMatch | null = null;
    let words = 0;
    let small = 0;
    for (let at = from; at < tokens.length && usable(at); at++) {
      const { kind, text, folded } = tokens[at] as Token;
      if (at > from && text === "." && TITLES.has((tokens[at - 1] as Token).folded)) continue;
      if (kind !== "word") break;
      if (SMALL.has(folded)) {
        if (at === from || ++small > SMALL_MAX) break;
        continue;
      }
      node = node.next?.get(folded);
      if (node === undefined || (small > 0 && !node.small)) break;
      small = 0;
      words++;
      if (node.place !== undefined) found = { from, to: at + 1, words, place: node.place };
    }
    return found;
  }

  /** Folded words with which a name goes on that begins with the tokens [from, to). */
  continuations(tokens: readonly Token[], from: number, to: number): readonly string[] {
    let node: Node | undefined = this.#root;
    for (let at = from; at < to; at++) {
      const { folded } = tokens[at] as Token;
      if (!SMALL.has(folded)) node = node?.next?.get(folded);
    }
    return [...(node?.next?.keys() ?? [])];
  }

  /** What a whole name stands for, however it is written; undefined for an unknown one. */
  named(name: string): Place | undefined {
    let node: Node | undefined = this.#root;
    for (const word of placeWords(name)) node = node?.next?.get(word);
    return node === this.#root ? undefined : node?.place;
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
