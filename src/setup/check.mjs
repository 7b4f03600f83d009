/**
 * The checks of `npm test`. What comes in: the whole checkout, and how build.mjs runs and skips
 * steps. What goes out: nothing where types, lint and layout are right, else the places.
 * Invariant: nothing is changed; what cannot be told here (the layout of the C++ without its
 * formatter) is skipped in words.
 */
import path from "node:path";
import { checkLayout } from "../../native-index/lint.mjs";
import { WEB } from "../console/bundle.mjs";

/** Types and lint over the whole checkout, and the layout of the C++ where that can be told. */
export function checkAll({ root, cache, filesIn, upToDate, run, fail }) {
  const tool = (name, bin) => path.join(root, "node_modules", name, bin);
  const inputs = [
    "package-lock.json",
    "tsconfig.json",
    "biome.json",
    ...["src", "native-index", "test", "bench", "data"].flatMap((dir) =>
      filesIn(dir, /\.(ts|tsx|mjs|json)$/, /^(build|build-asan)$/),
    ),
  ];
  upToDate({ name: "types", inputs, salt: "", outputs: [] }, () => {
    // The compiler in machine code takes a third of the processor time of the one in JavaScript,
    // whose interface tidy.test.ts needs.
    const compiler = tool("typescript-native", "bin/tsc");
    for (const [name, project] of Object.entries({ all: ".", web: WEB })) {
      const info = path.join(cache, `types-${name}.tsbuildinfo`);
      const flags = ["--noEmit", "--incremental", "--tsBuildInfoFile", info];
      run(process.execPath, [compiler, "-p", project, ...flags]);
    }
  });
  upToDate({ name: "lint", inputs: [...inputs, "build.mjs"], salt: "", outputs: [] }, () => {
    const biome = tool("@biomejs/biome", "bin/biome");
    run(process.execPath, [biome, "check", "--error-on-warnings", "."]);
  });
  checkLayout({ root, upToDate, fail });
}
