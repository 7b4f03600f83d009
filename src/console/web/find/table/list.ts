/**
 * The list that the table shows. Input: the spec that was explored, the fields of the columns.
 * Output: signals of the rows, of the cell that has the focus, of the account that is open, and of
 * the CNPJs of the rows that the user picked.
 * Invariant: one list is read at a time, the one before is stopped; the rows of the list before
 * stay on screen until the next has some, so that nothing flashes. The state outlives the view: a
 * user who comes back finds the rows and the place that they left. What is picked belongs to the
 * list on screen, and goes with it; a row is picked by its CNPJ, so that further pages change
 * nothing.
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
  /** Grows with every change, for the rows are one array that grows in place. */
  readonly version: number;
  /** Whether other rows are on their way, which will take the place of these. */
  readonly stale: boolean;
}

/** What a list is made for. */
interface TableListOptions {
  readonly spec: Spec;
  readonly snapshot: string;
  readonly fields: readonly string[];
  readonly pageMax: number;
}

const list = signal<ShownList | null>(null);
let latest: { rows: Rows; key: string } | null = null;
let version = 0;

/** The rows on screen; null before the first ones were asked for. */
export const shownList: ReadonlySignal<ShownList | null> = list;

/** The cell that has the focus or gets it next. */
export const place: Signal<CellPlace> = signal({ row: 0, column: 0 });

/** Index of the account in the drawer; null where none is open. */
export const opened: Signal<number | null> = signal(null);

/** How far the list was scrolled when the view was left. */
export const left = { scrollTop: 0 };

/** Shows the list of a spec, unless it is there already. */
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

/** Puts a list on screen once it has something to show. */
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

/** A list that begins is looked at from its top. */
function begin(): void {
  left.scrollTop = 0;
  place.value = { row: 0, column: 0 };
  opened.value = null;
  clearSelection();
}

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
