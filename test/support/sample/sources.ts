/**
 * The files that determine the bytes of a sample: all that `sample` and `import` load, the addon's
 * sources, and the versions of the packages.
 * Invariant: a change to any other file, such as the console or the language, keeps the samples of
 * earlier runs. A run makes about 40, which takes 90 s of processor time.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { filesMatching, ROOT, textOf } from "../house/checkout.ts";

/** The module that makes samples. It imports the commands for that. */
const MAKER = "test/support/sample/snapshot.ts";
/** Matches files that determine samples although no import statement names them. */
const OTHER_SOURCES = /^(native-index\/.*\.(cc|h)|package-lock\.json)$/;

/** Returns the files, relative to the checkout and in order. */
export async function sampleSources(): Promise<string[]> {
  const found = new Set(filesMatching(OTHER_SOURCES));
  const entries = [MAKER];
  for (let at = 0; at < entries.length; at++) {
    for (const file of await loadedBy(entries[at] as string)) {
      found.add(file);
      for (const worker of workersIn(textOf(file))) {
        if (!entries.includes(worker)) entries.push(worker);
      }
    }
  }
  return [...found].sort();
}

/** Returns a file and everything that it imports, directly or transitively, without packages. */
async function loadedBy(file: string): Promise<string[]> {
  // The package is loaded here, because only a run without samples needs it.
  const { buildSync } = await import("esbuild");
  const { metafile } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: [file],
    bundle: true,
    write: false,
    metafile: true,
    packages: "external",
    platform: "node",
    format: "esm",
  });
  return Object.keys(metafile.inputs);
}

/** Returns the worker files that a source starts, which it names relative to src. */
function workersIn(text: string): string[] {
  const names = [...text.matchAll(/"([\w/-]+\.worker\.ts)"/g)].map(([, name]) => `src/${name}`);
  return names.filter((name) => existsSync(join(ROOT, name)));
}
