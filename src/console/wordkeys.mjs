/**
 * Lists the long names that esbuild may shorten in the console's bundle: keys of the text tables,
 * and members of interfaces and classes. Shortening them saves 2 KB of compressed scripts.
 * Invariant: only camel-case names are shortened. Members of the API are in snake case, and keys
 * selected by a value (`views[name]`) are single words. Names of browser APIs are exempt. So are
 * names that occur as a string in any source, because the string may select the member. A test
 * (unit/console/wordkeys) finds such strings, and sources that build keys from parts.
 */
import fs from "node:fs";
import path from "node:path";

/** Sources that the bundle is made of, relative to the root. */
const SOURCES = ["src/console/web", "src/spec"];
/** The text tables of one language. Those of the other language have the same keys. */
const TABLES = "src/console/web/strings/en";

/** Matches callbacks of components, but not of elements, which are named after browser events. */
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
  "currentTarget readOnly removeEntry inputMode keyFor scrollLeft scrollTop setInterval setMonth " +
  "tabIndex useEffect useLayoutEffect"
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
