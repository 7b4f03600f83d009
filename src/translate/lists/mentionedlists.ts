/**
 * Reads the user's lists and exported accounts in a sentence: "que não estão na lista Clientes MG",
 * "que ainda não exportei". Input: a sentence before its places are read, and the user's lists, if
 * any. Output: the lists to include and to exclude. A remark reports ambiguous words.
 * Invariant: no other stage reads these words, so a list's name is never a place ("MG") or a trade.
 * "Lista de restaurantes" requests a new list and names no list of the user.
 */
import { LISTS_MAX } from "../../spec/listids.ts";
import { forgetReach } from "../negation.ts";
import type { Notes, Sentences } from "../notes.ts";
import type { PlaceNames } from "../places/placenames.ts";
import type { Sentence } from "../words/sentence.ts";
import { mentionAfter, mentionAt } from "./listmentions.ts";
import { ListNames, type NamedList } from "./listnames.ts";
import {
  ANY_OF,
  ambiguous,
  BEFORE,
  BY_HAND,
  type ListContext,
  type ListMention,
  leavesAll,
  tooMany,
  UNCLEAR,
  UNKNOWN,
} from "./mention.ts";
import { type SeenMention, Stances } from "./stance.ts";

/** Ids of the lists to include and to exclude. */
export interface MentionedLists {
  readonly anyOf: readonly string[];
  readonly exclude: readonly string[];
  /**
   * Phrases that exclude one list, such as "não estão na lista X". Each key is the token after a
   * phrase; the value is the first token of the phrase.
   */
  readonly apart: ReadonlyMap<number, number>;
}

/** Input for finding lists. */
interface Around {
  readonly sentence: Sentence;
  readonly notes: Notes;
  readonly places: PlaceNames;
}

/** Maximum number of words that introduce a list. */
const BEFORE_MAX = 9;

/**
 * Finds requests about lists. `all` returns the user's lists; it is null if the caller has none.
 */
export function findLists(
  around: Around,
  all: (() => readonly NamedList[]) | null,
): MentionedLists {
  return new ListStage(around, all).all();
}

class ListStage {
  readonly #sentence: Sentence;
  readonly #notes: Notes;
  readonly #hasLists: boolean;
  readonly #context: ListContext;
  readonly #stances: Stances;
  readonly #anyOf: string[] = [];
  readonly #exclude: string[] = [];
  readonly #apart = new Map<number, number>();

  constructor({ sentence, notes, places }: Around, all: (() => readonly NamedList[]) | null) {
    [this.#sentence, this.#notes, this.#hasLists] = [sentence, notes, all !== null];
    this.#stances = new Stances(sentence);
    let names: ListNames | null = null;
    const known = () => {
      names ??= all === null ? null : new ListNames(all());
      return names;
    };
    this.#context = { sentence, places, known };
  }

  all(): MentionedLists {
    const sentence = this.#sentence;
    for (let at = 0; at < sentence.tokens.length; at++) {
      let mention = sentence.free(at) ? mentionAt(this.#context, at) : null;
      while (mention !== null) {
        this.#take(mention);
        at = mention.to - 1;
        mention = mentionAfter(this.#context, mention.to);
      }
    }
    if (this.#anyOf.length > 1) this.#notes.assume("any_of_lists", ANY_OF);
    forgetReach(sentence);
    return { anyOf: this.#anyOf, exclude: this.#exclude, apart: this.#apart };
  }

  #take(mention: ListMention): void {
    const { from, to, ids } = mention;
    const sentence = this.#sentence;
    const seen = this.#stances.read(beginOf(sentence, from), from, to);
    const target = seen.stance === "out" ? this.#exclude : this.#anyOf;
    const count = target.length + ids.length;
    const isClear = ids.length > 0 && seen.stance !== "unclear";
    const fits = isClear && count <= LISTS_MAX;
    const words = sentence.claim(seen.lead, to, fits ? "list" : "unmapped");
    // More lists than a spec takes are reported in a note.
    if (fits) target.push(...ids);
    else
      this.#notes.addUnmapped(
        "list",
        isClear ? tooMany(count) : this.#whyLeft(mention, seen),
        words,
      );
    this.#name(seen);
  }

  /**
   * Marks the words of a mention as part of a name, so that they no longer negate other words. In
   * "exceto lista X e MEI", "exceto" still negates, because it also excludes MEI.
   */
  #name({ lead, from, to, stance, way, isJoined }: SeenMention): void {
    const own = stance === "out" && way === "all" ? exceptIn(this.#sentence, lead, from) : -1;
    if (own >= 0) this.#sentence.name(lead, own);
    else if (stance === "out" && !isJoined) this.#apart.set(to, lead);
    this.#sentence.name(Math.max(own + 1, lead), to);
  }

  #whyLeft({ among, why, ids }: ListMention, { stance }: SeenMention): Sentences {
    if (!this.#hasLists) return BY_HAND;
    if (why !== undefined) return why;
    if (among !== undefined) return ambiguous(among);
    return stance === "unclear" && ids.length > 0 ? UNCLEAR : UNKNOWN;
  }
}

/**
 * Returns the last word such as "exceto" in the tokens [from, to), which excludes everything joined
 * after it. Returns -1 if there is none.
 */
function exceptIn(sentence: Sentence, from: number, to: number): number {
  for (let at = to - 1; at >= from; at--) {
    if (leavesAll(sentence.folded(at))) return at;
  }
  return -1;
}

/** Returns the start of the words that introduce a list, such as "que eu ainda não". */
function beginOf(sentence: Sentence, at: number): number {
  let from = at;
  while (from > Math.max(0, at - BEFORE_MAX) && sentence.free(from - 1)) {
    if (!BEFORE.has(sentence.folded(from - 1))) break;
    from--;
  }
  return from;
}
