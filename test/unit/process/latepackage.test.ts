/**
 * Proves that packages which are loaded at their first use have the members that the code takes,
 * in a bundle with the program's own options as well as from the sources. Also proves that no
 * source loads a package in another way. Does not prove that the members work.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { filesMatching, ROOT, textOf } from "../../support/house/checkout.ts";

// bundle.mjs is plain JavaScript without types, because the build uses it.
const { writeBundle } = (await import(join(ROOT, "src/executable/bundle.mjs"))) as {
  readonly writeBundle: (bundle: object) => void;
};

/** `import("name")` of a package in code, not in a type. */
const LATE = /(?<!typeof )\bimport\(\s*"([a-z@][^"]*)",?\s*\)/g;
const WRAPPED = /packageOf\(\s*await import\(\s*"([a-z@][^"]*)",?\s*\),?\s*\)/g;
/** A member of each package that the program uses. */
const MEMBERS: Readonly<Record<string, string>> = {
  undici: "Agent",
  nodemailer: "createTransport",
  socks: "SocksClient",
  roaring: "RoaringBitmap32",
  "uWebSockets.js": "App",
  "@brazilian-utils/brazilian-utils": "getMunicipalities",
};

const sources = filesMatching(/^src\/.*\.ts$/);
const namesIn = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, name = ""]) => name);

describe("packages loaded later", () => {
  it("are read by packageOf, each with a known member", () => {
    const unread = sources.filter((file) => {
      const text = textOf(file).replace(/\/\*[\s\S]*?\*\//g, "");
      return namesIn(text, LATE).length !== namesIn(text, WRAPPED).length;
    });
    assert.deepEqual(unread, []);
    const named = new Set(sources.flatMap((file) => namesIn(textOf(file), WRAPPED)));
    assert.deepEqual([...named].sort(), Object.keys(MEMBERS).sort());
  });

  it("have their members in a bundle", () => {
    const cache = join(ROOT, ".cache");
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, "late-"));
    try {
      const lines = Object.entries(MEMBERS).map(
        ([name, member]) => `  ["${name}", typeof packageOf(await import("${name}")).${member}],`,
      );
      const entry = join(folder, "probe.ts");
      writeFileSync(
        entry,
        `import { packageOf } from "../../src/process/latepackage.ts";\n` +
          `process.stdout.write(JSON.stringify([\n${lines.join("\n")}\n]));\n`,
      );
      const origin = { commit: "test", date: "2026-01-01" };
      const bundle = join(folder, "bundle");
      writeBundle({ root: ROOT, folder: bundle, entries: [entry], nodeMin: [20, 11], origin });
      const found = JSON.parse(
        execFileSync(process.execPath, [join(bundle, "probe.mjs")], { encoding: "utf8" }),
      ) as [string, string][];
      assert.deepEqual(
        found.filter(([, type]) => type !== "function"),
        [],
      );
      assert.equal(found.length, lines.length);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
