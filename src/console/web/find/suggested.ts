/**
 * Explains how the translator interpreted ambiguous words: sorts the possible activities and
 * selects the title above them.
 * Invariant: chosen activities come first, then those with more matches. Activities without matches
 * are offered only if none has matches. If a word was understood, the title does not call it
 * unknown. Separate because tests run it without a browser.
 */
import type { TranslateAnswer } from "../app/answers.ts";

/** Words with possible meanings. */
export type OfferedActivities = TranslateAnswer["suggestions"][number];

/**
 * How the words were interpreted. `all`: as all offered activities, such as a section. `one`: as
 * some of them. `others`: as an activity without matches, which is not offered. `none`: as no
 * activity.
 */
type Reading = "all" | "one" | "others" | "none";

/** Returns the activities to offer, sorted: those with matches, or all if none has matches. */
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
