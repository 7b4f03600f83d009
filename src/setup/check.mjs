/**
 * The checks of `npm test`. Input: the checkout, and build.mjs's step runner. Output: the places
 * where types, lint rules, or formatting are violated.
 * Invariant: nothing is changed. If the formatter for C++ is not installed, that check is skipped
 * with a message.
 */
import path from "node:path";
import { checkLayout } from "../../native-index/lint.mjs";
import { WEB } from "../console/bundle.mjs";

/** Checks types and lint of the whole checkout, and the C++ formatting if possible. */
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
    // This compiler is written in native code and takes a third of the CPU time of the one in
    // JavaScript. The latter is only needed by tidy.test.ts, which uses its API.
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
