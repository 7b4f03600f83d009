/**
 * Proves: the runner's report of a failed suite names source lines of the test, of the thrown
 * error, and of its cause, and the run fails. A passing suite is reported as such. Does not prove
 * that positions in the product's own bundle are mapped; they are not.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, it } from "node:test";
import { ROOT } from "../../support/house/checkout.ts";

const SUITE = `interface Wrong { readonly value: number }
import { it } from "node:test";

function inner(wrong: Wrong): never {
  throw new Error("inner " + wrong.value);
}

it("passes", () => {});
it("fails", () => {
  try {
    inner({ value: 3 });
  } catch (cause) {
    throw new Error("outer", { cause });
  }
});
`;

let folder = "";
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "peneira-failures-"));
  writeFileSync(path.join(folder, "one.test.ts"), SUITE);
  const esbuild = createRequire(import.meta.url)("esbuild") as {
    build(options: object): Promise<unknown>;
  };
  await esbuild.build({
    entryPoints: [path.join(folder, "one.test.ts")],
    outdir: path.join(folder, "out"),
    outExtension: { ".js": ".mjs" },
    ...{ bundle: true, platform: "node", format: "esm", sourcemap: true, minify: true },
  });
});
after(() => rmSync(folder, { recursive: true }));

function run(): { readonly status: number | null; readonly text: string } {
  const out = path.join(folder, "out");
  const remembered = path.join(folder, "durations.json");
  const files = [path.join(out, "one.test.mjs")];
  const given = JSON.stringify({ folder: out, files, names: ["one"], remembered });
  // If this variable were set, the suite would report to the run that this test is part of.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = [path.join(ROOT, "test/support/run/run.mjs"), given];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env });
  assert.ok(existsSync(remembered), stderr);
  return { status, text: stdout };
}

it("a failure is reported with source positions", () => {
  const { status, text } = run();
  assert.equal(status, 1);
  assert.match(text, /✔ passes/);
  const reported = text.slice(text.indexOf("failing tests"));
  const source = path.join(folder, "one.test.ts").replaceAll(/[.+]/g, "\\$&");
  for (const place of [`${source}:13:\\d+`, `${source}:5:\\d+`, "one\\.test\\.ts:9:\\d+"]) {
    assert.match(reported, new RegExp(place));
  }
  assert.doesNotMatch(text, /one\.test\.mjs:/);
});
