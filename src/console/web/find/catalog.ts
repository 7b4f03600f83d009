/**
 * The catalog of the served snapshot. What comes in: `GET /catalog`, once. What goes out: the
 * same with lookups, as a signal.
 * Invariant: asked for once however many ask, and again only after a failure or for newer data.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { CatalogAnswer } from "../app/answers.ts";
import { get } from "../app/api.ts";
import { language } from "../app/language.ts";
import { CatalogBook } from "./catalogbook.ts";

const book = signal<CatalogBook | null>(null);
const failed = signal(false);
let loading: Promise<CatalogBook> | null = null;

/** The catalog; null until it is loaded. */
export const catalog: ReadonlySignal<CatalogBook | null> = book;

/** Whether loading it failed; `loadCatalog` tries again. */
export const catalogFailed: ReadonlySignal<boolean> = failed;

/** What an activity is called where there is little room; else its official name. */
export function shortActivity(code: string, official: string): string {
  return book.value?.shortName(code, language.value) ?? official;
}

/** Loads the catalog unless it is there or on its way. */
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

/** Loads the catalog anew where another snapshot is served by now. */
export function refreshCatalog(served: string): void {
  const known = book.peek();
  if (known === null || known.catalog.snapshot === served) return;
  loading = null;
  // The old lists stay; what fails is shown by a notice.
  loadCatalog().catch(() => undefined);
}
