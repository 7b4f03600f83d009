/**
 * Which accounts the exports of a crash run contained: takes accepted exports and their observed
 * ends, and returns each kind once.
 * Invariant: an observed end is binding permanently, even if its file is gone or it was deleted; an
 * export that was accepted and deleted before its observed end may have exported all of it, or
 * none. Exports that exclude earlier ones are in further.ts, because their content depends on the
 * others.
 */
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";

/** The part of an export that determines its accounts. */
interface Holding {
  readonly tenant: number;
  readonly snapshot: string | null;
  readonly spec: AccountQuerySpec | null;
  /** When it was requested, by the clock of the ledger. */
  readonly sentAt: number;
}

/** Exports of a tenant that hold the same. */
export interface Known {
  readonly tenant: number;
  readonly snapshot: string;
  readonly spec: AccountQuerySpec;
  /** When the first of its kind was requested. */
  readonly sentAt: number;
  /** When one of its kind was first seen done. */
  doneAt: number | null;
}

/** Content that the tenants' lists must have, or may have. */
export class HeldLedger {
  readonly #known = new Map<string, Known>();

  /** Records an accepted export; `doneAt` if its end was observed. */
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
