/**
 * Holds the catalog of the served snapshot, from `GET /catalog`, as a signal with lookups: names of
 * codes, search while typing, and example sentences.
 * Invariant: fetched once for all views, and again only after a failure or for newer data. The
 * search ignores accents and case. Each typed word must be the beginning of a word of the result.
 * Results are ordered by quality of the match, then by accounts. Entries without accounts are found
 * only by code. Each example sentence matches at least one account.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { analyzeWords } from "../../../spec/analyzer.ts";
import { CatalogLookup, cnaeDigits, punctuateCnae } from "../../../spec/catalog.ts";
import type { CatalogAnswer } from "../app/answers.ts";
import { get } from "../app/api.ts";
import { language } from "../app/language.ts";

const book = signal<CatalogBook | null>(null);
const failed = signal(false);
let loading: Promise<CatalogBook> | null = null;

/** The catalog; null until it is loaded. */
export const catalog: ReadonlySignal<CatalogBook | null> = book;

/** True if loading failed; `loadCatalog` tries again. */
export const catalogFailed: ReadonlySignal<boolean> = failed;

/** Returns an activity's short name, else its official one. */
export function shortActivity(code: string, official: string): string {
  return book.value?.shortName(code, language.value) ?? official;
}

/** Loads the catalog, unless loaded or in flight. */
export function loadCatalog(): Promise<CatalogBook> {
  loading ??= get<CatalogAnswer>("/catalog").then(
    (answer) => {
      failed.value = false;
      book.value = new CatalogBook(answer);
      return book.value;
    },
    (error: unknown) => {
      loading = null;
      failed.value = true;
      throw error;
    },
  );
  return loading;
}

/** Reloads the catalog if another snapshot is now served. */
export function refreshCatalog(served: string): void {
  const known = book.peek();
  if (known === null || known.catalog.snapshot === served) return;
  loading = null;
  // If loading fails, the old catalog stays, and a notice shows the failure.
  loadCatalog().catch(() => undefined);
}

/** A choice in a picker. */
export interface PickerChoice {
  /** A code as in filters, or a prefix for several codes. */
  readonly code: string;
  readonly name: string;
  /** Number of matching accounts in the whole snapshot. */
  readonly accounts: number;
  /** The codes that the choice covers. */
  readonly codes: readonly string[];
  /** Municipality only. */
  readonly uf?: string;
  /** The everyday word that matched, if the name does not contain it. */
  readonly term?: string;
}

/** A choice with its search words. */
interface Entry {
  readonly choice: PickerChoice;
  readonly words: readonly string[];
  readonly name: string;
  readonly terms: readonly (readonly [folded: string, term: string])[];
  readonly digits: string;
}

/** The catalog with its lookups; made once per catalog. */
export class CatalogBook {
  readonly catalog: CatalogAnswer;
  readonly lookup: CatalogLookup;
  readonly #activities: readonly Entry[];
  readonly #municipalities: readonly Entry[];
  readonly #natures: readonly Entry[];
  readonly #activityNames: ReadonlyMap<string, string>;
  readonly #shortNames: ReadonlyMap<string, CatalogAnswer["activities"][number]["short"]>;
  readonly #prefixes: ReadonlyMap<string, CatalogAnswer["prefixes"][number]>;
  readonly #byIbge: ReadonlyMap<string, CatalogAnswer["municipalities"][number]>;
  readonly #byTom: ReadonlyMap<string, CatalogAnswer["municipalities"][number]>;
  readonly #natureNames: ReadonlyMap<string, string>;

  constructor(catalog: CatalogAnswer) {
    this.catalog = catalog;
    this.lookup = new CatalogLookup({
      cnaeCodes: catalog.activities.map(({ code }) => plainCode(code)),
      municipalities: catalog.municipalities.map((one) => ({ ...one, ibge: one.ibge || null })),
      legalNatures: catalog.legal_natures.map(({ code }) => code),
    });
    this.#activityNames = new Map(
      catalog.activities.map((one) => [punctuateCnae(plainCode(one.code)), one.description]),
    );
    this.#shortNames = new Map(catalog.activities.map((one) => [plainCode(one.code), one.short]));
    this.#prefixes = new Map(catalog.prefixes.map((one) => [plainCode(one.code), one]));
    this.#byIbge = new Map(catalog.municipalities.map((one) => [one.ibge, one]));
    this.#byTom = new Map(catalog.municipalities.map((one) => [one.tom, one]));
    this.#natureNames = new Map(catalog.legal_natures.map((one) => [one.code, one.description]));
    this.#activities = [...this.#prefixEntries(), ...activityEntries(catalog)];
    this.#municipalities = catalog.municipalities.flatMap(municipalityEntry);
    this.#natures = catalog.legal_natures.map((one) => {
      const choice = { code: one.code, name: one.description, accounts: one.accounts };
      return entryOf({ ...choice, codes: [one.code] }, [], one.code);
    });
  }

  /** Returns the name of an activity or prefix; null if it has none. */
  activityName(code: string): string | null {
    return (
      this.#activityNames.get(code) ?? this.#prefixes.get(plainCode(code))?.description ?? null
    );
  }

  /** Returns an activity's short name, for its code in any format; null if it has none. */
  shortName(code: string, language: "pt" | "en"): string | null {
    return this.#shortNames.get(plainCode(code))?.[language] ?? null;
  }

  /** Returns the activities under a code or prefix. */
  activities(code: string): readonly string[] {
    return this.lookup.cnae(/^[A-Z]$/.test(code) ? code : plainCode(code));
  }

  municipality(code: string): CatalogAnswer["municipalities"][number] | undefined {
    return this.#byIbge.get(code) ?? this.#byTom.get(code);
  }

  natureName(code: string): string | null {
    return this.#natureNames.get(code) ?? null;
  }

  /** Finds activities and groups of them by code, name, or everyday word. */
  searchActivities(text: string, most: number): PickerChoice[] {
    return find(this.#activities, text, most);
  }

  /** Finds municipalities by name; if states are given, only there. */
  searchMunicipalities(text: string, most: number, states: readonly string[] = []): PickerChoice[] {
    const inside =
      states.length === 0
        ? this.#municipalities
        : this.#municipalities.filter(({ choice }) => states.includes(choice.uf ?? ""));
    return find(inside, text, most);
  }

  /** Finds legal natures by code or name. */
  searchNatures(text: string, most: number): PickerChoice[] {
    return find(this.#natures, text, most);
  }

  #prefixEntries(): Entry[] {
    return this.catalog.prefixes.flatMap(({ code, description, accounts }) => {
      const codes = this.activities(code);
      // A prefix of only one activity is left out, because it would select the same as that
      // activity.
      if (codes.length < 2) return [];
      return [entryOf({ code, name: description ?? "", accounts, codes }, [], plainCode(code))];
    });
  }
}

