/**
 * Turns of tenants: which of them renders next, and which of them writes its list `exported`.
 * Input: the tenants that have work, in the order of their ids, and the rows of a rendered export.
 * Output: the next tenant that can be served, and what is committed with the end of its export.
 * Invariant: between two turns of a tenant every other that waits has one. A tenant writes one list
 * at a time, from its begin to the commit of what it wrote, so that each change fits the list as
 * the one before has left it.
 * Apart from the queue, because tests hold its fairness without one.
 */
import type { Candidate } from "../../store/exportstore.ts";
import type { RenderThreads } from "./pool.ts";
import type { HeldBits, StageOutcome } from "./rendertask.ts";

/**
 * Asks the tenants in turn, beginning behind the last one, until `take` gives something.
 * `candidates` ascend by tenant.
 */
export function nextTurn<Taken>(
  candidates: readonly Candidate[],
  last: string,
  take: (candidate: Candidate) => Taken | null,
): Taken | null {
  const after = candidates.findIndex(({ tenantId }) => tenantId > last);
  const begin = Math.max(after, 0);
  for (const candidate of [...candidates.slice(begin), ...candidates.slice(0, begin)]) {
    const taken = take(candidate);
    if (taken !== null) return taken;
  }
  return null;
}

/** A tenant's turn, with what was written in it. */
interface StagedTurn {
  readonly outcome: StageOutcome;
  /** Ends the turn, once what was written is committed or dropped. */
  release(): void;
}

/** Writes for the lists of all tenants. */
export class Staging {
  readonly #threads: RenderThreads;
  readonly #dataDir: string;
  /** By tenant the end of the last turn that was taken. */
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
   * Waits for the tenant's turn, then writes; `begin` is told how to end it early, and says false
   * where it is not wanted any more. What waits when all is closed is cancelled.
   */
  async stage(
    tenantId: string,
    held: readonly HeldBits[],
    begin: (cancel: () => void) => boolean,
  ): Promise<StagedTurn> {
    const release = await this.#turn(tenantId);
    if (this.#isClosed) return { outcome: { kind: "cancelled" }, release };
    const { outcome, cancel } = this.#threads.stage({ tenantId, held, dataDir: this.#dataDir });
    if (!begin(cancel)) cancel();
    return { outcome: await outcome, release };
  }

  /** Lets nobody wait any more. */
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
