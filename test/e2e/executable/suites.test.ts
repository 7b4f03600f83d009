/**
 * Proves: the end-to-end suites also pass for the single executable. They run again in separate
 * processes, with the executable in TEST_PRODUCT and with fewer random specs.
 * Does not prove: the other suites that start the product. They use the variable too and are run by
 * hand: TEST_PRODUCT=dist/peneira node --import tsx test/contract/search/reload.test.ts
 */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import path from "node:path";
import { before, describe, it } from "node:test";
import { ROOT } from "../../support/house/checkout.ts";
import { scaled } from "../../support/run/scale.ts";

const EXECUTABLE = "dist/peneira";
const SUITES = ["server/e2e", "export/formats", "server/serve"];

before(() => {
  const build = [path.join(ROOT, "build.mjs"), "executable"];
  execFileSync(process.execPath, build, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
});

function suite(name: string): Promise<{ status: number | null; output: string }> {
  // Node sets this variable for children of its test runner. It is removed, so that the suite runs
  // independently.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const env = { ...inherited, TEST_PRODUCT: EXECUTABLE, ...scaled({ "served specs": 40 }) };
  const args = ["--import", "tsx", `test/e2e/${name}.test.ts`];
  const child = spawn(process.execPath, args, { cwd: ROOT, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.once("exit", (status) => resolve({ status, output }));
  });
}

const elsewhere = process.platform !== "linux" && "the executable is made on Linux only";
describe("with the executable", { skip: elsewhere }, () => {
  for (const name of SUITES) {
    it(`the suite ${name} passes`, async () => {
      const { status, output } = await suite(name);
      assert.equal(status, 0, output);
      assert.match(output, /^# pass [1-9]/m);
      assert.match(output, /^# fail 0$/m);
    });
  }
});
