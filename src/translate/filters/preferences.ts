/**
 * Words that make a wish a preference: "se possível com e-mail", "telefone, de preferência". Input:
 * a sentence and the tokens of a wish. Output: the words that say so, before or behind it.
 * Invariant: wherever they stand, they mean the same; behind a comma they must end what is said.
 * Apart because the stage of wishes fills its file.
 */
import type { Sentence } from "../words/sentence.ts";

const PREFERRED: ReadonlySet<string> = new Set([
  ...["se possivel", "se houver", "se tiver", "se tiverem", "if possible", "de preferencia"],
  ...["preferencialmente", "preferivelmente", "preferencia", "preferably", "ideally"],
  ...["si es posible", "si fuera posible", "preferiblemente", "preferentemente"],
]);
/** Max words of such a phrase, and between it and the wish behind it. */
const PHRASE_MAX = 3;
const BEFORE_MAX = 3;

/** Tokens of a wish. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** The wish with the words that make it a preference; null for one that is required. */
export function preferenceAround(sentence: Sentence, { from, to }: Range): Range | null {
  const comma = sentence.tokens[to]?.text === ",";
  const behind = endFrom(sentence, comma ? to + 1 : to);
  const isBehind = behind >= 0 && (!comma || sentence.folded(behind) === "");
  let begin = from;
  for (let last = from - 1; last >= Math.max(0, from - BEFORE_MAX); last--) {
    begin = Math.min(begin, startTo(sentence, last) ?? begin);
  }
  if (begin === from && !isBehind) return null;
  return { from: begin, to: isBehind ? behind : to };
}

/** Where such words end that begin at a token; -1 for none. */
function endFrom(sentence: Sentence, from: number): number {
  for (let length = PHRASE_MAX; length > 0; length--) {
    if (PREFERRED.has(said(sentence, from, from + length))) return from + length;
  }
  return -1;
}

/** Where such words begin that end at a token; undefined for none. */
function startTo(sentence: Sentence, last: number): number | undefined {
  for (let length = PHRASE_MAX; length > 0; length--) {
    const from = last - length + 1;
    if (PREFERRED.has(said(sentence, from, last + 1))) return from;
  }
  return undefined;
}

function said(sentence: Sentence, from: number, to: number): string {
  return Array.from({ length: to - from }, (_, i) => sentence.folded(from + i)).join(" ");
}
