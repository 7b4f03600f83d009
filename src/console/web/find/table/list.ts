/**
 * The state of the table: signals for the rows, the focused cell, the open account, and the CNPJs
 * of selected rows.
 * Invariant: one list loads at a time, and a new list stops the previous one. The previous rows
 * stay on screen until the new list has some, so that nothing flashes. The state outlives the view,
 * so that returning users find rows and position unchanged. The selection is cleared when its list
 * leaves the screen. Rows are selected by CNPJ, so loading further pages does not affect the
 * selection.
 */
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Account, SearchPage, Spec } from "../../app/answers.ts";
import { post } from "../../app/api.ts";
import { withPhoneFirst } from "./forquery.ts";
import { Rows } from "./rows.ts";
import type { CellPlace } from "./window.ts";

/** Rows on screen. */
export interface ShownList {
  readonly rows: Rows;
  readonly spec: Spec;
  /** Incremented with every change. The array itself stays the same object and grows in place. */
  readonly version: number;
  /** True if these rows will be replaced by others, which are loading. */
  readonly stale: boolean;
}

/** Options of a list. */
interface TableListOptions {
  readonly spec: Spec;
  readonly snapshot: string;
  readonly fields: readonly string[];
  readonly pageMax: number;
}

const list = signal<ShownList | null>(null);
let latest: { rows: Rows; key: string } | null = null;
let version = 0;

/** The rows on screen, or null before the first request. */
export const shownList: ReadonlySignal<ShownList | null> = list;

/** The cell that has the focus, or will get it next. */
export const place: Signal<CellPlace> = signal({ row: 0, column: 0 });

/** Index of the account in the drawer, or null if it is closed. */
export const opened: Signal<number | null> = signal(null);

/** Scroll position at which the user left the view. */
export const savedScroll = { scrollTop: 0 };

/** Loads and shows the list of a spec, unless it is already shown. */
export function showList({ spec, snapshot, fields, pageMax }: TableListOptions): void {
  const { filters, sort, scoring } = spec;
  const key = JSON.stringify([snapshot, filters, sort, scoring, fields, pageMax]);
  if (latest?.key === key && latest.rows.phase !== "failed") return;
  latest?.rows.stop();
  const rows: Rows = new Rows({
    spec,
    fields,
    pageMax,
    read: async (body, abort) => {
      const page = await post<SearchPage>("/accounts/search", body, { signal: abort });
      return { ...page, accounts: page.accounts.map((one) => withPhoneFirst(one, filters)) };
    },
    wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    changed: () => publish(rows, spec),
  });
  latest = { rows, key };
  rows.want(0);
}

/** Publishes a list once it has rows. Until then, the previous list stays. */
function publish(rows: Rows, spec: Spec): void {
  if (latest?.rows !== rows) return;
  const before = list.peek();
  const empty = rows.accounts.length === 0 && rows.phase === "reading";
  if (empty && before !== null && before.rows !== rows) {
    list.value = { ...before, stale: true, version: ++version };
    return;
  }
  if (before?.rows !== rows || rows.accounts.length === 0) begin();
  list.value = { rows, spec, version: ++version, stale: false };
}

/** Resets the scroll position for a new list. */
function begin(): void {
  savedScroll.scrollTop = 0;
  place.value = { row: 0, column: 0 };
  opened.value = null;
  clearSelection();
}

const picked = signal<ReadonlySet<string>>(new Set());
/** The row last selected, from which a span starts. */
let from = 0;

/** CNPJs of the selected rows, in order of selection. */
export const selection: ReadonlySignal<ReadonlySet<string>> = picked;

/** Toggles a row's selection. With `span`, selects the rows from the last selected to this one. */
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

/** Deselects all. */
export function clearSelection(): void {
  if (picked.peek().size > 0) picked.value = new Set();
}
