/**
 * Lists that come page by page. What comes in: the path of a list below /v1/console. What goes out:
 * the items that are there, whether more follow, and the button that asks for them.
 * Invariant: the first page is asked for at once, and every later one only when somebody wants it;
 * a page that failed leaves the items as they are, and the same page is asked for again.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../app/api.ts";
import { Button } from "./button.tsx";
import { ErrorNotice } from "./notice.tsx";

/** What all answers with a page of a list have. */
interface AnyPage {
  next_cursor: string | null;
}

/** How far a list is. */
export interface Pages<Item> {
  /** The items of all pages that came; null until the first one did. */
  items: Item[] | null;
  /** Where the next page begins; null where there is none, or none is known yet. */
  next: string | null;
  busy: boolean;
  error: unknown;
  /** Asks for the next page. */
  more: () => void;
  /** Changes the items in place. */
  update: (change: (items: Item[]) => Item[]) => void;
}

/** Reads a list; `join` puts the items of a new page behind those that are there. */
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
  /** What is said where a page failed. */
  failed: string;
  /** What the button says. */
  label: string;
}

/** What stands below a list: the button for the next page, or why it did not come. */
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
