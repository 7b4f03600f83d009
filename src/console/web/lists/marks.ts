/**
 * The lists that contain the accounts on screen, as a signal that maps each CNPJ to list ids.
 * Invariant: each account is requested once until a list changes. If all lists are empty, nothing
 * is requested. After a failure, rows do not show their lists, and the next request includes their
 * accounts again. Separate because the table must not depend on requests for lists.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import { post } from "../app/api.ts";
import type { ContainingListsAnswer } from "../app/listanswers.ts";
import { allLists, listChanges } from "./all.ts";

/** Accounts per request; the server's maximum. */
const REQUESTED_MAX = 200;
/** Time after the last scroll until lists are requested for the rows on screen, in milliseconds. */
const SETTLE_MS = 120;

/** Ids of lists, by CNPJ. */
type Marks = ReadonlyMap<string, readonly string[]>;

const marks = signal<Marks>(new Map());
let requested = new Set<string>();
let ofChange = 0;
let timer = 0;

/** The lists of each account that has been requested. */
export const markedLists: ReadonlySignal<Marks> = marks;

/** Reports the accounts on screen. Requests the lists of accounts that are new. */
export function requestMarks(cnpjs: readonly string[]): void {
  if (ofChange !== listChanges.peek()) {
    ofChange = listChanges.peek();
    requested = new Set();
  }
  if (!allLists.peek()?.some(({ entries }) => entries > 0)) return;
  clearTimeout(timer);
  timer = window.setTimeout(
    () => void request(cnpjs.filter((cnpj) => !requested.has(cnpj))),
    SETTLE_MS,
  );
}

async function request(cnpjs: readonly string[]): Promise<void> {
  if (cnpjs.length === 0) return;
  const some = cnpjs.slice(0, REQUESTED_MAX);
  const own = requested;
  for (const cnpj of some) own.add(cnpj);
  try {
    const { lists } = await post<ContainingListsAnswer>("/accounts/lists", { cnpjs: some });
    if (own !== requested) return;
    take(some, lists);
  } catch {
    for (const cnpj of some) own.delete(cnpj);
  }
}

function take(cnpjs: readonly string[], lists: ContainingListsAnswer["lists"]): void {
  const next = new Map(marks.peek());
  for (const cnpj of cnpjs) next.delete(cnpj);
  for (const { id, cnpjs: held } of lists) {
    for (const cnpj of held) next.set(cnpj, [...(next.get(cnpj) ?? []), id]);
  }
  marks.value = next;
}
