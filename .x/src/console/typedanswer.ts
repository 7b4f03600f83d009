/**
 * JSON answers of the console, checked against the types with which the browser reads them.
 * Invariant: a value that does not match its route's type in `web/answers.ts` does not compile, so
 * neither side can change alone.
 */
import { type HttpAnswer, json, type Unchangeable } from "../http/server/respond.ts";
import type { Spec } from "./web/app/answers.ts";

/** A value as a handler holds it: immutable, with specs as the server normalizes them. */
export type TypedAnswer<Body> = Unchangeable<Body, Spec>;

/** Returns a JSON answer in the shape the browser expects; most carry their request id. */
export function typedAnswer<Body>(
  value: TypedAnswer<Body> & { readonly request_id?: string },
  status = 200,
): HttpAnswer {
  return json(value, status);
}
