/**
 * Which accounts exports of a crash run have held. What comes in: exports that were accepted, and
 * whether they were seen done. What goes out: the same, each kind once.
 * Invariant: what was once seen done binds for ever, also when its file is gone or it was deleted;
 * an export that was accepted and deleted before its end was seen may have held all of it, or none.
 * Those that leave out what was exported before are not here (further.ts): what they hold depends
 * on the others.
 */
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";

/** An export as far as it tells which accounts it holds. */
interface Holding {
  readonly tenant: number;
  readonly snapshot: string | null;
  readonly spec: AccountQuerySpec | null;
  /** When it was asked for, by the clock of the ledger. */
  readonly sentAt: number;
}

/** Exports of a tenant that hold the same. */
export interface Known {
  readonly tenant: number;
  readonly snapshot: string;
  readonly spec: AccountQuerySpec;
  /** When the first of its kind was asked for. */
  readonly sentAt: number;
  /** When one of its kind was first seen done. */
  doneAt: number | null;
}

/** What the lists of the tenants must hold, and what they may. */
export class HeldLedger {
  readonly #known = new Map<string, Known>();

  /** Notes an export that was accepted; `doneAt` where its end was seen. */
  note({ tenant, snapshot, spec, sentAt }: Holding, doneAt: number | null): void {
    if (snapshot === null || spec === null || spec.filters.lists !== undefined) return;
    const name = JSON.stringify([tenant, snapshot, spec.filters, spec.scoring, spec.limit]);
    const known = this.#known.get(name) ?? { tenant, snapshot, spec, sentAt, doneAt };
    known.doneAt ??= doneAt;
    this.#known.set(name, known);
  }

  /** Exports of a tenant. */
  of(tenant: number): readonly Readonly<Known>[] {
    return [...this.#known.values()].filter((known) => known.tenant === tenant);
  }
}
