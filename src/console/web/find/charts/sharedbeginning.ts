/**
 * What labels of a chart have in common. What comes in: names of activities. What goes out: the
 * beginning that most of them share, and a name without it.
 * Invariant: only one beginning is taken off, so that two names never look the same; it ends where
 * a word ends, and leaves something of every name. Apart because it knows words and no charts.
 */

/** Fewer words say too little to be worth taking off. */
const WORDS_MIN = 2;

/** The beginning of at least two names that most of them share; empty where there is none. */
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

/** A name that begins so, without; undefined for any other. */
export function withoutBeginning(name: string, beginning: string): string | undefined {
  const begins = beginning !== "" && name.startsWith(`${beginning} `);
  return begins ? `…${name.slice(beginning.length)}` : undefined;
}
