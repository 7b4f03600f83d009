/**
 * The accounts of one query, read page by page. What comes in: a spec, the fields of a row, and how
 * a page is asked for. What goes out: one plain array that grows, and what the list's end says.
 * Invariant: pages are read one at a time, in order, ahead of what is looked at; a list that was
 * stopped never changes again; a cursor that the server no longer takes begins the list anew, once.
 */
import type { Account, SearchPage, Spec } from "../../app/answers.ts";

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
