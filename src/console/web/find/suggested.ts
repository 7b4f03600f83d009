/**
 * How words that may mean several activities were read. What comes in: a suggestion, and the
 * activities that the sentence was taken to mean. What goes out: the choices in their order, and
 * which of the titles above them is true.
 * Invariant: choices stand by their counts, what was taken first; one that finds nothing is offered
 * only where all do. Words that were understood are never said to be unknown.
 * Apart because tests run it without a browser.
 */
import type { TranslateAnswer } from "../app/answers.ts";

/** Words with what they may mean. */
export type OfferedActivities = TranslateAnswer["suggestions"][number];

/**
 * What the words became: `all` of the choices, as a whole section; some of them (`one`); one that
 * finds nothing here, beside which there are `others`; or nothing at all (`none`).
 */
type Reading = "all" | "one" | "others" | "none";

/** The choices that find something, all of them where none does, in order. */
export function offeredOf({ activities }: OfferedActivities, taken: readonly string[]) {
  const found = activities.filter(({ matches }) => matches > 0);
  const rank = (code: string) => Number(taken.includes(code));
  // What finds nothing is nobody's first choice.
  return [...(found.length > 0 ? found : activities)].sort(
    (a, b) => rank(b.code) - rank(a.code) || b.matches - a.matches || (a.code < b.code ? -1 : 1),
  );
}

/** How the words were read. */
export function readingOf(suggestion: OfferedActivities, taken: readonly string[]): Reading {
  const isTaken = ({ code }: { code: string }) => taken.includes(code);
  if (!suggestion.activities.some(isTaken)) return "none";
  if (suggestion.activities.every(isTaken)) return "all";
  return offeredOf(suggestion, taken).some(isTaken) ? "one" : "others";
}
