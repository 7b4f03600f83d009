/**
 * Trades that are not sought in the same way: "padarias MEI e restaurantes LTDA", of which each has
 * a condition of its own, and "padarias que também são lanchonetes", which are both at once. Input:
 * a sentence in which every word has an owner. Output: a note, because one search asks all
 * conditions of all trades, and has the companies of either trade.
 * Invariant: only a trade with a condition right behind it, joined to another trade with another
 * condition right behind it; what is said once, before or behind both, is said of both.
 */
import { reachOf } from "./negation.ts";
import type { Notes } from "./notes.ts";
import type { Sentence, TokenRole } from "./words/sentence.ts";

/** Owners of words that say something of a trade. */
const SAID_OF: ReadonlySet<TokenRole> = new Set<TokenRole>([
  ...(["regime", "size", "nature", "contact", "capital", "date"] as const),
  ...(["headquarters", "status"] as const),
]);
const JOINT = /^(?:e|ou|and|or|mais|plus|como|well)$/;
const MARK = /^[,;.!+/]$/;
const ALSO = /^(?:tambem|tambien|also|tb)$/;
const BEING = /^(?:sao|sejam|seja|e|eh|are|is|son|sean)$/;
const THAT = /^(?:que|that|which)$/;

/** Words of a trade or of what is said of it. */
interface Run {
  readonly isTrade: boolean;
  readonly from: number;
  to: number;
}

const APART = {
  pt: "São dois pedidos: uma busca exigiria tudo de todas as atividades. Faça duas.",
  en: "These are two requests: one search would require all of it of all trades. Make two.",
};
const BOTH = {
  pt: "Nenhum filtro exige duas atividades ao mesmo tempo: a busca teria as de uma ou da outra.",
  en: "No filter requires two trades at once: the search would have those of either one.",
};

/** Notes trades of which each has its condition, or that are both required; true if there are. */
export function leaveTradesApart(sentence: Sentence, notes: Notes): boolean {
  const runs = runsOf(sentence);
  return leaveBoth(sentence, notes, runs) || leaveConditions(sentence, notes, runs);
}

function leaveConditions(sentence: Sentence, notes: Notes, runs: readonly Run[]): boolean {
  for (let i = 0; i + 3 < runs.length; i++) {
    const [one, said, other, too] = runs.slice(i, i + 4) as [Run, Run, Run, Run];
    if (!one.isTrade || said.isTrade || !other.isTrade || too.isTrade) continue;
    const isBeside = isNext(sentence, one.to, said.from) && isNext(sentence, other.to, too.from);
    if (!isBeside || !isJoined(sentence, said.to, other.from)) continue;
    if (wordsOf(sentence, said) === wordsOf(sentence, too)) continue;
    notes.leave("two_requests", APART, sentence.words(other.from, too.to));
    return true;
  }
  return false;
}

/** "que também são lanchonetes", behind another trade. */
function leaveBoth(sentence: Sentence, notes: Notes, runs: readonly Run[]): boolean {
  const first = runs.find(({ isTrade }) => isTrade);
  for (const { isTrade, from, to } of runs) {
    if (!isTrade || first === undefined || from === first.from) continue;
    let at = from - 1;
    let isAlso = false;
    while (ALSO.test(sentence.folded(at)) || BEING.test(sentence.folded(at))) {
      isAlso ||= ALSO.test(sentence.folded(at));
      at--;
    }
    if (!isAlso || !THAT.test(sentence.folded(at)) || at < first.to) continue;
    notes.leave("both_trades", BOTH, sentence.words(at, to));
    return true;
  }
  return false;
}

function runsOf(sentence: Sentence): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < sentence.tokens.length; at++) {
    const owner = sentence.tokens[at]?.kind === "mark" ? null : sentence.owner(at);
    const isTrade = owner === "activity";
    if (!isTrade && (owner === null || !SAID_OF.has(owner))) continue;
    // What is left out is no trade that is sought, and no condition of one.
    if (reachOf(sentence, at).polarity === "negated") continue;
    const last = runs.at(-1);
    const isSame = last?.isTrade === isTrade && last.to === at;
    if (isSame) last.to = at + 1;
    else runs.push({ isTrade, from: at, to: at + 1 });
  }
  return runs;
}

/** True if only small words and a place stand between a trade and what is said of it. */
function isNext(sentence: Sentence, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const owner = sentence.owner(at);
    const isSmall = owner === "filler" || owner === "negation" || owner === "place";
    if (!isSmall || sentence.tokens[at]?.kind === "mark" || isJoint(sentence, at)) return false;
  }
  return true;
}

function isJoined(sentence: Sentence, from: number, to: number): boolean {
  let isFound = false;
  for (let at = from; at < to; at++) {
    const isMark = MARK.test(sentence.tokens[at]?.text ?? "");
    if (!isMark && sentence.owner(at) !== "filler") return false;
    isFound ||= isMark || isJoint(sentence, at);
  }
  return isFound;
}

function isJoint(sentence: Sentence, at: number): boolean {
  return JOINT.test(sentence.folded(at)) && sentence.folded(at + 1) !== "mail";
}

/** What is said, however it ends: "abertas" is "abertos". */
function wordsOf({ tokens }: Sentence, { from, to }: Run): string {
  return tokens
    .slice(from, to)
    .map(({ text }) => text.toLowerCase().replace(/[ao]s?$/, ""))
    .join(" ");
}
