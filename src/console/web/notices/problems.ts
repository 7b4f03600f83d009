/**
 * Problems of notices and their deliveries, in the language of the page.
 * Invariant: the server's sentences are English. The words replace the known ones; others are shown
 * as they are. A test compares the words with the sources of the sentences.
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
