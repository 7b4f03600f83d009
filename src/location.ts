/**
 * What comes in: the place of a worker's source file, relative to src/.
 * What goes out: the absolute path of the file that a worker thread must load, and that of the
 * folder with the built console.
 * Invariant: right in both lives of the code: as TypeScript under tsx, where the folders of src
 * stand, and as the bundle in dist, where every file lies flat beside the others (build.mjs).
 */
import { fileURLToPath } from "node:url";

/** Only sources are called `.ts`; the bundle consists of `.mjs` files. */
const BUNDLED = !import.meta.url.endsWith(".ts");

/**
 * Gives the file behind a worker named by its source, such as `ingest/parse.worker.ts`.
 * Worker files end in `.worker.ts`, have unique names, and export their tasks by name: start them
 * with piscina's `filename` and `name`, and with `execArgv` from `workerArguments`. A wrong name
 * fails when the thread starts.
 */
export function workerFile(source: `${string}.worker.ts`): string {
  const name = source.slice(source.lastIndexOf("/") + 1).replace(/\.ts$/, ".mjs");
  return fileURLToPath(new URL(BUNDLED ? `./${name}` : `./${source}`, import.meta.url));
}

/** Arguments of Node for a thread that loads a `workerFile`; a bundled one needs none. */
export function workerArguments(): string[] {
  return BUNDLED ? [] : ["--import", new URL("./source-threads.mjs", import.meta.url).href];
}

/** The folder of the built console: beside the bundle, or where build.mjs puts it from sources. */
export function consoleFolder(): string {
  return fileURLToPath(new URL(BUNDLED ? "./console" : "../dist/console", import.meta.url));
}
