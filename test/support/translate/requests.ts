/**
 * Generates requests with their right answers. A request consists of a trade, usually a place, and
 * zero to three conditions, inside a polite phrase. Some have a condition without a filter, or a
 * typo. Input: a seed and the municipalities of a snapshot. Output: labeled sentences.
 * Invariant: nothing here uses the translator or its tables. The same seed yields the same
 * requests.
 */
import { STATE_NAMES } from "../../../src/spec/states.ts";
import {
  CONDITIONS,
  type Condition,
  FRAMES,
  LEFT,
  type RequestLanguage,
  TRADES,
} from "./request-table.ts";
import type { Expected, LabelledSentence } from "./sentences.ts";
import { randomFrom } from "./shapes.ts";

/** A municipality as requests name it. */
export interface RequestCity {
  readonly ibge: string;
  readonly name: string;
  readonly uf: string;
}

/** Share of the requests that have each property. */
const SHARE = { english: 0.2, cased: 0.3, left: 0.12, slipped: 0.08, second: 0.08 } as const;
/**
 * Cumulative shares of the kinds of places: no place, a state, and a large city. The rest are any
 * municipality with its state.
 */
const PLACES = { none: 0.1, state: 0.3, large: 0.7 } as const;
const CONDITIONS_MAX = 3;
const SLIP_LETTERS_MIN = 6;

/**
 * The cities that are requested most. The name of each is unique, or the city is far larger than
 * others with the same name.
 */
const LARGE = new Set(
  (
    "São Paulo/SP|Rio de Janeiro/RJ|Belo Horizonte/MG|Salvador/BA|Fortaleza/CE|Brasília/DF|" +
    "Curitiba/PR|Recife/PE|Porto Alegre/RS|Manaus/AM|Belém/PA|Goiânia/GO|Guarulhos/SP|" +
    "Campinas/SP|São Luís/MA|Maceió/AL|Natal/RN|Teresina/PI|João Pessoa/PB|Uberlândia/MG|" +
    "Ribeirão Preto/SP|Sorocaba/SP|Cuiabá/MT|Joinville/SC|Londrina/PR|Florianópolis/SC|" +
    "Niterói/RJ|Caxias do Sul/RS|Campo Grande/MS|Aracaju/SE|Juiz de Fora/MG|Maringá/PR|" +
    "Blumenau/SC|Feira de Santana/BA|São José dos Campos/SP|Vitória/ES|Vila Velha/ES|Osasco/SP"
  ).split("|"),
);

interface Part {
  readonly say: string;
  readonly expect: Expected;
}

/**
 * Returns the first `count` requests of a seed, without repeated texts. The field `group` names the
 * kind of each request.
 */
export function generateRequests(
  count: number,
  seed: number,
  cities: readonly RequestCity[],
): readonly LabelledSentence[] {
  const random = randomFrom(seed);
  const maker = new RequestMaker(random, cities);
  const made = new Map<string, LabelledSentence>();
  while (made.size < count) {
    const one = maker.one();
    if (!made.has(one.text)) made.set(one.text, one);
  }
  return [...made.values()];
}

class RequestMaker {
  readonly #random: () => number;
  readonly #cities: readonly RequestCity[];
  readonly #large: readonly RequestCity[];

  constructor(random: () => number, cities: readonly RequestCity[]) {
    this.#random = random;
    this.#cities = cities;
    this.#large = cities.filter(({ name, uf }) => LARGE.has(`${name}/${uf}`));
  }

