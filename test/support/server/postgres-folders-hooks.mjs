/**
 * Resolves modules for postgres-folders.mjs: an import of `src/store/database.ts` gets
 * `on-postgres.ts`, except in on-postgres.ts itself.
 */
const OVERRIDE = new URL("./on-postgres.ts", import.meta.url).href;

/** Node's hook. */
export async function resolve(specifier, context, nextResolve) {
  const found = await nextResolve(specifier, context);
  const isDatabase = found.url.replace(/\?.*/, "").endsWith("/src/store/database.ts");
  if (!isDatabase || context.parentURL?.startsWith(OVERRIDE)) return found;
  return { ...found, url: OVERRIDE };
}
