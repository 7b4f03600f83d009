/**
 * The tenant's lists, for all views: all of them (newest first, the server-maintained one last),
 * those that users may change, and names by id.
 * Invariant: one user's lists are never shown to another user who signs in on the same page. A
 * view that changes a list reports the change here, so that all other views show it too. The
 * server-maintained list always has a translated name.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { get } from "../app/api.ts";
import type { AccountList, ListPage } from "../app/listanswers.ts";
import { user } from "../app/session.ts";
import { words } from "../app/words.ts";

/** The server-maintained list of all exported accounts. */
export const EXPORTED = "exported";
/** Page size; the server's maximum. */
const PAGE = 200;

const known = signal<{ readonly of: string; readonly lists: readonly AccountList[] } | null>(null);

/** Incremented whenever a list's entries change. */
export const listChanges = signal(0);

/** All lists; null until loaded. */
export const allLists: ReadonlySignal<readonly AccountList[] | null> = computed(() => {
  if (known.value?.of !== user()?.id) return null;
  return known.value?.lists.map((list) => ({ ...list, name: nameIn(list) })) ?? null;
});

/** Lists that users can change, or null until loaded. */
export const ownLists: ReadonlySignal<readonly AccountList[] | null> = computed(() => {
  return allLists.value?.filter(({ read_only }) => !read_only) ?? null;
});

/** Loads all lists. */
export async function loadLists(): Promise<void> {
  const of = user()?.id ?? "";
  const lists: AccountList[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const behind: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: ListPage = await get<ListPage>(`/lists?limit=${PAGE}${behind}`);
    lists.push(...page.lists);
    cursor = page.next_cursor;
  }
  known.value = { of, lists };
}

/** Stores a changed list; a new list comes first. */
export function noteList(list: AccountList): void {
  const { value } = known;
  listChanges.value++;
  if (value === null) return;
  const isNew = value.lists.every(({ id }) => id !== list.id);
  const lists = isNew
    ? [list, ...value.lists]
    : value.lists.map((one) => (one.id === list.id ? list : one));
  known.value = { ...value, lists };
}

/** Removes a deleted list. */
export function forgetList(gone: string): void {
  const { value } = known;
  listChanges.value++;
  if (value !== null) {
    known.value = { ...value, lists: value.lists.filter(({ id }) => id !== gone) };
  }
}

/** Returns a list's name for display. */
export function nameIn({ id, name }: Pick<AccountList, "id" | "name">): string {
  return id === EXPORTED ? words.value.lists.exported : name;
}

/** Returns a list's name, or a note if it was deleted. Ids are never shown. */
export function listName(wanted: string): string {
  if (wanted === EXPORTED) return words.value.lists.exported;
  const lists = allLists.value;
  if (lists === null) return "…";
  return lists.find(({ id }) => id === wanted)?.name ?? words.value.lists.gone;
}