/** Removes punctuation. */
function plainCode(code: string): string {
  return code.length === 9 ? cnaeDigits(code) : code.replace(/[-/.]/g, "");
}

function activityEntries(catalog: CatalogAnswer): Entry[] {
  return catalog.activities.map(({ code, description, terms, accounts }) => {
    const full = punctuateCnae(plainCode(code));
    return entryOf(
      { code: full, name: description, accounts, codes: [full] },
      terms,
      plainCode(code),
    );
  });
}

function municipalityEntry(one: CatalogAnswer["municipalities"][number]): Entry[] {
  if (one.ibge === "") return [];
  const choice = { code: one.ibge, name: one.name, accounts: one.accounts, codes: [one.ibge] };
  return [entryOf({ ...choice, uf: one.uf }, [one.uf], one.ibge)];
}

function entryOf(choice: PickerChoice, terms: readonly string[], digits: string): Entry {
  const folded = terms.map((term) => [analyzeWords(term).join(" "), term] as const);
  const name = analyzeWords(choice.name).join(" ");
  const words = new Set([name, ...folded.map(([term]) => term)].flatMap((one) => one.split(" ")));
  return { choice, words: [...words], name, terms: folded, digits };
}

/** Finds the best entries for a text; for an empty text, those with the most accounts. */
function find(entries: readonly Entry[], text: string, most: number): PickerChoice[] {
  const words = analyzeWords(text);
  const whole = words.join(" ");
  const digits = /^[\d\s./-]+$/.test(text) ? text.replace(/\D/g, "") : "";
  const found: { entry: Entry; rank: number }[] = [];
  for (const entry of entries) {
    // Entries without accounts, such as a replaced code, are found only by number.
    if (entry.choice.accounts === 0 && digits === "") continue;
    const rank = digits === "" ? rankOf(entry, words, whole) : rankOfDigits(entry, digits);
    if (rank !== null) found.push({ entry, rank });
  }
  found.sort(
    (left, right) =>
      left.rank - right.rank ||
      right.entry.choice.accounts - left.entry.choice.accounts ||
      (left.entry.choice.code < right.entry.choice.code ? -1 : 1),
  );
  return found.slice(0, most).map(({ entry }) => withTerm(entry, whole));
}

/** Ranks a match, 0 best; null if a typed word does not begin any word of the entry. */
function rankOf({ words, name, terms }: Entry, typed: readonly string[], whole: string) {
  if (whole === "") return 0;
  if (!typed.every((word) => words.some((one) => one.startsWith(word)))) return null;
  if (name === whole || terms.some(([term]) => term === whole)) return 0;
  if (name.startsWith(whole) || terms.some(([term]) => term.startsWith(whole))) return 1;
  return typed.every((word) => words.includes(word)) ? 2 : 3;
}

/** Ranks by prefix: the whole code first, then wider groups before narrower ones. */
function rankOfDigits({ digits }: Entry, typed: string): number | null {
  return digits.startsWith(typed) ? digits.length - typed.length : null;
}

/** Adds the everyday word that matched, if the name does not contain it. */
function withTerm({ choice, name, terms }: Entry, whole: string): PickerChoice {
  if (whole === "" || choice.uf !== undefined) return choice;
  const shown = name.split(" ");
  if (whole.split(" ").every((word) => shown.some((one) => one.startsWith(word)))) return choice;
  const found =
    terms.find(([term]) => term.startsWith(whole)) ??
    terms.find(([term]) =>
      whole.split(" ").every((word) => term.split(" ").some((one) => one.startsWith(word))),
    );
  return found === undefined ? choice : { ...choice, term: found[1] };
}

/** Maximum examples. */
export const EXAMPLES = 3;

/** The sentences; empty until the catalog is loaded. */
export const examples: ReadonlySignal<readonly string[]> = computed(
  () => catalog.value?.catalog.examples[language.value] ?? [],
);

/** The example shown in the empty box; null until the catalog is loaded. */
export const exampleShown: ReadonlySignal<string | null> = computed(
  () => examples.value[0] ?? null,
);
