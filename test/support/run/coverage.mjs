/**
 * Computes the report of `npm run coverage`: the share of executed lines, functions, and branches
 * of the TypeScript in src and native-index, by folder. Input: V8's counts, one file per process,
 * and the source maps of the bundles.
 * Invariant: code that is in several bundles counts once, and it counts as executed if any process
 * executed it. The lines that count are those on which a statement begins, and the branches are
 * V8's blocks.
 */
import fs from "node:fs";
import { SourceMap } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Matches the measured files. The part of the product that runs only in a browser is excluded. */
const MEASURED = /^(src\/(?!console\/web\/)|native-index\/).*\.ts$/;

/** Reads the folder of NODE_V8_COVERAGE. Returns the report as text. */
export function coverageReport(root, folder) {
  const scripts = new Map();
  for (const name of fs.readdirSync(folder)) {
    const { result } = JSON.parse(fs.readFileSync(path.join(folder, name), "utf8"));
    for (const { url, functions } of result) {
      if (!url.startsWith("file:")) continue;
      const file = fileURLToPath(url);
      if (!file.startsWith(root) || !fs.existsSync(`${file}.map`)) continue;
      const script = scripts.get(file) ?? new Script(file);
      scripts.set(file, script);
      script.add(functions);
    }
  }
  const places = new Map();
  for (const script of scripts.values()) script.report(root, places);
  return table(places);
}

/** A bundled file: the characters that any process executed, and its functions and blocks. */
class Script {
  #file;
  #ran;
  #functions = new Set();
  #blocks = new Set();

  constructor(file) {
    this.#file = file;
    this.#ran = new Uint8Array(fs.readFileSync(file, "utf8").length);
  }

  /** Adds counts of a process. Ranges, like functions, are ordered from outer to inner. */
  add(functions) {
    const ran = new Uint8Array(this.#ran.length);
    for (const { functionName, ranges } of functions) {
      for (const [at, { startOffset, endOffset, count }] of ranges.entries()) {
        ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
        if (at > 0) this.#blocks.add(startOffset);
        else if (functionName !== "") this.#functions.add(startOffset);
      }
    }
    for (let at = 0; at < ran.length; at++) this.#ran[at] |= ran[at];
  }

  /**
   * Adds the lines, functions, and blocks of the file to `places`, under the key `kind
   * source:line:column`, each with a flag that is true if it was executed.
   */
  report(root, places) {
    const map = new SourceMap(JSON.parse(fs.readFileSync(`${this.#file}.map`, "utf8")));
    const lines = lineStarts(fs.readFileSync(this.#file, "utf8"));
    const note = (kind, offset, line, exact) => {
      const column = offset - lines[line];
      const entry = map.findEntry(line, column);
      if (entry.originalSource === undefined) return;
      const source = sourceOf(root, this.#file, entry.originalSource);
      if (!MEASURED.test(source)) return;
      const place = exact ? `:${entry.originalColumn}` : "";
      const key = `${kind} ${source}:${entry.originalLine}${place}`;
      places.set(key, (places.get(key) ?? false) || this.#ran[offset] === 1);
    };
    const text = fs.readFileSync(this.#file, "utf8");
    for (const [line, start] of lines.entries()) {
      const indent = /^[ \t]*/.exec(text.slice(start, start + 200))[0].length;
      const first = text[start + indent];
      if (first !== undefined && /[\w"'`[({.]/.test(first)) note("line", start + indent, line);
    }
    for (const offset of this.#functions) note("function", offset, lineOf(lines, offset), true);
    for (const offset of this.#blocks) note("branch", offset, lineOf(lines, offset), true);
  }
}

function sourceOf(root, file, source) {
  const absolute = source.startsWith("file:")
    ? fileURLToPath(source)
    : path.resolve(path.dirname(file), source);
  return path.relative(root, absolute);
}

function lineStarts(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function lineOf(starts, offset) {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= offset) low = middle;
    else high = middle;
  }
  return low;
}

/** Returns the report, with a line for each folder and one for the total. */
function table(places) {
  const folders = new Map();
  for (const [key, ran] of places) {
    const [kind, place] = key.split(" ");
    const folder = path.dirname(place.slice(0, place.indexOf(":")));
    for (const name of [folder.split("/").slice(0, 2).join("/"), "all"]) {
      const counts = folders.get(name) ?? { line: [0, 0], function: [0, 0], branch: [0, 0] };
      folders.set(name, counts);
      counts[kind][1]++;
      if (ran) counts[kind][0]++;
    }
  }
  const share = ([ran, all]) =>
    (all === 0 ? "–" : `${((100 * ran) / all).toFixed(1)} %`).padStart(9);
  const rows = [...folders].sort(([a], [b]) => (a === "all") - (b === "all") || (a < b ? -1 : 1));
  const text = rows.map(([name, counts]) => {
    const { line, function: made, branch } = counts;
    return `${name.padEnd(24)}${share(line)}${share(made)}${share(branch)}`;
  });
  return `${"".padEnd(24)}    lines    funct.   branches\n${text.join("\n")}\n`;
}
