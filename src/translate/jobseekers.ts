/**
 * Finds clauses in which the writer looks for work: "procurando emprego de enfermeira, …".
 * Input: a position in a sentence that no stage has read. Output: the clause, or null.
 * Invariant: a clause has a verb such as "procurando" and then a job. It ends at punctuation or at
 * the next request. Without such an end, the text is not a clause.
 * Separate from the other clauses about the writer because here the writer seeks a job; speaker.ts
 * reads what a writer has, is, or offers.
 */
import type { Sentence } from "./words/sentence.ts";

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const LEADS = wordSet("eu to tou estou estamos ando estoy i we am m are re ainda ja");
const SEEKING = wordSet(
  "procuro procurando busco buscando quero querendo preciso looking searching seeking hunting want",
);
const BETWEEN = wordSet("for um uma un una a an meu mi my novo nova nuevo new primeiro de por");
const JOBS = wordSet("emprego empregos estagio empleo empleos job jobs internship internships");
const JOINS = wordSet("e y and mas but pero");
const ENDS = /^[:;.,!?\u2013\u2014|]$/;
/** Maximum number of words before the verb, between the verb and the job, and after the job. */
const REACH = { lead: 3, between: 3, job: 10 } as const;

/** Tokens of a clause; the job begins at `object`. */
interface JobClause {
  readonly from: number;
  readonly object: number;
  readonly to: number;
}

/**
 * Returns the clause that begins at the token `from` if the writer looks for work in it, otherwise
 * null. A joining word and one of the words in `requests` end the clause.
 */
export function jobSoughtAt(
  sentence: Sentence,
  from: number,
  requests: ReadonlySet<string>,
): JobClause | null {
  let at = from;
  while (at < from + REACH.lead && LEADS.has(sentence.folded(at))) at++;
  if (!SEEKING.has(sentence.folded(at))) return null;
  const after = at + 1;
  at = after;
  while (at < after + REACH.between && BETWEEN.has(sentence.folded(at))) at++;
  if (!JOBS.has(sentence.folded(at))) return null;
  for (let to = at + 1; to <= at + REACH.job && to < sentence.tokens.length - 1; to++) {
    const isMark = ENDS.test(sentence.tokens[to]?.text ?? "");
    const isJoined = JOINS.has(sentence.folded(to)) && requests.has(sentence.folded(to + 1));
    if (isMark || isJoined) return { from, object: at, to };
  }
  return null;
}
