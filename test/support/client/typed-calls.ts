/**
 * Replaces the generated types of the API client with types that allow everything, so that the
 * checkout compiles without generated code.
 * Invariant: e2e/server/client.test.ts checks test/support/client/flow.ts with the generated
 * declarations in place of this file. Other files import only types from here.
 */

/** Operations by path and method. */
// biome-ignore lint/suspicious/noExplicitAny: the generated declarations take its place
export type paths = any;
