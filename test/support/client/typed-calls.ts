/**
 * Where the types of the API's client come from. What comes in: nothing. What goes out: a stand-in
 * that allows everything, so that the checkout compiles without generated code.
 * Invariant: e2e/server/client.test.ts checks test/support/client/flow.ts with declarations that
 * are generated from the OpenAPI document in the place of this file; nothing but types is imported
 * from here.
 */

/** Operations by path and method. */
// biome-ignore lint/suspicious/noExplicitAny: the generated declarations take its place
export type paths = any;
