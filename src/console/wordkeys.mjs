/**
 * Keys of the console's words that the bundle shortens: esbuild renames them in the tables and
 * where they are read. Compressed, they are 2 KB of its scripts.
 * Invariant: only keys in camel case, because members of the API are in snake case and keys that
 * values select (`views[name]`) are single words. A key that any source has as a text is left
 * alone, because that text may select it. So is a name of the browser. A test finds those
 * and sources that compute a key from parts (unit/console/wordkeys).
 */
import fs from "node:fs";
import path from "node:path";

/** Sources that the bundle is made of, relative to the root. */
const SOURCES = ["src/console/web", "src/spec"];
/** The tables of one language; the other has the same keys. */
const TABLES = "src/console/web/strings/en";

/** Keys that the browser has as names too. */
const BROWSER = ["readOnly", "removeEntry"];

/** Returns the keys, sorted. */
export function wordKeys(root) {
  const quoted = new Set([...BROWSER, ...namesIn(root, SOURCES, /["'](\w+)["']/g)]);
  const keys = namesIn(root, [TABLES], /^ +([a-z]+[A-Z]\w*)(?=[:,(])/gm);
  return [...new Set(keys)].filter((key) => !quoted.has(key)).sort();
}

/** The first group of every match in the sources of some folders. */
function namesIn(root, folders, pattern) {
  return folders.flatMap((folder) =>
    sourcesBelow(path.join(root, folder)).flatMap((file) => {
      const matches = fs.readFileSync(file, "utf8").matchAll(pattern);
      return [...matches].map(([, name]) => name);
    }),
  );
}

function sourcesBelow(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) return sourcesBelow(full);
    return /\.tsx?$/.test(entry.name) ? [full] : [];
  });
}
