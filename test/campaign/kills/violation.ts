/**
 * The error that ends a crash run. It contains the number of an export invariant (I1 to I14) and
 * the observation that contradicts it.
 * Invariant: a violation is thrown only for a mistake of the product. If a process dies during a
 * request, `Gone` is thrown, which proves nothing.
 */

/** The invariants, in the words of a report. */
export const INVARIANTS = {
  I1: "every export that was acknowledged exists after a restart, with the same id",
  I2: "a tenant's idempotency key has at most one export",
  I3: "every export ends done or failed",
  I4: "a done export has its file, whose size and SHA-256 equal the reference",
  I5: "no incomplete file lies under a final name",
  I6: "states only move forward, expired and deleted exports never come back",
  I7: "after recovery the disk holds the files of the live exports and nothing else",
  I8: "each answer is from exactly one snapshot and says which",
  I9: "the state opens after every crash, and is whole",
  I10: "a running process answers within a second",
  I12: "no 5xx but the documented 503, and 507 on a full disk",
  I13: "a tenant's list exported holds what its done exports have held, and nothing else",
  I14: "an export that leaves out what was exported holds nothing of it, and lacks nothing else",
} as const;

/** Number of an invariant. */
export type Invariant = keyof typeof INVARIANTS;

/** A broken invariant. */
export class Violation extends Error {
  readonly invariant: Invariant;

  constructor(invariant: Invariant, seen: string) {
    super(`${invariant} (${INVARIANTS[invariant]}) is broken: ${seen}`);
    this.name = "Violation";
    this.invariant = invariant;
  }
}

/** The server died before its answer, so the request may have been executed or not. */
export class Gone extends Error {}

/** Throws a violation unless the condition holds. */
export function must(holds: boolean, invariant: Invariant, seen: string): asserts holds {
  if (!holds) throw new Violation(invariant, seen);
}
