/**
 * Where the program finds what belongs to it. What comes in: the place of a worker's source file,
 * relative to src/, or the name of something built.
 * What goes out: the absolute path of the file that a worker thread must load, the loaded addons,
 * the files of the console.
 * Invariant: right in all three lives of the code: as TypeScript under tsx, where the folders of
 * src stand; as the bundle in dist/bundle, where every file lies flat beside the others; as the one
 * executable, which carries its parts inside (src/executable/parts.ts).
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { IS_EXECUTABLE, loadAddon, partBytes, partFile } from "./executable/parts.ts";

/** Only sources are called `.ts`; bundles consist of `.mjs` files, the executable of `.cjs`. */
const BUNDLED = !import.meta.url.endsWith(".ts");

/** What piscina starts in every thread; in the executable it asks for it under this name. */
const THREAD = "peneiraThread";

/**
 * Gives the file behind a worker named by its source, such as `ingest/parse.worker.ts`.
 * Worker files end in `.worker.ts`, have unique names, and export `run`, a `worker(…)` of
 * process/tasks.ts: start them with piscina's `filename` and `name`, and with `execArgv` from
 * `workerArguments`. A wrong name fails when the thread starts.
 */
export function workerFile(source: `${string}.worker.ts`): string {
  const name = source.slice(source.lastIndexOf("/") + 1).replace(/\.ts$/, "");
  if (IS_EXECUTABLE) {
    Object.assign(globalThis, { [THREAD]: partFile("thread.cjs") });
    return partFile(`${name}.cjs`);
  }
  return fileURLToPath(new URL(BUNDLED ? `./${name}.mjs` : `./${source}`, import.meta.url));
}

/** Arguments of Node for a thread that loads a `workerFile`; a bundled one needs none. */
export function workerArguments(): string[] {
  return BUNDLED ? [] : ["--import", new URL("./source-threads.mjs", import.meta.url).href];
}

/** Where the built console is: a folder for `readBuilt`. */
export function consoleFolder(): string {
  if (IS_EXECUTABLE) return "console";
  return fileURLToPath(new URL(BUNDLED ? "../console" : "../dist/console", import.meta.url));
}

/** Reads a file that build.mjs made; the bytes must not be changed. Throws as `readFileSync`. */
export function readBuilt(file: string): Uint8Array {
  return IS_EXECUTABLE ? partBytes(file) : readFileSync(file);
}

/**
 * Loads the C++ addon: from the executable, from the bundle, or from where node-gyp leaves it. The
 * sanitizer run of the tests (build.mjs) names another build of it.
 */
export function loadEngine(): unknown {
  if (IS_EXECUTABLE) return loadAddon("peneira.node");
  const built = BUNDLED ? "./peneira.node" : "../native-index/build/Release/peneira.node";
  return createRequire(import.meta.url)(process.env.PENEIRA_ADDON ?? built);
}

/**
 * Loads the addon of zstd, which few threads need. It is required and not imported, because Node
 * aborts if a thread ends while it loads a module (process/threads.ts).
 */
export function loadZstd(): typeof import("zstd-napi/binding.js") {
  const loaded = IS_EXECUTABLE
    ? loadAddon("zstd.node")
    : createRequire(import.meta.url)("zstd-napi/binding.js");
  return loaded as typeof import("zstd-napi/binding.js");
}
