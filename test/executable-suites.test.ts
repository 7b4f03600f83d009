/**
 * Proves: what the end-to-end suites prove of the bundle holds for the one executable too: they
 * run again, in processes of their own, with PENEIRA_PRODUCT naming it; of random specs fewer.
 * Does not prove: the other suites that start the product; they honour the same variable and are
 * run with it by hand: PENEIRA_PRODUCT=dist/peneira node --import tsx --test test/reload.test.ts
 */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import path from "node:path";
import { before, describe, it } from "node:test";
import { ROOT } from "./checkout.ts";

const EXECUTABLE = "dist/peneira";
const SUITES = ["e2e", "export-e2e", "http-serve"];

before(() => {
  const build = [path.join(ROOT, "build.mjs"), "executable"];
  execFileSync(process.execPath, build, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
});

/** Runs a suite; gives its exit code and what it said. */
function suite(name: string): Promise<{ status: number | null; said: string }> {
  // The runner tells its children that they are its children; these are not.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const env = { ...inherited, PENEIRA_PRODUCT: EXECUTABLE, E2E_SPECS: "40" };
  const args = ["--import", "tsx", `test/${name}.test.ts`];
  const child = spawn(process.execPath, args, { cwd: ROOT, env });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      said += text;
    });
  }
  return new Promise((resolve) => {
    child.once("exit", (status) => resolve({ status, said }));
  });
}

const elsewhere = process.platform !== "linux" && "the executable is made on Linux only";
describe("with the executable", { skip: elsewhere }, () => {
  for (const name of SUITES) {
    it(`the suite ${name} passes`, async () => {
      const { status, said } = await suite(name);
      assert.equal(status, 0, said);
      assert.match(said, /^# pass [1-9]/m);
      assert.match(said, /^# fail 0$/m);
    });
  }
});
