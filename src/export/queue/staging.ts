/**
 * Turns of tenants at their lists `exported`. Input: rows of files, or files of entries. Output:
 * staged blocks.
 * Invariant: one turn per tenant at a time, until its result is committed or dropped, because
 * staged blocks fit one revision of the list.
 */
import type { RenderThreads } from "./pool.ts";
import type { RowBits, StageOutcome } from "./rendertask.ts";

interface StagedTurn {
  readonly outcome: StageOutcome;
  /** Ends the turn, once its result is committed or dropped. */
  release(): void;
}

/** Stages entries for the lists of all tenants, one turn per tenant at a time. */
export class Staging {
  readonly #threads: RenderThreads;
  readonly #dataDir: string;
  /** End of the last turn, by tenant. */
  readonly #turns = new Map<string, Promise<void>>();
  readonly #closed: Promise<void>;
  #close = () => {};
  #isClosed = false;

  constructor(threads: RenderThreads, dataDir: string) {
    this.#threads = threads;
    this.#dataDir = dataDir;
    this.#closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  /**
   * Waits for the tenant's turn, then stages. `begin` gets a function that cancels, and returns
   * false if the result is no longer needed. Turns that wait when this closes are cancelled.
   */
  async stage(
    tenantId: string,
    source: { readonly held: readonly RowBits[]; readonly readFrom?: string },
    begin: (cancel: () => void) => boolean,
  ): Promise<StagedTurn> {
    const release = await this.#turn(tenantId);
    if (this.#isClosed) return { outcome: { kind: "cancelled" }, release };
    const { outcome, cancel } = this.#threads.stage({
      tenantId,
      ...source,
      dataDir: this.#dataDir,
    });
    if (!begin(cancel)) cancel();
    return { outcome: await outcome, release };
  }

  /** Ends all waits. */
  close(): void {
    this.#isClosed = true;
    this.#close();
  }

  async #turn(tenantId: string): Promise<() => void> {
    const before = this.#turns.get(tenantId);
    let release = () => {};
    const own = new Promise<void>((resolve) => {
      release = () => {
        if (this.#turns.get(tenantId) === own) this.#turns.delete(tenantId);
        resolve();
      };
    });
    this.#turns.set(tenantId, own);
    await Promise.race([before, this.#closed]);
    return release;
  }
}
