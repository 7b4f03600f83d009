/**
 * What a text says of who wrote it. What comes in: a sentence. What goes out: nothing; what the
 * writer is or sells is claimed as not mapped, before activities are read.
 * Invariant: only what stands behind "sou", "somos" and, up to "para", behind verbs of selling of
 * the writer's own is taken; whom it is sold to is left for the stage of activities.
 */

import { OWN_OFFER, type Remark, WRITER } from "../filters/phrase.ts";
import type { Notes } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";

const wordSet = (words: string) => new Set(words.split(" "));

/** Verbs that say by themselves that the writer sells. */
const SELLING = wordSet(
  "vendo vendemos ofereco oferecemos forneco fornecemos presto prestamos comercializamos",
);
/** Verbs that say so behind one of `WISHING`. */
const TO_SELL = wordSet("vender oferecer fornecer prestar comercializar sell offer");
const WISHING = wordSet(
  "quero queremos queria queriamos vou vamos preciso precisamos pretendo pretendemos para pra " +
    "gostaria i we to",
);
const TO = wordSet("para pra pras pros a aos for to");
const JOINS = wordSet("e mas que em no na nos nas para pra and looking");
const ARTICLES = wordSet("um uma uns umas o a os as meu minha meus minhas nosso nossa the my our");
const COMPANY = wordSet("empresa firma dono dona de do da");
/** Most words of an offer. */
const OFFER_MAX = 12;

/** Claims what the writer is, and what the writer sells. */
export function leaveWriter(
  { sentence, notes }: { readonly sentence: Sentence; readonly notes: Notes },
  tradeEnd: (at: number) => number,
): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const word = sentence.folded(at);
    if (word === "sou" || word === "somos") leaveSelf(at);
    else if (isSelling(sentence, at)) leaveOffer(at);
  }

  function leaveSelf(verb: number): void {
    let from = verb + 1;
    while (from < verb + 4 && (ARTICLES.has(said(from)) || COMPANY.has(said(from)))) from++;
    let to = tradeEnd(from);
    if (to === from) return;
    while (to < from + OFFER_MAX && sentence.free(to) && said(to) !== "" && !JOINS.has(said(to)))
      to++;
    leave(from, to, WRITER);
    sentence.claim(verb, from, "filler");
  }

  function leaveOffer(verb: number): void {
    let from = verb + 1;
    while (from < verb + 3 && ARTICLES.has(said(from))) from++;
    let to = from;
    while (to < from + OFFER_MAX && sentence.free(to) && said(to) !== "" && !TO.has(said(to))) to++;
    if (to > from && TO.has(said(to)) && sentence.tokens[to + 1]?.kind === "word")
      leave(from, to, OWN_OFFER);
    sentence.claim(verb, verb + 1, "filler");
  }

  function said(at: number): string {
    return sentence.folded(at);
  }

  function leave(from: number, to: number, { code, ...detail }: Remark): void {
    for (let at = from; at < to; at++) if (!sentence.free(at)) return;
    notes.leave(code, detail, sentence.claim(from, to, "unmapped"));
  }
}

function isSelling(sentence: Sentence, at: number): boolean {
  if (SELLING.has(sentence.folded(at))) return true;
  const before = sentence.folded(at - 1) === "de" ? at - 2 : at - 1;
  return TO_SELL.has(sentence.folded(at)) && WISHING.has(sentence.folded(before));
}