  one(): LabelledSentence {
    const language = this.#chance(SHARE.english) ? "en" : "pt";
    const trade = this.#trade(language);
    const place = this.#place(language);
    const conditions = this.#conditions(language);
    const strange = conditions.some(({ expect }) => expect.unmapped !== undefined);
    const slipped = !strange && this.#chance(SHARE.slipped);
    const phrase = slipped ? this.#slip(trade.say) : trade.say;
    const parts = [phrase, place.say, ...conditions.map(({ say }) => say)].filter(Boolean);
    const framed = this.#pick(FRAMES[language]).replace("*", () => parts.join(" "));
    const expect = merged([trade, place, ...conditions].map((part) => part.expect));
    const kind = slipped ? "slip" : strange ? "left" : "plain";
    return { text: this.#cased(framed), group: `${language} ${kind}`, expect };
  }

  #trade(language: RequestLanguage): Part {
    const { names, must, may = [] } = this.#pick(TRADES[language]);
    const say = this.#pick(names);
    if (!this.#chance(SHARE.second)) return { say, expect: { cnae: { must, may } } };
    const other = this.#pick(TRADES[language]);
    const joined = `${say} ${language === "en" ? "and" : "e"} ${this.#pick(other.names)}`;
    const cnae = { must: [...must, ...other.must], may: [...may, ...(other.may ?? [])] };
    return { say: joined, expect: { cnae } };
  }

  #place(language: RequestLanguage): Part {
    const kind = this.#random();
    if (kind < PLACES.none) return { say: "", expect: {} };
    if (kind < PLACES.state) {
      const [uf, name] = this.#pick(Object.entries(STATE_NAMES).filter(([one]) => one !== "EX"));
      const long = language === "en" ? `in the state of ${name}` : `no estado de ${name}`;
      const short = `${language === "en" ? "in" : "em"} ${uf}`;
      return { say: this.#pick([long, short]), expect: { uf: [uf] } };
    }
    const large = kind < PLACES.large;
    const { ibge, name, uf } = this.#pick(large ? this.#large : this.#cities);
    const into = language === "en" ? "in" : "em";
    const alone = [`${into} ${name}`];
    const stated = [`${into} ${name}/${uf}`, `${into} ${name} - ${uf}`, `${into} ${name}, ${uf}`];
    const adjacent = [`${name} ${uf}`];
    const phrases = large ? [...alone, ...alone, ...stated, ...adjacent] : [...stated, ...adjacent];
    return { say: this.#pick(phrases), expect: { municipality: [ibge] } };
  }

  /** Returns up to three different conditions, and sometimes one without a filter. */
  #conditions(language: RequestLanguage): readonly Part[] {
    const chosen = new Map<string, Part>();
    for (let left = Math.floor(this.#random() * (CONDITIONS_MAX + 1)); left > 0; left--) {
      this.#add(chosen, this.#pick(CONDITIONS[language]));
    }
    if (this.#chance(SHARE.left)) this.#add(chosen, this.#pick(LEFT[language]));
    return [...chosen.values()];
  }

  #add(chosen: Map<string, Part>, { about, phrases, expect }: Condition): void {
    if (!chosen.has(about)) chosen.set(about, { say: this.#pick(phrases), expect });
  }

  /** Drops or doubles a letter in a long word, or swaps it with the next. */
  #slip(text: string): string {
    const words = text.split(" ");
    const long = words.flatMap((word, at) => (word.length < SLIP_LETTERS_MIN ? [] : [at]));
    if (long.length === 0) return text;
    const at = this.#pick(long);
    const word = words[at] as string;
    const letter = 1 + Math.floor(this.#random() * (word.length - 3));
    const [one, next] = [word[letter] as string, word[letter + 1] as string];
    const instead = this.#pick(["", one + one, next + one]);
    const taken = instead === next + one ? 2 : 1;
    words[at] = word.slice(0, letter) + instead + word.slice(letter + taken);
    return words.join(" ");
  }

  /** Often changes a text to lower case, and sometimes drops its accents, as people type. */
  #cased(text: string): string {
    if (this.#chance(1 - SHARE.cased)) return text;
    const small = text.toLowerCase();
    return this.#chance(0.5) ? small : small.normalize("NFD").replace(/\p{M}/gu, "");
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #pick<Value>(list: readonly Value[]): Value {
    return list[Math.floor(this.#random() * list.length)] as Value;
  }
}

/** Merges the expectations of all parts into one. */
function merged(all: readonly Expected[]): Expected {
  let sum: Expected = {};
  for (const one of all) {
    const lists = { ...listed("unmapped", sum, one), ...listed("unmapped_may", sum, one) };
    const groups = { ...both("company", sum, one), ...both("contact", sum, one) };
    sum = Object.assign({}, sum, one, groups, lists);
  }
  return sum;
}

function both(name: "company" | "contact", sum: Expected, one: Expected): Partial<Expected> {
  if (sum[name] === undefined && one[name] === undefined) return {};
  return { [name]: { ...sum[name], ...one[name] } };
}

function listed(name: "unmapped" | "unmapped_may", sum: Expected, one: Expected) {
  const all = [...(sum[name] ?? []), ...(one[name] ?? [])];
  return all.length === 0 ? {} : { [name]: all };
}
