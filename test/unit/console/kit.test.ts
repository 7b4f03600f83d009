/**
 * Proves: every module of the console that is loaded by import() imports the kit first, except
 * tables of words, which are read outside a browser too. So their shared base is one file of the
 * bundle and not a dozen pieces.
 * Does not prove: how large the files are (e2e/console/budget).
 */
import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { filesMatching, textOf } from "../../support/house/checkout.ts";

const KIT = "src/console/web/app/kit.ts";
const WORDS = "src/console/web/strings/";

/** The modules that others load by import(), with the first import of each. */
function loadedLater(): ReadonlyMap<string, string | undefined> {
  const first = new Map<string, string | undefined>();
  for (const file of filesMatching(/^src\/console\/web\/.*\.tsx?$/)) {
    for (const [, target = ""] of textOf(file).matchAll(/\bimport\("(\.[^"]+)"\)/g)) {
      const loaded = path.posix.join(path.posix.dirname(file), target);
      const [, begin] = /^import [^"]*"([^"]+)";/m.exec(textOf(loaded)) ?? [];
      first.set(loaded, begin && path.posix.join(path.posix.dirname(loaded), begin));
    }
  }
  return first;
}

describe("lazily loaded modules", () => {
  it("import the kit first", () => {
    const modules = loadedLater();
    assert.ok(modules.size > 10, `${modules.size} modules`);
    const others = [...modules].filter(([file, first]) => {
      return !file.startsWith(WORDS) && first !== KIT;
    });
    assert.deepEqual(others, []);
  });
});
