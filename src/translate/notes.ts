/**
 * Collects the notes of a translation.
 * Input: assumptions, warnings, and requests without a filter. Output: lists for `explain`, in text
 * order.
 * Invariant: every note has its words and their position, except a note about missing words. Codes
 * are stable; sentences are for people, in Portuguese or English.
 */
import type { Words } from "./words/sentence.ts";

/** Languages of sentences for people. */
export const LANGUAGES = ["pt", "en"] as const;

/** A language of sentences for people. */
export type Language = (typeof LANGUAGES)[number];

/** A sentence in both languages. */
export type Sentences = Readonly<Record<Language, string>>;

/** A language in which the sentence itself may be written. */
type Spoken = Language | "es";

/** Text that replaces doubtful words, in the language of the sentence. */
type Replacement = Readonly<Record<Spoken, string>>;

/** A note in `explain`. */
export interface Note extends Partial<Words> {
  readonly code: string;
  readonly detail: string;
}

/** Words with a second reading that is about as likely as the chosen one. */
interface Doubt extends Words {
  readonly code: string;
  readonly detail: string;
  /** Text to put in place of the words to select the other reading. */
  readonly instead: string;
}

/** Collects the notes of one translation. */
export class Notes {
  readonly #language: Language;
  readonly #spoken: Spoken;
  readonly assumptions: Note[] = [];
  readonly warnings: Note[] = [];
  readonly unmapped: Note[] = [];
  readonly doubts: Doubt[] = [];

  /** `spoken` is the language of the sentence; by default, the language of its notes. */
  constructor(language: Language, spoken: Spoken = language) {
    this.#language = language;
    this.#spoken = spoken;
  }

  assume(code: string, detail: Sentences, words?: Words): void {
    this.assumptions.push(this.#note(code, detail, words));
  }

  warn(code: string, detail: Sentences, words?: Words): void {
    this.warnings.push(this.#note(code, detail, words));
  }

  addUnmapped(code: string, detail: Sentences, words: Words): void {
    this.unmapped.push(this.#note(code, detail, words));
  }

  /** Reports that words have another reading. The translation does not change. */
  doubt(code: string, detail: Sentences, words: Words, other: Replacement): void {
    if (this.doubts.length >= DOUBTS_MAX) return;
    const instead = other[this.#spoken];
    this.doubts.push({ code, detail: detail[this.#language], ...words, instead });
  }

  #note(code: string, detail: Sentences, words: Words | undefined): Note {
    return { code, detail: detail[this.#language], ...words };
  }
}

/**
 * Maximum number of doubts per translation. For each doubt, the accounts that its other reading
 * finds are counted, which takes time.
 */
const DOUBTS_MAX = 3;

/** Returns the language of the majority of known words, or Portuguese if there is no majority. */
export function languageOf(words: readonly string[]): Language {
  const english = words.filter((word) => ENGLISH.has(word)).length;
  const portuguese = words.filter((word) => PORTUGUESE.has(word)).length;
  return english > portuguese ? "en" : "pt";
}

const ENGLISH = new Set(
  (
    "in with without since the of and or from to by at than for not only all companies company " +
    "businesses business opened closed active near after before between over under older newer " +
    "younger largest smallest biggest newest oldest small large first last this year years month " +
    "months phone email contact list find show need want give excluding except branches " +
    "headquarters sorted stores store shops shop that have has bakeries restaurants lawyers " +
    "dentists pharmacies gyms clinics factories manufacturers capital"
  ).split(" "),
);
const PORTUGUESE = new Set(
  (
    "em com sem desde de da do das dos e ou o a os as no na nos nas por para que nao exceto so " +
    "empresas empresa abertas aberta ativas ativa depois antes entre mais menos ano anos mes " +
    "meses " +
    "telefone contato lista quero preciso maiores menores pequenas grandes novas capital"
  ).split(" "),
);
