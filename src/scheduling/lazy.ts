/**
 * Values that are made on first use, once.
 * Invariant: a value that could not be made is made again on the next use.
 */

/** Returns a function that makes the value on the first call and returns it from then on. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** As `lazy`, with one value for each key, which lives as long as the key. */
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
