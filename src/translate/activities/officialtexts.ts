/**
 * Official texts of activities, word for word. What comes in: the table of the snapshot and
 * descriptors where they are in use, and a place in a sentence. What goes out: the activity of
 * which somebody wrote an official text that begins there.
 * Invariant: only whole texts of two words or more count, also as IBGE turns them round ("ARROZ;
 * CULTIVO DE"); a text that many activities have names none.
 */
import { TABLES } from "../../../native-index/format/columns.ts";
import type { Descriptor } from "../../dump/activities.ts";
import { lazyByKey } from "../../scheduling/lazy.ts";
import type { Segment } from "../../search/segment.ts";
import { CNAE_NOT_INFORMED } from "../../spec/catalog.ts";
import { joinsText, Phrases, wordsOf } from "../words/phrases.ts";
import type { Sentence } from "../words/sentence.ts";
import { descriptorsInUse } from "./descriptors.ts";
import type { GoodsReading } from "./goods.ts";

/** Texts with their codes; those of a beginning wait until somebody looks for it. */
interface Texts {
  readonly phrases: Phrases<readonly string[]>;
  readonly waiting: Waitlist<Text>;
}

/** A text as it is said, and whose it is. */
interface Text {
  readonly said: string;
  readonly code: string;
}

/** A text of more activities than these tells none of them. */
const CODES_MAX = 4;
/** One word is a matter of the lexicon, which knows how people use it. */
const WORDS_MIN = 2;
/** By what is in use beside the official names. */
const made = new WeakMap<readonly Descriptor[], (segment: Segment) => Texts>();

/** Puts all texts of a segment in place, so that no lookup has to. */
export function speedUpTexts(segment: Segment): void {
  textsOf(segment).waiting.bringAll();
}

/** The activity whose official text begins at a token; null where none does. */
export function readOfficial(
  segment: Segment,
  sentence: Sentence,
  at: number,
): GoodsReading | null {
  const { phrases, waiting } = textsOf(segment);
  waiting.bring(sentence.tokens[at]?.key ?? "");
  const match = phrases.longest(sentence.tokens, at, (index) => sentence.free(index));
  if (match === null || match.words < WORDS_MIN || match.value.length > CODES_MAX) return null;
  const certainty = match.value.length > 1 ? 0.9 : 0.95;
  return { codes: match.value, also: [], to: match.to, certainty };
}

function textsOf(segment: Segment): Texts {
  const descriptors = descriptorsInUse();
  let texts = made.get(descriptors);
  if (texts === undefined) {
    texts = lazyByKey((one: Segment) => makeTexts(one, descriptors));
    made.set(descriptors, texts);
  }
  return texts(segment);
}

function makeTexts(segment: Segment, descriptors: readonly Descriptor[]): Texts {
  const codes = segment.native.table(TABLES.indexOf("cnae_primary"));
  const names = segment.native.table(TABLES.indexOf("cnae_description"));
  const known = new Set(codes.filter((code) => code !== CNAE_NOT_INFORMED));
  const own = codes.map((code, at) => ({ code, texts: [names[at] ?? ""] }));
  const each = [...own, ...descriptors]
    .filter(({ code }) => known.has(code))
    .flatMap(({ code, texts }) => texts.map((text) => ({ code, text })));
  const phrases = new Phrases<readonly string[]>();
  const waiting = new Waitlist<Text>(({ said, code }) => {
    phrases.add(said, [code], (old) => (old.includes(code) ? old : [...old, code]));
  });
  const firsts = new Map<string, string>();
  for (const { code, text } of each) {
    for (const said of text.includes(";") ? [text.replaceAll(";", " "), turned(text)] : [text]) {
      waiting.add(firstWordOf(said, firsts), { said, code });
    }
  }
  return { phrases, waiting };
}

/** A first word that its letters end: white space, a comma or a hyphen stands behind it. */
const FIRST_WORD = /^[a-zA-ZÀ-ÖØ-öø-ÿ]{2,}(?=[ ,-])/;

/** The reduced word that a text is looked for by; `known` are those of words that were met. */
function firstWordOf(text: string, known: Map<string, string>): string {
  const first = FIRST_WORD.exec(text)?.[0];
  // Few texts begin with a word that joins, which does not count.
  if (first === undefined || joinsText(first)) return wordsOf(text)[0] ?? "";
  const word = known.get(first) ?? wordsOf(first)[0] ?? "";
  known.set(first, word);
  return word;
}

/** "ARROZ; CULTIVO DE" as it is said. */
function turned(text: string): string {
  const at = text.lastIndexOf(";");
  return at < 0 ? text : `${text.slice(at + 1)} ${text.slice(0, at)}`;
}

/** Items of one beginning; those before `next` are in place. */
interface Queue<Item> {
  readonly items: Item[];
  next: number;
}

/**
 * Items that are put in place when a lookup first comes where they belong. The items of one
 * beginning are put in the order in which they came, each once, all of them before anything is
 * found there. So a first sentence pays for the few texts that begin as its words do.
 */
class Waitlist<Item> {
  readonly #put: (item: Item) => void;
  readonly #queues = new Map<string, Queue<Item>>();

  /** Takes what puts an item in place. */
  constructor(put: (item: Item) => void) {
    this.#put = put;
  }

  /** Lets an item wait until somebody looks at its beginning. */
  add(beginning: string, item: Item): void {
    const queue = this.#queues.get(beginning);
    if (queue === undefined) this.#queues.set(beginning, { items: [item], next: 0 });
    else queue.items.push(item);
  }

  /** Puts what waits at a beginning. */
  bring(beginning: string): void {
    const queue = this.#queues.get(beginning);
    if (queue === undefined) return;
    while (queue.next < queue.items.length) this.#putNext(queue);
    this.#queues.delete(beginning);
  }

  /** Puts all of them. */
  bringAll(): void {
    for (const beginning of this.#queues.keys()) this.bring(beginning);
  }

  #putNext(queue: Queue<Item>): void {
    const item = queue.items[queue.next++] as Item;
    this.#put(item);
  }
}
