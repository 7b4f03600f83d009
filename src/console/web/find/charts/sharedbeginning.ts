/**
 * Finds the words with which most activity names of a chart begin ("Comércio varejista de"), and
 * removes them from names.
 * Invariant: only one such beginning is removed, so that different names stay different. The
 * beginning ends at a word boundary, and every name keeps at least one word. Separate from the
 * charts because it depends on words only.
 */

/** Min number of words; shorter beginnings are not worth removing. */
const WORDS_MIN = 2;

/**
 * Returns the words that the largest group of names starts with. The result is "" if no two names
 * start with the same two words.
 */
export function sharedBeginning(names: readonly string[]): string {
  const groups = new Map<string, string[][]>();
  for (const name of names) {
    const words = name.split(" ");
    if (words.length <= WORDS_MIN) continue;
    const key = words.slice(0, WORDS_MIN).join(" ");
    groups.set(key, [...(groups.get(key) ?? []), words]);
  }
  const [largest = []] = [...groups.values()].sort((one, other) => other.length - one.length);
  const [first, ...others] = largest;
  if (first === undefined || others.length === 0) return "";
  const differs = first.findIndex((word, at) => {
    const isLast = at + 1 >= Math.min(...largest.map(({ length }) => length));
    return isLast || others.some((words) => words[at] !== word);
  });
  return first.slice(0, differs).join(" ");
}

/** Cuts the beginning off a name. Returns undefined if the name lacks it. */
export function withoutBeginning(name: string, beginning: string): string | undefined {
  const begins = beginning !== "" && name.startsWith(`${beginning} `);
  return begins ? `…${name.slice(beginning.length)}` : undefined;
}
