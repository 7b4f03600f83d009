/**
 * Recognizes events and documents for which someone needs a list: "sucatas em Caxias pra vistoria
 * da secretaria". Input: a sentence and a position. Output: the position of the event after "para"
 * or "for".
 * Invariant: only the nouns listed here are reasons. Any other noun after "para" may be a customer
 * or a use.
 * Separate from the readers because it is a word list, like jobseekers.ts.
 */
import type { Sentence } from "./words/sentence.ts";

const REASONS: ReadonlySet<string> = new Set(
  (
    "vistoria fiscalizacao auditoria inspecao reuniao visita visitas tcc licitacao cotacao " +
    "orcamento entrevista entrevistas reportagem materia mapeamento levantamento diagnostico " +
    "benchmark benchmarking divulgacao palestra inspection audit survey thesis report " +
    "article interview inspeccion encuesta reportaje licitacion"
  ).split(" "),
);
const FOR = /^(?:para|pra|for)$/;
const ARTICLES = /^(?:o|a|um|uma|the|an?|minha?|my|meu|nossa?)$/;

/** If "para" at a token introduces a reason, returns the position of its noun, otherwise `at`. */
export function reasonAfter(sentence: Sentence, at: number): number {
  if (!FOR.test(sentence.folded(at))) return at;
  const object = ARTICLES.test(sentence.folded(at + 1)) ? at + 2 : at + 1;
  return REASONS.has(sentence.folded(object)) ? object : at;
}
