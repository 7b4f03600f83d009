/**
 * Stand-in for the API client's types: allows everything, so that the checkout compiles without
 * generated code.
 * Invariant: e2e/server/client.test.ts checks test/support/client/flow.ts with generated
 * declarations in place of this file; only types are imported from here.
 */

/** Operations by path and method. */
// biome-ignore lint/suspicious/noExplicitAny: the generated declarations take its place
export type paths = any;
