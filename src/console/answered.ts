/**
 * Answers of the console, held against the types that the browser reads them with. What comes in: a
 * value. What goes out: the answer.
 * Invariant: a value that is not what `web/answers.ts` says of its route does not compile, so that
 * neither side changes alone.
 */
import { type HttpAnswer, json, type Unchangeable } from "../http/server/respond.ts";
import type { Spec } from "./web/app/answers.ts";

/** A value as a handler has it: unchangeable, and with specs as the server normalizes them. */
export type Answered<Body> = Unchangeable<Body, Spec>;

/** An answer of JSON in the shape that the browser knows; most say the id of their request. */
export function answered<Body>(
  value: Answered<Body> & { readonly request_id?: string },
  status = 200,
): HttpAnswer {
  return json(value, status);
}
