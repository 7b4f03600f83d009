/**
 * The list that the table shows: its rows, read page by page, and those that the user selected.
 * Input: the spec that was explored, the fields of the columns. Output: signals of the rows, of the
 * selected CNPJs, of the cell that has the focus, of the account that is open.
 * Invariant: one list is read at a time, the one before is stopped and never changes again; its
 * rows stay on screen until the next has some, so that nothing flashes. Pages are read one at a
 * time, in order, ahead of the rows on screen; a cursor that the server no longer takes restarts
 * the list, once. A selection belongs to the list on screen and goes with it. The state outlives
 * the view: users who come back find the rows and the place that they left.
 */

import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Account, SearchPage, Spec } from "../../app/answers.ts";
import { post } from "../../app/api.ts";
import { withPhoneFirst } from "./forquery.ts";
import type { CellPlace } from "./window.ts";

/** No more rows than these are held; an export has the rest. */
export const ROWS_MAX = 50_000;
/**
 * Rows of the first page, which somebody waits for, and of the second. From there on a page has as
 * many as were read before it, up to `most`: who reads on and on waits for fewer answers.
 */
export const PAGE_ROWS = { first: 100, later: 500, most: 2500 } as const;
/** The next page is asked for when fewer rows than these lie below the last one looked at. */
const ROWS_AHEAD = 400;
/** A request that came too early is repeated by itself after at most so long, and so often. */
const WAIT = { secondsMax: 5, timesMax: 5 } as const;
/** Codes of a cursor that leads nowhere any more. */
const CURSOR_REFUSED = ["cursor_expired", "cursor_mismatch", "invalid_cursor"];

/** What is sent to `POST /accounts/search`; the page's size lies in the spec. */
export interface PageBody {
  readonly spec: object;
  readonly cursor?: string;
}

/** What a list of rows is made of. */
interface RowsOptions {
  /** The normalized spec; its limit and output are replaced. */
  readonly spec: Spec;
  readonly fields: readonly string[];
  /** Largest page that the plan allows. */
  readonly pageMax: number;
  readonly read: (body: PageBody, signal: AbortSignal) => Promise<SearchPage>;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Called after every change of the list. */
  readonly changed: () => void;
}

/** `more` follow, these are `all`, or the list is `full` although more match. */
type RowsEnd = "more" | "all" | "full";

/** A list of accounts that grows while it is looked at. */
export class Rows {
  /** What was read so far; the same array all along, until the list begins anew. */
  accounts: Account[] = [];
  phase: "resting" | "reading" | "failed" = "resting";
  end: RowsEnd = "more";
  /** How many accounts match; null before the first page. */
  total: number | null = null;
  /** Label of the snapshot of the last page; null before the first one. */
  snapshot: string | null = null;
  /** What the last page failed with. */
  error: unknown = null;
  /** How often the list began anew because the snapshot changed. */
  restarts = 0;
  readonly #options: RowsOptions;
  readonly #abort = new AbortController();
  #cursor: string | null = null;
  #pages = 0;

  constructor(options: RowsOptions) {
    this.#options = options;
  }

  /** Says which row is looked at; reads on where the rows below it become few. */
  want(index: number): void {
    if (this.phase !== "resting" || this.end !== "more" || this.#abort.signal.aborted) return;
    if (this.#pages > 0 && this.accounts.length - index > ROWS_AHEAD) return;
    void this.#readPage();
  }

  /** Asks again for the page that failed. */
  retry(): void {
    if (this.phase === "failed" && !this.#abort.signal.aborted) void this.#readPage();
  }

  /** Ends the list: what is under way is aborted, and nothing is said about it. */
  stop(): void {
    this.#abort.abort();
  }

  async #readPage(): Promise<void> {
    this.phase = "reading";
    this.error = null;
    this.#options.changed();
    try {
      this.#take(await this.#ask());
      this.phase = "resting";
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      if (this.#beginsAnew(error)) return this.#readPage();
      this.phase = "failed";
      this.error = error;
    }
    if (!this.#abort.signal.aborted) this.#options.changed();
  }

  /** Asks for the next page, again after a while where the server says that it is too early. */
  async #ask(): Promise<SearchPage> {
    const { read, wait } = this.#options;
    const { signal } = this.#abort;
    for (let times = 0; ; times++) {
      try {
        return await read(this.#body(), signal);
      } catch (error) {
        const seconds = (error as { retryAfterSeconds?: unknown } | null)?.retryAfterSeconds;
        const short = typeof seconds === "number" && seconds <= WAIT.secondsMax;
        if (!short || times >= WAIT.timesMax || signal.aborted) throw error;
        await wait(seconds * 1000);
        if (signal.aborted) throw error;
      }
    }
  }

  #body(): PageBody {
    const { spec, fields, pageMax } = this.#options;
    const { length } = this.accounts;
    const grown = Math.min(PAGE_ROWS.most, Math.max(PAGE_ROWS.later, length));
    const size = this.#cursor === null ? PAGE_ROWS.first : grown;
    const limit = Math.min(size, pageMax, ROWS_MAX - length);
    const { explain: _, ...query } = spec;
    const output = { format: "json", include_explain: false, fields: [...fields] };
    const sized = { ...query, limit, output };
    return this.#cursor === null ? { spec: sized } : { spec: sized, cursor: this.#cursor };
  }

  #take(page: SearchPage): void {
    if (this.#abort.signal.aborted) return;
    this.#pages++;
    for (const account of page.accounts) this.accounts.push(account);
    this.total = page.total;
    this.snapshot = page.snapshot;
    this.#cursor = page.next_cursor;
    const full = this.accounts.length >= ROWS_MAX;
    this.end = !page.has_more ? "all" : full ? "full" : "more";
  }

  /** Forgets everything where the cursor is refused; a second time in a row is a failure. */
  #beginsAnew(error: unknown): boolean {
    const code = (error as { code?: unknown } | null)?.code;
    if (this.#cursor === null || !CURSOR_REFUSED.includes(String(code))) return false;
    if (this.restarts > 0 && this.#pages < 2) return false;
    this.accounts = [];
    this.#cursor = null;
    this.#pages = 0;
    this.restarts++;
    return true;
  }
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
