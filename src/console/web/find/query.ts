/**
 * The query of the find view. What comes in: edits, sentences and addresses. What goes out:
 * signals of the query, of what its sentence became, and of what it matches.
 * Invariant: the address bar always says what is asked; each completed change is one entry of the
 * history, and steps of typing replace each other. Every change is explored, the last one counts.
 */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { ExploreAnswer, TranslateAnswer } from "../app/answers.ts";
import { ApiError, post } from "../app/api.ts";
import { language } from "../app/language.ts";
import { type AddressError, decodeAddress, encodeAddress } from "./address.ts";
import { catalog, loadCatalog } from "./catalog.ts";
import { type Exploration, Explorer } from "./explorer.ts";
import {
  emptyQuery,
  isEmpty,
  type Query,
  queryOf,
  sameQuery,
  specOf,
  tidyQuery,
  withListsOf,
  withoutListsOf,
} from "./question.ts";

export { isEmpty, type Query, specOf } from "./question.ts";

/** Facets that every exploration asks for. */
const FACETS = [
  "uf",
  "municipality",
  "cnae_subclass",
  "cnae_division",
  "company_size",
  "started_year",
  "contact",
  "registration_status",
  "mei",
  "simples",
];

/** How long edits settle before they are counted. */
const SETTLE_MS = 150;

const asked = signal<Query>(emptyQuery());
const troubles = signal<readonly AddressError[]>([]);
const linkMonth = signal<string | null>(null);
const opening = signal(false);
const translating = signal<{ busy: boolean; error: ApiError | null }>({ busy: false, error: null });
const explorer = new Explorer<ApiError>({
  ask: (spec, abort) =>
    post<ExploreAnswer>("/explore", { spec, facets: FACETS, beside: ["uf"] }, { signal: abort }),
  failureOf: asApiError,
  delayMs: SETTLE_MS,
});

/** What is asked now. */
export const query: ReadonlySignal<Query> = asked;

/** The sentence as it was last sent, or as a link has it. */
export const sentence: Signal<string> = signal("");

/** What the sentence became; null where there is none. */
export const translation: Signal<TranslateAnswer | null> = signal(null);

/** What the query matches. */
export const exploration: ReadonlySignal<Exploration<ApiError>> = explorer.state;

/** What of the link could not be understood. */
export const linkTroubles: ReadonlySignal<readonly AddressError[]> = troubles;

/** Snapshot that a link was made of, where that is not the served one; else null. */
export const staleMonth: ReadonlySignal<string | null> = computed(() => {
  const served = exploration.value.answer?.snapshot ?? null;
  const { value } = linkMonth;
  return value === null || served === null || value === served ? null : value;
});

/** Whether a link is being read; nothing is known of the query until then. */
export const openingLink: ReadonlySignal<boolean> = opening;

/** How far the translation of a sentence is. */
export const translationState: ReadonlySignal<{ busy: boolean; error: ApiError | null }> =
  translating;

/** Whether filters or order are no longer those that the sentence became. */
export const edited: ReadonlySignal<boolean> = computed(() => {
  const { value } = translation;
  return value !== null && !sameQuery(meantBy(value), asked.value);
});

/** Number of rows that the sentence asks for ("100 padarias"); null where it asks for none. */
export const wantedRows: ReadonlySignal<number | null> = computed(() => {
  const { value } = translation;
  const told = value?.parts.some(({ role }) => role === "limit") ?? false;
  return told && value !== null ? value.spec.limit : null;
});

/** What was asked when the sentence came, without the lists that the one before it named. */
const beside = signal<Query>(emptyQuery());

/** What a sentence asks, beside the lists that were chosen by hand. */
function meantBy({ spec }: TranslateAnswer): Query {
  return withListsOf(queryOf(spec), beside.value);
}

let translatingNow: AbortController | null = null;
/** Where the last change was typed, so that the next step of it replaces its entry. */
let typedAt: string | null = null;
/** When the query was changed last. */
let changedAt = Number.NEGATIVE_INFINITY;
/** Changes that were made while a link was being read: they are made to what it holds. */
let waiting: (() => void)[] = [];

/** Changes the query; `typing` names where a step is typed of which more follow. */
export function change(
  edit: (draft: Query) => void,
  { typing = null }: { typing?: string | null } = {},
): void {
  if (opening.peek()) {
    waiting.push(() => change(edit, { typing }));
    return;
  }
  const draft = structuredClone(asked.peek());
  edit(draft);
  const next = tidyQuery(draft);
  if (sameQuery(next, asked.peek())) return;
  asked.value = next;
  writeAddress(typing !== null && typing === typedAt ? "replace" : "push");
  typedAt = typing;
  // A single press is counted at once; several of them, and letters, settle first.
  const isAlone = typing === null && performance.now() - changedAt > SETTLE_MS;
  changedAt = performance.now();
  explorer.explore(specOf(next), { now: isAlone });
}

/**
 * Asks what a sentence means and takes over the filters it became, beside the lists that were
 * chosen by hand; an empty one clears all.
 * `how` is for links that hold a sentence alone: going back must not ask them again.
 */
export async function ask(text: string, how: "push" | "replace" = "push"): Promise<void> {
  const words = text.trim();
  if (words === "") return clearAll();
  stopTranslating();
  const controller = new AbortController();
  translatingNow = controller;
  translating.value = { busy: true, error: null };
  const answer = await translated(words, controller);
  if (answer === null) return;
  sentence.value = words;
  beside.value = listsByHand();
  translation.value = answer;
  take(meantBy(answer), how);
}

