/**
 * The tenant's lists, as every view needs them. What comes in: the server's pages, and what views
 * have changed. What goes out: a signal of all lists, newest first and the one that the server
 * keeps last; those that people may change; names by id.
 * Invariant: the lists of one user are never shown to another one who signs in on the same page;
 * whoever changes a list tells it here, so that no view shows an older one. The list that the
 * server keeps has its name in the words of the language wherever a person reads it.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { get } from "../app/api.ts";
import type { AccountList, ListPage } from "../app/listanswers.ts";
import { user } from "../app/session.ts";
import { words } from "../app/words.ts";

/** The list of all that exports have held, which the server keeps. */
export const EXPORTED = "exported";
/** Lists of one page; the server allows no more. */
const PAGE = 200;

const known = signal<{ readonly of: string; readonly lists: readonly AccountList[] } | null>(null);

/** Grows whenever what a list holds has changed. */
export const listChanges = signal(0);

/** All lists; null before they were read. */
export const allLists: ReadonlySignal<readonly AccountList[] | null> = computed(() => {
  if (known.value?.of !== user()?.id) return null;
  return known.value?.lists.map((list) => ({ ...list, name: nameIn(list) })) ?? null;
});

/** The lists that people fill by hand; null before they were read. */
export const ownLists: ReadonlySignal<readonly AccountList[] | null> = computed(() => {
  return allLists.value?.filter(({ read_only }) => !read_only) ?? null;
});

/** Reads all lists. */
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

/** Takes over a list as a change has answered it; a new one comes first. */
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

/** Forgets a list that was deleted. */
export function forgetList(gone: string): void {
  const { value } = known;
  listChanges.value++;
  if (value !== null) {
    known.value = { ...value, lists: value.lists.filter(({ id }) => id !== gone) };
  }
}

/** The name of a list as people read it. */
export function nameIn({ id, name }: Pick<AccountList, "id" | "name">): string {
  return id === EXPORTED ? words.value.lists.exported : name;
}

/** The name of a list; one that is gone is said to be. An id is for no reader. */
export function listName(wanted: string): string {
  if (wanted === EXPORTED) return words.value.lists.exported;
  const lists = allLists.value;
  if (lists === null) return "…";
  return lists.find(({ id }) => id === wanted)?.name ?? words.value.lists.gone;
}
