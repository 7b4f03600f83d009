/**
 * The query of the find view: signals for the query, the translation of its sentence, and its
 * matches. Edits, sentences, and addresses change them.
 * Invariant: the address bar always shows the query. Each completed change is one history entry,
 * and keystrokes update the latest entry. The matches of every query are counted, and only the last
 * result is shown.
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
  withDaysOf,
  withListsOf,
  withoutListsOf,
} from "./question.ts";

export { isEmpty, type Query, specOf } from "./question.ts";

/** Facets of every exploration. */
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

/** Debounce of edits before counting. */
const SETTLE_MS = 150;

const currentQuery = signal<Query>(emptyQuery());
const troubles = signal<readonly AddressError[]>([]);
const linkMonth = signal<string | null>(null);
const opening = signal(false);
const translating = signal<{ busy: boolean; error: ApiError | null }>({ busy: false, error: null });
const explorer = new Explorer<ApiError>({
  request: (spec, abort) =>
    post<ExploreAnswer>("/explore", { spec, facets: FACETS, beside: ["uf"] }, { signal: abort }),
  failureOf: asApiError,
  delayMs: SETTLE_MS,
});

/** The current query. */
export const query: ReadonlySignal<Query> = currentQuery;

/** The sentence that was last sent, or that came from a link. */
export const sentence: Signal<string> = signal("");

/** The sentence's translation, or null if there is none. */
export const translation: Signal<TranslateAnswer | null> = signal(null);

/** The query's matches. */
export const exploration: ReadonlySignal<Exploration<ApiError>> = explorer.state;

/** Invalid parts of the link. */
export const linkTroubles: ReadonlySignal<readonly AddressError[]> = troubles;

/** Snapshot of the link if the server serves another one, or else null. */
export const staleMonth: ReadonlySignal<string | null> = computed(() => {
  const served = exploration.value.answer?.snapshot ?? null;
  const { value } = linkMonth;
  return value === null || served === null || value === served ? null : value;
});

/** True while a link is read and its query is still unknown. */
export const openingLink: ReadonlySignal<boolean> = opening;

/** State of a sentence's translation. */
export const translationState: ReadonlySignal<{ busy: boolean; error: ApiError | null }> =
  translating;

/**
 * True if the user changed filters or the order after the sentence was translated. Days from a link
 * do not count as a change, because a link contains absolute days instead of "the last month".
 */
export const edited: ReadonlySignal<boolean> = computed(() => {
  const { value } = translation;
  if (value === null) return false;
  const meant = meantBy(value);
  const isAny = [meant, withDaysOf(meant, baseQuery.value)].some((one) =>
    sameQuery(one, currentQuery.value),
  );
  return !isAny;
});

/** Number of rows that the sentence requests ("100 padarias"), or null if it requests none. */
export const wantedRows: ReadonlySignal<number | null> = computed(() => {
  const { value } = translation;
  const isLimited = value?.parts.some(({ role }) => role === "limit") ?? false;
  return isLimited && value !== null ? value.spec.limit : null;
});

/** The query when the sentence was submitted, without the lists of the previous sentence. */
const baseQuery = signal<Query>(emptyQuery());

/** Returns the sentence's query plus the lists that the user chose by hand. */
function meantBy({ spec }: TranslateAnswer): Query {
  return withListsOf(queryOf(spec), baseQuery.value);
}

let translatingNow: AbortController | null = null;
/** Field in which the user typed last, or null. Further typing there replaces the history entry. */
let typedAt: string | null = null;
/** Time of the last change. */
let changedAt = Number.NEGATIVE_INFINITY;
/** Changes made while a link was read. They are applied to the link's query afterwards. */
let waiting: (() => void)[] = [];

/** Changes the query. `typing` names the field into which the user is typing. */
export function change(
  edit: (draft: Query) => void,
  { typing = null }: { typing?: string | null } = {},
): void {
  if (opening.peek()) {
    waiting.push(() => change(edit, { typing }));
    return;
  }
  const draft = structuredClone(currentQuery.peek());
  edit(draft);
  const next = tidyQuery(draft);
  if (sameQuery(next, currentQuery.peek())) return;
  currentQuery.value = next;
  writeAddress(typing !== null && typing === typedAt ? "replace" : "push");
  typedAt = typing;
  // A single click is counted immediately. Clicks in quick succession and typing are debounced.
  const isAlone = typing === null && performance.now() - changedAt > SETTLE_MS;
  changedAt = performance.now();
  explorer.explore(specOf(next), { now: isAlone });
}

