/**
 * Records which accounts the exports of a crash run contained. Its input is accepted exports and
 * their ends, as clients saw them. Exports with the same content are recorded once.
 * Invariant: an end that was seen counts permanently, even if the file is lost or the export was
 * deleted. An export that was deleted before its end was seen may have exported all of its
 * accounts, or none. Exports that exclude earlier ones are in exclusions.ts, because their content
 * depends on the others.
 */
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";

/** The part of an export that determines its accounts. */
interface Holding {
  readonly tenant: number;
  readonly snapshot: string | null;
  readonly spec: AccountQuerySpec | null;
  /** Time at which the export was requested, by the clock of the ledger. */
  readonly sentAt: number;
}

/** Exports of a tenant with the same content. */
export interface Known {
  readonly tenant: number;
  readonly snapshot: string;
  readonly spec: AccountQuerySpec;
  /** Time at which the first of them was requested. */
  readonly sentAt: number;
  /** Time at which one of these exports was first seen as done, or null. */
  doneAt: number | null;
}

/** Records what the lists of exported accounts must contain, and what they may contain. */
export class HeldLedger {
  readonly #known = new Map<string, Known>();

  /** Records an accepted export. `doneAt` is not null if its end was seen. */
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
