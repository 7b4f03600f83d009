/**
 * Reads brackets after a trade that explain it: "padarias (pães e bolos)", "research institutes
 * (natural sciences)". Input: a sentence, an opening bracket, and the codes of the trade before it.
 * Output: the end of the bracket, whose tokens are marked as read.
 * Invariant: an explanation never adds an activity. Goods that the trade makes or sells become part
 * of its name. Other words get a note that the registry does not distinguish them. A bracket that
 * names a trade, a place, a number, or an exclusion is not an explanation.
 * On its own because no other reader of activities reads across brackets.
 */
import { isNegatorWord } from "../negators.ts";
import type { Notes } from "../notes.ts";
import { joins } from "../words/phrases.ts";
import type { Sentence } from "../words/sentence.ts";
import { lexicon } from "./lexicon.ts";

/** Maximum number of tokens in such a bracket. */
const GLOSS_MAX = 10;

interface GlossContext {
  readonly sentence: Sentence;
  readonly notes: Notes;
}

/**
 * Marks an explanation at an opening bracket as read and returns its end. Returns `open` if the
 * bracket is not an explanation.
 */
export function leaveGloss(
  { sentence, notes }: GlossContext,
  open: number,
  codes: readonly string[],
): number {
  const close = closingOf(sentence, open);
  // If the trade is general, the bracket specifies it and is not an explanation: "lojas (roupas e
  // calçados)".
  if (close < 0 || codes.some((code) => code.length < 5)) return open;
  const from = open + 1;
  const goods = lexicon().goods.longest(sentence.tokens, from, (at) => at < close);
  const own = Object.values(goods?.value ?? {}).flatMap((role) => [...role.codes, ...role.also]);
  if (own.some((code) => codes.includes(code))) {
    sentence.claim(open, close + 1, "activity");
    return close + 1;
  }
  if (goods !== null || lexicon().trades.longest(sentence.tokens, from) !== null) return open;
  const detail = {
    pt: "A Receita não separa este tipo.",
    en: "The registry does not separate this kind.",
  };
  notes.addUnmapped("kind", detail, sentence.claim(from, close, "unmapped"));
  return close + 1;
}

/**
 * Returns the position of the closing bracket if only unclaimed words, joining words, and list
 * marks precede it; otherwise -1.
 */
function closingOf(sentence: Sentence, open: number): number {
  for (let at = open + 1; at <= open + GLOSS_MAX; at++) {
    const token = sentence.tokens[at];
    if (token?.text === ")") return at > open + 1 ? at : -1;
    const isText = token?.kind === "word" || /^[,/&-]$/.test(token?.text ?? "");
    const isRead = !sentence.free(at) && !joins(token);
    if (!isText || isRead || isNegatorWord(token?.folded ?? "")) return -1;
  }
  return -1;
}
