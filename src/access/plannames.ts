/**
 * The names of the plans, apart from what the plans allow.
 * Invariant: this file imports nothing, so that the types of the browser's part can be made of it.
 */

/** Names of the plans, from the smallest to the largest. */
export const PLAN_NAMES = ["free", "starter", "growth", "scale", "enterprise"] as const;
