/**
 * The bundle of the program. Input: the sources, and the origin of the checkout. Output: a
 * folder that Node runs: src/main.ts and every worker file (`*.worker.ts`) as one flat bundle of ES
 * modules, the launcher `peneira`, and the compiled addon. Tables that the program would otherwise
 * compute at every start become files, or esbuild constants with the names that the sources
 * declare.
 * Invariant: this file needs only Node, because it is loaded before the packages are installed. A
 * file in the folder is complete if it exists. Files that a running server may still load stay for
 * a while, so that a new build does not break it. Tables are made by the same modules as in a run
 * from the sources. The bundle omits these modules.
 */

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

/** Module that makes the lexicon's table. */
const LEXICON = "src/translate/activities/lexicondata.ts";
/** Module that makes the names of activities. */
const ENTRIES = "src/translate/activities/lexiconentries.ts";

/** Module that makes the table of filter phrases. */
const PHRASES = "src/translate/filters/table.ts";

/**
 * Returns the constants of the bundle: the filter phrases as one text, so that V8 need not compile
 * a table (src/translate/words/phrasetable.ts), and that files hold the lexicon.
 */
export function tableConstants(root) {
  const phrases = made(root, PHRASES).requestText();
  return { BUILD_PHRASES: JSON.stringify(phrases), BUILD_TABLES: "true" };
}

/**
 * Returns the files of the bundle with the lexicon, by name: its phrases as texts, and the names of
 * activities as JSON. They are not constants, because then every thread whose code can translate
 * would hold 2 MB of them twice: in its source and as values.
 */
export function tableFiles(root) {
  const { trades, goods } = made(root, LEXICON).makeLexiconData();
  const names = JSON.stringify([...made(root, ENTRIES).entryNamesByCode()]);
  return { "trades.txt": trades, "goods.txt": goods, "names.json": names };
}

/** Writes these files to a folder; returns their names. */
export function writeTables(root, folder) {
  const files = tableFiles(root);
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
  return Object.keys(files);
}

/** Compiles and runs a source module, and returns its exports. */
function made(root, file) {
  const { outputFiles } = createRequire(import.meta.url)("esbuild").buildSync({
    absWorkingDir: root,
    entryPoints: [file],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    logLevel: "warning",
  });
  const module = { exports: {} };
  const require = createRequire(path.join(root, file));
  new Function("module", "exports", "require", outputFiles[0].text)(
    module,
    module.exports,
    require,
  );
  return module.exports;
}

/** Packages that are not bundled, because they have machine code or locate their files. */
const EXTERNAL = ["better-sqlite3", "roaring", "uWebSockets.js", "parquet-wasm", "piscina"];

/** The addon in the bundle's folder. */
const ADDON = "peneira.node";

/** Milliseconds for which files of an older bundle are retained: longer than any test suite. */
const CACHED_MS = 15 * 60_000;

/** Defines require(), because bundled CommonJS packages use it for Node's built-in modules. */
const REQUIRE_BANNER = `import { createRequire as requireFrom } from "node:module";
const require = requireFrom(import.meta.url);`;

/** Returns the esbuild options for every bundle of the program, including the executable's. */
export function bundleOptions({ root, origin, faults = false, executable = false }) {
  return {
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    logLevel: "warning",
    // Drops calls to functions that the constants below made empty.
    minifySyntax: true,
    define: {
      BUILD_COMMIT: JSON.stringify(origin.commit),
      BUILD_DATE: JSON.stringify(origin.date),
      BUILD_FAULTS: String(faults),
      BUILD_EXECUTABLE: String(executable),
      ...tableConstants(root),
    },
  };
}

/** Makes the bundle in `folder`; `nodeMin` is the oldest supported Node, as two numbers. */
export function writeBundle({ root, folder, entries, nodeMin, ...known }) {
  const fresh = `${folder}.${process.pid}`;
  fs.rmSync(fresh, { recursive: true, force: true });
  // esbuild is loaded only here, because this file runs before the packages are installed.
  createRequire(import.meta.url)("esbuild").buildSync({
    ...bundleOptions({ root, ...known }),
    entryPoints: entries,
    outdir: fresh,
    entryNames: "[name]",
    chunkNames: "chunk-[hash]",
    outExtension: { ".js": ".mjs" },
    splitting: true,
    target: `node${nodeMin.join(".")}`,
    format: "esm",
    sourcemap: true,
    sourcesContent: false,
    legalComments: "eof",
    external: EXTERNAL.flatMap((name) => [name, `${name}/*`]),
    banner: { js: REQUIRE_BANNER },
  });
  writeInOneByte(fresh, ".mjs");
  writeTables(root, fresh);
  // The launcher has no extension, so Node must know that it is CommonJS.
  fs.writeFileSync(path.join(fresh, "package.json"), '{ "type": "commonjs" }\n');
  fs.writeFileSync(path.join(fresh, "peneira"), launcher(nodeMin), { mode: 0o755 });
  putInPlace(fresh, folder);
}

/**
 * Escapes characters above U+00FF. If a source contains such a character, V8 needs two bytes for
 * every character of that source. esbuild leaves these characters only in comments and regular
 * expressions, where an escape has the same meaning.
 */
export function inOneByte(text) {
  return text.replace(/\\*[\u0100-\uffff]/g, (found) => {
    const backslashes = found.slice(0, -1);
    const code = found
      .charCodeAt(found.length - 1)
      .toString(16)
      .padStart(4, "0");
    // If the number of backslashes is odd, the last one escapes the character itself. It is
    // dropped, because the new escape replaces both.
    return `${backslashes.slice(backslashes.length % 2)}\\u${code}`;
  });
}

/** Rewrites the scripts of a folder by `inOneByte`. */
export function writeInOneByte(folder, extension) {
  for (const name of fs.readdirSync(folder)) {
    if (!name.endsWith(extension)) continue;
    const file = path.join(folder, name);
    fs.writeFileSync(file, inOneByte(fs.readFileSync(file, "utf8")));
  }
}

/** Copies the compiled addon to a bundle, unless it is unchanged. */
export function placeAddon(addon, folder) {
  const target = path.join(folder, ADDON);
  const bytes = fs.readFileSync(addon);
  if (fs.existsSync(target) && fs.readFileSync(target).equals(bytes)) return;
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(`${target}.${process.pid}`, bytes, { mode: 0o755 });
  fs.renameSync(`${target}.${process.pid}`, target);
}

/**
 * Moves shared parts into place, then the programs. Removes files that recent builds do not use.
 */
function putInPlace(fresh, folder) {
  fs.mkdirSync(folder, { recursive: true });
  const names = fs.readdirSync(fresh);
  const isPart = (name) => name.startsWith("chunk-");
  for (const name of [...names.filter(isPart), ...names.filter((one) => !isPart(one))]) {
    fs.renameSync(path.join(fresh, name), path.join(folder, name));
  }
  fs.rmSync(fresh, { recursive: true });
  const oldest = Date.now() - CACHED_MS;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (names.includes(entry.name) || entry.name === ADDON) continue;
    const file = path.join(folder, entry.name);
    const modifiedMs = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? oldest;
    if (entry.isFile() && modifiedMs < oldest) fs.rmSync(file, { force: true });
  }
}

function launcher([major, minor]) {
  return `#!/usr/bin/env node
// Starts Peneira from any folder and through symbolic links.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  console.error("peneira needs Node ${major}.${minor} or newer, this is " + process.version);
  process.exit(1);
}
process.setSourceMapsEnabled(true);
import("./main.mjs");
`;
}
