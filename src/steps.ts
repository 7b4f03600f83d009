/**
 * Work that can be done in steps. What comes in: a generator that stops where others may have
 * their turn, or waits for a promise there. What goes out: its value.
 * Invariant: the value does not depend on who runs the steps or on what happens between them.
 */

/** Work in steps; what is yielded is waited for. */
export type Steps<Value> = Generator<Promise<unknown> | undefined, Value, void>;

/** Runs all steps at once; for work that waits for nothing. */
export function atOnce<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (value !== undefined) throw new Error("steps that wait cannot be run at once");
  }
}

/** Runs all steps, each as soon as what the one before it waits for is there. */
export async function eventually<Value>(steps: Steps<Value>): Promise<Value> {
  for (let failure: { readonly error: unknown } | null = null; ; ) {
    const { done, value } = failure === null ? steps.next() : steps.throw(failure.error);
    if (done === true) return value;
    failure = await outcomeOf(value);
  }
}

/** What a promise is rejected with; null where it is not. */
export async function outcomeOf(
  promise: Promise<unknown> | undefined,
): Promise<{ readonly error: unknown } | null> {
  try {
    await promise;
    return null;
  } catch (error) {
    return { error };
  }
}

/** Waits within steps for what may be there already. */
export function* waited<Value>(value: Value | Promise<Value>): Steps<Value> {
  if (!(value instanceof Promise)) return value;
  const found: Value[] = [];
  yield value.then((one) => {
    found.push(one);
  });
  return found[0] as Value;
}
