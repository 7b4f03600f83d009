/**
 * Which accounts exports of a crash run have held. What comes in: exports that were accepted, and
 * whether they were seen done. What goes out: the same, each kind once.
 * Invariant: what was once seen done binds for ever, also when its file is gone or it was deleted;
 * an export that was accepted and deleted before its end was seen may have held all of it, or none.
 */
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";

/** An export as far as it tells which accounts it holds. */
interface Holding {
  readonly tenant: number;
  readonly snapshot: string | null;
  readonly spec: AccountQuerySpec | null;
}

/** Exports of a tenant that hold the same. */
export interface Known extends Holding {
  readonly snapshot: string;
  readonly spec: AccountQuerySpec;
  /** Whether one of its kind was seen done. */
  done: boolean;
}

/** What the lists of the tenants must hold, and what they may. */
export class HeldLedger {
  readonly #known = new Map<string, Known>();

  /** Notes an export that was accepted; `done` where its end was seen. */
  note({ tenant, snapshot, spec }: Holding, done: boolean): void {
    if (snapshot === null || spec === null) return;
    const name = JSON.stringify([tenant, snapshot, spec.filters, spec.scoring, spec.limit]);
    const known = this.#known.get(name) ?? { tenant, snapshot, spec, done };
    known.done ||= done;
    this.#known.set(name, known);
  }

  /** Exports of a tenant. */
  of(tenant: number): readonly Readonly<Known>[] {
    return [...this.#known.values()].filter((known) => known.tenant === tenant);
  }
}
