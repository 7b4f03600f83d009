/**
 * Adversarial texts by kind: each kind fills a text with the hardest input for one part of the
 * translator.
 * Invariant: the same kind, seed, and words make the same text of exactly the requested length.
 */
import type { WordPools } from "./longtexts.ts";
import { randomFrom, repeated } from "./shapes.ts";

/** A function that returns one piece of a text. */
type Piece = (random: () => number, pools: WordPools) => string;

const JOINTS =
  "e|ou|de|do|em|no|na|com|sem|s/|p/|exceto|não|nem|fora|incluindo|bairro|a 50 km de|" +
  "interior de|capital|filial em|,|;|/|(|)";
const ADJECTIVES = "paulistas|mineiras|gaúchas|baianos|paranaense|catarinense|cariocas";

/** For each kind, the function that returns its pieces. */
export const WORST_KINDS: Readonly<Record<string, Piece>> = {
  "long unknown words": (random) => `${letters(random, 9 + below(random, 8))} `,
  "beginnings of places": (random, { cities = [] }) => {
    const words = pick(cities, random).split(" ");
    return `${words.slice(0, Math.max(1, words.length - 1)).join(" ")} `;
  },
  "joined words": (random, { trades = [], cities = [] }) => {
    const [one, other] = [pick(trades, random), pick(cities, random)];
    return `${one}${other}`.replaceAll(" ", "") + pick([" ", ", "], random);
  },
  "slips of trades": (random, { trades = [] }) => {
    const word = pick(trades, random);
    const at = below(random, word.length - 1);
    const [one = "", other = ""] = [word[at], word[at + 1]];
    return `${word.slice(0, at)}${other}${one}${word.slice(at + 2)} `;
  },
  numbers: (random) => `${below(random, 100_000)}${pick([" ", ", ", ".", "/", " mil "], random)}`,
  "two letters": (random) => `${letters(random, 2)} `,
  contacts: (random) => {
    const digits = String(below(random, 10_000)).padStart(4, "0");
    const mail = `${letters(random, 5)}@exemplo.com.br`;
    return `${pick([mail, `(11) 9${digits}-4321`, `3333-${digits}`], random)}, `;
  },
  marks: (random) => pick([..."!?.,;:()/-+*%\"'&"], random),
  "places and joints": (random, { cities = [], regions = [] }) => {
    const place = () => pick(pick([cities, regions, ADJECTIVES.split("|")], random), random);
    return `${place()} ${pick(JOINTS.split("|"), random)} `;
  },
};

/**
 * Returns a text of one kind. Half of the texts repeat a few pieces, and the others consist of
 * different pieces.
 */
export function worstText(kind: string, seed: number, pools: WordPools, length: number): string {
  const random = randomFrom(seed);
  const piece = WORST_KINDS[kind] as Piece;
  const few = Array.from({ length: 1 + below(random, 4) }, () => piece(random, pools)).join("");
  if (seed % 2 === 1) return repeated(few, length);
  let text = few;
  while (text.length < length) text += piece(random, pools);
  return text.slice(0, length);
}

/**
 * Pieces that guard against former defects: repeating them took quadratic time. Each comment names
 * the cause, which has been fixed.
 */
export const ONCE_STEEP: readonly string[] = [
  // Formerly, each filter word processed all small words up to a distant negation.
  ...["Paraná do s/ ", "s/ cobiça Novo Machado "],
  // Formerly, every list was compared with all words before it.
  "nordeste gaúchas não a@b.com.br, ",
  // Formerly, states were applied to every region, and adjectives compared with every place.
  ...["interior de miudeza SP ", "Greater Brasília Goiás p/ baianos "],
  "delírio, Bahia, paranaense, Sul Baiano, ",
  // Formerly, the token of an unknown word was searched from the beginning of the text.
  ...["5% ", "qw, "],
  // Formerly, each contact read all contacts that followed it without a gap.
  ...["telefone ", "telefone, ", "telefone e ", "telefone mesmo "],
  // Formerly, each short word was compared seven times with the first words of all places.
  ...["d xqz ", "de do zwq "],
  // Formerly, every number before "e" read the dates of all numbers after it.
  "1 e ",
  // Formerly, each corrected word discarded the cached names of the 128 tokens before it.
  "y panaderias sin telefono ",
];

function below(random: () => number, limit: number): number {
  return Math.floor(random() * limit);
}

function pick<Value>(list: readonly Value[], random: () => number): Value {
  return list[below(random, list.length)] as Value;
}

function letters(random: () => number, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(0x61 + below(random, 26))).join("");
}
