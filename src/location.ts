/**
 * Locates the parts of the program. Input: a worker's source file, relative to src/, or the name of
 * a built file.
 * Output: the absolute path of the file for a worker thread, the loaded addons, the files of the
 * console.
 * Invariant: correct in all three forms of the program: TypeScript under tsx, in the folders of
 * src; the flat bundle in dist/bundle; and the single executable, with embedded parts
 * (src/executable/parts.ts).
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { IS_EXECUTABLE, loadAddon, partBytes, partFile } from "./executable/parts.ts";

/**
 * True in the bundle and the executable: bundled files end in `.mjs`, the executable's parts in
 * `.cjs`, and only sources in `.ts`.
 */
const BUNDLED = !import.meta.url.endsWith(".ts");

/** Name under which the executable starts piscina's thread script. */
const THREAD = "peneiraThread";

/**
 * Returns the file of a worker by its source, such as `ingest/ingest.worker.ts`. Worker files end
 * in `.worker.ts`, have unique names, and export `run`, which is the result of `worker`
 * (process/tasks.ts). Start them with piscina's `filename` and `name`, and with `execArgv` from
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

/**
 * Returns the code of a worker for a caller that blocks until the worker has started. A built
 * worker is a file. Under tsx, a thread can load modules only while its parent thread runs, so the
 * code is one string without imports.
 */
export function blockingWorkerCode(source: `${string}.worker.ts`): {
  readonly code: string;
  readonly isText: boolean;
} {
  if (BUNDLED) return { code: workerFile(source), isText: false };
  const esbuild = createRequire(import.meta.url)("esbuild") as typeof import("esbuild");
  const { outputFiles } = esbuild.buildSync({
    entryPoints: [workerFile(source)],
    external: ["pg-native"],
    ...{ bundle: true, write: false, platform: "node", format: "cjs", logLevel: "silent" },
  });
  return { code: (outputFiles[0] as { readonly text: string }).text, isText: true };
}

/** Returns Node's arguments for a thread that loads a `workerFile`; none if bundled. */
export function workerArguments(): string[] {
  return BUNDLED ? [] : ["--import", new URL("./source-threads.mjs", import.meta.url).href];
}

/** Returns the folder of the built console, for `readBuilt`. */
export function consoleFolder(): string {
  if (IS_EXECUTABLE) return "console";
  return fileURLToPath(new URL(BUNDLED ? "../console" : "../dist/console", import.meta.url));
}

/** Reads a file made by build.mjs; callers must not change it. Throws like `readFileSync`. */
export function readBuilt(file: string): Uint8Array {
  return IS_EXECUTABLE ? partBytes(file) : readFileSync(file);
}

/** Reads a table of the bundle or the executable (`tableFiles` of src/executable/bundle.mjs). */
export function readTable(name: string): string {
  const bytes = IS_EXECUTABLE ? partBytes(name) : readFileSync(new URL(name, import.meta.url));
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

/**
 * Loads the C++ addon from the executable, the bundle, or node-gyp's output folder. For the test
 * run with sanitizers (build.mjs), it loads another build.
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
