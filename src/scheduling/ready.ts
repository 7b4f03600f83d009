/**
 * Values that may be there already or come later.
 * Invariant: a value that is there is handed on in the same turn, so that answers leave in the
 * order of their requests.
 */

/** Calls `act` with a value, in the call if it is there; returns what `act` returns. */
export function whenReady<Value, Result>(
  value: Value | Promise<Value>,
  act: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(act) : act(value);
}
