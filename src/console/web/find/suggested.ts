/**
 * How ambiguous words were interpreted: orders a suggestion's choices and selects the title above
 * them.
 * Invariant: choices are ordered by count, chosen ones first. A choice without matches is offered
 * only if no choice has any. Understood words are never called unknown. Separate because tests run
 * it without a browser.
 */
import type { TranslateAnswer } from "../app/answers.ts";

/** Words with possible meanings. */
export type OfferedActivities = TranslateAnswer["suggestions"][number];

/**
 * How the words were interpreted. `all`: as all choices, for example a whole section. `one`: as
 * some of the choices. `others`: as a choice without matches, while others have some. `none`: as
 * none of the choices.
 */
type Reading = "all" | "one" | "others" | "none";

/** Returns the choices with matches, in order; all choices if none has matches. */
export function offeredOf({ activities }: OfferedActivities, taken: readonly string[]) {
  const found = activities.filter(({ matches }) => matches > 0);
  const rank = (code: string) => Number(taken.includes(code));
  // Drops choices without matches.
  return [...(found.length > 0 ? found : activities)].sort(
    (a, b) => rank(b.code) - rank(a.code) || b.matches - a.matches || (a.code < b.code ? -1 : 1),
  );
}

/** Returns how the words were interpreted. */
export function readingOf(suggestion: OfferedActivities, taken: readonly string[]): Reading {
  const isTaken = ({ code }: { code: string }) => taken.includes(code);
  if (!suggestion.activities.some(isTaken)) return "none";
  if (suggestion.activities.every(isTaken)) return "all";
  return offeredOf(suggestion, taken).some(isTaken) ? "one" : "others";
}
