/**
 * Keys of the console's words, and members of its interfaces and classes, that the bundle shortens:
 * esbuild renames them in the tables and in the code that reads them. This saves 2 KB of compressed
 * scripts.
 * Invariant: only camel-case keys are renamed, because API members are in snake case, and keys
 * selected by values (`views[name]`) are single words. Keys that occur as a string in any source
 * are exempt, because such a string may select them; so are names of browser APIs. A test finds
 * these strings, and sources that compute keys from parts (unit/console/wordkeys).
 */
import fs from "node:fs";
import path from "node:path";

/** Sources that the bundle is made of, relative to the root. */
const SOURCES = ["src/console/web", "src/spec"];
/** The tables of one language; the other has the same keys. */
const TABLES = "src/console/web/strings/en";

/**
 * Matches the callbacks of components. Callbacks of elements are named after the browser's events,
 * so they are excluded.
 */
const CALLBACKS = /^ +(?:readonly )?(on[A-Z]\w*)\??(?=[:(])/gm;
const EVENTS = new Set(
  (
    "onBlur onCancel onChange onClick onClose onCopy onDragEnter onDragLeave onDragOver onDrop " +
    "onError onFocus onInput onKeyDown onKeyUp onLoad onPaste onPointerCancel onPointerDown " +
    "onPointerEnter onPointerLeave onPointerMove onPointerUp onReset onScroll onSelect onSubmit " +
    "onToggle onWheel onMouseDown onMouseEnter onMouseLeave onMouseMove onMouseUp onFocusIn " +
    "onFocusOut onEnded"
  ).split(" "),
);

/** Members of the console's own interfaces, and methods of classes. */
const MEMBERS = /^ +(?:readonly )?([a-z]+[A-Z]\w*)\??(?:: [^,]*|\(.*\): .*|: \(.*);$/gm;
const METHODS = /^ {2}(?:get )?([a-z]+[A-Z]\w*)\(.*\{$/gm;

/** Keys that are also names in browser APIs. */
const BROWSER = (
  "readOnly removeEntry inputMode keyFor scrollLeft scrollTop setInterval setMonth tabIndex " +
  "useEffect useLayoutEffect"
).split(" ");

/** Returns the keys, sorted. */
export function wordKeys(root) {
  const quoted = new Set([...BROWSER, ...namesIn(root, SOURCES, /["'](\w+)["']/g)]);
  const keys = namesIn(root, [TABLES], /^ +([a-z]+[A-Z]\w*)(?=[:,(])/gm);
  const own = SOURCES.slice(0, 1);
  keys.push(...namesIn(root, own, CALLBACKS), ...namesIn(root, own, MEMBERS));
  keys.push(...namesIn(root, SOURCES, METHODS));
  return [...new Set(keys)].filter((key) => !quoted.has(key) && !EVENTS.has(key)).sort();
}

/** Returns the first group of every match in the sources of some folders. */
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
