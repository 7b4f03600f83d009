/**
 * Contacts of which one is enough: "telefone ou e-mail", "e-mail, telefone ou celular". Input: the
 * contacts of a sentence in their order. Output: whether a contact belongs to such a list, and the
 * filter that then stands for all of the list.
 * Invariant: "ou" before the last contact of a list holds for all that commas join to it; contacts
 * required before the list stay required. A web site in a list is no choice and does not end it.
 */
import type { Sentence } from "../words/sentence.ts";
import type { FilterPhrase, FoundFilters } from "./phrase.ts";

type Contact = NonNullable<FilterPhrase["contact"]>;
type Kind = Exclude<Contact, "other" | "site">;

const KINDS: readonly Kind[] = ["email", "phone", "contact", "mobile", "landline"];

const wordSet = (words: string) => new Set(words.split(" "));
/** Words that may stand between two contacts of which one is enough. */
const BETWEEN = wordSet(
  "e ou or and , / um uma com por o a as os an the any some algum alguma qualquer pelo menos at " +
    "least one either de do da numero que that who which those tenha tenham tem ter possua " +
    "possuam possui possuem have has having with tambem also ainda entao con un una tengan",
);

/** A list of contacts, as far as it was read. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly kinds: readonly Contact[];
  /** The contacts that were required before it. */
  readonly before: readonly Kind[];
  /** True if the note that any phone or e-mail counts was already added. */
  readonly isNoted: boolean;
}

/** The filter for a list whose last contact is joined by "ou". */
interface Choice {
  readonly from: number;
  /** The filter for all of it; null if none takes a contact of a quality beside others. */
  readonly joined: "phone" | "contact" | null;
  /** True if a mobile or landline becomes any phone. */
  readonly isWider: boolean;
  /** True if a filter required before the list makes the choice useless. */
  readonly isHidden: boolean;
}

/** Follows the contacts of one sentence. */
export class ContactChoice {
  readonly #sentence: Sentence;
  readonly #found: FoundFilters;
  #run: Run | null = null;

  constructor(sentence: Sentence, found: FoundFilters) {
    this.#sentence = sentence;
    this.#found = found;
  }

  /** Ends the list: its last contact was not required. */
  end(): void {
    this.#run = null;
  }

  /** Adds a contact; returns what its list stands for if "ou" joins it to another, else null. */
  add(at: number, to: number, contact: Contact): Choice | null {
    const run = this.#run;
    const joint = run === null ? null : this.#joint(run.to, at);
    if (run === null || joint === null) {
      this.#run = { from: at, to, kinds: [contact], before: this.#required(), isNoted: false };
      return null;
    }
    const kinds = run.kinds.includes(contact) ? run.kinds : [...run.kinds, contact];
    const known = kinds.filter((kind) => kind !== "site");
    const single = joint === "comma" || known.length < 2;
    const choice = single ? null : choiceOf({ ...run, to, kinds: known });
    this.#run = { ...run, to, kinds, isNoted: run.isNoted || choice?.isWider === true };
    return choice;
  }

  /** Requires one of the contacts of the list, and of the others none that it named. */
  require(joined: Kind): void {
    const before = this.#run?.before ?? [];
    for (const kind of KINDS) this.#found[kind] = kind === joined || before.includes(kind);
  }

  #required(): readonly Kind[] {
    return KINDS.filter((kind) => this.#found[kind]);
  }

  #joint(from: number, to: number): "or" | "comma" | null {
    const { tokens } = this.#sentence;
    const mail = tokens[to]?.folded === "mail" && tokens[to - 1]?.folded === "e" ? 1 : 0;
    const words = tokens.slice(from, to - mail).map(({ folded }) => folded);
    if (words.some((word) => !BETWEEN.has(word))) return null;
    if (words.some((word) => word === "ou" || word === "or")) return "or";
    const plain = words.some((word) => word === "," || word === "/");
    return plain && !words.some((word) => word === "e" || word === "and") ? "comma" : null;
  }
}

function choiceOf({ from, kinds, before, isNoted }: Run): Choice {
  const isExact = (kind: Contact) => kind === "mobile" || kind === "landline";
  const phones = kinds.every((kind) => kind === "phone" || isExact(kind));
  const joined = kinds.includes("other") ? null : phones ? "phone" : "contact";
  const hiding = before.filter((kind) => kind !== "contact");
  const isHidden = joined === "contact" && hiding.some((kind) => !kinds.includes(kind));
  return { from, joined, isWider: kinds.some(isExact) && !phones && !isNoted, isHidden };
}