/**
 * Translates a sentence and sets its filters, but keeps the lists chosen by hand. An empty sentence
 * clears the query. Links that contain only a sentence use "replace" for `how`, so that going back
 * does not translate the sentence again.
 */
export async function submitSentence(
  text: string,
  how: "push" | "replace" = "push",
): Promise<void> {
  const words = text.trim();
  if (words === "") return clearAll();
  stopTranslating();
  const controller = new AbortController();
  translatingNow = controller;
  translating.value = { busy: true, error: null };
  const answer = await translated(words, controller);
  if (answer === null) return;
  sentence.value = words;
  baseQuery.value = listsByHand();
  translation.value = answer;
  take(meantBy(answer), how);
}

/** Returns the query without lists that come from a sentence. */
function listsByHand(): Query {
  const before = translation.peek();
  if (before === null) return currentQuery.peek();
  return withoutListsOf(
    currentQuery.peek(),
    withoutListsOf(queryOf(before.spec), baseQuery.peek()),
  );
}

/** Restores the sentence's filters. */
export function restoreSentence(): void {
  const { value } = translation;
  if (value !== null) take(meantBy(value));
}

/** Removes all filters and the sentence. */
export function clearAll(): void {
  stopTranslating();
  sentence.value = "";
  translation.value = null;
  take(emptyQuery());
}

/** Counts again after a failure. */
export function retry(): void {
  explorer.retry();
}

/** Returns the query's address, with its snapshot. */
export function addressNow(): string {
  const answered = exploration.peek().answer ?? translation.peek() ?? catalog.peek()?.catalog;
  const month = answered?.snapshot ?? linkMonth.peek();
  const address = { query: currentQuery.peek(), sentence: sentence.peek(), month };
  return encodeAddress(address, catalog.peek()?.lookup ?? null);
}

/** Updates the month in the address, unless the address is from a link with its own month. */
export function renewAddress(): void {
  const isOwn = linkMonth.peek() === null && !opening.peek() && location.hash === reading;
  if (isOwn && location.hash.length > 1) writeAddress("replace");
}

/** Dismisses the notice of an opened link. */
export function dismissLink(): void {
  troubles.value = [];
  linkMonth.value = null;
}

/** Follows the address bar until stopped. */
export function followAddress(): () => void {
  const read = () => void openAddress(location.hash);
  // The query persists when the user visits another view and returns.
  if (location.hash.length < 2 && !isEmpty(currentQuery.peek())) writeAddress("replace");
  else read();
  // The back and forward buttons fire popstate, links of other views fire hashchange, and a typed
  // address fires both.
  addEventListener("popstate", read);
  addEventListener("hashchange", read);
  return () => {
    removeEventListener("popstate", read);
    removeEventListener("hashchange", read);
  };
}

/** The address last read or written. Its query is already current. */
let reading: string | null = null;
/** Counts the readings of addresses, so that an outdated reading is recognized. */
let turn = 0;

/** Reads an address and runs its query. */
async function openAddress(hash: string): Promise<void> {
  // A hash that begins with `#/` belongs to a company page.
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
    currentQuery.value = read?.query ?? emptyQuery();
    baseQuery.value = currentQuery.peek();
    if (text === "") translation.value = null;
    else if (isEmpty(currentQuery.value)) return await submitSentence(text, "replace");
    else void explainSentence(text);
    explorer.explore(specOf(currentQuery.value), { now: true });
  } catch {
    // The catalog itself reports a failure to load. A retry then reads the address again.
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

/** Reads the address again after the catalog failed. */
export function reopenAddress(): Promise<void> {
  reading = null;
  return openAddress(location.hash);
}

/** Aborts a pending translation and clears the last error. */
function stopTranslating(): void {
  translatingNow?.abort();
  translatingNow = null;
  translating.value = { busy: false, error: null };
}

/** Translates a sentence to show its parts, without setting its filters. */
export async function explainSentence(text: string): Promise<void> {
  const controller = new AbortController();
  translatingNow = controller;
  const answer = await translated(text, controller);
  if (answer !== null) translation.value = answer;
}

/** Returns a translation, or null if it failed or was superseded. */
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
  const changed = !sameQuery(next, currentQuery.peek()) || exploration.peek().state !== "ready";
  currentQuery.value = tidyQuery(next);
  typedAt = null;
  writeAddress(how);
  if (changed) explorer.explore(specOf(currentQuery.peek()), { now: true });
}

/** Writes the address bar. Adds no entry if the address is unchanged. */
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
