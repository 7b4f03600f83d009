/**
 * The catalog of the served snapshot. What comes in: `GET /catalog`, once. What goes out: the
 * same with lookups, as a signal.
 * Invariant: asked for once however many ask, and again only after a failure.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Catalog } from "./answers.ts";
import { get } from "./api.ts";
import { CatalogBook } from "./catalogbook.ts";

const book = signal<CatalogBook | null>(null);
const failed = signal(false);
let loading: Promise<CatalogBook> | null = null;

/** The catalog; null until it is loaded. */
export const catalog: ReadonlySignal<CatalogBook | null> = book;

/** Whether loading it failed; `loadCatalog` tries again. */
export const catalogFailed: ReadonlySignal<boolean> = failed;

/** Loads the catalog unless it is there or on its way. */
export function loadCatalog(): Promise<CatalogBook> {
  loading ??= get<Catalog>("/catalog").then(
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
