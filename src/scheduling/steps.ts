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

/**
 * A value that is made in steps by whoever has the time, and at once by whoever needs it: the one
 * goes on where the other stopped. After a step that failed it is begun anew.
 */
export class Gradual<Value> {
  readonly #make: () => Steps<Value>;
  #under: Steps<Value> | null = null;
  #made: { readonly value: Value } | null = null;

  /** Takes what makes it, in steps that wait for nothing. */
  constructor(make: () => Steps<Value>) {
    this.#make = make;
  }

  /** Whether all of it is there. */
  get isMade(): boolean {
    return this.#made !== null;
  }

  /** The value; what is missing of it is made now. */
  now(): Value {
    while (this.#made === null) this.#go();
    return this.#made.value;
  }

  /** Makes what is missing, and stops after each step. */
  *steps(): Steps<Value> {
    while (this.#made === null) {
      this.#go();
      yield;
    }
    return this.#made.value;
  }

  #go(): void {
    const steps = this.#under ?? this.#make();
    // What threw is over, and would give nothing when it is asked again.
    this.#under = null;
    const { done, value } = steps.next();
    if (done === true) this.#made = { value };
    else this.#under = steps;
  }
}

/** Values that are made so, one for each key and as long as it lives. */
export class GradualByKey<Key extends object, Value> {
  readonly #make: (key: Key) => Steps<Value>;
  readonly #known = new WeakMap<Key, Gradual<Value>>();

  /** Takes what makes a value of a key, in steps that wait for nothing. */
  constructor(make: (key: Key) => Steps<Value>) {
    this.#make = make;
  }

  /** The value of a key, or what there is of it. */
  of(key: Key): Gradual<Value> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const begun = new Gradual(() => this.#make(key));
    this.#known.set(key, begun);
    return begun;
  }
}

/** Does something with every item, with so many in a step. */
export function* inSteps<Item>(
  items: Iterable<Item>,
  perStep: number,
  act: (item: Item) => void,
): Steps<void> {
  let left = perStep;
  for (const item of items) {
    act(item);
    if (--left > 0) continue;
    left = perStep;
    yield;
  }
}
