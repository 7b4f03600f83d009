/**
 * Module resolution for postgres-folders.mjs: imports of `src/store/database.ts` get
 * `on-postgres.ts`, except in that file itself.
 */
const OVERRIDE = new URL("./on-postgres.ts", import.meta.url).href;

/** Node's hook. */
export async function resolve(specifier, context, nextResolve) {
  const found = await nextResolve(specifier, context);
  const isDatabase = found.url.replace(/\?.*/, "").endsWith("/src/store/database.ts");
  if (!isDatabase || context.parentURL?.startsWith(OVERRIDE)) return found;
  return { ...found, url: OVERRIDE };
}
