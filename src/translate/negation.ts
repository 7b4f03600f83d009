/**
 * What a "not" reaches. What comes in: a sentence and a place in it. What goes out: whether the
 * words there are excluded.
 * Invariant: a negation reaches the next wish and those joined to it by "e", "ou" or "nem"; a comma
 * followed by another preposition, "mas" and the end of the sentence end it.
 */
import type { Sentence } from "./sentence.ts";

/** Words that exclude what follows. */
const NEGATORS = new Set(
  (
    "sem nao nem exceto excepto salvo menos fora excluindo excluir exclua tirando " +
    "desconsiderando desconsidere ignorando ignore without except excluding not no non"
  ).split(" "),
);

/** Words that may stand between a negator and what it excludes. */
const BETWEEN = new Set(
  (
    "que seja sejam sao e esteja estejam esta estao tenha tenham tem possua possuam " +
    "possui ser sendo de da do das dos o a os as em no na nos nas para um uma com " +
    "optante optantes as inclua incluir qualquer nenhum nenhuma numero empresas empresa " +
    "the is are any ou nem cadastrado informado"
  ).split(" "),
);

/** Words that end what a negation reaches. */
const ENDS = new Set(["mas", "porem", "apenas", "somente", "so", "but", "only"]);

/** Index of the negator that reaches a token, or -1. `com` between ends it: "sem A com B". */
export function negatorOf(sentence: Sentence, at: number): number {
  for (let i = at - 1; i >= 0; i--) {
    const token = sentence.tokens[i];
    if (token === undefined || (token.kind === "mark" && token.text !== ",")) return -1;
    if (token.kind === "mark") {
      // "exceto MEI, ME e EPP" goes on; "exceto MEI, com telefone" does not.
      if (joinsWishes(sentence, i + 1)) return -1;
      continue;
    }
    const word = sentence.folded(i);
    if (ENDS.has(word) || (word === "com" && i < at - 1)) return -1;
    if (NEGATORS.has(word) && !isComparison(sentence, i)) return i;
    const owner = sentence.owner(i);
    const excluded = owner !== null && owner !== "negation" && owner !== "filler";
    if (!excluded && !BETWEEN.has(word)) return -1;
    if (excluded && !followsJoin(sentence, i, at)) return -1;
  }
  return -1;
}

/** "menos de 2 anos" compares; "fora do Simples" excludes. */
function isComparison(sentence: Sentence, at: number): boolean {
  const next = sentence.folded(at + 1);
  return sentence.folded(at) === "menos" && (next === "de" || next === "que" || next === "do");
}

/** Whether a new wish begins here that a preposition opens. */
function joinsWishes(sentence: Sentence, at: number): boolean {
  return ["com", "em", "no", "na", "desde", "abertas", "que"].includes(sentence.folded(at));
}

/** Between a wish that is excluded and the one at `at` there is an "e", "ou", "nem" or a comma. */
function followsJoin(sentence: Sentence, from: number, at: number): boolean {
  for (let i = from + 1; i <= at; i++) {
    const text = sentence.tokens[i]?.text ?? "";
    if (text === "," || ["e", "ou", "nem", "and", "or", "nor"].includes(sentence.folded(i)))
      return true;
    if (sentence.owner(i) === sentence.owner(from)) return true;
  }
  return false;
}

/** Takes the negator and the words between it and what it excludes. */
export function claimNegation(sentence: Sentence, negator: number, at: number): void {
  for (let i = negator; i < at; i++) if (sentence.free(i)) sentence.claim(i, i + 1, "negation");
}
