/**
 * Makes changes of a tenant's list `exported` run one after another. Input: rows of files, or files
 * of entries. Output: staged blocks, which are written but to which the list does not refer yet.
 * Invariant: one task per tenant runs at a time, until its result is committed or dropped, because
 * staged blocks fit only one revision of the list. If another server changes the list in the
 * meantime, the blocks are staged again.
 */
import type { RenderThreads } from "./pool.ts";
import type { RowBits, StageOutcome } from "./rendertask.ts";

interface StagedTurn {
  readonly outcome: StageOutcome;
  /** Lets the tenant's next task run; called once the result is committed or dropped. */
  release(): void;
}

interface StagingParts {
  readonly threads: RenderThreads;
  readonly dataDir: string;
  /** Returns the id of the server for which blocks are staged. */
  readonly owner: () => string;
}

/** Stages entries for the lists of all tenants, one task per tenant at a time. */
export class Staging {
  readonly #parts: StagingParts;
  /** Resolves when the tenant's last task ends, by tenant. */
  readonly #turns = new Map<string, Promise<void>>();
  readonly #closed: Promise<void>;
  #close = () => {};
  #isClosed = false;

  constructor(parts: StagingParts) {
    this.#parts = parts;
    this.#closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  /**
   * Waits for the tenant's turn, then stages. Calls `begin` with a function that cancels. If
   * `begin` returns false, the result is no longer needed. `close` cancels waiting tasks.
   */
  async stage(
    tenantId: string,
    source: { readonly held: readonly RowBits[]; readonly readFrom?: string },
    begin: (cancel: () => void) => boolean,
  ): Promise<StagedTurn> {
    const release = await this.#turn(tenantId);
    if (this.#isClosed) return { outcome: { kind: "cancelled" }, release };
    const { threads, dataDir, owner } = this.#parts;
    const { outcome, cancel } = threads.stage({ tenantId, ...source, dataDir, owner: owner() });
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
