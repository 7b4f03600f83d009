/**
 * A place in a sentence that names lists, and what such places are looked up in.
 * Invariant: a mention without ids says why, unless two lists share its name or no list has it.
 */
import type { Sentences } from "../notes.ts";
import type { PlaceNames } from "../places/placenames.ts";
import type { Sentence } from "../words/sentence.ts";
import type { ListNames, NamedList } from "./listnames.ts";
import { AGAINST, ALSO, BETWEEN, FROM_LIST, IN_LIST, POTENTIAL } from "./listwords.ts";

/** What lists are looked up in. */
export interface ListContext {
  readonly sentence: Sentence;
  readonly places: PlaceNames;
  /** The lists of the user; null where nobody has any. */
  known(): ListNames | null;
}

/** Words that name lists. */
export interface ListMention {
  /** The first word of the list or its name, without what leads to it. */
  readonly from: number;
  readonly to: number;
  readonly ids: readonly string[];
  /** Lists that share the name that is written, and cannot be told apart. */
  readonly among?: readonly NamedList[];
  /** Why the words name no list for certain. */
  readonly why?: Sentences;
}

/** What a word before a list does; null for articles and all else. */
export function leadOf(word: string): "in" | "from" | null {
  if (IN_LIST.has(word)) return "in";
  return FROM_LIST.has(word) ? "from" : null;
}

/** True for a mark or word that joins two names: ",", "e", "bem como", "as well as". */
export function isJoiner(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  if (word === "as") return [at - 1, at + 1].some((near) => sentence.folded(near) === "well");
  const isWord = BETWEEN.has(word) || AGAINST.has(word) || ALSO.has(word);
  return isWord || /^[,;/+]$/.test(sentence.tokens[at]?.text ?? "");
}

/** "clientes potenciais", "clientes em potencial": nobody who is on a list. */
export function isPotential(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  return POTENTIAL.has(word === "em" || word === "en" ? sentence.folded(at + 1) : word);
}