/** What is asked, without the lists that are there because a sentence named them. */
function listsByHand(): Query {
  const before = translation.peek();
  if (before === null) return asked.peek();
  return withoutListsOf(asked.peek(), withoutListsOf(queryOf(before.spec), beside.peek()));
}

/** Takes the filters that the sentence became once more. */
export function restoreSentence(): void {
  const { value } = translation;
  if (value !== null) take(meantBy(value));
}

/** Takes every filter out, and the sentence with them. */
export function clearAll(): void {
  stopTranslating();
  sentence.value = "";
  translation.value = null;
  take(emptyQuery());
}

/** Counts once more, after a failure. */
export function retry(): void {
  explorer.retry();
}

/** The address of what is asked, with its snapshot. */
export function addressNow(): string {
  const answered = exploration.peek().answer ?? translation.peek() ?? catalog.peek()?.catalog;
  const month = answered?.snapshot ?? linkMonth.peek();
  const address = { query: asked.peek(), sentence: sentence.peek(), month };
  return encodeAddress(address, catalog.peek()?.lookup ?? null);
}

/** Writes the month of the answer into an address of the user's own; a link keeps its own. */
export function renewAddress(): void {
  const isOwn = linkMonth.peek() === null && !opening.peek() && location.hash === reading;
  if (isOwn && location.hash.length > 1) writeAddress("replace");
}

/** Forgets what is said about the link that was opened. */
export function dismissLink(): void {
  troubles.value = [];
  linkMonth.value = null;
}

/** Follows the address bar; the answer ends it. */
export function followAddress(): () => void {
  const read = () => void openAddress(location.hash);
  // A query that was left for another view is asked still when the user comes back.
  if (location.hash.length < 2 && !isEmpty(asked.peek())) writeAddress("replace");
  else read();
  // Back and forward fire the one, links of other views the other, a typed address both.
  addEventListener("popstate", read);
  addEventListener("hashchange", read);
  return () => {
    removeEventListener("popstate", read);
    removeEventListener("hashchange", read);
  };
}

/** The address that was read or written last; what it says is asked already. */
let reading: string | null = null;
/** Number of the reading that counts. */
let turn = 0;

/** Reads what an address asks, and asks it. */
async function openAddress(hash: string): Promise<void> {
  // The page of a company has its address in the hash, too.
  if (hash === reading || hash.startsWith("#/")) return;
  reading = hash;
  const own = ++turn;
  stopTranslating();
  typedAt = null;
  opening.value = hash.length > 1;
  try {
    const { lookup } = hash.length > 1 ? await loadCatalog() : { lookup: null };
    if (own !== turn) return;
    const read = lookup === null ? null : decodeAddress(hash, lookup);
    troubles.value = read?.troubles ?? [];
    linkMonth.value = read?.month ?? null;
    const text = read?.sentence ?? "";
    sentence.value = text;
    asked.value = read?.query ?? emptyQuery();
    beside.value = asked.peek();
    if (text === "") translation.value = null;
    else if (isEmpty(asked.value)) return await ask(text, "replace");
    else void explainSentence(text);
    explorer.explore(specOf(asked.value), { now: true });
  } catch {
    // The catalog says itself that it failed; trying again reads the address again.
  } finally {
    if (own === turn) endOpening();
  }
}

function endOpening(): void {
  opening.value = false;
  const changes = waiting;
  waiting = [];
  for (const one of changes) one();
}

/** Reads the address again, after the catalog failed. */
export function reopenAddress(): Promise<void> {
  reading = null;
  return openAddress(location.hash);
}

/** Forgets a sentence that is on its way, and what was wrong with the last one. */
function stopTranslating(): void {
  translatingNow?.abort();
  translatingNow = null;
  translating.value = { busy: false, error: null };
}

/** Marks what a sentence became without taking its filters. */
export async function explainSentence(text: string): Promise<void> {
  const controller = new AbortController();
  translatingNow = controller;
  const answer = await translated(text, controller);
  if (answer !== null) translation.value = answer;
}

/** A translation, or null where it failed or another one was asked for since. */
async function translated(
  text: string,
  controller: AbortController,
): Promise<TranslateAnswer | null> {
  try {
    const options = { signal: controller.signal };
    const question = { query_text: text, language: language.peek() };
    const answer = await post<TranslateAnswer>("/translate", question, options);
    if (translatingNow !== controller) return null;
    translating.value = { busy: false, error: null };
    return answer;
  } catch (error) {
    if (translatingNow === controller && !controller.signal.aborted) {
      translating.value = { busy: false, error: asApiError(error) };
    }
    return null;
  }
}

function take(next: Query, how: "push" | "replace" = "push"): void {
  const changed = !sameQuery(next, asked.peek()) || exploration.peek().state !== "ready";
  asked.value = tidyQuery(next);
  typedAt = null;
  writeAddress(how);
  if (changed) explorer.explore(specOf(asked.peek()), { now: true });
}

/** Writes the address bar; an entry that says what is there already is never added. */
function writeAddress(how: "push" | "replace"): void {
  const hash = addressNow();
  reading = hash === "" ? "" : `#${hash}`;
  const url = `${location.pathname}${location.search}${reading}`;
  if (how === "replace" || hash === location.hash.replace(/^#/, "")) {
    history.replaceState(history.state, "", url);
  } else {
    history.pushState(null, "", url);
  }
}

function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, { detail: String(error) });
}
