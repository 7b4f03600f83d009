/**
 * Recognizes words that make a request a preference: "se possível com e-mail", "telefone, de
 * preferência". Input: a sentence and the tokens of a request. Output: the tokens of the request
 * together with the words of preference before or after it.
 * Invariant: the words of preference may stand on either side, but after a comma they must end the
 * clause.
 * Separate from the stage of filters because that file is at its maximum length.
 */
import type { Sentence } from "../words/sentence.ts";

const PREFERRED: ReadonlySet<string> = new Set([
  ...["se possivel", "se houver", "se tiver", "se tiverem", "if possible", "de preferencia"],
  ...["preferencialmente", "preferivelmente", "preferencia", "preferably", "ideally"],
  ...["si es posible", "si fuera posible", "preferiblemente", "preferentemente"],
]);
/**
 * `PHRASE_MAX`: maximum number of words in a phrase of preference. `BEFORE_MAX`: maximum number of
 * words between that phrase and the request.
 */
const PHRASE_MAX = 3;
const BEFORE_MAX = 3;

/** A request's tokens. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** Returns the tokens of a request with its words of preference, or null for a requirement. */
export function preferenceAround(sentence: Sentence, { from, to }: Range): Range | null {
  const comma = sentence.tokens[to]?.text === ",";
  const endAfter = endFrom(sentence, comma ? to + 1 : to);
  const follows = endAfter >= 0 && (!comma || sentence.folded(endAfter) === "");
  let begin = from;
  for (let last = from - 1; last >= Math.max(0, from - BEFORE_MAX); last--) {
    begin = Math.min(begin, startTo(sentence, last) ?? begin);
  }
  if (begin === from && !follows) return null;
  return { from: begin, to: follows ? endAfter : to };
}

/** Returns the end of words of preference that begin at a token, or -1 if none begin there. */
function endFrom(sentence: Sentence, from: number): number {
  for (let length = PHRASE_MAX; length > 0; length--) {
    if (PREFERRED.has(phrase(sentence, from, from + length))) return from + length;
  }
  return -1;
}

/** Returns the start of the words of preference that end with the token `last`, or undefined. */
function startTo(sentence: Sentence, last: number): number | undefined {
  for (let length = PHRASE_MAX; length > 0; length--) {
    const from = last - length + 1;
    if (PREFERRED.has(phrase(sentence, from, last + 1))) return from;
  }
  return undefined;
}

function phrase(sentence: Sentence, from: number, to: number): string {
  return Array.from({ length: to - from }, (_, i) => sentence.folded(from + i)).join(" ");
}
