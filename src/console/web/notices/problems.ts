/**
 * Translates the problems of notices and their deliveries into the language of the page.
 * Invariant: the server's sentences are English. Known sentences are replaced, and others are shown
 * as they are. A test compares the known sentences with the server's sources.
 */
import { lazyWords } from "../app/lazywords.ts";

/** Returns a problem with its known sentences in the page's language. */
export function problemText(problem: string): string {
  const known = [...lazyWords.value.notices.problems];
  return problem
    .split(/(?<=\.) (?=[A-Z])/)
    .map((english) => known.find(([part]) => english.includes(part))?.[1] ?? english)
    .join(" ");
}
