/**
 * Lazy values, created on first use.
 * Invariant: after a failure, the next use tries again.
 */

/** Returns a function that creates a value on its first call, and later returns the same value. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Like `lazy`, with one value per key, which lives as long as the key. */
export function lazyByKey<Key extends object, Value>(make: (key: Key) => Value) {
  const known = new WeakMap<Key, () => Value>();
  const of = (key: Key): (() => Value) => {
    let value = known.get(key);
    if (value === undefined) {
      value = lazy(() => make(key));
      known.set(key, value);
    }
    return value;
  };
  return (key: Key): Value => of(key)();
}
