/**
 * Names of the plans, separate from their limits.
 * Invariant: this file imports nothing, so that browser types can be derived from it.
 */

/** Plan names, from the smallest to the largest. */
export const PLAN_NAMES = ["free", "starter", "growth", "scale", "enterprise"] as const;
