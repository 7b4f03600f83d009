/**
 * The rows that somebody picked. What comes in: rows of the list on screen. What goes out: a signal
 * of their CNPJs.
 * Invariant: what is picked belongs to the list on screen, and goes with it; a row is picked by its
 * CNPJ, so that further pages change nothing.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Account } from "../../app/answers.ts";

const picked = signal<ReadonlySet<string>>(new Set());
/** The row that was picked last, from which a span of them goes. */
let from = 0;

/** CNPJs of the rows that are picked, in the order in which they were. */
export const selection: ReadonlySignal<ReadonlySet<string>> = picked;

/** Picks a row, or lets it go; with `span` all from the last picked one to it are picked. */
export function pick(accounts: readonly Account[], row: number, span: boolean): void {
  const next = new Set(picked.peek());
  const { cnpj } = accounts[row] ?? {};
  if (cnpj === undefined) return;
  if (span) {
    const [first, last] = [Math.min(from, row), Math.max(from, row)];
    for (const account of accounts.slice(first, last + 1)) next.add(account.cnpj);
  } else if (!next.delete(cnpj)) {
    next.add(cnpj);
  }
  from = row;
  picked.value = next;
}

/** Lets all rows go. */
export function clearSelection(): void {
  if (picked.peek().size > 0) picked.value = new Set();
}
