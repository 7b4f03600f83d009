/**
 * Makes JSON answers of the console, whose types are those that the browser uses.
 * Invariant: a value that does not match its route's type in `web/app/answers.ts` does not compile,
 * so neither side can change alone.
 */
import { type DeepReadonly, type HttpAnswer, json } from "../http/server/respond.ts";
import type { Spec } from "./web/app/answers.ts";

/** A value as a handler returns it: immutable, with specs as the server normalizes them. */
export type TypedAnswer<Body> = DeepReadonly<Body, Spec>;

/** Returns a JSON answer of the type the browser expects; most have a request id. */
export function typedAnswer<Body>(
  value: TypedAnswer<Body> & { readonly request_id?: string },
  status = 200,
): HttpAnswer {
  return json(value, status);
}
