/**
 * Proves: besides its tables of texts, the console loads only one module on demand. The bundle
 * shortens the names of texts. None of them is a name of the browser, JavaScript, Preact, or the
 * API, because shortening would break those. No source computes the name of a text from parts.
 * Does not prove: that the shortened console works (e2e/console), or how large its files are
 * (e2e/console/budget).
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { filesMatching, ROOT, textOf } from "../../support/house/checkout.ts";

const { wordKeys } = (await import("../../../src/console/wordkeys.mjs" as string)) as {
  wordKeys(root: string): string[];
};

const WEB = /^src\/console\/web\/.*\.tsx?$/;
const LIBRARIES = "node_modules/typescript/lib";
const PACKAGES = [
  "node_modules/preact/src/dom.d.ts",
  "node_modules/preact/src/jsx.d.ts",
  "node_modules/preact/dist/preact.mjs",
  "node_modules/preact/hooks/dist/hooks.mjs",
  "node_modules/@preact/signals/dist/signals.module.js",
  "node_modules/@preact/signals-core/dist/signals-core.module.js",
];

/** Returns the modules that other modules load by import(). */
function loadedLater(): Set<string> {
  const loaded = filesMatching(WEB).flatMap((file) =>
    [...textOf(file).matchAll(/(?<!typeof )\bimport\("(\.[^"]+)"\)/g)].map(([, target = ""]) =>
      path.posix.join(path.posix.dirname(file), target),
    ),
  );
  return new Set(loaded);
}

/** Returns all names in type declarations of the browser and JavaScript, and in packages. */
function foreignNames(): Set<string> {
  const libraries = readdirSync(path.join(ROOT, LIBRARIES))
    .filter((name) => /^lib\.(dom|es)/.test(name))
    .map((name) => `${LIBRARIES}/${name}`);
  assert.ok(libraries.length > 20);
  return new Set([...libraries, ...PACKAGES].flatMap((file) => textOf(file).match(/\w+/g) ?? []));
}

describe("the bundle of the console", () => {
  it("loads on demand the words and one module", () => {
    const words = ["en", "later-en", "later-pt", "pt"];
    const expected = words.map((name) => `src/console/web/strings/${name}.ts`);
    assert.deepEqual([...loadedLater()].sort(), ["src/console/web/app/later.ts", ...expected]);
  });

  it("shortens keys that have no other meaning", () => {
    const keys = wordKeys(ROOT);
    assert.ok(keys.length > 300, `${keys.length} keys`);
    const foreign = foreignNames();
    assert.deepEqual(
      keys.filter((key) => foreign.has(key)),
      [],
    );
    const answers = filesMatching(/^src\/console\/web\/app\/\w*answers\.ts$/)
      .map(textOf)
      .join();
    assert.deepEqual(
      keys.filter((key) => new RegExp(`^ *(?:readonly )?${key}\\??:`, "m").test(answers)),
      [],
    );
  });

  it("shortens no key that a source computes", () => {
    const computed = filesMatching(WEB).flatMap((file) =>
      [...textOf(file).matchAll(/\[`(\w*(?:\$\{[^`{}]*\}\w*)+)`\]/g)].map(
        ([, parts = ""]) => new RegExp(`^${parts.replaceAll(/\$\{[^}]*\}/g, "\\w+")}$`),
      ),
    );
    assert.ok(computed.length > 0);
    assert.deepEqual(
      wordKeys(ROOT).filter((key) => computed.some((pattern) => pattern.test(key))),
      [],
    );
  });
});
