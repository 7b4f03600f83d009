/**
 * Maps the positions of a failure in bundled tests to the sources.
 * Invariant: a source map is read only after a failure, because each process would otherwise read
 * all of its maps at its start: a tenth of the time of all suites. Positions without a map stay
 * unchanged.
 */
import fs from "node:fs";
import { SourceMap } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Matches a position in a stack trace: a file of the bundle, its line, and its column. */
const PLACE = /((?:file:\/\/)?[^\s()'"]+\.mjs):(\d+):(\d+)/g;
/** Maximum depth of nested causes that are translated. */
const DEPTH_MAX = 8;

/** Replaces positions in bundled files below `folder` by those of the sources. */
export class SourcePlaces {
  #folder;
  #maps = new Map();

  constructor(folder) {
    this.#folder = folder + path.sep;
  }

  /** Changes the stacks of a failure and of its causes, and the position of its test. */
  translate(failure) {
    const { file, line, column } = failure;
    const place = file === undefined ? undefined : this.#source(file, line, column);
    if (place !== undefined) Object.assign(failure, place);
    let error = failure.details?.error;
    for (let depth = 0; depth < DEPTH_MAX && error instanceof Object; depth++) {
      if (typeof error.stack === "string") error.stack = this.#inText(error.stack);
      error = error.cause;
    }
  }

  #inText(stack) {
    return stack.replace(PLACE, (bundled, file, line, column) => {
      const found = this.#source(file, Number(line), Number(column));
      return found === undefined ? bundled : `${found.file}:${found.line}:${found.column}`;
    });
  }

  /** Lines and columns begin at 1 in stack traces, and at 0 in source maps. */
  #source(file, line, column) {
    const bundled = file.startsWith("file:") ? fileURLToPath(file) : file;
    if (!bundled.startsWith(this.#folder)) return undefined;
    const entry = this.#map(bundled)?.findEntry(line - 1, column - 1);
    if (entry?.originalSource === undefined) return undefined;
    return {
      file: path.resolve(path.dirname(bundled), entry.originalSource),
      line: entry.originalLine + 1,
      column: entry.originalColumn + 1,
    };
  }

  #map(bundled) {
    if (!this.#maps.has(bundled)) {
      const file = `${bundled}.map`;
      const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
      this.#maps.set(bundled, text === undefined ? null : new SourceMap(JSON.parse(text)));
    }
    return this.#maps.get(bundled);
  }
}
