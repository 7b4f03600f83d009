/**
 * Lists loaded page by page from a path below /v1/console, with the button for the next page.
 * Invariant: the first page is requested immediately, and later pages only by the user. If a page
 * fails, the items stay, and a retry requests the same page.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../app/api.ts";
import { Button } from "./button.tsx";
import { ErrorNotice } from "./notice.tsx";

/** Members that every paged answer has. */
interface AnyPage {
  next_cursor: string | null;
}

/** State of a list. */
export interface Pages<Item> {
  /** The items of all loaded pages, or null before the first. */
  items: Item[] | null;
  /** Cursor of the next page, or null if there is none, or none is known yet. */
  next: string | null;
  busy: boolean;
  error: unknown;
  /** Loads the next page. */
  more: () => void;
  /** Changes the items in place. */
  update: (change: (items: Item[]) => Item[]) => void;
}

/** Loads a list; `join` appends a new page's items. */
export function usePages<Page extends AnyPage, Item>(
  path: string,
  itemsOf: (page: Page) => Item[],
  join: (shown: Item[], added: Item[]) => Item[] = (shown, added) => [...shown, ...added],
): Pages<Item> {
  const [items, setItems] = useState<Item[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const more = () => {
    setBusy(true);
    setError(null);
    get<Page>(next === null ? path : withCursor(path, next))
      .then((page) => {
        const added = itemsOf(page);
        setItems((shown) => join(shown ?? [], added));
        setNext(page.next_cursor);
      }, setError)
      .finally(() => setBusy(false));
  };
  useEffect(more, []);
  const update: Pages<Item>["update"] = (change) => setItems((shown) => change(shown ?? []));
  return { items, next, busy, error, more, update };
}

function withCursor(path: string, cursor: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
}

interface PagesEndProps {
  pages: Omit<Pages<unknown>, "items" | "update">;
  /** Title of the error notice if a page failed. */
  failed: string;
  /** The button's label. */
  label: string;
}

/** Shows the end of a list: the button for the next page, or the last error with a retry button. */
export function PagesEnd({ pages, failed, label }: PagesEndProps): VNode | null {
  const { next, busy, error, more } = pages;
  if (error !== null) return <ErrorNotice title={failed} error={error} onRetry={more} />;
  if (next === null) return null;
  return (
    <Button busy={busy} onClick={more}>
      {label}
    </Button>
  );
}
