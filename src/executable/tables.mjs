/**
 * What the program would make of its sources at every start, made by the build. What comes in: the
 * checkout. What goes out: constants for esbuild, by the name that the source declares.
 * Invariant: made by the very modules that make it where the program runs from its sources; where a
 * constant is given, those are left out.
 */
import { createRequire } from "node:module";
import path from "node:path";

/** Makes the table of the lexicon. */
const LEXICON = "src/translate/activities/lexicondata.ts";
/** Makes what activities are called. */
const ENTRIES = "src/translate/activities/lexiconentries.ts";

/** Makes the table of wishes. */
const WISHES = "src/translate/filters/table.ts";

/**
 * The lexicon and the wishes as texts (src/translate/words/phrasetable.ts), and as JSON what
 * activities are called: V8 need compile none of it.
 */
export function tableConstants(root) {
  const { trades, goods } = made(root, LEXICON).makeLexiconData();
  const names = JSON.stringify([...made(root, ENTRIES).entryNamesByCode()]);
  const wishes = made(root, WISHES).wishText();
  const texts = { BUILD_TRADES: trades, BUILD_GOODS: goods, BUILD_NAMES: names };
  return Object.fromEntries(
    Object.entries({ ...texts, BUILD_WISHES: wishes }).map(([name, text]) => {
      return [name, JSON.stringify(text)];
    }),
  );
}

/** What a module of the sources exports. */
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
