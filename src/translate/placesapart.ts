/**
 * Requests that each belong to one place: "com telefone em Campinas e com e-mail em Santos". Input:
 * a sentence in which every word has an owner, and the tokens of the places that are wished.
 * Output: whether one search would ask for all of them in all places.
 * Invariant: only two places that are both wished and two requests that differ, each next to its
 * place and joined by "e", "ou" or a comma, make two.
 */
import type { Notes } from "./notes.ts";
import type { Sentence, TokenRole } from "./words/sentence.ts";

/** Owners of words that ask for something of the companies of a place. */
const ASKED: ReadonlySet<TokenRole> = new Set<TokenRole>([
  ...(["regime", "size", "nature", "contact", "capital", "date"] as const),
  ...(["headquarters", "name", "status"] as const),
]);

/** Words of a request or of a wished place that stand together. */
interface Run {
  readonly isPlace: boolean;
  readonly from: number;
  to: number;
}

/** A place next to what is asked of its companies, in either order. */
interface Pair {
  readonly asked: Run;
  readonly placeFirst: boolean;
  readonly to: number;
}

interface Told {
  readonly sentence: Sentence;
  readonly notes: Notes;
}

/** Notes that a sentence asks for different things in different places; true if it does. */
export function leavePlacesApart(
  { sentence, notes }: Told,
  sought: readonly { readonly from: number; readonly to: number }[],
): boolean {
  if (sought.length < 2) return false;
  const runs = runsOf(sentence, sought);
  for (let i = 0; i + 3 < runs.length; i++) {
    const [one, other] = [pairAt(sentence, runs, i), pairAt(sentence, runs, i + 2)];
    if (one === null || other === null || one.placeFirst !== other.placeFirst) continue;
    const begin = runs[i + 2] as Run;
    if (!isJoined(sentence, one.to, begin.from)) continue;
    if (said(sentence, one.asked) === said(sentence, other.asked)) continue;
    notes.leave("two_requests", APART, sentence.words(begin.from, other.to));
    return true;
  }
  return false;
}

const APART = {
  pt: "São dois pedidos: uma busca exigiria tudo em todos os lugares. Faça duas.",
  en: "These are two requests: one search would require all of it in all places. Make two.",
};

/** Requests and wished places in their order; what is joined to its like is one with it. */
function runsOf(
  sentence: Sentence,
  sought: readonly { readonly from: number; readonly to: number }[],
): Run[] {
  const places = new Set<number>();
  for (const { from, to } of sought) for (let at = from; at < to; at++) places.add(at);
  const runs: Run[] = [];
  for (let at = 0; at < sentence.tokens.length; at++) {
    const owner = sentence.owner(at);
    const isPlace = owner === "place" && places.has(at);
    if (!isPlace && (owner === null || !ASKED.has(owner))) continue;
    const last = runs.at(-1);
    if (last?.isPlace === isPlace) last.to = at + 1;
    else runs.push({ isPlace, from: at, to: at + 1 });
  }
  return runs;
}

function pairAt(sentence: Sentence, runs: readonly Run[], at: number): Pair | null {
  const [one, other] = [runs[at] as Run, runs[at + 1] as Run];
  if (one.isPlace === other.isPlace || !isBeside(sentence, one.to, other.from)) return null;
  const placeFirst = one.isPlace;
  return { asked: placeFirst ? other : one, placeFirst, to: other.to };
}

/** Whether nothing but small words and a trade stands between. */
function isBeside(sentence: Sentence, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const owner = sentence.owner(at);
    const small = owner === "filler" || owner === "negation" || owner === "activity";
    if (!small || isJoint(sentence, at)) return false;
  }
  return true;
}

/** Whether "e", "ou" or a comma stands between, and else small words alone. */
function isJoined(sentence: Sentence, from: number, to: number): boolean {
  let joined = false;
  for (let at = from; at < to; at++) {
    const owner = sentence.owner(at);
    if (owner !== "filler" && owner !== "negation") return false;
    joined ||= isJoint(sentence, at);
  }
  return joined;
}

function isJoint(sentence: Sentence, at: number): boolean {
  return (
    /^(e|ou|and|or|mais)$/.test(sentence.folded(at)) ||
    /^[,;/]$/.test(sentence.tokens[at]?.text ?? "")
  );
}

/** What is asked, with the words that negate it, however it is written. */
function said({ tokens }: Sentence, { from, to }: Run): string {
  return tokens
    .slice(from, to)
    .map(({ text }) => text.toLowerCase())
    .join(" ");
}
