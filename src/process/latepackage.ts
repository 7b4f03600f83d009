/**
 * Returns the members of a package that is loaded at its first use.
 * Invariant: the members are the same from the sources and from the bundle. Node offers the members
 * of a CommonJS package as exports of their own, the bundle only as `default`.
 * Separate because all code that loads a package later needs it.
 */

/** Returns the members of a loaded package: `packageOf(await import("undici"))`. */
export function packageOf<Loaded extends object>(
  loaded: Loaded & { readonly default?: unknown },
): Loaded {
  const { default: whole } = loaded;
  return typeof whole === "object" && whole !== null ? (whole as Loaded) : loaded;
}
