/**
 * The accounts of one query: an array that grows page by page, and whether more rows follow.
 * Invariant: pages are loaded one at a time, in order, before the user reaches their rows. A
 * stopped list never changes again. If the server no longer accepts a cursor, the list restarts
 * once.
 */
import type { Account, SearchPage, Spec } from "../../app/answers.ts";

/** Maximum rows held. An export has the rest. */
export const ROWS_MAX = 50_000;
/**
 * Sizes of pages in rows. The first page is small because the user waits for it. From the third
 * page on, a page has as many rows as the list so far, but at most `most`.
 */
export const PAGE_ROWS = { first: 100, later: 500, most: 2500 } as const;
/** If fewer loaded rows follow the last visible row, the next page is requested. */
const ROWS_AHEAD = 400;
/** Limits for automatic retries if the server asks to retry later. */
const WAIT = { secondsMax: 5, timesMax: 5 } as const;
const CURSOR_REFUSED = ["cursor_expired", "cursor_mismatch", "invalid_cursor"];

/** Body of `POST /accounts/search`. The spec's limit is the page size. */
export interface PageBody {
  readonly spec: object;
  readonly cursor?: string;
}

/** Dependencies of a list. */
interface RowsOptions {
  /** The normalized spec. Its limit and output are replaced. */
  readonly spec: Spec;
  readonly fields: readonly string[];
  /** The plan's maximum page. */
  readonly pageMax: number;
  readonly read: (body: PageBody, signal: AbortSignal) => Promise<SearchPage>;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Called after every change of the list. */
  readonly changed: () => void;
}

/**
 * State of the end of the list. `more`: further rows follow. `all`: the list is complete. `full`:
 * more rows match, but the list has its max number of rows.
 */
type RowsEnd = "more" | "all" | "full";

/** A list of accounts that grows on demand. */
export class Rows {
  /** Rows read so far. The list appends to this array, and replaces it only when it restarts. */
  accounts: Account[] = [];
  phase: "resting" | "reading" | "failed" = "resting";
  end: RowsEnd = "more";
  /** Number of matches, or null before the first page. */
  total: number | null = null;
  /** The last page's snapshot, or null before the first page. */
  snapshot: string | null = null;
  /** Error of the last page. */
  error: unknown = null;
  /** Restarts caused by a changed snapshot. */
  restarts = 0;
  readonly #options: RowsOptions;
  readonly #abort = new AbortController();
  #cursor: string | null = null;
  #pages = 0;

  constructor(options: RowsOptions) {
    this.#options = options;
  }

  /** Reports that a row is visible. Loads the next page if few loaded rows follow it. */
  want(index: number): void {
    if (this.phase !== "resting" || this.end !== "more" || this.#abort.signal.aborted) return;
    if (this.#pages > 0 && this.accounts.length - index > ROWS_AHEAD) return;
    void this.#readPage();
  }

  /** Requests the failed page again. */
  retry(): void {
    if (this.phase === "failed" && !this.#abort.signal.aborted) void this.#readPage();
  }

  /** Stops the list: aborts its request silently. */
  stop(): void {
    this.#abort.abort();
  }

  async #readPage(): Promise<void> {
    this.phase = "reading";
    this.error = null;
    this.#options.changed();
    try {
      this.#take(await this.#request());
      this.phase = "resting";
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      if (this.#beginsAnew(error)) return this.#readPage();
      this.phase = "failed";
      this.error = error;
    }
    if (!this.#abort.signal.aborted) this.#options.changed();
  }

  /** Requests the next page. If the server asks to wait, retries after this delay. */
  async #request(): Promise<SearchPage> {
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

  /** Restarts the list if the server refuses the cursor. A second refusal in a row is a failure. */
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
