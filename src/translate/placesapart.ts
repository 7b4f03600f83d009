/**
 * Requests that each belong to one place: "com telefone em Campinas e com e-mail em Santos". Input:
 * a sentence in which every word has an owner, and the tokens of the places that are wished.
 * Output: whether one search would ask for all of them in all places.
 * Invariant: only two places that are both wished and two requests that differ, each next to its
 * place and joined by "e", "ou" or a comma, make two.
 */
import { reachOf } from "./negation.ts";
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
  if (leaveLast(sentence, notes, sought)) return true;
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

/** "em SP e com telefone no Paraná": what is asked in the last place only. */
function leaveLast(
  sentence: Sentence,
  notes: Notes,
  sought: readonly { readonly from: number; readonly to: number }[],
): boolean {
  const runs = runsOf(sentence, sought, (at) => reachOf(sentence, at).polarity !== "negated");
  for (let i = 0; i + 2 < runs.length; i++) {
    const [place, asked, there] = runs.slice(i, i + 3) as [Run, Run, Run];
    if (!place.isPlace || asked.isPlace || !isFirm(sentence, place.to, asked.from)) continue;
    if (!isBeside(sentence, asked.to, there.from)) continue;
    // "com telefone em SP e com telefone no Paraná"
    const before = runs[i - 1];
    if (before !== undefined && said(sentence, before) === said(sentence, asked)) continue;
    notes.leave("two_requests", APART, sentence.words(asked.from, there.to));
    return true;
  }
  return false;
}

/** True if "e" joins what is asked to a place, and only what is left out stands between. */
function isFirm(sentence: Sentence, from: number, to: number): boolean {
  let last = -1;
  for (let at = from; at < to; at++) {
    const isOut = reachOf(sentence, at).polarity === "negated" || sentence.owner(at) === "place";
    if (isOut) continue;
    const owner = sentence.owner(at);
    if (owner !== "filler" && owner !== "negation") return false;
    if (isConjunction(sentence, at)) last = at;
  }
  // "em SP, exceto MEI e filiais com telefone": it joins what is left out.
  return last >= 0 && reachOf(sentence, last + 1).polarity !== "negated";
}

function isConjunction(sentence: Sentence, at: number): boolean {
  return /^(e|and|mas|but)$/.test(sentence.folded(at)) && sentence.folded(at + 1) !== "mail";
}

const APART = {
  pt: "São dois pedidos: uma busca exigiria tudo em todos os lugares. Faça duas.",
  en: "These are two requests: one search would require all of it in all places. Make two.",
};

/** Requests and wished places in their order; what is joined to its like is one with it. */
function runsOf(
  sentence: Sentence,
  sought: readonly { readonly from: number; readonly to: number }[],
  counts: (at: number) => boolean = () => true,
): Run[] {
  const places = new Set<number>();
  for (const { from, to } of sought) for (let at = from; at < to; at++) places.add(at);
  const runs: Run[] = [];
  for (let at = 0; at < sentence.tokens.length; at++) {
    const owner = sentence.owner(at);
    const isPlace = owner === "place" && places.has(at);
    if (!isPlace && (owner === null || !ASKED.has(owner) || !counts(at))) continue;
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
  // "em SP, exceto em Santos, com telefone"
  const isExcluding = sentence.tokens
    .slice(from, to)
    .some((_, i) => sentence.owner(from + i) === "place");
  for (let at = from; at < to; at++) {
    const owner = sentence.owner(at);
    // A place that is not sought is one that is left out.
    const small =
      owner === "filler" || owner === "negation" || owner === "activity" || owner === "place";
    const isComma = isExcluding && sentence.tokens[at]?.text === ",";
    if (!small || (isJoint(sentence, at) && !isComma)) return false;
  }
  return true;
}

/** Whether "e", "ou" or a comma stands between, and else small words alone. */
function isJoined(sentence: Sentence, from: number, to: number): boolean {
  let joined = false;
  for (let at = from; at < to; at++) {
    const owner = sentence.owner(at);
    if (owner !== "filler" && owner !== "negation" && owner !== "place") return false;
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
