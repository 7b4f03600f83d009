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

/** The lexicon as texts (src/translate/words/phrasetable.ts), of which V8 need compile none. */
export function tableConstants(root) {
  const { trades, goods } = run(root, LEXICON, "lexiconDataSteps");
  return { BUILD_TRADES: JSON.stringify(trades), BUILD_GOODS: JSON.stringify(goods) };
}

/** Runs a generator of a module to its end. */
function run(root, file, name) {
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
  const steps = module.exports[name]();
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
